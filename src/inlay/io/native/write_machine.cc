#include <fmt/format.h>

#include <string>

#include "inlay/io/native/machine_quantity.h"
#include "inlay/io/native/native.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/write.h"
#include "inlay/io/native/yaml_text.h"

namespace inlay::io {
namespace {

void AddLink(const std::optional<double>& bytes_per_second, double pj_per_byte, FlowObject* text) {
  if (bytes_per_second) text->Add("bandwidth", ByteRateText(*bytes_per_second));
  if (pj_per_byte != 0) text->Add("energy", EnergyPerByteText(pj_per_byte));
}

std::string UnitText(const ComputeUnit& unit) {
  FlowObject text;
  if (unit.architecture) {
    text.Add("arch", Scalar(unit.architecture->name));
  } else {
    text.Add("peak", MacRateText(unit.macs_per_second));
  }
  return fmt::format("    {}: {}\n", Scalar(unit.name), text.ToString());
}

std::string PadText(const Machine& machine, const Scratchpad& pad) {
  FlowObject text;
  text.Add("size", ByteSizeText(pad.bytes));
  AddLink(pad.bytes_per_second, pad.pj_per_byte, &text);
  if (pad.alignment_bytes != 1) text.Add("alignment", ByteSizeText(pad.alignment_bytes));
  if (pad.reached_by.size() != machine.units.size()) {
    std::vector<std::string> names;
    for (const UnitId unit : pad.reached_by) names.push_back(machine.units[unit].name);
    text.Add("reached_by", FlowList(names));
  }
  return fmt::format("    {}: {}\n", Scalar(pad.name), text.ToString());
}

std::string DmaText(const Machine& machine) {
  FlowObject text;
  if (machine.dma.engines != 1) text.Add("engines", fmt::format("{}", machine.dma.engines));
  std::string moves;
  for (const auto& [from, to] : machine.dma.moves) {
    moves +=
        (moves.empty() ? "" : ", ") + FlowList({machine.pads[from].name, machine.pads[to].name});
  }
  if (!moves.empty()) text.Add("moves", "[" + moves + "]");
  return text.empty() ? "" : fmt::format("  dma: {}\n", text.ToString());
}

}  // namespace

std::string WriteNative(const Machine& machine) {
  std::string text = DocumentStart("machine", machine.name);
  text += fmt::format("  clock: {}\n  units:\n", FrequencyText(machine.clock_hz));
  for (const ComputeUnit& unit : machine.units) text += UnitText(unit);
  text += machine.pads.empty() ? "  memories: {}\n" : "  memories:\n";
  for (const Scratchpad& pad : machine.pads) text += PadText(machine, pad);
  FlowObject offchip;
  AddLink(machine.offchip.bytes_per_second, machine.offchip.pj_per_byte, &offchip);
  return text + fmt::format("  offchip: {}\n", offchip.ToString()) + DmaText(machine);
}

}  // namespace inlay::io
