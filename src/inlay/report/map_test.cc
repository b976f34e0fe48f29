#include "inlay/report/map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/core/shapes.h"
#include "inlay/report/headline.h"
#include "inlay/report/map_result.h"

namespace inlay::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr TextStyle kUnicode{.unicode = true, .colour = false, .grouped = false};
constexpr TextStyle kAscii{.unicode = false, .colour = false};

Architecture Toy() {
  Architecture architecture;
  architecture.name = "toy";
  architecture.levels.resize(2);
  architecture.levels[LevelId(0)].name = "DRAM";
  architecture.levels[LevelId(1)].name = "buffer";
  return architecture;
}

LayerResult Found(const char* name, CertificateStatus status, double gap = 0) {
  LayerResult layer;
  layer.name = name;
  layer.cost = LayerCost{2e6, 1234, 2.468e9, 500, 0.75, 1.5, {}, "reads of buffer", "DRAM", 0.61};
  layer.certificate = Certificate{status, 1, 1 - gap, gap};
  layer.mapping = {"DRAM keeps all", "for P in 4 step 2", "buffer keeps all", "for P in 2 step 1"};
  return layer;
}

MapResult Network(std::vector<LayerResult> layers) {
  MapResult result;
  result.header.options = {{"objective", std::vector<std::string>{"delay", "energy"}},
                           {"mapspace", std::string("ruby-s")},
                           {"strategy", std::string("exact")},
                           {"semantics", std::string("exact")}};
  result.workload = "net";
  result.architecture = "toy";
  result.layers = std::move(layers);
  return result;
}

TEST(MapSummaryTest, ALinePerLayerAndTheTotal) {
  MapResult result = Network({Found("a", CertificateStatus::kOptimal),
                              Found("b", CertificateStatus::kBounded, 0.034),
                              Found("c", CertificateStatus::kHeuristic)});
  result.layers[1].repeat = 7;
  result.total = MapTotals{18e6, 11106, 2e11};
  const std::string text = MapSummary(result, Toy(), kUnicode);
  EXPECT_THAT(text, HasSubstr("net on toy · least delay,energy in ruby-s"));
  EXPECT_THAT(text, testing::ContainsRegex("a +2.000 µJ +1234 +75.0 % .*optimal"));
  EXPECT_THAT(text, HasSubstr("gap 3.4 %"));
  EXPECT_THAT(text, HasSubstr("no proof"));
  EXPECT_THAT(text, HasSubstr("reads of buffer"));
  EXPECT_THAT(text, HasSubstr("DRAM 61 %"));
  EXPECT_THAT(text, testing::ContainsRegex("total +18.00 µJ"));
  EXPECT_THAT(text, HasSubstr("1 layer proven optimal; 1 layer that nothing "
                              "improves by more than 3.4 %; 1 layer without a proof"));
}

TEST(MapSummaryTest, NodesOnVectorUnitsByKindAndInTheTotal) {
  MapResult result = Network({Found("a", CertificateStatus::kOptimal)});
  const VectorNodeResult gelu{"g", "elementwise", "gelu", 500, 1e6, 40, {}, 70, "compute"};
  VectorNodeResult other = gelu, soft = gelu;
  other.cycles = 50;
  other.limited_by = "reads of buffer";
  soft.kind = "softmax";
  soft.function = "";
  soft.cycles = 95;
  result.vector_nodes = {gelu, soft, other};
  result.total = MapTotals{5e6, 1419, 7.095e9};
  result.total->vector = VectorTotals{3, 1500, 3e6, 185, 210};
  const std::string text = MapSummary(result, Toy(), kUnicode);
  EXPECT_THAT(text, Not(HasSubstr("for P in 4"))) << "not the nest of the only layer";
  EXPECT_THAT(text, testing::ContainsRegex("3 vector nodes +3.000 µJ +185\ntotal +5.000 µJ +1419"));
  for (VectorNodeResult& node : result.vector_nodes) node.seconds = 1e-6;
  result.total->seconds = 5e-6;
  EXPECT_THAT(MapSummary(result, Toy(), kUnicode),
              testing::ContainsRegex("3 vector nodes +3.000 µJ +185 +3.000 µs\ntotal"));
  // Most cycles first; what most of a kind's cycles wait for.
  EXPECT_THAT(text, testing::ContainsRegex(
                        "softmax +1 +500 +1.000 µJ +95 +70 +compute\n"
                        "elementwise gelu +2 +1000 +2.000 µJ +90 +140 +reads of buffer\n"));
}

TEST(MapSummaryTest, OneLayerShowsItsNest) {
  const MapResult result = Network({Found("a", CertificateStatus::kOptimal)});
  const std::string text = MapSummary(result, Toy(), kUnicode);
  EXPECT_THAT(text, HasSubstr("net/a on toy"));
  EXPECT_THAT(text, HasSubstr("\nDRAM keeps all\nfor P in 4 step 2\n  buffer keeps all\n"
                              "  for P in 2 step 1\n"));
  EXPECT_THAT(text, HasSubstr("limited by reads of buffer"));
  EXPECT_THAT(text, Not(HasSubstr("padded")));
}

TEST(MapSummaryTest, WhatIsMissingAndWhy) {
  LayerResult missing;
  missing.name = "b";
  missing.reasons = {"the buffer is 3 words too small"};
  MapResult result = Network({Found("a", CertificateStatus::kOptimal), missing});
  result.interrupted = true;
  const std::string text = MapSummary(result, Toy(), kUnicode);
  EXPECT_THAT(text, Not(HasSubstr("3 words too small"))) << "reasons go to standard error";
  EXPECT_EQ(MapReasons(result), "b: the buffer is 3 words too small\n");
  EXPECT_THAT(text, HasSubstr("no mapping"));
  EXPECT_THAT(text, HasSubstr("1 layer without a mapping"));
  EXPECT_THAT(text, HasSubstr("interrupted"));
  EXPECT_THAT(text, Not(HasSubstr("total  ")));
}

TEST(MapSummaryTest, WhichMetricOfAListIsProven) {
  LayerResult layer = Found("a", CertificateStatus::kBounded);
  layer.certificate->proven = {Metric::kDelay};
  const std::string text = MapSummary(Network({layer, layer}), Toy(), kUnicode);
  EXPECT_THAT(text, testing::ContainsRegex("a .* optimal in delay\n"));
  EXPECT_THAT(text, HasSubstr("2 layers optimal in delay, energy unproven"));
  EXPECT_THAT(text, Not(HasSubstr("gap")));
}

TEST(MapSummaryTest, AGapIsNeverRoundedToNone) {
  EXPECT_EQ(CertificateText({CertificateStatus::kBounded, 1, 1 - 1e-6, 1e-6}),
            "gap less than 0.1 %");
  EXPECT_EQ(CertificateText({CertificateStatus::kBounded, 1, 0.987, 0.013}), "gap 1.3 %");
  EXPECT_EQ(CertificateText({CertificateStatus::kBounded, 1, 0, 1}), "no bound yet");
}

TEST(MapSummaryTest, LayersThatWereNotBegunAreNotCalledInfeasible) {
  LayerResult waiting;
  waiting.name = "b";
  waiting.interrupted = true;
  waiting.searched = false;
  MapResult result = Network({Found("a", CertificateStatus::kOptimal), waiting});
  result.interrupted = true;
  const std::string text = MapSummary(result, Toy(), kUnicode);
  EXPECT_THAT(text, HasSubstr("not searched (interrupted)"));
  EXPECT_THAT(text, HasSubstr("1 layer not searched"));
  EXPECT_THAT(text, Not(HasSubstr("no mapping")));
  EXPECT_THAT(text, Not(HasSubstr("total counts"))) << "there is none";
  result.interrupted = false;
  EXPECT_THAT(MapSummary(result, Toy(), kUnicode), HasSubstr("not searched (time limit)"));
}

TEST(MapSummaryTest, Fronts) {
  LayerResult layer = Found("a", CertificateStatus::kOptimal);
  layer.cost.reset();
  layer.front.emplace();
  for (int64_t i = 0; i < 30; ++i) layer.front->push_back({100 + i, 1000 - i, 77, {}});
  MapResult result = Network({layer});
  const std::string text = MapSummary(result, Toy(), kUnicode);
  EXPECT_THAT(text, testing::ContainsRegex("100 +1000 +77"));
  EXPECT_THAT(text, HasSubstr("and 6 more points"));
  result.layers[0].certificate->status = CertificateStatus::kBounded;
  EXPECT_THAT(MapSummary(result, Toy(), kUnicode),
              HasSubstr("1 layer whose front may lack points"));
}

TEST(MapSummaryTest, DnnoptTellsWhatItVisited) {
  LayerResult layer = Found("a", CertificateStatus::kHeuristic);
  layer.points_visited = 5;
  layer.points_in_space = 1000;
  layer.dnnopt = DnnoptResult{{{"K", 8, 4}}, {{"Weights", 70}}, 70, 90, 6};
  const std::string text = MapSummary(Network({layer}), Toy(), kUnicode);
  EXPECT_THAT(text, HasSubstr("a: 5 points visited of 1000 (99.50 % pruned)"));
  EXPECT_THAT(text, HasSubstr("70 words off chip, 90 cycles of the array, 6 waiting"));
}

TEST(MapSummaryTest, FitsTheScreenAndAsciiIsAscii) {
  LayerResult layer = Found("conv4_1_shortcut", CertificateStatus::kBounded, 0.1234);
  layer.repeat = 12;
  layer.cost->cycles = 1'234'567'890;
  layer.cost->edp = 9.876e17;
  const std::string text = MapSummary(Network({layer, layer}), Toy(), kAscii);
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = text.find('\n', start);
    EXPECT_LE(DisplayWidth(text.substr(start, end - start)), kScreenColumns);
    start = end + 1;
  }
  for (const char c : text) EXPECT_GE(c, 0);
}

TEST(ReasonsTest, EveryKindOfNoAnswer) {
  const auto first = [](const LayerAnswer& answer) { return ReasonsOf(answer).front().message; };
  LayerAnswer answer;
  EXPECT_THAT(first(answer), HasSubstr("no proof that there is none"));
  answer.interrupted = true;
  EXPECT_THAT(first(answer), HasSubstr("stopped before"));
  answer.begun = false;
  EXPECT_EQ(first(answer), "not searched (interrupted)");
  answer.begun = true;
  answer.infeasible = {{"", "does not fit", ""}};
  EXPECT_EQ(first(answer), "does not fit");
  answer.unsupported = {{"", "too large", ""}};
  EXPECT_EQ(first(answer), "too large");
  answer.best = Solution();
  EXPECT_TRUE(ReasonsOf(answer).empty());
}

TEST(LayerResultTest, NamesAndTexts) {
  const Architecture architecture = Toy();
  Layer layer{"a", "gemm", MakeGemm("a", {.p = 4}), 3};
  LayerAnswer answer;
  answer.certificate = {CertificateStatus::kBounded, 10, 9, 0.1};
  Solution solution;
  solution.problem = layer.problem;
  solution.mapping.levels.resize(2);
  for (LevelMapping& level : solution.mapping.levels) level.keep = TensorSet::FirstN(3);
  const DimId p = *FindDim(layer.problem, "P");
  solution.mapping.levels[LevelId(0)].temporal = {{p, 3, Axis::kTime}};
  solution.mapping.levels[LevelId(1)].temporal = {{p, 1, Axis::kTime}};
  solution.cost.energy_pj = 40;
  solution.cost.cycles = 5;
  solution.cost.compute_cycles = 5;
  solution.cost.compute_energy_pj = 10;
  solution.cost.levels.resize(2);
  solution.cost.levels[LevelId(0)].energy_pj = 30;
  answer.best = solution;
  const LayerResult result = LayerResultOf(layer, architecture, answer);
  EXPECT_EQ(result.repeat, 3);
  EXPECT_EQ(result.operations, 4);
  EXPECT_EQ(result.cost->edp, 200);
  EXPECT_EQ(result.cost->pj_per_op, 10);
  EXPECT_EQ(result.cost->limited_by, "compute");
  EXPECT_EQ(result.cost->most_energy_in, "DRAM");
  EXPECT_EQ(result.cost->most_energy_share, 0.75);
  EXPECT_THAT(result.mapping, ElementsAre("DRAM keeps all", "for P in 4 step 3", "buffer keeps all",
                                          "for P in 3 step 1"));
  ASSERT_TRUE(result.timeloop_mapping.has_value());
  EXPECT_THAT(result.timeloop_mapping->front().factors, HasSubstr("P=2"));
}

TEST(LayerResultTest, TimeloopHasNoWordsForSomeTilings) {
  Layer layer{"a", "gemm", MakeGemm("a", {.p = 10}), 1};
  Architecture architecture = Toy();
  architecture.levels.push_back(architecture.levels[LevelId(1)]);
  LayerAnswer answer;
  Solution solution;
  solution.problem = layer.problem;
  solution.mapping.levels.resize(3);
  const DimId p = *FindDim(layer.problem, "P");
  solution.mapping.levels[LevelId(0)].temporal = {{p, 7, Axis::kTime}};
  solution.mapping.levels[LevelId(1)].temporal = {{p, 3, Axis::kTime}};  // 7 is no multiple of 3
  solution.mapping.levels[LevelId(2)].temporal = {{p, 1, Axis::kTime}};
  solution.cost.levels.resize(3);
  answer.best = solution;
  const LayerResult result = LayerResultOf(layer, architecture, answer);
  EXPECT_FALSE(result.timeloop_mapping.has_value());
  EXPECT_FALSE(result.mapping.empty());
}

}  // namespace
}  // namespace inlay::report
