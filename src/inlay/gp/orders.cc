#include "inlay/gp/orders.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace inlay::gp {
namespace {

uint64_t BitOf(DimId dim) { return uint64_t{1} << dim.value(); }

// Dimensions of a tensor, and those of them along which neighbouring tiles can overlap.
struct Presence {
  uint64_t present = 0, joins = 0;
};

Presence PresenceOf(const Problem& problem, const Tensor& tensor) {
  Presence presence;
  for (const Rank& rank : tensor.ranks) {
    for (const Term& term : rank.terms) presence.present |= BitOf(term.dim);
    if (rank.terms.size() < 2) continue;
    const Term &a = rank.terms[0], &b = rank.terms[1];
    const int64_t common = std::gcd(a.coefficient, b.coefficient);
    const bool overlaps = problem.dims[a.dim].bound > std::abs(b.coefficient) / common &&
                          problem.dims[b.dim].bound > std::abs(a.coefficient) / common;
    if (overlaps) presence.joins |= BitOf(a.dim) | BitOf(b.dim);
  }
  return presence;
}

IndexedVector<TensorId, Presence> PresencesOf(const Problem& problem) {
  IndexedVector<TensorId, Presence> presences;
  for (const Tensor& tensor : problem.tensors) presences.push_back(PresenceOf(problem, tensor));
  return presences;
}

// From the innermost loop outward, until every tensor has been moved.
class Lister {
 public:
  Lister(const Problem& problem, const std::vector<DimId>& dims)
      : dims_(dims), tensors_(PresencesOf(problem)) {
    saved_.assign(tensors_.size(), 0);
  }

  std::vector<OrderClass> Run() {
    Extend(0, 0);
    return std::move(classes_);
  }

 private:
  // `moved`: tensors, as bits; `used`: dimensions.
  void Extend(uint64_t moved, uint64_t used) {
    const bool all_moved = moved == TensorSet::FirstN(tensors_.size()).bits();
    if (all_moved || inner_.size() == dims_.size()) {
      OrderClass next{{}, saved_};
      for (const DimId d : dims_) {
        if ((used & BitOf(d)) == 0) next.order.push_back(d);
      }
      std::reverse(next.order.begin(), next.order.end());
      next.order.insert(next.order.end(), inner_.rbegin(), inner_.rend());
      classes_.push_back(std::move(next));
      return;
    }
    for (const DimId d : dims_) {
      if ((used & BitOf(d)) != 0) continue;
      const auto saved_before = saved_;
      uint64_t moved_now = moved;
      for (TensorId t : Ids(tensors_)) {
        const uint64_t tensor = uint64_t{1} << t.value();
        if ((moved & tensor) != 0) continue;
        const bool present = (tensors_[t].present & BitOf(d)) != 0;
        if (present) moved_now |= tensor;
        if (!present || (tensors_[t].joins & BitOf(d)) != 0) saved_[t] |= BitOf(d);
      }
      inner_.push_back(d);
      Extend(moved_now, used | BitOf(d));
      inner_.pop_back();
      saved_ = saved_before;
    }
  }

  const std::vector<DimId>& dims_;
  IndexedVector<TensorId, Presence> tensors_;
  std::vector<DimId> inner_;  // innermost first
  IndexedVector<TensorId, uint64_t> saved_;
  std::vector<OrderClass> classes_;
};

// Does `a` save whatever `b` saves?
bool Saves(const OrderClass& a, const OrderClass& b) {
  for (TensorId t : Ids(a.saved)) {
    if ((a.saved[t] & b.saved[t]) != b.saved[t]) return false;
  }
  return true;
}

// The first class of each kind.
std::vector<OrderClass> Different(std::vector<OrderClass> classes) {
  std::vector<OrderClass> different;
  for (OrderClass& next : classes) {
    const bool is_new = std::none_of(different.begin(), different.end(),
                                     [&](const auto& other) { return other.saved == next.saved; });
    if (is_new) different.push_back(std::move(next));
  }
  return different;
}

}  // namespace

std::vector<OrderClass> OrderClasses(const Problem& problem, const std::vector<DimId>& dims,
                                     Pruning pruning) {
  std::vector<OrderClass> classes = Lister(problem, dims).Run();
  if (pruning == Pruning::kHoisting) return classes;
  classes = Different(std::move(classes));
  return pruning == Pruning::kExpressions ? classes : Undominated(classes);
}

std::vector<OrderClass> ClassesOf(const Problem& problem,
                                  const std::vector<std::vector<DimId>>& orders) {
  const auto tensors = PresencesOf(problem);
  std::vector<OrderClass> classes;
  for (const std::vector<DimId>& order : orders) {
    OrderClass next{order, {}};
    for (const Presence& tensor : tensors) {
      uint64_t saved = 0;
      for (size_t i = order.size(); i-- > 0;) {
        const bool present = (tensor.present & BitOf(order[i])) != 0;
        if (!present || (tensor.joins & BitOf(order[i])) != 0) saved |= BitOf(order[i]);
        if (present) break;
      }
      next.saved.push_back(saved);
    }
    classes.push_back(std::move(next));
  }
  return Different(std::move(classes));
}

std::vector<OrderClass> Undominated(const std::vector<OrderClass>& classes) {
  std::vector<OrderClass> kept;
  for (const OrderClass& next : classes) {
    const bool dominated = std::any_of(classes.begin(), classes.end(), [&](const auto& other) {
      return &other != &next && Saves(other, next);
    });
    if (!dominated) kept.push_back(next);
  }
  return kept;
}

}  // namespace inlay::gp
