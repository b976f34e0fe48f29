#include "inlay/core/codesign_result.h"

#include "inlay/base/fields.h"

namespace inlay {
namespace {

// Of a layer, what depends on the architecture.
const Structure& LayerOfDesign() {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&LayerResult::name>("name", "the layer"),
      Row<&LayerResult::repeat>("repeat", "how often the network has it"),
      Row<&LayerResult::operations>("operations", "multiply-accumulates of one run"),
      Row<&LayerResult::cost>("cost", "what the mapping costs"),
      Row<&LayerResult::mapping>("mapping", "the mapping, in lines of the native format"),
  });
  return Describe<LayerResult, kFields>("DesignLayer");
}

const Structure& BaselineOfDesigns() {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ArchitectureResult::name>("name", "the architecture that was given"),
      Row<&ArchitectureResult::total>("total", "sums over all layers"),
      Row<&ArchitectureResult::area_um2>("area_um2", "its area", {.presence = Presence::kNull}),
  });
  return Describe<ArchitectureResult, kFields>("Baseline");
}

constexpr ValueType kLayer = StructType(LayerOfDesign),
                    kOneBaseline = StructType(BaselineOfDesigns);
constexpr ValueType kLayers = TypeWithItems<std::vector<LayerResult>>(kLayer);
constexpr ValueType kBaseline = TypeWithItems<std::optional<ArchitectureResult>>(kOneBaseline);

}  // namespace

const Structure& StructureOf(const ArchitectureResult*) {
  using Design = ArchitectureResult;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Design::name>("name", "the architecture"),
      Row<&Design::attributes>("attributes", "what was chosen", {.as_whole = true}),
      Row<&Design::area_um2>("area_um2", "its area", {.presence = Presence::kNull}),
      RowOf<&Design::layers>(kLayers, "layers", "the layers that run on it"),
      Row<&Design::total>("total", "sums over these layers, every repeat counted"),
      Row<&Design::hardware>("hardware", "its memories and its array"),
      Row<&Design::area_parts_um2>("area_parts_um2", "area of every level and the compute"),
      Row<&Design::energy_parts_pj>("energy_parts_pj", "energy of every level and the compute"),
      Row<&Design::relaxed>("relaxed", "gp: the optimum in real numbers"),
  });
  return Describe<Design, kFields>("CodesignArchitecture");
}

const Structure& StructureOf(const CodesignEffort*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&CodesignEffort::searches>("searches", "pairs of layer and architecture searched"),
      Row<&CodesignEffort::pairs>("pairs", "pairs of layer and architecture"),
      Row<&CodesignEffort::programs>("programs", "gp: programs solved"),
  });
  return Describe<CodesignEffort, kFields>("CodesignEffort");
}

const Structure& StructureOf(const ComparedMethod*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ComparedMethod::method>("method", "the method"),
      Row<&ComparedMethod::architectures>("architectures", "what it chose"),
      Row<&ComparedMethod::gap>("gap", "how much more its objective is",
                                {.presence = Presence::kNull, .may_be_negative = true}),
  });
  return Describe<ComparedMethod, kFields>("ComparedMethod");
}

const Structure& StructureOf(const CodesignCertificate*) {
  using Known = CodesignCertificate;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Known::status>("status", "optimal, bounded or heuristic"),
      Row<&Known::objective>("objective", "the first metric; null of a front",
                             {.presence = Presence::kNull}),
      Row<&Known::lower_bound>("lower_bound", "no answer has less; null of a front",
                               {.presence = Presence::kNull}),
      Row<&Known::gap>("gap", "(objective − lower_bound) / objective"),
      Row<&Known::proven>("proven", "metrics of the objective in which no answer is better"),
      Row<&Known::open>("open", "of a front: architectures that may still change it"),
  });
  return Describe<Known, kFields>("CodesignCertificate");
}

const Structure& StructureOf(const CodesignResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&CodesignResult::header>("", "", {.inlined = true}),
      Row<&CodesignResult::workload>("workload", "the network or layer"),
      Row<&CodesignResult::method>("method", "exact or gp"),
      Row<&CodesignResult::scope>("scope", "for what an architecture was chosen"),
      Row<&CodesignResult::interrupted>("interrupted", "stopped by the user or the time limit",
                                        {.presence = Presence::kUnlessDefault}),
      Row<&CodesignResult::architectures_in_space>("architectures_in_space",
                                                   "architectures in the space"),
      Row<&CodesignResult::architectures>("architectures", "what was chosen"),
      Row<&CodesignResult::certificate>("certificate", "what is proven about the answer",
                                        {.presence = Presence::kNull}),
      RowOf<&CodesignResult::baseline>(kBaseline, "baseline", "an architecture that was given"),
      Row<&CodesignResult::seconds>("seconds", "time of all", {.group = "measured"}),
      Row<&CodesignResult::search_seconds>("search_seconds", "time of the search",
                                           {.group = "measured"}),
      Row<&CodesignResult::threads>("threads", "threads that searched", {.group = "measured"}),
      Row<&CodesignResult::use>("", "", {.inlined = true, .group = "measured"}),
      Row<&CodesignResult::progress>("progress", "how far the search had come, in order of time",
                                     {.presence = Presence::kUnlessDefault, .group = "measured"}),
      Row<&CodesignResult::compared>("compared", "the answer of another method"),
      Row<&CodesignResult::compared_use>("compared", "what that answer rests on",
                                         {.group = "measured"}),
  });
  return Describe<CodesignResult, kFields>("CodesignResult");
}

}  // namespace inlay
