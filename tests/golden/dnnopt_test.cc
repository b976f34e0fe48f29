// DNNOPT's search against the figures of a prototype written independently.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "inlay/core/shapes.h"
#include "tests/support/dnnopt_space.h"
#include "tests/support/golden.h"

namespace inlay {
namespace {

using Json = nlohmann::json;
using Exit = DnnoptOptions::Exit;

// The layers of the prototype by its names.
Problem LayerNamed(const std::string& name) {
  const std::map<std::string, ConvShape> layers = {
      {"rn50_conv1",
       {.k = 64, .c = 3, .p = 112, .q = 112, .r = 7, .s = 7, .stride_h = 2, .stride_w = 2}},
      {"rn50_2_3x3", {.k = 64, .c = 64, .p = 56, .q = 56, .r = 3, .s = 3}},
      {"rn50_2_1x1", {.k = 256, .c = 64, .p = 56, .q = 56}},
      {"rn50_3_3x3", {.k = 128, .c = 128, .p = 28, .q = 28, .r = 3, .s = 3}},
      {"rn50_4_3x3", {.k = 256, .c = 256, .p = 14, .q = 14, .r = 3, .s = 3}},
      {"rn50_5_3x3", {.k = 512, .c = 512, .p = 7, .q = 7, .r = 3, .s = 3}},
      {"rn50_5_1x1", {.k = 2048, .c = 512, .p = 7, .q = 7}},
      {"alex_conv3", {.k = 384, .c = 256, .p = 13, .q = 13, .r = 3, .s = 3}},
      {"tr_ffn1_seq64", {.k = 2048, .c = 512, .q = 64}},
      {"bert_ff1", {.k = 3072, .c = 768, .q = 128}},
  };
  return MakeConv(name, layers.at(name));
}

Json Cases() { return testing::LoadGolden("dnnopt/prototype.json"); }

LayerAnswer AnswerFor(const Json& row, Exit exit) {
  const Problem problem = LayerNamed(row["layer"]);
  const int64_t size = row["pe"], words = row["mem_kB"].get<int64_t>() * 1024;
  MapOptions options;
  options.dnnopt.exit = exit;
  const LayerAnswer answer =
      testing::MapByDnnopt(testing::SystolicSpace(problem, size, size, words, true), options);
  EXPECT_TRUE(answer.best) << row["layer"];
  return answer;
}

// The prototype tries 24 orders of K, C, H and W also where H has one iteration; then four of its
// orders are one of ours.
double Times(const Json& row) {
  const Problem problem = LayerNamed(row["layer"]);
  return problem.dims[*FindDim(problem, "P")].bound == 1 ? 4 : 1;
}

std::string OrderOf(const DnnoptFigures& figures) {
  const std::map<std::string, char> names = {{"K", 'K'}, {"C", 'C'}, {"P", 'H'}, {"Q", 'W'}};
  std::string order;
  for (const auto& block : figures.order) order += names.at(block.dim);
  return order;
}

TEST(DnnoptGoldenTest, HasAllRows) { EXPECT_EQ(Cases().size(), 22U); }

TEST(DnnoptGoldenTest, SafeFindsTheOptimumOrderAndBlocks) {
  for (const Json& row : Cases()) {
    SCOPED_TRACE(row["layer"].get<std::string>() + " " + row["pe"].dump());
    const LayerAnswer answer = AnswerFor(row, Exit::kSafe);
    EXPECT_EQ(answer.dnnopt->total_offchip_words, row["opt"]);
    EXPECT_EQ(*answer.points_in_space * Times(row), row["full_points"]);
    for (const auto& block : answer.dnnopt->order) {
      const std::map<std::string, std::string> names = {
          {"K", "K"}, {"C", "C"}, {"P", "H"}, {"Q", "W"}};
      EXPECT_EQ(block.size, row["T"][names.at(block.dim)]) << block.dim;
    }
    if (Times(row) == 1) {
      EXPECT_EQ(OrderOf(*answer.dnnopt), row["order"]);
    }
    // "3–20 × fewer points".
    EXPECT_LE(*answer.points_visited * Times(row) * 3, row["strided_points"]);
  }
}

TEST(DnnoptGoldenTest, LiteralStopsOnPlateausAsThePrototypeDid) {
  for (const Json& row : Cases()) {
    SCOPED_TRACE(row["layer"].get<std::string>() + " " + row["pe"].dump());
    const LayerAnswer answer = AnswerFor(row, Exit::kLiteral);
    EXPECT_EQ(answer.dnnopt->total_offchip_words, row["ee_literal"]);
    EXPECT_EQ(*answer.points_visited * Times(row), row["ee_literal_points"]);
  }
}

TEST(DnnoptGoldenTest, NoneVisitsAllStridedPoints) {
  for (const Json& row : Cases()) {
    SCOPED_TRACE(row["layer"].get<std::string>() + " " + row["pe"].dump());
    const LayerAnswer answer = AnswerFor(row, Exit::kNone);
    EXPECT_EQ(answer.dnnopt->total_offchip_words, row["opt"]);
    EXPECT_EQ(*answer.points_visited * Times(row), row["strided_points"]);
  }
}

TEST(DnnoptGoldenTest, EverythingOnceIsCompulsory) {
  for (Json row : Cases()) {
    row["mem_kB"] = int64_t{1} << 30;
    EXPECT_EQ(AnswerFor(row, Exit::kSafe).dnnopt->total_offchip_words, row["compulsory"])
        << row["layer"];
  }
}

}  // namespace
}  // namespace inlay
