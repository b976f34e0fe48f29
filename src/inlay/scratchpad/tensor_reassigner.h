#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inlay/scratchpad/incremental_cost.h"

namespace inlay {

// The best choice for one tensor while all others stay as they are: a shortest path through its
// uses, whose nodes are the places it can lie in. Exact, but for in-place pairs and tilings that
// would become possible by changing two tensors at once.
class TensorReassigner {
 public:
  explicit TensorReassigner(IncrementalCost* costs);

  // What a byte costs for every step that it lies in a pad, besides everything else. 0 unless set.
  void SetPrice(double cost_per_byte_step) { price_ = cost_per_byte_step; }

  // The tensor must not lie in the pad during any of the steps from … to − 1.
  void Ban(ValueId tensor, PadId pad, int64_t from, int64_t to);
  void RemoveLastBan(ValueId tensor) { bans_[tensor].pop_back(); }

  // Takes the tensor out and finds its best choice, which is not set. nullopt: nothing fits.
  std::optional<TensorChoice> Best(ValueId tensor);

  // Sets it, if the plan gets cheaper by it or stays as cheap; else what was before is kept.
  // Returns whether it changed anything. With a price, what the tensor was is not compared.
  bool Improve(ValueId tensor);

 private:
  static constexpr double kInfinite = IncrementalCost::kInfinite;
  // A place to lie in during a use is 0, off chip, or p + 1, pad p. An arrival is the cheapest way
  // to be there.
  struct Arrival {
    double cost = kInfinite;       // of everything until and with the use
    size_t from = 0;               // place at the use before
    bool was_off_chip = false;     // by the use before
    int64_t written_back_at = -1;  // the step of a write-back since the use before; −1: none
    ReadChoice read;               // none of the use that writes
  };
  using Places = std::vector<Arrival>;

  void Prepare(ValueId tensor);
  void Begin(const TensorUse& use);
  void Pass(int64_t after, const TensorUse& use);
  void PassInPad(const TensorUse& use, PadId pad);
  void KeepIn(const TensorUse& use, PadId pad);
  void MoveInto(const TensorUse& use, PadId from, PadId to);
  void Offer(bool off_chip, size_t place, Arrival arrival, double cost, ReadChoice read);
  // What lying in pads and writing back costs in the steps strictly between.
  void FillGap(int64_t after, int64_t before);
  void FillHolding(PadId pad, size_t length);
  void FillWriteBacks(PadId pad, size_t length);
  void FillOffChip(size_t length);
  struct Copied {
    double cost = kInfinite;
    int64_t step = 0;
    int64_t written_back_at = -1;  // of a move: the step of a write-back; −1: none
  };
  // With the cheapest way to be off chip before the step of the copy.
  Copied BestPrefetch(PadId pad, const TensorUse& use);
  // Plain, or with a write-back in a step of the gap.
  Copied BestMove(PadId from, PadId to, int64_t before, bool written_back);
  double UseCost(const TensorUse& use, std::optional<PadId> pad, std::optional<TransferKind> copy,
                 bool still_needed);
  // What lying in the pad costs in a step that does not use the tensor.
  double HoldCost(int64_t step, PadId pad);
  // What writing it back from there in the same step costs besides that.
  double WriteBackCost(int64_t step, PadId pad);
  bool Banned(int64_t step, PadId pad) const;
  double Suffix(PadId pad, int64_t step) const { return gap_[pad].suffix[GapIndex(step)]; }
  size_t GapIndex(int64_t step) const { return static_cast<size_t>(step - gap_begin_); }
  void ConsiderStaying(std::optional<TensorChoice>* best, double* cost);
  // Held after the last use until it is written back.
  void ConsiderTail(int64_t last, std::optional<TensorChoice>* best, double* cost);
  TensorChoice Trace(bool off_chip, size_t place) const;

  IncrementalCost* plan_costs_;
  double price_ = 0;
  ValueId tensor_;
  int64_t bytes_ = 0;
  IndexedVector<PadId, int64_t> aligned_;
  IndexedVector<PadId, IndexedVector<PadId, uint8_t>> connected_;  // by DMA
  struct Range {
    PadId pad;
    int64_t from = 0, to = 0;
  };
  IndexedVector<ValueId, std::vector<Range>> bans_;
  // By use, [not off chip, off chip]: whether it was written there in this step or before, or was
  // there from the start.
  std::vector<std::array<Places, 2>> uses_;
  const std::array<Places, 2>& Before() const { return uses_[uses_.size() - 2]; }
  bool can_be_late_ = false;    // write-backs after the step that writes it can be cheaper
  bool needed_at_end_ = false;  // by the use that is passed: last, and off chip in the end

  // The steps strictly between two uses, by index: step − gap_begin_.
  struct Gap {
    std::vector<double> suffix;  // lying there from that step to the end
    std::vector<double> prefix;  // from the begin up to, not with, that step
    bool late = false;           // the rest is there: writing back can be worth it
    std::vector<Copied> kept;    // the least cost of a write-back in a step before, besides lying
    std::vector<Copied> later;   // in this step or one after it
    std::vector<Copied> left;    // lying there up to a write-back in a step before, and leaving
  };
  int64_t gap_begin_ = 0;
  IndexedVector<PadId, Gap> gap_;
  // By index: the cheapest way to be off chip before it. One for all steps where they are the same.
  std::vector<Arrival> off_chip_;
  const Arrival& OffChipBefore(int64_t step) const {
    return off_chip_[off_chip_.size() == 1 ? 0 : GapIndex(step)];
  }
};

}  // namespace inlay
