// The literal walk: every step of every lane, each with its own memory. Slow and plain; it defines
// what switching extrapolation off means where lanes differ.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "inlay/cost/timeloop_boundary.h"
#include "inlay/cost/timeloop_history.h"
#include "inlay/cost/timeloop_lanes.h"

namespace inlay::timeloop {
namespace {

constexpr double kMostSteps = 1e8;

using Words = std::vector<int64_t>;

struct Child {
  Words memory;
  int64_t largest_tile = 0;
};

// One instance of the parent.
struct Parent {
  std::vector<Child> children;
  std::vector<Words> before;  // regions of the last visit, by lane; empty where nothing entered
  std::map<std::pair<int64_t, int64_t>, double> words;  // by (multicast, groups)
  double link_words = 0;
  int64_t largest_tile = 0;
};

class AllLanesWalk {
 public:
  AllLanesWalk(const Nest& nest, const Projection& projection, const Boundary& boundary,
               const WalkRules& rules)
      : nest_(nest),
        projection_(projection),
        boundary_(boundary),
        rules_(rules),
        ranks_(projection.ranks()),
        tile_(ExtentsInside(nest, boundary.tile)),
        spatial_tile_(
            ExtentsInside(nest, boundary.lanes.empty() ? boundary.tile : boundary.lanes.front())),
        instance_(nest.levels.size(), 0) {}

  Traffic Run() {
    Walk(0, nest_.imperfect, Words(ranks_, 0));
    return Average();
  }

 private:
  // `instance_` holds the lane taken at every level so far, numbered by the steps that exist now.
  void Walk(size_t depth, DimMask at_last, const Words& origin) {
    if (depth == boundary_.path.size()) {
      Visit(at_last, origin);
      return;
    }
    const size_t k = boundary_.path[depth];
    const NestLoop& loop = nest_.loops[k];
    const int64_t n = Steps(loop, at_last);
    int64_t& lane = instance_[loop.level.value()];
    const int64_t outer_lane = lane;
    Words at = origin;
    for (int64_t i = 0; i < n; ++i) {
      if (loop.IsSpatial()) lane = outer_lane * n + i;
      Walk(depth + 1, timeloop::Enter(loop, i, at_last), at);
      Advance(loop, &at);
    }
    lane = outer_lane;
  }

  void Advance(const NestLoop& loop, Words* at) const {
    Words move(ranks_);
    projection_.Move(loop, move.data());
    for (size_t r = 0; r < ranks_; ++r) (*at)[r] += move[r];
  }

  void Visit(DimMask at_last, const Words& origin) {
    Parent& parent = parents_[instance_];
    Words lo(ranks_), size(ranks_);
    const int64_t spatial = projection_.Box(spatial_tile_, at_last, lo.data(), size.data());
    parent.largest_tile = std::max(parent.largest_tile, spatial);
    std::vector<Words> regions;
    std::vector<int64_t> words;
    EnterLanes(boundary_.lanes, at_last, origin, &parent, &regions, &words);
    CountVisit(regions, words, &parent);
    parent.before = std::move(regions);
  }

  void EnterLanes(std::span<const size_t> loops, DimMask at_last, Words at, Parent* parent,
                  std::vector<Words>* regions, std::vector<int64_t>* words) {
    if (loops.empty()) {
      Enter(at_last, at, parent, regions, words);
      return;
    }
    const NestLoop& loop = nest_.loops[loops.front()];
    const int64_t n = Steps(loop, at_last);
    for (int64_t i = 0; i < n; ++i) {
      EnterLanes(loops.subspan(1), timeloop::Enter(loop, i, at_last), at, parent, regions, words);
      Advance(loop, &at);
    }
  }

  void Enter(DimMask at_last, const Words& origin, Parent* parent, std::vector<Words>* regions,
             std::vector<int64_t>* words) {
    const size_t lane = regions->size();
    if (lane == parent->children.size()) {
      parent->children.push_back({Words(LaneMemory::Words(ranks_), 0), 0});
    }
    Child& child = parent->children[lane];
    Words lo(ranks_), size(ranks_);
    child.largest_tile =
        std::max(child.largest_tile, projection_.Box(tile_, at_last, lo.data(), size.data()));
    for (size_t r = 0; r < ranks_; ++r) lo[r] += origin[r];
    LaneMemory memory(child.memory, ranks_);
    words->push_back(boundary_.has_history
                         ? memory.Enter(lo.data(), size.data(), rules_.same_displacement)
                         : memory.EnterWithoutHistory(lo.data(), size.data()));
    Words region;
    if (memory.HasRegion()) {
      region.push_back(1);  // a region of no rank is not an empty one
      region.insert(region.end(), memory.region_lo(), memory.region_lo() + ranks_);
      region.insert(region.end(), memory.RegionShape().begin(), memory.RegionShape().end());
    }
    regions->push_back(std::move(region));
  }

  void CountVisit(const std::vector<Words>& regions, const std::vector<int64_t>& words,
                  Parent* parent) const {
    const auto all = GroupWords(regions, words, {});
    const double served = Sum(all);
    if (rules_.link_transfers && boundary_.has_links && !boundary_.lanes.empty()) {
      std::vector<bool> linked(regions.size());
      double link_words = 0;
      for (size_t lane = 0; lane < regions.size(); ++lane) {
        linked[lane] = words[lane] > 0 && IsLinked(lane, regions[lane], *parent);
        if (linked[lane]) link_words += static_cast<double>(words[lane]);
      }
      const auto rest = GroupWords(regions, words, linked);
      if (Sum(rest) < served) {
        parent->link_words += link_words;
        Add(rest, parent);
        return;
      }
    }
    Add(all, parent);
  }

  using Served = std::map<std::pair<int64_t, int64_t>, double>;
  static double Sum(const Served& served) {
    double sum = 0;
    for (const auto& [key, words] : served) sum += words;
    return sum;
  }
  static void Add(const Served& served, Parent* parent) {
    for (const auto& [key, words] : served) parent->words[key] += words;
  }

  static Served GroupWords(const std::vector<Words>& regions, const std::vector<int64_t>& words,
                           const std::vector<bool>& left_out) {
    std::map<Words, std::pair<int64_t, int64_t>> groups;  // region → (members, words)
    for (size_t lane = 0; lane < regions.size(); ++lane) {
      if (words[lane] == 0 || (!left_out.empty() && left_out[lane])) continue;
      auto& group = groups[regions[lane]];
      ++group.first;
      group.second = words[lane];
    }
    std::map<int64_t, std::pair<int64_t, double>> by_members;  // members → (groups, words)
    for (const auto& [region, group] : groups) {
      auto& entry = by_members[group.first];
      ++entry.first;
      entry.second += static_cast<double>(group.second);
    }
    Served served;
    for (const auto& [members, entry] : by_members) {
      served[{members, entry.first}] = entry.second;
    }
    return served;
  }

  bool IsLinked(size_t lane, const Words& region, const Parent& parent) const {
    const auto id = static_cast<int64_t>(lane);
    const int64_t x = id % boundary_.mesh_x;
    const int64_t y = id / boundary_.mesh_x;
    if (y >= boundary_.mesh_y) return false;
    const auto had = [&](int64_t nx, int64_t ny) {
      if (nx < 0 || nx >= boundary_.mesh_x || ny < 0 || ny >= boundary_.mesh_y) return false;
      const auto neighbour = static_cast<size_t>(ny * boundary_.mesh_x + nx);
      return neighbour < parent.before.size() && parent.before[neighbour] == region;
    };
    return had(x, y - 1) || had(x, y + 1) || had(x - 1, y) || had(x + 1, y);
  }

  Traffic Average() const {
    Traffic traffic;
    Served words;
    const auto count = static_cast<int64_t>(parents_.size());
    int64_t tiles = 0, spatial_tiles = 0;
    for (const auto& [instance, parent] : parents_) {
      for (const auto& [key, amount] : parent.words) {
        words[key] += amount;
        traffic.delivered_words += amount * static_cast<double>(key.first);
      }
      traffic.link_words += parent.link_words;
      spatial_tiles += parent.largest_tile;
      traffic.children += static_cast<int64_t>(parent.children.size());
      for (const Child& child : parent.children) tiles += child.largest_tile;
    }
    for (const auto& [key, amount] : words) {
      traffic.records.push_back({key.first, key.second, amount / static_cast<double>(count)});
    }
    traffic.link_words /= static_cast<double>(count);
    traffic.tile_words = tiles / traffic.children;
    traffic.spatial_tile_words = spatial_tiles / count;
    return traffic;
  }

  const Nest& nest_;
  const Projection& projection_;
  const Boundary& boundary_;
  const WalkRules& rules_;
  const size_t ranks_;
  const Extents tile_, spatial_tile_;
  std::vector<int64_t> instance_;
  std::map<std::vector<int64_t>, Parent> parents_;
};

}  // namespace

tl::expected<Traffic, Fault> AnalyseAllLanes(const Nest& nest, const Projection& projection,
                                             const Boundary& boundary, const WalkRules& rules) {
  double steps = 1;
  for (size_t k = 0; k < boundary.tile; ++k) steps *= static_cast<double>(nest.loops[k].end);
  if (steps > kMostSteps) {
    return tl::unexpected(Fault{"mapping", "the mapping has too many steps to walk them all",
                                "leave timeloop's extrapolation on, or use a perfect mapping"});
  }
  return AllLanesWalk(nest, projection, boundary, rules).Run();
}

}  // namespace inlay::timeloop
