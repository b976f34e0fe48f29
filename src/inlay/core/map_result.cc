#include "inlay/core/map_result.h"

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const Certificate*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Certificate::status>("status",
                                "optimal: no answer is better; bounded: none is better "
                                "than lower_bound; heuristic: nothing is proven"),
      Row<&Certificate::objective>("objective", "the first metric of the answer"),
      Row<&Certificate::lower_bound>("lower_bound", "no answer has less of the first metric"),
      Row<&Certificate::gap>("gap", "(objective − lower_bound) / objective"),
      Row<&Certificate::proven>("proven", "metrics of the objective in which no answer is better"),
  });
  return Describe<Certificate, kFields>("Certificate");
}

const Structure& StructureOf(const SearchMoment*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&SearchMoment::seconds>("seconds", "since the search began"),
      Row<&SearchMoment::incumbent>("incumbent", "the first metric of the best so far",
                                    {.presence = Presence::kNull}),
      Row<&SearchMoment::bound>("bound", "no answer has less", {.presence = Presence::kNull}),
  });
  return Describe<SearchMoment, kFields>("ProgressPoint");
}

const Structure& StructureOf(const SearchEffort*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&SearchEffort::seconds>("seconds", "time of the search"),
      Row<&SearchEffort::nodes>("nodes", "partial mappings looked at"),
      Row<&SearchEffort::evaluations>("evaluations", "complete mappings evaluated"),
      Row<&SearchEffort::progress>("progress", "how far the search had come, in order of time",
                                   {.presence = Presence::kUnlessDefault}),
  });
  return Describe<SearchEffort, kFields>("SearchEffort");
}

const Structure& StructureOf(const VectorTotals*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&VectorTotals::nodes>("nodes", "how many nodes"),
      Row<&VectorTotals::operations>("operations", "of all of them"),
      Row<&VectorTotals::energy_pj>("energy_pj", "energy of all"),
      Row<&VectorTotals::cycles>("cycles", "cycles of all, one after the other"),
      Row<&VectorTotals::offchip_words>("offchip_words", "words to and from the outermost level"),
  });
  return Describe<VectorTotals, kFields>("VectorTotals");
}

const Structure& StructureOf(const VectorNodeResult*) {
  using N = VectorNodeResult;
  static constexpr FieldTraits kLeftOutIfDefault = {.presence = Presence::kUnlessDefault};
  static constexpr auto kFields = std::to_array<Field>({
      Row<&N::name>("name", "the node"),
      Row<&N::kind>("kind", "its operator, in the words of the native format"),
      Row<&N::function>("function", "what it computes, where that is known", kLeftOutIfDefault),
      Row<&N::operations>("operations", "what the vector units do for it"),
      Row<&N::energy_pj>("energy_pj", "energy of the node"),
      Row<&N::cycles>("cycles", "cycles of the node"),
      Row<&N::seconds>("seconds", "the same in seconds; absent without a clock"),
      Row<&N::offchip_words>("offchip_words", "words to and from the outermost level"),
      Row<&N::limited_by>("limited_by", "what the cycles wait for"),
      Row<&N::held_in>("held_in", "the level that holds the rows that it reads several times",
                       kLeftOutIfDefault),
  });
  return Describe<N, kFields>("VectorNode");
}

const Structure& StructureOf(const MapTotals*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MapTotals::energy_pj>("energy_pj", "energy of all layers, every repeat counted"),
      Row<&MapTotals::cycles>("cycles", "cycles of all layers, one after the other"),
      Row<&MapTotals::edp>("edp", "energy_pj × cycles"),
      Row<&MapTotals::seconds>("seconds", "of all layers; absent without a clock"),
      Row<&MapTotals::watts>("watts", "energy / seconds"),
      Row<&MapTotals::vector>("vector", "of these sums, what nodes on vector units take"),
      Row<&MapTotals::certificate>("certificate", "of these sums, where they were to be least"),
  });
  return Describe<MapTotals, kFields>("Totals");
}

const Structure& StructureOf(const LayerCost*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&LayerCost::energy_pj>("energy_pj", "energy of one run of the layer"),
      Row<&LayerCost::cycles>("cycles", "cycles of one run"),
      Row<&LayerCost::edp>("edp", "energy_pj × cycles"),
      Row<&LayerCost::offchip_words>("offchip_words", "words to and from the outermost level"),
      Row<&LayerCost::utilization>("utilization", "operations / (lanes × cycles)"),
      Row<&LayerCost::time>("", "", {.inlined = true}),
      Row<&LayerCost::pj_per_op>("pj_per_op", "energy per multiply-accumulate"),
      Row<&LayerCost::ops_per_offchip_word>("ops_per_offchip_word",
                                            "multiply-accumulates per word moved off chip"),
      Row<&LayerCost::padded_operations>("padded_operations",
                                         "multiply-accumulates of the padded problem"),
      Row<&LayerCost::limited_by>("limited_by", "what the cycles wait for"),
      Row<&LayerCost::most_energy_in>("most_energy_in", "the level or unit with most energy"),
      Row<&LayerCost::most_energy_share>("most_energy_share", "its share of the energy"),
  });
  return Describe<LayerCost, kFields>("LayerCost");
}

const Structure& StructureOf(const TimeloopDirective*) {
  static constexpr auto kIsBypass = [](const void* directive) {
    return static_cast<const TimeloopDirective*>(directive)->type == "bypass";
  };
  static constexpr auto kIsLoops = [](const void* directive) { return !kIsBypass(directive); };
  static constexpr auto kFields = std::to_array<Field>({
      Row<&TimeloopDirective::target>("target", "the level"),
      Row<&TimeloopDirective::type>("type", "temporal, spatial or bypass"),
      Row<&TimeloopDirective::keep>("keep", "tensors that the level keeps", {.applies = kIsBypass}),
      Row<&TimeloopDirective::bypass>("bypass", "tensors that pass it by", {.applies = kIsBypass}),
      Row<&TimeloopDirective::factors>("factors", "steps of every dimension",
                                       {.applies = kIsLoops}),
      Row<&TimeloopDirective::permutation>("permutation", "order of the loops, innermost first",
                                           {.applies = kIsLoops}),
      Row<&TimeloopDirective::split>("split", "how many of the loops are on the X axis",
                                     {.applies = kIsLoops}),
  });
  return Describe<TimeloopDirective, kFields>("TimeloopDirective");
}

const Structure& StructureOf(const FrontPointResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&FrontPointResult::footprint_words>("footprint_words",
                                              "words held by the level next to the outermost"),
      Row<&FrontPointResult::offchip_words>("offchip_words", "words to and from the outermost"),
      Row<&FrontPointResult::cycles>("cycles", "cycles of one run"),
      Row<&FrontPointResult::mapping>("mapping", "the mapping, in lines of the native format"),
  });
  return Describe<FrontPointResult, kFields>("FrontPoint");
}

const Structure& StructureOf(const DnnoptFigures::Block*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&DnnoptFigures::Block::dim>("dim", "the dimension"),
      Row<&DnnoptFigures::Block::bound>("bound", "its bound"),
      Row<&DnnoptFigures::Block::size>("block", "the size of its blocks"),
  });
  return Describe<DnnoptFigures::Block, kFields>("DnnoptBlock");
}

const Structure& StructureOf(const DnnoptResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&DnnoptResult::order>("order", "the loops over blocks, outer to inner"),
      Row<&DnnoptResult::offchip_words>("offchip_words", "words of each tensor"),
      Row<&DnnoptResult::total_offchip_words>("total_offchip_words", "words of all tensors"),
      Row<&DnnoptResult::array_cycles>("array_cycles", "cycles of the array, block after block"),
      Row<&DnnoptResult::stall_cycles>("stall_cycles", "cycles waited for the next block"),
  });
  return Describe<DnnoptResult, kFields>("DnnoptFigures");
}

const Structure& StructureOf(const ProblemResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ProblemResult::dims>("dims", "the bound of every dimension"),
      Row<&ProblemResult::tensors>("tensors", "how every tensor is accessed"),
  });
  return Describe<ProblemResult, kFields>("ProblemFigures");
}

const Structure& StructureOf(const LayerCounts*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&LayerCounts::problem>("problem", "the problem that is computed"),
      Row<&LayerCounts::levels>("levels", "what every level moves, outermost first"),
      Row<&LayerCounts::compute>("compute", "what the compute units do"),
  });
  return Describe<LayerCounts, kFields>("LayerCounts");
}

const Structure& StructureOf(const LayerResult*) {
  static constexpr auto kHasMapping = [](const void* layer) {
    return !static_cast<const LayerResult*>(layer)->front;
  };
  static constexpr auto kFields = std::to_array<Field>({
      Row<&LayerResult::name>("name", "the layer"),
      Row<&LayerResult::repeat>("repeat", "how often the network has it"),
      Row<&LayerResult::operations>("operations", "multiply-accumulates of one run"),
      Row<&LayerResult::same_as>("same_as", "the layer of the same problem that was searched",
                                 {.presence = Presence::kUnlessDefault}),
      Row<&LayerResult::front>("front", "the Pareto front, where one was asked for"),
      Row<&LayerResult::cost>("cost", "what the mapping costs; null: there is none",
                              {.presence = Presence::kNull, .applies = kHasMapping}),
      Row<&LayerResult::certificate>("certificate", "what is proven about the answer",
                                     {.presence = Presence::kNull}),
      Row<&LayerResult::mapping>("mapping", "the mapping, in lines of the native format",
                                 {.presence = Presence::kNull, .applies = kHasMapping}),
      Row<&LayerResult::counts>("", "", {.inlined = true}),
      Row<&LayerResult::timeloop_mapping>("timeloop_mapping", "the mapping as Timeloop writes it",
                                          {.presence = Presence::kNull, .applies = kHasMapping}),
      Row<&LayerResult::timeloop_note>("timeloop_note", "why Timeloop cannot express the mapping",
                                       {.presence = Presence::kUnlessDefault}),
      Row<&LayerResult::reasons>("reasons", "why there is no answer",
                                 {.presence = Presence::kUnlessDefault}),
      Row<&LayerResult::points_visited>("points_visited", "dnnopt: blocks × orders looked at",
                                        {.as_whole = true}),
      Row<&LayerResult::points_in_space>("points_in_space", "dnnopt: blocks × orders there are",
                                         {.as_whole = true}),
      Row<&LayerResult::dnnopt>("dnnopt", "what DNNOPT's own model says of the mapping"),
      Row<&LayerResult::interrupted>("interrupted", "stopped by the user or the time limit",
                                     {.presence = Presence::kUnlessDefault}),
      Row<&LayerResult::searched>("searched", "false: stopped before the search began",
                                  {.presence = Presence::kUnlessDefault}),
      Row<&LayerResult::measured>("measured", "differs from run to run"),
  });
  return Describe<LayerResult, kFields>("Layer");
}

const Structure& StructureOf(const MapResult::Measured*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MapResult::Measured::seconds>("seconds", "time of the search"),
      Row<&MapResult::Measured::threads>("threads", "threads that searched"),
  });
  return Describe<MapResult::Measured, kFields>("MapMeasured");
}

const Structure& StructureOf(const MapResult*) {
  static constexpr auto kHasTotal = [](const void* result) {
    return !HasFronts(*static_cast<const MapResult*>(result));
  };
  static constexpr auto kFields = std::to_array<Field>({
      Row<&MapResult::header>("", "", {.inlined = true}),
      Row<&MapResult::workload>("workload", "the network or layer"),
      Row<&MapResult::architecture>("architecture", "the architecture"),
      Row<&MapResult::interrupted>("interrupted", "stopped by the user",
                                   {.presence = Presence::kUnlessDefault}),
      Row<&MapResult::layers>("layers", "the answer for every layer"),
      Row<&MapResult::total>("total", "sums over all layers; null where one has no answer",
                             {.presence = Presence::kNull, .applies = kHasTotal}),
      Row<&MapResult::coverage>("coverage",
                                "of a network that is a graph: which of its nodes the layers are, "
                                "and what the others amount to, which the totals leave out"),
      Row<&MapResult::vector_nodes>(
          "vector_nodes", "nodes that do not multiply, on the architecture's vector units",
          {.presence = Presence::kUnlessDefault}),
      Row<&MapResult::graph>("graph", "the same network, node by node"),
      Row<&MapResult::hardware>("hardware", "the memories and the array of the architecture"),
      Row<&MapResult::measured>("measured", "differs from run to run"),
  });
  return Describe<MapResult, kFields>("MapResult");
}

bool HasFronts(const MapResult& result) {
  return !result.layers.empty() && result.layers.front().front.has_value();
}

LayerCounts LayerCountsOf(const Architecture& architecture, const Solution& solution) {
  const Problem& problem = solution.problem;
  LayerCounts counts;
  for (const Dimension& dim : problem.dims) counts.problem.dims.emplace_back(dim.name, dim.bound);
  for (const Tensor& tensor : problem.tensors) {
    counts.problem.tensors.push_back(ToString(problem, tensor));
  }
  counts.levels = LevelResultsOf(problem, architecture, solution.cost);
  SetFilled(problem, architecture, solution.mapping, &counts.levels);
  counts.compute = ComputeResultOf(solution.cost);
  return counts;
}

LayerCost LayerCostOf(const Problem& asked_for, const Architecture& architecture,
                      const Cost& cost) {
  LayerCost result;
  result.energy_pj = cost.energy_pj;
  result.cycles = cost.cycles;
  result.edp = cost.energy_pj * static_cast<double>(cost.cycles);
  result.offchip_words = cost.offchip_words;
  result.utilization = cost.utilization;
  result.pj_per_op = cost.energy_pj / static_cast<double>(Operations(asked_for));
  if (cost.offchip_words > 0) {
    result.ops_per_offchip_word =
        static_cast<double>(Operations(asked_for)) / static_cast<double>(cost.offchip_words);
  }
  result.padded_operations = cost.padded_operations;
  result.time = TimeResultOf(cost);
  result.most_energy_in = architecture.compute.name;
  double most_pj = cost.compute_energy_pj;
  for (LevelId l : Ids(cost.levels)) {
    if (cost.levels[l].energy_pj <= most_pj) continue;
    most_pj = cost.levels[l].energy_pj;
    result.most_energy_in = architecture.levels[l].name;
  }
  result.most_energy_share = cost.energy_pj > 0 ? most_pj / cost.energy_pj : 0;
  return result;
}

}  // namespace inlay
