#include "inlay/gp/volume.h"

#include <gtest/gtest.h>

#include <string>

#include "inlay/core/shapes.h"

namespace inlay::gp {
namespace {

// The paper's example: In[n][c][h + r][2w + s], its loops ⟨w, n, k, h, c, s, r⟩ over register
// tiles. Steps over tiles are q_…, sizes of tiles r_….
struct Example {
  Problem problem =
      MakeConv("example", {.n = 2, .k = 2, .c = 2, .p = 2, .q = 2, .r = 3, .s = 3, .stride_w = 2});
  Nest nest;
  VariableNames names;

  Example() {
    nest.levels.resize(2);
    const std::string order = "wnkhcsr";
    const auto dim = [&](char name) {
      const std::string ours(1, name == 'h'   ? 'P'
                                : name == 'w' ? 'Q'
                                              : static_cast<char>(name - 32));
      return FindDim(problem, ours).value();
    };
    for (const char name : order) {
      nest.levels[LevelId(0)].temporal.push_back({dim(name), Add(std::string("q_") + name)});
    }
    for (const char name : std::string("nkchrws")) {
      nest.levels[LevelId(1)].temporal.push_back({dim(name), Add(std::string("r_") + name)});
    }
    for (NestLevel& level : nest.levels) level.keep = TensorSet::FirstN(3);
  }
  Monomial Add(const std::string& name) {
    names.push_back(name);
    return Variable(VariableId(names.size() - 1));
  }
  TensorId tensor(const char* name) const { return FindTensor(problem, name).value(); }
};

TEST(Volume, ReproducesTableOneOfThePaper) {
  const Example example;
  const auto column = [&](const char* tensor, double factor) {
    std::vector<Words> trace;
    Volume(example.problem, example.nest, example.tensor(tensor), LevelId(0), LevelId(1), &trace);
    trace.insert(trace.begin(),
                 Footprint(example.problem, example.nest, example.tensor(tensor), LevelId(1)));
    std::vector<std::string> rows;
    for (Words& words : trace) {
      if (!rows.empty()) words.times = words.times * Constant(factor);
      rows.push_back(ToString(words, example.names));
    }
    return rows;
  };
  const std::string halo = "r_n*r_c*(r_h + q_r*r_r - 1)*(2*r_w + r_s - 2)";
  EXPECT_EQ(
      column("Inputs", 1),
      (std::vector<std::string>{"r_n*r_c*(r_h + r_r - 1)*(2*r_w + r_s - 2)", halo, "q_s*" + halo,
                                "q_c*q_s*" + halo, "q_h*q_c*q_s*" + halo, "q_k*q_h*q_c*q_s*" + halo,
                                "q_n*q_k*q_h*q_c*q_s*" + halo, "q_w*q_n*q_k*q_h*q_c*q_s*" + halo}));
  EXPECT_EQ(column("Outputs", 2),
            (std::vector<std::string>{"r_n*r_k*r_h*r_w", "2*r_n*r_k*r_h*r_w", "2*r_n*r_k*r_h*r_w",
                                      "2*r_n*r_k*r_h*r_w", "2*q_h*r_n*r_k*r_h*r_w",
                                      "2*q_k*q_h*r_n*r_k*r_h*r_w", "2*q_n*q_k*q_h*r_n*r_k*r_h*r_w",
                                      "2*q_w*q_n*q_k*q_h*r_n*r_k*r_h*r_w"}));
  const Words weights =
      Volume(example.problem, example.nest, example.tensor("Weights"), LevelId(0), LevelId(1));
  EXPECT_EQ(ToString(weights, example.names), "q_w*q_n*q_k*q_h*q_c*q_s*q_r*r_k*r_c*r_r*r_s");
}

// Equations 1 and 2 of the paper: a matrix product, SRAM loops i, k, j around register loops.
TEST(Volume, OfTheMatrixProductIsAsInThePaper) {
  const Problem gemm = MakeGemm("gemm", {.p = 8, .k = 8, .c = 8});  // i = P, j = K, k = C
  VariableNames names;
  const auto add = [&](const char* name) {
    names.push_back(name);
    return Variable(VariableId(names.size() - 1));
  };
  const DimId i = FindDim(gemm, "P").value(), j = FindDim(gemm, "K").value(),
              k = FindDim(gemm, "C").value();
  Nest nest;
  nest.levels.resize(3);
  nest.levels[LevelId(0)].temporal = {{i, add("s_i")}, {k, add("s_k")}, {j, add("s_j")}};
  nest.levels[LevelId(1)].temporal = {{i, add("q_i")}, {j, add("q_j")}, {k, add("q_k")}};
  nest.levels[LevelId(1)].spatial = {{i, add("p_i")}, {j, add("p_j")}};
  nest.levels[LevelId(2)].temporal = {{i, add("r_i")}, {j, add("r_j")}, {k, add("r_k")}};
  const auto volume = [&](const char* tensor, size_t level) {
    return ToString(
        Volume(gemm, nest, FindTensor(gemm, tensor).value(), LevelId(level), LevelId(level + 1)),
        names);
  };
  // From DRAM: A is hoisted out of j, so it is read once; B and C are not.
  EXPECT_EQ(volume("Inputs", 0), "s_i*s_k*q_i*q_k*p_i*r_i*r_k");
  EXPECT_EQ(volume("Weights", 0), "s_i*s_k*s_j*q_j*q_k*p_j*r_j*r_k");
  // From SRAM: the lanes of j share A, and C is hoisted out of k.
  EXPECT_EQ(volume("Inputs", 1), "s_i*s_k*s_j*q_i*q_j*q_k*p_i*r_i*r_k");
  EXPECT_EQ(volume("Outputs", 1), "s_i*s_k*s_j*q_i*q_j*p_i*p_j*r_i*r_j");
  EXPECT_EQ(ToString(Lanes(nest, LevelId(2)), names), "p_i*p_j");
  EXPECT_EQ(ToString(Steps(nest), names), "s_i*s_k*s_j*q_i*q_j*q_k*r_i*r_j*r_k");
}

TEST(Volume, WindowsThatAreNotTiledGivePosynomials) {
  const VariableNames names = {"h"};
  const auto rows = [&](double window, double stride) {
    Words words;
    words.ranks = {
        {{{DimId(0), Variable(VariableId(0)), 1}, {DimId(1), Constant(window), stride}}}};
    EXPECT_TRUE(Expand(words).is_posynomial() || stride > window);
    return ToString(Expand(words), names);
  };
  EXPECT_EQ(rows(3, 1), "h + 2");
  EXPECT_EQ(rows(7, 2), "2*h + 5");
  EXPECT_EQ(rows(1, 2), "h");  // not 2*h - 1: pixels that no window touches are not copied
  EXPECT_EQ(rows(3, 4), "3*h");
}

}  // namespace
}  // namespace inlay::gp
