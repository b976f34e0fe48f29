#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inlay/base/result.h"

namespace inlay {

enum class OptionType {
  kFlag,     // given or not; no value
  kInteger,  // within [min, max]
  kText,
  kChoice,       // one of `choices`
  kChoices,      // several of `choices`, separated by commas, none twice
  kDuration,     // "60s", "1.5min": more than zero; an integer, in milliseconds, rounded up
  kAssignments,  // "NAME=N", N from 1; may be given again for another name; a list, as written
};

// One option, declared once: the command-line flag, the key of `options` in a result and the
// reference page all come from this record.
struct Option {
  std::string_view name = {};      // "time-limit": flag --time-limit, key time_limit
  std::string_view sentence = {};  // what it does; lower-case, without a full stop
  OptionType type = OptionType::kText;
  std::string_view value_name = {};  // "FILE", "N": how help writes the value; empty: its choices
  std::vector<std::string_view> choices = {};
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  std::string_view default_text = {};  // as a user would write it; empty: none
  char short_name = 0;                 // 'o' for -o; 0: none
  bool in_result = false;              // can change the answer, so results record its value
};

using OptionValue = std::variant<bool, int64_t, std::string, std::vector<std::string>>;

// The value that a text stands for, or why it stands for none (no location; the message names the
// option as its flag).
Result<OptionValue> ParseOption(const Option& option, std::string_view text);

// "--time-limit" and "time_limit".
std::string FlagOf(const Option& option);
std::string KeyOf(const Option& option);
// "--limit N", "--semantics exact|timeloop[,…]": a flag with its value, as help shows it.
std::string UsageOf(const Option& option);

// The values of a list of options: what was set, else the default. Names that are not in the list,
// and asking for a type that an option has not, are faults of ours.
class OptionValues {
 public:
  OptionValues() = default;
  explicit OptionValues(std::vector<Option> options);

  // "" for a flag. Assignments add up, everything else is replaced.
  Result<void> Set(std::string_view name, std::string_view text);
  bool Has(std::string_view name) const;  // set, or has a default
  bool WasSet(std::string_view name) const;
  bool Flag(std::string_view name) const;
  int64_t Integer(std::string_view name) const;
  std::optional<double> Seconds(std::string_view name) const;  // of a duration, if it is set
  const std::string& Text(std::string_view name) const;
  const std::vector<std::string>& List(std::string_view name) const;

  // Of every option with `in_result`, in the order of declaration: key and value. An option without
  // value is left out.
  std::vector<std::pair<std::string, OptionValue>> ForResult() const;

 private:
  const Option& Find(std::string_view name) const;
  const OptionValue& Value(std::string_view name) const;

  std::vector<Option> options_;
  std::map<std::string, OptionValue, std::less<>> set_, defaults_;
};

}  // namespace inlay
