// Every form of constraint that Timeloop's own parser and its front end know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "inlay/io/timeloop/read.h"
#include "inlay/mapspace/space.h"

namespace inlay::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kProblem = R"(
problem:
  shape:
    name: gemm
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 4, N: 6, K: 8}
)";

// GLB feeds 4 × 4 elements, each with a register file over 2 multipliers.
constexpr const char* kTree = R"(
architecture:
  version: 0.3
  subtree:
  - name: system
    local:
    - {name: DRAM, class: DRAM, attributes: {word_bits: 16, vector_access_energy: 100}}
    - {name: GLB, class: SRAM, attributes: {entries: 4096, word_bits: 16, vector_access_energy: 2}}
    subtree:
    - name: PE[0..15]
      local:
      - {name: RF, class: regfile, attributes: {entries: 64, word_bits: 16, meshX: 4, meshY: 4, vector_access_energy: 1}}
      - {name: "MAC[0..1]", class: intmac, attributes: {word_bits: 16, meshX: 8, meshY: 4, energy: 1}}
)";

struct Outcome {
  std::optional<Architecture> architecture;
  std::string said;  // errors, or warnings
};

Outcome Read(const std::string& text, const std::vector<Problem>& layers = {}) {
  const auto inputs = ReadTimeloop({{"f.yaml", text}}, layers);
  if (!inputs) return {std::nullopt, Format(inputs.error())};
  return {inputs->architecture, Format(inputs->warnings)};
}

// One constraint, in the section of the mapspace.
std::string Section(const std::string& constraints) {
  return "mapspace_constraints:\n  targets:\n" + constraints;
}

Problem TheProblem() { return ReadTimeloop({{"p.yaml", kProblem}})->problem.value(); }

Outcome ReadWith(const std::string& constraint) {
  return Read(std::string(kProblem) + kTree + Section("  - " + constraint + "\n"));
}
Outcome ReadWithout(const std::string& constraint, const std::vector<Problem>& layers = {}) {
  return Read(kTree + Section("  - " + constraint + "\n"), layers);
}

// The constraints that were read, and whether there was a warning.
std::pair<std::vector<Constraint>, bool> WithoutPlaces(const Outcome& read) {
  std::vector<Constraint> constraints = read.architecture.value().constraints;
  for (Constraint& constraint : constraints) constraint.place = {};
  return {constraints, !read.said.empty()};
}

// The space that constraints leave, with the problem known when they are read or not.
Space SpaceOf(const std::string& constraint, bool known) {
  const Outcome read = known ? ReadWith(constraint) : ReadWithout(constraint);
  EXPECT_TRUE(read.architecture.has_value()) << constraint << "\n" << read.said;
  EXPECT_EQ(read.said, "") << constraint;
  auto space = MakeSpace(TheProblem(), read.architecture.value(), Mapspace::kPerfect);
  EXPECT_TRUE(space.has_value()) << constraint;
  return *std::move(space);
}

constexpr DimId kM(0), kN(1), kK(2);
constexpr size_t kGlb = 1, kRf = 2;
FactorRange Steps(const Space& space, size_t level, DimId dim) {
  return space.factors[SlotId(3 * level)][dim];
}
FactorRange Unrolled(const Space& space, size_t level, DimId dim) {
  return space.unrolling[LevelId(level)][dim];
}
constexpr int64_t kMost = FactorRange::kUnlimited;

TEST(TimeloopConstraintForms, AnchorsAreNoConstraints) {
  const std::string one = "{target: GLB, type: temporal, factors: M=2}\n";
  for (const char* name : {"constraints_ignore", "mapspace_constraints_ignore"}) {
    const Outcome read =
        Read(std::string(kProblem) + name + ": &anchor\n  targets:\n  - " + one + kTree);
    ASSERT_TRUE(read.architecture.has_value()) << read.said;
    EXPECT_EQ(read.said, "");
    EXPECT_THAT(read.architecture->constraints, IsEmpty()) << name;
  }
  EXPECT_THAT(WithoutPlaces(ReadWith(one.substr(0, one.size() - 1))).first, Not(IsEmpty()));
}

TEST(TimeloopConstraintForms, FactorsOfTime) {
  for (const bool known : {true, false}) {
    SCOPED_TRACE(known);
    const Space space =
        SpaceOf("{target: GLB, type: temporal, factors: M=2 N<=3 K>=4 K<=8}", known);
    EXPECT_EQ(Steps(space, kGlb, kM), (FactorRange{2, 2}));
    EXPECT_EQ(Steps(space, kGlb, kN), (FactorRange{1, 3}));
    EXPECT_EQ(Steps(space, kGlb, kK), (FactorRange{4, 8}));
  }
}

TEST(TimeloopConstraintForms, FactorsWithoutASignAndInLists) {
  for (const char* factors : {"\"M2 N 3\"", "\"M=2,N=3\"", "\"M=2 N=3 # K=8\"", "\"M == 2 N=3\""}) {
    const Space space =
        SpaceOf(std::string("{target: GLB, type: temporal, factors: ") + factors + "}", true);
    EXPECT_EQ(Steps(space, kGlb, kM), (FactorRange{2, 2})) << factors;
    EXPECT_EQ(Steps(space, kGlb, kN), (FactorRange{3, 3})) << factors;
    EXPECT_EQ(Steps(space, kGlb, kK), FactorRange()) << factors;
  }
  // Timeloop itself drops a list, which only its front end reads.
  const Outcome list = ReadWith("{target: GLB, type: temporal, factors: [M=2, N=3]}");
  ASSERT_EQ(list.architecture->constraints.size(), 1U);
  EXPECT_THAT(list.said, HasSubstr("f.yaml:26:44: warning: 'factors' is a list, which is read here "
                                   "and ignored by Timeloop"));
}

TEST(TimeloopConstraintForms, FactorsOfTheFanout) {
  for (const bool known : {true, false}) {
    const Space space = SpaceOf("{target: GLB, type: spatial, factors: M=2 N<=3 K>=4}", known);
    EXPECT_EQ(Unrolled(space, kGlb, kM), (FactorRange{2, 2}));
    EXPECT_EQ(Unrolled(space, kGlb, kN), (FactorRange{1, 3}));
    EXPECT_EQ(Unrolled(space, kGlb, kK), (FactorRange{4, kMost}));
    EXPECT_EQ(Steps(space, kGlb, kM), FactorRange());
  }
}

TEST(TimeloopConstraintForms, ZeroIsTheWholeDimension) {
  for (const bool known : {true, false}) {
    const Space space = SpaceOf("{target: RF, type: temporal, factors: K=0 M=1}", known);
    EXPECT_EQ(Steps(space, kRf, kK), (FactorRange{8, 8}));
    EXPECT_EQ(Steps(space, kRf, kM), (FactorRange{1, 1}));
  }
  EXPECT_THAT(ReadWith("{target: RF, type: temporal, factors: K<=0}").said,
              HasSubstr("error: the bound of 'K' must be at least 1"));
}

// As in Timeloop since 2023; before that it was cut to the length.
TEST(TimeloopConstraintForms, AFixedFactorBeyondTheDimensionIsIgnored) {
  const char* text = "{target: RF, type: temporal, factors: M=5 N=6}";
  const Outcome known = ReadWith(text);
  EXPECT_THAT(known.said, HasSubstr("warning: 'M=5' is ignored, as Timeloop ignores it: the "
                                    "dimension is 4 long"));
  for (const Outcome& read : {known, ReadWithout(text)}) {
    const auto space = MakeSpace(TheProblem(), read.architecture.value(), Mapspace::kPerfect);
    ASSERT_TRUE(space.has_value());
    EXPECT_EQ(Steps(*space, kRf, kM), FactorRange());
    EXPECT_EQ(Steps(*space, kRf, kN), (FactorRange{6, 6}));
  }
  // A bound is not: nothing fits it.
  const Space space = SpaceOf("{target: RF, type: temporal, factors: M>=5}", true);
  EXPECT_EQ(Steps(space, kRf, kM), (FactorRange{5, kMost}));
}

TEST(TimeloopConstraintForms, ResidualsAreIgnored) {
  const Outcome read = ReadWith("{target: RF, type: temporal, factors: \"N=4,2\"}");
  EXPECT_THAT(read.said,
              HasSubstr("warning: the residual of 'N' is ignored, as Timeloop ignores it "
                        "in constraints"));
  EXPECT_THAT(read.architecture->constraints[0].factors,
              ElementsAre(FactorBound{"N", Relation::kEqual, 4}));
}

TEST(TimeloopConstraintForms, DefaultsHoldForWhatHasNoLimitOfTheKind) {
  for (const bool known : {true, false}) {
    const Space space = SpaceOf(
        "{target: GLB, type: temporal, factors: M<=4 N>=2, default_max_factor: 3, "
        "default_min_factor: 2}",
        known);
    EXPECT_EQ(Steps(space, kGlb, kM), (FactorRange{2, 4}));
    EXPECT_EQ(Steps(space, kGlb, kN), (FactorRange{2, 3}));
    EXPECT_EQ(Steps(space, kGlb, kK), (FactorRange{2, 3}));
  }
  // A fixed factor is no maximum: Timeloop takes both to hold.
  const Outcome read =
      ReadWith("{target: GLB, type: temporal, factors: M=4, default_max_factor: 2}");
  EXPECT_FALSE(MakeSpace(TheProblem(), read.architecture.value(), Mapspace::kPerfect).has_value());
}

TEST(TimeloopConstraintForms, OnlyTheListedFactors) {
  for (const bool known : {true, false}) {
    const Space space =
        SpaceOf("{target: GLB, type: temporal, factors: N=2, factors_only: M<=2}", known);
    EXPECT_EQ(Steps(space, kGlb, kM), (FactorRange{1, 2}));
    EXPECT_EQ(Steps(space, kGlb, kN), (FactorRange{2, 2}));
    EXPECT_EQ(Steps(space, kGlb, kK), (FactorRange{1, 1}));
    const Space none = SpaceOf("{target: GLB, type: temporal, factors_only: []}", known);
    for (const DimId dim : {kM, kN, kK}) EXPECT_EQ(Steps(none, kGlb, dim), (FactorRange{1, 1}));
  }
}

TEST(TimeloopConstraintForms, DataSpacesToIterateOver) {
  const Space none =
      SpaceOf("{target: GLB, type: temporal, no_iteration_over_dataspaces: [B]}", true);
  EXPECT_EQ(Steps(none, kGlb, kM), FactorRange());
  EXPECT_EQ(Steps(none, kGlb, kN), (FactorRange{1, 1}));
  EXPECT_EQ(Steps(none, kGlb, kK), (FactorRange{1, 1}));
  const Space only =
      SpaceOf("{target: GLB, type: spatial, must_iterate_over_dataspaces: [B]}", true);
  EXPECT_EQ(Unrolled(only, kGlb, kM), (FactorRange{1, 1}));
  EXPECT_EQ(Unrolled(only, kGlb, kK), FactorRange());
  const Space all =
      SpaceOf("{target: GLB, type: temporal, no_iteration_over_dataspaces: ['*']}", true);
  EXPECT_EQ(Steps(all, kGlb, kM), (FactorRange{1, 1}));
  EXPECT_THAT(ReadWithout("{target: GLB, type: temporal, no_iteration_over_dataspaces: [B]}").said,
              HasSubstr("is not translated without a problem"));
  EXPECT_THAT(ReadWith("{target: GLB, type: temporal, no_iteration_over_dataspaces: [C]}").said,
              HasSubstr("error: 'C' is not a data space of the problem"));
}

TEST(TimeloopConstraintForms, OrderOfTime) {
  for (const bool known : {true, false}) {
    const Space space = SpaceOf("{target: GLB, type: temporal, permutation: K_MN}", known);
    EXPECT_THAT(space.orders[LevelId(kGlb)].innermost, ElementsAre(kK));
    EXPECT_THAT(space.orders[LevelId(kGlb)].outermost, ElementsAre(kN, kM));
    const Space suffix = SpaceOf("{target: GLB, type: temporal, permutation: _N}", known);
    EXPECT_THAT(suffix.orders[LevelId(kGlb)].innermost, IsEmpty());
    EXPECT_THAT(suffix.orders[LevelId(kGlb)].outermost, ElementsAre(kN));
  }
  EXPECT_THAT(ReadWith("{target: GLB, type: temporal, permutation: [K, N, M]}").said,
              HasSubstr("warning: 'permutation' is a list"));
}

// Which of M, N and K lie on X, as bits, over all orders that Timeloop would try.
std::set<unsigned> TimeloopsAxes(const std::string& first, const std::string& last, size_t split) {
  std::set<unsigned> all;
  std::string order = "KMN";
  do {
    if (!order.starts_with(first) || !order.ends_with(last)) continue;
    unsigned on_x = 0;
    for (size_t i = 0; i < std::min(split, order.size()); ++i) {
      on_x |= 1U << std::string("MNK").find(order[i]);
    }
    all.insert(on_x);
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

std::set<unsigned> OurAxes(const Space& space) {
  std::set<unsigned> all;
  for (unsigned on_x = 0; on_x < 8; ++on_x) {
    bool allowed = true;
    for (size_t d = 0; d < 3; ++d) {
      const size_t axis = ((on_x >> d) & 1) != 0 ? 1 : 2;
      allowed = allowed && space.factors[SlotId(3 * kGlb + axis)][DimId(d)].max > 1;
    }
    if (allowed) all.insert(on_x);
  }
  return all;
}

// Every permutation with or without a gap, every split, with the problem known or not: either the
// axes are Timeloop's, or a warning says that there are more.
TEST(TimeloopConstraintForms, SplitsDivideAsInTimeloop) {
  std::set<std::string> permutations;
  std::string order = "KMN";
  do {
    for (size_t first = 0; first <= 3; ++first) {
      permutations.insert(order.substr(0, first));
      for (size_t last = first; last <= 3; ++last) {
        permutations.insert(order.substr(0, first) + "_" + order.substr(last));
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  size_t exact = 0, wider = 0;
  for (const std::string& text : permutations) {
    for (const int split : {0, 1, 2, 3, 4, 999}) {
      const std::string constraint = "{target: GLB, type: spatial, " +
                                     (text.empty() ? "" : "permutation: \"" + text + "\", ") +
                                     "split: " + std::to_string(split) + "}";
      const auto gap = text.find('_');
      const std::string last = gap == std::string::npos ? "" : text.substr(gap + 1);
      const auto theirs = TimeloopsAxes(text.substr(0, gap), last, static_cast<size_t>(split));
      // What another file knows of the problem makes the same of it.
      const Outcome beside = ReadWithout(constraint, {TheProblem()});
      EXPECT_EQ(WithoutPlaces(beside), WithoutPlaces(ReadWith(constraint))) << constraint;
      for (const bool known : {true, false}) {
        SCOPED_TRACE(constraint + (known ? " with the problem" : " without the problem"));
        const Outcome read = known ? ReadWith(constraint) : ReadWithout(constraint);
        ASSERT_TRUE(read.architecture.has_value()) << read.said;
        const auto space = MakeSpace(TheProblem(), *read.architecture, Mapspace::kPerfect);
        ASSERT_TRUE(space.has_value());
        const auto ours = OurAxes(*space);
        EXPECT_TRUE(std::includes(ours.begin(), ours.end(), theirs.begin(), theirs.end()));
        if (read.said.empty()) {
          EXPECT_EQ(ours, theirs);
          ++exact;
        } else {
          EXPECT_THAT(read.said, HasSubstr(known ? "'split' falls among dimensions"
                                                 : "which is not known here"));
          // With the problem known, a warning means that there is something to warn of.
          EXPECT_TRUE(!known || ours != theirs);
          ++wider;
        }
      }
    }
  }
  EXPECT_GT(exact, 5 * wider / 2);
}

// Of two dimensions both lie on X, of three the last one on Y: what is read allows either.
TEST(TimeloopConstraintForms, ASplitOfLayersWithDifferentDimensions) {
  Problem flat;
  flat.dims.push_back({"M", 4});
  flat.dims.push_back({"K", 8});
  flat.tensors.push_back({"A", {{{{DimId(0)}}}, {{{DimId(1)}}}}, false});
  flat.tensors.push_back({"B", {{{{DimId(1)}}}}, false});
  flat.tensors.push_back({"Z", {{{{DimId(0)}}}}, true});
  const Outcome read =
      ReadWithout("{target: GLB, type: spatial, permutation: _K, split: 2}", {TheProblem(), flat});
  EXPECT_THAT(read.said, HasSubstr("each of them may lie on either axis"));
  for (const Problem& problem : {TheProblem(), flat}) {
    const auto space = MakeSpace(problem, read.architecture.value(), Mapspace::kPerfect);
    ASSERT_TRUE(space.has_value());
    const DimId k(problem.dims.size() - 1);
    EXPECT_GT(space->factors[SlotId(3 * kGlb + 1)][k].max, 1);
    EXPECT_GT(space->factors[SlotId(3 * kGlb + 2)][k].max, 1);
  }
}

// The constraint of the issue: what the permutation does not list lies on Y.
TEST(TimeloopConstraintForms, UnlistedDimensionsFollowTheListedOnes) {
  for (const bool known : {true, false}) {
    const Space space =
        SpaceOf("{target: GLB, type: spatial, permutation: KM, split: 1, factors: N=2}", known);
    EXPECT_EQ(space.factors[SlotId(3 * kGlb + 1)][kN].max, 1);
    EXPECT_EQ(space.factors[SlotId(3 * kGlb + 2)][kN], (FactorRange{2, 2}));
    EXPECT_EQ(space.factors[SlotId(3 * kGlb + 1)][kK], (FactorRange{1, 4}));
    EXPECT_EQ(space.factors[SlotId(3 * kGlb + 2)][kK].max, 1);
  }
}

TEST(TimeloopConstraintForms, APermutationWithoutSplit) {
  const char* two = "{target: GLB, type: spatial, permutation: KMN}";
  for (const Outcome& read : {ReadWith(two), ReadWithout(two)}) {
    EXPECT_THAT(read.said, HasSubstr("warning: a permutation without 'split' is not translated"));
  }
  // It says nothing where one dimension can be unrolled, or there is one axis.
  EXPECT_EQ(ReadWith("{target: GLB, type: spatial, permutation: KMN, factors: M=1 N=1}").said, "");
  EXPECT_EQ(ReadWith("{target: RF, type: spatial, permutation: KMN}").said, "");
}

TEST(TimeloopConstraintForms, Remainders) {
  for (const bool known : {true, false}) {
    const Space space = SpaceOf("{target: GLB, type: spatial, remainders: 4}", known);
    EXPECT_EQ(space.remainders[SlotId(3 * kGlb + 1)], 4);
    EXPECT_EQ(space.remainders[SlotId(3 * kGlb)], 1);
    EXPECT_EQ(space.remainders[SlotId(3 * kRf + 1)], 1);
  }
}

TEST(TimeloopConstraintForms, KeepAndBypass) {
  for (const char* type : {"datatype", "bypass", "bypassing", "dataspace"}) {
    for (const bool known : {true, false}) {
      const Space space =
          SpaceOf(std::string("{target: GLB, type: ") + type + ", keep: [A], bypass: [B]}", known);
      ASSERT_EQ(space.keeps[LevelId(kGlb)].size(), 2U);  // Z is free
      EXPECT_EQ(space.keeps[LevelId(kGlb)][0].bits(), 1U);
      EXPECT_EQ(space.keeps[LevelId(kGlb)][1].bits(), 5U);
      EXPECT_EQ(space.keeps[LevelId(0)].size(), 1U);  // the outermost keeps all
      EXPECT_EQ(space.keeps[LevelId(kRf)].size(), 8U);
    }
  }
}

TEST(TimeloopConstraintForms, TheOutermostLevelKeepsWhatItIsNotToldToBypass) {
  for (const bool known : {true, false}) {
    const Space space = SpaceOf("{target: DRAM, type: bypass, bypass: [B]}", known);
    ASSERT_EQ(space.keeps[LevelId(0)].size(), 1U);
    EXPECT_EQ(space.keeps[LevelId(0)][0].bits(), 5U);
  }
}

TEST(TimeloopConstraintForms, KeepOnlyBypassOnlyAndAll) {
  for (const bool known : {true, false}) {
    const Space keep = SpaceOf("{target: GLB, type: dataspace, keep_only: [A]}", known);
    ASSERT_EQ(keep.keeps[LevelId(kGlb)].size(), 1U);
    EXPECT_EQ(keep.keeps[LevelId(kGlb)][0].bits(), 1U);
    const Space bypass = SpaceOf("{target: GLB, type: dataspace, bypass_only: [A]}", known);
    ASSERT_EQ(bypass.keeps[LevelId(kGlb)].size(), 1U);
    EXPECT_EQ(bypass.keeps[LevelId(kGlb)][0].bits(), 6U);
    const Space all = SpaceOf("{target: GLB, type: dataspace, keep: ['*']}", known);
    ASSERT_EQ(all.keeps[LevelId(kGlb)].size(), 1U);
    EXPECT_EQ(all.keeps[LevelId(kGlb)][0].bits(), 7U);
  }
}

TEST(TimeloopConstraintForms, ParallelismIsTheShareOfAllLanes) {
  for (const char* type : {"utilization", "parallelism"}) {
    const Outcome read = ReadWith(std::string("{target: RF, type: ") + type + ", min: 0.5}");
    ASSERT_TRUE(read.architecture.has_value()) << read.said;
    const auto space = MakeSpace(TheProblem(), *read.architecture, Mapspace::kPerfect);
    EXPECT_EQ(space->min_lanes[LevelId(kGlb)], 8);  // of 16, and 1 of 2 below the register file
    EXPECT_EQ(space->min_lanes[LevelId(kRf)], 1);
    EXPECT_THAT(read.said,
                HasSubstr("warning: the share of all lanes is asked of every fan-out by itself"));
  }
  EXPECT_EQ(ReadWith("{target: RF, type: parallelism, min: 1}").said, "");
  EXPECT_THAT(ReadWith("{target: GLB, type: parallelism, min: 0.5}").said,
              HasSubstr("error: parallelism is constrained at the innermost level, not at 'GLB'"));
  EXPECT_THAT(ReadWith("{target: RF, type: parallelism, min: 1.5}").said,
              HasSubstr("error: a least utilisation must be from 0 to 1"));
  EXPECT_THAT(ReadWith("{target: RF, type: parallelism}").said,
              HasSubstr("error: the constraint has no 'min'"));
}

TEST(TimeloopConstraintForms, TargetsByNameAndByNumber) {
  for (const char* target : {"target: GLB", "name: GLB", "target: 1", "target: \"GLB[0..0]\""}) {
    const Space space =
        SpaceOf("{" + std::string(target) + ", type: temporal, factors: M=2}", true);
    EXPECT_EQ(Steps(space, kGlb, kM), (FactorRange{2, 2})) << target;
  }
  EXPECT_THAT(ReadWith("{target: GLBB, type: temporal, factors: M=2}").said,
              HasSubstr("error: there is no level 'GLBB'"));
  EXPECT_THAT(ReadWith("{target: 7, type: temporal, factors: M=2}").said,
              HasSubstr("error: there is no level 7"));
  EXPECT_THAT(ReadWith("{target: DRAM, type: spatial, factors: M=1}").said,
              HasSubstr("warning: 'DRAM' has no fan-out; its spatial constraint has no effect"));
}

TEST(TimeloopConstraintForms, TheOldNestedForm) {
  const Space space = SpaceOf(
      "{target: GLB, constraints: [{type: temporal, attributes: {factors: M=2}}, {type: temporal, "
      "factors: K=4}]}",
      true);
  EXPECT_EQ(Steps(space, kGlb, kM), (FactorRange{2, 2}));
  EXPECT_EQ(Steps(space, kGlb, kK), (FactorRange{4, 4}));
}

// What changes counts or the mapspace and has no counterpart is named at its place.
TEST(TimeloopConstraintForms, WhatIsNotTranslatedIsNamed) {
  for (const char* text :
       {"{target: GLB, type: spatial, no_link_transfer: [A]}",
        "{target: GLB, type: spatial, no_reuse: [A]}",
        "{target: GLB, type: spatial, no_multicast_no_reduction: [A]}",
        "{target: GLB, type: temporal, no_reuse: [A]}",
        "{target: GLB, type: temporal, no_temporal_reuse: [A]}",
        "{target: GLB, type: temporal, rmw_first_update: [Z]}",
        "{target: GLB, type: temporal, rmw_on_first_writeback: [Z]}",
        "{target: GLB, type: spatial, maximize_dims: [[M, K]]}",
        "{target: GLB, type: temporal, maximize_dims: [M], maximize_dims_capacity: 4}",
        "{target: GLB, type: dataspace, no_coalesce: [A]}",
        "{target: GLB, type: bypass, passthrough: [A]}",
        "{target: GLB, type: no_link_transfer, datatypes: [A]}",
        "{target: GLB, type: no_multicast, datatypes: [A]}",
        "{target: GLB, type: no_reduction, datatypes: [Z]}",
        "{target: GLB, type: no_multicast_no_reduction, datatypes: [A]}"}) {
    EXPECT_THAT(ReadWith(text).said, HasSubstr("is not translated")) << text;
    EXPECT_THAT(ReadWith(text).said, HasSubstr("f.yaml:26:")) << text;
  }
  EXPECT_THAT(ReadWith("{target: GLB, type: max_overbooked_proportion, proportion: 0.1}").said,
              HasSubstr("warning: overbooking is not modelled"));
  EXPECT_THAT(ReadWith("{target: GLB, type: temproal, factors: M=2}").said,
              HasSubstr("error: unknown type of constraint 'temproal'"));
  EXPECT_THAT(ReadWith("{target: GLB, type: temporal, factor: M=2}").said, HasSubstr("'factor'"));
}

// Timeloop refuses a constraint that both the architecture and the mapspace have.
TEST(TimeloopConstraintForms, WhatIsSaidTwiceIsAnError) {
  const auto twice = [](const std::string& first, const std::string& second) {
    return Read(std::string(kProblem) + kTree +
                "architecture_constraints:\n  targets:\n  - {target: " + first + "}\n" +
                Section("  - {target: " + second + "}\n"))
        .said;
  };
  EXPECT_THAT(twice("GLB, type: temporal, factors: M=2", "GLB, type: temporal, factors: M=2"),
              HasSubstr("error: the factor of 'M' at 'GLB' is constrained twice"));
  EXPECT_THAT(twice("GLB, type: temporal, permutation: MK", "GLB, type: temporal, permutation: MK"),
              HasSubstr("error: 'permutation' of 'GLB' is given twice"));
  EXPECT_THAT(twice("GLB, type: spatial, split: 0", "GLB, type: spatial, split: 0"),
              HasSubstr("error: 'split' of 'GLB_fanout' is given twice"));
  EXPECT_THAT(twice("RF, type: parallelism, min: 1", "RF, type: utilization, min: 1"),
              HasSubstr("error: the parallelism is constrained twice"));
  EXPECT_THAT(twice("GLB, type: bypass, keep: [A]", "GLB, type: bypass, bypass: [A]"),
              HasSubstr("error: 'GLB' both keeps and bypasses 'A'"));
  EXPECT_THAT(twice("GLB, type: temporal, factors: M=2", "GLB, type: temporal, factors: K<=2"),
              Not(HasSubstr("error")));
}

// The front end gives a container no loops in time.
TEST(TimeloopConstraintForms, ContainersHaveNoLoops) {
  const Outcome read = Read(std::string(kProblem) + R"(
architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {datawidth: 16, vector_access_energy: 100}}
  - !Container {name: PE, spatial: {meshX: 4}}
  - !Component {name: RF, class: regfile, attributes: {depth: 64, width: 16, datawidth: 16, vector_access_energy: 1}}
  - !Component {name: MAC, class: intmac, attributes: {datawidth: 16, energy: 1}}
)");
  ASSERT_TRUE(read.architecture.has_value()) << read.said;
  const auto space = MakeSpace(TheProblem(), *read.architecture, Mapspace::kPerfect);
  for (const DimId dim : {kM, kN, kK}) EXPECT_EQ(Steps(*space, 1, dim), (FactorRange{1, 1}));
}

}  // namespace
}  // namespace inlay::io
