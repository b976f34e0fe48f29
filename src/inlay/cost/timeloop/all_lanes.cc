// The literal walk: every step of every lane, each with its own memory. Slow and plain; it defines
// what switching extrapolation off means where lanes differ.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "inlay/cost/timeloop/boundary.h"
#include "inlay/cost/timeloop/lane_memory.h"

namespace inlay::timeloop {
namespace {

constexpr double kMostSteps = 1e8;

using Words = std::vector<int64_t>;

// Words served to groups, ascending by (multicast, groups).
using Served = std::vector<AccessRecord>;

void Add(const AccessRecord& record, Served* to) {
  const auto it = std::lower_bound(
      to->begin(), to->end(), record, [](const AccessRecord& a, const AccessRecord& b) {
        return std::pair(a.multicast, a.groups) < std::pair(b.multicast, b.groups);
      });
  if (it != to->end() && it->multicast == record.multicast && it->groups == record.groups) {
    it->words += record.words;
  } else {
    to->insert(it, record);
  }
}

// What entered the lanes of a parent at one visit.
struct Arrivals {
  Words regions;  // per lane: 1 (0 where nothing entered), place and shape of the region
  Words words;    // per lane
  size_t lanes() const { return words.size(); }
};

// One instance of the parent.
struct Parent {
  Words memories;       // per lane
  Words largest_tiles;  // per lane
  int64_t largest_spatial_tile = 0;
  Arrivals before;  // at the last visit
  Served served;
  double link_words = 0;
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
        region_words_(1 + 4 * ranks_),
        memory_words_(LaneMemory::Words(ranks_)),
        tile_(ExtentsInside(nest, boundary.tile)),
        spatial_tile_(
            ExtentsInside(nest, boundary.lanes.empty() ? boundary.tile : boundary.lanes.front())),
        moves_(nest.loops.size() * ranks_),
        origin_(ranks_, 0),
        lo_(ranks_),
        size_(ranks_),
        instance_(nest.levels.size(), 0) {
    for (size_t k = 0; k < nest.loops.size(); ++k) {
      projection.Move(nest.loops[k], moves_.data() + k * ranks_);
    }
  }

  Traffic Run() {
    Walk(0, nest_.imperfect);
    return Average();
  }

 private:
  // `instance_` holds the lane taken at every level so far, numbered by the steps that exist now;
  // `origin_` is where tiles lie.
  void Walk(size_t depth, DimMask at_last) {
    if (depth == boundary_.path.size()) {
      Visit(at_last);
      return;
    }
    const size_t k = boundary_.path[depth];
    const NestLoop& loop = nest_.loops[k];
    const int64_t n = Steps(loop, at_last);
    int64_t& lane = instance_[loop.level.value()];
    const int64_t outer_lane = lane;
    for (int64_t i = 0; i < n; ++i) {
      if (loop.IsSpatial()) lane = outer_lane * n + i;
      Walk(depth + 1, timeloop::Enter(loop, i, at_last));
      Advance(k, 1);
    }
    Advance(k, -n);
    lane = outer_lane;
  }

  void Advance(size_t k, int64_t steps) {
    for (size_t r = 0; r < ranks_; ++r) origin_[r] += steps * moves_[k * ranks_ + r];
  }

  void Visit(DimMask at_last) {
    Parent& parent = parents_[instance_];
    const int64_t spatial = projection_.Box(spatial_tile_, at_last, lo_.data(), size_.data());
    parent.largest_spatial_tile = std::max(parent.largest_spatial_tile, spatial);
    now_.regions.clear();
    now_.words.clear();
    EnterLanes(boundary_.lanes, at_last, &parent);
    CountVisit(&parent);
    std::swap(parent.before, now_);
  }

  void EnterLanes(std::span<const size_t> loops, DimMask at_last, Parent* parent) {
    if (loops.empty()) {
      EnterLane(at_last, parent);
      return;
    }
    const size_t k = loops.front();
    const int64_t n = Steps(nest_.loops[k], at_last);
    for (int64_t i = 0; i < n; ++i) {
      EnterLanes(loops.subspan(1), timeloop::Enter(nest_.loops[k], i, at_last), parent);
      Advance(k, 1);
    }
    Advance(k, -n);
  }

  void EnterLane(DimMask at_last, Parent* parent) {
    const size_t lane = now_.lanes();
    if (lane == parent->largest_tiles.size()) {
      parent->largest_tiles.push_back(0);
      parent->memories.resize(parent->memories.size() + memory_words_, 0);
    }
    int64_t& largest = parent->largest_tiles[lane];
    largest = std::max(largest, projection_.Box(tile_, at_last, lo_.data(), size_.data()));
    for (size_t r = 0; r < ranks_; ++r) lo_[r] += origin_[r];
    LaneMemory memory({parent->memories.data() + lane * memory_words_, memory_words_}, ranks_);
    now_.words.push_back(boundary_.has_history
                             ? memory.Enter(lo_.data(), size_.data(), rules_.same_displacement)
                             : memory.EnterWithoutHistory(lo_.data(), size_.data()));
    now_.regions.push_back(memory.HasRegion() ? 1 : 0);
    now_.regions.insert(now_.regions.end(), memory.region_lo(), memory.region_lo() + 4 * ranks_);
  }

  void CountVisit(Parent* parent) {
    linked_.assign(now_.lanes(), false);
    Served all = GroupWords();
    if (rules_.link_transfers && boundary_.has_links && !boundary_.lanes.empty()) {
      double link_words = 0;
      for (size_t lane = 0; lane < now_.lanes(); ++lane) {
        linked_[lane] = now_.words[lane] > 0 && IsLinked(lane, *parent);
        if (linked_[lane]) link_words += static_cast<double>(now_.words[lane]);
      }
      Served rest = GroupWords();
      if (Sum(rest) < Sum(all)) {
        parent->link_words += link_words;
        all = std::move(rest);
      }
    }
    for (const AccessRecord& record : all) Add(record, &parent->served);
  }

  const int64_t* Region(const Arrivals& arrivals, size_t lane) const {
    return arrivals.regions.data() + lane * region_words_;
  }

  // Groups the lanes that are not linked by what enters them.
  Served GroupWords() {
    order_.clear();
    for (size_t lane = 0; lane < now_.lanes(); ++lane) {
      if (now_.words[lane] > 0 && !linked_[lane]) order_.push_back(lane);
    }
    const auto less = [this](size_t a, size_t b) {
      return std::lexicographical_compare(Region(now_, a), Region(now_, a) + region_words_,
                                          Region(now_, b), Region(now_, b) + region_words_);
    };
    std::sort(order_.begin(), order_.end(), less);
    Served by_members;
    for (size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      for (end = begin + 1; end < order_.size() && !less(order_[begin], order_[end]);) ++end;
      const auto members = static_cast<int64_t>(end - begin);
      auto it = std::find_if(
          by_members.begin(), by_members.end(),
          [members](const AccessRecord& record) { return record.multicast == members; });
      if (it == by_members.end()) it = by_members.insert(it, AccessRecord{members, 0, 0});
      ++it->groups;
      it->words += static_cast<double>(now_.words[order_[begin]]);
    }
    return by_members;
  }

  bool IsLinked(size_t lane, const Parent& parent) const {
    const auto id = static_cast<int64_t>(lane);
    const int64_t x = id % boundary_.mesh_x;
    const int64_t y = id / boundary_.mesh_x;
    if (y >= boundary_.mesh_y) return false;
    const auto had = [&](int64_t nx, int64_t ny) {
      if (nx < 0 || nx >= boundary_.mesh_x || ny < 0 || ny >= boundary_.mesh_y) return false;
      const auto neighbour = static_cast<size_t>(ny * boundary_.mesh_x + nx);
      return neighbour < parent.before.lanes() &&
             std::equal(Region(now_, lane), Region(now_, lane) + region_words_,
                        Region(parent.before, neighbour));
    };
    return had(x, y - 1) || had(x, y + 1) || had(x - 1, y) || had(x + 1, y);
  }

  Traffic Average() const {
    Traffic traffic;
    const auto count = static_cast<int64_t>(parents_.size());
    int64_t tiles = 0, spatial_tiles = 0;
    for (const auto& [instance, parent] : parents_) {
      for (const AccessRecord& record : parent.served) {
        Add(record, &traffic.records);
        traffic.delivered_words += record.words * static_cast<double>(record.multicast);
      }
      traffic.link_words += parent.link_words;
      spatial_tiles += parent.largest_spatial_tile;
      traffic.children += static_cast<int64_t>(parent.largest_tiles.size());
      for (int64_t largest : parent.largest_tiles) tiles += largest;
    }
    for (AccessRecord& record : traffic.records) record.words /= static_cast<double>(count);
    traffic.link_words /= static_cast<double>(count);
    traffic.tile_words = tiles / traffic.children;
    traffic.spatial_tile_words = spatial_tiles / count;
    return traffic;
  }

  const Nest& nest_;
  const Projection& projection_;
  const Boundary& boundary_;
  const WalkRules& rules_;
  const size_t ranks_, region_words_, memory_words_;
  const Extents tile_, spatial_tile_;
  Words moves_;  // ranks words per loop
  Words origin_, lo_, size_;
  std::vector<int64_t> instance_;
  std::map<std::vector<int64_t>, Parent> parents_;
  Arrivals now_;
  std::vector<bool> linked_;
  std::vector<size_t> order_;
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
