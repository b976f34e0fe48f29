#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/base/structure.h"

namespace inlay {

enum class OptionType {
  kFlag,     // given or not; no value on a command line, true or false in files
  kInteger,  // within [min, max]
  kText,
  kChoice,       // one of `choices`
  kChoices,      // several of `choices`, separated by commas, none twice
  kDuration,     // "60s", "1.5min", 0 for none; an integer, in milliseconds, rounded up
  kAssignments,  // "NAME=N", N from 1; may be given again for another name; a list, as written
  kNumbers,      // "N", an integer, or "NAME=N,NAME=N", a list, as written; N within [min, max]
  kSettings,     // "NAME=VALUE", once for every name; a list, as written
  kTexts,        // may be given again for another text
};

// One option, declared once: the command-line flag, the key of `options` in a result and the
// reference page all come from this record.
struct Option {
  std::string_view key = {};  // "time_limit"; the flag is --time-limit
  std::string sentence = {};  // what it does; lower-case, without a full stop
  OptionType type = OptionType::kText;
  std::string_view value_name = {};  // "FILE", "N": how help writes the value; empty: its choices
  std::vector<std::string_view> choices = {};
  std::vector<std::string_view> other_words = {};  // by choice: what users try instead, with blanks
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  std::string default_text = {};  // as a user would write it; empty: none
  char short_name = 0;            // 'o' for -o; 0: none
  bool in_result = false;         // can change the answer, so results record its value
  bool takes_words = false;       // kTexts: on a command line, all words up to the next flag
};

// The value that a text stands for, or why it stands for none (no location; the message names the
// option as its flag).
Result<OptionValue> ParseOption(const Option& option, std::string_view text);

// "--time-limit" of the key time_limit.
std::string FlagOf(std::string_view key);
inline std::string FlagOf(const Option& option) { return FlagOf(option.key); }
// "--limit N", "--semantics exact|timeloop[,…]": a flag with its value, as help shows it.
std::string UsageOf(const Option& option);

// Whether giving it again adds to what was given.
inline bool AddsUp(OptionType type) {
  return type == OptionType::kAssignments || type == OptionType::kSettings ||
         type == OptionType::kTexts;
}

// The values of a list of options by their keys: what was set, else the default. Setting a key that
// is not in the list, and asking for a value or a type that an option has not, are faults of ours.
class OptionValues {
 public:
  OptionValues() = default;
  explicit OptionValues(std::vector<Option> options);

  const std::vector<Option>& options() const { return options_; }
  // Of a flag "", "true" or "false". What may be given again adds up, all else is replaced.
  Result<void> Set(std::string_view key, std::string_view text);
  bool Has(std::string_view key) const;  // set, or has a default
  bool WasSet(std::string_view key) const;
  bool Flag(std::string_view key) const;
  int64_t Integer(std::string_view key) const;
  std::optional<double> Seconds(std::string_view key) const;  // of a duration, if it is set
  const std::string& Text(std::string_view key) const;
  const std::vector<std::string>& List(std::string_view key) const;
  // Of assignments, or of numbers, of which one by itself is for the name `alone`.
  std::vector<std::pair<std::string, int64_t>> Numbers(std::string_view key,
                                                       std::string_view alone) const;

  // Of every option with `in_result`, in the order of declaration: key and value. An option without
  // value is left out.
  std::vector<std::pair<std::string, OptionValue>> ForResult() const;

 private:
  const Option& Find(std::string_view key) const;
  const OptionValue& Value(std::string_view key) const;

  std::vector<Option> options_;
  std::map<std::string, OptionValue, std::less<>> set_, defaults_;
};

}  // namespace inlay
