#include "tests/golden/thistle_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "inlay/core/shapes.h"

namespace inlay::golden {
namespace {

constexpr size_t kK = 0, kC = 1, kH = 2, kW = 3;
constexpr bool kInWeights[4] = {true, true, false, false};
constexpr bool kInInputs[4] = {false, true, true, true};
constexpr bool kInOutputs[4] = {true, false, true, true};
const char* const kDimNames[4] = {"K", "C", "P", "Q"};

constexpr double kMacPj = 2.2, kDramPj = 128;
constexpr double kRegisterPjPerWord = 9.06719e-3, kSramPjPerRoot = 17.88e-3;

int64_t Product(const Kchw& x) { return x[0] * x[1] * x[2] * x[3]; }

int64_t Rows(const ThistleLayer& layer, int64_t n, int64_t window) {
  return std::min(window, layer.stride) * n + std::max<int64_t>(window - layer.stride, 0);
}
int64_t Weights(const ThistleLayer& layer, const Kchw& n) {
  return n[kK] * n[kC] * layer.r * layer.s;
}
int64_t Inputs(const ThistleLayer& layer, const Kchw& n) {
  return n[kC] * Rows(layer, n[kH], layer.r) * Rows(layer, n[kW], layer.s);
}
int64_t Outputs(const Kchw& n) { return n[kK] * n[kH] * n[kW]; }
int64_t Footprint(const ThistleLayer& layer, const Kchw& n) {
  return Weights(layer, n) + Inputs(layer, n) + Outputs(n);
}

std::vector<int64_t> Divisors(int64_t n) {
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors;
}

template <typename Visit>
void ForEachDivisor(const Kchw& of, const Visit& visit) {
  std::array<std::vector<int64_t>, 4> divisors;
  for (size_t d = 0; d < 4; ++d) divisors[d] = Divisors(of[d]);
  for (int64_t k : divisors[kK]) {
    for (int64_t c : divisors[kC]) {
      for (int64_t h : divisors[kH]) {
        for (int64_t w : divisors[kW]) visit(Kchw{k, c, h, w});
      }
    }
  }
}

// Algorithm 1 for one tensor: tiles of `tile` inside `range`, in an order given innermost first.
template <typename Words>
int64_t Volume(const bool (&present)[4], const Kchw& range, Kchw tile,
               const std::array<size_t, 4>& order, const Words& words) {
  int64_t times = 1;
  bool can_hoist = true;
  for (size_t d : order) {
    const int64_t trips = range[d] / tile[d];
    if (trips == 1) continue;
    if (can_hoist && present[d]) {
      can_hoist = false;
      tile[d] = range[d];
    } else if (!can_hoist) {
      times *= trips;
    }
  }
  return times * words(tile);
}

struct Best {
  int64_t words = std::numeric_limits<int64_t>::max();
  std::array<size_t, 4> order{};
};

// The least words between two levels over all orders, outputs counted twice.
Best LeastVolume(const ThistleLayer& layer, const Kchw& range, const Kchw& tile) {
  Best best;
  std::array<size_t, 4> order = {0, 1, 2, 3};
  do {
    const int64_t words =
        Volume(kInWeights, range, tile, order, [&](const Kchw& n) { return Weights(layer, n); }) +
        Volume(kInInputs, range, tile, order, [&](const Kchw& n) { return Inputs(layer, n); }) +
        2 * Volume(kInOutputs, range, tile, order, Outputs);
    if (words < best.words) best = {words, order};
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

// A tile of the whole array with the largest number of lanes that leaves few enough registers.
struct ArrayTile {
  Kchw tile{}, registers{};
  int64_t lanes = 0;
};

std::vector<ArrayTile> ArrayTiles(const ThistleLayer& layer, const ThistleSizes& sizes) {
  std::vector<ArrayTile> tiles;
  std::vector<Kchw> register_tiles;
  ForEachDivisor(layer.bounds, [&](const Kchw& r) {
    if (Footprint(layer, r) <= sizes.register_words) register_tiles.push_back(r);
  });
  ForEachDivisor(layer.bounds, [&](const Kchw& tile) {
    ArrayTile best{tile, {}, 0};
    for (const Kchw& r : register_tiles) {
      bool divides = true;
      for (size_t d = 0; d < 4; ++d) divides = divides && tile[d] % r[d] == 0;
      if (!divides) continue;
      const int64_t lanes = Product(tile) / Product(r);
      if (lanes <= sizes.lanes && lanes > best.lanes) best = {tile, r, lanes};
    }
    if (best.lanes > 0) tiles.push_back(best);
  });
  return tiles;
}

}  // namespace

std::array<size_t, 4> InnermostFirst(const std::string& names) {
  std::array<size_t, 4> order{};
  size_t next = 0;
  const std::string all = "KCHW";
  for (char name : names) order[next++] = all.find(name);
  for (size_t d = 0; d < 4; ++d) {
    if (names.find(all[d]) == std::string::npos) order[next++] = d;
  }
  return order;
}

Problem MakeThistleProblem(const ThistleLayer& layer) {
  ConvShape shape;
  shape.k = layer.bounds[kK];
  shape.c = layer.bounds[kC];
  shape.p = layer.bounds[kH];
  shape.q = layer.bounds[kW];
  shape.r = layer.r;
  shape.s = layer.s;
  shape.stride_h = shape.stride_w = layer.stride;
  return MakeConv("layer", shape);
}

Architecture MakeThistleArchitecture(const ThistleSizes& sizes) {
  Technology technology;
  technology.mac_energy_pj = kMacPj;
  technology.dram.energy_pj.constant = kDramPj;
  technology.sram.energy_pj.root = kSramPjPerRoot;
  technology.reg.energy_pj.linear = kRegisterPjPerWord;
  Architecture architecture;
  architecture.technology = technology;
  Level dram, sram, registers;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  sram.name = "SRAM";
  sram.kind = MemoryKind::kSram;
  sram.capacity_words = sizes.sram_words;
  sram.fanout.x = sizes.lanes;
  registers.name = "registers";
  registers.kind = MemoryKind::kRegister;
  registers.capacity_words = sizes.register_words;
  architecture.levels = {dram, sram, registers};
  return architecture;
}

Mapping MakeThistleMapping(const Problem& problem, const ThistleLayer& layer,
                           const ThistleTiling& tiling) {
  Mapping mapping;
  mapping.levels.resize(3);
  for (LevelMapping& level : mapping.levels) {
    level.keep = TensorSet::FirstN(problem.tensors.size());
  }
  LevelMapping& dram = mapping.levels[LevelId(0)];
  LevelMapping& sram = mapping.levels[LevelId(1)];
  LevelMapping& registers = mapping.levels[LevelId(2)];
  const auto dim = [&](size_t d) { return FindDim(problem, kDimNames[d]).value(); };
  for (size_t i = 4; i-- > 0;) {
    const size_t outer = tiling.dram_order[i], inner = tiling.sram_order[i];
    dram.temporal.push_back({dim(outer), tiling.sram[outer]});
    sram.temporal.push_back({dim(inner), tiling.array[inner]});
  }
  for (size_t d = 0; d < 4; ++d) {
    sram.spatial.push_back({dim(d), tiling.registers[d], Axis::kX});
    registers.temporal.push_back({dim(d), 1});
  }
  if (layer.r > 1) registers.temporal.push_back({FindDim(problem, "R").value(), 1});
  if (layer.s > 1) registers.temporal.push_back({FindDim(problem, "S").value(), 1});
  return mapping;
}

ThistleOptima SearchThistle(const ThistleLayer& layer, const ThistleSizes& sizes,
                            Accounting accounting) {
  const double register_pj = kRegisterPjPerWord * static_cast<double>(sizes.register_words);
  const double sram_pj = kSramPjPerRoot * std::sqrt(static_cast<double>(sizes.sram_words));
  const double macs = static_cast<double>(Product(layer.bounds) * layer.r * layer.s);
  const int64_t elided = accounting == Accounting::kElide ? Outputs(layer.bounds) : 0;
  const std::vector<ArrayTile> arrays = ArrayTiles(layer, sizes);
  ThistleOptima optima;
  double best_energy = std::numeric_limits<double>::infinity(), best_edp = best_energy;
  ForEachDivisor(layer.bounds, [&](const Kchw& sram) {
    if (Footprint(layer, sram) > sizes.sram_words) return;
    const Best outer = LeastVolume(layer, layer.bounds, sram);
    const double tiles = static_cast<double>(Product(layer.bounds) / Product(sram));
    const double fixed_pj = (4 * register_pj + kMacPj) * macs +
                            (sram_pj + kDramPj) * static_cast<double>(outer.words - elided);
    // Every word of the tile has to go in once, so the inner part has a floor.
    const double floor_pj = (register_pj + sram_pj) *
                            (tiles * static_cast<double>(Footprint(layer, sram) + Outputs(sram)) -
                             static_cast<double>(elided));
    for (const ArrayTile& array : arrays) {
      bool divides = true;
      for (size_t d = 0; d < 4; ++d) divides = divides && sram[d] % array.tile[d] == 0;
      if (!divides) continue;
      const auto lanes = static_cast<double>(array.lanes);
      const bool hopeless = fixed_pj + floor_pj >= best_energy &&
                            (fixed_pj + floor_pj) / lanes >= best_edp &&
                            array.lanes <= optima.delay.lanes;
      if (hopeless) continue;
      const Best inner = LeastVolume(layer, sram, array.tile);
      const double inner_words =
          tiles * static_cast<double>(inner.words) - static_cast<double>(elided);
      const double energy_pj = fixed_pj + (register_pj + sram_pj) * inner_words;
      const ThistleOptimum point{
          {sram, array.tile, array.registers, outer.order, inner.order}, energy_pj, array.lanes};
      if (energy_pj < best_energy) optima.energy = point;
      best_energy = std::min(best_energy, energy_pj);
      if (energy_pj / lanes < best_edp) optima.edp = point;
      best_edp = std::min(best_edp, energy_pj / lanes);
      if (array.lanes > optima.delay.lanes) optima.delay = point;
    }
  });
  return optima;
}

}  // namespace inlay::golden
