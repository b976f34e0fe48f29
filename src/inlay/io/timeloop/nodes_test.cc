// The 0.4 form with nodes, its constraints, and how directives find fan-outs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "inlay/io/timeloop/read.h"

namespace inlay::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kNodes = R"(
variables: {version: 0.4, bits: 8}
problem:
  version: 0.4
  shape:
    name: conv
    dimensions: [C, M, P]
    data_spaces:
    - {name: W, projection: [C, M]}
    - {name: I, projection: [C, P]}
    - {name: O, projection: [M, P], read_write: true}
  instance: {C: 4, M: 6, P: 8}
architecture:
  version: 0.4
  nodes:
  - !Container {name: system, attributes: {technology: 45nm, datawidth: bits}}
  - !Component
    name: DRAM
    class: DRAM
    attributes: {width: 64, vector_access_energy: 100}
  - !Component
    name: glb
    class: smartbuffer_SRAM
    attributes: &buffer {depth: 12 * 34, width: datawidth * 2, vector_access_energy: 4}
    constraints:
      dataspace: {keep: [I, O], bypass: [W]}
      temporal: {factors: [C=1, M<=4], permutation: [P, C]}
  - !Container
    name: PE
    spatial: {meshX: 2, meshY: 3}
    constraints:
      spatial: {permutation: [M, C, P], split: 1, factors: [P=1]}
  - !Parallel
    nodes:
    - !Component {name: w_spad, class: regfile, attributes: {<<: *buffer, depth: 16}, constraints: {dataspace: {keep: [W]}}}
    - !Component {name: o_spad, class: regfile, attributes: {<<: *buffer, depth: 8}, constraints: {dataspace: {keep: [O, I]}}}
  - !Component {name: mac, class: intmac, attributes: {multiplier_width: 8, energy: 1}, spatial: {meshX: 4}}
)";

Result<Inputs> Read(const std::string& text) { return ReadTimeloop({{"f.yaml", text}}); }

Inputs ReadWell(const std::string& text) {
  auto inputs = Read(text);
  EXPECT_TRUE(inputs.has_value()) << Format(inputs.error());
  return inputs ? *std::move(inputs) : Inputs();
}

std::string Errors(const std::string& text) {
  const auto inputs = Read(text);
  return inputs ? "" : Format(inputs.error());
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(TimeloopNodesTest, BecomeLevels) {
  const Inputs inputs = ReadWell(kNodes);
  EXPECT_EQ(Format(inputs.warnings), "");
  EXPECT_EQ(inputs.format, "timeloop-0.4");
  const Architecture& architecture = inputs.architecture.value();
  EXPECT_THAT(LevelNames(architecture),
              ElementsAre("DRAM", "glb", "inter_PE_spatial", "w_spad", "o_spad"));
  const Level& dram = architecture.levels[LevelId(0)];
  EXPECT_EQ(dram.word_bits, 8);
  EXPECT_EQ(dram.block_words, 8);
  const Level& glb = architecture.levels[LevelId(1)];
  EXPECT_EQ(glb.block_words, 2);
  EXPECT_EQ(glb.capacity_words, 12 * 34 * 2);
  const Level& container = architecture.levels[LevelId(2)];
  EXPECT_EQ(container.fanout.x, 2);
  EXPECT_EQ(container.fanout.y, 3);
  EXPECT_EQ(container.energy, AccessEnergy());
  EXPECT_EQ(architecture.levels[LevelId(3)].capacity_words, 32);
  EXPECT_EQ(architecture.levels[LevelId(4)].fanout.x, 4);
  EXPECT_EQ(ComputeLanes(architecture), 24);
}

TEST(TimeloopNodesTest, TensorsFollowTheConstraints) {
  const Architecture architecture = ReadWell(kNodes).architecture.value();
  const auto residency = [&](size_t level, const char* tensor) {
    return KeepRuleOf(architecture.levels[LevelId(level)], tensor);
  };
  EXPECT_EQ(residency(0, "W"), KeepRule::kKeep);
  EXPECT_EQ(residency(1, "W"), KeepRule::kBypass);
  EXPECT_EQ(residency(1, "I"), KeepRule::kKeep);
  EXPECT_EQ(residency(2, "O"), KeepRule::kBypass);
  // Peers: what one branch keeps, the other bypasses.
  EXPECT_EQ(residency(3, "W"), KeepRule::kKeep);
  EXPECT_EQ(residency(3, "O"), KeepRule::kBypass);
  EXPECT_EQ(residency(4, "W"), KeepRule::kBypass);
  EXPECT_EQ(residency(4, "I"), KeepRule::kKeep);
}

TEST(TimeloopNodesTest, LoopConstraintsAreTranslated) {
  const Architecture architecture = ReadWell(kNodes).architecture.value();
  ASSERT_EQ(architecture.constraints.size(), 3U);
  EXPECT_EQ(architecture.constraints[0].at, "inter_PE_spatial");
  EXPECT_TRUE(architecture.constraints[0].loops.value().empty());
  const Constraint& glb = architecture.constraints[1];
  EXPECT_EQ(glb.at, "glb");
  EXPECT_THAT(glb.factors, ElementsAre(FactorBound{"C", Relation::kEqual, 1},
                                       FactorBound{"M", Relation::kAtMost, 4}));
  EXPECT_THAT(glb.innermost, ElementsAre("P", "C"));
  const Constraint& array = architecture.constraints[2];
  EXPECT_EQ(array.at, "inter_PE_spatial_fanout");
  EXPECT_THAT(array.x.value(), ElementsAre("M"));
  EXPECT_THAT(array.not_y, ElementsAre("M"));
  EXPECT_FALSE(array.y.has_value());
}

// A mapping whose spatial directive names the fan-out of the container in different ways.
Result<Mapping> MapWith(const std::string& target) {
  const Inputs inputs = ReadWell(std::string(kNodes) + R"(
mapping:
- {target: glb, type: temporal, factors: P=8 M=3, permutation: MPC}
- {target: )" + target + R"(, type: spatial, factors: M=2 C=2, permutation: MCP, split: 1}
- {target: w_spad, type: temporal, factors: C=2}
)");
  return inputs.mapping(*inputs.problem, *inputs.architecture);
}

TEST(TimeloopNodesTest, DirectivesFindTheFanout) {
  for (const char* target : {"inter_PE_spatial", "PE", "glb"}) {
    const auto mapping = MapWith(target);
    ASSERT_TRUE(mapping.has_value()) << Format(mapping.error());
    EXPECT_EQ(mapping->levels[LevelId(2)].spatial,
              (std::vector<Loop>{{DimId(0), 2, Axis::kY}, {DimId(1), 1, Axis::kX}}));
    EXPECT_TRUE(mapping->levels[LevelId(2)].keep.empty());
    EXPECT_EQ(mapping->levels[LevelId(1)].keep.size(), 2);
  }
  const auto nowhere = MapWith("DRAM");
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_THAT(Format(nowhere.error()), HasSubstr("there is no fan-out below 'DRAM'"));
}

TEST(TimeloopNodesTest, ADirectiveMaySpreadOverContainersWithAxesOfTheirOwn) {
  const std::string two = Replaced(kNodes, "    name: PE\n    spatial: {meshX: 2, meshY: 3}\n",
                                   "    name: row\n    spatial: {meshY: 3}\n"
                                   "  - !Container\n    name: PE\n    spatial: {meshX: 2}\n");
  const std::string mapping = R"(
mapping:
- {target: DRAM, type: temporal, factors: P=8 M=3}
- {target: glb, type: spatial, factors: M=2 C=2, permutation: MCP, split: 1}
- {target: w_spad, type: temporal, factors: C=2}
)";
  const Inputs inputs = ReadWell(two + mapping);
  const auto bound = inputs.mapping(*inputs.problem, *inputs.architecture);
  ASSERT_TRUE(bound.has_value()) << Format(bound.error());
  EXPECT_EQ(bound->levels[LevelId(2)].spatial, (std::vector<Loop>{{DimId(0), 2, Axis::kY}}));
  EXPECT_EQ(bound->levels[LevelId(3)].spatial, (std::vector<Loop>{{DimId(1), 1, Axis::kX}}));

  const Inputs both = ReadWell(Replaced(two, "{meshY: 3}", "{meshX: 3}") + mapping);
  const auto unbound = both.mapping(*both.problem, *both.architecture);
  ASSERT_FALSE(unbound.has_value());
  EXPECT_THAT(Format(unbound.error()), HasSubstr("2 containers that share an axis"));
}

TEST(TimeloopNodesTest, OwnFanoutOfAComponent) {
  const Inputs inputs =
      ReadWell(Replaced(Replaced(kNodes, "  - !Container\n    name: PE\n",
                                 "  - !Component\n    name: PE\n    class: SRAM\n    attributes: "
                                 "{vector_access_energy: 1}\n"),
                        "spatial: {meshX: 4}", "spatial: {meshX: 1}") +
               R"(
mapping:
- {target: DRAM, type: temporal, factors: P=8 C=4 M=3}
- {target: PE, type: spatial, factors: M=2}
)");
  const auto mapping = inputs.mapping(*inputs.problem, *inputs.architecture);
  ASSERT_TRUE(mapping.has_value()) << Format(mapping.error());
  EXPECT_EQ(mapping->levels[LevelId(1)].spatial.size(), 1U);
}

TEST(TimeloopNodesTest, ReportsFaults) {
  EXPECT_THAT(Errors(Replaced(kNodes, "!Parallel", "!Paralel")),
              HasSubstr("unknown tag '!Paralel'"));
  EXPECT_THAT(Errors(Replaced(kNodes, "datawidth * 2", "datawidht * 2")),
              HasSubstr("'datawidht' is not known here"));
  EXPECT_THAT(Errors(Replaced(kNodes, "meshY: 3", "meshZ: 3")), HasSubstr("unknown key 'meshZ'"));
  EXPECT_THAT(Errors(Replaced(kNodes, "meshY: 3", "meshY: 0")),
              HasSubstr("meshY must be at least 1, found 0"));
  EXPECT_THAT(Errors(Replaced(kNodes, "class: regfile", "class: flipflop")),
              HasSubstr("'flipflop' is no class"));
  EXPECT_THAT(Errors(Replaced(kNodes, "bypass: [W]", "bypass: [I]")),
              HasSubstr("'glb' both keeps and bypasses 'I'"));
  EXPECT_THAT(Errors(Replaced(kNodes, "{name: w_spad,", "{name: w_spad, spatial: {meshX: 2},")),
              HasSubstr("has a fan-out inside a !Parallel"));
}

constexpr const char* kClasses = R"(
components:
  version: 0.4
  classes:
  - name: smartbuffer_SRAM
    attributes: {depth: must_specify, width: must_specify, technology: must_specify, n_rw_ports: 1}
    subcomponents:
    - {name: storage, class: SRAM, attributes: {depth: depth * n_halves, flavour: flavour}}
)";

// With the attributes of every buffer written out. The technology is that of the system.
std::string WithClasses() {
  std::string text = Replaced(kNodes, "&buffer ", "");
  for (int spad = 0; spad < 2; ++spad) {
    text = Replaced(text, "<<: *buffer", "width: 16, vector_access_energy: 4");
  }
  return text + kClasses;
}

TEST(TimeloopNodesTest, WhatAClassAsksForMustBeGiven) {
  const std::string whole = WithClasses();
  EXPECT_EQ(Format(ReadWell(whole).warnings), "");
  const auto depth_is = [&](const std::string& text) {
    return Errors(Replaced(whole, "depth: 12 * 34", text));
  };
  EXPECT_THAT(depth_is("dpeth: 12 * 34"),
              AllOf(HasSubstr("f.yaml:21:5: error: 'glb' has no 'depth', which its class "
                              "'smartbuffer_SRAM' asks for"),
                    HasSubstr("did you mean it by 'dpeth'?")));
  for (const char* text : {"n_rw_ports: 1", "depth:", "depth: must_specify"}) {
    EXPECT_THAT(depth_is(text), HasSubstr("give it in the attributes of the component")) << text;
  }
  EXPECT_THAT(Errors(Replaced(whole, "technology: 45nm, ", "")),
              HasSubstr("'glb' has no 'technology'"));
  EXPECT_EQ(Errors(Replaced(Replaced(whole, "technology: 45nm, ", ""), "bits: 8",
                            "bits: 8, technology: 45nm")),
            "");
}

TEST(TimeloopNodesTest, AttributesThatNoClassHasAreNamed) {
  const auto warnings = [](const std::string& attributes) {
    return Format(
        ReadWell(Replaced(WithClasses(), "{depth: 12 * 34", "{depth: 12 * 34, " + attributes))
            .warnings);
  };
  EXPECT_THAT(warnings("read_bandwith: 2"),
              AllOf(HasSubstr("warning: attribute 'read_bandwith' of 'glb' is not used"),
                    HasSubstr("did you mean 'read_bandwidth'?")));
  EXPECT_THAT(warnings("n_rw_prots: 2"), HasSubstr("did you mean 'n_rw_ports'?"));
  EXPECT_THAT(warnings("colour: 2"), HasSubstr("class 'smartbuffer_SRAM' has no such attribute"));
  // What the class, its parts, or the component itself use.
  EXPECT_EQ(warnings("n_rw_ports: 2"), "");
  EXPECT_EQ(warnings("n_halves: 1, flavour: 3"), "");
  EXPECT_EQ(warnings("own: 3, n_rw_ports: own + 1"), "");
}

// The same architecture serves layers that lack the dimension; what uses it warns (unknown_dims).
TEST(TimeloopNodesTest, AConstraintOnADimensionThatTheProblemLacksStays) {
  const Inputs inputs = ReadWell(Replaced(kNodes, "factors: [P=1]", "factors: [X=1]"));
  const auto named = [](const Constraint& constraint) {
    return std::any_of(constraint.factors.begin(), constraint.factors.end(),
                       [](const FactorBound& bound) { return bound.dim == "X"; });
  };
  const auto& constraints = inputs.architecture->constraints;
  EXPECT_TRUE(std::any_of(constraints.begin(), constraints.end(), named));
}

std::string ConstraintWarnings(const std::string& target) {
  const auto inputs =
      Read(std::string(kNodes) + "architecture_constraints:\n  targets:\n  - " + target);
  return inputs ? Format(inputs->warnings) : Format(inputs.error());
}

TEST(TimeloopConstraintsTest, NothingIsDroppedSilently) {
  EXPECT_THAT(ConstraintWarnings("{target: glb, type: temporal, no_reuse: [W]}"),
              HasSubstr("'no_reuse' is not translated"));
  EXPECT_THAT(ConstraintWarnings("{target: glb, type: temporal, remainders: 0}"),
              HasSubstr("'remainders' must be at least 1"));
  EXPECT_THAT(ConstraintWarnings("{target: DRAM, type: spatial, factors: P=1}"),
              HasSubstr("'DRAM' has no fan-out; its spatial constraint has no effect"));
  EXPECT_THAT(ConstraintWarnings("{target: glb, type: max_overbooked_proportion, proportion: 0.1}"),
              HasSubstr("overbooking is not modelled"));
  EXPECT_THAT(ConstraintWarnings("{target: glb, type: temporl}"),
              HasSubstr("unknown type of constraint 'temporl'"));
  EXPECT_THAT(ConstraintWarnings("{target: gbl, type: temporal}"),
              HasSubstr("did you mean 'glb'?"));
  EXPECT_THAT(ConstraintWarnings("{target: glb, type: temporal, factors: C=1}"),
              HasSubstr("the factor of 'C' at 'glb' is constrained twice"));
}

TEST(TimeloopConstraintsTest, ReadsTheOldNestedForm) {
  const Inputs inputs = ReadWell(std::string(kNodes) + R"(
mapspace:
  template: ruby
  constraints: chosen
  constraints_chosen:
  - target: w_spad
    constraints:
    - {type: temporal, attributes: {factors: M>=2, permutation: C_M}}
  - target: o_spad
    constraints:
    - {type: utilization, attributes: {min: 0.25}}
  constraints_other: [{target: nowhere, type: temporal}]
)");
  const auto& constraints = inputs.architecture->constraints;
  ASSERT_EQ(constraints.size(), 6U);
  EXPECT_THAT(constraints[3].factors, ElementsAre(FactorBound{"M", Relation::kAtLeast, 2}));
  EXPECT_THAT(constraints[3].innermost, ElementsAre("C"));
  EXPECT_THAT(constraints[3].outermost, ElementsAre("M"));
  // The share of the lanes of both fan-outs.
  for (size_t i = 4; i < constraints.size(); ++i) {
    EXPECT_EQ(constraints[i].min_utilization, 0.25);
    EXPECT_FALSE(FindLevel(*inputs.architecture, constraints[i].at)) << constraints[i].at;
  }
}

TEST(TimeloopConstraintsTest, WholeDimensionsRemaindersAndDefaults) {
  const Inputs inputs = ReadWell(std::string(kNodes) + R"(
mapspace_constraints:
  targets:
  - {target: w_spad, type: temporal, factors: P=0 M<=2, default_max_factor: 8, default_min_factor: 2}
  - {target: glb, type: temporal, remainders: 5}
)");
  std::vector<Constraint> at_spad;
  int64_t closed = 0;
  for (const Constraint& constraint : inputs.architecture->constraints) {
    if (constraint.at == "w_spad" && !constraint.remainders) at_spad.push_back(constraint);
    if (constraint.at == "glb" && constraint.remainders) {
      EXPECT_EQ(constraint.remainders, 5);
    }
    if (constraint.at != "glb" && constraint.remainders) {
      EXPECT_EQ(constraint.remainders, 1) << constraint.at;
      ++closed;
    }
  }
  ASSERT_EQ(at_spad.size(), 2U);
  // A fixed factor is neither a most nor a least: the defaults hold for it as well.
  EXPECT_THAT(
      at_spad[0].factors,
      ElementsAre(FactorBound{"P", Relation::kEqual, 8}, FactorBound{"M", Relation::kAtMost, 2},
                  FactorBound{"P", Relation::kAtMost, 8}, FactorBound{"P", Relation::kAtLeast, 2},
                  FactorBound{"M", Relation::kAtLeast, 2}));
  EXPECT_EQ(at_spad[0].default_factor, (FactorBound{"", Relation::kAtMost, 8}));
  EXPECT_EQ(at_spad[1].default_factor, (FactorBound{"", Relation::kAtLeast, 2}));
  EXPECT_GT(closed, 2);
}

}  // namespace
}  // namespace inlay::io
