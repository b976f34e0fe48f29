#include "inlay/core/fused_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"
#include "inlay/core/fused_box.h"

namespace inlay {
namespace {

std::string NodeWhere(NodeId node) { return fmt::format("nodes[{}]", node.value()); }

// Collects what is wrong with a problem.
class FusedProblemCheck {
 public:
  explicit FusedProblemCheck(const FusedProblem& problem) : problem_(problem) {}

  Faults Run() && {
    CheckDims();
    if (problem_.nodes.empty()) Add("nodes", "the problem has no nodes");
    std::set<std::string> names;
    for (NodeId n : Ids(problem_.nodes)) {
      const FusedNode& node = problem_.nodes[n];
      if (!names.insert(node.name).second) {
        Add(NodeWhere(n), fmt::format("a second node '{}'", node.name), "names tell nodes apart");
      }
      CheckNode(n);
    }
    if (!faults_.empty()) return std::move(faults_);  // the rest needs nodes that are right
    for (TensorId t : Ids(problem_.tensors)) CheckTensor(t);
    CheckOutputs();
    if (faults_.empty()) CheckSize();
    return std::move(faults_);
  }

 private:
  void Add(std::string where, std::string message, std::string hint = "") {
    faults_.push_back({std::move(where), std::move(message), std::move(hint)});
  }

  void CheckDims() {
    for (DimId d : Ids(problem_.dims)) {
      const std::string& name = problem_.dims[d].name;
      const auto has = [&](const FusedNode& node) {
        const auto dims = DimsOf(problem_, node);
        return std::find(dims.begin(), dims.end(), d) != dims.end();
      };
      if (std::any_of(problem_.nodes.begin(), problem_.nodes.end(), has)) continue;
      Add("dims." + name, fmt::format("dimension '{}' is in no tensor", name),
          "leave it out, or use it in a tensor");
    }
  }

  // What is wrong with the node by itself.
  void CheckNode(NodeId n) {
    const FusedNode& node = problem_.nodes[n];
    if (node.operands.empty()) return Add(NodeWhere(n), "the node has no tensors");
    const Faults own = Validate(ProblemOf(problem_, n));
    for (const Fault& fault : own) {
      const bool of_tensor = fault.where.starts_with("tensors.");
      Add(of_tensor ? NodeWhere(n) + "." + fault.where : NodeWhere(n), fault.message, fault.hint);
    }
    if (!own.empty()) return;
    CheckBorders(n);
    const FusedOperand& output = OutputOf(node);
    for (const Rank& rank : output.ranks) {
      if (rank.terms.empty() || rank.terms.front().coefficient == 1) continue;
      Add(OperandWhere(n, output.tensor), "a rank of an output has a coefficient",
          "in the output of a node of 'fused:' every rank is one dimension");
    }
    CheckRows(n, node.softmax, "softmax");
    CheckRows(n, node.rows, "rows");
    if (node.softmax && node.rows) {
      Add(NodeWhere(n) + ".rows", "a node has 'softmax' or 'rows', not both");
    }
  }

  void CheckBorders(NodeId n) {
    for (const FusedOperand& operand : problem_.nodes[n].operands) {
      if (operand.borders.empty()) continue;
      const std::string where = OperandWhere(n, operand.tensor);
      if (operand.is_output) {
        Add(where, "an output has no border", "'pads' are for tensors that the node reads");
        continue;
      }
      if (operand.borders.size() != operand.ranks.size()) {
        Add(where,
            fmt::format("'{}' has {} ranks and borders along {}", problem_.tensors[operand.tensor],
                        operand.ranks.size(), operand.borders.size()),
            "give one number for each rank");
        continue;
      }
      for (const FusedBorder& border : operand.borders) {
        constexpr int64_t kMost = int64_t{1} << 31;
        if (border.before >= 0 && border.before < kMost && border.words >= 1 &&
            border.words < kMost) {
          continue;
        }
        Add(where, fmt::format("a border of {} around {} words", border.before, border.words),
            fmt::format("numbers are below {}", kMost));
      }
    }
  }

  void CheckRows(NodeId n, std::optional<DimId> dim, const char* key) {
    const FusedNode& node = problem_.nodes[n];
    if (!dim || (!IsReduced(node, *dim))) return;
    Add(NodeWhere(n) + "." + key,
        fmt::format("'{}' is no dimension of the output of '{}'", problem_.dims[*dim].name,
                    node.name),
        "name the dimension along which the rows lie");
  }

  std::string OperandWhere(NodeId n, TensorId t) const {
    return NodeWhere(n) + ".tensors." + problem_.tensors[t];
  }

  // Whether nodes agree about a tensor.
  void CheckTensor(TensorId t) {
    std::optional<NodeId> writer, first;
    bool same_ranks = true;
    for (NodeId n : Ids(problem_.nodes)) {
      const FusedOperand* operand = OperandOf(problem_.nodes[n], t);
      if (operand == nullptr) continue;
      if (!first) first = n;
      const size_t ranks = OperandOf(problem_.nodes[*first], t)->ranks.size();
      if (operand->ranks.size() != ranks) {
        same_ranks = false;
        Add(OperandWhere(n, t),
            fmt::format("'{}' has {} ranks here and {} in '{}'", problem_.tensors[t],
                        operand->ranks.size(), ranks, problem_.nodes[*first].name),
            "write '0' for a rank of one word");
      }
      if (!operand->is_output) continue;
      if (writer) {
        Add(OperandWhere(n, t),
            fmt::format("'{}' is written by '{}' already", problem_.tensors[t],
                        problem_.nodes[*writer].name),
            "a tensor has one writer");
      } else if (*first != n) {
        Add(OperandWhere(n, t),
            fmt::format("'{}' is read by '{}', which comes before", problem_.tensors[t],
                        problem_.nodes[*first].name),
            "list the nodes in an order in which they can run");
      }
      writer = n;
    }
    if (same_ranks) CheckExtents(t);
    if (writer && same_ranks) CheckReaders(t, *writer);
  }

  // Nodes that read a tensor with borders say alike how large it is.
  void CheckExtents(TensorId t) {
    const FusedOperand* first = nullptr;
    for (NodeId n : Ids(problem_.nodes)) {
      const FusedOperand* operand = OperandOf(problem_.nodes[n], t);
      if (operand == nullptr || operand->borders.empty()) continue;
      if (first == nullptr) first = operand;
      for (size_t r = 0; r < operand->borders.size(); ++r) {
        if (operand->borders[r].words == first->borders[r].words) continue;
        Add(OperandWhere(n, t),
            fmt::format("rank {} of '{}' has {} words here and {} before", r + 1,
                        problem_.tensors[t], operand->borders[r].words, first->borders[r].words));
      }
    }
  }

  // The readers of an intermediate together touch what its writer makes.
  void CheckReaders(TensorId t, NodeId writer) {
    const std::vector<NodeId> readers = ReadersOf(problem_, t);
    if (readers.empty()) return;
    const FusedDomain whole = WholeDomain(problem_);
    const FusedBox made = Touched(*OperandOf(problem_.nodes[writer], t), whole);
    FusedBox touched = Touched(*OperandOf(problem_.nodes[readers.front()], t), whole);
    for (const NodeId reader : readers) {
      touched = Hull(touched, Touched(*OperandOf(problem_.nodes[reader], t), whole));
    }
    for (size_t r = 0; r < made.size(); ++r) {
      if (made[r] == touched[r]) continue;
      Add(OperandWhere(readers.back(), t),
          fmt::format("rank {} of '{}' has {} words where '{}' writes it, and its readers touch {}",
                      r + 1, problem_.tensors[t], made[r].hi, problem_.nodes[writer].name,
                      touched[r].hi),
          fmt::format("make both the same, for example by another bound of the dimension in '{}'",
                      problem_.nodes[writer].name));
    }
  }

  void CheckOutputs() {
    std::set<TensorId> seen;
    for (const TensorId t : problem_.outputs) {
      const std::string& name = problem_.tensors[t];
      const std::string where = "outputs." + name;
      if (!seen.insert(t).second) Add(where, fmt::format("'{}' is listed twice", name));
      if (!WriterOf(problem_, t)) {
        Add(where, fmt::format("no node writes '{}'", name),
            "outputs are tensors that a node writes and another one reads");
      } else if (ReadersOf(problem_, t).empty()) {
        Add(where, fmt::format("no node reads '{}'", name),
            "it is an output in any case; list those that nodes read as well");
      }
    }
  }

  void CheckSize() {
    std::optional<int64_t> sum = 0;
    for (NodeId n : Ids(problem_.nodes)) {
      sum = sum ? CheckedAdd(*sum, Operations(ProblemOf(problem_, n))) : sum;
    }
    if (!sum) Add("nodes", "the number of operations does not fit into 64 bits");
  }

  const FusedProblem& problem_;
  Faults faults_;
};

template <typename Id, typename Values, typename NameOf>
std::optional<Id> FindByName(const Values& values, std::string_view name, NameOf name_of) {
  for (Id id : Ids(values)) {
    if (name_of(values[id]) == name) return id;
  }
  return std::nullopt;
}

}  // namespace

const Structure& StructureOf(const FusedNode*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&FusedNode::name>("name", "what the tree calls the node",
                              {.required = true, .text = TextForm::kName}),
      ByHand("tensors",
             "how each tensor depends on the dimensions; '+=' after the one that it writes",
             {.required = true}),
      ByHand("pads",
             "tensors that are read with a border of zeros, and how many stand before their words, "
             "rank by rank: a window at place 0 begins with them"),
      ByHand("softmax", "a dimension of the output: the node is a softmax along it"),
      ByHand("rows",
             "a dimension of the output along which the node needs whole rows, as norms do"),
  });
  return DescribeKeys<FusedNode, kKeys>("a node");
}

const Structure& StructureOf(const FusedProblem*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&FusedProblem::name>("name", "what it is called in results"),
      ByHand("dims", "the dimensions of all nodes and their bounds", {.required = true}),
      ByHand("coefficients", "names for numbers (stride, dilation) that the tensors may use"),
      ByHand("shapes", "how many words tensors have, rank by rank, that nodes read with 'pads'"),
      ByHand("nodes", "the nodes, in an order in which they can run", {.required = true}),
      ByHand("outputs", "tensors that nodes read and that are needed outside as well"),
      ByHand("tree", "the fused mapping: holds first, then loops, branches and leaves"),
  });
  return DescribeKeys<FusedProblem, kKeys>("a fused mapping");
}

Faults Validate(const FusedProblem& problem) { return FusedProblemCheck(problem).Run(); }

std::optional<DimId> FindDim(const FusedProblem& problem, std::string_view name) {
  return FindByName<DimId>(problem.dims, name, [](const Dimension& dim) { return dim.name; });
}

std::optional<TensorId> FindTensor(const FusedProblem& problem, std::string_view name) {
  return FindByName<TensorId>(problem.tensors, name,
                              [](const std::string& tensor) { return tensor; });
}

std::optional<NodeId> FindNode(const FusedProblem& problem, std::string_view name) {
  return FindByName<NodeId>(problem.nodes, name, [](const FusedNode& node) { return node.name; });
}

std::vector<std::string> DimNames(const FusedProblem& problem) {
  std::vector<std::string> names;
  for (const Dimension& dim : problem.dims) names.push_back(dim.name);
  return names;
}

std::vector<std::string> NodeNames(const FusedProblem& problem) {
  std::vector<std::string> names;
  for (const FusedNode& node : problem.nodes) names.push_back(node.name);
  return names;
}

const FusedOperand& OutputOf(const FusedNode& node) {
  const auto found = std::find_if(node.operands.begin(), node.operands.end(),
                                  [](const FusedOperand& operand) { return operand.is_output; });
  INLAY_CHECK(found != node.operands.end());  // the problem is valid
  return *found;
}

const FusedOperand* OperandOf(const FusedNode& node, TensorId tensor) {
  for (const FusedOperand& operand : node.operands) {
    if (operand.tensor == tensor) return &operand;
  }
  return nullptr;
}

std::optional<NodeId> WriterOf(const FusedProblem& problem, TensorId tensor) {
  for (NodeId n : Ids(problem.nodes)) {
    const FusedOperand* operand = OperandOf(problem.nodes[n], tensor);
    if (operand != nullptr && operand->is_output) return n;
  }
  return std::nullopt;
}

std::vector<NodeId> ReadersOf(const FusedProblem& problem, TensorId tensor) {
  std::vector<NodeId> readers;
  for (NodeId n : Ids(problem.nodes)) {
    const FusedOperand* operand = OperandOf(problem.nodes[n], tensor);
    if (operand != nullptr && !operand->is_output) readers.push_back(n);
  }
  return readers;
}

bool IsListedOutput(const FusedProblem& problem, TensorId tensor) {
  return std::find(problem.outputs.begin(), problem.outputs.end(), tensor) != problem.outputs.end();
}

std::vector<DimId> DimsOf(const FusedProblem& problem, const FusedNode& node) {
  IndexedVector<DimId, char> has(problem.dims.size(), 0);
  for (const FusedOperand& operand : node.operands) {
    for (const Rank& rank : operand.ranks) {
      for (const Term& term : rank.terms) has[term.dim] = 1;
    }
  }
  std::vector<DimId> dims;
  for (DimId d : Ids(problem.dims)) {
    if (has[d] != 0) dims.push_back(d);
  }
  return dims;
}

bool IsReduced(const FusedNode& node, DimId dim) {
  for (const Rank& rank : OutputOf(node).ranks) {
    for (const Term& term : rank.terms) {
      if (term.dim == dim) return false;
    }
  }
  return true;
}

Problem ProblemOf(const FusedProblem& problem, NodeId node_id) {
  const FusedNode& node = problem.nodes[node_id];
  Problem own;
  own.name = node.name;
  IndexedVector<DimId, DimId> local(problem.dims.size());
  for (const DimId d : DimsOf(problem, node)) {
    local[d] = DimId(own.dims.size());
    own.dims.push_back(problem.dims[d]);
  }
  for (const FusedOperand& operand : node.operands) {
    Tensor tensor{problem.tensors[operand.tensor], operand.ranks, operand.is_output};
    for (Rank& rank : tensor.ranks) {
      for (Term& term : rank.terms) term.dim = local[term.dim];
    }
    own.tensors.push_back(std::move(tensor));
  }
  return own;
}

bool HasBorders(const FusedProblem& problem) {
  return std::any_of(problem.nodes.begin(), problem.nodes.end(), [](const FusedNode& node) {
    return std::any_of(node.operands.begin(), node.operands.end(),
                       [](const FusedOperand& operand) { return !operand.borders.empty(); });
  });
}

std::vector<std::optional<int64_t>> ExtentsOf(const FusedProblem& problem, TensorId tensor) {
  std::vector<std::optional<int64_t>> extents;
  for (const FusedNode& node : problem.nodes) {
    const FusedOperand* operand = OperandOf(node, tensor);
    if (operand == nullptr) continue;
    extents.resize(operand->ranks.size());
    for (size_t r = 0; r < operand->ranks.size(); ++r) {
      const std::vector<Term>& terms = operand->ranks[r].terms;
      if (operand->is_output) extents[r] = terms.empty() ? 1 : problem.dims[terms[0].dim].bound;
      if (!operand->borders.empty()) extents[r] = operand->borders[r].words;
    }
  }
  return extents;
}

FusedProblem Unclipped(FusedProblem problem) {
  for (FusedNode& node : problem.nodes) {
    for (FusedOperand& operand : node.operands) {
      for (FusedBorder& border : operand.borders) border.unclipped = true;
    }
  }
  return problem;
}

int64_t Operations(const FusedProblem& problem) {
  int64_t operations = 0;
  for (NodeId n : Ids(problem.nodes)) operations += Operations(ProblemOf(problem, n));
  return operations;
}

}  // namespace inlay
