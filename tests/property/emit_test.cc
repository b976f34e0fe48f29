// C programs of mappings compile without warnings, compute what the plain loops compute, and count
// the words that the closed form counts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/cost/evaluate.h"
#include "inlay/cost/fused/count.h"
#include "inlay/emit/emit_c.h"
#include "tests/support/c_programs.h"
#include "tests/support/random_case.h"
#include "tests/support/random_fused.h"
#include "tests/support/test_folder.h"

namespace inlay {
namespace {

using testing::Case;
using testing::CaseCount;
using testing::Random;
using testing::RandomCase;
using testing::Steps;

std::string CountsLine(const std::string& level, const std::string& tensor, const Counts& n) {
  return fmt::format("{} {}: reads {} fills {} updates {} drains {}\n", level, tensor, n.reads,
                     n.fills, n.updates, n.drains);
}

// What the program of a mapping prints.
std::string OutputOf(const Case& c, const Cost& cost) {
  std::string output = "ok\n";
  for (LevelId l : Ids(c.architecture.levels)) {
    for (TensorId t : Ids(c.problem.tensors)) {
      const TensorCost& tensor = cost.levels[l].tensors[t];
      if (!tensor.kept) continue;
      output += CountsLine(c.architecture.levels[l].name, c.problem.tensors[t].name, tensor.total);
    }
  }
  output += fmt::format("operations {}\nsteps {}\n", cost.operations, cost.compute_cycles);
  return output;
}

class EmitTest : public TestFolder {
 protected:
  struct Expected {
    std::string program, output, about;
  };

  void ExpectOutputs(const std::vector<Expected>& all) const {
    constexpr size_t kAtOnce = 60;
    for (size_t first = 0; first < all.size(); first += kAtOnce) {
      const size_t end = std::min(all.size(), first + kAtOnce);
      std::vector<std::string> programs;
      for (size_t i = first; i < end; ++i) programs.push_back(all[i].program);
      const auto runs = testing::RunPrograms(folder(), programs);
      ASSERT_EQ(runs.size(), programs.size());
      for (size_t i = first; i < end; ++i) {
        EXPECT_EQ(runs[i - first].status, 0);
        EXPECT_EQ(runs[i - first].output, all[i].output) << all[i].about;
        if (HasFailure()) FAIL() << "case " << i << "\n" << all[i].program;
      }
    }
  }
};

TEST_F(EmitTest, ProgramsOfMappingsCountWhatTheClosedFormCounts) {
  const int64_t cases = CaseCount(60, 600);
  std::vector<Expected> all;
  for (int64_t seed = 0; seed < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const auto steps = static_cast<Steps>(seed % 3);
    Case c = RandomCase(random, steps);
    if (seed % 7 == 0) {  // one rank without dimensions
      for (Tensor& tensor : c.problem.tensors) tensor.ranks.insert(tensor.ranks.begin(), Rank());
    }
    const auto cost = Evaluate(c.problem, c.architecture, c.mapping);
    ASSERT_TRUE(cost);
    all.push_back({EmitC(c.problem, c.architecture, c.mapping), OutputOf(c, *cost),
                   fmt::format("seed {}\n{}", seed, testing::Describe(c))});
  }
  ExpectOutputs(all);
}

TEST_F(EmitTest, ProgramsOfTreesCountWhatTheClosedFormCounts) {
  const int64_t cases = CaseCount(60, 600);
  std::vector<Expected> all;
  for (int64_t seed = 0; static_cast<int64_t>(all.size()) < cases; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const testing::FusedTestCase c = testing::RandomFusedCase(random);
    ASSERT_EQ(CannotEmit(c.problem).has_value(), HasBorders(c.problem));
    if (HasBorders(c.problem)) continue;
    const auto counts = CountFused(c.problem, c.architecture, c.tree);
    ASSERT_TRUE(counts);
    const std::string program = EmitC(c.problem, c.architecture, c.tree);
    std::string output = "ok\n";
    for (LevelId l : Ids(c.architecture.levels)) {
      for (TensorId t : Ids(c.problem.tensors)) {
        const std::string& level = c.architecture.levels[l].name;
        Counts words;
        for (const FusedRunCounts& run : counts->runs) {
          words.reads += run.words[l][t].reads;
          words.fills += run.words[l][t].fills;
          words.updates += run.words[l][t].updates;
          words.drains += run.words[l][t].drains;
        }
        // What a level does not keep has no counts in the program.
        const bool reported = program.find(fmt::format("report(\"{}\", \"{}\",", level,
                                                       c.problem.tensors[t])) != std::string::npos;
        if (reported || words != Counts()) output += CountsLine(level, c.problem.tensors[t], words);
      }
    }
    for (NodeId n : Ids(c.problem.nodes)) {
      const FusedNodeCounts& node = counts->nodes[n];
      output +=
          fmt::format("{}: executions {} operations {} scalings {}\n", c.problem.nodes[n].name,
                      node.executions, node.operations, node.scalings);
    }
    all.push_back({program, output, fmt::format("seed {}\n{}", seed, testing::Describe(c))});
  }
  ExpectOutputs(all);
}

// Names of files are any text; those of the program are safe, and none means two things.
TEST_F(EmitTest, NamesCanBeAnything) {
  const std::vector<std::string> odd = {"int",  "range", "a b",      "a-b", "*/ \"%s\\", "2",
                                        "main", "word",  "\xc3\xa9", "exp", "K0",        "_at"};
  std::vector<Expected> all;
  for (int64_t seed = 0; seed < 6; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    Case c = RandomCase(random, Steps::kAny);
    size_t next = static_cast<size_t>(seed);
    const auto name = [&] { return odd[next++ % odd.size()]; };
    for (Dimension& dim : c.problem.dims) dim.name = name();
    for (Tensor& tensor : c.problem.tensors) tensor.name = name();
    for (Level& level : c.architecture.levels) level.name = name();
    const auto cost = Evaluate(c.problem, c.architecture, c.mapping);
    ASSERT_TRUE(cost);
    all.push_back({EmitC(c.problem, c.architecture, c.mapping), OutputOf(c, *cost), ""});
  }
  ExpectOutputs(all);
}

}  // namespace
}  // namespace inlay
