#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// Where the readers put what they find; a file is read to its end before anything fails.
struct Report {
  Diagnostics errors, warnings;

  void Error(const Node& at, std::string message, std::string hint = "");
  void Warn(const Node& at, std::string message, std::string hint = "");

  template <typename T>
  std::optional<T> Take(Result<T> result) {
    if (result) return *std::move(result);
    errors.insert(errors.end(), result.error().begin(), result.error().end());
    return std::nullopt;
  }
};

// By file, in the order of their first mention, line and column.
void SortByPlace(Diagnostics* diagnostics);

// To find what an unknown key resembles takes long; of one mapping, more are of no use.
inline constexpr size_t kMostSuggestions = 200;

// Old files write word-bits, new ones word_bits.
std::string Normalise(std::string_view key);

// The values of a mapping, taken one by one; those never taken are reported at the end. Keys are
// compared in their normalised form. A key without a value counts as absent.
class Fields {
 public:
  // `what` names the mapping in messages: "problem", "the attributes of 'Buf'".
  Fields(const Node& mapping, std::string what, Report* report);

  // The value of the first of these synonyms that is given; a second one must have the same value.
  const Node* Take(std::initializer_list<std::string_view> synonyms);
  const Node* Take(std::string_view key) { return Take({key}); }

  // Takes a value without looking at it, if it is there.
  void Ignore(std::initializer_list<std::string_view> keys);

  const Node& node() const { return node_; }
  // Keys and values that have not been taken.
  std::vector<std::pair<const Node*, const Node*>> Rest() const;
  void RefuseRest(std::string_view hint = "");
  // The same as warnings, for what Timeloop ignores.
  void WarnOfRest();
  // Every key that was ever asked for.
  const std::vector<std::string>& known() const { return known_; }

 private:
  struct Entry {
    const Node* name;
    const Node* value;
    bool taken;
  };
  Entry* Find(std::string_view key);

  const Node& node_;
  std::string what_;
  Report* report_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, size_t> index_;  // by key, into entries_
  std::vector<std::string> known_;
};

// The names of a list, or the single name of a scalar.
std::vector<std::string> ReadNames(const Node& node, std::string_view what, Report* report);

}  // namespace inlay::io::timeloop
