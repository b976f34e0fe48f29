// The exact search under thistle semantics against the optima of an independent prototype: 23
// layers on the Eyeriss of the paper. The prototype leaves the window (R, S) untiled, so equality
// is asked for under that constraint; without it nothing may get worse.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "inlay/io/library/library.h"
#include "inlay/mapper/mapper.h"
#include "tests/support/golden.h"

namespace inlay::golden {
namespace {

using nlohmann::json;

// Half a unit of the last decimal that the files print, and a little for our own sums.
constexpr double kPrintedPj = 5.1e-5, kPrintedIpc = 5.1e-3;

const json& Named(const json& list, const std::string& layer) {
  for (const json& entry : list) {
    if (entry["layer"] == layer) return entry;
  }
  ADD_FAILURE() << "no layer " << layer;
  return list[0];
}

std::vector<Constraint> WindowUntiled() {
  std::vector<Constraint> constraints;
  for (const char* at : {"DRAM", "SRAM", "PEs"}) {
    Constraint constraint;
    constraint.at = at;
    for (const char* dim : {"R", "S"}) constraint.factors.push_back({dim, Relation::kEqual, 1});
    constraints.push_back(constraint);
  }
  return constraints;
}

struct Optimum {
  double pj_per_mac = 0;
  double macs_per_cycle = 0;
  int64_t cycles = 0;
};

struct Asked {
  Mapspace mapspace = Mapspace::kPerfect;
  Objective objective = {Metric::kEnergy};
  Accounting accounting = Accounting::kLiteral;
  bool window_untiled = true;
};

Optimum Search(const Problem& problem, const Asked& asked) {
  static const Architecture architecture =
      *io::LoadBuiltin(io::BuiltinKind::kArchitecture, "thistle-eyeriss").value().architecture;
  const auto constraints = asked.window_untiled ? WindowUntiled() : std::vector<Constraint>();
  const Space space = MakeSpace(problem, architecture, asked.mapspace, constraints).value();
  MapOptions options;
  options.objective = asked.objective;
  options.semantics = Semantics::kThistle;
  options.accounting = asked.accounting;
  const LayerAnswer answer = MapLayer(space, options, StopFlag());
  EXPECT_EQ(answer.certificate.status, CertificateStatus::kOptimal);
  const Cost& cost = answer.best.value().cost;
  const auto macs = static_cast<double>(cost.operations);
  return {cost.energy_pj / macs, macs / static_cast<double>(cost.cycles), cost.cycles};
}

std::vector<Problem> Layers() {
  std::vector<Problem> layers;
  const auto inputs = io::LoadBuiltin(io::BuiltinKind::kNetwork, "thistle-table2").value();
  for (const auto& layer : inputs.network.value().layers) layers.push_back(layer.problem);
  EXPECT_EQ(layers.size(), 23U);
  return layers;
}

struct Tiles {
  Mapspace mapspace;
  const char* name;  // in the files
};
constexpr Tiles kTiles[] = {{Mapspace::kPerfect, "perfect"}, {Mapspace::kAny, "imperfect"}};

TEST(ThistleMapperGolden, EnergyIsThePrintedOptimum) {
  const json printed = testing::LoadGolden("thistle/eyeriss_energy.json");
  for (const Problem& layer : Layers()) {
    for (const Tiles& tiles : kTiles) {
      SCOPED_TRACE(layer.name + " " + tiles.name);
      const auto pj = Named(printed, layer.name)[tiles.name].get<double>();
      EXPECT_NEAR(Search(layer, {.mapspace = tiles.mapspace}).pj_per_mac, pj, kPrintedPj);
      EXPECT_LE(Search(layer, {.mapspace = tiles.mapspace, .window_untiled = false}).pj_per_mac,
                pj + kPrintedPj);
    }
  }
}

TEST(ThistleMapperGolden, ElidedEnergyIsThePrintedOptimum) {
  const json printed = testing::LoadGolden("thistle/codesign.json")["elide"];
  for (const Problem& layer : Layers()) {
    for (const Tiles& tiles : kTiles) {
      SCOPED_TRACE(layer.name + " " + tiles.name);
      const std::string key = std::string("eyeriss_energy_") + tiles.name;
      const auto pj = Named(printed, layer.name)[key]["pJ_per_MAC"].get<double>();
      const Asked asked{.mapspace = tiles.mapspace, .accounting = Accounting::kElide};
      EXPECT_NEAR(Search(layer, asked).pj_per_mac, pj, kPrintedPj / 10);
    }
  }
}

TEST(ThistleMapperGolden, EdpIsThePrintedOptimum) {
  const json printed = testing::LoadGolden("thistle/eyeriss_edp_delay.json");
  for (const Problem& layer : Layers()) {
    for (const Tiles& tiles : kTiles) {
      SCOPED_TRACE(layer.name + " " + tiles.name);
      const json& entry = Named(printed, layer.name)[std::string("edp_") + tiles.name];
      const auto pj = entry["pJ"].get<double>(), ipc = entry["IPC"].get<double>();
      Asked asked{.mapspace = tiles.mapspace, .objective = {Metric::kEdp}};
      const Optimum found = Search(layer, asked);
      EXPECT_NEAR(found.pj_per_mac, pj, kPrintedPj);
      EXPECT_NEAR(found.macs_per_cycle, ipc, kPrintedIpc);
      asked.window_untiled = false;
      const Optimum tiled = Search(layer, asked);
      EXPECT_LE(tiled.pj_per_mac / tiled.macs_per_cycle, (pj + kPrintedPj) / (ipc - kPrintedIpc));
    }
  }
}

TEST(ThistleMapperGolden, DelayIsThePrintedOptimum) {
  const json printed = testing::LoadGolden("thistle/eyeriss_edp_delay.json");
  for (const Problem& layer : Layers()) {
    for (const Tiles& tiles : kTiles) {
      SCOPED_TRACE(layer.name + " " + tiles.name);
      const std::string key = std::string("delay_") + tiles.name + "_IPC";
      const Asked asked{.mapspace = tiles.mapspace, .objective = {Metric::kDelay}};
      EXPECT_NEAR(Search(layer, asked).macs_per_cycle,
                  Named(printed, layer.name)[key].get<double>(), kPrintedIpc);
    }
  }
}

// Of the mappings with the fewest cycles the prototype took one of little energy, mostly the least.
TEST(ThistleMapperGolden, DelayThenEnergyIsThePrintedOptimumOrLower) {
  const json printed = testing::LoadGolden("thistle/codesign.json");
  int equal = 0, lower = 0;
  for (const auto& [name, accounting] :
       {std::pair{"literal", Accounting::kLiteral}, std::pair{"elide", Accounting::kElide}}) {
    for (const Problem& layer : Layers()) {
      SCOPED_TRACE(layer.name + " " + name);
      const json& entry = Named(printed[name], layer.name)["eyeriss_delay_perfect"];
      const Optimum found =
          Search(layer, {.objective = {Metric::kDelay, Metric::kEnergy}, .accounting = accounting});
      EXPECT_EQ(found.cycles, entry["cycles"].get<int64_t>());
      const auto pj = entry["pJ_per_MAC"].get<double>();
      EXPECT_LE(found.pj_per_mac, pj + kPrintedPj / 10);
      ++(found.pj_per_mac < pj - kPrintedPj / 10 ? lower : equal);
    }
  }
  EXPECT_GT(equal, 4 * lower);
}

}  // namespace
}  // namespace inlay::golden
