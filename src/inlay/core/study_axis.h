#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/network.h"

namespace inlay {

// One choice on an axis of a grid: a text as a user would write it after the command's flag (the
// name of a built-in, a file, the value of an option), or a value in full.
struct StudySetting {
  std::string label;  // what results call it
  std::string text;   // empty where one of the following is given
  std::shared_ptr<const Architecture> architecture = {};
  std::shared_ptr<const Network> workload = {};
  SourcePlace place = {};
};

// Whether the settings of an axis name what is read from files (or is built in), whatever the run.
bool NamesInputs(std::string_view axis);

// Lists of settings, labels or points with more items than this are not written out one by one.
inline constexpr size_t kMostListed = 10'000;

// Texts in a row. Whole numbers that follow each other are kept as a range, so that memory goes
// with what a file says, not with how much it stands for.
class StudyValues {
 public:
  struct Part {
    std::string text;             // of a part that is no range
    int64_t first = 0, last = 0;  // of a range, both included
    bool is_range = false;
    bool operator==(const Part&) const = default;
  };
  void Add(std::string text);
  void AddRange(int64_t first, int64_t last);

  size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  std::string operator[](size_t index) const;
  size_t PartOf(size_t index) const;  // the number of the part that a value stands in
  const std::vector<Part>& parts() const { return parts_; }
  // Of every text, and of both ends of every range or, if asked for, of `each` of its values.
  std::vector<size_t> Probes(bool each) const;
  bool operator==(const StudyValues& other) const { return parts_ == other.parts_; }

 private:
  std::vector<Part> parts_;
  std::vector<size_t> ends_;  // of each part, the number of values up to its end
};

// The settings that one entry of an axis stands for: all combinations of its choices, the last
// changing fastest.
struct StudyEntry {
  struct Choice {
    std::string key;  // "x": the label has " x=7"; "": it has the value alone
    StudyValues values;
    bool each = false;  // every value is probed, in ranges too: it names something to be read
    bool operator==(const Choice& other) const {
      return key == other.key && values == other.values;
    }
  };
  // A value in full by what was chosen (the place of each choice among its values) and its label.
  using Builder =
      std::function<Result<StudySetting>(const std::vector<size_t>& chosen, const std::string&)>;

  std::string label;            // what every label begins with
  std::vector<Choice> choices;  // none: one setting
  Builder build = {};           // none: the setting is the text of its label
  SourcePlace place = {};

  static StudyEntry Text(std::string text);

  size_t size() const;  // counts to kCountless at most
  std::vector<size_t> ChosenAt(size_t index) const;
  std::string LabelAt(size_t index) const;
  Result<StudySetting> At(size_t index) const;
  std::optional<size_t> Find(std::string_view text) const;
  // In ascending order, settings that between them have every probe of every choice, each beside
  // the first value of all other choices: one after the other, not combined.
  std::vector<size_t> Probes() const;
  // Labels and their order, not what they stand for.
  bool operator==(const StudyEntry& other) const {
    return label == other.label && choices == other.choices;
  }
};

// More than this is not counted.
inline constexpr size_t kCountless = size_t{1} << 62;

// "workload", "arch", "case", or an option of the run by its key ("mapspace", "search_size"), with
// its settings. Settings are made when they are asked for.
class StudyAxis {
 public:
  explicit StudyAxis(std::string name_of_axis, SourcePlace at = {})
      : name(std::move(name_of_axis)), place(std::move(at)) {}
  static StudyAxis OfTexts(std::string name, const std::vector<std::string>& texts);

  void Add(StudyEntry entry);

  size_t size() const { return ends_.empty() ? 0 : ends_.back(); }  // up to kCountless
  std::string LabelAt(size_t index) const;
  Result<StudySetting> At(size_t index) const;
  std::optional<size_t> Find(const std::string& label) const;
  std::vector<size_t> Probes() const;  // as of entries
  // Every label that stands there before. Of more than kMostListed settings one at most: found
  // among entries with the same label and keys, and among single settings and all others.
  std::vector<std::string> Repeated() const;
  const std::vector<StudyEntry>& entries() const { return entries_; }

  // The labels alone, without what they stand for.
  StudyAxis Outline() const;
  // The same labels in the same order, however they are put together: journals of inlay 0.1 list
  // up to 10⁶ of them. Of more, put together in the same way.
  bool operator==(const StudyAxis& other) const;

  std::string name;
  SourcePlace place;

 private:
  size_t EntryOf(size_t index) const;
  size_t BeginOf(size_t entry) const { return entry == 0 ? 0 : ends_[entry - 1]; }

  std::vector<StudyEntry> entries_;
  std::vector<size_t> ends_;
  std::unordered_map<std::string, size_t> texts_;  // entry of each that is one text
};

}  // namespace inlay
