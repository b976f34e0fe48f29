#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/io/timeloop/timeloop_form.h"
#include "inlay/io/timeloop/writer.h"

namespace inlay::io::timeloop {
namespace {

struct WrittenLoop {
  Loop loop;
  Factor factor;
};

class MappingWriter {
 public:
  MappingWriter(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                const DimNamer& namer, Diagnostics* faults)
      : problem_(problem),
        architecture_(architecture),
        mapping_(mapping),
        namer_(namer),
        faults_(faults) {}

  TimeloopDirectives Write() {
    const auto factors = FactorsOf(problem_, mapping_);
    if (!factors) {
      faults_->push_back(
          MakeError({}, "this tiling cannot be written as factors",
                    "every step must be a multiple of the next inner step of its dimension"));
      return {};
    }
    TimeloopDirectives directives;
    for (LevelId l : Ids(mapping_.levels)) {
      const LevelMapping& level = mapping_.levels[l];
      directives.push_back(Loops(l, "temporal", level.temporal, (*factors)[l].temporal));
      const Fanout& fanout = architecture_.levels[l].fanout;
      if (fanout.x > 1 || fanout.y > 1) {
        directives.push_back(Loops(l, "spatial", level.spatial, (*factors)[l].spatial));
      }
      directives.push_back(Tensors(l));
    }
    return directives;
  }

 private:
  // Factors and permutation, innermost first. The loops on X are written inside those on Y: which
  // of the two axes is the inner one changes nothing but the numbering of the lanes.
  TimeloopDirective Loops(LevelId level, const char* type, const std::vector<Loop>& loops,
                          const std::vector<Factor>& factors) {
    std::vector<WrittenLoop> inner_first;
    for (size_t i = loops.size(); i-- > 0;) inner_first.push_back({loops[i], factors[i]});
    std::stable_partition(inner_first.begin(), inner_first.end(),
                          [](const WrittenLoop& loop) { return loop.loop.axis != Axis::kY; });
    std::string factor_text, order;
    std::vector<bool> seen(problem_.dims.size(), false);
    const auto split = std::count_if(inner_first.begin(), inner_first.end(),
                                     [](const auto& loop) { return loop.loop.axis == Axis::kX; });
    for (const WrittenLoop& loop : inner_first) {
      const DimId dim = loop.loop.dim;
      if (seen[dim.value()]) RefuseTwice(level, dim);
      seen[dim.value()] = true;
      order += namer_.Of(dim);
      factor_text += fmt::format("{}={}", namer_.Of(dim), loop.factor.end);
      if (loop.factor.end != loop.factor.residual) {
        factor_text += fmt::format(",{}", loop.factor.residual);
      }
      factor_text += " ";
    }
    for (DimId d : Ids(problem_.dims)) {
      if (seen[d.value()]) continue;
      order += namer_.Of(d);
      factor_text += namer_.Of(d) + "=1 ";
    }
    factor_text.pop_back();
    TimeloopDirective directive;
    directive.target = architecture_.levels[level].name;
    directive.type = type;
    directive.factors = std::move(factor_text);
    directive.permutation = std::move(order);
    if (!loops.empty() && loops.front().axis != Axis::kTime) directive.split = split;
    return directive;
  }

  void RefuseTwice(LevelId level, DimId dim) {
    faults_->push_back(
        MakeError({},
                  fmt::format("'{}' has two loops over '{}', of which Timeloop knows one",
                              architecture_.levels[level].name, problem_.dims[dim].name),
                  "join them, or move one to another level"));
  }

  TimeloopDirective Tensors(LevelId level) const {
    TimeloopDirective directive;
    directive.target = architecture_.levels[level].name;
    directive.type = "bypass";
    for (TensorId t : Ids(problem_.tensors)) {
      const bool kept = mapping_.levels[level].keep.contains(t);
      (kept ? directive.keep : directive.bypass).push_back(problem_.tensors[t].name);
    }
    return directive;
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Mapping& mapping_;
  const DimNamer& namer_;
  Diagnostics* faults_;
};

std::string ToYaml(const TimeloopDirective& directive) {
  std::string text =
      fmt::format("- {{target: {}, type: {}, ", Scalar(directive.target), directive.type);
  if (directive.type == "bypass") {
    return text + fmt::format("keep: {}, bypass: {}}}\n", FlowList(directive.keep),
                              FlowList(directive.bypass));
  }
  text += fmt::format("factors: \"{}\", permutation: {}", directive.factors,
                      Scalar(directive.permutation));
  if (directive.split) text += fmt::format(", split: {}", *directive.split);
  return text + "}\n";
}

}  // namespace

TimeloopDirectives MappingDirectives(const Problem& problem, const Architecture& architecture,
                                     const Mapping& mapping, const DimNamer& namer,
                                     Diagnostics* faults) {
  if (IsUneven(mapping)) {
    faults->push_back(MakeError(
        {}, "tensors of a level enter at different loops, which Timeloop cannot express", ""));
    return {};
  }
  Diagnostics ignored;  // of constraints, which a mapping does not say
  const TimeloopForm form = FormOf(architecture, &problem, &ignored);
  const Mapping in_form = InForm(form, architecture, problem, mapping, faults);
  return MappingWriter(problem, form.architecture, in_form, namer, faults).Write();
}

std::string WriteMapping(const Problem& problem, const Architecture& architecture,
                         const Mapping& mapping, const DimNamer& namer, Diagnostics* faults) {
  std::string text = "mapping:\n";
  for (const auto& directive : MappingDirectives(problem, architecture, mapping, namer, faults)) {
    text += ToYaml(directive);
  }
  return text;
}

}  // namespace inlay::io::timeloop
