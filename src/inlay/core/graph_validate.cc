#include <set>
#include <string>

#include "inlay/core/element_bits.h"
#include "inlay/core/graph.h"

namespace inlay {
namespace {

class GraphChecker {
 public:
  explicit GraphChecker(const Graph& graph) : graph_(graph) {}

  Faults Check() {
    if (graph_.nodes.empty()) Add("nodes", "the network has no nodes");
    CheckValues();
    CheckNodes();
    if (graph_.outputs.empty()) Add("outputs", "the network has no outputs");
    for (ValueId v : graph_.outputs) {
      if (!IsReady(v)) Add("outputs", "nothing writes the output '" + graph_.values[v].name + "'");
    }
    return std::move(faults_);
  }

 private:
  void Add(std::string where, std::string message, std::string hint = "") {
    faults_.push_back({std::move(where), std::move(message), std::move(hint)});
  }

  void CheckValues() {
    std::set<std::string> names;
    ready_.assign(graph_.values.size(), 0);
    for (ValueId v : Ids(graph_.values)) {
      const Value& value = graph_.values[v];
      const std::string where = "values." + value.name;
      if (!names.insert(value.name).second) {
        Add(where, "there are two tensors '" + value.name + "'");
      }
      bool negative = false;
      for (const int64_t extent : value.shape) negative = negative || extent < 0;
      if (negative) {
        Add(where, "tensor '" + value.name + "' has a negative extent");
      } else if (!WordsOf(value.shape)) {
        Add(where, "tensor '" + value.name + "' has more words than 64 bits can count");
      }
      if (value.role != ValueRole::kActivation) ready_[v] = 1;
      CheckAlias(v, where);
    }
  }

  void CheckAlias(ValueId v, const std::string& where) {
    const Value& value = graph_.values[v];
    if (!value.alias_of) return;
    if (value.alias_of->value() >= v.value()) {
      return Add(where, "tensor '" + value.name + "' is a view of a later one");
    }
    const Value& original = graph_.values[*value.alias_of];
    if (WordsOf(original.shape) == WordsOf(value.shape)) return;
    Add(where, "view '" + value.name + "' has other words than '" + original.name + "'",
        "a view has another shape of the same size");
  }

  bool IsReady(ValueId v) const { return ready_[v] != 0; }

  void CheckNodes() {
    std::set<std::string> names;
    for (const GraphNode& node : graph_.nodes) {
      const std::string where = "nodes." + node.name;
      if (!names.insert(node.name).second) Add(where, "there are two nodes '" + node.name + "'");
      for (ValueId v : node.inputs) {
        if (IsReady(v)) continue;
        Add(where, "node '" + node.name + "' reads '" + graph_.values[v].name +
                       "', which nothing before it writes");
      }
      if (node.outputs.empty()) Add(where, "node '" + node.name + "' has no output");
      for (ValueId v : node.outputs) {
        if (IsReady(v)) {
          Add(where, "node '" + node.name + "' writes '" + graph_.values[v].name +
                         "', which has its words already");
        }
        ready_[v] = 1;
      }
      CheckOperator(node, where);
    }
  }

  void CheckOperator(const GraphNode& node, const std::string& where) {
    const OpClass op_class = InfoOf(node.op).op_class;
    if (op_class == OpClass::kView) {
      const bool one_to_one = node.inputs.size() == 1 && node.outputs.size() == 1;
      if (!one_to_one || graph_.values[node.outputs.front()].alias_of != node.inputs.front()) {
        Add(where, "view '" + node.name + "' must have one input and one output");
      }
    }
    for (ValueId v : node.outputs) {
      if (graph_.values[v].alias_of && op_class != OpClass::kView) {
        Add(where, "node '" + node.name + "' writes '" + graph_.values[v].name +
                       "', whose words are another tensor's");
      }
    }
    if ((op_class == OpClass::kCompute) == node.works.empty()) {
      Add(where, "node '" + node.name + "' must " + (node.works.empty() ? "" : "not ") +
                     "have problems to solve");
    }
    for (const Work& work : node.works) {
      for (Fault fault : Validate(work.problem)) {
        fault.where = where + "." + fault.where;
        fault.message = "node '" + node.name + "': " + fault.message;
        faults_.push_back(std::move(fault));
      }
    }
  }

  const Graph& graph_;
  IndexedVector<ValueId, uint8_t> ready_;  // has its words: given, or written by now
  Faults faults_;
};

}  // namespace

Faults Validate(const Graph& graph) {
  Faults faults = GraphChecker(graph).Check();
  if (!faults.empty() || graph.bits.empty()) return faults;
  if (auto bits = BitsOfValues(graph, graph.bits); !bits) faults = std::move(bits.error());
  for (Fault& fault : faults) fault.message.insert(0, "bits: ");
  return faults;
}

}  // namespace inlay
