// The thistle semantics against optima found by an independent prototype: its mappings cost what it
// says, and a search of our own finds nothing better and nothing else.
#include "inlay/cost/thistle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "inlay/core/shapes.h"
#include "tests/golden/thistle_search.h"
#include "tests/support/golden.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

// Half a unit of the fifth decimal, the last that the files print, and a little for our own sums.
constexpr double kPrintedPj = 5.1e-6;

ThistleLayer LayerOf(const json& entry) {
  const std::vector<int64_t> n = entry["KCHWRS_stride"];
  return {{n[0], n[1], n[2], n[3]}, n[4], n[5], n[6]};
}

ThistleTiling TilingOf(const ThistleLayer& layer, const json& entry) {
  ThistleTiling tiling;
  const std::vector<int64_t> registers = entry["reg_tile_KCHW"], lanes = entry["spatial_KCHW"],
                             sram = entry["sram_tile_KCHW"];
  for (size_t d = 0; d < 4; ++d) {
    // The file may name larger tiles and more lanes than there is work for.
    tiling.sram[d] = std::min(sram[d], layer.bounds[d]);
    tiling.array[d] = std::min(registers[d] * lanes[d], tiling.sram[d]);
    tiling.registers[d] = std::min(registers[d], tiling.array[d]);
  }
  tiling.dram_order = InnermostFirst(entry["order_dram_level"]);
  tiling.sram_order = InnermostFirst(entry["order_sram_level"]);
  return tiling;
}

void ExpectPrinted(const ThistleLayer& layer, const json& entry, Accounting accounting) {
  const Problem problem = MakeThistleProblem(layer);
  const Architecture architecture =
      MakeThistleArchitecture({entry["P"], entry["R_words"], entry["S_words"]});
  const Mapping mapping = MakeThistleMapping(problem, layer, TilingOf(layer, entry));
  ASSERT_EQ(Validate(problem, architecture, mapping).size(), 0U);
  const auto cost = EvaluateThistle(problem, architecture, mapping, accounting);
  ASSERT_TRUE(cost.has_value());
  const double macs = static_cast<double>(cost->operations);
  EXPECT_NEAR(cost->energy_pj / macs, entry["pJ_per_MAC"].get<double>(), kPrintedPj);
  EXPECT_EQ(cost->cycles, entry["cycles"].get<int64_t>());
}

TEST(ThistleGolden, PrintedMappingsCostWhatIsPrinted) {
  const json codesign = testing::LoadGolden("thistle/codesign.json");
  int compared = 0;
  for (const auto& [name, accounting] :
       {std::pair{"literal", Accounting::kLiteral}, std::pair{"elide", Accounting::kElide}}) {
    for (const json& layer : codesign[name]) {
      SCOPED_TRACE(std::string(name) + " " + layer["layer"].get<std::string>());
      EXPECT_EQ(Operations(MakeThistleProblem(LayerOf(layer))), layer["MACs"].get<int64_t>());
      for (const char* key :
           {"energy_perfect", "energy_imperfect", "delay_perfect", "edp_perfect",
            "eyeriss_energy_perfect", "eyeriss_energy_imperfect", "eyeriss_delay_perfect"}) {
        SCOPED_TRACE(key);
        ExpectPrinted(LayerOf(layer), layer[key], accounting);
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 2 * 23 * 7);
}

const json& Named(const json& list, const std::string& layer) {
  return *std::find_if(list.begin(), list.end(),
                       [&](const json& entry) { return entry["layer"] == layer; });
}

// Every perfect tiling of every layer of Table II on Eyeriss, every loop order: the optima are the
// printed ones, and EvaluateThistle confirms what the search computed.
TEST(ThistleGolden, ExhaustiveSearchFindsThePrintedOptima) {
  const json codesign = testing::LoadGolden("thistle/codesign.json");
  const json energies = testing::LoadGolden("thistle/eyeriss_energy.json");
  const json edps = testing::LoadGolden("thistle/eyeriss_edp_delay.json");
  const ThistleSizes eyeriss{168, 512, 65536};
  for (const json& entry : codesign["literal"]) {
    const std::string name = entry["layer"];
    SCOPED_TRACE(name);
    const ThistleLayer layer = LayerOf(entry);
    const Problem problem = MakeThistleProblem(layer);
    const Architecture architecture = MakeThistleArchitecture(eyeriss);
    const ThistleOptima found = SearchThistle(layer, eyeriss, Accounting::kLiteral);

    const auto evaluate = [&](const ThistleTiling& tiling) {
      return EvaluateThistle(problem, architecture, MakeThistleMapping(problem, layer, tiling),
                             Accounting::kLiteral)
          .value();
    };
    const double macs = static_cast<double>(Operations(problem));
    const Cost energy = evaluate(found.energy.tiling);
    EXPECT_NEAR(energy.energy_pj, found.energy.energy_pj, 1e-9 * energy.energy_pj);
    EXPECT_NEAR(energy.energy_pj / macs, Named(energies, name)["perfect"].get<double>(), 5.1e-5);

    const json& printed = Named(edps, name);
    const Cost edp = evaluate(found.edp.tiling);
    EXPECT_NEAR(edp.energy_pj / macs, printed["edp_perfect"]["pJ"].get<double>(), 5.1e-5);
    EXPECT_NEAR(macs / static_cast<double>(edp.cycles), printed["edp_perfect"]["IPC"].get<double>(),
                5.1e-3);
    const Cost delay = evaluate(found.delay.tiling);
    EXPECT_NEAR(macs / static_cast<double>(delay.cycles),
                printed["delay_perfect_IPC"].get<double>(), 5.1e-3);
  }
}

TEST(ThistleGolden, ExhaustiveSearchFindsTheElidedOptima) {
  const json codesign = testing::LoadGolden("thistle/codesign.json");
  const ThistleSizes eyeriss{168, 512, 65536};
  for (const json& entry : codesign["elide"]) {
    SCOPED_TRACE(entry["layer"].get<std::string>());
    const ThistleLayer layer = LayerOf(entry);
    const ThistleOptima found = SearchThistle(layer, eyeriss, Accounting::kElide);
    const double macs = static_cast<double>(Operations(MakeThistleProblem(layer)));
    EXPECT_NEAR(found.energy.energy_pj / macs,
                entry["eyeriss_energy_perfect"]["pJ_per_MAC"].get<double>(), kPrintedPj);
  }
}

}  // namespace
}  // namespace inlay::golden
