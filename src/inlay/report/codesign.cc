#include "inlay/report/codesign.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "inlay/report/map.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

constexpr double kPj = 1e-12;  // J

int64_t OperationsOf(const ArchitectureResult& architecture) {
  int64_t operations = 0;
  for (const LayerResult& layer : architecture.layers) {
    operations += layer.repeat * layer.operations;
  }
  return operations;
}

// "yolo1", "yolo1 … resnet12 (23)".
std::string LayersText(const ArchitectureResult& architecture, const TextStyle& style) {
  const auto& layers = architecture.layers;
  if (layers.size() == 1) return layers.front().name;
  return fmt::format("{} {} {} ({})", layers.front().name, style.unicode ? "…" : "...",
                     layers.back().name, layers.size());
}

std::string NumberText(double value, const TextStyle& style) {
  const bool whole = value == std::floor(value) && value < 1e15;
  return whole ? Grouped(static_cast<int64_t>(value), style) : fmt::format("{}", value);
}

Table ArchitectureTable(const CodesignResult& result, const TextStyle& style) {
  std::vector<Column> columns = {{"layers", Align::kLeft}};
  if (!result.architectures.empty()) {
    for (const auto& [name, value] : result.architectures.front().attributes) {
      columns.push_back({name, Align::kRight});
    }
  }
  for (const char* header : {"area", "energy", "pJ/op", "cycles", "op/cycle"}) {
    columns.push_back({header, Align::kRight});
  }
  Table table(columns);
  for (const ArchitectureResult& architecture : result.architectures) {
    std::vector<Cell> row = {LayersText(architecture, style)};
    for (const auto& [name, value] : architecture.attributes) {
      row.emplace_back(NumberText(value, style));
    }
    const auto operations = static_cast<double>(OperationsOf(architecture));
    const MapTotals& total = architecture.total;
    row.emplace_back(architecture.area_um2
                         ? fmt::format("{:.4g} mm2", *architecture.area_um2 * 1e-6)
                         : std::string());
    row.emplace_back(WithPrefix(total.energy_pj * kPj, "J", style));
    row.emplace_back(fmt::format("{:.3f}", total.energy_pj / operations));
    row.emplace_back(Grouped(total.cycles, style));
    row.emplace_back(fmt::format("{:.1f}", operations / static_cast<double>(total.cycles)));
    table.AddRow(std::move(row));
  }
  return table;
}

// "2.86 times less energy, 1.1 times more cycles than eyeriss".
std::string AgainstBaseline(const CodesignResult& result) {
  MapTotals sum;
  for (const ArchitectureResult& architecture : result.architectures) {
    sum.energy_pj += architecture.total.energy_pj;
    sum.cycles += architecture.total.cycles;
  }
  const auto compare = [](double ours, double theirs, const char* less, const char* what) {
    return ours <= theirs ? fmt::format("{:.2f} times {} {}", theirs / ours, less, what)
                          : fmt::format("{:.2f} times more {}", ours / theirs, what);
  };
  const MapTotals& base = result.baseline->total;
  const auto cycles = static_cast<double>(sum.cycles),
             base_cycles = static_cast<double>(base.cycles);
  return fmt::format("against {}: {}, {}, {}\n", result.baseline->name,
                     compare(sum.energy_pj, base.energy_pj, "less", "energy"),
                     compare(cycles, base_cycles, "fewer", "cycles"),
                     compare(sum.energy_pj * cycles, base.energy_pj * base_cycles, "less", "EDP"));
}

}  // namespace

std::string CodesignSummary(const CodesignResult& result, const TextStyle& style) {
  std::string out = Paint(result.workload, Tone::kBold, style) +
                    fmt::format("{}scope {}{}{} architectures\n\n", style.unicode ? " · " : ", ",
                                result.scope, style.unicode ? " · " : ", ", result.searched);
  out += ArchitectureTable(result, style).Render(style) + "\n";
  if (result.scope == "pareto") {
    out += "no other architecture has less energy, fewer cycles and less area at once\n";
  } else if (result.certificate) {
    out += "certificate: " + CertificateText(*result.certificate) + "\n";
  }
  if (result.baseline && result.scope != "pareto") out += AgainstBaseline(result);
  if (result.interrupted) out += "interrupted: the best so far\n";
  return out;
}

}  // namespace inlay::report
