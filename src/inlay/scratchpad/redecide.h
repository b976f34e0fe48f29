#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "inlay/scratchpad/book.h"

namespace inlay {

// The best choice for one tensor while all others stay as they are: a shortest path through its
// uses, whose nodes are the places it can lie in. Exact, but for in-place pairs and tilings that
// would become possible by changing two tensors at once.
class Redecider {
 public:
  explicit Redecider(Book* book);

  // What a byte costs for every step that it lies in a pad, beside everything else. 0 unless set.
  void SetPrice(double cost_per_byte_step) { price_ = cost_per_byte_step; }

  // The tensor must not lie in the pad during any of the steps from … to − 1.
  void Ban(ValueId tensor, PadId pad, int64_t from, int64_t to);
  void LiftLastBan(ValueId tensor) { bans_[tensor].pop_back(); }

  // Lifts the tensor and finds its best choice, which is not set. nullopt: nothing fits.
  std::optional<TensorChoice> Best(ValueId tensor);

  // Sets it, if the book gets cheaper by it or stays as cheap; else what was before is kept.
  // Returns whether it changed anything. With a price, what the tensor was is not compared.
  bool Improve(ValueId tensor);

 private:
  static constexpr double kNever = Book::kNever;
  // A place to lie in during a use: 0 off chip, p + 1 pad p.
  struct Arrival {
    double cost = kNever;  // of everything until and with the use
    size_t from = 0;       // place at the use before
    ReadChoice read;       // none of the use that writes
  };
  using Places = std::vector<Arrival>;

  void Prepare(ValueId tensor);
  void Begin(const TensorUse& use);
  void Pass(int64_t after, const TensorUse& use);
  void FillGap(int64_t after, int64_t before);
  struct Copied {
    double cost = kNever;
    int64_t step = 0;
  };
  Copied BestPrefetch(PadId pad, int64_t after, int64_t before);
  Copied BestMove(PadId from, PadId to, int64_t after, int64_t before);
  double UseCost(const TensorUse& use, std::optional<PadId> pad, std::optional<TransferKind> copy);
  // What lying in the pad costs in a step that does not use the tensor.
  double HoldCost(int64_t step, PadId pad);
  bool Banned(int64_t step, PadId pad) const;
  double Suffix(PadId pad, int64_t step) const { return suffix_[pad][Slot(step)]; }
  size_t Slot(int64_t step) const { return static_cast<size_t>(step - gap_begin_); }
  void ConsiderStaying(std::optional<TensorChoice>* best, double* cost);
  TensorChoice Trace(bool written_back, size_t place) const;

  Book* book_;
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
  // By use, [written back or not]. Off-chip tensors count as written back.
  std::vector<std::array<Places, 2>> uses_;
  // Of the gap being passed: what lying in a pad costs from a step of it to its end, and from its
  // begin up to (not with) a step.
  int64_t gap_begin_ = 0;
  IndexedVector<PadId, std::vector<double>> suffix_, prefix_;
};

}  // namespace inlay
