#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/mapper/thistle/array_grid.h"
#include "inlay/mapper/thistle/chains.h"
#include "inlay/mapper/thistle/fewest_steps.h"
#include "inlay/mapper/thistle/goal.h"
#include "inlay/mapper/thistle/model.h"
#include "inlay/mapper/thistle/orders.h"
#include "inlay/mapper/thistle/sram_queue.h"

namespace inlay::thistle {

// Tiles and loop orders, of the free dimensions.
struct Tiling {
  PerFree<int64_t> sram{}, array{}, registers{};
  std::vector<FreeIndex> dram_order, sram_order;  // outer to inner
};

struct TileSearchResult {
  std::optional<Tiling> best;
  double pj = 0, steps = 0;  // of it
  double lower_bound = 0;    // of the first metric; +∞ if there is no mapping
  bool complete = false;
  bool is_too_large = false;  // more chains than can be listed; nothing was searched
  int64_t nodes = 0, evaluations = 0;
};

// Best first over ranges of SRAM tiles; under each, depth first over ranges of array tiles; under
// each pair, the tiles themselves. Where the objective looks at steps all that is done for one
// number of lanes per dimension after the other, from the fewest possible steps up.
class TileSearch {
 public:
  using Report = std::function<void(std::optional<double> incumbent, double bound)>;

  // `cutoff`: see MapOptions.
  TileSearch(const Model& model, const Objective& objective,
             const std::optional<std::vector<double>>& cutoff, const Deadline& deadline,
             Report report);
  TileSearchResult Run();

 private:
  struct Node;

  void LimitRanges();
  bool IsHopelessAtOnce();
  void TrySmallest();
  void TryFewestSteps(const LaneSteps& fewest);
  void RunFree(const ArrayGrid& grid, SramQueue* queue);
  void RunByLanes(SramQueue* queue);
  bool RunLanes(const LaneSteps& lanes, double next_steps, SramQueue* queue);
  std::vector<LaneSteps> LaneVectors();
  bool LimitByRoom(LaneSteps* lanes);
  void AddLaneVectors(FreeIndex f, int64_t product, LaneSteps* lanes, std::vector<LaneSteps>* all);

  void Descend(Node* node, size_t depth, size_t column);
  void DescendMain(Node* node, size_t column);
  bool IsWithinSram(const Node& node, FreeIndex f, size_t array_range) const;
  double BoundPj(const Node& node) const;
  double BoundSteps(const Node& node) const;
  void Resolve(Node* node);
  void ChooseOption(Node* node, FreeIndex f);
  void Evaluate(Node* node);
  void ChooseSplit(Node* node, FreeIndex f, int64_t lanes_left, double steps);
  void StartNode(const SramQueue& queue, const SramRanges& ranges, Node* node) const;
  bool TightenAll(Node* node) const;
  void SetBound(double bound);

  const Model& model_;
  Goal goal_;
  const Deadline& deadline_;
  DeadlineWatch watch_;
  Report report_;
  std::vector<Chains> chains_;
  Orders dram_orders_, sram_orders_, any_orders_;
  const std::vector<OrderClass>* all_classes_ = nullptr;
  TileSearchResult found_;
};

}  // namespace inlay::thistle
