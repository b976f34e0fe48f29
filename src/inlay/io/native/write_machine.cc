#include <fmt/format.h>

#include <string>

#include "inlay/io/native/keys.h"
#include "inlay/io/native/write.h"

namespace inlay::io {
namespace {

using Text = std::optional<std::string>;

std::string UnitsText(const Machine& machine) {
  std::string text;
  for (const ComputeUnit& unit : machine.units) {
    const FlowObject keys = FlowText(unit, [&](std::string_view key) -> Text {
      if (key != "arch" || !unit.architecture) return std::nullopt;
      return Scalar(unit.architecture->name);
    });
    text += fmt::format("\n    {}: {}", Scalar(unit.name), keys.ToString());
  }
  return text;
}

std::string PadsText(const Machine& machine) {
  std::string text;
  for (const Scratchpad& pad : machine.pads) {
    const FlowObject keys = FlowText(pad, [&](std::string_view key) -> Text {
      if (key != "reached_by" || pad.reached_by.size() == machine.units.size()) return std::nullopt;
      std::vector<std::string> names;
      for (const UnitId unit : pad.reached_by) names.push_back(machine.units[unit].name);
      return FlowList(names);
    });
    text += fmt::format("\n    {}: {}", Scalar(pad.name), keys.ToString());
  }
  return text.empty() ? "{}" : text;
}

std::string DmaText(const Machine& machine) {
  std::string moves;
  for (const auto& [from, to] : machine.dma.moves) {
    moves +=
        (moves.empty() ? "" : ", ") + FlowList({machine.pads[from].name, machine.pads[to].name});
  }
  const FlowObject keys = FlowText(machine.dma, [&](std::string_view key) -> Text {
    if (key != "moves" || moves.empty()) return std::nullopt;
    return "[" + moves + "]";
  });
  return keys.empty() ? "" : keys.ToString();
}

}  // namespace

std::string WriteNative(const Machine& machine) {
  return DocumentStart("machine", machine.name) +
         BlockText(machine, "  ", [&machine](std::string_view key) -> Text {
           if (key == "units") return UnitsText(machine);
           if (key == "memories") return PadsText(machine);
           if (key == "dma") return DmaText(machine);
           return std::nullopt;
         });
}

}  // namespace inlay::io
