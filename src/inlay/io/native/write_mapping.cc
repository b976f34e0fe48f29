#include <fmt/format.h>

#include <string>
#include <vector>

#include "inlay/io/native/native.h"
#include "inlay/io/native/write.h"
#include "inlay/io/native/yaml_text.h"

namespace inlay::io {
namespace {

std::string KeepLine(const Problem& problem, const std::string& level, TensorSet keep,
                     const char* verb = " keeps") {
  if (keep == TensorSet::FirstN(problem.tensors.size())) return level + verb + " all";
  if (keep.empty()) return level + verb + " none";
  std::string line = level + verb;
  for (TensorId t : Ids(problem.tensors)) {
    if (keep.contains(t)) line += " " + problem.tensors[t].name;
  }
  return line;
}

}  // namespace

std::vector<std::string> MappingLines(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping) {
  std::vector<std::string> lines;
  IndexedVector<DimId, int64_t> ranges;
  for (const Dimension& dim : problem.dims) ranges.push_back(dim.bound);
  for (LevelId l : Ids(mapping.levels)) {
    const LevelMapping& level = mapping.levels[l];
    const std::string& name = architecture.levels[l].name;
    TensorSet keep = level.keep;
    for (const LateEntry& entry : level.late) keep.erase(entry.tensor);
    lines.push_back(KeepLine(problem, name, keep));
    const auto enter = [&](size_t loops) {
      TensorSet entering;
      for (const LateEntry& entry : level.late) {
        if (entry.loops == loops) entering.insert(entry.tensor);
      }
      if (!entering.empty()) lines.push_back(KeepLine(problem, name, entering, " also keeps"));
    };
    for (const auto* loops : {&level.temporal, &level.spatial}) {
      for (const Loop& loop : *loops) {
        std::string line =
            fmt::format("{} {} in {} step {}", loop.axis == Axis::kTime ? "for" : "parallel",
                        problem.dims[loop.dim].name, ranges[loop.dim], loop.step);
        if (loop.axis != Axis::kTime) {
          line += fmt::format(" on {}.{}", FanoutName(architecture, l),
                              loop.axis == Axis::kX ? "x" : "y");
        }
        lines.push_back(std::move(line));
        ranges[loop.dim] = loop.step;
        if (loops == &level.temporal) enter(static_cast<size_t>(&loop - loops->data()) + 1);
      }
    }
  }
  return lines;
}

std::string WriteNative(const Problem& problem, const Architecture& architecture,
                        const Mapping& mapping) {
  std::string text = DocumentStart("mapping", "");
  for (const std::string& line : MappingLines(problem, architecture, mapping)) {
    text += fmt::format("- {}\n", Scalar(line));
  }
  return text;
}

}  // namespace inlay::io
