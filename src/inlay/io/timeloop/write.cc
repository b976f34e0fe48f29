#include "inlay/io/timeloop/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "inlay/base/check.h"
#include "inlay/base/printable.h"
#include "inlay/io/timeloop/timeloop_form.h"
#include "inlay/io/timeloop/writer.h"
#include "inlay/io/yaml/quote.h"

namespace inlay::io {
namespace timeloop {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Words that YAML readers take for something else than text.
bool IsReserved(std::string_view text) {
  constexpr std::array<std::string_view, 16> kWords = {
      "true", "True", "false", "False", "yes", "Yes", "no",   "No",
      "on",   "On",   "off",   "Off",   "y",   "n",   "null", "Null"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

}  // namespace

DimNamer::DimNamer(const Problem& problem, Diagnostics* faults) : names_(problem.dims.size()) {
  const auto is_free = [this](const std::string& name) {
    return std::find(names_.begin(), names_.end(), name) == names_.end();
  };
  for (DimId d : Ids(problem.dims)) {
    const std::string& name = problem.dims[d].name;
    if (name.size() == 1 && IsLetter(name[0])) names_[d] = name;
  }
  for (DimId d : Ids(problem.dims)) {
    if (!names_[d].empty()) continue;
    std::string candidates;
    for (const char c : problem.dims[d].name) {
      if (IsLetter(c)) candidates += static_cast<char>(c >= 'a' ? c - 'a' + 'A' : c);
    }
    candidates += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (const char c : candidates) {
      if (names_[d].empty() && is_free(std::string(1, c))) names_[d] = std::string(1, c);
    }
    if (names_[d].empty()) {
      faults->push_back(MakeError({}, "the problem has more dimensions than there are letters",
                                  "Timeloop's dimensions have names of one letter"));
      return;
    }
  }
}

std::string DimNamer::Of(const Problem& problem, std::string_view dim) const {
  const auto id = FindDim(problem, dim);
  return id ? names_[*id] : std::string(dim);
}

std::string DimNamer::Comment(const Problem& problem) const {
  std::string renamed;
  for (DimId d : Ids(problem.dims)) {
    if (names_[d] == problem.dims[d].name) continue;
    renamed += fmt::format("{}{} is {}", renamed.empty() ? "" : ", ", names_[d],
                           Printable(problem.dims[d].name));
  }
  return renamed.empty() ? "" : "# Dimensions are renamed to single letters: " + renamed + "\n";
}

std::string Scalar(std::string_view text) {
  const bool plain =
      !text.empty() && (IsLetter(text.front()) || text.front() == '_') && !IsReserved(text) &&
      std::all_of(text.begin(), text.end(), [](char c) {
        return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
      });
  // One-letter names of dimensions stay plain: every Timeloop file writes N and Y like that.
  if (plain || (text.size() == 1 && IsLetter(text.front()))) return std::string(text);
  return DoubleQuoted(text);
}

std::string FlowList(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const std::string& item : items) text += (text.size() > 1 ? ", " : "") + Scalar(item);
  return text + "]";
}

}  // namespace timeloop

namespace {

// What holds of a file without a problem.
std::string TensorsComment(const Architecture& architecture) {
  std::string names;
  for (const std::string& name : timeloop::TensorsOf(architecture, nullptr)) {
    names += (names.empty() ? "" : ", ") + Printable(name);
  }
  return fmt::format("# For problems with the data spaces {}\n", names);
}

}  // namespace

Result<std::string> WriteTimeloop(const Problem* problem, const Architecture* architecture,
                                  const Mapping* mapping, TimeloopVersion version) {
  INLAY_CHECK(mapping == nullptr || (problem != nullptr && architecture != nullptr));
  Diagnostics faults;
  std::string text;
  std::optional<timeloop::DimNamer> namer;
  if (problem != nullptr) {
    namer.emplace(*problem, &faults);
    if (!faults.empty()) return Fail(std::move(faults));
    text += namer->Comment(*problem) + timeloop::WriteProblem(*problem, *namer, version);
  }
  if (architecture != nullptr) {
    const auto form = timeloop::FormOf(*architecture, problem, &faults);
    if (problem == nullptr) text += TensorsComment(*architecture);
    text += timeloop::WriteArchitecture(form.architecture, problem, version, &faults);
    text += timeloop::WriteConstraints(form, problem, namer ? &*namer : nullptr, version, &faults);
  }
  if (mapping != nullptr) {
    text += timeloop::WriteMapping(*problem, *architecture, *mapping, *namer, &faults);
  }
  if (!faults.empty()) return Fail(std::move(faults));
  return text;
}

Result<std::string> WriteTimeloopMapping(const Problem& problem, const Architecture& architecture,
                                         const Mapping& mapping) {
  Diagnostics faults;
  const timeloop::DimNamer namer(problem, &faults);
  if (!faults.empty()) return Fail(std::move(faults));
  std::string text = namer.Comment(problem) +
                     timeloop::WriteMapping(problem, architecture, mapping, namer, &faults);
  if (!faults.empty()) return Fail(std::move(faults));
  return text;
}

Result<TimeloopDirectives> TimeloopMappingOf(const Problem& problem,
                                             const Architecture& architecture,
                                             const Mapping& mapping) {
  Diagnostics faults;
  const timeloop::DimNamer namer(problem, &faults);
  if (!faults.empty()) return Fail(std::move(faults));
  auto directives = timeloop::MappingDirectives(problem, architecture, mapping, namer, &faults);
  if (!faults.empty()) return Fail(std::move(faults));
  return directives;
}

}  // namespace inlay::io
