#include "inlay/batch/remap_search.h"

#include <algorithm>
#include <string>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/batch/network_profile.h"
#include "inlay/cost/systolic.h"
#include "inlay/mapper/front.h"
#include "inlay/mapspace/space.h"

namespace inlay::batch {
namespace {

constexpr LevelId kOutside{0U}, kInside{1U};

// Which dimensions lie along the columns, x, and the rows, y, of the arrays; and that every piece
// has all of the window, for the arrays fill and drain once for each sum.
std::vector<Constraint> Layout(const Problem& problem, Dataflow dataflow) {
  const Tensor& output = problem.tensors[OutputTensor(problem)];
  TensorId weights{0U}, inputs{0U};
  for (const TensorId t : Ids(problem.tensors)) {
    if (problem.tensors[t].is_output) continue;
    (problem.tensors[t].name == "Weights" ? weights : inputs) = t;
  }
  std::vector<std::string> filters, pixels, window, groups;
  for (const DimId d : Ids(problem.dims)) {
    const bool in_weights = IsRelevant(problem.tensors[weights], d);
    const bool in_inputs = IsRelevant(problem.tensors[inputs], d);
    auto& kind = !IsRelevant(output, d)    ? window
                 : in_weights && in_inputs ? groups
                 : in_weights              ? filters
                                           : pixels;
    kind.push_back(problem.dims[d].name);
  }
  Constraint layout;
  layout.at = "arrays";
  layout.x = dataflow == Dataflow::kInputStationary ? pixels : filters;
  layout.y = dataflow == Dataflow::kOutputStationary ? pixels : window;
  layout.y->insert(layout.y->end(), groups.begin(), groups.end());
  Constraint sums;
  sums.at = "outside";
  sums.loops = pixels;
  for (const auto* more : {&filters, &groups}) {
    sums.loops->insert(sums.loops->end(), more->begin(), more->end());
  }
  return {layout, sums};
}

// The memory and the arrays as the mapper knows them; energies do not matter.
Architecture ArchitectureOf(const Problem& problem, const Accelerator& accelerator) {
  Architecture architecture;
  architecture.name = accelerator.name;
  architecture.compute.energy_pj = 0;
  Level outside, inside;
  outside.name = "outside";
  outside.kind = MemoryKind::kDram;
  inside.name = "memory";
  inside.capacity_words =
      std::max<int64_t>(1, SaturatingMultiply(accelerator.memory_bytes, 8) / accelerator.bits);
  const SystolicArray& array = accelerator.array;
  inside.fanout.name = "arrays";
  inside.fanout.x = array.columns;
  inside.fanout.y = SaturatingMultiply(array.rows, accelerator.arrays);
  for (Level* level : {&outside, &inside}) {
    level->word_bits = accelerator.bits;
    level->energy = AccessEnergy{};
    architecture.levels.push_back(*level);
  }
  architecture.constraints = Layout(problem, array.dataflow);
  return architecture;
}

// How much longer the arrays take piece by piece; 0 where the pieces cannot be determined.
double Slower(const Solution& solution, const Accelerator& accelerator) {
  const auto factors = FactorsOf(solution.problem, solution.mapping);
  if (!factors) return 0;
  Problem piece = solution.problem;
  int64_t pieces = 1;
  const std::vector<Loop>& loops = solution.mapping.levels[kOutside].temporal;
  for (size_t i = 0; i < loops.size(); ++i) {
    const int64_t steps = (*factors)[kOutside].temporal[i].end;
    int64_t& bound = piece.dims[loops[i].dim].bound;
    bound = CeilDiv(bound, steps);
    pieces = SaturatingMultiply(pieces, steps);
  }
  return static_cast<double>(SaturatingMultiply(pieces, CyclesOfProduct(piece, accelerator))) /
         static_cast<double>(CyclesOfProduct(solution.problem, accelerator));
}

}  // namespace

int64_t CyclesOfProduct(const Problem& problem, const Accelerator& accelerator) {
  Product product;
  if (const auto shape = SystolicShapeOf(problem)) {
    product.groups = shape->groups;
    product.pixels = shape->pixels;
    product.filters = shape->filters;
    product.reduction = shape->reduction;
  } else {
    product.pixels = Operations(problem);
  }
  const FoldSteps work = FoldStepsOf(product, accelerator, 1);
  return SaturatingMultiply(work.steps, work.cycles_per_step);
}

std::vector<ProductTiling> TilingsOfProduct(const Problem& problem, TensorSet off,
                                            const Accelerator& accelerator,
                                            const Deadline& deadline) {
  if (!SystolicShapeOf(problem)) return {};
  const auto space = MakeSpace(problem, ArchitectureOf(problem, accelerator), Mapspace::kPerfect);
  if (!space) return {};
  MapOptions options;
  options.front.emplace();
  for (const TensorId t : Ids(problem.tensors)) {
    if (!off.contains(t)) options.front->onchip.insert(t);
  }
  const LayerAnswer answer = SearchFront(*space, options, deadline);
  std::vector<ProductTiling> ways;
  for (const FrontPoint& point : answer.front) {
    ProductTiling way;
    way.slower = Slower(point.solution, accelerator);
    if (way.slower == 0) continue;
    const Cost& cost = point.solution.cost;
    for (const TensorId t : Ids(problem.tensors)) {
      const auto words = static_cast<double>(TensorWords(problem, t));
      const Counts& outside = cost.levels[kOutside].tensors[t].total;
      way.pieces.push_back(static_cast<double>(cost.levels[kInside].tensors[t].tile_words) / words);
      way.traffic.push_back(static_cast<double>(outside.reads + outside.updates) / words);
    }
    ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace inlay::batch
