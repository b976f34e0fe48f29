// The project's own exhaustive listing of fused mappings, by which the search is tested, gives the
// fronts that another program listed exhaustively: tests/golden/fused/small.json.
#include "tests/support/fused_listing.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/fused_golden.h"
#include "tests/support/golden.h"
#include "tests/support/random_case.h"

namespace inlay {
namespace {

TEST(FusedListingGoldenTest, FrontsAreThoseOfAnotherProgram) {
  const auto golden = testing::LoadGolden("fused/small.json");
  // Up to which room the listing takes a second or two, and, in the long run, a minute; 0: not.
  struct Limit {
    const char* name;
    int64_t plain, all;
  };
  int checked = 0;
  for (const Limit& limit :
       {Limit{"mm2_4444", 24, 24}, Limit{"mm2_4444_unfused", 32, 32}, Limit{"mm2_6464", 32, 32},
        Limit{"attn_8844", 0, 48}, Limit{"conv2_222_6_3", 32, 32}, Limit{"swiglu_444", 0, 12}}) {
    for (const auto& c : golden["cases"]) {
      if (c["name"] != limit.name) continue;
      ++checked;
      if (testing::CaseCount(limit.plain, limit.all) == 0) continue;
      const std::string tiles = c["tiles"];
      testing::FusedListingOptions options;
      options.most_room =
          std::min(testing::CaseCount(limit.plain, limit.all), c["complete_to"].get<int64_t>());
      options.tiles = tiles.starts_with("any") ? FusedTiles::kAny : FusedTiles::kPerfect;
      options.unfused = tiles.find("no fusion") != std::string::npos;
      options.share_kernel_loops = true;
      std::string expected, listed;
      for (const auto& step : c["front"]) {
        if (step[0] > options.most_room) break;
        expected += fmt::format("{} {}\n", step[0].get<int64_t>(), step[1].get<int64_t>());
      }
      for (const auto& step : testing::ListFused(testing::FusedOfGolden(c), options)) {
        listed += fmt::format("{} {}\n", step.room_words, step.offchip_words);
      }
      EXPECT_EQ(listed, expected) << limit.name;
    }
  }
  EXPECT_EQ(checked, 6);
}

}  // namespace
}  // namespace inlay
