#include "inlay/io/scalesim/architecture.h"

#include <string>
#include <vector>

namespace inlay::io::scalesim {
namespace {

constexpr int kWordBits = 8;

// The dimensions that lie along the array's columns (x) and rows (y).
Constraint ArrayConstraint(Dataflow dataflow) {
  Constraint constraint;
  constraint.at = "array";
  const std::vector<std::string> pixels = {"N", "P", "Q"}, filters = {"K"},
                                 window = {"C", "R", "S"};
  constraint.x = dataflow == Dataflow::kInputStationary ? pixels : filters;
  constraint.y = dataflow == Dataflow::kOutputStationary ? pixels : window;
  return constraint;
}

const char* StationaryTensor(Dataflow dataflow) {
  if (dataflow == Dataflow::kOutputStationary) return "Outputs";
  return dataflow == Dataflow::kWeightStationary ? "Weights" : "Inputs";
}

}  // namespace

Architecture MakeArchitecture(const SystolicArray& array, const SramSizes& sizes,
                              std::optional<int64_t> bandwidth, const Technology& technology) {
  Architecture architecture;
  architecture.name = std::string("systolic-") + Name(array.dataflow);
  architecture.technology = technology;
  Level dram;
  dram.name = "DRAM";
  dram.kind = MemoryKind::kDram;
  dram.word_bits = kWordBits;
  if (bandwidth) {
    // Each of the three SRAMs has an interface of this many words per cycle: two read, one writes.
    dram.read_bandwidth = 2 * static_cast<double>(*bandwidth);
    dram.write_bandwidth = static_cast<double>(*bandwidth);
  }
  Level sram;
  sram.name = "SRAM";
  sram.word_bits = kWordBits;
  sram.buffering = 2;
  sram.partitions = {{"Weights", sizes.weights, kWordBits},
                     {"Inputs", sizes.inputs, kWordBits},
                     {"Outputs", sizes.outputs, kWordBits}};
  sram.fanout.name = "array";
  sram.fanout.x = array.columns;
  sram.fanout.y = array.rows;
  sram.fanout.reduce = array.dataflow != Dataflow::kOutputStationary;
  Level element;
  element.name = "PE";
  element.kind = MemoryKind::kRegister;
  element.word_bits = kWordBits;
  element.partitions = {{StationaryTensor(array.dataflow), 1, kWordBits}};
  architecture.levels = {dram, sram, element};
  architecture.compute.word_bits = kWordBits;
  architecture.constraints = {ArrayConstraint(array.dataflow)};
  return architecture;
}

}  // namespace inlay::io::scalesim
