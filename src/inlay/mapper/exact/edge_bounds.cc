#include "inlay/mapper/exact/edge_bounds.h"

#include <algorithm>
#include <limits>

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The traffic of an edge for every dimension that a loop from level 1 on may move its tile along.
template <typename Visit>
void ForEachMover(const MappingSet& set, const Edge& edge, const Visit& visit) {
  const EdgeTerms terms = TermsOf(set, edge);
  const Repeats repeats = RepeatsOf(set, edge, 1);
  for (size_t d = 0; d < set.keep_case.dims; ++d) {
    if (set.keep_case.tensors[edge.tensor].rank_of[d] < 0 || !MayMove(set, 1, edge.child, d))
      continue;
    EdgeTraffic traffic = TrafficOnce(terms);
    RaiseByMover(set, edge, terms, repeats, d, &traffic);
    visit(traffic);
  }
}

std::vector<double> PortsOf(const KeepCase& keep_case, const Edge& edge,
                            const EdgeTraffic& traffic) {
  LowerBound ignored;
  std::vector<double> ports(keep_case.ports.size(), 0.0);
  Charge(keep_case, edge, traffic, &ignored, ports.data());
  return ports;
}

}  // namespace

double OffchipMoved(const MappingSet& set, const Edge& edge) {
  double best = kInfinity;
  ForEachMover(set, edge, [&](const EdgeTraffic& traffic) {
    best = std::min(best, OffchipOf(edge, traffic));
  });
  return best;
}

std::vector<double> PortsMoved(const MappingSet& set, const Edge& edge) {
  std::vector<double> best(set.keep_case.ports.size(), kInfinity);
  ForEachMover(set, edge, [&](const EdgeTraffic& traffic) {
    const std::vector<double> ports = PortsOf(set.keep_case, edge, traffic);
    for (size_t p = 0; p < best.size(); ++p) best[p] = std::min(best[p], ports[p]);
  });
  return best;
}

std::vector<double> PortsByInner(const MappingSet& set, const Edge& edge, int inner) {
  const EdgeTerms terms = TermsOf(set, edge);
  EdgeTraffic traffic = TrafficOnce(terms);
  if (inner >= 0) {
    const auto d = static_cast<size_t>(inner);
    const auto r = static_cast<size_t>(set.keep_case.tensors[edge.tensor].rank_of[d]);
    RaiseByLoop(set, edge, terms, RepeatsOf(set, edge, edge.child), d,
                terms.all_words / terms.all[r], &traffic);
  }
  return PortsOf(set.keep_case, edge, traffic);
}

double OffchipInOrder(const MappingSet& set, const Edge& edge, const EdgeTerms& terms,
                      const std::vector<size_t>& order, uint64_t anywhere) {
  const KeepCase::TensorRanks& tensor = set.keep_case.tensors[edge.tensor];
  EdgeTraffic traffic = TrafficOnce(terms);
  const size_t at = set.layout.At(edge.child);
  Repeats repeats = RepeatsOf(set, edge, 1);
  bool moved = false;
  for (const size_t d : order) {
    const double* row = set.rows[d];
    if (tensor.rank_of[d] < 0) {
      // Further loops that move the tile are outside: they find it in place, or moved already.
      repeats.tiles *= row[at + RowLayout::Tiles(0)] / row[at + RowLayout::Tiles(1)];
      repeats.distinct_lanes *= row[at + RowLayout::DistinctLanes(edge.child, edge.parent, 0)] /
                                row[at + RowLayout::DistinctLanes(edge.child, edge.parent, 1)];
    } else if (!moved) {
      const auto r = static_cast<size_t>(tensor.rank_of[d]);
      RaiseByLoop(set, edge, terms, repeats, d, terms.all_words / terms.all[r], &traffic);
      moved = true;
    } else if (d >= 64 || (anywhere >> d & 1) == 0) {
      RaiseByMover(set, edge, terms, repeats, d, &traffic);
    }
  }
  return OffchipOf(edge, traffic);
}

}  // namespace inlay::exact_search
