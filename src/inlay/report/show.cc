#include "inlay/report/show.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

// "K=64 C=3 P=112 Q=112 R=7 S=7, 2*P, 2*Q": bounds but for 1, then strides and dilations.
std::string DimsText(const Problem& problem) {
  std::string dims;
  for (const Dimension& dim : problem.dims) {
    if (dim.bound == 1) continue;
    dims += (dims.empty() ? "" : " ") + fmt::format("{}={}", dim.name, dim.bound);
  }
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      for (const Term& term : rank.terms) {
        if (term.coefficient == 1 || problem.dims[term.dim].bound == 1) continue;
        dims += fmt::format(", {}*{}", term.coefficient, problem.dims[term.dim].name);
      }
    }
  }
  return dims;
}

}  // namespace

std::string ShowProblem(const Problem& problem, const TextStyle& style) {
  std::string out = Title({"problem", problem.name}, style) + "\n";
  out += EinsumLine(problem, style) + "\n" + BoundsLine(problem, style) + "\n\n";
  Table table({{"tensor", Align::kLeft}, {"words", Align::kRight}, {"reuse", Align::kRight}});
  const int64_t operations = Operations(problem);
  for (TensorId t : Ids(problem.tensors)) {
    const int64_t words = TensorWords(problem, t);
    table.AddRow(
        {problem.tensors[t].name, Grouped(words, style),
         fmt::format("{:.1f}", static_cast<double>(operations) / static_cast<double>(words))});
  }
  return out + table.Render(style) +
         fmt::format("{} operations; reuse is operations per word\n", Grouped(operations, style));
}

std::string ShowMachine(const Machine& machine, const TextStyle& style) {
  std::string out = Title({"machine", machine.name}, style) + "\n";
  out += fmt::format("clock {}\n", WithPrefix(machine.clock_hz, "Hz", style));
  for (const ComputeUnit& unit : machine.units) {
    std::string rates = unit.architecture ? "architecture " + unit.architecture->name
                                          : WithPrefix(unit.macs_per_second, "MAC/s", style);
    if (unit.vector_ops_per_second) {
      rates += ", " + WithPrefix(*unit.vector_ops_per_second, "OP/s", style) +
               " of nodes that do not multiply";
    }
    out += fmt::format("unit {}: {}\n", unit.name, rates);
  }
  Table table({{"memory", Align::kLeft},
               {"bytes", Align::kRight},
               {"alignment", Align::kRight},
               {"bandwidth", Align::kRight},
               {"pJ per byte", Align::kRight},
               {"reached by", Align::kLeft}});
  const auto rate = [&](const std::optional<double>& value) {
    return value ? WithPrefix(*value, "B/s", style) : std::string("unlimited");
  };
  for (const Scratchpad& pad : machine.pads) {
    std::string units;
    for (const UnitId unit : pad.reached_by) {
      units += (units.empty() ? "" : ", ") + machine.units[unit].name;
    }
    table.AddRow({pad.name, Grouped(pad.bytes, style), Grouped(pad.alignment_bytes, style),
                  rate(pad.bytes_per_second), fmt::format("{:g}", pad.pj_per_byte), units});
  }
  table.AddRow({"off chip", "", "", rate(machine.offchip.bytes_per_second),
                fmt::format("{:g}", machine.offchip.pj_per_byte), ""});
  out += table.Render(style);
  out += fmt::format("DMA engines: {}", machine.dma.engines);
  std::string moves;
  for (const auto& [from, to] : machine.dma.moves) {
    moves += (moves.empty() ? "; moves between " : ", ") + machine.pads[from].name + " and " +
             machine.pads[to].name;
  }
  return out + moves + "\n";
}

std::string ShowNetwork(const Network& network, const NetworkTotals& totals,
                        const ElementBits& bits, const TextStyle& style) {
  std::string out = Title({"network", network.name}, style) + "\n";
  Table table({{"layer", Align::kLeft},
               {"kind", Align::kLeft},
               {"repeat", Align::kRight},
               {"operations", Align::kRight},
               {"dimensions", Align::kLeft}});
  for (const Layer& layer : network.layers) {
    table.AddRow({layer.name, layer.kind, layer.repeat == 1 ? "" : std::to_string(layer.repeat),
                  Grouped(Operations(layer.problem), style), DimsText(layer.problem)});
  }
  out += table.Render(style) + "\n";
  Table sums({{"", Align::kLeft}, {"", Align::kRight}, {"", Align::kLeft}});
  const auto bytes = [&](int64_t value) {
    return BytesText(static_cast<double>(value)) + " at " + BitsText(bits);
  };
  sums.AddRow({"nodes", Grouped(totals.nodes, style),
               Grouped(totals.compute_nodes, style) + " of them compute"});
  if (totals.folded_nodes > 0) {
    sums.AddRow({"folded nodes", Grouped(totals.folded_nodes, style),
                 "not among these: their operands are constants or shapes"});
  }
  sums.AddRow({"operations", Grouped(totals.operations, style), "multiply-accumulates"});
  sums.AddRow({"weight bytes", Grouped(totals.weight_bytes, style), bytes(totals.weight_bytes)});
  sums.AddRow({"activation bytes", Grouped(totals.activation_bytes, style),
               bytes(totals.activation_bytes)});
  return out + sums.Render(style);
}

std::string ShowMapping(const std::vector<std::string>& lines) {
  std::string out;
  size_t depth = 0;
  for (const std::string& line : lines) {
    out += std::string(depth, ' ') + line + "\n";
    if (line.starts_with("for ") || line.starts_with("parallel ")) ++depth;
  }
  return out;
}

}  // namespace inlay::report
