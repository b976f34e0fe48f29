#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

  std::string Write() {
    const auto factors = FactorsOf(problem_, mapping_);
    if (!factors) {
      faults_->push_back(
          MakeError({}, "this tiling cannot be written as factors",
                    "every step must be a multiple of the next inner step of its dimension"));
      return "";
    }
    std::string text = "mapping:\n";
    for (LevelId l : Ids(mapping_.levels)) {
      const LevelMapping& level = mapping_.levels[l];
      const std::string target = Scalar(architecture_.levels[l].name);
      text += fmt::format("- {{target: {}, type: temporal, {}}}\n", target,
                          Loops(l, level.temporal, (*factors)[l].temporal));
      const Fanout& fanout = architecture_.levels[l].fanout;
      if (fanout.x > 1 || fanout.y > 1) {
        text += fmt::format("- {{target: {}, type: spatial, {}}}\n", target,
                            Loops(l, level.spatial, (*factors)[l].spatial));
      }
      text += Tensors(level, target);
    }
    return text;
  }

 private:
  // Factors and permutation, innermost first. The loops on X are written inside those on Y: which
  // of the two axes is the inner one changes nothing but the numbering of the lanes.
  std::string Loops(LevelId level, const std::vector<Loop>& loops,
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
    const bool spatial = !loops.empty() && loops.front().axis != Axis::kTime;
    return fmt::format("factors: \"{}\", permutation: {}{}", factor_text, Scalar(order),
                       spatial ? fmt::format(", split: {}", split) : "");
  }

  void RefuseTwice(LevelId level, DimId dim) {
    faults_->push_back(
        MakeError({},
                  fmt::format("'{}' has two loops over '{}', of which Timeloop knows one",
                              architecture_.levels[level].name, problem_.dims[dim].name),
                  "join them, or move one to another level"));
  }

  std::string Tensors(const LevelMapping& level, const std::string& target) const {
    std::vector<std::string> keep, bypass;
    for (TensorId t : Ids(problem_.tensors)) {
      (level.keep.contains(t) ? keep : bypass).push_back(problem_.tensors[t].name);
    }
    return fmt::format("- {{target: {}, type: bypass, keep: {}, bypass: {}}}\n", target,
                       FlowList(keep), FlowList(bypass));
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Mapping& mapping_;
  const DimNamer& namer_;
  Diagnostics* faults_;
};

}  // namespace

std::string WriteMapping(const Problem& problem, const Architecture& architecture,
                         const Mapping& mapping, const DimNamer& namer, Diagnostics* faults) {
  return MappingWriter(problem, architecture, mapping, namer, faults).Write();
}

}  // namespace inlay::io::timeloop
