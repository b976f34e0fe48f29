#include "inlay/io/timeloop/map_text.h"

#include <fmt/format.h>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::io {
namespace {

class MapWriter {
 public:
  MapWriter(const Problem& problem, const Architecture& architecture, const Mapping& mapping)
      : problem_(problem),
        architecture_(architecture),
        mapping_(mapping),
        factors_(FactorsOf(problem, mapping)),
        ranges_(TileSizes(problem, mapping, LevelId(0))) {}

  std::string Write() {
    for (LevelId l : Ids(mapping_.levels)) {
      const std::string header = Header(l);
      text_ += header + "\n";
      const LevelMapping& level = mapping_.levels[l];
      const bool last = l.value() + 1 == mapping_.levels.size();
      // A level without loops shares the block of the next.
      if (level.temporal.empty() && level.spatial.empty() && !last) continue;
      text_ += std::string(header.size(), '-') + "\n";
      for (size_t i = 0; i < level.temporal.size(); ++i) {
        WriteLoop(l, level.temporal[i], i);
        WriteEntries(l, i + 1);
      }
      for (size_t i = 0; i < level.spatial.size(); ++i) WriteLoop(l, level.spatial[i], i);
      if (last) text_ += "| " + indent_ + "<< Compute >>\n";
      text_ += "\n";
    }
    return std::move(text_);
  }

 private:
  std::string Header(LevelId l) const {
    std::string header = architecture_.levels[l].name + " [ ";
    for (TensorId t : Ids(problem_.tensors)) {
      if (LoopsOutside(mapping_.levels[l], t) == 0) header += Tile(l, t);
    }
    return header + "]";
  }

  std::string Tile(LevelId l, TensorId t) const {
    if (!mapping_.levels[l].keep.contains(t)) return "";
    const auto sizes = TileSizes(problem_, mapping_, l, t);
    const int64_t words = TileWords(problem_.tensors[t], sizes);
    return fmt::format("{}:{} ({}) ", problem_.tensors[t].name, words, words);
  }

  // Tensors that enter a level inside so many of its loops: Timeloop has no such mappings.
  void WriteEntries(LevelId l, size_t loops) {
    std::string tiles;
    for (TensorId t : Ids(problem_.tensors)) {
      if (LoopsOutside(mapping_.levels[l], t) == loops) tiles += Tile(l, t);
    }
    if (tiles.empty()) return;
    text_ += fmt::format("| {}{} [ {}]\n", indent_, architecture_.levels[l].name, tiles);
  }

  void WriteLoop(LevelId l, const Loop& loop, size_t i) {
    text_ += fmt::format("| {}for {} in [0:{})", indent_, problem_.dims[loop.dim].name,
                         Steps(l, loop, i));
    if (loop.axis != Axis::kTime) text_ += loop.axis == Axis::kX ? " (Spatial-X)" : " (Spatial-Y)";
    text_ += "\n";
    indent_ += "  ";
    ranges_[loop.dim] = loop.step;
  }

  std::string Steps(LevelId l, const Loop& loop, size_t i) const {
    if (!factors_) return std::to_string(CeilDiv(ranges_[loop.dim], loop.step));
    const LevelFactors& level = (*factors_)[l];
    const Factor factor = loop.axis == Axis::kTime ? level.temporal[i] : level.spatial[i];
    if (factor.end == factor.residual) return std::to_string(factor.end);
    return fmt::format("{},{}", factor.end, factor.residual);
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Mapping& mapping_;
  std::optional<IndexedVector<LevelId, LevelFactors>> factors_;
  IndexedVector<DimId, int64_t> ranges_;  // of the loop to come, along each dimension
  std::string text_, indent_;
};

}  // namespace

std::string WriteMapText(const Problem& problem, const Architecture& architecture,
                         const Mapping& mapping) {
  return MapWriter(problem, architecture, mapping).Write();
}

}  // namespace inlay::io
