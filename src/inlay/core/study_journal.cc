#include "inlay/core/study_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace inlay {
namespace {

// A whole number of at least 1 and nothing else.
std::optional<size_t> CountFrom(std::string_view text) {
  size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || value == 0) return std::nullopt;
  return value;
}

std::string TextOf(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string list;
  for (const std::string& item : std::get<std::vector<std::string>>(value)) {
    list += (list.empty() ? "" : ",") + item;
  }
  return list;
}

using NamedValues = std::map<std::string, OptionValue>;

void CompareOptions(const ResultHeader& before, const ResultHeader& now,
                    std::vector<std::string>* differences) {
  const NamedValues old(before.options.begin(), before.options.end());
  const NamedValues given(now.options.begin(), now.options.end());
  NamedValues all = old;
  all.insert(given.begin(), given.end());
  const auto text_of = [](const NamedValues& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? "not given" : "'" + TextOf(found->second) + "'";
  };
  for (const auto& [key, value] : all) {
    const std::string was = text_of(old, key), is = text_of(given, key);
    if (was != is) {
      differences->push_back(fmt::format("the option '{}' was {}, now it is {}", key, was, is));
    }
  }
}

// Role by role, as a file has them; within a role in the order of reading.
std::vector<InputRecord> ByRole(std::vector<InputRecord> inputs) {
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const InputRecord& a, const InputRecord& b) { return a.role < b.role; });
  return inputs;
}

void CompareInputs(const ResultHeader& before, const ResultHeader& now,
                   std::vector<std::string>* differences) {
  if (before.inputs.size() != now.inputs.size()) {
    differences->push_back("it was made of " + std::to_string(before.inputs.size()) +
                           " inputs, now there are " + std::to_string(now.inputs.size()));
    return;
  }
  const std::vector<InputRecord> old_inputs = ByRole(before.inputs), inputs = ByRole(now.inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (old_inputs[i].role == inputs[i].role && old_inputs[i].hash == inputs[i].hash) continue;
    differences->push_back("the content of '" + inputs[i].name + "' (" + inputs[i].role +
                           ") has changed");
  }
}

}  // namespace

std::string TextOf(const StudyShard& shard) {
  return std::to_string(shard.index + 1) + "/" + std::to_string(shard.count);
}

std::optional<StudyShard> StudyShardFromText(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = CountFrom(text.substr(0, slash)), count = CountFrom(text.substr(slash + 1));
  if (!number || !count || *number > *count) return std::nullopt;
  return StudyShard{*number - 1, *count};
}

Study OutlineOf(const Study& study) {
  Study outline = study;
  for (StudyGrid& grid : outline.grids) {
    grid.place = {};
    for (StudyAxis& axis : grid.axes) {
      axis = axis.Outline();
    }
  }
  return outline;
}

std::vector<std::string> DifferencesOf(const StudyIdentity& before, const StudyIdentity& now) {
  std::vector<std::string> differences;
  if (before.outline.name != now.outline.name) {
    differences.push_back("it was the study '" + before.outline.name + "', now it is '" +
                          now.outline.name + "'");
  }
  if (before.header.version != now.header.version) {
    differences.push_back("it was inlay " + before.header.version + ", now it is " +
                          now.header.version);
  }
  CompareOptions(before.header, now.header, &differences);
  CompareInputs(before.header, now.header, &differences);
  if (differences.empty() && before.outline != now.outline) {
    differences.emplace_back("its grids, its figure or its claims are others");
  }
  return differences;
}

std::string Describe(const StudyFilter& settings) {
  std::string text;
  for (const auto& [axis, label] : settings) text += (text.empty() ? "" : ", ") + label;
  return text;
}

bool SameAnswer(const StudyPoint& a, const StudyPoint& b) {
  const auto unmeasured = [](std::optional<BatchFigures> batch) {
    for (size_t i = 0; batch && i < batch->policies.size(); ++i) {
      BatchPolicyResult& policy = batch->policies[i];
      policy.events = 0;
      policy.plan_seconds = policy.seconds = 0;
    }
    return batch;
  };
  return a.settings == b.settings && a.status == b.status && a.figures == b.figures &&
         a.proof == b.proof && a.layers == b.layers && a.reasons == b.reasons &&
         a.timed == b.timed && unmeasured(a.batch) == unmeasured(b.batch);
}

bool KeepOne(const StudyPoint& other, StudyPoint* known) {
  if (!known->timed && !other.timed) return SameAnswer(*known, other);
  if (known->timed && !other.timed) *known = other;
  return true;
}

}  // namespace inlay
