#include "inlay/codesign/company_report.h"

#include <bit>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {
namespace {

void WriteLoops(const std::vector<Loop>& loops, ReportWriter* writer) {
  writer->Number(static_cast<int64_t>(loops.size()));
  for (const Loop& loop : loops) {
    writer->Number(static_cast<int64_t>(loop.dim.value()));
    writer->Number(loop.step);
    writer->Number(static_cast<int64_t>(loop.axis));
  }
}

std::vector<Loop> ReadLoops(ReportReader* reader) {
  std::vector<Loop> loops(reader->Count());
  for (Loop& loop : loops) {
    loop.dim = DimId(reader->Count());
    loop.step = reader->Number();
    loop.axis = static_cast<Axis>(reader->Number());
  }
  return loops;
}

}  // namespace

void ReportWriter::Real(double value) { Number(std::bit_cast<int64_t>(value)); }

void ReportWriter::Placed(const std::optional<PlacedRow>& placed) {
  Number(placed ? 1 : 0);
  if (!placed) return;
  Number(static_cast<int64_t>(placed->column));
  for (const Dimension& dim : placed->solution.problem.dims) Number(dim.bound);
  Number(static_cast<int64_t>(placed->solution.mapping.levels.size()));
  for (const LevelMapping& level : placed->solution.mapping.levels) {
    Number(std::bit_cast<int64_t>(level.keep.bits()));
    WriteLoops(level.temporal, this);
    WriteLoops(level.spatial, this);
  }
}

int64_t ReportReader::Number() {
  INLAY_CHECK(!AtEnd());
  return report_[at_++];
}

double ReportReader::Real() { return std::bit_cast<double>(Number()); }

std::optional<PlacedRow> ReportReader::Placed(size_t row) {
  if (Number() == 0) return std::nullopt;
  PlacedRow placed{Count(), {table_.problem(row), {}, {}}};
  for (Dimension& dim : placed.solution.problem.dims) dim.bound = Number();
  placed.solution.mapping.levels.resize(Count());
  for (LevelMapping& level : placed.solution.mapping.levels) {
    const auto keep = std::bit_cast<uint64_t>(Number());
    for (const TensorId tensor : Ids(placed.solution.problem.tensors)) {
      if (((keep >> tensor.value()) & 1) != 0) level.keep.insert(tensor);
    }
    level.temporal = ReadLoops(this);
    level.spatial = ReadLoops(this);
  }
  placed.solution.cost = table_.CostOf(row, placed.column, placed.solution);
  return placed;
}

}  // namespace inlay
