#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/io/library/library.h"
#include "inlay/io/native/native.h"

namespace inlay::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Inputs> ReadStudy(const std::string& body) {
  return ReadNative({{"s.yaml", "format: inlay/1\nstudy:\n" + body}}, BuiltinContext());
}

Study Good(const std::string& body) {
  auto inputs = ReadStudy(body);
  EXPECT_TRUE(inputs) << (inputs ? "" : Format(inputs.error()));
  return inputs && inputs->study ? *inputs->study : Study();
}

std::vector<std::string> Errors(const std::string& body) {
  const auto inputs = ReadStudy(body);
  std::vector<std::string> errors;
  if (inputs) return errors;
  for (const Diagnostic& error : inputs.error()) {
    errors.push_back(std::to_string(error.location.line) + ": " + error.message +
                     (error.hint.empty() ? "" : " (" + error.hint + ")"));
  }
  return errors;
}

std::vector<std::string> Labels(const StudyAxis& axis) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < axis.size(); ++i) labels.push_back(axis.LabelAt(i));
  return labels;
}

TEST(StudyKindTest, RangesAndLists) {
  const Study study = Good(
      "  name: s\n"
      "  run: map\n"
      "  grid: {seed: [1..3, 7], mapspace: perfect, workload: [{gemm: {P: 2..3, K: [4, 5], C: "
      "1}}]}\n");
  const auto& axes = study.grids.at(0).axes;
  EXPECT_THAT(Labels(axes[0]), ElementsAre("1", "2", "3", "7"));
  EXPECT_THAT(Labels(axes[1]), ElementsAre("perfect"));
  EXPECT_THAT(Labels(axes[2]), ElementsAre("P=2 K=4", "P=2 K=5", "P=3 K=4", "P=3 K=5"));
  const auto layer = axes[2].At(1);
  ASSERT_TRUE(layer);
  const Problem& problem = layer->workload->layers.at(0).problem;
  EXPECT_EQ(problem.dims[*FindDim(problem, "K")].bound, 5);
}

TEST(StudyKindTest, SeveralGridsWithRunsOfTheirOwn) {
  const Study study = Good(
      "  name: s\n"
      "  run: map\n"
      "  grid:\n"
      "  - {workload: alexnet, arch: eyeriss}\n"
      "  - {run: eval, case: gemm-any}\n");
  ASSERT_EQ(study.grids.size(), 2U);
  EXPECT_EQ(study.grids[0].run, "map");
  EXPECT_EQ(study.grids[1].run, "eval");
  EXPECT_EQ(study.grids[1].axes.size(), 1U);
}

TEST(StudyKindTest, VariantsOfArchitectures) {
  const Study study = Good(
      "  name: s\n"
      "  run: map\n"
      "  grid:\n"
      "    arch:\n"
      "    - {like: eyeriss, label: small, GLB: {capacity: 1024 words, keep: [Inputs, Outputs]}}\n"
      "    - {like: toy-16, constraints: [{at: PEs, factors: {D: 16}}]}\n");
  const StudyAxis& axis = study.grids.at(0).axes.at(0);
  ASSERT_EQ(axis.size(), 2U);
  const auto small = axis.At(0), constrained = axis.At(1);
  ASSERT_TRUE(small && constrained);
  EXPECT_EQ(small->label, "small");
  EXPECT_EQ(small->architecture->levels[LevelId(1)].capacity_words, 1024);
  // The architecture's own constraints stay.
  EXPECT_GT(small->architecture->constraints.size(), 1U);
  EXPECT_EQ(constrained->architecture->constraints.size(), 1U);
}

TEST(StudyKindTest, Claims) {
  const Study study = Good(
      "  name: s\n"
      "  run: map\n"
      "  grid: {workload: alexnet, mapspace: [perfect, ruby-s]}\n"
      "  claims:\n"
      "  - {what: EDP, paper: -14 %, metric: edp, of: {mapspace: ruby-s}, against: {mapspace: "
      "perfect}, show: change, over: layers, take: geomean, note: why}\n");
  ASSERT_EQ(study.claims.size(), 1U);
  EXPECT_EQ(study.claims[0], (StudyClaim{"EDP",
                                         "-14 %",
                                         "edp",
                                         {{"mapspace", "ruby-s"}},
                                         {{"mapspace", "perfect"}},
                                         StudyClaim::Over::kLayers,
                                         StudyClaim::Show::kChange,
                                         StudyClaim::Take::kGeomean,
                                         "why"}));
}

TEST(StudyKindTest, AllErrorsAtTheirPlaces) {
  EXPECT_THAT(Errors("  name: s\n  run: map\n"), ElementsAre(HasSubstr("'grid'")));
  EXPECT_THAT(
      Errors("  name: s\n"
             "  run: map\n"
             "  grid:\n"
             "    arch:\n"
             "    - {like: eyeris}\n"
             "    - {like: eyeriss, GBL: {capacity: 1 KiB}}\n"
             "    - {array: {x: 2}}\n"
             "    - {like: eyeriss, array: {x: two}}\n"
             "    mapspace: [{like: perfect}]\n"
             "    seed: 9..1\n"),
      ElementsAre(HasSubstr("7: there is no built-in architecture 'eyeris'"),
                  HasSubstr("8: the architecture has no level or fan-out 'GBL' (did you mean "
                            "'GLB'?)"),
                  HasSubstr("9: a variant does not say what it is like"), HasSubstr("10: "),
                  HasSubstr("11: a setting of 'mapspace' is a single value"),
                  HasSubstr("12: '9..1' is no range")));
  EXPECT_THAT(Errors("  name: s\n"
                     "  run: map\n"
                     "  grid: {workload: alexnet, mapspace: [perfect, perfect]}\n"
                     "  claims:\n"
                     "  - {what: a, paper: b, metric: edp, of: {mapspac: perfect}}\n"
                     "  - {what: a, paper: b, metric: edp, of: {mapspace: ruby}, show: ratio}\n"),
              ElementsAre(HasSubstr("5: the axis 'mapspace' has 'perfect' twice"),
                          HasSubstr("7: no grid has an axis 'mapspac' (did you mean 'mapspace'?)"),
                          HasSubstr("8: a ratio needs 'against'"),
                          HasSubstr("8: the axis 'mapspace' has no setting 'ruby'")));
}

TEST(StudyKindTest, FiguresThatNoRunHas) {
  EXPECT_THAT(
      Errors("  name: s\n"
             "  run: map\n"
             "  grid: {workload: alexnet, mapspace: [perfect, ruby-s]}\n"
             "  figure:\n"
             "    x: mapspce\n"
             "    y: enery_pj\n"
             "    series: [workload, arc]\n"
             "  claims:\n"
             "  - {what: a, paper: b, metric: edpp}\n"
             "  - {what: a, paper: b, metric: size}\n"
             "  - {what: a, paper: b, metric: seconds}\n"
             "  - {what: a, paper: b, metric: seconds, over: layers}\n"
             "  - {what: a, paper: b, metric: edp, noote: c}\n"),
      ElementsAre(HasSubstr("7: there is neither an axis nor a figure 'mapspce' (did you mean"),
                  HasSubstr("8: points have no figure 'enery_pj' (did you mean 'energy_pj'?)"),
                  HasSubstr("9: no grid has an axis 'arc'"),
                  HasSubstr("11: points have no figure 'edpp' (did you mean 'edp'?)"),
                  HasSubstr("12: points have no figure 'size' (expected one of"),
                  HasSubstr("14: layers have no figure 'seconds'"), HasSubstr("15: ")));
  EXPECT_THAT(Errors("  name: s\n"
                     "  run: map\n"
                     "  grid: {workload: [{layers: [{name: a, gemm: {P: 1, K: 1, C: 1}}], labl: "
                     "x}]}\n"),
              ElementsAre(HasSubstr("5: ")));
}

TEST(StudyKindTest, TooManyPoints) {
  EXPECT_THAT(Errors("  name: s\n"
                     "  run: map\n"
                     "  grid: {seed: 1..100000, time_limit: 1..100000, search_size: 1..100000, "
                     "mapspace: [ruby, any]}\n"),
              ElementsAre(HasSubstr("more than 1000000000000000 points")));
  // Of all grids together, however many: 18,447 × 10^15 is more than 64 bits hold.
  std::string grids = "  name: s\n  run: map\n  grid:\n";
  for (int i = 0; i < 18'447; ++i) {
    grids += "  - {seed: 1..100000, time_limit: 1..100000, search_size: 1..100000}\n";
  }
  EXPECT_THAT(Errors(grids), ElementsAre(HasSubstr("more than 1000000000000000 points")));
}

// What is not counted out is counted all the same: 10^15 points, one axis of 10^10 variants.
TEST(StudyKindTest, ManyPointsAreNotExpanded) {
  const Study study = Good(
      "  name: s\n"
      "  run: map\n"
      "  grid:\n"
      "    workload: [{gemm: {P: 1..100000, K: 1..100000, C: 2}}, alexnet]\n"
      "    seed: [1..99999]\n"
      "  claims:\n"
      "  - {what: a, paper: b, metric: edp, of: {workload: P=77 K=99999, seed: 5}}\n");
  const StudyAxis& axis = study.grids.at(0).axes.at(0);
  EXPECT_EQ(axis.size(), 10'000'000'001U);
  EXPECT_EQ(PointsOf(study), axis.size() * 99'999);
  EXPECT_EQ(axis.LabelAt(123'456), "P=2 K=23457");
  EXPECT_EQ(axis.Find("P=2 K=23457"), 123'456U);
  EXPECT_EQ(axis.Find("alexnet"), axis.size() - 1);
  for (const char* label : {"P=2", "P=2 K=0", "P=2 K=100001", "P=2 K=023457", "P=2 K=3x", ""}) {
    EXPECT_EQ(axis.Find(label), std::nullopt) << label;
  }
  EXPECT_EQ(axis.At(123'456)->workload->name, "P=2 K=23457");
  EXPECT_EQ(StudyNumbers(study).SettingsOf(99'999 * size_t{123'456} + 6),
            (StudyFilter{{"workload", "P=2 K=23457"}, {"seed", "7"}}));
}

TEST(StudyKindTest, EveryLabelOnceHoweverMany) {
  const auto errors = [](const std::string& grid) {
    return Errors("  name: s\n  run: map\n  grid: " + grid + "\n");
  };
  EXPECT_THAT(errors("{seed: [1..3, 2, 3..4]}"),
              ElementsAre(HasSubstr("has '2' twice"), HasSubstr("has '3' twice")));
  EXPECT_THAT(errors("{seed: [1..100000, 70000]}"), ElementsAre(HasSubstr("has '70000' twice")));
  EXPECT_THAT(errors("{seed: [1..100000, 100000..100001]}"),
              ElementsAre(HasSubstr("has '100000' twice")));
  EXPECT_THAT(errors("{workload: [{gemm: {P: [1..100000, 5], K: [1, 2], C: 1}}]}"),
              ElementsAre(HasSubstr("has 'P=5 K=1' twice")));
  EXPECT_THAT(errors("{workload: [{label: g, gemm: {P: [1..20000, 5], K: 1, C: 1}}]}"),
              ElementsAre(HasSubstr("has 'g P=5' twice")));
  EXPECT_THAT(errors("{workload: [{gemm: {P: 1..200, K: 1..200, C: 1}}, {gemm: {P: [7, 200..300], "
                     "K: [300, 9], C: 1}}]}"),
              ElementsAre(HasSubstr("has 'P=7 K=9' twice")));
  EXPECT_THAT(errors("{workload: [{gemm: {P: 1..20000, K: 1, C: 1}}, {label: a, gemm: {P: 1, K: 1, "
                     "C: 1}}, {label: a, gemm: {P: 2, K: 1, C: 1}}]}"),
              ElementsAre(HasSubstr("has 'a' twice")));
  EXPECT_THAT(errors("{workload: [{gemm: {P: 1..200, K: 1..200, C: 1}}, {label: P=3 K=200, gemm: "
                     "{P: 1, K: 1, C: 1}}]}"),
              ElementsAre(HasSubstr("has 'P=3 K=200' twice")));
  EXPECT_THAT(errors("{workload: [{gemm: {P: 1..200, K: 1..200, C: 1}}, {gemm: {P: 1..200, K: "
                     "201..300, C: 1}}, {label: a, gemm: {P: 1, K: 1, C: 1}}]}"),
              ElementsAre());
  EXPECT_THAT(errors("{seed: [1..100000, 100001..200000]}"), ElementsAre());
}

// A variant is wrong at one of the ends of what varies, or when its turn comes.
TEST(StudyKindTest, VariantsAreCheckedByWhatVaries) {
  EXPECT_THAT(Errors("  name: s\n"
                     "  run: map\n"
                     "  grid:\n"
                     "    arch: [{like: eyeriss, array: {x: [1..100000, 0], y: 1..100000}}]\n"),
              ElementsAre(HasSubstr("6: ")));
}

}  // namespace
}  // namespace inlay::io
