#include "inlay/core/fused_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "inlay/core/fused_box.h"
#include "inlay/core/fused_op.h"
#include "inlay/core/fused_part.h"

namespace inlay {
namespace {

// Groups of dimensions of nodes that become one; no node has two of a group.
class DimGroups {
 public:
  size_t Add(size_t node) {
    parent_.push_back(parent_.size());
    nodes_.push_back({node});
    return parent_.size() - 1;
  }
  size_t Find(size_t dim) const {
    while (parent_[dim] != dim) dim = parent_[dim];
    return dim;
  }
  void Join(size_t a, size_t b) {
    a = Find(a);
    b = Find(b);
    if (a == b) return;
    std::vector<size_t> both;
    std::set_intersection(nodes_[a].begin(), nodes_[a].end(), nodes_[b].begin(), nodes_[b].end(),
                          std::back_inserter(both));
    if (!both.empty()) return;
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    nodes_[a].insert(nodes_[b].begin(), nodes_[b].end());
  }

 private:
  std::vector<size_t> parent_;
  std::vector<std::set<size_t>> nodes_;
};

// Names as files have them, each once.
class Names {
 public:
  std::string Take(std::string_view name) {
    std::string usable;
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      const bool may = byte > 0x20 && byte != 0x7f && c != ',' && c != '"' && c != '\'' &&
                       c != '[' && c != ']' && c != '{' && c != '}' && c != ':' && c != '#';
      usable += may ? c : '_';
    }
    static const std::set<std::string, std::less<>> reserved = {
        "", "all", "none", "for", "parallel", "hold", "retain", "branch"};
    if (reserved.contains(usable)) usable += "_";
    std::string unique = usable;
    for (int i = 2; !taken_.insert(unique).second; ++i) unique = fmt::format("{}{}", usable, i);
    return unique;
  }

 private:
  std::set<std::string> taken_;
};

class GraphReader {
 public:
  explicit GraphReader(const Graph& graph) : graph_(graph), last_(graph.values.size()) {}

  tl::expected<FusedGraph, Faults> Read() && {
    result_.problem.name = graph_.name;
    for (NodeId n : Ids(graph_.nodes)) {
      if (InfoOf(graph_.nodes[n].op).op_class != OpClass::kView) AddNode(n);
    }
    if (result_.problem.nodes.empty()) return tl::unexpected(NoNodes());
    PartReaders();
    JoinDims();
    NameDims();
    AddOutputs();
    Faults faults = Validate(result_.problem);
    if (!faults.empty()) return tl::unexpected(std::move(faults));
    return std::move(result_);
  }

 private:
  // The words of a value, along its dimensions of several words: one tensor of the problem.
  using TensorKey = std::pair<ValueId, Shape>;

  Faults NoNodes() const {
    std::string message = "no node of the network can be fused";
    if (!result_.left_out.empty()) {
      const FusedGraph::LeftOut& first = result_.left_out.front();
      message += fmt::format(": '{}' {}", graph_.nodes[first.node].name, first.reason);
    }
    return {{"nodes", std::move(message),
             "nodes that can are convolutions, products, elementwise ones, softmaxes, norms and "
             "poolings"}};
  }

  void AddNode(NodeId n) {
    const GraphNode& node = graph_.nodes[n];
    // The last node of the problem that something depends on.
    std::optional<size_t> before;
    const auto op = FusedOpOf(graph_, node);
    if (!op) {
      for (const ValueId v : node.inputs) before = std::max(before, last_[StorageOf(graph_, v)]);
      for (const ValueId v : node.outputs) last_[v] = before;
      for (const ValueId v : node.inputs) read_outside_.insert(StorageOf(graph_, v));
      result_.left_out.push_back({n, op.error()});
      return;
    }
    const NodeId self(result_.problem.nodes.size());
    FusedNode fused;
    fused.name = node_names_.Take(node.name);
    const size_t first_dim = dims_.size();
    for (const Dimension& dim : op->dims) {
      groups_.Add(self.value());
      dims_.push_back(dim);
    }
    const auto global = [first_dim](DimId d) { return DimId(first_dim + d.value()); };
    std::set<ValueId> direct;  // what it reads as the problem says
    for (const FusedOp::Use& use : op->uses) {
      FusedOperand operand{TensorOf(use, self), use.ranks, use.is_output, use.borders};
      for (Rank& rank : operand.ranks) {
        for (Term& term : rank.terms) term.dim = global(term.dim);
      }
      if (!use.is_output && IsDirect(use, operand.tensor, self)) {
        direct.insert(StorageOf(graph_, use.value));
      }
      fused.operands.push_back(std::move(operand));
    }
    if (op->softmax) fused.softmax = global(*op->softmax);
    if (op->rows) fused.rows = global(*op->rows);
    result_.problem.nodes.push_back(std::move(fused));
    result_.graph_nodes.push_back(n);
    for (const ValueId v : node.inputs) {
      if (!direct.contains(StorageOf(graph_, v))) {
        before = std::max(before, last_[StorageOf(graph_, v)]);
      }
    }
    result_.earliest.push_back(NodeId(before ? *before + 1 : 0));
    for (const ValueId v : node.outputs) last_[v] = self.value();
  }

  TensorId TensorOf(const FusedOp::Use& use, NodeId node) {
    const ValueId storage = StorageOf(graph_, use.value);
    const auto [at, is_new] = tensors_.try_emplace({storage, use.words});
    if (is_new) {
      at->second = TensorId(result_.problem.tensors.size());
      result_.problem.tensors.push_back(tensor_names_.Take(graph_.values[use.value].name));
      result_.storages.push_back(storage);
    }
    if (use.is_output) {
      written_[storage] = {at->second, node};
    }
    return at->second;
  }

  // Whether the tensor is the one that its writer, if a node of the problem, makes.
  bool IsDirect(const FusedOp::Use& use, TensorId tensor, NodeId reader) {
    const auto written = written_.find(StorageOf(graph_, use.value));
    if (written == written_.end()) return false;
    if (written->second.first == tensor) return true;
    read_outside_.insert(written->first);
    const auto& [made, writer] = written->second;
    result_.separated.push_back(
        {writer, reader, result_.problem.tensors[made], "is read by another shape"});
    return false;
  }

  // Readers that together leave words of a tensor out, as windows with large strides may.
  void PartReaders() {
    FusedProblem& problem = result_.problem;
    problem.dims = dims_;
    const FusedDomain whole = WholeDomain(problem);
    const size_t count = problem.tensors.size();
    for (size_t i = 0; i < count; ++i) {
      const TensorId t(i);
      const auto writer = WriterOf(problem, t);
      const auto readers = ReadersOf(problem, t);
      if (!writer || readers.empty()) continue;
      const FusedBox made = Touched(*OperandOf(problem.nodes[*writer], t), whole);
      FusedBox touched = Touched(*OperandOf(problem.nodes[readers.front()], t), whole);
      for (const NodeId reader : readers) {
        touched = Hull(touched, Touched(*OperandOf(problem.nodes[reader], t), whole));
      }
      if (touched == made) continue;
      const TensorId other(problem.tensors.size());
      problem.tensors.push_back(tensor_names_.Take(problem.tensors[t]));
      result_.storages.push_back(ValueId(result_.storages[t]));
      read_outside_.insert(result_.storages[t]);
      for (const NodeId reader : readers) {
        for (FusedOperand& operand : problem.nodes[reader].operands) {
          if (operand.tensor == t) operand.tensor = other;
        }
        NodeId& earliest = result_.earliest[reader];
        earliest = std::max(earliest, NodeId(writer->value() + 1));
        result_.separated.push_back(
            {*writer, reader, problem.tensors[t], "is not read as a whole"});
      }
    }
  }

  // Dimensions that go through all of one rank, word by word.
  void JoinDims() {
    FusedProblem& problem = result_.problem;
    std::map<std::pair<TensorId, size_t>, DimId> first;
    for (const FusedNode& node : problem.nodes) {
      for (const FusedOperand& operand : node.operands) {
        for (size_t r = 0; r < operand.ranks.size(); ++r) {
          const std::vector<Term>& terms = operand.ranks[r].terms;
          const bool bordered = !operand.borders.empty() && operand.borders[r].before > 0;
          if (terms.size() != 1 || terms.front().coefficient != 1 || bordered) continue;
          const auto [at, is_new] = first.try_emplace({operand.tensor, r}, terms.front().dim);
          if (is_new || dims_[at->second].bound != dims_[terms.front().dim].bound) continue;
          groups_.Join(at->second.value(), terms.front().dim.value());
        }
      }
    }
  }

  void NameDims() {
    FusedProblem& problem = result_.problem;
    problem.dims = {};
    Names names;
    IndexedVector<DimId, DimId> number(dims_.size());
    for (DimId d : Ids(dims_)) {
      const size_t group = groups_.Find(d.value());
      if (group == d.value()) {
        number[d] = DimId(problem.dims.size());
        problem.dims.push_back({names.Take(dims_[d].name), dims_[d].bound});
      } else {
        number[d] = number[DimId(group)];  // the first of the group
      }
    }
    for (FusedNode& node : problem.nodes) {
      for (FusedOperand& operand : node.operands) {
        for (Rank& rank : operand.ranks) {
          for (Term& term : rank.terms) term.dim = number[term.dim];
        }
      }
      if (node.softmax) node.softmax = number[*node.softmax];
      if (node.rows) node.rows = number[*node.rows];
    }
  }

  void AddOutputs() {
    FusedProblem& problem = result_.problem;
    for (const ValueId v : graph_.outputs) read_outside_.insert(StorageOf(graph_, v));
    for (TensorId t : Ids(problem.tensors)) {
      if (read_outside_.contains(result_.storages[t]) && WriterOf(problem, t) &&
          !ReadersOf(problem, t).empty()) {
        problem.outputs.push_back(t);
      }
    }
  }

  const Graph& graph_;
  FusedGraph result_;
  IndexedVector<DimId, Dimension> dims_;  // of all nodes
  DimGroups groups_;
  Names node_names_, tensor_names_;
  std::map<TensorKey, TensorId> tensors_;
  std::map<ValueId, std::pair<TensorId, NodeId>> written_;  // by storage
  std::set<ValueId> read_outside_;                          // of the problem
  // By value: the last node of the problem that it depends on.
  IndexedVector<ValueId, std::optional<size_t>> last_;
};

}  // namespace

tl::expected<FusedGraph, Faults> FusedGraphOf(const Graph& graph) {
  return GraphReader(graph).Read();
}

FusedGraph NodesBetween(const FusedGraph& graph, NodeId first, NodeId last) {
  FusedGraph some;
  FusedPart part = PartOf(graph.problem, first, NodeId(last.value() + 1));
  for (const TensorId t : part.tensors) {
    if (!graph.storages.empty()) some.storages.push_back(graph.storages[t]);
  }
  some.problem = std::move(part.problem);
  const auto number = [first](NodeId n) {
    return NodeId(n > first ? n.value() - first.value() : 0);
  };
  for (NodeId n = first; n <= last; ++n) {
    if (!graph.graph_nodes.empty()) some.graph_nodes.push_back(graph.graph_nodes[n]);
    if (!graph.earliest.empty()) some.earliest.push_back(number(graph.earliest[n]));
  }
  for (const FusedGraph::LeftOut& out : graph.left_out) {
    if (graph.graph_nodes[first] < out.node && out.node < graph.graph_nodes[last]) {
      some.left_out.push_back(out);
    }
  }
  for (const FusedGraph::Separated& one : graph.separated) {
    if (one.writer >= first && one.reader <= last) {
      some.separated.push_back({number(one.writer), number(one.reader), one.tensor, one.reason});
    }
  }
  return some;
}

}  // namespace inlay
