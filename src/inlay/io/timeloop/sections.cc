#include "inlay/io/timeloop/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "inlay/base/suggest.h"

namespace inlay::io::timeloop {
namespace {

enum class Kind {
  kProblem,
  kShape,
  kArchitecture,
  kMapping,
  kErt,
  kVariables,
  kComponents,
  kConstraints,
  kMapper,   // options of Timeloop's own search: not read, with a warning
  kSparse,   // not modelled, said in a warning
  kIgnored,  // has no effect on the model: areas, summaries, marks of the front end
};

struct SectionName {
  std::string_view name;
  Kind kind;
};

constexpr std::array<SectionName, 30> kSections = {{
    {"problem", Kind::kProblem},
    {"shape", Kind::kShape},
    {"architecture", Kind::kArchitecture},
    {"arch", Kind::kArchitecture},
    {"mapping", Kind::kMapping},
    {"ERT", Kind::kErt},
    {"variables", Kind::kVariables},
    {"components", Kind::kComponents},
    {"compound_components", Kind::kComponents},
    {"architecture_constraints", Kind::kConstraints},
    {"arch_constraints", Kind::kConstraints},
    {"mapspace_constraints", Kind::kConstraints},
    {"mapspace", Kind::kConstraints},
    {"constraints", Kind::kConstraints},
    {"mapper", Kind::kMapper},
    {"sparse_optimizations", Kind::kSparse},
    {"layout", Kind::kSparse},
    {"ART", Kind::kIgnored},
    {"ERT_summary", Kind::kIgnored},
    {"ART_summary", Kind::kIgnored},
    {"globals", Kind::kIgnored},
    {"model", Kind::kIgnored},
    {"dumped_by_timeloop_front_end", Kind::kIgnored},
    {"name", Kind::kIgnored},
    {"version", Kind::kIgnored},
    {"action_counts", Kind::kIgnored},
    {"primitive_components", Kind::kIgnored},
    {"energy_estimation", Kind::kIgnored},
    {"area_estimation", Kind::kIgnored},
    {"jinja_parse_data", Kind::kIgnored},
}};

constexpr SectionName kMoreConstraints = {"constraints", Kind::kConstraints};

// Of a name that ends so: it holds anchors that other sections refer to.
constexpr SectionName kAnchors = {"ignore", Kind::kIgnored};

// Timeloop's front end takes whatever has 'constraints' in its name for those.
const SectionName* FindSection(std::string_view name) {
  if (name.ends_with("_ignore") || name == "ignore") return &kAnchors;
  const auto found = std::find_if(kSections.begin(), kSections.end(),
                                  [name](const SectionName& s) { return s.name == name; });
  if (found != kSections.end()) return &*found;
  return name.find("constraints") == std::string_view::npos ? nullptr : &kMoreConstraints;
}

std::vector<std::string> SectionNames() {
  std::vector<std::string> names;
  names.reserve(kSections.size());
  for (const SectionName& section : kSections) names.emplace_back(section.name);
  return names;
}

// What Timeloop's front end writes where there is nothing: [], {version: 0.4, tables: []}.
bool IsEmptySection(const Node& value) {
  if (value.IsNull()) return true;
  if (value.IsSequence()) return value.items.empty();
  return value.IsMapping() &&
         std::all_of(value.entries.begin(), value.entries.end(), [](const auto& entry) {
           return entry.first.text == "version" || IsEmptySection(entry.second);
         });
}

// Sorts the sections of the documents into a Sections value.
class Sorter {
 public:
  Sorter(Sections* sections, Report* report) : sections_(sections), report_(report) {}

  void Add(const Node& document) {
    if (document.IsNull()) return;
    if (sections_->first == nullptr) sections_->first = &document;
    if (!document.IsMapping()) {
      report_->Error(document, "a Timeloop file must be a mapping of sections",
                     "such as 'problem: …' and 'architecture: …'");
      return;
    }
    for (const auto& [key, value] : document.entries) AddSection(key, value);
  }

  // Of several files with the same section, it says so once.
  void Finish() {
    std::vector<std::string> twice;
    for (const auto& [slot, keys] : more_) {
      const Node& first = *places_[slot];
      const Node& second = *keys.front();
      if (second.source->name == first.source->name && second.line == first.line &&
          second.column == first.column) {
        if (Has(twice, first.source->name)) continue;
        twice.push_back(first.source->name);
        report_->errors.push_back(MakeError({first.source->name, 0, 0}, "this file is given twice",
                                            "give each file once"));
        continue;
      }
      report_->Error(
          *keys.front(),
          fmt::format("a second '{}' section{}; the first is at {}:{}:{}", keys.front()->text,
                      keys.size() == 1 ? "" : fmt::format(", and {} more", keys.size() - 1),
                      first.source->name, first.line, first.column),
          "name each section in one file only");
    }
  }

 private:
  void AddSection(const Node& key, const Node& value) {
    const std::string name = Normalise(key.text);
    const SectionName* section = FindSection(name);
    if (section == nullptr) {
      report_->Error(key, fmt::format("unknown section '{}'", key.text),
                     SuggestionHint(name, SectionNames()));
      return;
    }
    if (value.IsNull()) return;
    const Node* again = value.IsMapping() ? value.Find(key.text) : nullptr;
    if (again != nullptr && section->kind != Kind::kIgnored && section->kind != Kind::kVariables) {
      report_->Error(key, fmt::format("'{0}' holds another '{0}'", key.text),
                     again->source == key.source
                         ? "write its keys without the second name"
                         : fmt::format("the whole of '{0}' is included; give the key of what to "
                                       "include: include('{0}', '{1}')",
                                       PathFrom(key, again->source->name), key.text));
      return;
    }
    const bool one = section->kind == Kind::kProblem || section->kind == Kind::kShape ||
                     section->kind == Kind::kArchitecture;
    if (one && value.IsSequence()) return ReportList(key, value);
    switch (section->kind) {
      case Kind::kProblem:
        return AddOnce(key, value, &sections_->problem);
      case Kind::kShape:
        return AddOnce(key, value, &sections_->shape);
      case Kind::kArchitecture:
        return AddOnce(key, value, &sections_->architecture);
      case Kind::kMapping:
        if (IsEmptySection(value)) return;
        return AddOnce(key, value, &sections_->mapping);
      case Kind::kErt:
        if (IsEmptySection(value)) return;
        return AddOnce(key, value, &sections_->ert);
      case Kind::kVariables:
        if (value.IsMapping()) sections_->variables.push_back(&value);
        return;
      case Kind::kComponents:
        sections_->components.push_back(&value);
        return;
      case Kind::kConstraints:
        sections_->constraints.push_back(&value);
        return;
      case Kind::kMapper:
        report_->Warn(key, "the options of Timeloop's mapper are not used");
        return;
      case Kind::kSparse:
        report_->Warn(key, fmt::format("'{}' is not modelled", key.text),
                      "counts and energies are those of dense tensors");
        return;
      case Kind::kIgnored:
        return;
    }
  }

  // The path of a file as the file of a node would include it.
  static std::string PathFrom(const Node& node, const std::string& name) {
    const auto folder = std::filesystem::path(node.source->name).parent_path();
    const std::string path =
        std::filesystem::path(name).lexically_relative(folder.empty() ? "." : folder).string();
    return path.empty() ? name : path;
  }

  void ReportList(const Node& key, const Node& list) {
    constexpr size_t kMostNamed = 5;
    std::vector<std::string> files;
    for (const Node& item : list.items) {
      std::string file = PathFrom(key, item.source->name);
      if (item.source == key.source || Has(files, file)) continue;
      files.push_back(std::move(file));
    }
    std::string names;
    for (size_t i = 0; i < std::min(files.size(), kMostNamed); ++i) {
      names += fmt::format("{}'{}'", i == 0 ? "" : ", ", files[i]);
    }
    if (files.size() > kMostNamed) names += fmt::format(" and {} more", files.size() - kMostNamed);
    report_->Error(
        key,
        fmt::format("'{}' must be a mapping, and is a list of {}", key.text, list.items.size()),
        files.empty() ? "write 'key: value' in it, without '-'"
                      : fmt::format("include_all() makes a list of the values of several files: "
                                    "{}; include() takes that of one",
                                    names));
  }

  static bool Has(const std::vector<std::string>& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  }

  void AddOnce(const Node& key, const Node& value, const Node** slot) {
    if (*slot != nullptr) {
      more_[slot].push_back(&key);
      return;
    }
    *slot = &value;
    places_[slot] = &key;
  }

  Sections* sections_;
  Report* report_;
  std::map<const Node**, const Node*> places_;
  std::map<const Node**, std::vector<const Node*>> more_;  // keys of the same section again
};

}  // namespace

bool IsSectionName(const std::string& normalised) { return FindSection(normalised) != nullptr; }

Result<Sections> ReadSections(const std::vector<Source>& files, const TemplateValues& values,
                              TemplateUse* use, Report* report) {
  Sections sections;
  for (const Source& file : files) {
    auto documents =
        report->Take(IsTemplate(file) ? ReadTemplate(file, values, use) : ParseYaml(file));
    if (!documents) continue;
    for (Node& document : *documents) sections.documents.push_back(std::move(document));
  }
  if (!report->errors.empty()) return Fail(report->errors);
  Sorter sorter(&sections, report);
  for (const Node& document : sections.documents) sorter.Add(document);
  sorter.Finish();
  if (!report->errors.empty()) return Fail(report->errors);
  return sections;
}

}  // namespace inlay::io::timeloop
