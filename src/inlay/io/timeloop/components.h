#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/io/timeloop/expression.h"
#include "inlay/io/timeloop/fields.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

// One storage level, or the compute units, as a file describes it, before its attributes are
// understood. All forms of a Timeloop architecture come down to a list of these, outer to inner.
struct Component {
  enum class Kind {
    kStorage,
    kCompute,
    kFanout,  // of a container in the 0.4 form: a level that holds nothing, inter_…_spatial
  };
  Kind kind = Kind::kStorage;
  std::string name;  // without the range of instances
  std::string class_name;
  std::string subclass_name;               // what Accelergy prices instead; may be empty
  const Node* node = nullptr;              // its place
  const Node* attributes = nullptr;        // a mapping; nullptr: none
  std::vector<const Node*> inherited;      // attributes of what encloses it, outer to inner
  Scope scope;                             // for expressions: variables, inherited, own attributes
  const Node* definition = nullptr;        // of its compound class, in the files; nullptr: none
  bool takes_any_attribute = false;        // its subclass is not defined in the files
  int64_t mesh_x = 1, mesh_y = 1;          // instances of the whole machine along each axis
  const Node* constraints = nullptr;       // of the node itself (0.4 form)
  std::vector<std::string> kept_by_peers;  // tensors that the other branches of a !Parallel keep
};

// What a form needs to know besides its own section.
struct ComponentContext {
  Scope variables;
  std::map<std::string, const Node*> compound_classes;  // what defines them, by their names
};

// 2019: {arithmetic: …, storage: [innermost, …]}.
std::vector<Component> ReadFlatForm(const Node& section, const ComponentContext& context,
                                    Report* report);
// 0.2, 0.3 and what timeloopfe writes: subtree and local.
std::vector<Component> ReadTreeForm(const Node& section, const ComponentContext& context,
                                    Report* report);
// 0.4: nodes with tags !Container, !Component, !Parallel, …
std::vector<Component> ReadNodesForm(const Node& section, const ComponentContext& context,
                                     Report* report);

// "PE[0..167]" is 168 of PE.
struct RangedName {
  std::string name;
  int64_t count = 1;
};
std::optional<RangedName> ParseRangedName(std::string_view text);

enum class ClassKind { kStorage, kCompute, kNetwork, kNothing, kUnknown };
ClassKind ClassifyClass(std::string_view class_name);

// Looks up the compound class of a component, by its subclass before its class.
void FindDefinition(const ComponentContext& context, Component* component);

// Says that what a component has for sparse tensors is not modelled; null: it has none.
void WarnOfSparse(const Node* sparse, Report* report);

// Says that a class is none of Timeloop's.
void ReportUnknownClass(const Node& at, std::string_view class_name, Report* report);

// Whether a storage component is what timeloopfe makes of a container with a fan-out.
bool IsLoweredContainer(const Component& component);

// The mesh of a component from its attributes instances, meshX and meshY, as far as they are given,
// and from the number of instances that its place in the tree implies.
void ResolveMesh(Component* component, std::optional<int64_t> implied, Report* report);

}  // namespace inlay::io::timeloop
