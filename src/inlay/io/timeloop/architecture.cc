#include "inlay/io/timeloop/architecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "inlay/io/timeloop/energy.h"
#include "inlay/io/timeloop/storage.h"
#include "inlay/io/timeloop/targets.h"

namespace inlay::io::timeloop {
namespace {

// The classes that files define, at any depth of lists and mappings.
void CollectClasses(const Node& node, std::map<std::string, const Node*>* classes) {
  for (const Node& item : node.items) CollectClasses(item, classes);
  for (const auto& [key, value] : node.entries) {
    if (key.text == "name" && value.IsScalar()) classes->emplace(value.text, &node);
    if (key.text == "classes") CollectClasses(value, classes);
  }
}

// "0.4" of 0.4, "0.4" and 0.40.
std::string VersionOf(const Node& section) {
  const Node* version = section.Find("version");
  if (version == nullptr || !version->IsScalar()) return "";
  return version->text.substr(0, 3);
}

std::vector<Component> ReadComponents(const Node& section, const ComponentContext& context,
                                      ArchitectureFile* file, Report* report) {
  const std::string version = VersionOf(section);
  if (section.Find("nodes") != nullptr) {
    file->format = "timeloop-0.4";
    file->is_nodes = true;
    return ReadNodesForm(section, context, report);
  }
  if (section.Find("subtree") != nullptr) {
    file->format = "timeloop-" + (version.empty() ? "0.3" : version);
    if (version.empty()) {
      report->Warn(section, "the architecture says no version; it is read as 0.3",
                   "Timeloop itself wants 'version: 0.3' here");
    } else if (version != "0.2" && version != "0.3" && version != "0.4") {
      report->Error(section, fmt::format("version '{}' of an architecture is not known", version),
                    "known are 0.2, 0.3 and 0.4");
    }
    return ReadTreeForm(section, context, report);
  }
  file->format = "timeloop-2019";
  return ReadFlatForm(section, context, report);
}

// Fan-outs from the meshes of a level and of what is inside it.
Fanout FanoutBetween(const Component& outer, const Component& inner, Report* report) {
  Fanout fanout;
  const auto divide = [&](const char* axis, int64_t inside, int64_t outside) -> int64_t {
    if (inside % outside == 0) return inside / outside;
    report->Error(*inner.node,
                  fmt::format("{} of '{}' is {}, which is no multiple of the {} of '{}' around it",
                              axis, inner.name, inside, outside, outer.name),
                  "each instance has the same number of children");
    return 1;
  };
  fanout.x = divide("meshX", inner.mesh_x, outer.mesh_x);
  fanout.y = divide("meshY", inner.mesh_y, outer.mesh_y);
  if (fanout.x > 1 || fanout.y > 1) fanout.name = outer.name + "_fanout";
  return fanout;
}

Level ContainerLevel(const Component& component) {
  Level level;
  level.name = component.name;
  level.kind = MemoryKind::kRegister;
  level.energy = AccessEnergy();
  level.bypass = TensorNameSet{true, {}};
  return level;
}

// The name of the file, without folders and the ending; of an "arch.yaml" that of its folder.
std::string StemOf(const Node& section) {
  const std::string& path = section.source->name;
  const size_t slash = path.find_last_of('/');
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  std::string stem = file.substr(0, file.find('.'));
  if (slash == std::string::npos || (stem != "arch" && stem != "architecture")) return stem;
  const std::string folders = path.substr(0, slash);
  const std::string folder = folders.substr(folders.find_last_of('/') + 1);
  return folder.empty() || folder.front() == '.' ? stem : folder;
}

void WarnAboutDefaults(const Node& section, const std::vector<std::string>& names, Report* report) {
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  report->Warn(section,
               fmt::format("no energies for {}: Timeloop's built-in estimates are used", list),
               "give vector_access_energy, or an ERT with read, write and compute");
}

// What core finds wrong, at the component it is about.
void Check(const Architecture& architecture, const std::vector<Component>& components,
           const Node& section, Report* report) {
  for (Fault& fault : Validate(architecture)) {
    const Node* at = &section;
    for (const Component& component : components) {
      const std::string where = "levels." + component.name;
      if (fault.where == where || fault.where.starts_with(where + ".")) at = component.node;
    }
    report->Error(*at, std::move(fault.message), std::move(fault.hint));
  }
}

// Moves the compute to the end; false if there is not exactly one, or no storage.
bool SortComponents(std::vector<Component>* components, const Node& section, Report* report) {
  std::stable_partition(components->begin(), components->end(), [](const Component& component) {
    return component.kind != Component::Kind::kCompute;
  });
  const auto computes = std::count_if(
      components->begin(), components->end(),
      [](const Component& component) { return component.kind == Component::Kind::kCompute; });
  if (computes != 1) {
    report->Error(section, fmt::format("the architecture has {} compute components", computes),
                  "it needs exactly one, of a class such as intmac");
    return false;
  }
  if (components->size() < 2) {
    report->Error(section, "the architecture has no storage level");
    return false;
  }
  return true;
}

Architecture Build(ArchitectureFile* file, const EnergyTables& tables, ClassPrices prices,
                   const Node& section, Report* report) {
  Architecture architecture;
  architecture.name = StemOf(section);
  std::vector<std::string> defaulted;
  for (size_t i = 0; i + 1 < file->components.size(); ++i) {
    const Component& component = file->components[i];
    const bool is_container = component.kind == Component::Kind::kFanout;
    Storage storage = is_container ? Storage{ContainerLevel(component)}
                                   : ReadStorage(component, tables, &prices,
                                                 &architecture.constraints, &defaulted, report);
    Level& level = storage.level;
    if (!is_container) level.keep = TensorNameSet{i == 0, {}};
    level.fanout = FanoutBetween(component, file->components[i + 1], report);
    file->by_class.levels.push_back(is_container ? level
                                                 : AsClass(component, storage.cluster_size, level));
    architecture.levels.push_back(std::move(level));
  }
  const Component& unit = file->components.back();
  architecture.compute = ReadCompute(unit, tables, &prices, &defaulted, report);
  file->by_class.name = architecture.name;
  file->by_class.compute = AsClass(unit, architecture.compute);
  const Component& outermost = file->components.front();
  if (outermost.mesh_x > 1 || outermost.mesh_y > 1) {
    report->Warn(*outermost.node,
                 fmt::format("of the {} × {} instances of '{}', the outermost level, only one is "
                             "used",
                             outermost.mesh_x, outermost.mesh_y, outermost.name),
                 "a mapping cannot spread over instances that no fan-out feeds");
  }
  prices.Warn(section, report);
  WarnAboutDefaults(section, defaulted, report);
  return architecture;
}

}  // namespace

ArchitectureFile ReadArchitecture(const Sections& sections, const Scope& variables,
                                  Report* report) {
  const size_t before = report->errors.size();
  const Node& section = *sections.architecture;
  ArchitectureFile file;
  if (!section.IsMapping()) {
    report->Error(section, "the architecture must be a mapping");
    return file;
  }
  ComponentContext context{variables, {}};
  for (const Node* components : sections.components) {
    CollectClasses(*components, &context.compound_classes);
  }
  file.components = ReadComponents(section, context, &file, report);
  EnergyTables tables;
  if (sections.ert != nullptr) tables = EnergyTables::Read(*sections.ert, variables, report);
  if (report->errors.size() > before) return file;
  if (!SortComponents(&file.components, section, report)) return file;
  Architecture architecture =
      Build(&file, tables, ClassPrices(sections.ert != nullptr), section, report);
  if (report->errors.size() > before) return file;
  Check(architecture, file.components, section, report);
  if (report->errors.size() == before) file.architecture = std::move(architecture);
  return file;
}

}  // namespace inlay::io::timeloop
