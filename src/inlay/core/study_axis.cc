#include "inlay/core/study_axis.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace inlay {
namespace {

constexpr size_t kMostEverListed = 1'000'000;  // settings of an axis, in journals of inlay 0.1

size_t Times(size_t a, size_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kCountless / b ? kCountless : std::min(a * b, kCountless);
}

// The number of the part, of those that end at `ends`, which an index stands in.
size_t PartAt(const std::vector<size_t>& ends, size_t index) {
  return static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), index) - ends.begin());
}

// A whole number as AddRange writes it, at the begin of a text: no leading zeros, no plus.
std::optional<int64_t> NumberAt(std::string_view text, size_t* length) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  *length = static_cast<size_t>(end - text.data());
  if (std::to_string(value).size() != *length) return std::nullopt;
  return value;
}

std::string Before(const StudyEntry::Choice& choice, bool first) {
  return choice.key.empty() ? "" : (first ? "" : " ") + choice.key + "=";
}

// The number of the combination, from choice `c` on, whose label is the rest of a label.
std::optional<size_t> FindFrom(const StudyEntry& entry, size_t c, bool first,
                               std::string_view rest) {
  if (c == entry.choices.size()) return rest.empty() ? std::optional<size_t>(0) : std::nullopt;
  const StudyEntry::Choice& choice = entry.choices[c];
  const std::string before = Before(choice, first);
  if (!rest.starts_with(before)) return std::nullopt;
  rest.remove_prefix(before.size());
  size_t stride = 1;
  for (size_t i = c + 1; i < entry.choices.size(); ++i) {
    stride = Times(stride, entry.choices[i].values.size());
  }
  size_t begin = 0;
  for (const StudyValues::Part& part : choice.values.parts()) {
    size_t length = part.text.size(), offset = 0;
    bool fits = !part.is_range && rest.starts_with(part.text);
    if (part.is_range) {
      const auto number = NumberAt(rest, &length);
      fits = number && *number >= part.first && *number <= part.last;
      if (fits) offset = static_cast<size_t>(*number - part.first);
    }
    if (fits) {
      if (const auto found = FindFrom(entry, c + 1, false, rest.substr(length))) {
        return (begin + offset) * stride + *found;
      }
    }
    begin += part.is_range ? static_cast<size_t>(part.last - part.first) + 1 : 1;
  }
  return std::nullopt;
}

// Which of the values added was there before.
class Seen {
 public:
  std::optional<std::string> Add(const StudyValues& values) {
    for (const StudyValues::Part& part : values.parts()) {
      if (auto twice = part.is_range ? Add(part.first, part.last) : Add(part.text)) return twice;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> Add(const std::string& text) {
    size_t length = 0;
    const auto number = NumberAt(text, &length);
    if (number && length == text.size()) return Add(*number, *number);
    return texts_.insert(text).second ? std::nullopt : std::optional(text);
  }

  std::optional<std::string> Add(int64_t first, int64_t last) {
    const auto next = ranges_.upper_bound(last);
    if (next != ranges_.begin() && std::prev(next)->second >= first) {
      return std::to_string(std::max(first, std::prev(next)->first));
    }
    ranges_[first] = last;
    return std::nullopt;
  }

  std::set<std::string> texts_;        // that are no numbers
  std::map<int64_t, int64_t> ranges_;  // first → last
};

// What every label of an entry has in common.
using VariantShape = std::pair<std::string, std::vector<std::string>>;  // label, keys
VariantShape ShapeOf(const StudyEntry& entry) {
  VariantShape shape{entry.label, {}};
  for (const StudyEntry::Choice& choice : entry.choices) shape.second.push_back(choice.key);
  return shape;
}

// The label of an entry with such values.
std::string LabelOf(const StudyEntry& entry, const std::vector<std::string>& values) {
  std::string text = entry.label;
  for (size_t i = 0; i < values.size(); ++i) {
    text += Before(entry.choices[i], text.empty()) + values[i];
  }
  return text;
}

// A label that an entry has twice, or two of the same shape have both.
std::optional<std::string> TwiceIn(const StudyEntry& entry) {
  std::vector<std::string> values;
  bool twice = false;
  for (const StudyEntry::Choice& choice : entry.choices) {
    auto value = Seen().Add(choice.values);
    twice = twice || value;
    values.push_back(value ? *std::move(value) : choice.values[0]);
  }
  return twice ? std::optional(LabelOf(entry, values)) : std::nullopt;
}
std::optional<std::string> InBoth(const StudyEntry& a, const StudyEntry& b) {
  std::vector<std::string> values;
  for (size_t i = 0; i < a.choices.size(); ++i) {
    Seen seen;
    seen.Add(a.choices[i].values);
    auto value = seen.Add(b.choices[i].values);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  return LabelOf(a, values);
}

std::optional<std::string> TwiceAmong(const std::vector<const StudyEntry*>& of_one_shape) {
  const StudyEntry& first = *of_one_shape.front();
  if (first.choices.size() == 1) {
    Seen seen;
    for (const StudyEntry* entry : of_one_shape) {
      if (auto value = seen.Add(entry->choices[0].values)) return LabelOf(first, {*value});
    }
    return std::nullopt;
  }
  for (size_t i = 0; i < of_one_shape.size(); ++i) {
    if (auto label = TwiceIn(*of_one_shape[i])) return label;
    for (size_t j = 0; j < i; ++j) {
      if (auto label = InBoth(*of_one_shape[j], *of_one_shape[i])) return label;
    }
  }
  return std::nullopt;
}

std::optional<std::string> RepeatedAmong(const std::vector<StudyEntry>& entries) {
  std::map<VariantShape, std::vector<const StudyEntry*>> shapes;
  std::set<std::string> singles;
  for (const StudyEntry& entry : entries) {
    if (entry.size() > 1) {
      shapes[ShapeOf(entry)].push_back(&entry);
    } else if (auto [label, added] = singles.insert(entry.LabelAt(0)); !added) {
      return *label;
    }
  }
  for (const auto& [shape, of_shape] : shapes) {
    if (auto label = TwiceAmong(of_shape)) return label;
    for (const StudyEntry* entry : of_shape) {
      // Labels that begin with that of the entry stand in a row.
      for (auto label = singles.lower_bound(entry->label);
           label != singles.end() && label->starts_with(entry->label); ++label) {
        if (entry->Find(*label)) return *label;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool NamesInputs(std::string_view axis) {
  constexpr std::array<std::string_view, 7> kNames = {
      "workload", "arch", "case", "technology", "machine", "mix", "accelerator"};
  return std::find(kNames.begin(), kNames.end(), axis) != kNames.end();
}

void StudyValues::Add(std::string text) {
  ends_.push_back(size() + 1);
  parts_.push_back({std::move(text), 0, 0, false});
}

void StudyValues::AddRange(int64_t first, int64_t last) {
  ends_.push_back(size() + static_cast<size_t>(last - first) + 1);
  parts_.push_back({"", first, last, true});
}

size_t StudyValues::PartOf(size_t index) const { return PartAt(ends_, index); }

std::string StudyValues::operator[](size_t index) const {
  const size_t number = PartOf(index);
  const Part& part = parts_[number];
  if (!part.is_range) return part.text;
  const size_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::to_string(part.first + static_cast<int64_t>(index - begin));
}

std::vector<size_t> StudyValues::Probes(bool each) const {
  std::vector<size_t> probes;
  for (size_t i = 0; each && i < size(); ++i) probes.push_back(i);
  if (each) return probes;
  size_t begin = 0;
  for (const size_t end : ends_) {
    probes.push_back(begin);
    if (end - begin > 1) probes.push_back(end - 1);
    begin = end;
  }
  return probes;
}

StudyEntry StudyEntry::Text(std::string text) {
  StudyEntry entry;
  entry.choices.emplace_back().values.Add(std::move(text));
  return entry;
}

size_t StudyEntry::size() const {
  size_t count = 1;
  for (const Choice& choice : choices) count = Times(count, choice.values.size());
  return count;
}

std::vector<size_t> StudyEntry::ChosenAt(size_t index) const {
  std::vector<size_t> chosen(choices.size());
  for (size_t i = choices.size(); i > 0; --i) {
    const size_t count = choices[i - 1].values.size();
    chosen[i - 1] = index % count;
    index /= count;
  }
  return chosen;
}

std::string StudyEntry::LabelAt(size_t index) const {
  const std::vector<size_t> chosen = ChosenAt(index);
  std::string text = label;
  for (size_t i = 0; i < choices.size(); ++i) {
    text += Before(choices[i], text.empty()) + choices[i].values[chosen[i]];
  }
  return text;
}

Result<StudySetting> StudyEntry::At(size_t index) const {
  std::string text = LabelAt(index);
  if (!build) return StudySetting{text, text, {}, {}, place};
  auto built = build(ChosenAt(index), text);
  if (built) built->place = place;
  return built;
}

std::optional<size_t> StudyEntry::Find(std::string_view text) const {
  if (!text.starts_with(label)) return std::nullopt;
  return FindFrom(*this, 0, label.empty(), text.substr(label.size()));
}

std::vector<size_t> StudyEntry::Probes() const {
  std::vector<size_t> probes = {0};
  size_t stride = 1;
  for (size_t i = choices.size(); i > 0; --i) {
    const StudyValues& values = choices[i - 1].values;
    for (const size_t probe : values.Probes(choices[i - 1].each)) {
      if (probe > 0) probes.push_back(Times(probe, stride));
    }
    stride = Times(stride, values.size());
  }
  return probes;
}

StudyAxis StudyAxis::OfTexts(std::string name, const std::vector<std::string>& texts) {
  StudyAxis axis(std::move(name));
  for (const std::string& text : texts) axis.Add(StudyEntry::Text(text));
  return axis;
}

void StudyAxis::Add(StudyEntry entry) {
  ends_.push_back(std::min(size() + entry.size(), kCountless));
  const bool is_text = entry.label.empty() && entry.choices.size() == 1 &&
                       entry.choices[0].key.empty() && entry.size() == 1;
  if (is_text) texts_.emplace(entry.LabelAt(0), entries_.size());
  entries_.push_back(std::move(entry));
}

size_t StudyAxis::EntryOf(size_t index) const { return PartAt(ends_, index); }

std::string StudyAxis::LabelAt(size_t index) const {
  const size_t entry = EntryOf(index);
  return entries_[entry].LabelAt(index - BeginOf(entry));
}

Result<StudySetting> StudyAxis::At(size_t index) const {
  const size_t entry = EntryOf(index);
  return entries_[entry].At(index - BeginOf(entry));
}

std::optional<size_t> StudyAxis::Find(const std::string& label) const {
  if (const auto text = texts_.find(label); text != texts_.end()) return BeginOf(text->second);
  if (texts_.size() == entries_.size()) return std::nullopt;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (const auto found = entries_[i].Find(label)) return BeginOf(i) + *found;
  }
  return std::nullopt;
}

std::vector<size_t> StudyAxis::Probes() const {
  std::vector<size_t> probes;
  for (size_t i = 0; i < entries_.size(); ++i) {
    for (const size_t probe : entries_[i].Probes()) probes.push_back(BeginOf(i) + probe);
  }
  return probes;
}

std::vector<std::string> StudyAxis::Repeated() const {
  std::vector<std::string> repeated;
  if (size() <= kMostListed) {
    std::set<std::string> labels;
    for (size_t i = 0; i < size(); ++i) {
      std::string label = LabelAt(i);
      if (!labels.insert(label).second) repeated.push_back(std::move(label));
    }
    return repeated;
  }
  if (auto label = RepeatedAmong(entries_)) repeated.push_back(*std::move(label));
  return repeated;
}

StudyAxis StudyAxis::Outline() const {
  StudyAxis outline(name);
  for (const StudyEntry& entry : entries_) outline.Add({entry.label, entry.choices, {}, {}});
  return outline;
}

bool StudyAxis::operator==(const StudyAxis& other) const {
  if (name != other.name || size() != other.size()) return false;
  if (entries_ == other.entries_) return true;
  if (size() > kMostEverListed) return false;
  for (size_t i = 0; i < size(); ++i) {
    if (LabelAt(i) != other.LabelAt(i)) return false;
  }
  return true;
}

}  // namespace inlay
