#include "inlay/scratchpad/redecide.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {

using Way = ReadChoice::Way;

Redecider::Redecider(Book* book) : book_(book) {
  const Machine& machine = book->problem().machine;
  const size_t pads = machine.pads.size();
  aligned_.resize(pads);
  suffix_.resize(pads);
  prefix_.resize(pads);
  connected_.assign(pads, IndexedVector<PadId, uint8_t>(pads));
  for (const auto& [a, b] : machine.dma.moves) connected_[a][b] = connected_[b][a] = 1;
  bans_.resize(book->problem().tensors.size());
}

void Redecider::Ban(ValueId tensor, PadId pad, int64_t from, int64_t to) {
  bans_[tensor].push_back({pad, from, to});
}

bool Redecider::Banned(int64_t step, PadId pad) const {
  const std::vector<Range>& bans = bans_[tensor_];
  return std::any_of(bans.begin(), bans.end(), [&](const Range& ban) {
    return ban.pad == pad && ban.from <= step && step < ban.to;
  });
}

double Redecider::HoldCost(int64_t step, PadId pad) {
  if (Banned(step, pad)) return kNever;
  return book_->CostOfHolding(step, pad, aligned_[pad]) +
         price_ * static_cast<double>(aligned_[pad]);
}

void Redecider::Prepare(ValueId tensor) {
  tensor_ = tensor;
  bytes_ = book_->problem().tensors[tensor].bytes;
  for (const PadId pad : Ids(aligned_)) aligned_[pad] = book_->AlignedIn(pad, tensor);
  uses_.clear();
}

// Absolute: what the step costs with the tensor there.
double Redecider::UseCost(const TensorUse& use, std::optional<PadId> pad,
                          std::optional<TransferKind> copy) {
  Book::Trial trial;
  trial.operand = use.operand;
  trial.lies = pad;
  if (pad) {
    if (!Reaches(book_->problem().machine, book_->NodeAt(use.step).unit, *pad) ||
        Banned(use.step, *pad)) {
      return kNever;
    }
    trial.in = pad;
    trial.in_bytes = aligned_[*pad];
  }
  trial.copy = copy;
  trial.bytes = bytes_;
  if (copy == TransferKind::kWriteBack) trial.from = pad;
  if (copy == TransferKind::kFetch) trial.to = pad;
  const double cost = book_->CostWith(use.step, trial);
  return pad ? cost + price_ * static_cast<double>(aligned_[*pad]) : cost;
}

void Redecider::Begin(const TensorUse& use) {
  const size_t places = aligned_.size() + 1;
  auto& [kept, written_back] = uses_.emplace_back();
  kept.resize(places);
  written_back.resize(places);
  written_back[0].cost = UseCost(use, {}, {});
  for (const PadId pad : Ids(aligned_)) {
    kept[pad.value() + 1].cost = UseCost(use, pad, {});
    written_back[pad.value() + 1].cost = UseCost(use, pad, TransferKind::kWriteBack);
  }
}

// suffix_ and prefix_ of the steps strictly between.
void Redecider::FillGap(int64_t after, int64_t before) {
  gap_begin_ = after + 1;
  const size_t length = Slot(before);
  for (const PadId pad : Ids(aligned_)) {
    std::vector<double>& suffix = suffix_[pad];
    std::vector<double>& prefix = prefix_[pad];
    suffix.assign(length + 1, kNever);
    prefix.assign(length + 1, kNever);
    suffix[length] = 0;
    for (size_t i = length; i-- > 0 && suffix[i + 1] < kNever;) {
      suffix[i] = suffix[i + 1] + HoldCost(gap_begin_ + static_cast<int64_t>(i), pad);
    }
    prefix[0] = 0;
    for (size_t i = 0; i < length && prefix[i] < kNever; ++i) {
      prefix[i + 1] = prefix[i] + HoldCost(gap_begin_ + static_cast<int64_t>(i), pad);
    }
  }
}

// Into the pad in a step of the gap; of equals the latest.
Redecider::Copied Redecider::BestPrefetch(PadId pad, int64_t after, int64_t before) {
  Copied best;
  Book::Trial trial;
  trial.copy = TransferKind::kPrefetch;
  trial.to = trial.in = pad;
  trial.bytes = bytes_;
  trial.in_bytes = aligned_[pad];
  const double price = price_ * static_cast<double>(aligned_[pad]);
  const double least = book_->LeastCopyCost(pad, bytes_) + price;
  double rest = 0;  // of lying there from the step after; only grows
  for (int64_t t = before - 1; t > after && rest + least < best.cost; --t) {
    if (Banned(t, pad)) break;
    const double cost = book_->CostWith(t, trial) - book_->CostAt(t) + rest + price;
    if (cost < best.cost) best = {cost, t};
    rest += HoldCost(t, pad);
  }
  return best;
}

Redecider::Copied Redecider::BestMove(PadId from, PadId to, int64_t after, int64_t before) {
  Copied best;
  Book::Trial trial;
  trial.copy = TransferKind::kMove;
  trial.from = trial.also_in = from;
  trial.to = trial.in = to;
  trial.bytes = bytes_;
  trial.in_bytes = aligned_[to];
  trial.also_bytes = aligned_[from];
  const double price = price_ * static_cast<double>(aligned_[from] + aligned_[to]);
  for (int64_t t = before - 1; t > after && Suffix(to, t + 1) < kNever; --t) {
    const double rest = Suffix(to, t + 1) + prefix_[from][Slot(t)] + price;
    if (rest >= best.cost || Banned(t, from) || Banned(t, to)) continue;
    const double cost = book_->CostWith(t, trial) - book_->CostAt(t) + rest;
    if (cost < best.cost) best = {cost, t};
  }
  return best;
}

void Redecider::Pass(int64_t after, const TensorUse& use) {
  const size_t places = aligned_.size() + 1;
  const bool first = uses_.empty();  // the tensor comes from outside
  if (!first) FillGap(after, use.step);
  auto& now = uses_.emplace_back();
  const auto consider = [&](int written_back, size_t place, double cost, size_t from,
                            ReadChoice read) {
    const double before =
        first ? 0 : uses_[uses_.size() - 2][static_cast<size_t>(written_back)][from].cost;
    Arrival& arrival = now[static_cast<size_t>(written_back)][place];
    if (before + cost < arrival.cost) arrival = {before + cost, from, read};
  };
  const auto cheapest_before = [&](int written_back) -> size_t {
    if (first) return 0;
    const Places& before = uses_[uses_.size() - 2][static_cast<size_t>(written_back)];
    return static_cast<size_t>(
        std::min_element(before.begin(), before.end(),
                         [](const Arrival& a, const Arrival& b) { return a.cost < b.cost; }) -
        before.begin());
  };
  for (Places& arrivals : now) arrivals.resize(places);
  const size_t off = cheapest_before(1);
  consider(1, 0, UseCost(use, {}, {}), off, {});
  for (const PadId pad : Ids(aligned_)) {
    const double here = UseCost(use, pad, {});
    if (here == kNever) continue;
    const size_t place = pad.value() + 1;
    if (!first) {
      for (const int written_back : {0, 1}) {
        consider(written_back, place, here + Suffix(pad, after + 1), place, {Way::kKept, pad, 0});
      }
      for (const PadId from : Ids(aligned_)) {
        if (!connected_[from][pad]) continue;
        const Copied move = BestMove(from, pad, after, use.step);
        for (const int written_back : {0, 1}) {
          consider(written_back, place, here + move.cost, from.value() + 1,
                   {Way::kMoved, pad, move.step});
        }
      }
    }
    consider(1, place, UseCost(use, pad, TransferKind::kFetch), off, {Way::kFetched, pad, 0});
    const Copied prefetch = BestPrefetch(pad, after, use.step);
    consider(1, place, here + prefetch.cost, off, {Way::kPrefetched, pad, prefetch.step});
  }
}

TensorChoice Redecider::Trace(bool written_back, size_t place) const {
  const TensorLife& life = book_->LifeOf(tensor_);
  TensorChoice choice;
  choice.reads.resize(life.reads.size());
  for (size_t i = uses_.size(); i-- > 0;) {
    const Arrival& arrival = uses_[i][written_back ? 1 : 0][place];
    if (i == 0 && life.written) {
      choice.written_back = written_back;
      if (place > 0) choice.written_into = PadId(place - 1);
      break;
    }
    choice.reads[life.written ? i - 1 : i] = arrival.read;
    place = arrival.from;
  }
  return choice;
}

// A weight that is there from one run to the next.
void Redecider::ConsiderStaying(std::optional<TensorChoice>* best, double* cost) {
  const TensorLife& life = book_->LifeOf(tensor_);
  for (const PadId pad : Ids(aligned_)) {
    double sum = 0;
    size_t next = 0;
    for (int64_t t = 0; t < book_->steps() && sum < *cost; ++t) {
      if (next < life.reads.size() && life.reads[next].step == t) {
        sum += UseCost(life.reads[next++], pad, {});
      } else {
        sum += HoldCost(t, pad);
      }
    }
    if (sum >= *cost) continue;
    *cost = sum;
    *best = TensorChoice{{}, false, pad, {}};
    (*best)->reads.assign(life.reads.size(), {Way::kKept, pad, 0});
  }
}

std::optional<TensorChoice> Redecider::Best(ValueId tensor) {
  Prepare(tensor);
  book_->Lift(tensor);
  const TensorLife& life = book_->LifeOf(tensor);
  const PlanTensor& about = book_->problem().tensors[tensor];
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
  double cost = kNever;
  for (const bool written_back : {false, true}) {
    if (!written_back && (!life.written || about.needed_after)) continue;
    const Places& places = uses_.back()[written_back ? 1 : 0];
    for (size_t place = 0; place < places.size(); ++place) {
      if (places[place].cost >= cost) continue;
      cost = places[place].cost;
      best = Trace(written_back, place);
    }
  }
  if (about.weight && book_->problem().weights_stay) ConsiderStaying(&best, &cost);
  return best;
}

bool Redecider::Improve(ValueId tensor) {
  const double before = price_ > 0 ? kNever : book_->Cost();
  TensorChoice old = book_->ChoiceOf(tensor);
  std::optional<TensorChoice> best = Best(tensor);
  if (!best || *best == old) {
    book_->Set(tensor, std::move(old));
    return false;
  }
  book_->Set(tensor, std::move(*best));
  if (price_ > 0 || book_->Cost() <= before) return true;
  book_->Set(tensor, std::move(old));
  return false;
}

}  // namespace inlay
