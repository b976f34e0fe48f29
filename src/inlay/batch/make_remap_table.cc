#include <algorithm>
#include <cmath>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/parallel.h"
#include "inlay/batch/node_layers.h"
#include "inlay/batch/remap_search.h"
#include "inlay/batch/remap_table.h"

namespace inlay::batch {
namespace {

// A tensor that no product reads or writes itself goes past it in pieces of so many bytes.
constexpr int64_t kPassing = int64_t{16} << 10;

// Done once for all layers of the same problem.
struct ProductSearch {
  Problem problem;
  TensorSet off;
  std::vector<ProductTiling> ways;
};

class TableMaker {
 public:
  TableMaker(const Graph& graph, const NetworkProfile& profile, const Accelerator& accelerator)
      : graph_(graph),
        profile_(profile),
        accelerator_(accelerator),
        node_layers_(NodeLayersOf(graph, accelerator.bits)),
        rank_(graph.values.size()) {
    RankTensors();
    layers_.resize(profile.layers.size());
    for (const NodeId id : Ids(graph.nodes)) {
      const GraphNode& node = graph.nodes[id];
      const size_t layer = node_layers_.layer_of[id];
      if (!node.works.empty()) layers_[layer].node = &node;
      if (InfoOf(node.op).op_class == OpClass::kView) continue;
      for (const ValueId v : node.inputs) Touch(v, false, &layers_[layer]);
      for (const ValueId v : node.outputs) Touch(v, true, &layers_[layer]);
    }
    for (LayerUse& use : layers_) {
      std::sort(use.touched.begin(), use.touched.end());
      use.touched.erase(std::unique(use.touched.begin(), use.touched.end()), use.touched.end());
    }
  }

  std::vector<FeatureMap> tensors() const {
    std::vector<FeatureMap> tensors;
    for (const ValueId v : by_rank_) {
      const Life& life = node_layers_.lives[v];
      tensors.push_back({Bytes(v), life.from, life.last});
    }
    return tensors;
  }

  // So many largest off chip leave at most half of the bytes to the others in every layer.
  size_t MostOff(int64_t bytes) const {
    size_t off = 0;
    std::vector<int64_t> held;
    for (const LayerProfile& layer : profile_.layers) {
      held.push_back(layer.live_bytes + layer.output_bytes);
    }
    const std::vector<FeatureMap> all = tensors();
    while (off < all.size() && *std::max_element(held.begin(), held.end()) > bytes / 2) {
      const FeatureMap& tensor = all[off++];
      for (int64_t l = std::max<int64_t>(0, tensor.from); l <= tensor.last; ++l) {
        held[static_cast<size_t>(l)] -= tensor.bytes;
      }
    }
    return off;
  }

  std::vector<RemapTable::Layer> Make(size_t most_off, int threads, const Deadline& deadline) {
    for (const LayerUse& use : layers_) {
      for (size_t off = 1; off <= use.touched.size() && use.touched[off - 1].rank < most_off;
           ++off) {
        for (const inlay::Work& work : use.node->works) SearchFor(use, work, off);
      }
    }
    ParallelFor(searches_.size(), threads, [&](size_t i, size_t) {
      ProductSearch& search = searches_[i];
      search.ways = TilingsOfProduct(search.problem, search.off, accelerator_, deadline);
    });
    std::vector<RemapTable::Layer> layers;
    for (size_t l = 0; l < layers_.size(); ++l) {
      RemapTable::Layer layer;
      for (const Touched& touched : layers_[l].touched) layer.touched.push_back(touched.rank);
      for (size_t off = 1; off <= layer.touched.size() && layer.touched[off - 1] < most_off;
           ++off) {
        layer.ways.push_back(RemapTable::ParetoFront(WaysOf(l, off), accelerator_.bytes_per_cycle));
      }
      layers.push_back(std::move(layer));
    }
    return layers;
  }

 private:
  struct Touched {
    size_t rank = 0;
    bool written = false;
    auto operator<=>(const Touched&) const = default;
  };
  struct LayerUse {
    const GraphNode* node = nullptr;
    std::vector<Touched> touched;  // by rank
  };

  int64_t Bytes(ValueId v) const { return BytesOf(WordsOf(graph_, v), accelerator_.bits); }

  void RankTensors() {
    for (const ValueId v : Ids(graph_.values)) {
      if (graph_.values[v].alias_of || IsWeight(graph_, v) || !node_layers_.lives[v].Lies())
        continue;
      by_rank_.push_back(v);
    }
    std::stable_sort(by_rank_.begin(), by_rank_.end(),
                     [&](ValueId a, ValueId b) { return Bytes(a) > Bytes(b); });
    for (size_t r = 0; r < by_rank_.size(); ++r) rank_[by_rank_[r]] = r;
  }

  void Touch(ValueId value, bool written, LayerUse* use) const {
    const auto rank = rank_[StorageOf(graph_, value)];
    // What is written and read in one layer is written in it.
    if (!rank) return;
    for (Touched& touched : use->touched) {
      if (touched.rank != *rank) continue;
      touched.written = touched.written || written;
      return;
    }
    use->touched.push_back({*rank, written});
  }

  // The tensor of the product whose pieces those of a touched one are; none: it passes by.
  std::optional<TensorId> RoleOf(const inlay::Work& work, const Touched& touched) const {
    bool inputs_lie = false;
    std::optional<TensorId> inputs;
    for (const TensorId t : Ids(work.problem.tensors)) {
      const bool output = work.problem.tensors[t].is_output;
      if (output && touched.written) return t;
      if (output || !work.operands[t]) continue;
      const auto rank = rank_[StorageOf(graph_, *work.operands[t])];
      if (rank == touched.rank) return t;
      inputs_lie = inputs_lie || rank.has_value();
      if (!IsWeight(graph_, *work.operands[t])) inputs = t;
    }
    // Nodes in front of the product make its input of this.
    return inputs_lie ? std::nullopt : inputs;
  }

  TensorSet OffOf(const LayerUse& use, const inlay::Work& work, size_t off) const {
    TensorSet set;
    for (size_t i = 0; i < off; ++i) {
      if (const auto role = RoleOf(work, use.touched[i])) set.insert(*role);
    }
    return set;
  }

  // The index of the search; none where all only pass by.
  std::optional<size_t> SearchFor(const LayerUse& use, const inlay::Work& work, size_t off) {
    const TensorSet set = OffOf(use, work, off);
    if (set.empty()) return std::nullopt;
    Problem problem = work.problem;
    problem.name.clear();
    for (size_t i = 0; i < searches_.size(); ++i) {
      if (searches_[i].off == set && searches_[i].problem == problem) return i;
    }
    searches_.push_back({std::move(problem), set, {}});
    return searches_.size() - 1;
  }

  // Of a layer with the largest of what it touches off chip.
  std::vector<TiledLayer> WaysOf(size_t l, size_t off) {
    const LayerUse& use = layers_[l];
    const LayerProfile& layer = profile_.layers[l];
    const int64_t last_block = CeilDiv(layer.weight_bytes, BlocksOf(layer, accelerator_));
    const int64_t cycles = CyclesOf(layer, accelerator_, 1);
    // Products come one after the other.
    std::vector<TiledLayer> sums = {{}};
    for (const inlay::Work& work : use.node->works) {
      std::vector<TiledLayer> own;
      const std::optional<size_t> search = SearchFor(use, work, off);
      if (!search) {
        own.push_back(WayOf(use, work, off, nullptr));
      } else {
        for (const ProductTiling& way : searches_[*search].ways)
          own.push_back(WayOf(use, work, off, &way));
      }
      sums = Together(sums, own);
    }
    std::vector<TiledLayer> ways;
    for (TiledLayer way : sums) {
      way.workspace_bytes += layer.weight_bytes - last_block;
      way.cycles = std::max(way.cycles, cycles);
      ways.push_back(way);
    }
    return ways;
  }

  TiledLayer WayOf(const LayerUse& use, const inlay::Work& work, size_t off,
                   const ProductTiling* way) const {
    TiledLayer tiled;
    const double slower = way == nullptr ? 1 : way->slower;
    tiled.cycles = static_cast<int64_t>(
        slower * static_cast<double>(CyclesOfProduct(work.problem, accelerator_)) *
        static_cast<double>(work.repeat));
    for (size_t i = 0; i < off; ++i) {
      const int64_t bytes = Bytes(by_rank_[use.touched[i].rank]);
      const std::optional<TensorId> role = RoleOf(work, use.touched[i]);
      const auto part = [bytes](double share) {
        return static_cast<int64_t>(std::ceil(share * static_cast<double>(bytes)));
      };
      if (role && way != nullptr) {
        tiled.workspace_bytes += 2 * std::min(bytes, part(way->pieces[*role]));
        tiled.stream_bytes += part(way->traffic[*role] * static_cast<double>(work.repeat));
      } else {
        tiled.workspace_bytes += 2 * std::min(bytes, kPassing);
        tiled.stream_bytes += bytes;
      }
    }
    return tiled;
  }

  // Ways of two products of a layer, one after the other: the least that both can do with.
  std::vector<TiledLayer> Together(const std::vector<TiledLayer>& a,
                                   const std::vector<TiledLayer>& b) const {
    if (a.size() == 1 && a.front() == TiledLayer{}) return b;
    std::vector<TiledLayer> sums;
    for (const TiledLayer& one : a) {
      for (const TiledLayer& other : b) {
        sums.push_back({std::max(one.workspace_bytes, other.workspace_bytes),
                        one.stream_bytes + other.stream_bytes, one.cycles + other.cycles});
      }
    }
    return RemapTable::ParetoFront(std::move(sums), accelerator_.bytes_per_cycle);
  }

  const Graph& graph_;
  const NetworkProfile& profile_;
  const Accelerator& accelerator_;
  NodeLayers node_layers_;
  std::vector<ValueId> by_rank_;
  IndexedVector<ValueId, std::optional<size_t>> rank_;  // of those that lie in memory
  std::vector<LayerUse> layers_;
  std::vector<ProductSearch> searches_;
};

}  // namespace

std::shared_ptr<const RemapTable> MakeRemapTable(const Graph& graph,
                                                 std::shared_ptr<const NetworkProfile> profile,
                                                 const Accelerator& accelerator, int64_t least,
                                                 int threads, const Deadline& deadline) {
  TableMaker maker(graph, *profile, accelerator);
  std::vector<RemapTable::Layer> layers = maker.Make(maker.MostOff(least), threads, deadline);
  if (deadline.Passed()) return nullptr;
  return std::make_shared<const RemapTable>(std::move(profile), accelerator, maker.tensors(),
                                            std::move(layers));
}

}  // namespace inlay::batch
