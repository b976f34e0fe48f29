#include "inlay/mapper/exact/leaf.h"

namespace inlay::exact_search {

LeafEvaluator::LeafEvaluator(const Space& space, const KeepCase& keep_case, const RowLayout& layout,
                             bool skip_orders)
    : space_(space),
      keep_case_(keep_case),
      layout_(layout),
      orders_(space, keep_case, skip_orders) {
  solution_.mapping.levels.resize(keep_case.levels);
  for (size_t l = 0; l < keep_case.levels; ++l) {
    solution_.mapping.levels[LevelId(l)].keep = keep_case.keeps[LevelId(l)];
  }
}

ExactModel& LeafEvaluator::ModelFor(const Problem& problem) {
  std::vector<int64_t> bounds;
  for (const Dimension& dim : problem.dims) bounds.push_back(dim.bound);
  std::unique_ptr<ExactModel>& model = models_[bounds];
  if (model == nullptr) model = std::make_unique<ExactModel>(problem, space_.architecture);
  return *model;
}

void LeafEvaluator::Unroll(const std::vector<const Chain*>& chains) {
  for (size_t l = 0; l < keep_case_.levels; ++l) {
    std::vector<Loop>& spatial = solution_.mapping.levels[LevelId(l)].spatial;
    spatial.clear();
    for (const size_t axis : {size_t{1}, size_t{2}}) {
      const SlotId slot(3 * l + axis);
      for (size_t d = 0; d < keep_case_.dims; ++d) {
        if (chains[d]->steps[slot] == 1) continue;
        spatial.push_back({DimId(d), chains[d]->tiles[slot], axis == 1 ? Axis::kX : Axis::kY});
      }
    }
  }
}

bool LeafEvaluator::Run(const std::vector<ChainTree>& trees, const std::vector<uint32_t>& nodes,
                        int inner, DeadlineWatch* watch, const Visit& visit,
                        const ActionOf& action_of) {
  std::vector<const Chain*> chains;
  std::vector<const double*> rows;
  std::vector<double> whole;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    const ChainTree::Node& node = trees[d].Singles()[nodes[d]];
    chains.push_back(&trees[d].ChainOf(node));
    rows.push_back(trees[d].Row(node));
    whole.push_back(static_cast<double>(chains.back()->bound));
  }
  if (!keep_case_.Fits(0, whole.data())) return true;
  solution_.problem = space_.problem;
  for (size_t d = 0; d < keep_case_.dims; ++d) {
    solution_.problem.dims[DimId(d)].bound = chains[d]->bound;
  }
  Unroll(chains);
  ExactModel& model = ModelFor(solution_.problem);
  bool checked = false;
  bool fits = true;
  bool stopped = false;
  orders_.ForEach(chains, rows, layout_, inner, &solution_.mapping, [&] {
    stopped = watch->Passed();
    if (stopped) return false;
    if (!checked) {
      fits = Fits(space_, solution_.problem, solution_.mapping);
      checked = true;
    }
    if (!fits) return false;
    const Action wanted = action_of ? action_of(solution_.mapping) : Action::kEvaluate;
    if (wanted != Action::kEvaluate) return wanted == Action::kSkip;
    ++evaluations_;
    if (model.Evaluate(solution_.mapping, &solution_.cost)) visit(solution_);
    return true;
  });
  return !stopped;
}

}  // namespace inlay::exact_search
