#include "inlay/cost/timeloop/tiling.h"

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::timeloop {
namespace {

WalkRules WalkRulesOf(const TimeloopRules& rules) {
  return {rules.same_displacement, rules.extrapolation, rules.link_transfers};
}

tl::expected<Traffic, Fault> Analyse(const Nest& nest, const Projection& projection,
                                     const Boundary& boundary, const WalkRules& rules) {
  if (rules.extrapolation || nest.imperfect == 0) {
    return AnalyseLaneZero(nest, projection, boundary, rules);
  }
  return AnalyseAllLanes(nest, projection, boundary, rules);
}

double Delivered(const std::vector<AccessRecord>& records) {
  double sum = 0;
  for (const AccessRecord& record : records) {
    sum += record.words * static_cast<double>(record.multicast);
  }
  return sum;
}

double DeliveredPerChild(const std::vector<AccessRecord>& records, int64_t children) {
  double sum = 0;
  for (const AccessRecord& record : records) {
    sum += record.words * static_cast<double>(record.multicast) / static_cast<double>(children);
  }
  return sum;
}

void SetWalked(Traffic traffic, LevelTraffic* level) {
  level->records = std::move(traffic.records);
  level->served = Sum(level->records);
  level->link_words = traffic.link_words;
}

// Distinct words of a tensor whose ranks have one dimension each: successive tiles of an instance
// are equal or disjoint.
int64_t TouchedWords(const Nest& nest, const Tensor& tensor, LevelId level, int64_t tile_words) {
  int64_t words = tile_words;
  for (size_t k = 0; k < nest.levels[level].temporal; ++k) {
    const NestLoop& loop = nest.loops[k];
    if (!loop.IsSpatial() && IsRelevant(tensor, loop.dim)) words *= loop.end;
  }
  return words;
}

// Every level as if it kept the tensor. `spatial_tiles` holds what all children of an instance
// cover together.
tl::expected<void, Fault> WalkEveryLevel(const Nest& nest, const Architecture& architecture,
                                         const Projection& projection, const WalkRules& rules,
                                         TensorTraffic* levels) {
  IndexedVector<LevelId, int64_t> spatial_tiles(levels->size(), 0);
  for (LevelId l : Ids(*levels)) {
    LevelTraffic& level = (*levels)[l];
    const Boundary boundary = AdjacentBoundary(nest, architecture, l);
    auto traffic = Analyse(nest, projection, boundary, rules);
    if (!traffic) return tl::unexpected(traffic.error());
    for (size_t k : boundary.lanes) level.children *= nest.loops[k].end;
    const LevelId inner(l.value() + 1);
    if (inner.value() < levels->size()) {
      (*levels)[inner].tile_words = traffic->tile_words;
      spatial_tiles[l] = boundary.lanes.empty() ? traffic->tile_words : traffic->spatial_tile_words;
    }
    SetWalked(std::move(*traffic), &level);
  }
  (*levels)[LevelId(0)].partition_words = (*levels)[LevelId(0)].tile_words;
  for (size_t l = 1; l < levels->size(); ++l) {
    const LevelTraffic& outer = (*levels)[LevelId(l - 1)];
    LevelTraffic& inner = (*levels)[LevelId(l)];
    inner.partition_words = static_cast<int64_t>(Int128{outer.partition_words} * inner.tile_words /
                                                 spatial_tiles[LevelId(l - 1)]);
    inner.received = DeliveredPerChild(outer.records, outer.children);
  }
  return {};
}

void Remove(LevelTraffic* level) {
  level->tile_words = 0;
  level->partition_words = 0;
  level->served = 0;
  level->received = 0;
}

// From inside out, the next outer level takes over the accesses of a level that does not keep the
// tensor: its records keep their proportions.
void ScaleBypassed(TensorTraffic* levels) {
  for (size_t l = levels->size(); l-- > 0;) {
    LevelTraffic& level = (*levels)[LevelId(l)];
    if (level.kept) continue;
    if (l > 0) {
      LevelTraffic& outer = (*levels)[LevelId(l - 1)];
      const double delivered = Delivered(outer.records);
      const double factor =
          delivered > 0 ? level.served * static_cast<double>(outer.children) / delivered : 0;
      for (AccessRecord& record : outer.records) record.words *= factor;
      outer.served = Sum(outer.records);
      outer.link_words = 0;
    }
    Remove(&level);
  }
  for (LevelTraffic& level : *levels) {
    if (level.kept) {
      level.received = 0;
      break;
    }
    level.link_words = 0;
  }
}

// Only the levels that keep the tensor exist for it.
tl::expected<void, Fault> WalkKeptLevels(const Nest& nest, const Architecture& architecture,
                                         const Projection& projection, const WalkRules& rules,
                                         TensorTraffic* levels) {
  LevelId child(levels->size());
  for (size_t l = levels->size(); l-- > 0;) {
    LevelTraffic& level = (*levels)[LevelId(l)];
    if (!level.kept) {
      Remove(&level);
      level.link_words = 0;
      continue;
    }
    const Boundary boundary = MergedBoundary(nest, architecture, LevelId(l), child);
    auto traffic = Analyse(nest, projection, boundary, rules);
    if (!traffic) return tl::unexpected(traffic.error());
    level.records.clear();
    level.children = 1;
    for (size_t k : boundary.lanes) level.children *= nest.loops[k].end;
    SetWalked(std::move(*traffic), &level);
    if (child.value() < levels->size()) {
      (*levels)[child].received = DeliveredPerChild(level.records, level.children);
    }
    child = LevelId(l);
  }
  (*levels)[child].received = 0;  // the outermost level that keeps the tensor
  return {};
}

}  // namespace

tl::expected<TensorTraffic, Fault> AnalyseTensor(const Nest& nest, const Architecture& architecture,
                                                 const Mapping& mapping, const Tensor& tensor,
                                                 TensorId id, const TimeloopRules& rules) {
  const Projection projection(nest, tensor);
  const WalkRules walk_rules = WalkRulesOf(rules);
  TensorTraffic levels(nest.levels.size());
  for (LevelId l : Ids(levels)) {
    levels[l].kept = mapping.levels[l].keep.contains(id);
    levels[l].instances = static_cast<int64_t>(AverageLanes(nest, nest.levels[l].temporal));
  }
  std::vector<int64_t> lo(projection.ranks()), size(projection.ranks());
  levels[LevelId(0)].tile_words =
      projection.Box(ExtentsInside(nest, 0), nest.imperfect, lo.data(), size.data());
  auto walked = WalkEveryLevel(nest, architecture, projection, walk_rules, &levels);
  if (!walked) return tl::unexpected(walked.error());
  if (tensor.is_output) {
    for (LevelId l : Ids(levels)) {
      levels[l].touched_words = TouchedWords(nest, tensor, l, levels[l].tile_words);
    }
  }
  if (rules.bypass_scaling) {
    ScaleBypassed(&levels);
  } else {
    walked = WalkKeptLevels(nest, architecture, projection, walk_rules, &levels);
    if (!walked) return tl::unexpected(walked.error());
  }
  for (size_t l = 0; l + 1 < levels.size(); ++l) {
    if (levels[LevelId(l)].link_words == 0) continue;
    LevelTraffic& inner = levels[LevelId(l + 1)];
    inner.from_neighbours += levels[LevelId(l)].link_words / static_cast<double>(inner.instances);
  }
  return levels;
}

tl::expected<ComputeTraffic, Fault> AnalyseCompute(const Nest& nest,
                                                   const Architecture& architecture,
                                                   const TimeloopRules& rules) {
  const LevelId innermost(nest.levels.size() - 1);
  const Boundary boundary = AdjacentBoundary(nest, architecture, innermost);
  WalkRules walk_rules = WalkRulesOf(rules);
  walk_rules.link_transfers = false;
  const auto traffic = Analyse(nest, Projection(), boundary, walk_rules);
  if (!traffic) return tl::unexpected(traffic.error());
  ComputeTraffic compute;
  int64_t vector = 1;  // lanes below an instance of the innermost level
  for (size_t k : boundary.lanes) vector *= nest.loops[k].end;
  for (const NestLoop& loop : nest.loops) {
    if (loop.IsSpatial()) compute.lanes *= loop.end;
  }
  compute.average_lanes = static_cast<int64_t>(AverageLanes(nest, nest.levels[innermost].spatial) *
                                               static_cast<double>(vector));
  const double per_lane = traffic->delivered_words / static_cast<double>(traffic->children);
  compute.operations = static_cast<int64_t>(per_lane * static_cast<double>(compute.average_lanes));
  return compute;
}

}  // namespace inlay::timeloop
