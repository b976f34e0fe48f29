#include "inlay/mapper/front/inner_table.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace inlay::exact_search {
namespace {

constexpr size_t kMostEntries = 200'000;
constexpr size_t kMostNodes = 2'000'000;       // looked at while listing
constexpr size_t kMostChains = 4'000'000;      // of one dimension: nodes × keys
constexpr size_t kMostMaskChunks = 8'000'000;  // 64 MB
constexpr size_t kFirstInner = 4;              // slots from the lanes below level 1 on

// The chains of a node of the first stage, as nodes of the last one.
template <typename Visit>
void ForEachSingle(const ChainTree& tree, size_t stage, uint32_t node, const Visit& visit) {
  if (stage + 1 == tree.stages()) {
    visit(node);
    return;
  }
  const ChainTree::Node& at = tree.At(stage, node);
  for (uint32_t n = at.child_begin; n < at.child_end; ++n) {
    ForEachSingle(tree, stage + 1, n, visit);
  }
}

// Entries while they are listed.
struct Lister {
  const Space& space;
  const KeepCase& keep_case;
  std::vector<SlotId> spatial;
  Bounder bounder;
  Rows rows;
  std::vector<std::vector<double>> tiles;   // [level][dim]
  std::vector<std::vector<int64_t>> lanes;  // [depth][spatial slot]
  std::vector<uint32_t> chosen;
  size_t nodes = 0;
  BoundSum sum = {};

  bool Suffice() const {
    const std::vector<int64_t>& all = lanes.back();
    for (size_t s = 0; s < spatial.size(); ++s) {
      if (all[s] < space.slots[spatial[s]].min_lanes) return false;
    }
    for (size_t l = 0; l < keep_case.levels; ++l) {
      if (all[2 * l] * all[2 * l + 1] < space.min_lanes[LevelId(l)]) return false;
    }
    return true;
  }
  double Cycles() {
    const MappingSet set = bounder.SetOf(rows);
    sum.Begin(keep_case);
    if (!keep_case.ports.empty()) {
      for (size_t c = 1; c <= keep_case.levels; ++c) bounder.AddMerged(set, c, kAnyDim, &sum);
    }
    const double steps = FewestSteps(set, keep_case.instances[keep_case.levels]);
    return SafeBound(Finish(set, steps, sum), Metric::kDelay);
  }
};

}  // namespace

InnerTable::InnerTable(const Space& space, const KeepCase& keep_case, const Chains& chains,
                       const std::vector<TileBlocks>& blocks, const BypassCases& cases,
                       DeadlineWatch* watch)
    : watch_(watch), ports_(keep_case, chains.layout) {
  if (keep_case.levels < 2 || keep_case.dims >= 64 || !CollectKeys(space, chains)) return;
  if (!ListEntries(space, keep_case, chains)) {
    cycles_.clear();
    return;
  }
  mask_chunks_ = (cycles_.size() + 63) / 64;
  size_t all = 0;
  for (const TileBlocks& dim : blocks) all += dim.size() * mask_chunks_ * cases.size();
  if (all > kMostMaskChunks) {
    cycles_.clear();
    return;
  }
  BuildMasks(chains, blocks, cases);
}

bool InnerTable::CollectKeys(const Space& space, const Chains& chains) {
  const std::vector<SlotId> spatial = SpatialSlotsOf(space);
  const size_t levels = chains.layout.levels();
  keys_.resize(chains.trees.size());
  chain_.resize(chains.trees.size());
  for (size_t d = 0; d < chains.trees.size(); ++d) {
    const ChainTree& tree = chains.trees[d];
    std::map<std::vector<int64_t>, uint32_t> known;
    struct Pair {
      uint32_t node, key, single;
    };
    std::vector<Pair> pairs;
    bool plain = true;
    for (uint32_t n = 0; n < tree.size(0); ++n) {
      if (watch_->Passed()) return false;
      ForEachSingle(tree, 0, n, [&](uint32_t single) {
        const ChainTree::Node& node = tree.Singles()[single];
        const inlay::Chain& chain = tree.ChainOf(node);
        plain = plain && chain.steps[SlotId(1)] == 1 && chain.steps[SlotId(2)] == 1;
        std::vector<int64_t> what = {chain.bound};
        for (size_t s = kFirstInner; s < space.slots.size(); ++s) {
          what.push_back(chain.steps[SlotId(s)]);
          what.push_back(chain.tiles[SlotId(s)]);
        }
        const auto [at, fresh] = known.try_emplace(what, static_cast<uint32_t>(keys_[d].size()));
        const double* row = tree.Row(node);
        if (fresh) {
          Key key;
          key.range = static_cast<double>(chain.tiles[SlotId(3)]);
          for (size_t l = 2; l < levels; ++l) {
            key.tiles.push_back(static_cast<double>(chain.tiles[SlotId(3 * l - 1)]));
          }
          for (SlotId s : spatial) key.lanes.push_back(chain.steps[s]);
          key.row.assign(row, row + chains.layout.size());
          keys_[d].push_back(std::move(key));
        } else {
          Cover(chains.layout, row, keys_[d][at->second].row.data());
        }
        pairs.push_back({n, at->second, single});
      });
    }
    const size_t width = keys_[d].size();
    if (!plain || width * tree.size(0) > kMostChains) return false;
    chain_[d].assign(width * tree.size(0), kNone);
    for (const Pair& pair : pairs) {
      uint32_t& at = chain_[d][pair.node * width + pair.key];
      if (at != kNone) return false;
      at = pair.single;
    }
  }
  return true;
}

bool InnerTable::ListEntries(const Space& space, const KeepCase& keep_case, const Chains& chains) {
  const size_t dims = keep_case.dims;
  Lister lister{space, keep_case, SpatialSlotsOf(space), Bounder(keep_case, chains.layout), {}, {},
                {},    {}};
  lister.rows.resize(dims);
  lister.chosen.resize(dims);
  lister.lanes.assign(dims + 1, std::vector<int64_t>(lister.spatial.size(), 1));
  std::vector<std::vector<double>> smallest(keep_case.levels, std::vector<double>(dims, 1));
  for (size_t l = 2; l < keep_case.levels; ++l) {
    for (size_t d = 0; d < dims; ++d) {
      smallest[l][d] = keys_[d][0].tiles[l - 2];
      for (const Key& key : keys_[d]) {
        smallest[l][d] = std::min(smallest[l][d], key.tiles[l - 2]);
      }
    }
  }
  lister.tiles = smallest;
  std::vector<uint32_t> found;
  std::vector<double> cycles;
  const auto choose = [&](const auto& self, size_t d) -> bool {
    if (d == dims) {
      if (!lister.Suffice()) return true;
      cycles.push_back(lister.Cycles());
      if (!ports_.empty()) ports_.Add(lister.rows);
      found.insert(found.end(), lister.chosen.begin(), lister.chosen.end());
      return cycles.size() <= kMostEntries;
    }
    for (size_t k = 0; k < keys_[d].size(); ++k) {
      if (++lister.nodes > kMostNodes || watch_->Passed()) return false;
      const Key& key = keys_[d][k];
      bool fits = true;
      for (size_t s = 0; s < lister.spatial.size() && fits; ++s) {
        lister.lanes[d + 1][s] = lister.lanes[d][s] * key.lanes[s];
        fits = lister.lanes[d + 1][s] <= space.slots[lister.spatial[s]].max_lanes;
      }
      for (size_t l = 2; l < keep_case.levels && fits; ++l) {
        lister.tiles[l][d] = key.tiles[l - 2];
        fits = keep_case.Fits(l, lister.tiles[l].data());
      }
      if (!fits) continue;
      lister.rows[d] = key.row.data();
      lister.chosen[d] = static_cast<uint32_t>(k);
      if (!self(self, d + 1)) return false;
    }
    for (size_t l = 2; l < keep_case.levels; ++l) lister.tiles[l][d] = smallest[l][d];
    return true;
  };
  if (!choose(choose, 0)) return false;
  std::vector<uint32_t> order(cycles.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return cycles[a] < cycles[b]; });
  listed_ = order;
  for (const uint32_t e : order) {
    cycles_.push_back(cycles[e]);
    const auto from = found.begin() + static_cast<int64_t>(e * dims);
    entries_.insert(entries_.end(), from, from + static_cast<int64_t>(dims));
  }
  return true;
}

void InnerTable::Begin(const Chains& chains, const std::vector<uint32_t>& nodes) {
  Rows rows;
  tiles_.clear();
  for (size_t d = 0; d < nodes.size(); ++d) {
    const ChainTree::Node& node = chains.trees[d].At(0, nodes[d]);
    rows.push_back(chains.trees[d].Row(node));
    tiles_.push_back(node.tile);
  }
  ports_.Begin(rows);
}

uint64_t InnerTable::Moved(size_t entry) const {
  uint64_t moved = 0;
  const uint32_t* keys = &entries_[entry * keys_.size()];
  for (size_t d = 0; d < keys_.size(); ++d) {
    if (keys_[d][keys[d]].range != tiles_[d]) moved |= uint64_t{1} << d;
  }
  return moved;
}

std::vector<uint64_t> InnerTable::MasksOf(const ChainTree& tree, const TileBlocks& blocks,
                                          size_t dim, const BypassCases& cases,
                                          size_t in_case) const {
  const size_t dims = keys_.size();
  const size_t width = keys_[dim].size();
  std::vector<std::vector<uint32_t>> entries(width);  // by key
  for (size_t e = 0; e < cycles_.size(); ++e) {
    entries[entries_[e * dims + dim]].push_back(static_cast<uint32_t>(e));
  }
  std::vector<uint64_t> masks(blocks.size() * mask_chunks_, 0);
  for (uint32_t n = 0; n < tree.size(0); ++n) {
    if (watch_->PassedNow()) break;  // a row of up to all entries for each key
    uint64_t* mask = masks.data() + blocks.Of(n) * mask_chunks_;
    for (size_t k = 0; k < width; ++k) {
      const uint32_t single = chain_[dim][n * width + k];
      if (single == kNone || !cases.Allows(in_case, dim, single)) continue;
      for (const uint32_t e : entries[k]) mask[e / 64] |= uint64_t{1} << (e % 64);
    }
  }
  for (size_t b = blocks.size(); b-- > 0;) {  // halves come after the whole
    const TileBlocks::Block& block = blocks.At(b);
    if (block.single()) continue;
    for (size_t w = 0; w < mask_chunks_; ++w) {
      masks[b * mask_chunks_ + w] =
          masks[block.left * mask_chunks_ + w] | masks[block.right * mask_chunks_ + w];
    }
  }
  return masks;
}

void InnerTable::BuildMasks(const Chains& chains, const std::vector<TileBlocks>& blocks,
                            const BypassCases& cases) {
  std::map<std::pair<size_t, uint64_t>, size_t> known;
  for (size_t in_case = 0; in_case < cases.size(); ++in_case) {
    std::vector<size_t>& of = mask_of_.emplace_back();
    for (size_t d = 0; d < keys_.size(); ++d) {
      const auto [at, fresh] = known.try_emplace({d, cases.Kind(in_case, d)}, masks_.size());
      if (fresh) masks_.push_back(MasksOf(chains.trees[d], blocks[d], d, cases, in_case));
      of.push_back(at->second);
    }
  }
}

}  // namespace inlay::exact_search
