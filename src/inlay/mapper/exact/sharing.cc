#include "inlay/mapper/exact/sharing.h"

#include <algorithm>
#include <set>

namespace inlay::exact_search {
namespace {

constexpr size_t kMostWays = 48;
constexpr int64_t kMostListed = 1 << 18;  // seven dimensions share 500 lanes in fewer ways

bool Covers(const Sharing::Lanes& a, const Sharing::Lanes& b) {
  for (size_t t = 0; t < a.size(); ++t) {
    if (a[t] < b[t]) return false;
  }
  return true;
}

// Keeps the vectors that no other one covers.
void KeepUncovered(std::vector<Sharing::Lanes>* ways) {
  std::sort(ways->begin(), ways->end(), std::greater<>());
  std::vector<Sharing::Lanes> kept;
  for (const Sharing::Lanes& way : *ways) {
    const bool covered = std::any_of(kept.begin(), kept.end(),
                                     [&](const Sharing::Lanes& one) { return Covers(one, way); });
    if (!covered) kept.push_back(way);
  }
  *ways = std::move(kept);
}

// Replaces neighbours by one vector that covers them until there are few.
void Thin(std::vector<Sharing::Lanes>* ways) {
  while (ways->size() > kMostWays) {
    std::vector<Sharing::Lanes> fewer;
    for (size_t i = 0; i < ways->size(); i += 2) {
      Sharing::Lanes way = (*ways)[i];
      for (size_t t = 0; i + 1 < ways->size() && t < way.size(); ++t) {
        way[t] = std::max(way[t], (*ways)[i + 1][t]);
      }
      fewer.push_back(way);
    }
    *ways = std::move(fewer);
    KeepUncovered(ways);
  }
}

}  // namespace

// All ways, dimension after dimension.
struct Sharing::Listing {
  const KeepCase& keep_case;
  const std::vector<std::vector<int64_t>>& options;
  LaneFloor floor;
  const Deadline* deadline;
  std::vector<size_t> dims;      // open
  std::vector<int64_t> lanes{};  // by dimension; 1 if not open
  std::vector<Lanes> ways{};
  int64_t listed = 0;
  bool gave_up = false;

  void Choose(size_t index, int64_t left) {
    if (index == dims.size()) {
      Take();
      return;
    }
    const std::vector<int64_t>& own = options[dims[index]];
    const auto end = std::upper_bound(own.begin(), own.end(), left);
    // The last one takes as many as it can.
    for (auto at = index + 1 == dims.size() ? end - 1 : own.begin(); at < end; ++at) {
      if (dims[index] == floor.dim && *at < floor.lanes) continue;
      if (gave_up) return;
      lanes[dims[index]] = *at;
      Choose(index + 1, left / *at);
    }
  }

  void Take() {
    constexpr int64_t kBetweenLooks = 1 << 12;
    ++listed;
    gave_up = listed > kMostListed || (listed % kBetweenLooks == 0 && deadline->Passed());
    Lanes way;
    way.fill(1);
    for (size_t t = 0; t < keep_case.tensors.size(); ++t) {
      for (const size_t d : keep_case.tensors[t].irrelevant)
        way[t] *= static_cast<double>(lanes[d]);
      for (const auto& rank : keep_case.tensors[t].ranks) {
        int64_t most = 1, product = 1;
        for (const KeepCase::Term& term : rank) {
          if (std::find(dims.begin(), dims.end(), term.dim) == dims.end()) product = most = 0;
          most = std::max(most, lanes[term.dim]);
          product *= lanes[term.dim];
        }
        if (product > 0) way[t] *= static_cast<double>(product) / static_cast<double>(most);
      }
    }
    ways.push_back(way);
    if (ways.size() > 4096) KeepUncovered(&ways);
  }
};

Sharing::Sharing(const Space& space, const KeepCase& keep_case, const std::vector<ChainTree>& trees,
                 const Deadline& deadline)
    : keep_case_(keep_case), deadline_(&deadline) {
  size_t fanouts = 0;
  for (size_t l = 0; l < keep_case.levels; ++l) {
    if (keep_case.instances[l + 1] > keep_case.instances[l]) {
      ++fanouts;
      level_ = l;
    }
  }
  applies_ = fanouts == 1 && keep_case.tensors.size() <= kMostTensors && keep_case.dims < 32;
  if (!applies_) return;
  const std::vector<SlotId> spatial = SpatialSlotsOf(space);
  for (size_t d = 0; d < keep_case.dims; ++d) {
    std::set<int64_t> lanes = {1};
    for (const Chain& chain : trees[d].chains()) {
      int64_t product = 1;
      for (const SlotId s : spatial) product *= chain.steps[s];
      lanes.insert(product);
    }
    options_.emplace_back(lanes.begin(), lanes.end());
  }
}

size_t Sharing::Hash::operator()(const Key& key) const {
  uint64_t mixed = 0;
  for (const uint64_t part : key) mixed = (mixed ^ part) * 0x9E3779B97F4A7C15U;
  return mixed ^ mixed >> 32;
}

const std::vector<Sharing::Lanes>& Sharing::Ways(uint64_t open_dims, int64_t lanes_left,
                                                 const LaneFloor& floor) {
  const Key key = {open_dims, static_cast<uint64_t>(lanes_left), floor.dim,
                   static_cast<uint64_t>(floor.lanes)};
  const auto [at, fresh] = ways_.try_emplace(key);
  if (!fresh) return at->second;
  Listing listing{keep_case_, options_, floor, deadline_, {}};
  listing.lanes.assign(keep_case_.dims, 1);
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    if ((open_dims >> d & 1) != 0) listing.dims.push_back(d);
  }
  listing.Choose(0, lanes_left);
  if (listing.gave_up) {
    listing.ways.resize(1);
    listing.ways[0].fill(static_cast<double>(lanes_left));
  }
  KeepUncovered(&listing.ways);
  Thin(&listing.ways);
  at->second = std::move(listing.ways);
  return at->second;
}

double Sharing::OfDecided(std::span<const double* const> rows, const RowLayout& layout,
                          const Edge& edge, uint64_t open_dims) const {
  const KeepCase::TensorRanks& tensor = keep_case_.tensors[edge.tensor];
  const size_t between = layout.At(edge.child) + RowLayout::Between(edge.child, edge.parent);
  double lanes = 1;
  for (const size_t d : tensor.irrelevant) {
    if ((open_dims >> d & 1) == 0) lanes *= rows[d][between];
  }
  for (const auto& rank : tensor.ranks) {
    double most = 1, product = 1;
    bool open = true;
    for (const KeepCase::Term& term : rank) {
      open = open && (open_dims >> term.dim & 1) != 0;
      most = std::max(most, rows[term.dim][between]);
      product *= rows[term.dim][between];
    }
    if (!open) lanes *= product / most;
  }
  return lanes;
}

}  // namespace inlay::exact_search
