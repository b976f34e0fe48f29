#include "inlay/scratchpad/tensor_reassigner.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {

using Way = ReadChoice::Way;

TensorReassigner::TensorReassigner(IncrementalCost* costs) : plan_costs_(costs) {
  const Machine& machine = costs->problem().machine;
  const size_t pads = machine.pads.size();
  aligned_.resize(pads);
  gap_.resize(pads);
  connected_.assign(pads, IndexedVector<PadId, uint8_t>(pads));
  for (const auto& [a, b] : machine.dma.moves) connected_[a][b] = connected_[b][a] = 1;
  bans_.resize(costs->problem().tensors.size());
}

void TensorReassigner::Ban(ValueId tensor, PadId pad, int64_t from, int64_t to) {
  bans_[tensor].push_back({pad, from, to});
}

bool TensorReassigner::Banned(int64_t step, PadId pad) const {
  const std::vector<Range>& bans = bans_[tensor_];
  return std::any_of(bans.begin(), bans.end(), [&](const Range& ban) {
    return ban.pad == pad && ban.from <= step && step < ban.to;
  });
}

double TensorReassigner::HoldCost(int64_t step, PadId pad) {
  if (Banned(step, pad)) return kInfinite;
  return plan_costs_->CostOfHolding(step, pad, aligned_[pad]) +
         price_ * static_cast<double>(aligned_[pad]);
}

void TensorReassigner::Prepare(ValueId tensor) {
  tensor_ = tensor;
  bytes_ = plan_costs_->problem().tensors[tensor].bytes;
  for (const PadId pad : Ids(aligned_)) aligned_[pad] = plan_costs_->AlignedIn(pad, tensor);
  uses_.clear();
  // Bytes off chip are the same in every step.
  can_be_late_ =
      plan_costs_->LifeOf(tensor).written && plan_costs_->objective() != PlanObjective::kBytes;
}

// Absolute: what the step costs with the tensor there.
double TensorReassigner::UseCost(const TensorUse& use, std::optional<PadId> pad,
                                 std::optional<TransferKind> copy, bool still_needed) {
  IncrementalCost::Trial trial;
  trial.operand = use.operand;
  trial.lies = pad;
  trial.still_needed = still_needed;
  if (pad) {
    if (!Reaches(plan_costs_->problem().machine, plan_costs_->NodeAt(use.step).unit, *pad) ||
        Banned(use.step, *pad)) {
      return kInfinite;
    }
    trial.in = pad;
    trial.in_bytes = aligned_[*pad];
  }
  trial.copy = copy;
  trial.bytes = bytes_;
  if (copy == TransferKind::kWriteBack) trial.from = pad;
  if (copy == TransferKind::kFetch) trial.to = pad;
  const double cost = plan_costs_->CostWith(use.step, trial);
  return pad ? cost + price_ * static_cast<double>(aligned_[*pad]) : cost;
}

void TensorReassigner::Begin(const TensorUse& use) {
  const size_t places = aligned_.size() + 1;
  auto& [kept, off_chip] = uses_.emplace_back();
  kept.resize(places);
  off_chip.resize(places);
  off_chip[0].cost = UseCost(use, {}, {}, false);
  for (const PadId pad : Ids(aligned_)) {
    kept[pad.value() + 1].cost = UseCost(use, pad, {}, false);
    off_chip[pad.value() + 1].cost = UseCost(use, pad, TransferKind::kWriteBack, false);
  }
}

void TensorReassigner::FillHolding(PadId pad, size_t length) {
  Gap& gap = gap_[pad];
  gap.suffix.assign(length + 1, kInfinite);
  gap.prefix.assign(length + 1, kInfinite);
  gap.suffix[length] = 0;
  for (size_t i = length; i-- > 0 && gap.suffix[i + 1] < kInfinite;) {
    gap.suffix[i] = gap.suffix[i + 1] + HoldCost(gap_begin_ + static_cast<int64_t>(i), pad);
  }
  gap.prefix[0] = 0;
  for (size_t i = 0; i < length && gap.prefix[i] < kInfinite; ++i) {
    gap.prefix[i + 1] = gap.prefix[i] + HoldCost(gap_begin_ + static_cast<int64_t>(i), pad);
  }
}

double TensorReassigner::WriteBackCost(int64_t step, PadId pad) {
  IncrementalCost::Trial trial;
  trial.copy = TransferKind::kWriteBack;
  trial.from = trial.in = pad;
  trial.bytes = bytes_;
  trial.in_bytes = aligned_[pad];
  const double holding = plan_costs_->CostOfHolding(step, pad, aligned_[pad]);
  if (holding == kInfinite) return kInfinite;
  return std::max(0.0, plan_costs_->CostWith(step, trial) - plan_costs_->CostAt(step) - holding);
}

void TensorReassigner::FillWriteBacks(PadId pad, size_t length) {
  Gap& gap = gap_[pad];
  gap.kept.assign(length + 1, {});
  gap.later.assign(length + 1, {});
  gap.left.assign(length + 1, {});
  // Once nothing can be cheaper, the others are not asked for: what comes later is held longer.
  // After a move only what comes later counts.
  const bool has_moves = !plan_costs_->problem().machine.dma.moves.empty();
  const double least = has_moves ? -1 : plan_costs_->LeastCopyCost(pad, bytes_) * (1 + 1e-9);
  for (size_t i = 0; i < length; ++i) {
    gap.kept[i + 1] = gap.kept[i];
    gap.left[i + 1] = gap.left[i];
    if (gap.kept[i].cost <= least) continue;
    const int64_t step = gap_begin_ + static_cast<int64_t>(i);
    const double cost = Banned(step, pad) ? kInfinite : WriteBackCost(step, pad);
    gap.later[i] = {cost, step, step};
    if (cost < gap.kept[i].cost) gap.kept[i + 1] = gap.later[i];
    if (gap.prefix[i + 1] + cost < gap.left[i].cost) {
      gap.left[i + 1] = {gap.prefix[i + 1] + cost, step, step};
    }
  }
  for (size_t i = length; i-- > 0;) {
    if (gap.later[i + 1].cost <= gap.later[i].cost) gap.later[i] = gap.later[i + 1];
  }
}

// The cheapest ways to be off chip, from those of the use before and write-backs of the gap.
void TensorReassigner::FillOffChip(size_t length) {
  if (uses_.size() < 2) {  // it was there from the start
    off_chip_ = {{0, 0, true, -1, {}}};
    return;
  }
  const auto& [kept, off_chip] = Before();
  Arrival best;
  for (size_t place = 0; place < off_chip.size(); ++place) {
    if (off_chip[place].cost < best.cost) best = {off_chip[place].cost, place, true, -1, {}};
  }
  const bool late = std::any_of(gap_.begin(), gap_.end(), [](const Gap& gap) { return gap.late; });
  off_chip_.assign(late ? length + 1 : 1, best);
  for (size_t k = 0; late && k <= length; ++k) {
    for (const PadId pad : Ids(gap_)) {
      if (!gap_[pad].late) continue;
      const size_t place = pad.value() + 1;
      const double cost = kept[place].cost + gap_[pad].left[k].cost;
      if (cost < best.cost) best = {cost, place, false, gap_[pad].left[k].step, {}};
    }
    off_chip_[k] = best;
  }
}

void TensorReassigner::FillGap(int64_t after, int64_t before) {
  gap_begin_ = after + 1;
  const size_t length = GapIndex(before);
  const bool first = uses_.size() < 2;
  for (const PadId pad : Ids(gap_)) {
    gap_[pad].late = false;
    if (!first) FillHolding(pad, length);
  }
  for (const PadId pad : Ids(gap_)) {
    if (first || !can_be_late_) break;
    const size_t place = pad.value() + 1;
    if (Before()[0][place].cost >= Before()[1][place].cost) continue;
    gap_[pad].late = true;
    FillWriteBacks(pad, length);
    // Where it can be moved to, it can be written back from.
    for (const PadId to : Ids(gap_)) {
      if (connected_[pad][to] != 0 && !gap_[to].late) FillWriteBacks(to, length);
    }
  }
  FillOffChip(length);
}

// Into the pad in a step of the gap; of equals the latest.
TensorReassigner::Copied TensorReassigner::BestPrefetch(PadId pad, const TensorUse& use) {
  Copied best;
  IncrementalCost::Trial trial;
  trial.copy = TransferKind::kPrefetch;
  trial.to = trial.in = pad;
  trial.bytes = bytes_;
  trial.in_bytes = aligned_[pad];
  const double price = price_ * static_cast<double>(aligned_[pad]);
  // Being off chip in time never costs less than being so at the end of the gap.
  const double least = plan_costs_->LeastCopyCost(pad, bytes_) + price + off_chip_.back().cost;
  double rest = 0;  // of lying there from the step after; only grows
  // What is cheapest but for rounding is cheapest.
  const double close = 1e-6 * plan_costs_->LeastCopyCost(pad, bytes_);
  for (int64_t t = use.step - 1; t >= gap_begin_ && rest + least + close < best.cost; --t) {
    if (Banned(t, pad)) break;
    const double off_chip = OffChipBefore(t).cost;
    if (off_chip + rest + price < best.cost) {
      const double cost =
          plan_costs_->CostWith(t, trial) - plan_costs_->CostAt(t) + rest + price + off_chip;
      if (cost < best.cost) best = {cost, t, -1};
    }
    rest += HoldCost(t, pad);
  }
  return best;
}

TensorReassigner::Copied TensorReassigner::BestMove(PadId from, PadId to, int64_t before,
                                                    bool written_back) {
  Copied best;
  IncrementalCost::Trial trial;
  trial.copy = TransferKind::kMove;
  trial.from = trial.also_in = from;
  trial.to = trial.in = to;
  trial.bytes = bytes_;
  trial.in_bytes = aligned_[to];
  trial.also_bytes = aligned_[from];
  const double price = price_ * static_cast<double>(aligned_[from] + aligned_[to]);
  for (int64_t t = before - 1; t >= gap_begin_ && Suffix(to, t + 1) < kInfinite; --t) {
    const double rest = Suffix(to, t + 1) + gap_[from].prefix[GapIndex(t)] + price;
    if (rest >= best.cost || Banned(t, from) || Banned(t, to)) continue;
    const auto offer = [&](double more, int64_t written_back_at) {
      trial.also_written_back = written_back_at == t;
      const double cost = plan_costs_->CostWith(t, trial) - plan_costs_->CostAt(t) + rest + more;
      if (cost < best.cost) best = {cost, t, written_back_at};
    };
    if (!written_back) {
      offer(0, -1);
      continue;
    }
    const Copied& earlier = gap_[from].kept[GapIndex(t)];
    const Copied& later = gap_[to].later[GapIndex(t + 1)];
    offer(0, t);
    if (earlier.cost < kInfinite) offer(earlier.cost, earlier.step);
    if (later.cost < kInfinite) offer(later.cost, later.step);
  }
  return best;
}

// `arrival` says where it comes from; cost is added to that of being there.
void TensorReassigner::Offer(bool off_chip, size_t place, Arrival arrival, double cost,
                             ReadChoice read) {
  arrival.cost += cost;
  arrival.read = read;
  Arrival& best = uses_.back()[off_chip ? 1 : 0][place];
  if (arrival.cost < best.cost) best = arrival;
}

void TensorReassigner::KeepIn(const TensorUse& use, PadId pad) {
  const size_t place = pad.value() + 1;
  const ReadChoice kept{Way::kKept, pad, 0};
  const auto& [before_kept, before_off_chip] = Before();
  const double lying = Suffix(pad, gap_begin_);
  if (lying == kInfinite) return;
  const Arrival from_kept{before_kept[place].cost, place, false, -1, {}};
  const Arrival from_off_chip{before_off_chip[place].cost, place, true, -1, {}};
  Offer(false, place, from_kept, lying + UseCost(use, pad, {}, needed_at_end_), kept);
  const double here = UseCost(use, pad, {}, false);
  Offer(true, place, from_off_chip, lying + here, kept);
  if (!gap_[pad].late) return;
  Arrival late = from_kept;
  const Copied& in_gap = gap_[pad].kept.back();
  late.written_back_at = in_gap.step;
  Offer(true, place, late, lying + in_gap.cost + here, kept);
  late.written_back_at = use.step;
  Offer(true, place, late, lying + UseCost(use, pad, TransferKind::kWriteBack, true), kept);
}

void TensorReassigner::MoveInto(const TensorUse& use, PadId from, PadId to) {
  const size_t place = to.value() + 1, source = from.value() + 1;
  const auto& [before_kept, before_off_chip] = Before();
  const Arrival from_kept{before_kept[source].cost, source, false, -1, {}};
  const Arrival from_off_chip{before_off_chip[source].cost, source, true, -1, {}};
  const double here = UseCost(use, to, {}, false);
  const Copied plain = BestMove(from, to, use.step, false);
  const ReadChoice moved{Way::kMoved, to, plain.step};
  Offer(false, place, from_kept, plain.cost + UseCost(use, to, {}, needed_at_end_), moved);
  Offer(true, place, from_off_chip, plain.cost + here, moved);
  if (!gap_[from].late || plain.cost == kInfinite) return;
  Arrival late = from_kept;
  late.written_back_at = use.step;
  Offer(true, place, late, plain.cost + UseCost(use, to, TransferKind::kWriteBack, true), moved);
  const Copied both = BestMove(from, to, use.step, true);
  late.written_back_at = both.written_back_at;
  Offer(true, place, late, both.cost + here, {Way::kMoved, to, both.step});
}

void TensorReassigner::PassInPad(const TensorUse& use, PadId pad) {
  const double here = UseCost(use, pad, {}, false);
  if (here == kInfinite) return;
  const size_t place = pad.value() + 1;
  if (uses_.size() > 1) {
    KeepIn(use, pad);
    for (const PadId from : Ids(aligned_)) {
      if (connected_[from][pad] != 0) MoveInto(use, from, pad);
    }
  }
  Offer(true, place, off_chip_.back(), UseCost(use, pad, TransferKind::kFetch, false),
        {Way::kFetched, pad, 0});
  const Copied prefetch = BestPrefetch(pad, use);
  if (prefetch.cost == kInfinite) return;
  Arrival arrival = OffChipBefore(prefetch.step);
  arrival.cost = prefetch.cost;
  Offer(true, place, arrival, here, {Way::kPrefetched, pad, prefetch.step});
}

void TensorReassigner::Pass(int64_t after, const TensorUse& use) {
  auto& now = uses_.emplace_back();
  for (Places& arrivals : now) arrivals.resize(aligned_.size() + 1);
  needed_at_end_ = plan_costs_->problem().tensors[tensor_].needed_after &&
                   use.step == plan_costs_->LifeOf(tensor_).reads.back().step;
  FillGap(after, use.step);
  Offer(true, 0, off_chip_.back(), UseCost(use, {}, {}, false), {});
  for (const PadId pad : Ids(aligned_)) PassInPad(use, pad);
}

TensorChoice TensorReassigner::Trace(bool off_chip, size_t place) const {
  const TensorLife& life = plan_costs_->LifeOf(tensor_);
  TensorChoice choice;
  choice.reads.resize(life.reads.size());
  for (size_t i = uses_.size(); i-- > 0;) {
    const Arrival& arrival = uses_[i][off_chip ? 1 : 0][place];
    if (i == 0 && life.written) {
      if (off_chip) choice.written_back_at = life.written->step;
      if (place > 0) choice.written_into = PadId(place - 1);
      break;
    }
    if (arrival.written_back_at >= 0) choice.written_back_at = arrival.written_back_at;
    choice.reads[life.written ? i - 1 : i] = arrival.read;
    place = arrival.from;
    off_chip = arrival.was_off_chip;
  }
  return choice;
}

void TensorReassigner::ConsiderTail(int64_t last, std::optional<TensorChoice>* best, double* cost) {
  gap_begin_ = last + 1;
  const size_t length = GapIndex(plan_costs_->steps());
  for (const PadId pad : Ids(gap_)) {
    const size_t place = pad.value() + 1;
    const double before = uses_.back()[0][place].cost;
    if (before >= *cost) continue;
    FillHolding(pad, length);
    FillWriteBacks(pad, length);
    const Copied& left = gap_[pad].left.back();
    if (before + left.cost >= *cost) continue;
    *cost = before + left.cost;
    *best = Trace(false, place);
    (*best)->written_back_at = left.step;
  }
}

// A weight that is there from one run to the next.
void TensorReassigner::ConsiderStaying(std::optional<TensorChoice>* best, double* cost) {
  const TensorLife& life = plan_costs_->LifeOf(tensor_);
  for (const PadId pad : Ids(aligned_)) {
    double sum = 0;
    size_t next = 0;
    for (int64_t t = 0; t < plan_costs_->steps() && sum < *cost; ++t) {
      if (next < life.reads.size() && life.reads[next].step == t) {
        sum += UseCost(life.reads[next++], pad, {}, true);
      } else {
        sum += HoldCost(t, pad);
      }
    }
    if (sum >= *cost) continue;
    *cost = sum;
    *best = TensorChoice{{}, {}, pad, {}};
    (*best)->reads.assign(life.reads.size(), {Way::kKept, pad, 0});
  }
}

std::optional<TensorChoice> TensorReassigner::Best(ValueId tensor) {
  Prepare(tensor);
  plan_costs_->TakeOut(tensor);
  const TensorLife& life = plan_costs_->LifeOf(tensor);
  const PlanTensor& about = plan_costs_->problem().tensors[tensor];
  int64_t last = -1;
  if (life.written) {
    Begin(*life.written);
    last = life.written->step;
  }
  for (const TensorUse& read : life.reads) {
    Pass(last, read);
    last = read.step;
  }
  std::optional<TensorChoice> best;
  double cost = kInfinite;
  for (const bool off_chip : {false, true}) {
    if (!off_chip && (!life.written || about.needed_after)) continue;
    const Places& places = uses_.back()[off_chip ? 1 : 0];
    for (size_t place = 0; place < places.size(); ++place) {
      if (places[place].cost >= cost) continue;
      cost = places[place].cost;
      best = Trace(off_chip, place);
    }
  }
  if (can_be_late_ && about.needed_after) ConsiderTail(last, &best, &cost);
  if (about.weight && plan_costs_->problem().weights_stay) ConsiderStaying(&best, &cost);
  return best;
}

bool TensorReassigner::Improve(ValueId tensor) {
  const double before = price_ > 0 ? kInfinite : plan_costs_->Cost();
  TensorChoice old = plan_costs_->ChoiceOf(tensor);
  std::optional<TensorChoice> best = Best(tensor);
  if (!best || *best == old) {
    plan_costs_->Set(tensor, std::move(old));
    return false;
  }
  plan_costs_->Set(tensor, std::move(*best));
  if (price_ > 0 || plan_costs_->Cost() <= before) return true;
  plan_costs_->Set(tensor, std::move(old));
  return false;
}

}  // namespace inlay
