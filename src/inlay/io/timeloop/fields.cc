#include "inlay/io/timeloop/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "inlay/base/suggest.h"

namespace inlay::io::timeloop {

void Report::Error(const Node& at, std::string message, std::string hint) {
  errors.push_back(at.Error(std::move(message), std::move(hint)));
}

void Report::Warn(const Node& at, std::string message, std::string hint) {
  warnings.push_back(at.Warning(std::move(message), std::move(hint)));
}

void SortByPlace(Diagnostics* diagnostics) {
  std::vector<std::string> files;
  const auto rank = [&files](const std::string& file) {
    return std::find(files.begin(), files.end(), file) - files.begin();
  };
  for (const Diagnostic& diagnostic : *diagnostics) {
    const std::string& file = diagnostic.location.file;
    if (rank(file) == std::ssize(files)) files.push_back(file);
  }
  std::stable_sort(diagnostics->begin(), diagnostics->end(),
                   [&rank](const Diagnostic& a, const Diagnostic& b) {
                     const auto key = [&rank](const SourceLocation& at) {
                       return std::tuple(rank(at.file), at.line, at.column);
                     };
                     return key(a.location) < key(b.location);
                   });
}

std::string Normalise(std::string_view key) {
  std::string text(key);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

Fields::Fields(const Node& mapping, std::string what, Report* report)
    : node_(mapping), what_(std::move(what)), report_(report) {
  if (mapping.IsNull()) return;
  if (!mapping.IsMapping()) {
    report_->Error(mapping, what_ + " must be a mapping, 'key: value'");
    return;
  }
  for (const auto& [name, value] : mapping.entries) {
    std::string key = Normalise(name.text);
    if (const Entry* first = Find(key)) {
      report_->Error(name,
                     fmt::format("{} has both '{}' and '{}'", what_, first->name->text, name.text));
      continue;
    }
    index_.emplace(std::move(key), entries_.size());
    entries_.push_back({&name, &value, false});
  }
}

Fields::Entry* Fields::Find(std::string_view key) {
  const auto found = index_.find(std::string(key));
  return found == index_.end() ? nullptr : &entries_[found->second];
}

const Node* Fields::Take(std::initializer_list<std::string_view> synonyms) {
  Entry* first = nullptr;
  for (const std::string_view key : synonyms) {
    known_.emplace_back(key);
    Entry* entry = Find(key);
    if (entry == nullptr) continue;
    entry->taken = true;
    if (entry->value->IsNull()) continue;
    const auto same = [](const Node& a, const Node& b) {
      return a.IsScalar() && b.IsScalar() && a.text == b.text;
    };
    if (first != nullptr && same(*first->value, *entry->value)) continue;
    if (first != nullptr) {
      report_->Error(*entry->name, fmt::format("{} has both '{}' and '{}', which mean the same",
                                               what_, first->name->text, entry->name->text));
      continue;
    }
    first = entry;
  }
  return first == nullptr ? nullptr : first->value;
}

void Fields::Ignore(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    known_.emplace_back(key);
    if (Entry* entry = Find(key)) entry->taken = true;
  }
}

std::vector<std::pair<const Node*, const Node*>> Fields::Rest() const {
  std::vector<std::pair<const Node*, const Node*>> rest;
  for (const Entry& entry : entries_) {
    if (!entry.taken) rest.emplace_back(entry.name, entry.value);
  }
  return rest;
}

void Fields::RefuseRest(std::string_view hint) {
  size_t count = 0;
  for (const auto& [name, value] : Rest()) {
    if (++count > kMostSuggestions) {
      report_->Error(*name, fmt::format("unknown key '{}' in {}", name->text, what_));
      continue;
    }
    const auto near = Suggest(Normalise(name->text), known_);
    report_->Error(*name, fmt::format("unknown key '{}' in {}", name->text, what_),
                   near ? fmt::format("did you mean '{}'?", *near) : std::string(hint));
  }
}

void Fields::WarnOfRest() {
  constexpr size_t kMostNamed = 10;
  size_t count = 0, plain = 0;  // all, and those that resemble nothing
  const Node* first = nullptr;
  std::string names;
  for (const auto& [name, value] : Rest()) {
    const auto near = ++count > kMostSuggestions ? std::nullopt : Suggest(name->text, known_);
    if (near) {
      report_->Warn(*name, fmt::format("'{}' is ignored, as Timeloop ignores it", name->text),
                    fmt::format("did you mean '{}'?", *near));
      continue;
    }
    if (plain++ == 0) first = name;
    if (plain <= kMostNamed) names += fmt::format("{}'{}'", plain == 1 ? "" : ", ", name->text);
  }
  if (plain > kMostNamed) names += fmt::format(" and {} more", plain - kMostNamed);
  if (plain == 1) report_->Warn(*first, names + " is ignored, as Timeloop ignores it");
  if (plain > 1) report_->Warn(*first, names + " are ignored, as Timeloop ignores them");
}

std::vector<std::string> ReadNames(const Node& node, std::string_view what, Report* report) {
  std::vector<std::string> names;
  if (node.IsNull()) return names;
  if (node.IsScalar()) {
    names.push_back(node.text);
    return names;
  }
  if (!node.IsSequence()) {
    report->Error(node, fmt::format("{} must be a list of names", what));
    return names;
  }
  for (const Node& item : node.items) {
    if (auto name = report->Take(AsString(item, what))) names.push_back(*name);
  }
  return names;
}

}  // namespace inlay::io::timeloop
