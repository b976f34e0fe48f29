// The walk of lane 0, with a memory of situations already met.
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "inlay/cost/timeloop/boundary.h"
#include "inlay/cost/timeloop/lane_memory.h"
#include "inlay/cost/timeloop/lanes.h"
#include "inlay/cost/timeloop/memo.h"

namespace inlay::timeloop {
namespace {

// One evaluated step of a temporal loop: it stands for `times` steps. Where the loop is direct and
// `as_before`, the words of the step before it are counted instead of its own.
struct Step {
  int64_t index = 0;
  int64_t times = 1;
  bool as_before = false;
};

// The steps that Timeloop evaluates of a loop with n steps: the first, the second for all others,
// and, where a remainder further in makes the last tile short (`run_last`), the last and, if the
// loop has a remainder itself (`run_two`), the last but one.
size_t StepsEvaluated(int64_t n, bool run_last, bool run_two, Step* steps) {
  size_t count = 0;
  steps[count++] = {0, 1, false};
  const int64_t apart = run_last ? (run_two ? 2 : 1) : 0;  // steps that are evaluated by themselves
  const int64_t times = n - 1 - apart;
  if (times >= 1) steps[count++] = {1, times, false};
  if (run_two && n >= 3) steps[count++] = {n - 2, 1, n >= 4};
  if (run_last && n >= 2) steps[count++] = {n - 1, 1, !run_two && n >= 3};
  return count;
}

class LaneZeroWalk {
 public:
  LaneZeroWalk(const Nest& nest, const Projection& projection, const Boundary& boundary,
               const WalkRules& rules)
      : nest_(nest),
        projection_(projection),
        boundary_(boundary),
        rules_(rules),
        uses_links_(rules.link_transfers && boundary.has_links && !boundary.lanes.empty()),
        ranks_(projection.ranks()),
        state_words_(kKeyWords + LaneMemory::Words(ranks_)),
        memo_(state_words_),
        tile_(ExtentsInside(nest, boundary.tile)),
        spatial_tile_(
            ExtentsInside(nest, boundary.lanes.empty() ? boundary.tile : boundary.lanes.front())),
        moves_(boundary.path.size() * ranks_),
        states_((boundary.path.size() + 1) * state_words_),
        totals_(boundary.path.size() + 1),
        counted_(boundary.path.size()),
        entered_(boundary.path.size()),
        lo_(ranks_),
        size_(ranks_),
        region_before_(4 * ranks_) {
    for (size_t depth = 0; depth < boundary.path.size(); ++depth) {
      projection.Move(nest.loops[boundary.path[depth]], moves_.data() + depth * ranks_);
    }
  }

  Traffic Run() {
    std::vector<int64_t> state(state_words_, 0);
    std::vector<double> totals;
    Walk(0, nest_.imperfect, state.data(), &totals);
    totals.resize(records_.size() + 1, 0);
    traffic_.link_words = totals[0];
    for (size_t i = 0; i < records_.size(); ++i) {
      records_[i].words = totals[i + 1];
      traffic_.delivered_words += totals[i + 1] * static_cast<double>(records_[i].multicast);
    }
    traffic_.records = std::move(records_);
    return std::move(traffic_);
  }

 private:
  // A state is depth, mask, lane table of the last visit, and the lane's memory; totals are the
  // link words and then the words of each record.
  static constexpr size_t kKeyWords = 3;
  static constexpr size_t kTableWord = 2;

  LaneMemory MemoryOf(int64_t* state) const {
    return {{state + kKeyWords, state_words_ - kKeyWords}, ranks_};
  }
  static void Add(std::span<const double> from, double times, std::vector<double>* to) {
    if (to->size() < from.size()) to->resize(from.size(), 0);
    for (size_t i = 0; i < from.size(); ++i) (*to)[i] += times * from[i];
  }

  // Walks everything inside the first `depth` loops of the path from `state` on, leaves the state
  // in which it ends there, and adds what crossed to `totals`.
  void Walk(size_t depth, DimMask at_last, int64_t* state, std::vector<double>* totals) {
    const bool at_end = depth == boundary_.path.size();
    if (!at_end && nest_.loops[boundary_.path[depth]].IsSpatial()) {
      const NestLoop& loop = nest_.loops[boundary_.path[depth]];
      Walk(depth + 1, timeloop::Enter(loop, 0, at_last), state, totals);
      return;
    }
    state[0] = static_cast<int64_t>(depth);
    state[1] = static_cast<int64_t>(at_last);
    if (const auto known = memo_.Find({state, state_words_})) {
      std::copy(known->result.begin(), known->result.end(), state);
      Add(known->totals, 1, totals);
      return;
    }
    int64_t* before = states_.data() + depth * state_words_;
    std::copy_n(state, state_words_, before);
    std::vector<double>& own = totals_[depth];
    own.clear();
    if (at_end) {
      Visit(at_last, state, &own);
    } else {
      WalkLoop(depth, at_last, state, &own);
    }
    memo_.Insert({before, state_words_}, {state, state_words_}, own);
    Add(own, 1, totals);
  }

  void WalkLoop(size_t depth, DimMask at_last, int64_t* state, std::vector<double>* totals) {
    const size_t k = boundary_.path[depth];
    const NestLoop& loop = nest_.loops[k];
    const int64_t n = Steps(loop, at_last);
    const int64_t* move = moves_.data() + depth * ranks_;
    if (!rules_.extrapolation) {
      for (int64_t i = 0; i < n; ++i) {
        if (i > 0) MemoryOf(state).MoveOrigin(move, 1);
        Walk(depth + 1, timeloop::Enter(loop, i, at_last), state, totals);
      }
      MemoryOf(state).MoveOrigin(move, 1 - n);
      return;
    }
    const DimMask bit = BitOf(loop.dim);
    const bool run_last =
        (nest_.imperfect & at_last & bit) != 0 && nest_.innermost_imperfect[loop.dim] > k;
    Step steps[4];
    const size_t count = StepsEvaluated(n, run_last, run_last && loop.IsImperfect(), steps);
    int64_t at = 0;
    std::vector<double>& counted = counted_[depth];
    std::vector<double>& entered = entered_[depth];
    for (size_t i = 0; i < count; ++i) {
      MemoryOf(state).MoveOrigin(move, steps[i].index - at);
      at = steps[i].index;
      entered.clear();
      Walk(depth + 1, timeloop::Enter(loop, at, at_last), state, &entered);
      if (!(steps[i].as_before && boundary_.direct == k)) counted.swap(entered);
      Add(counted, static_cast<double>(steps[i].times), totals);
    }
    MemoryOf(state).MoveOrigin(move, -at);
  }

  // The lane enters its tile.
  void Visit(DimMask at_last, int64_t* state, std::vector<double>* totals) {
    const size_t index = TableOf(at_last);
    const LaneTable& table = tables_[index];
    const int64_t spatial = projection_.Box(spatial_tile_, at_last, lo_.data(), size_.data());
    const int64_t tile = projection_.Box(tile_, table.lane_zero_mask(), lo_.data(), size_.data());
    traffic_.spatial_tile_words = std::max(traffic_.spatial_tile_words, spatial);
    traffic_.tile_words = std::max(traffic_.tile_words, tile);
    traffic_.children = std::max(traffic_.children, table.lanes());

    LaneMemory memory = MemoryOf(state);
    const bool had_region = memory.HasRegion();
    if (had_region) std::copy_n(memory.region_lo(), 4 * ranks_, region_before_.data());
    const int64_t words = boundary_.has_history
                              ? memory.Enter(lo_.data(), size_.data(), rules_.same_displacement)
                              : memory.EnterWithoutHistory(lo_.data(), size_.data());
    std::optional<LinkTable::Saving> saving;
    if (uses_links_ && had_region && words > 0 &&
        std::equal(memory.RegionShape().begin(), memory.RegionShape().end(),
                   region_before_.data() + ranks_)) {
      int64_t* distance = region_before_.data();
      for (size_t r = 0; r < ranks_; ++r) distance[r] -= memory.region_lo()[r];
      saving = LinksOf(index, static_cast<size_t>(state[kTableWord])).At(distance);
    }
    Count(saving ? saving->groups : table.groups(), words, totals);
    if (saving) (*totals)[0] += static_cast<double>(saving->linked_lanes * words);
    if (!uses_links_) memory.DropRegion();
    state[kTableWord] = memory.HasRegion() ? static_cast<int64_t>(index) : 0;
  }

  void Count(const std::vector<GroupCount>& groups, int64_t words, std::vector<double>* totals) {
    totals->resize(std::max(totals->size(), records_.size() + 1), 0);
    if (words == 0) return;
    for (const GroupCount& count : groups) {
      auto it = std::find_if(records_.begin(), records_.end(), [&count](const AccessRecord& r) {
        return r.multicast == count.members && r.groups == count.groups;
      });
      if (it == records_.end()) {
        it = records_.insert(it, AccessRecord{count.members, count.groups, 0});
        totals->resize(records_.size() + 1, 0);
      }
      (*totals)[static_cast<size_t>(it - records_.begin()) + 1] +=
          static_cast<double>(words * count.groups);
    }
  }

  size_t TableOf(DimMask at_last) {
    const auto it = std::find_if(tables_.begin(), tables_.end(), [at_last](const LaneTable& table) {
      return table.at_last() == at_last;
    });
    if (it != tables_.end()) return static_cast<size_t>(it - tables_.begin());
    tables_.emplace_back(nest_, projection_, boundary_, at_last);
    return tables_.size() - 1;
  }

  const LinkTable& LinksOf(size_t now, size_t before) {
    const auto key = std::pair(now, before);
    const auto it = links_.find(key);
    if (it != links_.end()) return it->second;
    return links_.emplace(key, LinkTable(tables_[now], tables_[before], boundary_, ranks_))
        .first->second;
  }

  const Nest& nest_;
  const Projection& projection_;
  const Boundary& boundary_;
  const WalkRules& rules_;
  const bool uses_links_;
  const size_t ranks_;
  const size_t state_words_;
  Memo memo_;
  const Extents tile_, spatial_tile_;
  std::vector<int64_t> moves_;   // ranks words per depth
  std::vector<int64_t> states_;  // per depth: the state in which it was entered
  std::vector<std::vector<double>> totals_, counted_, entered_;  // per depth
  std::vector<int64_t> lo_, size_, region_before_;
  std::deque<LaneTable> tables_;  // addresses stay
  std::map<std::pair<size_t, size_t>, LinkTable> links_;
  std::vector<AccessRecord> records_;
  Traffic traffic_;
};

}  // namespace

Traffic AnalyseLaneZero(const Nest& nest, const Projection& projection, const Boundary& boundary,
                        const WalkRules& rules) {
  return LaneZeroWalk(nest, projection, boundary, rules).Run();
}

}  // namespace inlay::timeloop
