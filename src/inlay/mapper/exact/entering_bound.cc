#include "inlay/mapper/exact/entering_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kTensors = 3;  // more are not looked at

// A problem of three tensors, as far as words depend on what is held together. The dimensions of
// exactly two tensors, less the third, count as one: `across` of the third.
struct ThreeTensors {
  struct OfTensor {
    double across = 1;  // iterations along the dimensions of the two others
    double others = 1;  // operations that a word serves at most: × what is held of `across`
    bool slides = false;
  };
  std::vector<OfTensor> tensors;
  double operations = 1;

  ThreeTensors(const Problem& problem, const KeepCase& keep_case) {
    const auto bound = [&](size_t d) { return static_cast<double>(problem.dims[DimId(d)].bound); };
    // The dimensions along which tiles take room; of a rank of several, one.
    std::vector<std::vector<bool>> takes_room(keep_case.tensors.size());
    for (size_t d = 0; d < keep_case.dims; ++d) operations *= bound(d);
    for (size_t t = 0; t < keep_case.tensors.size(); ++t) {
      OfTensor& tensor = tensors.emplace_back();
      takes_room[t].assign(keep_case.dims, false);
      for (const auto& rank : keep_case.tensors[t].ranks) {
        if (rank.empty()) continue;
        size_t longest = rank.front().dim;
        double all = 1;
        for (const KeepCase::Term& term : rank) {
          if (bound(term.dim) > bound(longest)) longest = term.dim;
          all *= bound(term.dim);
        }
        takes_room[t][longest] = true;
        if (all == bound(longest)) continue;
        tensor.others *= all / bound(longest);
        tensor.slides = true;
      }
    }
    for (size_t t = 0; t < tensors.size(); ++t) {
      for (const size_t d : keep_case.tensors[t].irrelevant) {
        bool both = true;
        for (size_t u = 0; u < tensors.size(); ++u) both = both && (u == t || takes_room[u][d]);
        (both ? tensors[t].across : tensors[t].others) *= bound(d);
      }
    }
  }
};

// The least cost per operation of the words that enter instances of a level which hold them
// together, over all that they may hold at the same time.
class HeldTogether {
 public:
  HeldTogether(const ThreeTensors& problem, const KeepCase& keep_case, size_t level,
               double instances, const std::vector<double>& prices)
      : problem_(problem), rooms_(keep_case.rooms[level]), instances_(instances), prices_(prices) {}

  double Least() const {
    double compulsory = 0;
    for (size_t t = 0; t < problem_.tensors.size(); ++t) compulsory += AtLeast(t);
    return std::max(compulsory, LeastOfHeld());
  }

 private:
  double LeastOfHeld() const {
    double fixed = 0;
    std::vector<size_t> order;
    for (const Room& room : rooms_) {
      for (const size_t t : room.tensors) {
        if (!problem_.tensors[t].slides) order.push_back(t);
      }
    }
    for (size_t t = 0; t < problem_.tensors.size(); ++t) {
      if (std::find(order.begin(), order.end(), t) == order.end()) fixed += AtLeast(t);
    }
    std::sort(order.begin(), order.end());
    double least = kInfinity;
    do {
      least = std::min(least, LeastInOrder(order));
    } while (std::next_permutation(order.begin(), order.end()));
    if (least == kInfinity) {  // nothing fits
      least = 0;
      for (const size_t t : order) least += AtLeast(t);
    }
    return fixed + least;
  }

  double CostOf(size_t t, double held) const {
    return prices_[t] / (held * problem_.tensors[t].others);
  }
  double AtLeast(size_t t) const { return CostOf(t, problem_.tensors[t].across); }

  // Tensors that are held for ever less of the iterations. The first is held for all of its own;
  // the second for `second` of its own, which are in the tile of the first; the third for `third`,
  // which are in the tiles of both. Where some instances go on while others that share a word are
  // idle, the word is charged to the operations before; so those after have the first for nothing.
  double LeastInOrder(const std::vector<size_t>& order) const {
    double cost = order.empty() || instances_ > 1 ? 0 : AtLeast(order[0]);
    if (order.size() < 2) return cost;
    if (order.size() == 2) return cost + CostOf(order[1], MostSecond(order, 1));
    // Many are looked at in blocks: the room of the least, the cost of the largest.
    double least = kInfinity;
    const double most = problem_.tensors[order[2]].across;
    for (double third = 1; third <= most;) {
      const double last = std::min(most, std::max(third, std::floor(third * (1 + 1.0 / 512))));
      const double second = MostSecond(order, third);
      if (second < 1) break;
      least = std::min(least, CostOf(order[1], second) + CostOf(order[2], last));
      third = last + 1;
    }
    return cost + least;
  }

  // 0 if nothing fits.
  double MostSecond(const std::vector<size_t>& order, double third) const {
    double most = problem_.tensors[order[1]].across;
    for (const Room& room : rooms_) {
      double left = room.usable_bits * instances_;
      double of_first = 0;
      for (size_t i = 0; i < room.tensors.size(); ++i) {
        const size_t t = room.tensors[i];
        if (t == order[0]) {
          of_first = room.bits[i] * third;
        } else {
          left -= room.bits[i] * (t == order[1] ? third : 1);
        }
      }
      if (left < of_first) return 0;
      if (of_first > 0) most = std::min(most, std::floor(left / of_first * (1 + 1e-12)));
    }
    return most;
  }

  const ThreeTensors& problem_;
  const std::vector<Room>& rooms_;
  double instances_;
  const std::vector<double>& prices_;
};

double Words(const Problem& problem, size_t t) {
  return static_cast<double>(TensorWords(problem, TensorId(t)));
}

}  // namespace

double LeastEntering(const Problem& problem, const KeepCase& keep_case, size_t level,
                     const WordPrices& prices) {
  if (keep_case.tensors.size() != kTensors || keep_case.edges[level].empty()) return 0;
  const ThreeTensors three(problem, keep_case);
  const bool alone = keep_case.instances[level] == 1;
  std::vector<double> together(kTensors, 0), each(kTensors, 0);
  double instances = 1, returned = 0;
  for (const Edge& edge : keep_case.edges[level]) {
    const size_t t = edge.tensor;
    instances = std::max(instances, keep_case.instances[level] / keep_case.instances[edge.parent]);
    (edge.shares ? together : each)[t] += prices.parent[t];
    each[t] += prices.child[t];
    if (!alone) continue;
    each[t] += prices.back[t];
    returned += prices.back[t] * Words(problem, t);
  }
  if (alone) {
    for (size_t t = 0; t < kTensors; ++t) each[t] += together[t];
    together.assign(kTensors, 0);
  }
  const double least = HeldTogether(three, keep_case, level, 1, each).Least() +
                       HeldTogether(three, keep_case, level, instances, together).Least();
  return std::max(0.0, three.operations * least * (1 - 1e-12) - returned);
}

}  // namespace inlay::exact_search
