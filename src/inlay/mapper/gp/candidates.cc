#include "inlay/mapper/gp/candidates.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"

namespace inlay::gp {
namespace {

double ConstantOf(const Signomial& signomial) {
  double sum = 0;
  for (const Monomial& term : signomial.terms) {
    INLAY_CHECK(term.is_constant());
    sum += term.coefficient;
  }
  return sum;
}

}  // namespace

Pricer::Pricer(const Space& space, const Unknowns& unknowns, const SymbolicArchitecture& machine,
               const Nest& nest, const ProgramOptions& options)
    : space_(space), unknowns_(unknowns), options_(options), steps_(Steps(nest)) {
  const Problem& problem = space.problem;
  const bool offchip = options.metric == Metric::kOffchip;
  base_pj_ = static_cast<double>(Operations(problem)) * machine.compute_pj;
  const bool elide =
      options.semantics != Semantics::kThistle || options.accounting == Accounting::kElide;
  if (elide && !offchip) first_reads_ = FirstReadsOf(problem, machine, nest);
  for (Transfer& transfer : TransfersOf(problem, nest)) {
    double per_word = 0;
    if (!offchip) {
      per_word = ConstantOf(PjPerWord(problem, machine, transfer));
    } else if (transfer.outer == LevelId(0)) {
      per_word = problem.tensors[transfer.tensor].is_output ? 2 : 1;
    }
    if (per_word > 0) transfers_.push_back({per_word, std::move(transfer.words)});
  }
  for (LevelId l : Ids(machine.levels)) {
    for (const SymbolicRoom& from : machine.levels[l].rooms) {
      Room room{from.capacity.coefficient, {}};
      for (TensorId t : Ids(problem.tensors)) {
        if (from.weights[t] == 0 || !nest.levels[l].keep.contains(t)) continue;
        room.tiles.push_back({from.weights[t], Footprint(problem, nest, t, l)});
      }
      rooms_.push_back(std::move(room));
    }
  }
}

double Pricer::ObjectiveAt(const Values& values) const {
  const double steps = ValueOf(steps_, values);
  if (options_.metric == Metric::kDelay) return steps;
  double sum = options_.metric == Metric::kOffchip ? 0 : base_pj_ - ValueOf(first_reads_, values);
  for (const Priced& transfer : transfers_) {
    sum += transfer.per_word * ValueOf(transfer.words, values);
  }
  return options_.metric == Metric::kEdp ? sum * steps : sum;
}

bool Pricer::FitsAt(const Values& values) const {
  for (const Room& room : rooms_) {
    double used = 0;
    for (const Priced& tile : room.tiles) used += tile.per_word * ValueOf(tile.words, values);
    if (used > room.capacity) return false;
  }
  return true;
}

// One chain per dimension, depth first.
class Pricer::Walk {
 public:
  Walk(const Pricer& pricer, const IndexedVector<DimId, std::vector<Chain>>& chains, size_t most)
      : pricer_(pricer),
        chains_(chains),
        most_(most),
        values_(pricer.unknowns_.names().size(), 1),
        lanes_(pricer.space_.slots.size(), 1),
        chosen_(chains.size(), nullptr) {}

  std::vector<Candidate> Run() {
    Choose(DimId(0));
    std::sort_heap(best_.begin(), best_.end(), IsBetter);
    std::vector<Candidate> candidates;
    for (const Point& point : best_) {
      Candidate candidate{point.objective, {}};
      for (const Chain* chain : point.chains) candidate.chains.push_back(*chain);
      candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

 private:
  struct Point {
    double objective = 0;
    size_t number = 0;  // of the visit: equals in a fixed order
    std::vector<const Chain*> chains;
  };
  static bool IsBetter(const Point& a, const Point& b) {
    return std::pair(a.objective, a.number) < std::pair(b.objective, b.number);
  }

  void Choose(DimId dim) {
    if (dim == DimId(chains_.size())) return Visit();
    const auto lanes_before = lanes_;
    for (const Chain& chain : chains_[dim]) {
      SetSteps(dim, &chain);
      chosen_[dim.value()] = &chain;
      // Tiles of the dimensions to come are 1 so far: what does not fit now never will.
      if (AddLanes(chain) && pricer_.FitsAt(values_)) Choose(DimId(dim.value() + 1));
      lanes_ = lanes_before;
    }
    SetSteps(dim, nullptr);
  }

  // Without a chain: no loops but the outermost.
  void SetSteps(DimId dim, const Chain* chain) {
    for (const SlotId slot : pricer_.unknowns_.slots_of(dim)) {
      const std::vector<Power>& powers = pricer_.unknowns_.steps(slot, dim).powers;
      if (powers.size() != 1 || powers.front().exponent != 1) continue;
      values_[powers.front().variable] =
          chain == nullptr ? 1 : static_cast<double>(chain->steps[slot]);
    }
  }

  bool AddLanes(const Chain& chain) {
    for (SlotId slot : Ids(lanes_)) {
      const Slot& place = pricer_.space_.slots[slot];
      if (place.axis == Axis::kTime) continue;
      lanes_[slot] *= chain.steps[slot];
      if (lanes_[slot] > place.max_lanes) return false;
    }
    return true;
  }

  void Visit() {
    ++visited_;
    const double objective = pricer_.ObjectiveAt(values_);
    if (best_.size() == most_ && objective >= best_.front().objective) return;
    best_.push_back({objective, visited_, chosen_});
    std::push_heap(best_.begin(), best_.end(), IsBetter);
    if (best_.size() <= most_) return;
    std::pop_heap(best_.begin(), best_.end(), IsBetter);
    best_.pop_back();
  }

  const Pricer& pricer_;
  const IndexedVector<DimId, std::vector<Chain>>& chains_;
  size_t most_;
  Values values_;
  IndexedVector<SlotId, int64_t> lanes_;
  std::vector<const Chain*> chosen_;
  std::vector<Point> best_;  // a heap, the worst first
  size_t visited_ = 0;
};

std::vector<Candidate> Pricer::Best(const IndexedVector<DimId, std::vector<Chain>>& chains,
                                    size_t most) const {
  return Walk(*this, chains, most).Run();
}

}  // namespace inlay::gp
