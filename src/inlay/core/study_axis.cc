#include "inlay/core/study_axis.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

namespace inlay {
namespace {

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

// A text that stands in the values twice.
std::optional<std::string> Twice(const std::vector<const StudyValues*>& all) {
  std::set<std::string> texts;
  std::map<int64_t, int64_t> ranges;  // first → last
  const auto overlaps = [&ranges](int64_t first, int64_t last) -> std::optional<int64_t> {
    auto next = ranges.upper_bound(last);
    if (next == ranges.begin()) return std::nullopt;
    --next;
    if (next->second < first) return std::nullopt;
    return std::max(first, next->first);
  };
  for (const StudyValues* values : all) {
    for (const StudyValues::Part& part : values->parts()) {
      if (!part.is_range) {
        if (!texts.insert(part.text).second) return part.text;
        continue;
      }
      if (const auto common = overlaps(part.first, part.last)) return std::to_string(*common);
      ranges[part.first] = part.last;
    }
  }
  for (const std::string& text : texts) {
    size_t length = 0;
    const auto number = NumberAt(text, &length);
    if (number && length == text.size() && overlaps(*number, *number)) return text;
  }
  return std::nullopt;
}

}  // namespace

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

std::vector<size_t> StudyValues::Probes() const {
  std::vector<size_t> probes;
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
    for (const size_t probe : values.Probes()) {
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
  std::map<std::pair<std::string, std::string>, std::vector<const StudyValues*>> alike;
  for (const StudyEntry& entry : entries_) {
    for (const StudyEntry::Choice& choice : entry.choices) {
      if (entry.choices.size() == 1) {
        alike[{entry.label, choice.key}].push_back(&choice.values);
      } else if (auto twice = Twice({&choice.values})) {
        return {Before(choice, true) + *std::move(twice)};
      }
    }
  }
  for (const auto& [name_of, values] : alike) {
    if (auto twice = Twice(values)) return {*std::move(twice)};
  }
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
  if (size() > kMostListed) return false;
  for (size_t i = 0; i < size(); ++i) {
    if (LabelAt(i) != other.LabelAt(i)) return false;
  }
  return true;
}

}  // namespace inlay
