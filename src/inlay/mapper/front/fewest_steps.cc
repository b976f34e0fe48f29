#include "inlay/mapper/front/fewest_steps.h"

#include <algorithm>

namespace inlay::exact_search {

FewestStepsSearch::FewestStepsSearch(const Space& space, const Chains& chains, DeadlineWatch* watch)
    : space_(space), chains_(chains), watch_(watch), spatial_(SpatialSlotsOf(space)) {
  const size_t levels = chains.layout.levels();
  const size_t dims = chains.trees.size();
  own_steps_ = chains.layout.At(levels) + RowLayout::DistinctLanes(levels, 0, levels);
  operations_ = chains.layout.At(levels) + kTilesLo;
  for (size_t s = 0; s < chains.stages.size(); ++s) {
    options_.emplace_back(dims);
    for (size_t d = 0; d < dims; ++d) options_[s][d].resize(chains.trees[d].size(s));
  }
  lanes_.assign(dims + 1, std::vector<int64_t>(spatial_.size(), 1));
}

// The options of all chains of a node.
void FewestStepsSearch::Collect(size_t stage, size_t dim, uint32_t node, Options* options) const {
  if (watch_->Passed()) return;
  const ChainTree& tree = chains_.trees[dim];
  const ChainTree::Node& at = tree.At(stage, node);
  if (stage + 1 < tree.stages()) {
    for (uint32_t n = at.child_begin; n < at.child_end; ++n) Collect(stage + 1, dim, n, options);
    return;
  }
  const Chain& chain = tree.ChainOf(at);
  Option option;
  option.steps = tree.Row(at)[own_steps_];
  for (SlotId s : spatial_) option.lanes.push_back(chain.steps[s]);
  for (SlotId s : Ids(space_.slots)) {
    const bool temporal = space_.slots[s].axis == Axis::kTime;
    if (temporal && chain.steps[s] > 1)
      option.loops |= uint64_t{1} << space_.slots[s].level.value();
  }
  const auto beats = [](const Option& a, const Option& b) {
    bool fewer = a.steps <= b.steps && (a.loops & ~b.loops) == 0;
    for (size_t s = 0; s < a.lanes.size(); ++s) fewer = fewer && a.lanes[s] <= b.lanes[s];
    return fewer;
  };
  for (const Option& other : *options) {
    if (beats(other, option)) return;
  }
  std::erase_if(*options, [&](const Option& other) { return beats(option, other); });
  options->push_back(std::move(option));
}

const FewestStepsSearch::Options& FewestStepsSearch::OptionsOf(size_t stage, size_t dim,
                                                               uint32_t node) {
  Options& options = options_[stage][dim][node];
  if (options.empty()) {
    Collect(stage, dim, node, &options);
    std::stable_sort(options.begin(), options.end(),
                     [](const Option& a, const Option& b) { return a.steps < b.steps; });
  }
  return options;
}

double FewestStepsSearch::Fewest(size_t stage, const std::vector<uint32_t>& nodes,
                                 const std::vector<uint64_t>& still, double cut) {
  const size_t dims = nodes.size();
  std::vector<size_t> order;
  of_.clear();
  still_.clear();
  best_ = cut;
  double steps = 1;
  for (size_t d = 0; d < dims; ++d) {
    const Options& options = OptionsOf(stage, d, nodes[d]);
    if (options.empty()) return cut;  // no time left
    const auto open = std::find_if(options.begin(), options.end(), [&](const Option& option) {
      return (option.loops & still[d]) == 0;
    });
    if (open == options.end()) return cut;
    const bool plain = std::all_of(open->lanes.begin(), open->lanes.end(),
                                   [](int64_t lanes) { return lanes == 1; });
    if (plain) {
      steps *= open->steps;  // the fewest, at no lane's expense
    } else {
      order.push_back(d);
    }
  }
  rest_.assign(order.size() + 1, 1);
  rest_operations_.assign(order.size() + 1, 1);
  for (size_t i = order.size(); i-- > 0;) {
    const size_t d = order[i];
    rest_[i] = rest_[i + 1] * OptionsOf(stage, d, nodes[d]).front().steps;
    rest_operations_[i] = rest_operations_[i + 1] * chains_.trees[d].RootRow()[operations_];
  }
  for (const size_t d : order) {
    of_.push_back(&OptionsOf(stage, d, nodes[d]));
    still_.push_back(still[d]);
  }
  Descend(0, steps);
  return best_;
}

void FewestStepsSearch::Descend(size_t depth, double steps) {
  if (depth == of_.size()) {
    best_ = std::min(best_, steps);
    return;
  }
  for (const Option& option : *of_[depth]) {
    if (watch_->Passed()) return;
    const double now = steps * option.steps;
    if (now * rest_[depth + 1] >= best_) return;  // the others take longer
    if ((option.loops & still_[depth]) != 0) continue;
    double left = 1;
    bool fits = true;
    for (size_t s = 0; s < spatial_.size() && fits; ++s) {
      const int64_t most = space_.slots[spatial_[s]].max_lanes;
      lanes_[depth + 1][s] = lanes_[depth][s] * option.lanes[s];
      fits = lanes_[depth + 1][s] <= most;
      const int64_t times = most / lanes_[depth + 1][s];  // whole: as often as the lanes fit
      left *= static_cast<double>(times);
    }
    if (!fits || now * rest_operations_[depth + 1] / left * (1 - 1e-12) >= best_) continue;
    Descend(depth + 1, now);
  }
}

}  // namespace inlay::exact_search
