// The bounds of Bounder on single edges, which know more about the loops than a group does.
#include <algorithm>
#include <limits>

#include "inlay/mapper/exact/bound.h"

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void Bounder::MakeRoom(const Edge& edge, EdgeTerms* terms) const {
  const size_t ranks = frame_.tensors[edge.tensor].ranks.size();
  terms->all.resize(ranks);
  terms->once.resize(ranks);
  terms->sources.assign(ranks, {});
}

Bounder::EdgeTerms Bounder::TermsOf(const Rows& rows, const Edge& edge) const {
  EdgeTerms terms;
  MakeRoom(edge, &terms);
  Prepare(rows, edge, &terms);
  return terms;
}

// The words of an edge for every dimension that a loop from level 1 on may move its tile along.
template <typename Visit>
void Bounder::ForEachMover(const Rows& rows, const Edge& edge, const Visit& visit) const {
  const EdgeTerms terms = TermsOf(rows, edge);
  const Times times = TimesOf(rows, edge, 1);
  for (size_t d = 0; d < frame_.dims; ++d) {
    if (frame_.tensors[edge.tensor].rank_of[d] < 0 || !Moves(rows, {1, edge.child}, d)) continue;
    EdgeTraffic words = Once(terms);
    RaiseByMover(rows, edge, terms, times, d, &words);
    visit(words);
  }
}

double Bounder::OffchipMoved(const Rows& rows, const Edge& edge) {
  double best = kInfinity;
  ForEachMover(rows, edge, [&](const EdgeTraffic& words) {
    LowerBound one;
    Charge(edge, words, &one, port_class_.data());
    best = std::min(best, one.offchip_words);
  });
  return best;
}

std::vector<double> Bounder::PortsMoved(const Rows& rows, const Edge& edge) {
  std::vector<double> best(frame_.ports.size(), kInfinity);
  ForEachMover(rows, edge, [&](const EdgeTraffic& words) {
    LowerBound one;
    std::fill(port_class_.begin(), port_class_.end(), 0.0);
    Charge(edge, words, &one, port_class_.data());
    for (size_t p = 0; p < best.size(); ++p) best[p] = std::min(best[p], port_class_[p]);
  });
  return best;
}

std::vector<double> Bounder::PortsByInner(const Rows& rows, const Edge& edge, int inner) const {
  const EdgeTerms terms = TermsOf(rows, edge);
  EdgeTraffic words = Once(terms);
  if (inner >= 0) {
    const auto d = static_cast<size_t>(inner);
    const auto r = static_cast<size_t>(frame_.tensors[edge.tensor].rank_of[d]);
    Raise(rows, edge, terms, TimesOf(rows, edge, edge.child), d, terms.all_words / terms.all[r],
          &words);
  }
  LowerBound one;
  std::vector<double> ports(frame_.ports.size(), 0.0);
  Charge(edge, words, &one, ports.data());
  return ports;
}

double Bounder::OffchipInOrder(const Rows& rows, const Edge& edge, const EdgeTerms& terms,
                               const std::vector<size_t>& order, uint64_t anywhere) {
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  EdgeTraffic words = Once(terms);
  const size_t at = layout_.At(edge.child);
  Times times = TimesOf(rows, edge, 1);
  bool moved = false;
  for (const size_t d : order) {
    if (tensor.rank_of[d] < 0) {
      // Further loops that move the tile are outside: they find it in place, or moved already.
      times.tiles *= rows[d][at + RowLayout::Tiles(0)] / rows[d][at + RowLayout::Tiles(1)];
      times.leaders *= rows[d][at + RowLayout::Leaders(edge.child, edge.parent, 0)] /
                       rows[d][at + RowLayout::Leaders(edge.child, edge.parent, 1)];
    } else if (!moved) {
      const auto r = static_cast<size_t>(tensor.rank_of[d]);
      Raise(rows, edge, terms, times, d, terms.all_words / terms.all[r], &words);
      moved = true;
    } else if (d >= 64 || (anywhere >> d & 1) == 0) {
      RaiseByMover(rows, edge, terms, times, d, &words);
    }
  }
  LowerBound one;
  Charge(edge, words, &one, port_class_.data());
  return one.offchip_words;
}

}  // namespace inlay::exact_search
