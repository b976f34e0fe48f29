#include "inlay/cost/walker.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/cost_from_counts.h"

namespace inlay {
namespace {

using Indices = std::vector<int64_t>;  // one per loop of some list
using Words = std::vector<int64_t>;    // addresses of words, ascending

struct NestLoop {
  Loop loop;
  LevelId level;
  int64_t trips = 1;  // of an unclipped range
};

// The iterations that a lane works on at a step: [offset, offset + size) along each dimension.
struct Block {
  IndexedVector<DimId, int64_t> offset, size;
};

// The bounding box of a block's projection: per rank the first and the last coordinate.
using Box = std::vector<std::pair<int64_t, int64_t>>;

struct Interrupted {};

constexpr int64_t kMostWordsPerOperation = 16;   // of a tensor, at the limit of operations
constexpr int64_t kMostVisitsPerOperation = 16;  // idle steps of lanes are visited too

class Walker {
 public:
  Walker(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
         const WalkOptions& options);
  tl::expected<WalkResult, Fault> Run();
  bool VisitsAtMost(int64_t limit) const;  // index tuples, idle ones included

 private:
  // A place in the nest: what a level holds of a tensor, or compute (one past the last level).
  struct Place {
    LevelId level;
    size_t above = 0;  // loops of the nest outside it
  };
  // A transfer; the tiles that move are those of the inner place.
  struct Boundary {
    TensorId tensor;
    Place outer;
    Place inner;
  };
  struct Lane {
    Box box;  // of the last active step; empty before the first
    bool holds = false;
    std::set<int64_t> seen;  // output words that ever entered
  };

  Place PlaceOf(LevelId level) const;
  Place PlaceOf(LevelId level, TensorId tensor) const;
  std::vector<NestLoop> LoopsAbove(const Place& place, bool spatial) const;
  bool BlockAt(const Place& place, const Indices& time, const Indices& lane, Block* block) const;
  Box Project(const Tensor& tensor, const Block& block) const;
  Words WordsOf(const Tensor& tensor, const Box& box) const;
  bool EveryFanout(const Boundary& boundary, bool (*able)(const Fanout&)) const;
  Indices ParentOf(const Boundary& boundary, const Indices& lane) const;

  template <typename Visit>
  void ForEach(const std::vector<NestLoop>& loops, const Visit& visit) const;

  void WalkStorage(const Boundary& boundary);
  void WalkCompute(const Boundary& boundary);
  void Enter(const Boundary& boundary, const Words& before, const Words& after,
             const std::vector<Lane*>& lanes);
  void Leave(const Boundary& boundary, int64_t words, int64_t lanes);
  int64_t LanesAt(const Place& place);
  WalkedWords MovedAt(const Boundary& boundary, const Indices& step) const;
  void Tell(const std::map<Indices, Counts>& parents, WalkedWords* words) const;
  void CountLanes();
  void CountMoves();
  bool Compute();
  void Poll();

  Counts& CountsOf(const Boundary& boundary, LevelId level) {
    return cost_.levels[level].tensors[boundary.tensor].total;
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Mapping& mapping_;
  const WalkOptions& options_;
  CostFromCounts finisher_;
  Cost cost_;
  std::vector<NestLoop> nest_;
  Place compute_;
  int64_t polls_ = 0;
};

Walker::Walker(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
               const WalkOptions& options)
    : problem_(problem),
      architecture_(architecture),
      mapping_(mapping),
      options_(options),
      finisher_(problem, architecture),
      cost_(finisher_.Empty()) {
  IndexedVector<DimId, int64_t> range;
  for (const Dimension& dim : problem.dims) range.push_back(dim.bound);
  for (LevelId l : Ids(mapping.levels)) {
    for (const auto* loops : {&mapping.levels[l].temporal, &mapping.levels[l].spatial}) {
      for (const Loop& loop : *loops) {
        nest_.push_back({loop, l, CeilDiv(range[loop.dim], loop.step)});
        range[loop.dim] = loop.step;
      }
    }
  }
  compute_ = PlaceOf(LevelId(architecture.levels.size()));
}

// At the beginning of a level.
Walker::Place Walker::PlaceOf(LevelId level) const {
  Place place{level, 0};
  while (place.above < nest_.size() && nest_[place.above].level < level) ++place.above;
  return place;
}

// Where a tensor enters a level: after some of its temporal loops, which come first.
Walker::Place Walker::PlaceOf(LevelId level, TensorId tensor) const {
  Place place = PlaceOf(level);
  for (const LateEntry& entry : mapping_.levels[level].late) {
    if (entry.tensor == tensor) place.above += entry.loops;
  }
  return place;
}

std::vector<NestLoop> Walker::LoopsAbove(const Place& place, bool spatial) const {
  std::vector<NestLoop> loops;
  for (size_t i = 0; i < place.above; ++i) {
    if ((nest_[i].loop.axis != Axis::kTime) == spatial) loops.push_back(nest_[i]);
  }
  return loops;
}

// Calls visit with every index tuple of the loops, the last loop running fastest.
template <typename Visit>
void Walker::ForEach(const std::vector<NestLoop>& loops, const Visit& visit) const {
  Indices indices(loops.size(), 0);
  for (;;) {
    visit(indices);
    size_t i = loops.size();
    while (i > 0 && ++indices[i - 1] == loops[i - 1].trips) indices[--i] = 0;
    if (i == 0) return;
  }
}

// False if the lane is idle: its clipped range is empty in some dimension.
bool Walker::BlockAt(const Place& place, const Indices& time, const Indices& lane,
                     Block* block) const {
  block->offset.assign(problem_.dims.size(), 0);
  block->size.resize(problem_.dims.size());
  for (DimId d : Ids(problem_.dims)) block->size[d] = problem_.dims[d].bound;
  size_t next_time = 0;
  size_t next_lane = 0;
  for (size_t i = 0; i < place.above; ++i) {
    const NestLoop& loop = nest_[i];
    const int64_t index = loop.loop.axis == Axis::kTime ? time[next_time++] : lane[next_lane++];
    int64_t& size = block->size[loop.loop.dim];
    const int64_t start = index * loop.loop.step;
    if (start >= size) return false;
    size = std::min(loop.loop.step, size - start);
    block->offset[loop.loop.dim] += start;
  }
  return true;
}

Box Walker::Project(const Tensor& tensor, const Block& block) const {
  Box box;
  for (const Rank& rank : tensor.ranks) {
    int64_t low = 0;
    int64_t high = 0;
    for (const Term& term : rank.terms) {
      low += term.coefficient * block.offset[term.dim];
      high += term.coefficient * (block.offset[term.dim] + block.size[term.dim] - 1);
    }
    box.emplace_back(low, high);
  }
  return box;
}

Words Walker::WordsOf(const Tensor& tensor, const Box& box) const {
  Words words = {0};
  for (size_t r = 0; r < tensor.ranks.size(); ++r) {
    int64_t extent = 1;
    for (const Term& term : tensor.ranks[r].terms) {
      extent += term.coefficient * (problem_.dims[term.dim].bound - 1);
    }
    Words next;
    for (int64_t word : words) {
      for (int64_t x = box[r].first; x <= box[r].second; ++x) next.push_back(word * extent + x);
    }
    words = std::move(next);
  }
  return words;
}

Words Minus(const Words& a, const Words& b) {
  Words difference;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(difference));
  return difference;
}

// Fan-outs of one lane are no fan-outs.
bool Walker::EveryFanout(const Boundary& boundary, bool (*able)(const Fanout&)) const {
  for (size_t l = boundary.outer.level.value(); l < boundary.inner.level.value(); ++l) {
    const Fanout& fanout = architecture_.levels[LevelId(l)].fanout;
    if (fanout.x * fanout.y > 1 && !able(fanout)) return false;
  }
  return true;
}

bool CanMulticast(const Fanout& fanout) { return fanout.multicast == Multicast::kTile; }
bool CanReduce(const Fanout& fanout) { return fanout.reduce; }

// Which instance of the outer level feeds a lane: the lane's indices of the spatial loops above
// that level.
Indices Walker::ParentOf(const Boundary& boundary, const Indices& lane) const {
  return {lane.begin(),
          lane.begin() + static_cast<std::ptrdiff_t>(LoopsAbove(boundary.outer, true).size())};
}

// Words leave `lanes` lanes that held the same tile: rule 3.
void Walker::Leave(const Boundary& boundary, int64_t words, int64_t lanes) {
  CountsOf(boundary, boundary.inner.level).drains += words * lanes;
  CountsOf(boundary, boundary.outer.level).updates +=
      EveryFanout(boundary, CanReduce) ? words : words * lanes;
}

// A group of lanes goes from one tile to the next: rules 2 and 3.
void Walker::Enter(const Boundary& boundary, const Words& before, const Words& after,
                   const std::vector<Lane*>& lanes) {
  const Words entering = Minus(after, before);
  const auto count = static_cast<int64_t>(entering.size());
  const auto members = static_cast<int64_t>(lanes.size());
  Counts& inner = CountsOf(boundary, boundary.inner.level);
  Counts& outer = CountsOf(boundary, boundary.outer.level);
  if (!problem_.tensors[boundary.tensor].is_output) {
    inner.fills += count * members;
    outer.reads += EveryFanout(boundary, CanMulticast) ? count : count * members;
    return;
  }
  Leave(boundary, static_cast<int64_t>(Minus(before, after).size()), members);
  for (int64_t word : entering) {
    const bool first = lanes[0]->seen.insert(word).second;
    for (size_t i = 1; i < lanes.size(); ++i) {
      INLAY_CHECK(lanes[i]->seen.insert(word).second == first);  // the lanes of a group agree
    }
    if (first) continue;
    ++inner.fills;
    ++outer.reads;
  }
}

void Walker::WalkStorage(const Boundary& boundary) {
  const Tensor& tensor = problem_.tensors[boundary.tensor];
  const auto temporal = LoopsAbove(boundary.inner, false);
  const auto spatial = LoopsAbove(boundary.inner, true);
  std::map<Indices, Lane> lanes;
  Block block;
  ForEach(temporal, [&](const Indices& time) {
    std::map<std::tuple<Indices, Box, Box>, std::vector<Lane*>> groups;  // parent, previous, new
    ForEach(spatial, [&](const Indices& index) {
      Poll();
      if (!BlockAt(boundary.inner, time, index, &block)) return;
      Box box = Project(tensor, block);
      Lane& lane = lanes[index];
      if (lane.holds && lane.box == box) return;
      groups[{ParentOf(boundary, index), lane.box, box}].push_back(&lane);
    });
    WalkedWords moved = MovedAt(boundary, time);
    std::map<Indices, Counts> parents;
    for (auto& [key, members] : groups) {
      const auto& [parent, previous, box] = key;
      const Words before = members[0]->holds ? WordsOf(tensor, previous) : Words{};
      const Counts outer = CountsOf(boundary, boundary.outer.level);
      const Counts inner = CountsOf(boundary, boundary.inner.level);
      Enter(boundary, before, WordsOf(tensor, box), members);
      parents[parent].reads += CountsOf(boundary, boundary.outer.level).reads - outer.reads;
      parents[parent].updates += CountsOf(boundary, boundary.outer.level).updates - outer.updates;
      // Inputs fill and outputs drain in every lane alike; a sum comes back to one of them.
      const auto lanes_alike = static_cast<int64_t>(members.size());
      const int64_t fills = CountsOf(boundary, boundary.inner.level).fills - inner.fills;
      const int64_t drains = CountsOf(boundary, boundary.inner.level).drains - inner.drains;
      moved.fills = std::max(moved.fills, tensor.is_output ? fills : fills / lanes_alike);
      moved.drains = std::max(moved.drains, drains / lanes_alike);
      for (Lane* lane : members) {
        lane->box = box;
        lane->holds = true;
      }
    }
    Tell(parents, &moved);
  });
  if (!tensor.is_output) return;
  std::map<std::pair<Indices, Box>, int64_t> last;
  for (const auto& [index, lane] : lanes) {
    if (lane.holds) ++last[{ParentOf(boundary, index), lane.box}];
  }
  WalkedWords moved = MovedAt(boundary, {});
  moved.last = true;
  std::map<Indices, Counts> parents;
  for (const auto& [key, members] : last) {
    const auto words = static_cast<int64_t>(WordsOf(tensor, key.second).size());
    const int64_t updates = CountsOf(boundary, boundary.outer.level).updates;
    Leave(boundary, words, members);
    parents[key.first].updates += CountsOf(boundary, boundary.outer.level).updates - updates;
    moved.drains = std::max(moved.drains, words);
  }
  Tell(parents, &moved);
}

WalkedWords Walker::MovedAt(const Boundary& boundary, const Indices& step) const {
  WalkedWords moved;
  moved.tensor = boundary.tensor;
  moved.outer = boundary.outer.level;
  moved.inner = boundary.inner.level;
  moved.step = step;
  return moved;
}

// `parents`: what each instance of the outer level has sent and received.
void Walker::Tell(const std::map<Indices, Counts>& parents, WalkedWords* words) const {
  if (!options_.words || parents.empty()) return;
  for (const auto& [parent, counts] : parents) {
    words->reads = std::max(words->reads, counts.reads);
    words->updates = std::max(words->updates, counts.updates);
  }
  options_.words(*words);
}

// Operands are points without history: rule 4.
void Walker::WalkCompute(const Boundary& boundary) {
  const Tensor& tensor = problem_.tensors[boundary.tensor];
  const auto temporal = LoopsAbove(compute_, false);
  const auto spatial = LoopsAbove(compute_, true);
  const bool shared = EveryFanout(boundary, tensor.is_output ? CanReduce : CanMulticast);
  Counts& counts = CountsOf(boundary, boundary.outer.level);
  std::map<Indices, std::set<int64_t>> touched;  // by instance of the keeping level
  Block block;
  ForEach(temporal, [&](const Indices& time) {
    std::set<std::pair<Indices, Box>> served;
    WalkedWords moved = MovedAt(boundary, time);
    std::map<Indices, Counts> parents;
    ForEach(spatial, [&](const Indices& lane) {
      Poll();
      if (!BlockAt(compute_, time, lane, &block)) return;
      const Box point = Project(tensor, block);
      const Indices parent = ParentOf(boundary, lane);
      if (shared && !served.insert({parent, point}).second) return;
      if (!tensor.is_output) {
        ++counts.reads;
        ++parents[parent].reads;
        return;
      }
      ++counts.updates;
      ++parents[parent].updates;
      const bool first = touched[parent].insert(WordsOf(tensor, point)[0]).second;
      if (first) return;
      ++counts.reads;
      ++parents[parent].reads;
    });
    Tell(parents, &moved);
  });
}

// Lanes that are ever active.
int64_t Walker::LanesAt(const Place& place) {
  std::set<Indices> active;
  Block block;
  ForEach(LoopsAbove(place, false), [&](const Indices& time) {
    ForEach(LoopsAbove(place, true), [&](const Indices& lane) {
      Poll();
      if (BlockAt(place, time, lane, &block)) active.insert(lane);
    });
  });
  return static_cast<int64_t>(active.size());
}

void Walker::CountLanes() {
  cost_.compute_lanes_used = LanesAt(compute_);
  for (LevelId level : Ids(mapping_.levels)) {
    const int64_t lanes = LanesAt(PlaceOf(level));
    for (TensorId t : Ids(problem_.tensors)) {
      TensorCost& tensor = cost_.levels[level].tensors[t];
      tensor.kept = mapping_.levels[level].keep.contains(t);
      if (!tensor.kept) continue;
      const bool late = LoopsOutside(mapping_.levels[level], t) > 0;
      tensor.instances = late ? LanesAt(PlaceOf(level, t)) : lanes;
      tensor.tile_words = TileWords(problem_.tensors[t], TileSizes(problem_, mapping_, level, t));
    }
  }
}

// Rule 3 of docs/reference/time.md, literally: the steps at which lane 0 begins a step of the
// innermost loop that moves the tile.
void Walker::CountMoves() {
  for (TensorId t : Ids(problem_.tensors)) {
    const auto moves = [&](const NestLoop& loop) {
      for (const Rank& rank : problem_.tensors[t].ranks) {
        for (const Term& term : rank.terms) {
          if (term.coefficient != 0 && term.dim == loop.loop.dim) return loop.trips > 1;
        }
      }
      return false;
    };
    bool fed = false;
    for (LevelId l : Ids(mapping_.levels)) {
      if (!mapping_.levels[l].keep.contains(t)) continue;
      if (!fed) {
        fed = true;
        continue;
      }
      const Place place = PlaceOf(l, t);
      const std::vector<NestLoop> loops = LoopsAbove(place, false);
      size_t count = loops.size();
      while (count > 0 && !moves(loops[count - 1])) --count;
      std::set<Indices> steps;
      Block block;
      const Indices lane(LoopsAbove(place, true).size(), 0);
      ForEach(loops, [&](const Indices& time) {
        Poll();
        if (!BlockAt(place, time, lane, &block)) return;
        steps.insert({time.begin(), time.begin() + static_cast<std::ptrdiff_t>(count)});
      });
      cost_.levels[l].tensors[t].moves = static_cast<int64_t>(steps.size());
    }
  }
}

// Some value for a word, the same wherever it is read.
int64_t ValueOf(TensorId tensor, int64_t word) {
  const uint64_t mixed = static_cast<uint64_t>(word) * 2654435761U + tensor.value() * 40503U;
  return static_cast<int64_t>(mixed % 251) - 125;
}

// Executes the nest lane by lane, counts operations and steps, and compares with the plain loops.
bool Walker::Compute() {
  const TensorId output = OutputTensor(problem_);
  const auto multiply = [&](const Block& block, std::map<int64_t, int64_t>* sums) {
    int64_t product = 1;
    for (TensorId t : Ids(problem_.tensors)) {
      if (t == output) continue;
      const Tensor& tensor = problem_.tensors[t];
      product = product * ValueOf(t, WordsOf(tensor, Project(tensor, block))[0]) % 1000003;
    }
    const Tensor& tensor = problem_.tensors[output];
    (*sums)[WordsOf(tensor, Project(tensor, block))[0]] += product;
  };
  std::map<int64_t, int64_t> mapped, plain;
  Block block;
  ForEach(LoopsAbove(compute_, false), [&](const Indices& time) {
    const auto spatial = LoopsAbove(compute_, true);
    if (BlockAt(compute_, time, Indices(spatial.size(), 0), &block)) ++cost_.compute_cycles;
    ForEach(spatial, [&](const Indices& lane) {
      Poll();
      if (!BlockAt(compute_, time, lane, &block)) return;
      ++cost_.operations;
      multiply(block, &mapped);
    });
  });
  std::vector<NestLoop> loops;
  for (DimId d : Ids(problem_.dims)) {
    loops.push_back({{d, 1, Axis::kTime}, LevelId(0), problem_.dims[d].bound});
  }
  block.size.assign(problem_.dims.size(), 1);
  ForEach(loops, [&](const Indices& point) {
    for (DimId d : Ids(problem_.dims)) block.offset[d] = point[d.value()];
    multiply(block, &plain);
  });
  return mapped == plain && cost_.operations == Operations(problem_);
}

void Walker::Poll() {
  if ((++polls_ & 0xffff) == 0 && options_.stop && options_.stop()) throw Interrupted();
}

bool Walker::VisitsAtMost(int64_t limit) const {
  int64_t visits = 1;
  for (const NestLoop& loop : nest_) {
    visits = CheckedMultiply(visits, loop.trips).value_or(std::numeric_limits<int64_t>::max());
    if (visits > limit) return false;
  }
  return true;
}

tl::expected<WalkResult, Fault> Walker::Run() {
  CountLanes();
  if (finisher_.time().active) CountMoves();
  const auto report = [&](size_t done) {
    if (options_.progress) {
      options_.progress(static_cast<double>(done) /
                        static_cast<double>(problem_.tensors.size() + 1));
    }
  };
  for (TensorId t : Ids(problem_.tensors)) {
    report(t.value());
    std::vector<Place> keepers;
    for (LevelId l : Ids(mapping_.levels)) {
      if (mapping_.levels[l].keep.contains(t)) keepers.push_back(PlaceOf(l, t));
    }
    for (size_t i = 1; i < keepers.size(); ++i) WalkStorage({t, keepers[i - 1], keepers[i]});
    WalkCompute({t, keepers.back(), compute_});
  }
  report(problem_.tensors.size());
  WalkResult result;
  result.numeric_check = Compute();
  report(problem_.tensors.size() + 1);
  if (!finisher_.Finish(options_.fill_and_drain, &cost_)) return tl::unexpected(CountOverflow());
  result.cost = cost_;
  return result;
}

}  // namespace

tl::expected<WalkResult, Fault> Walk(const Problem& problem, const Architecture& architecture,
                                     const Mapping& mapping, const WalkOptions& options) {
  if (Operations(problem) > options.most_operations) {
    return tl::unexpected(Fault{"dims",
                                "too large to walk: " + std::to_string(Operations(problem)) +
                                    " operations, the limit is " +
                                    std::to_string(options.most_operations),
                                "use 'inlay eval', which needs no walking, or raise the limit"});
  }
  for (TensorId t : Ids(problem.tensors)) {
    if (TensorWords(problem, t) / kMostWordsPerOperation <= options.most_operations) continue;
    return tl::unexpected(Fault{"tensors." + problem.tensors[t].name,
                                "too large to walk: '" + problem.tensors[t].name + "' has " +
                                    std::to_string(TensorWords(problem, t)) + " words",
                                "use 'inlay eval', which needs no walking"});
  }
  if (HasTimeKeys(architecture) && IsUneven(mapping)) {
    return tl::unexpected(TimeKeysFault("the cost of uneven mappings"));
  }
  if (options.fill_and_drain && HasTimeKeys(architecture)) {
    return tl::unexpected(TimeKeysFault("the sum with first fill and last drain"));
  }
  Walker walker(problem, architecture, mapping, options);
  if (!walker.VisitsAtMost(options.most_operations * kMostVisitsPerOperation)) {
    return tl::unexpected(Fault{"mapping", "too ragged to walk: most steps of most lanes are idle",
                                "use 'inlay eval', which needs no walking"});
  }
  try {
    return walker.Run();
  } catch (const Interrupted&) {
    return tl::unexpected(Fault{"", "interrupted", ""});
  }
}

}  // namespace inlay
