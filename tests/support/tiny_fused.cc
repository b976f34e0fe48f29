#include "tests/support/tiny_fused.h"

#include <utility>
#include <vector>

#include "inlay/core/fused_mapping.h"
#include "inlay/io/native/native.h"
#include "tests/support/fused_case.h"
#include "tests/support/random_fused_graph.h"

namespace inlay::testing {
namespace {

struct Text {
  std::vector<std::pair<std::string, int64_t>> dims;
  std::vector<std::string> nodes;
};

Text Products(Random& random) {
  const int64_t most = Chance(random, 0.5) ? 2 : 3;
  return {{{"m", Pick(random, 1, 3)},
           {"n0", Pick(random, 1, most)},
           {"n1", Pick(random, 1, 3)},
           {"n2", Pick(random, 1, most)}},
          {"E1: T0[m, n0] W0[n0, n1] -> T1[m, n1]", "E2: T1[m, n1] W1[n1, n2] -> T2[m, n2]"}};
}

Text Vectors(Random& random) {
  return {{{"m", Pick(random, 1, 4)}, {"n", Pick(random, 1, 4)}, {"k", Pick(random, 1, 3)}},
          {"E1: X[m, n] V[n] -> Y[m]", "E2: Y[m] U[m, k] -> Z[k]"}};
}

Text Attention(Random& random) {
  Text text{{{"m", Pick(random, 1, 3)}, {"p", Pick(random, 1, 3)}}, {}};
  const bool wide = Chance(random, 0.3);
  if (wide) {
    text.dims.emplace_back("e", Pick(random, 1, 2));
    text.dims.emplace_back("f", Pick(random, 1, 2));
    text.nodes = {"QK: Q[m, e] K[p, e] -> A[m, p]", "SM: A[m, p] -> B[m, p]",
                  "AV: B[m, p] V[p, f] -> O[m, f]"};
  } else {
    text.nodes = {"QK: Q[m] K[p] -> A[m, p]", "SM: A[m, p] -> B[m, p]", "AV: B[m, p] V[p] -> O[m]"};
  }
  return text;
}

Text Gated(Random& random) {
  return {{{"m", Pick(random, 1, 2)}, {"g", Pick(random, 1, 2)}, {"c", Pick(random, 1, 2)}},
          {"Gate: X[m, g] WG[g, c] -> HG[m, c]", "Up: X[m, g] WU[g, c] -> HU[m, c]",
           "Mul: HG[m, c] HU[m, c] -> H[m, c]"}};
}

// Two readers of what a product makes.
Text Diamond(Random& random) {
  return {{{"m", Pick(random, 1, 3)}, {"n", Pick(random, 1, 3)}, {"k", Pick(random, 1, 2)}},
          {"E1: X[m, k] W[k, n] -> A[m, n]", "E2: A[m, n] -> B[m, n]",
           "E3: A[m, n] B[m, n] -> C[m, n]"}};
}

Text Elementwise(Random& random) {
  Text text{{{"m", Pick(random, 1, 4)}, {"n", Pick(random, 1, 3)}},
            {"E1: X[m, n] S[n] -> A[m, n]", "E2: A[m, n] -> B[m, n]"}};
  if (Chance(random, 0.5)) text.nodes.emplace_back("E3: B[m, n] -> C[m]");
  return text;
}

Text Residual(Random& random) {
  const int64_t window = Pick(random, 1, 3), places = Pick(random, 1, 4);
  return {{{"q", places + window - 1}, {"p", places}, {"r", window}},
          {"E1: X[q] -> T[q]", "E2: T[p + r] W[r] -> U[p]", "E3: T[p] U[p] -> Y[p]"}};
}

Text Convolutions(Random& random) {
  const int64_t window = Pick(random, 1, 3), places = Pick(random, 1, 4);
  const int64_t stride = Chance(random, 0.25) ? 2 : 1;
  const std::string by = stride == 2 ? "2*" : "";
  const int64_t inner = stride * (places - 1) + window;
  Text text{{{"p1", inner}, {"p2", places}, {"r2", window}}, {}};
  if (Chance(random, 0.4)) {
    text.dims.emplace_back("r1", Pick(random, 1, 2));
    text.nodes = {"E1: T0[p1 + r1] W0[r1] -> T1[p1]", "E2: T1[" + by + "p2 + r2] W1[r2] -> T2[p2]"};
  } else if (Chance(random, 0.5)) {
    text.dims.emplace_back("c", Pick(random, 1, 2));
    text.nodes = {"E1: T0[p1] W0[c] -> T1[c, p1]",
                  "E2: T1[c, " + by + "p2 + r2] W1[c, r2] -> T2[p2]"};
  } else {
    text.nodes = {"E1: T0[p1] -> T1[p1]", "E2: T1[" + by + "p2 + r2] -> T2[p2]",
                  "E3: T2[p2] W[p2] -> T3[p2]"};
  }
  return text;
}

Text Images(Random& random) {
  const int64_t window = Pick(random, 1, 2), rows = Pick(random, 1, 3),
                columns = Pick(random, 1, 2);
  return {{{"p1", rows + window - 1},
           {"q1", columns + window - 1},
           {"p2", rows},
           {"q2", columns},
           {"r", window},
           {"s", window}},
          {"E1: T0[p1, q1] -> T1[p1, q1]", "E2: T1[p2 + r, q2 + s] -> T2[p2, q2]"}};
}

Text OneNode(Random& random) {
  if (Chance(random, 0.5)) {
    return {{{"m", Pick(random, 1, 4)}, {"n", Pick(random, 1, 4)}, {"k", Pick(random, 1, 3)}},
            {"E: A[m, k] B[k, n] -> C[m, n]"}};
  }
  return {{{"p", Pick(random, 1, 4)}, {"r", Pick(random, 1, 3)}, {"c", Pick(random, 1, 2)}},
          {"E: A[p + r, c] B[r, c] -> C[p]"}};
}

// Of a graph of any kind.
FusedProblem TinyGraph(Random& random) {
  constexpr int64_t kMostOperations = 24;
  constexpr size_t kMostTensors = 6;
  for (;;) {
    FusedProblem problem = RandomFusedGraph(random);
    if (Operations(problem) <= kMostOperations && problem.tensors.size() <= kMostTensors) {
      return problem;
    }
  }
}

}  // namespace

FusedProblem TinyFusedProblem(Random& random) {
  if (Chance(random, 0.2)) return TinyGraph(random);
  using Maker = Text (*)(Random&);
  constexpr Maker kMakers[] = {Products,    Vectors,   Attention,    Gated,  Diamond,
                               Elementwise, Residual,  Convolutions, Images, OneNode,
                               Products,    Attention, Convolutions};
  const Maker maker = kMakers[Pick(random, 0, std::size(kMakers) - 1)];
  const Text text = maker(random);
  FusedProblem problem = FusedOfTexts(text.dims, text.nodes);
  for (FusedNode& node : problem.nodes) {
    if (node.name == "SM" && Chance(random, 0.7)) node.softmax = FindDim(problem, "p");
    if (node.name == "E2" && maker == Elementwise && Chance(random, 0.3)) {
      node.rows = FindDim(problem, "n");
    }
  }
  for (TensorId t : Ids(problem.tensors)) {
    if (WriterOf(problem, t) && !ReadersOf(problem, t).empty() && Chance(random, 0.08)) {
      problem.outputs.push_back(t);
    }
  }
  return problem;
}

std::string Describe(const FusedProblem& problem) {
  FusedTree tree;
  for (NodeId n : Ids(problem.nodes)) {
    FusedTree leaf;
    leaf.part = FusedLeaf{n, false, std::nullopt};
    for (const FusedOperand& operand : problem.nodes[n].operands) {
      FusedTree hold;
      hold.part = FusedHold{operand.tensor, false};
      hold.children.push_back(std::move(leaf));
      leaf = std::move(hold);
    }
    if (problem.nodes.size() == 1) tree = leaf;
    tree.children.push_back(std::move(leaf));
  }
  if (problem.nodes.size() == 1) tree.children.pop_back();
  return io::WriteNative(problem, PadMachine(), tree);
}

}  // namespace inlay::testing
