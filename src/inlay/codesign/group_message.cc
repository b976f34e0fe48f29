#include "inlay/codesign/group_message.h"

#include "inlay/base/check.h"

namespace inlay {
namespace {

void WriteLoops(const std::vector<Loop>& loops, MessageWriter* writer) {
  writer->Number(static_cast<int64_t>(loops.size()));
  for (const Loop& loop : loops) {
    writer->Number(static_cast<int64_t>(loop.dim.value()));
    writer->Number(loop.step);
    writer->Number(static_cast<int64_t>(loop.axis));
  }
}

std::vector<Loop> ReadLoops(MessageReader* reader) {
  std::vector<Loop> loops(reader->Count());
  for (Loop& loop : loops) {
    loop.dim = DimId(reader->Count());
    loop.step = reader->Number();
    loop.axis = static_cast<Axis>(reader->Number());
  }
  return loops;
}

}  // namespace

void MessageWriter::Mapped(const Solution& solution) {
  for (const Dimension& dim : solution.problem.dims) Number(dim.bound);
  Number(static_cast<int64_t>(solution.mapping.levels.size()));
  for (const LevelMapping& level : solution.mapping.levels) {
    Number(std::bit_cast<int64_t>(level.keep.bits()));
    WriteLoops(level.temporal, this);
    WriteLoops(level.spatial, this);
  }
}

int64_t MessageReader::Number() {
  INLAY_CHECK(!AtEnd());
  return message_[at_++];
}

Solution MessageReader::Mapped(const Problem& problem) {
  Solution solution{problem, {}, {}};
  for (Dimension& dim : solution.problem.dims) dim.bound = Number();
  solution.mapping.levels.resize(Count());
  for (LevelMapping& level : solution.mapping.levels) {
    const auto keep = std::bit_cast<uint64_t>(Number());
    for (const TensorId tensor : Ids(problem.tensors)) {
      if (((keep >> tensor.value()) & 1) != 0) level.keep.insert(tensor);
    }
    level.temporal = ReadLoops(this);
    level.spatial = ReadLoops(this);
  }
  return solution;
}

}  // namespace inlay
