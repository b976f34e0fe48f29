#include "inlay/core/roles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Tensors by name; the last one is the result. "A=Inputs" gives A that role.
Problem ProblemOf(const std::vector<std::string>& tensors) {
  Problem problem;
  problem.name = "p";
  for (const std::string& text : tensors) {
    Tensor tensor;
    tensor.name = text.substr(0, text.find('='));
    if (text.find('=') != std::string::npos) tensor.role = text.substr(text.find('=') + 1);
    tensor.is_output = &text == &tensors.back();
    problem.tensors.push_back(tensor);
  }
  return problem;
}

Architecture Keeping(const std::vector<std::string>& keep, const std::vector<std::string>& bypass) {
  Architecture architecture;
  architecture.name = "a";
  architecture.levels.resize(1);
  architecture.levels[LevelId(0)].keep = TensorNameSet{false, keep};
  architecture.levels[LevelId(0)].bypass = TensorNameSet{false, bypass};
  return architecture;
}

std::vector<std::string> Meant(const Problem& problem, const char* name) {
  std::vector<std::string> names;
  for (const TensorId t : TensorsMeantBy(problem, name)) names.push_back(problem.tensors[t].name);
  return names;
}

TEST(RolesTest, ArePositionsWhereNothingElseIsSaid) {
  EXPECT_THAT(RolesOf(ProblemOf({"A", "B", "Z"})), ElementsAre("Weights", "Inputs", "Outputs"));
  EXPECT_THAT(RolesOf(ProblemOf({"X", "Y"})), ElementsAre("Inputs", "Outputs"));
  EXPECT_THAT(RolesOf(ProblemOf({"Inputs", "Weights", "Outputs"})),
              ElementsAre("Inputs", "Weights", "Outputs"));
  // What is named as usual has that role, and the other operand the other.
  EXPECT_THAT(RolesOf(ProblemOf({"Inputs", "Kernel", "Z"})),
              ElementsAre("Inputs", "Weights", "Outputs"));
  EXPECT_THAT(RolesOf(ProblemOf({"A=Inputs", "B", "Z"})),
              ElementsAre("Inputs", "Weights", "Outputs"));
  EXPECT_THAT(RolesOf(ProblemOf({"A", "B", "C", "Z"})), ElementsAre("", "", "", "Outputs"));
  EXPECT_THAT(RolesOf(ProblemOf({"A=Inputs", "B=Inputs", "C", "Z"})),
              ElementsAre("Inputs", "Inputs", "Weights", "Outputs"));
}

TEST(RolesTest, ANameMeansWhatHasTheRoleElseWhatIsCalledSo) {
  const Problem plain = ProblemOf({"A", "B", "Z"});
  EXPECT_THAT(Meant(plain, "Weights"), ElementsAre("A"));
  EXPECT_THAT(Meant(plain, "B"), ElementsAre("B"));
  EXPECT_THAT(Meant(plain, "Q"), IsEmpty());
  const Problem given = ProblemOf({"Weights=Inputs", "Inputs=Weights", "Z"});
  EXPECT_THAT(Meant(given, "Weights"), ElementsAre("Inputs"));
  EXPECT_THAT(Meant(ProblemOf({"A=Inputs", "B=Inputs", "Z"}), "Inputs"), ElementsAre("A", "B"));
}

TEST(RolesTest, TheArchitectureTakesTheNamesOfTheProblem) {
  Architecture architecture = Keeping({"Inputs", "Outputs"}, {"Weights"});
  architecture.levels[LevelId(0)].partitions = {{"Weights", 4}, {"Outputs", 2}};
  architecture.levels[LevelId(0)].tensor_bits = {{"Weights", 8}};
  Constraint constraint;
  constraint.keep = {"Weights"};
  architecture.constraints = {constraint};
  Architecture two = architecture, one = architecture;
  UseNamesOf(ProblemOf({"A", "B", "Z"}), &two);
  EXPECT_THAT(two.levels[LevelId(0)].keep->names, ElementsAre("B", "Z"));
  EXPECT_THAT(two.levels[LevelId(0)].bypass->names, ElementsAre("A"));
  EXPECT_EQ(two.levels[LevelId(0)].partitions[0].tensor, "A");
  EXPECT_EQ(two.levels[LevelId(0)].tensor_bits[0].tensor, "A");
  EXPECT_THAT(two.constraints[0].keep, ElementsAre("A"));
  // Nothing is left of what a problem of one operand does not have.
  UseNamesOf(ProblemOf({"X", "Y"}), &one);
  EXPECT_THAT(one.levels[LevelId(0)].keep->names, ElementsAre("X", "Y"));
  EXPECT_THAT(one.levels[LevelId(0)].bypass->names, IsEmpty());
  ASSERT_EQ(one.levels[LevelId(0)].partitions.size(), 1u);
  EXPECT_EQ(one.levels[LevelId(0)].partitions[0].tensor, "Y");
  // For each layer unless all have the same names, which are there already.
  const LayerTarget own = ForLayer(ProblemOf({"A", "B", "Z"}), architecture, {constraint}, false);
  EXPECT_THAT(own.architecture.levels[LevelId(0)].keep->names, ElementsAre("B", "Z"));
  EXPECT_THAT(own.constraints[0].keep, ElementsAre("A"));
  EXPECT_EQ(ForLayer(ProblemOf({"A", "B", "Z"}), architecture, {}, true).architecture,
            architecture);
}

TEST(RolesTest, WhatTakesThemByPositionIsWarnedOfTheirOrder) {
  const Architecture usual = Keeping({"Inputs", "Outputs"}, {"Weights"});
  const Diagnostics warned = CheckRoles(ProblemOf({"A", "B", "Z"}), usual);
  EXPECT_FALSE(HasErrors(warned));
  EXPECT_THAT(Format(warned), HasSubstr("by position: {A: Weights, B: Inputs, Z: Outputs}"));
  EXPECT_THAT(Format(warned), HasSubstr("else 'roles: {A: Inputs, B: Weights, Z: Outputs}'"));
  for (const auto& tensors : std::vector<std::vector<std::string>>{
           {"Weights", "Inputs", "Outputs"}, {"A=Inputs", "B=Weights", "Z=Outputs"}, {"X", "Y"}}) {
    EXPECT_THAT(CheckRoles(ProblemOf(tensors), usual), IsEmpty()) << tensors.front();
  }
  EXPECT_THAT(CheckRoles(ProblemOf({"A", "B", "Z"}), Keeping({"Outputs"}, {})), IsEmpty());
}

TEST(RolesTest, StrangersAreErrors) {
  const Architecture usual = Keeping({"Inputs"}, {"Weights"});
  EXPECT_THAT(Format(CheckRoles(ProblemOf({"A", "B", "C", "Z"}), usual)),
              HasSubstr("'roles: {A: Inputs, …}'"));
  EXPECT_TRUE(HasErrors(CheckRoles(ProblemOf({"A", "B", "Z"}), Keeping({"Wieghts"}, {}))));
  Architecture parts = usual;
  parts.levels[LevelId(0)].partitions = {{"Inputs", 4}};
  EXPECT_THAT(Format(CheckRoles(ProblemOf({"A=Inputs", "B=Inputs", "W=Weights", "Z"}), parts)),
              HasSubstr("one partition for 'Inputs'; several tensors"));
}

TEST(RolesTest, WrongRolesAreErrors) {
  const Architecture usual = Keeping({"Inputs", "Outputs"}, {"Weights"});
  const NamePlaces places = {[](const std::string& tensor, const std::string& role) {
                               return SourcePlace{{tensor + "-" + role, 3, 4}, ""};
                             },
                             [](const std::string& name) {
                               return SourcePlace{{"a-" + name, 5, 6}, ""};
                             }};
  const auto wrong = [&](const std::vector<std::string>& tensors) {
    return Format(CheckRoles(ProblemOf(tensors), usual, places));
  };
  const std::string misspelt = wrong({"A=Weight", "B=Inputs", "Z=Outputs"});
  EXPECT_THAT(misspelt, HasSubstr("A-Weight:3:4: error: architecture 'a' has no tensor 'Weight'"));
  EXPECT_THAT(misspelt, HasSubstr("did you mean 'Weights'?"));
  EXPECT_THAT(wrong({"A=inputs", "B", "Z"}), HasSubstr("did you mean 'Inputs'?"));
  const std::string swapped = wrong({"A=Outputs", "B=Weights", "Z=Inputs"});
  EXPECT_THAT(swapped, HasSubstr("A-Outputs:3:4: error: 'A' is an operand of problem 'p'"));
  EXPECT_THAT(swapped, HasSubstr("Z-Inputs:3:4: error: 'Z' is the result of problem 'p'"));
  // What the architecture names is right, and so is anything where it names no tensors.
  EXPECT_THAT(CheckRoles(ProblemOf({"A=Left", "B=Right", "Z=Sum"}),
                         Keeping({"Left", "Sum"}, {"Right"}), places),
              IsEmpty());
  EXPECT_THAT(CheckRoles(ProblemOf({"A=Left", "B", "Z"}), Keeping({}, {}), places), IsEmpty());
  const std::string stranger =
      Format(CheckRoles(ProblemOf({"A", "B", "Z"}), Keeping({"Input"}, {"Weights"}), places));
  EXPECT_THAT(stranger, HasSubstr("a-Input:5:6: error: architecture 'a' is for tensors"));
  EXPECT_THAT(stranger, HasSubstr("did you mean 'Inputs' by 'Input'?"));
}

TEST(RolesTest, OnlyASingleOperandLacksTheOther) {
  EXPECT_TRUE(MayLack(ProblemOf({"X", "Y"}), "Weights"));
  EXPECT_FALSE(MayLack(ProblemOf({"X", "Y"}), "Outputs"));
  EXPECT_FALSE(MayLack(ProblemOf({"A=Weight", "B=Inputs", "Z=Outputs"}), "Weights"));
  // Both are said to be Inputs: there are no Weights.
  EXPECT_TRUE(MayLack(ProblemOf({"A=Inputs", "B=Inputs", "Z"}), "Weights"));
  EXPECT_FALSE(MayLack(ProblemOf({"A=Inputs", "B", "C", "Z"}), "Weights"));
  const Architecture usual = Keeping({"Inputs", "Outputs"}, {"Weights"});
  const Diagnostics left_out =
      CheckRoles(ProblemOf({"A=Inputs", "B=Weights", "C", "Z=Outputs"}), usual);
  EXPECT_FALSE(HasErrors(left_out));
  EXPECT_THAT(Format(left_out), HasSubstr("tensor 'C' of problem 'p' has no role"));
}

TEST(RolesTest, ANameThatIsGivenAwayIsNoRole) {
  const Problem swapped = ProblemOf({"Weights", "Inputs=Weights", "Outputs"});
  EXPECT_THAT(RolesOf(swapped), ElementsAre("Inputs", "Weights", "Outputs"));
  EXPECT_THAT(Meant(swapped, "Weights"), ElementsAre("Inputs"));
  EXPECT_THAT(Meant(swapped, "Inputs"), ElementsAre("Weights"));
  const Problem taken = ProblemOf({"A=Inputs", "Inputs", "Z"});
  EXPECT_THAT(RolesOf(taken), ElementsAre("Inputs", "Weights", "Outputs"));
  EXPECT_THAT(Meant(taken, "Inputs"), ElementsAre("A"));
  EXPECT_THAT(Meant(taken, "A"), ElementsAre("A"));
  // Mappings have the names of the problem first.
  EXPECT_EQ(TensorOfMapping(swapped, "Weights"), TensorId(0));
  EXPECT_EQ(TensorOfMapping(taken, "Inputs"), TensorId(1));
  EXPECT_EQ(TensorOfMapping(taken, "Weights"), TensorId(1));
  EXPECT_EQ(TensorOfMapping(ProblemOf({"A=Inputs", "B=Inputs", "Z"}), "Inputs"), std::nullopt);
}

}  // namespace
}  // namespace inlay
