#include "tests/support/random_fused_graph.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace inlay::testing {
namespace {

constexpr int64_t kMostOperations = 4000;

// From the last node to the first: what readers touch says how large the tensor they read is.
class GraphDrawer {
 public:
  explicit GraphDrawer(Random& random) : random_(random), nodes_(Below(4) + 1) {
    problem_.name = "graph";
    for (size_t n = nodes_.size(); n-- > 0;) {
      DrawOutput(n);
      DrawInputs(n);
      if (nodes_[n].readers.empty() || nodes_[n].dims.empty()) continue;
      if (Chance(random_, 0.15)) {
        nodes_[n].rows = Any(nodes_[n].dims);
      } else if (Chance(random_, 0.2)) {
        nodes_[n].softmax = Any(nodes_[n].dims);
      }
    }
  }

  FusedProblem Done() && {
    for (size_t n = 0; n < nodes_.size(); ++n) {
      FusedNode node;
      node.name = "N" + std::to_string(n);
      for (Use& use : nodes_[n].inputs) {
        node.operands.push_back({Tensor(use.tensor), std::move(use.ranks), false});
      }
      node.operands.push_back({Tensor(NameOf(n)), nodes_[n].output, true});
      node.softmax = nodes_[n].softmax;
      node.rows = nodes_[n].rows;
      problem_.nodes.push_back(std::move(node));
    }
    for (size_t n = 0; n < nodes_.size(); ++n) {
      if (!nodes_[n].readers.empty() && Chance(random_, 0.1)) {
        problem_.outputs.push_back(Tensor(NameOf(n)));
      }
    }
    return std::move(problem_);
  }

 private:
  using Ranks = std::vector<Rank>;
  struct Use {
    std::string tensor;
    Ranks ranks;
  };
  struct Node {
    std::vector<Ranks> readers;  // as the readers see the output
    size_t ranks = 0;            // of the output, where it has readers
    Ranks output;
    std::vector<DimId> dims, reduced;
    std::vector<Use> inputs;
    std::optional<DimId> softmax, rows;
  };

  static std::string NameOf(size_t node) { return "T" + std::to_string(node); }
  size_t Below(size_t n) {
    return static_cast<size_t>(Pick(random_, 0, static_cast<int64_t>(n) - 1));
  }
  DimId Any(const std::vector<DimId>& dims) { return dims[Below(dims.size())]; }
  DimId NewDim(int64_t bound) {
    problem_.dims.push_back({"d" + std::to_string(problem_.dims.size()), bound});
    return DimId(problem_.dims.size() - 1);
  }
  TensorId Tensor(const std::string& name) {
    if (const auto known = FindTensor(problem_, name)) return *known;
    problem_.tensors.push_back(name);
    return TensorId(problem_.tensors.size() - 1);
  }

  void DrawOutput(size_t n) {
    Node& node = nodes_[n];
    const size_t ranks = node.readers.empty() ? Below(2) + 1 : node.ranks;
    for (size_t r = 0; r < ranks; ++r) {
      int64_t words = node.readers.empty() ? Pick(random_, 1, 4) : 1;
      std::optional<DimId> same;  // a reader's, of the same size
      for (const Ranks& reader : node.readers) {
        int64_t touched = 1;
        for (const Term& term : reader[r].terms) {
          touched += term.coefficient * (problem_.dims[term.dim].bound - 1);
        }
        words = std::max(words, touched);
        if (reader[r].terms.size() == 1) same = reader[r].terms.front().dim;
      }
      if (words == 1 && Chance(random_, 0.3)) {
        node.output.emplace_back();
        continue;
      }
      const bool shared = same && problem_.dims[*same].bound == words && Chance(random_, 0.6) &&
                          std::find(node.dims.begin(), node.dims.end(), *same) == node.dims.end();
      node.dims.push_back(shared ? *same : NewDim(words));
      node.output.push_back(Rank{{{node.dims.back(), 1}}});
    }
  }

  void DrawInputs(size_t n) {
    Node& node = nodes_[n];
    const size_t inputs = Below(2) + 1;
    while (node.inputs.size() < inputs) {
      size_t ranks = 0;
      std::string tensor;
      std::optional<size_t> writer;
      if (n > 0 && Chance(random_, 0.75)) {
        writer = Chance(random_, 0.25) ? Below(n) : n - 1;
        if (nodes_[*writer].ranks == 0) nodes_[*writer].ranks = Below(2) + 1;
        ranks = nodes_[*writer].ranks;
        tensor = NameOf(*writer);
      } else {
        const bool known = !externals_.empty() && Chance(random_, 0.3);
        const size_t number = known ? Below(externals_.size()) : externals_.size();
        if (!known) externals_.push_back(Below(2) + 1);
        ranks = externals_[number];
        tensor = "X" + std::to_string(number);
      }
      if (std::any_of(node.inputs.begin(), node.inputs.end(),
                      [&](const Use& use) { return use.tensor == tensor; })) {
        return;
      }
      Use use{tensor, DrawRanks(&node, ranks)};
      if (writer) nodes_[*writer].readers.push_back(use.ranks);
      node.inputs.push_back(std::move(use));
    }
  }

  Ranks DrawRanks(Node* node, size_t count) {
    Ranks ranks(count);
    std::vector<DimId> used;
    for (Rank& rank : ranks) {
      const int64_t kind = Pick(random_, 0, 19);
      const bool place = kind < 16, window = kind >= 8 && kind < 19;
      if (place) AddTerm(Unused(node->dims, used), Chance(random_, 0.15) ? 2 : 1, &rank, &used);
      if (!window) continue;
      auto dim = Unused(node->reduced, used);
      if ((!dim || Chance(random_, 0.5)) && node->reduced.size() < 3) {
        dim = NewDim(Pick(random_, 1, 3));
        node->reduced.push_back(*dim);
      }
      AddTerm(dim, Chance(random_, 0.2) ? 2 : 1, &rank, &used);
    }
    return ranks;
  }

  std::optional<DimId> Unused(const std::vector<DimId>& dims, const std::vector<DimId>& used) {
    std::vector<DimId> free;
    for (const DimId d : dims) {
      if (std::find(used.begin(), used.end(), d) == used.end()) free.push_back(d);
    }
    if (free.empty()) return std::nullopt;
    return Any(free);
  }

  static void AddTerm(std::optional<DimId> dim, int64_t coefficient, Rank* rank,
                      std::vector<DimId>* used) {
    if (!dim) return;
    rank->terms.push_back({*dim, coefficient});
    used->push_back(*dim);
  }

  Random& random_;
  FusedProblem problem_;
  std::vector<Node> nodes_;
  std::vector<size_t> externals_;  // ranks
};

}  // namespace

FusedProblem RandomFusedGraph(Random& random) {
  for (;;) {
    FusedProblem problem = GraphDrawer(random).Done();
    if (Validate(problem).empty() && Operations(problem) <= kMostOperations) return problem;
  }
}

}  // namespace inlay::testing
