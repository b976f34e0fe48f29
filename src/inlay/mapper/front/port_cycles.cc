#include "inlay/mapper/front/port_cycles.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace inlay::exact_search {
namespace {

constexpr size_t kMostPorts = 8;  // of level 1

}  // namespace

PortCycles::PortCycles(const KeepCase& keep_case, const RowLayout& layout)
    : keep_case_(keep_case), layout_(layout) {
  if (keep_case.levels < 3 || keep_case.dims > 63) return;
  for (const Edge& edge : keep_case.edges[2]) {
    if (edge.parent != 1) continue;
    uint64_t concerns = 0;
    for (size_t d = 0; d < keep_case.dims; ++d) {
      if (keep_case.tensors[edge.tensor].rank_of[d] >= 0) concerns |= uint64_t{1} << d;
    }
    edges_.push_back(&edge);
    concerns_.push_back(concerns);
  }
  for (size_t p = 0; p < keep_case.ports.size() && !edges_.empty(); ++p) {
    if (keep_case.ports[p].level == 1 && keep_case.ports[p].child < 0) ports_.push_back(p);
  }
  if (ports_.size() > kMostPorts) ports_.clear();
  width_ = (keep_case.dims + edges_.size()) * ports_.size();
  again_.resize(edges_.size());
}

void PortCycles::Add(const Rows& rows) {
  const MappingSet set = {keep_case_, layout_, rows};
  const size_t begin = figures_.size();
  figures_.resize(begin + width_, 0.0);
  for (size_t e = 0; e < edges_.size(); ++e) {
    for (size_t d = 0; d < keep_case_.dims; ++d) {
      if ((concerns_[e] >> d & 1) == 0) continue;
      const auto words = PortsByInner(set, *edges_[e], static_cast<int>(d));
      for (size_t p = 0; p < ports_.size(); ++p) {
        figures_[begin + d * ports_.size() + p] += words[ports_[p]];
      }
    }
    const auto once = PortsByInner(set, *edges_[e], kNoDim);
    for (size_t p = 0; p < ports_.size(); ++p) {
      figures_[begin + (keep_case_.dims + e) * ports_.size() + p] = once[ports_[p]];
    }
  }
}

void PortCycles::Begin(const Rows& rows) {
  const MappingSet set = {keep_case_, layout_, rows};
  outside_.assign(ports_.size(), 0.0);
  for (const Edge& edge : keep_case_.edges[1]) {
    const auto words = PortsByInner(set, edge, kNoDim);
    for (size_t p = 0; p < ports_.size(); ++p) outside_[p] += words[ports_[p]];
  }
  for (size_t e = 0; e < edges_.size(); ++e) {
    const auto words = PortsMoved(set, *edges_[e]);
    again_[e].clear();
    for (const size_t p : ports_) again_[e].push_back(words[p]);
  }
  outer_moved_ = 0;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if (rows[d][RowLayout::MayMove(0)] != 0) outer_moved_ |= uint64_t{1} << d;
  }
}

double PortCycles::CyclesOf(const double* words) const {
  double most = 0;
  for (size_t p = 0; p < ports_.size(); ++p) {
    most = std::max(most, words[p] / keep_case_.ports[ports_[p]].words_per_cycle);
  }
  return std::ceil(most / keep_case_.instances[1] * (1 - 1e-9) - 1e-9);
}

double PortCycles::Cycles(size_t entry, uint64_t moved, int inner) const {
  const double* figures = figures_.data() + entry * width_;
  const size_t ports = ports_.size();
  const auto d = static_cast<size_t>(std::max(0, inner));
  std::array<double, kMostPorts> words;
  for (size_t p = 0; p < ports; ++p) {
    words[p] = outside_[p] + (inner >= 0 ? figures[d * ports + p] : 0.0);
  }
  for (size_t e = 0; e < edges_.size(); ++e) {
    if (inner >= 0 && (concerns_[e] >> d & 1) != 0) continue;
    const double* once = &figures[(keep_case_.dims + e) * ports];
    const bool again = (concerns_[e] & moved) != 0;
    for (size_t p = 0; p < ports; ++p) {
      words[p] += again ? std::max(once[p], again_[e][p]) : once[p];
    }
  }
  return CyclesOf(words.data());
}

}  // namespace inlay::exact_search
