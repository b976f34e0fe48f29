#include "inlay/study/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "inlay/io/json/study_result.h"
#include "inlay/io/library/library.h"
#include "inlay/report/study.h"
#include "inlay/study/claims.h"
#include "inlay/study/figure.h"
#include "inlay/study/run_kinds.h"

namespace inlay::study {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Study Read(const std::string& body) {
  auto inputs = io::ReadNative({{"s.yaml", "format: inlay/1\nstudy:\n  name: s\n" + body}},
                               io::BuiltinContext());
  EXPECT_TRUE(inputs) << (inputs ? "" : Format(inputs.error()));
  return *std::move(inputs->study);
}

StudyResult MustRun(const Study& study, const StudyOptions& options = {}) {
  const StopFlag stop;
  io::LoadRecord record;
  auto result = RunStudy(study, options, stop, &record);
  EXPECT_TRUE(result) << (result ? "" : Format(result.error()));
  return *std::move(result);
}

// A study of DNNOPT's search on two small layers: fast, and it needs no proof.
Study SmallStudy() {
  return Read(
      "  run: map\n"
      "  grid:\n"
      "    workload: [{label: net, layers: [{name: a, gemm: {P: 40, K: 40, C: 40}}, {name: b, "
      "gemm: "
      "{P: 9, K: 70, C: 8}, repeat: 3}]}]\n"
      "    arch: [{like: systolic-os, SRAM: {capacity: [2 KiB, 4 KiB]}}]\n"
      "    strategy: dnnopt\n"
      "    exit: [safe, literal]\n"
      "  figure: {x: layer, y: model_offchip_words, series: [arch, exit]}\n"
      "  claims:\n"
      "  - {what: w, paper: p, metric: model_offchip_words, of: {exit: literal}, against: {exit: "
      "safe}, show: ratio, take: min}\n");
}

TEST(StudyTest, RunsEveryPointInOrder) {
  const StudyResult result = MustRun(SmallStudy());
  ASSERT_EQ(result.points.size(), 4U);
  std::vector<std::string> order;
  for (const StudyPoint& point : result.points) {
    EXPECT_EQ(point.status, PointStatus::kDone) << (point.reasons.empty() ? "" : point.reasons[0]);
    order.push_back(LabelAt(point, "arch") + " " + LabelAt(point, "exit"));
    ASSERT_EQ(point.layers.size(), 2U);
    // Repeats count in the totals.
    for (const char* name : {"energy_pj", "cycles", "offchip_words", "model_offchip_words"}) {
      EXPECT_DOUBLE_EQ(*point.figures.Find(name), *point.layers[0].figures.Find(name) +
                                                      3 * *point.layers[1].figures.Find(name))
          << name;
    }
    EXPECT_DOUBLE_EQ(*point.figures.Find("points_visited"),
                     *point.layers[0].figures.Find("points_visited") +
                         *point.layers[1].figures.Find("points_visited"));
  }
  EXPECT_THAT(order,
              ElementsAre("systolic-os capacity=2 KiB safe", "systolic-os capacity=2 KiB literal",
                          "systolic-os capacity=4 KiB safe", "systolic-os capacity=4 KiB literal"));
  ASSERT_EQ(result.claims.size(), 1U);
  EXPECT_EQ(result.claims[0].compared, 2U);
  EXPECT_GE(*result.claims[0].ours, 1.0);
  ASSERT_TRUE(result.drawing);
  EXPECT_EQ(result.drawing->rows.size(), 2U);
  EXPECT_EQ(result.drawing->series.size(), 4U);
}

TEST(StudyTest, SameFiguresAtAnyNumberOfThreads) {
  const StudyResult one = MustRun(SmallStudy()),
                    four = MustRun(SmallStudy(),
                                   {.threads = 4, .time_limit_seconds = {}, .limit = {}});
  ASSERT_EQ(one.points.size(), four.points.size());
  for (size_t i = 0; i < one.points.size(); ++i) {
    EXPECT_EQ(one.points[i].figures, four.points[i].figures);
    EXPECT_EQ(one.points[i].layers, four.points[i].layers);
  }
}

TEST(StudyTest, LimitAndStop) {
  const StudyResult some =
      MustRun(SmallStudy(), {.threads = 1, .time_limit_seconds = {}, .limit = 1});
  EXPECT_EQ(some.points[0].status, PointStatus::kDone);
  EXPECT_EQ(some.points[1].status, PointStatus::kNotRun);
  EXPECT_EQ(some.claims[0].compared, 0U);
  EXPECT_FALSE(some.claims[0].ours);
  StopFlag stop;
  stop.Request();
  io::LoadRecord record;
  const auto stopped = RunStudy(SmallStudy(), {}, stop, &record);
  ASSERT_TRUE(stopped);
  EXPECT_TRUE(stopped->interrupted);
  EXPECT_EQ(stopped->points[0].status, PointStatus::kNotRun);
}

// Searches that would go on for ever, of three points of two layers.
Study EndlessStudy() {
  return Read(
      "  run: map\n"
      "  grid:\n"
      "    workload: [{label: net, layers: [{name: a, gemm: {P: 40, K: 40, C: 40}}, {name: b, "
      "gemm: {P: 9, K: 70, C: 8}}]}]\n"
      "    arch: toy-5\n"
      "    strategy: random\n"
      "    victory_condition: 0\n"
      "    seed: 1..3\n"
      "  figure: {x: seed, y: edp}\n");
}

TEST(StudyTest, TheTimeLimitIsOfTheWholeStudyAndEveryPointHasAShare) {
  const StudyResult result =
      MustRun(EndlessStudy(), {.threads = 1, .time_limit_seconds = 0.9, .limit = {}});
  double seconds = 0;
  for (const StudyPoint& point : result.points) {
    EXPECT_EQ(point.status, PointStatus::kCut);
    seconds += point.seconds;
  }
  EXPECT_LT(seconds, 2.7);  // with the whole limit for every layer it would be twice as much
}

TEST(StudyTest, PointsFiguresAndClaimsSayWhetherTheyAreProven) {
  const Study study = Read(
      "  run: map\n"
      "  grid:\n"
      "    workload: [{label: g, gemm: {P: 6, K: 5, C: 4}}]\n"
      "    arch: toy-5\n"
      "    strategy: [exact, random]\n"
      "  figure: {x: strategy, y: edp}\n"
      "  claims:\n"
      "  - {what: w, paper: p, metric: edp, of: {strategy: exact}}\n"
      "  - {what: w, paper: p, metric: edp, of: {strategy: random}, against: {strategy: exact}, "
      "show: ratio}\n"
      "  - {what: w, paper: p, metric: operations}\n");
  const StudyResult result = MustRun(study);
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_EQ(result.points[0].proof->status, CertificateStatus::kOptimal);
  EXPECT_EQ(result.points[1].proof->status, CertificateStatus::kHeuristic);
  EXPECT_EQ(result.drawing->rows[0].proof[0]->status, CertificateStatus::kOptimal);
  EXPECT_EQ(result.drawing->rows[1].proof[0]->status, CertificateStatus::kHeuristic);
  EXPECT_EQ(result.claims[0].proof->status, CertificateStatus::kOptimal);
  EXPECT_EQ(result.claims[1].proof->status, CertificateStatus::kHeuristic);
  EXPECT_FALSE(result.claims[2].proof) << "a count of operations needs no proof";
}

TEST(StudyTest, OfPlansTheSearchesAreProvenAndTheBaselineNeedsNoProof) {
  const Study study = Read(
      "  run: plan\n"
      "  grid:\n"
      "    workload: squeezenet\n"
      "    machine: onsram\n"
      "    objective: bytes\n"
      "    strategy: [none, eager, exact]\n"
      "  figure: {x: strategy, y: offchip_bytes}\n"
      "  claims:\n"
      "  - {what: w, paper: p, metric: offchip_bytes, of: {strategy: none}, against: {strategy: "
      "exact}, show: ratio}\n"
      "  - {what: w, paper: p, metric: latency_us, of: {strategy: eager}}\n");
  const StudyResult result = MustRun(study);
  ASSERT_EQ(result.points.size(), 3U);
  EXPECT_FALSE(result.points[0].proof);
  EXPECT_EQ(result.points[1].proof->status, CertificateStatus::kHeuristic);
  EXPECT_EQ(result.points[1].proof->gap, result.points[1].figures.Find("gap"));
  EXPECT_LT(result.points[1].proof->gap, 1);
  EXPECT_EQ(result.points[2].proof->status, CertificateStatus::kOptimal);
  EXPECT_EQ(result.drawing->rows[2].proof[0]->status, CertificateStatus::kOptimal);
  EXPECT_EQ(result.claims[0].proof->status, CertificateStatus::kOptimal);
  EXPECT_EQ(result.claims[1].proof->status, CertificateStatus::kHeuristic);
}

TEST(StudyTest, AMetricMayBeProvenWhereTheMappingIsNot) {
  const std::optional<StudyCertificate> proof =
      StudyCertificate{CertificateStatus::kBounded, 0, {Metric::kDelay}};
  EXPECT_EQ(ProofOf(proof, "cycles")->status, CertificateStatus::kOptimal);
  EXPECT_EQ(ProofOf(proof, "utilization")->status, CertificateStatus::kOptimal);
  EXPECT_EQ(ProofOf(proof, "energy_pj")->status, CertificateStatus::kBounded);
  EXPECT_FALSE(ProofOf(proof, "padded_operations"));
  EXPECT_FALSE(ProofOf(std::nullopt, "cycles"));
  StudyCertificate worst{CertificateStatus::kOptimal, 0, {Metric::kDelay, Metric::kEnergy}};
  worst.Worsen(*proof);
  EXPECT_EQ(worst, *proof);
  worst.Worsen({CertificateStatus::kBounded, 0.25, {}});
  EXPECT_EQ(worst, (StudyCertificate{CertificateStatus::kBounded, 0.25, {}}));
  worst.Worsen({CertificateStatus::kOptimal, 0, {Metric::kDelay}});
  EXPECT_EQ(worst, (StudyCertificate{CertificateStatus::kBounded, 0.25, {}}));
  worst.Worsen({CertificateStatus::kHeuristic, 1, {}});
  EXPECT_EQ(worst.status, CertificateStatus::kHeuristic);
}

TEST(StudyTest, TheRunsAreThoseThatFilesMayName) {
  std::vector<std::string_view> names;
  for (const RunRecord& run : Runs()) names.push_back(run.name);
  EXPECT_THAT(names, ::testing::ElementsAreArray(kStudyRuns));
}

// The names that a study file is checked against are those that the runs give their figures.
TEST(StudyTest, EveryFigureThatARunGivesHasItsName) {
  const auto check = [](const StudyFigures& figures, const std::string& run,
                        StudyClaim::Over over) {
    const std::vector<std::string> names = StudyFigureNames(run, over);
    for (const auto& [name, value] : figures.values) EXPECT_THAT(names, Contains(name)) << run;
  };
  size_t dnnopt = 0;
  for (const StudyPoint& point : MustRun(SmallStudy()).points) {
    check(point.figures, "map", StudyClaim::Over::kPoints);
    dnnopt = std::max(dnnopt, point.figures.values.size());
    for (const StudyLayer& layer : point.layers) {
      check(layer.figures, "map", StudyClaim::Over::kLayers);
      // Everything but the operations of padding.
      EXPECT_EQ(layer.figures.values.size() + 1,
                StudyFigureNames("map", StudyClaim::Over::kLayers).size());
    }
  }
  EXPECT_EQ(dnnopt + 1, StudyFigureNames("map", StudyClaim::Over::kPoints).size());
  const Study others = Read(
      "  run: mapspace\n"
      "  grid:\n"
      "  - {workload: [{label: g, gemm: {P: 6, K: 5, C: 4}}], arch: toy-5, mapspace: ruby-s}\n"
      "  - {run: eval, case: gemm-any}\n"
      "  - {run: plan, workload: squeezenet, machine: onsram, strategy: greedy}\n"
      "  - {run: codesign, workload: [{label: g, gemm: {P: 6, K: 5, C: 4}}], method: gp, scope: "
      "dominant,\n"
      "     technology: thistle-45nm, area: 100000, mapspace: perfect}\n"
      "  - {run: batch, set: E, number: 1, policy: static}\n");
  const StudyResult result = MustRun(others);
  for (size_t i = 0; i < others.grids.size(); ++i) {
    const std::string& run = others.grids[i].run;
    const StudyPoint& point = result.points[i];
    check(point.figures, run, StudyClaim::Over::kPoints);
    const size_t layer_names = StudyFigureNames(run, StudyClaim::Over::kLayers).size();
    for (const StudyLayer& layer : point.layers) {
      check(layer.figures, run, StudyClaim::Over::kLayers);
      EXPECT_EQ(layer.figures.values.size(), layer_names) << run;
    }
    // Of batch, what every policy has, and the controls.
    EXPECT_EQ(
        point.figures.values.size(),
        run == "batch" ? layer_names + 3 : StudyFigureNames(run, StudyClaim::Over::kPoints).size())
        << run;
  }
}

TEST(StudyTest, APointWithoutAnAnswerDoesNotStopTheOthers) {
  const StudyResult result =
      MustRun(Read("  run: map\n"
                   "  grid:\n"
                   "    workload: [{label: g, gemm: {P: 40, K: 40, C: 40}}]\n"
                   "    arch: [{like: systolic-os, SRAM: {capacity: [16 words, 4 KiB]}}]\n"
                   "    strategy: dnnopt\n"));
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_EQ(result.points[0].status, PointStatus::kNoAnswer);
  ASSERT_FALSE(result.points[0].reasons.empty());
  EXPECT_THAT(result.points[0].reasons[0], HasSubstr("do not fit into 'SRAM'"));
  EXPECT_EQ(result.points[1].status, PointStatus::kDone);
}

TEST(StudyTest, ReasonsNameOptionsAsStudiesDo) {
  const StudyResult result = MustRun(Read(
      "  run: map\n"
      "  grid: {workload: alexnet/fc8, arch: systolic-os, strategy: dnnopt, objective: delay}\n"));
  ASSERT_EQ(result.points.size(), 1U);
  for (const StudyPoint& point : result.points) {
    EXPECT_THAT(point.reasons,
                ElementsAre("objective: the strategy 'dnnopt' minimises 'offchip' only"));
  }
}

TEST(StudyTest, ErrorsOfAllSettingsBeforeTheFirstPoint) {
  const StopFlag stop;
  io::LoadRecord record;
  const auto result = RunStudy(Read("  run: map\n"
                                    "  grid:\n"
                                    "  - {workload: [alexnt, alexnet], arch: eyeriss, mapspace: "
                                    "[perfekt, ruby-s]}\n"
                                    "  - {workload: alexnet, arch: eyeriss, mapspac: ruby}\n"
                                    "  - {run: mapspace, workload: alexnet, mapspace: ruby}\n"),
                               {}, stop, &record);
  ASSERT_FALSE(result);
  std::string all = Format(result.error());
  EXPECT_THAT(all, HasSubstr("alexnt"));
  EXPECT_THAT(all, HasSubstr("perfekt"));
  EXPECT_THAT(all, HasSubstr("no axis 'mapspac'"));
  EXPECT_THAT(all, HasSubstr("a grid has no axis 'arch'"));
  EXPECT_EQ(result.error().size(), 4U) << all;
  for (const Diagnostic& error : result.error()) {
    EXPECT_EQ(error.location.file, "s.yaml") << error.message;
    EXPECT_GT(error.location.line, 0) << error.message;
  }
}

// The points of as many grids as are needed, each with one point.
StudyPoints AllOf(const std::vector<StudyPoint>& points) {
  Study outline;
  for (const StudyPoint& point : points) {
    StudyGrid& grid = outline.grids.emplace_back();
    for (const auto& [axis, label] : point.settings) {
      grid.axes.push_back(StudyAxis::OfTexts(axis, {label}));
    }
  }
  StudyPoints all(outline);
  for (size_t i = 0; i < points.size(); ++i) all.Put(i, points[i]);
  return all;
}

StudyClaimResult JudgeAll(const StudyClaim& claim, const StudyPoints& points) {
  Study study = points.outline();
  study.claims = {claim};
  return Conclude(study, points).claims.at(0);
}

StudyDrawing DrawAll(const StudyFigure& figure, const StudyPoints& points) {
  Study study = points.outline();
  study.figure = figure;
  return *Conclude(study, points).drawing;
}

StudyPoint Point(StudyFilter settings, double edp) {
  StudyPoint point;
  point.settings = std::move(settings);
  point.status = PointStatus::kDone;
  point.figures.Set("edp", edp);
  point.figures.Set("area", 10 - edp);
  return point;
}

TEST(StudyTest, ClaimsPairPointsThatDifferInNothingElse) {
  const std::vector<StudyPoint> points = {
      Point({{"net", "a"}, {"space", "p"}}, 4), Point({{"net", "b"}, {"space", "p"}}, 8),
      Point({{"net", "a"}, {"space", "r"}}, 2), Point({{"net", "b"}, {"space", "r"}}, 2),
      Point({{"case", "hand"}}, 3)};
  StudyClaim claim{"w", "p", "edp", {{"space", "r"}}, {{"space", "p"}}, {}, {}, {}, ""};
  claim.show = StudyClaim::Show::kRatio;
  EXPECT_DOUBLE_EQ(*JudgeAll(claim, AllOf(points)).ours, (0.5 + 0.25) / 2);
  claim.take = StudyClaim::Take::kGeomean;
  EXPECT_NEAR(*JudgeAll(claim, AllOf(points)).ours, 0.3535533905932738, 1e-12);
  claim.take = StudyClaim::Take::kMin;
  claim.show = StudyClaim::Show::kChange;
  EXPECT_DOUBLE_EQ(*JudgeAll(claim, AllOf(points)).ours, -0.75);
  // The axes of `of` bind the other side too, unless `against` says otherwise.
  claim.of = {{"net", "b"}, {"space", "r"}};
  claim.take = StudyClaim::Take::kMax;
  EXPECT_DOUBLE_EQ(*JudgeAll(claim, AllOf(points)).ours, -0.75);
  claim.against = {{"case", "hand"}};
  EXPECT_DOUBLE_EQ(*JudgeAll(claim, AllOf(points)).ours, 2.0 / 3 - 1);
  claim.against = {};
  claim.of = {{"space", "p"}};
  claim.show = StudyClaim::Show::kValue;
  EXPECT_DOUBLE_EQ(*JudgeAll(claim, AllOf(points)).ours, 8);
}

TEST(StudyTest, FiguresAverageWhatFallsTogetherAndMarkTheFront) {
  const std::vector<StudyPoint> points = {
      Point({{"net", "a"}, {"seed", "1"}}, 4), Point({{"net", "a"}, {"seed", "2"}}, 6),
      Point({{"net", "b"}, {"seed", "1"}}, 1), Point({{"net", "b"}, {"seed", "2"}}, 5)};
  const StudyDrawing by_net = DrawAll({"net", "edp", {}, false}, AllOf(points));
  ASSERT_EQ(by_net.rows.size(), 2U);
  EXPECT_DOUBLE_EQ(*by_net.rows[0].y[0], 5);
  EXPECT_DOUBLE_EQ(*by_net.rows[1].y[0], 3);
  // A point without the axis x has a row of its own, named by what its column does not say.
  std::vector<StudyPoint> more = points;
  more.push_back(Point({{"net", "b"}, {"way", "exact"}}, 2));
  const StudyDrawing by_seed = DrawAll({"seed", "edp", {"net"}, false}, AllOf(more));
  ASSERT_EQ(by_seed.rows.size(), 3U);
  EXPECT_EQ(by_seed.rows[2].x, "exact");
  EXPECT_FALSE(by_seed.rows[2].y[0].has_value());
  EXPECT_DOUBLE_EQ(*by_seed.rows[2].y[1], 2);
  const StudyDrawing front = DrawAll({"area", "edp", {"net"}, true}, AllOf(points));
  ASSERT_EQ(front.rows.size(), 4U);
  EXPECT_DOUBLE_EQ(*front.rows[0].x_value, 4);  // sorted: area 4, 5, 6, 9 with edp 6, 5, 4, 1
  for (const StudyFigureRow& row : front.rows) {
    EXPECT_TRUE(row.on_front[0] || row.on_front[1]);
  }
}

// Says of every point how often it was read.
class CountingFile final : public StudyPointFile {
 public:
  explicit CountingFile(size_t points) : reads_(points, 0) {}
  StudyPoint Read(uint64_t offset, size_t /*size*/) const override {
    ++reads_[offset];
    StudyPoint point = Point({{"seed", std::to_string(offset)}}, 1);
    point.layers.push_back({"l", 1, point.figures});
    return point;
  }
  const std::vector<int>& reads() const { return reads_; }

 private:
  mutable std::vector<int> reads_;
};

Study Seeds(size_t count) {
  Study study;
  study.name = "s";
  StudyEntry range;
  range.choices.emplace_back().values.AddRange(0, static_cast<int64_t>(count) - 1);
  study.grids.push_back({"map", {StudyAxis("seed")}, "", {}});
  study.grids[0].axes[0].Add(range);
  return study;
}

// Once for figure, claims and counts, once for result.json, which is never held as a whole.
TEST(StudyTest, PointsInAFileAreReadTwiceAndWrittenOneAtATime) {
  constexpr size_t kPoints = 20'000;
  Study study = Seeds(kPoints);
  study.figure = {"seed", "edp", {}, false};
  const auto file = std::make_shared<CountingFile>(kPoints);
  StudyPoints points(study);
  for (size_t i = 0; i < kPoints; ++i) points.Put(i, file, i, 1);
  const StudyResult result = Conclude(study, std::move(points));
  const LongText text = io::WriteStudyResult(result);
  size_t bytes = 0, longest = 0;
  text.WriteTo([&](std::string_view piece) {
    bytes += piece.size();
    longest = std::max(longest, piece.size());
  });
  EXPECT_GT(bytes, 2'000'000U);
  EXPECT_LT(longest, 1'500'000U);  // the figure's rows
  const std::string summary = report::StudySummary(result, TextStyle());
  EXPECT_THAT(summary, HasSubstr("edp by seed"));
  EXPECT_THAT(file->reads(), ::testing::Each(2));
}

// Rows times series, most of them empty.
TEST(StudyTest, AFigureOfTooManyCellsIsLeftOut) {
  std::vector<StudyPoint> points;
  for (int i = 0; i < 400; ++i) {
    const std::string label = std::to_string(i);
    points.push_back(Point({{"net", label}, {"seed", label}}, i));
  }
  const StudyDrawing drawing = DrawAll({"net", "edp", {"seed"}, false}, AllOf(points));
  EXPECT_TRUE(drawing.left_out);
  EXPECT_TRUE(drawing.rows.empty());
  EXPECT_TRUE(drawing.series.empty());
  points.resize(300);
  const StudyDrawing drawn = DrawAll({"net", "edp", {"seed"}, false}, AllOf(points));
  EXPECT_FALSE(drawn.left_out);
  EXPECT_EQ(drawn.rows.size(), 300U);
  StudyResult result;
  result.drawing = drawing;
  EXPECT_THAT(report::StudySummary(result, TextStyle()), HasSubstr("too many for a table"));
  EXPECT_THAT(io::WriteStudyResult(result).Whole(), HasSubstr("\"left_out\": true"));
}

TEST(StudyTest, AStopEndsTheChecksOfSettings) {
  StopFlag stop;
  stop.Request();
  io::LoadRecord record;
  const Study study = SmallStudy();
  const Deadline deadline(stop);
  EXPECT_TRUE(PrepareStudy(study, deadline, &record)) << "that is quick";
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  const auto points = PrepareStudy(study, deadline, &record);
  ASSERT_FALSE(points);
  EXPECT_THAT(Format(points.error()), HasSubstr("before all settings were checked"));
}

TEST(StudyTest, EveryBuiltInStudyIsReadableAndItsSettingsExist) {
  for (const std::string& name : io::BuiltinNames(io::BuiltinKind::kStudy)) {
    SCOPED_TRACE(name);
    io::LoadRecord record;
    const auto study = io::LoadStudy(name, &record);
    ASSERT_TRUE(study) << Format(study.error());
    EXPECT_EQ(study->name, name);
    EXPECT_FALSE(study->claims.empty());
    const StopFlag stop;
    const auto points = PrepareStudy(*study, Deadline(stop), &record);
    ASSERT_TRUE(points) << Format(points.error());
  }
}

// A point with a figure at a setting.
StudyPoint PointAt(const std::string& memory, double value) {
  StudyPoint point;
  point.settings = {{"memory", memory}};
  point.status = PointStatus::kDone;
  point.figures.Set("f", value);
  return point;
}

TEST(StudyTest, AClaimFindsWhereSomethingIsReached) {
  StudyClaim claim;
  claim.metric = "f";
  claim.reach = 0.98;
  claim.along = "memory";
  // By number, not by text or order; the mean of what stands there.
  const std::vector<StudyPoint> points = {PointAt("32 MiB", 1), PointAt("8 MiB", 0.5),
                                          PointAt("16 MiB", 0.97), PointAt("16 MiB", 1)};
  const StudyClaimResult found = JudgeAll(claim, AllOf(points));
  EXPECT_EQ(found.ours, 16);
  EXPECT_EQ(found.compared, 4U);
  claim.reach = 0.99;
  EXPECT_EQ(JudgeAll(claim, AllOf(points)).ours, 32);
  claim.reach = 1.01;
  EXPECT_EQ(JudgeAll(claim, AllOf(points)).ours, std::nullopt);
}

TEST(StudyTest, AnAxisCanBeDealtOut) {
  const Study study = Read(
      "  run: mapspace\n"
      "  grid: {deal: arch, workload: [{gemm: {P: [2, 3], K: 4, C: 4}}], mapspace: [perfect, "
      "ruby-s], arch: [toy-5, toy-8, toy-9, toy-15, toy-16]}\n");
  EXPECT_EQ(PointsOf(study.grids.front()), 5);
  const StudyResult result = MustRun(study);
  std::vector<std::string> order;
  for (const StudyPoint& point : result.points) {
    order.push_back(LabelAt(point, "arch") + " " + LabelAt(point, "workload") + " " +
                    LabelAt(point, "mapspace"));
  }
  EXPECT_THAT(order, ElementsAre("toy-5 P=2 perfect", "toy-8 P=2 ruby-s", "toy-9 P=3 perfect",
                                 "toy-15 P=3 ruby-s", "toy-16 P=2 perfect"));
}

// Two small networks on a small accelerator.
TEST(StudyTest, BatchesHavePoliciesAndControls) {
  const StudyResult result = MustRun(
      Read("  run: batch\n"
           "  grid: {set: E, number: [1, 2], memory: [16 MiB, 64 MiB], policy: \"static,lazy\"}\n"
           "  figure: {x: policy, y: of_pu, series: [memory]}\n"
           "  claims:\n"
           "  - {what: w, paper: p, metric: lazy.over_static, take: min}\n"));
  ASSERT_EQ(result.points.size(), 4U);
  for (const StudyPoint& point : result.points) {
    ASSERT_EQ(point.status, PointStatus::kDone) << (point.reasons.empty() ? "" : point.reasons[0]);
    ASSERT_TRUE(point.batch);
    ASSERT_EQ(point.batch->policies.size(), 2U);
    EXPECT_EQ(point.batch->policies[0].name, "static");
    EXPECT_GE(point.batch->pu_cycles, point.batch->lb_cycles);
    for (const BatchPolicyResult& policy : point.batch->policies) {
      EXPECT_GE(policy.makespan_cycles, point.batch->lb_cycles);
      EXPECT_NEAR(policy.pe_busy * static_cast<double>(policy.makespan_cycles),
                  static_cast<double>(policy.makespan_cycles - policy.idle_capacity -
                                      policy.idle_bandwidth - policy.idle_dependency),
                  1);
    }
  }
  ASSERT_TRUE(result.drawing);
  ASSERT_EQ(result.drawing->rows.size(), 2U);
  EXPECT_EQ(result.drawing->rows[1].x, "lazy");
  EXPECT_THAT(result.drawing->series, ElementsAre("16 MiB", "64 MiB"));
  EXPECT_EQ(result.claims[0].compared, 4U);
}

}  // namespace
}  // namespace inlay::study
