#include "inlay/core/show_result.h"

#include "inlay/base/fields.h"

namespace inlay {

// Tables of what only this result shows.
const Structure& StructureOf(const ShownTensor*);
const Structure& StructureOf(const ShownProblem*);
const Structure& StructureOf(const ShownArrivals*);
const Structure& StructureOf(const ShownWorkload*);
const Structure& StructureOf(const ShownMix*);
const Structure& StructureOf(const ShownMac*);
const Structure& StructureOf(const ShownTechnology*);
const Structure& StructureOf(const ShownLayer*);
const Structure& StructureOf(const NetworkTotals*);
const Structure& StructureOf(const ShownNetwork*);
const Structure& StructureOf(const ShownGrid*);
const Structure& StructureOf(const ShownClaim*);
const Structure& StructureOf(const ShownStudy*);

const Structure& StructureOf(const ShownTensor*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownTensor::projection>("projection", "its coordinates by the dimensions"),
      Row<&ShownTensor::words>("words", "its size"),
      Row<&ShownTensor::output>("output", "whether it is the result"),
  });
  return Describe<ShownTensor, kFields>("ShownTensor");
}

const Structure& StructureOf(const ShownProblem*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownProblem::name>("name", "the problem"),
      Row<&ShownProblem::dims>("dims", "bounds of the dimensions"),
      Row<&ShownProblem::operations>("operations", "multiply-accumulates"),
      Row<&ShownProblem::tensors>("tensors", "the operands and the result"),
  });
  return Describe<ShownProblem, kFields>("ShownProblem");
}

const Structure& StructureOf(const ShownArrivals*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownArrivals::per_second>("per_second", "batches at random, so many on average",
                                      {.as_whole = true}),
      Row<&ShownArrivals::count>("count", "how many batches come at random"),
      Row<&ShownArrivals::seed>("seed", "where the random times start"),
      Row<&ShownArrivals::seconds>("seconds", "when each batch comes"),
  });
  return Describe<ShownArrivals, kFields>("ShownArrivals");
}

const Structure& StructureOf(const ShownWorkload*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownWorkload::network>("network", "the network"),
      Row<&ShownWorkload::batch>("batch", "inferences that come together"),
      Row<&ShownWorkload::arrivals>("arrivals", "when batches come; none: one, at the start"),
  });
  return Describe<ShownWorkload, kFields>("ShownWorkload");
}

const Structure& StructureOf(const ShownMix*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownMix::name>("name", "the mix"),
      Row<&ShownMix::accelerator>("accelerator", "what the networks share"),
      Row<&ShownMix::workloads>("workloads", "the networks and their batches"),
      Row<&ShownMix::options>("options", "options of 'inlay batch' that the file gives"),
  });
  return Describe<ShownMix, kFields>("ShownMix");
}

const Structure& StructureOf(const ShownMac*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownMac::energy_pj>("energy_pj", "of one operation"),
      Row<&ShownMac::area_um2>("area_um2", "of one unit"),
  });
  return Describe<ShownMac, kFields>("ShownMac");
}

const Structure& StructureOf(const ShownTechnology*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownTechnology::name>("name", "the technology"),
      Row<&ShownTechnology::node_nm>("node_nm", "the size of its features"),
      Row<&ShownTechnology::note>("note", "a line for people",
                                  {.presence = Presence::kUnlessDefault}),
      Row<&ShownTechnology::word_bits>("word_bits",
                                       "the width that mac, energy_pj and area_um2 are for"),
      Row<&ShownTechnology::mac>("mac", "the multiply-accumulate unit"),
      Row<&ShownTechnology::arithmetic>("arithmetic", "multiply-accumulate units by type",
                                        {.presence = Presence::kUnlessDefault}),
      Row<&ShownTechnology::wire>("wire", "wires on chip"),
      Row<&ShownTechnology::dram>("dram", "memory off chip"),
      Row<&ShownTechnology::dram_kinds>("dram_kinds", "kinds of memory off chip",
                                        {.presence = Presence::kUnlessDefault}),
      Row<&ShownTechnology::sram>("sram", "memory on chip"),
      Row<&ShownTechnology::reg>("register", "registers"),
  });
  return Describe<ShownTechnology, kFields>("ShownTechnology");
}

const Structure& StructureOf(const ShownLayer*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownLayer::name>("name", "the layer"),
      Row<&ShownLayer::kind>("kind", "conv, gemm, matmul, depthwise or einsum"),
      Row<&ShownLayer::repeat>("repeat", "how often the network runs it"),
      Row<&ShownLayer::dims>("dims", "bounds of the dimensions"),
      Row<&ShownLayer::operations>("operations", "multiply-accumulates of one run"),
  });
  return Describe<ShownLayer, kFields>("ShownLayer");
}

const Structure& StructureOf(const NetworkTotals*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&NetworkTotals::nodes>("nodes", "operators; views are none"),
      Row<&NetworkTotals::compute_nodes>("compute_nodes", "those that multiply and add"),
      Row<&NetworkTotals::operations>("operations", "multiply-accumulates of the network"),
      Row<&NetworkTotals::weight_bytes>("weight_bytes", "weights, each once"),
      Row<&NetworkTotals::activation_bytes>("activation_bytes", "outputs of all nodes"),
      Row<&NetworkTotals::folded_nodes>("folded_nodes",
                                        "beside these, nodes of the model whose operands are "
                                        "constants or shapes only: done when it was read",
                                        {.presence = Presence::kUnlessDefault}),
  });
  return Describe<NetworkTotals, kFields>("NetworkTotals");
}

const Structure& StructureOf(const ShownNetwork*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownNetwork::name>("network", "the network"),
      Row<&ShownNetwork::totals>("", "", {.inlined = true}),
      Row<&ShownNetwork::layers>("layers", "its layers"),
  });
  return Describe<ShownNetwork, kFields>("ShownNetwork");
}

const Structure& StructureOf(const ShownGrid*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownGrid::run>("run", "the command of each point"),
      Row<&ShownGrid::axes>("axes", "the settings of each axis; of many, what they are made of"),
  });
  return Describe<ShownGrid, kFields>("ShownGrid");
}

const Structure& StructureOf(const ShownClaim*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownClaim::what>("what", "what is claimed"),
      Row<&ShownClaim::paper>("paper", "the figure as printed"),
  });
  return Describe<ShownClaim, kFields>("ShownClaim");
}

const Structure& StructureOf(const ShownStudy*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShownStudy::name>("name", "the study"),
      Row<&ShownStudy::grids>("grids", "what its points are combined of"),
      Row<&ShownStudy::claims>("claims", "what it is compared with"),
  });
  return Describe<ShownStudy, kFields>("ShownStudy");
}

const Structure& StructureOf(const ShowResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ShowResult::header>("", "", {.inlined = true}),
      Row<&ShowResult::network>("", "", {.inlined = true}),
      Row<&ShowResult::problem>("problem", "a problem"),
      Row<&ShowResult::architecture>("architecture", "an architecture"),
      Row<&ShowResult::machine>("machine", "a machine"),
      Row<&ShowResult::accelerator>("accelerator", "an accelerator"),
      Row<&ShowResult::mix>("mix", "a mix of networks"),
      Row<&ShowResult::technology>("technology", "a technology"),
      Row<&ShowResult::repricing>("repricing",
                                  "energies of the architecture by the technology asked for"),
      Row<&ShowResult::study>("study", "a study"),
      Row<&ShowResult::mapping>("mapping", "the lines of a mapping"),
  });
  return Describe<ShowResult, kFields>("ShowResult");
}

namespace {

NamedCounts DimsOf(const Problem& problem) {
  NamedCounts dims;
  for (const Dimension& dim : problem.dims) dims.emplace_back(dim.name, dim.bound);
  return dims;
}

std::optional<ShownArrivals> Show(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kClosed:
      return std::nullopt;
    case Arrivals::Kind::kPoisson:
      return ShownArrivals{arrivals.per_second, arrivals.count, arrivals.seed, std::nullopt};
    case Arrivals::Kind::kTrace:
      return ShownArrivals{.seconds = arrivals.seconds};
  }
  return std::nullopt;
}

// "x=1…65536, y=a, b": what the labels of an entry are put together of.
std::string TextOf(const StudyEntry& entry) {
  std::string text = entry.label;
  for (const StudyEntry::Choice& choice : entry.choices) {
    std::string values;
    for (const StudyValues::Part& part : choice.values.parts()) {
      values += values.empty() ? "" : ", ";
      values +=
          part.is_range ? std::to_string(part.first) + "…" + std::to_string(part.last) : part.text;
    }
    text += (text.empty() ? "" : " ") + choice.key + (choice.key.empty() ? "" : "=") + values;
  }
  return text;
}

std::vector<std::string> LabelsOf(const StudyAxis& axis) {
  std::vector<std::string> labels;
  if (axis.size() > kMostListed) {
    for (const StudyEntry& entry : axis.entries()) labels.push_back(TextOf(entry));
  } else {
    for (size_t i = 0; i < axis.size(); ++i) labels.push_back(axis.LabelAt(i));
  }
  return labels;
}

}  // namespace

ShownProblem Show(const Problem& problem) {
  ShownProblem shown{problem.name, DimsOf(problem), Operations(problem), {}};
  for (TensorId t : Ids(problem.tensors)) {
    const Tensor& tensor = problem.tensors[t];
    shown.tensors.emplace_back(tensor.name, ShownTensor{ToString(problem, tensor),
                                                        TensorWords(problem, t), tensor.is_output});
  }
  return shown;
}

ShownMix Show(const Mix& mix) {
  ShownMix shown{.name = mix.name, .accelerator = mix.accelerator};
  for (const MixWorkload& workload : mix.workloads) {
    shown.workloads.push_back({workload.network, workload.batch, Show(workload.arrivals)});
  }
  for (const MixOption& option : mix.options) shown.options.emplace_back(option.name, option.text);
  return shown;
}

ShownTechnology Show(const Technology& technology) {
  ShownTechnology shown{.name = technology.name,
                        .node_nm = technology.node_nm,
                        .note = technology.note,
                        .word_bits = technology.word_bits,
                        .arithmetic = technology.arithmetic,
                        .wire = technology.wire,
                        .dram_kinds = technology.dram_kinds,
                        .sram = technology.sram,
                        .reg = technology.reg};
  if (!HasIntegers(technology)) {
    shown.mac = ShownMac{technology.mac_energy_pj, technology.mac_area_um2};
  }
  if (technology.dram_kinds.empty()) shown.dram = technology.dram;
  return shown;
}

ShownNetwork Show(const Network& network, const NetworkTotals& totals) {
  ShownNetwork shown{network.name, totals, {}};
  for (const Layer& layer : network.layers) {
    shown.layers.push_back(
        {layer.name, layer.kind, layer.repeat, DimsOf(layer.problem), Operations(layer.problem)});
  }
  return shown;
}

ShownStudy Show(const Study& study) {
  ShownStudy shown{.name = study.name};
  for (const StudyGrid& grid : study.grids) {
    ShownGrid& shown_grid = shown.grids.emplace_back();
    shown_grid.run = grid.run;
    for (const StudyAxis& axis : grid.axes) {
      shown_grid.axes.emplace_back(axis.name, LabelsOf(axis));
    }
  }
  for (const StudyClaim& claim : study.claims) shown.claims.push_back({claim.what, claim.paper});
  return shown;
}

}  // namespace inlay
