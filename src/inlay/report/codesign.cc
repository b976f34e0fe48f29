#include "inlay/report/codesign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "inlay/report/headline.h"
#include "inlay/report/map.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

int64_t OperationsOf(const ArchitectureResult& architecture) {
  int64_t operations = 0;
  for (const LayerResult& layer : architecture.layers) {
    operations += layer.repeat * layer.operations;
  }
  return operations;
}

double ValueOf(const ArchitectureResult& architecture, const std::string& metric) {
  if (metric == "energy") return architecture.total.energy_pj;
  if (metric == "delay") return static_cast<double>(architecture.total.cycles);
  return architecture.total.edp;
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

// "DRAM 41.2 %".
std::string MostEnergyIn(const ArchitectureResult& architecture) {
  const auto& parts = architecture.energy_parts_pj;
  const auto most = std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == parts.end() || !(architecture.total.energy_pj > 0)) return "";
  return most->first + " " + Percent(most->second / architecture.total.energy_pj);
}

// "DRAM 40.1 %, SRAM 21.3 %, mac 28.6 %": what is nothing is left out.
std::string Shares(const std::vector<std::pair<std::string, double>>& parts, double all) {
  std::string text;
  for (const auto& [name, part] : parts) {
    if (part > 0) text += (text.empty() ? "" : ", ") + name + " " + Percent(part / all);
  }
  return text;
}

// One architecture as advice: what to build, what it takes, where the energy goes, how busy it is.
std::string Advice(const CodesignResult& result, const TextStyle& style) {
  const ArchitectureResult& architecture = result.architectures.front();
  std::string build;
  for (const auto& [name, value] : architecture.attributes) {
    build += (build.empty() ? "" : ", ") + name + " " + NumberText(value, style);
  }
  std::string out = "build   " + build + "\n";
  if (architecture.area_um2) {
    out += fmt::format("area    {:.4g} mm2", *architecture.area_um2 * 1e-6);
    if (result.area_budget_um2) {
      out += fmt::format(" of {:.4g} mm2 ({})", *result.area_budget_um2 * 1e-6,
                         Percent(*architecture.area_um2 / *result.area_budget_um2));
    }
    out += ": " + Shares(architecture.area_parts_um2, *architecture.area_um2) + "\n";
  }
  const auto operations = static_cast<double>(OperationsOf(architecture));
  const auto cycles = static_cast<double>(architecture.total.cycles);
  out += fmt::format("energy  {}, {:.3f} pJ per operation: {}\n",
                     WithPrefix(architecture.total.energy_pj * kPj, "J", style),
                     architecture.total.energy_pj / operations,
                     Shares(architecture.energy_parts_pj, architecture.total.energy_pj));
  out += fmt::format("speed   {} cycles, {:.1f} operations per cycle: {} of the lanes work\n",
                     Grouped(architecture.total.cycles, style), operations / cycles,
                     Percent(operations / (cycles * static_cast<double>(architecture.lanes))));
  return out;
}

// What stands behind the answer, in a line.
std::string UseText(const std::string& method, const CodesignEffort& use, bool interrupted) {
  if (method == "gp") {
    return fmt::format(
        "gp: {} geometric programs, rounded on {} of {} pairs of a layer and an "
        "architecture\n",
        use.programs, use.searches, use.pairs);
  }
  if (use.searches >= use.pairs) {
    return fmt::format("exact: all {} pairs of a layer and an architecture searched\n", use.pairs);
  }
  return fmt::format("exact: {} of {} pairs of a layer and an architecture searched{}\n",
                     use.searches, use.pairs,
                     interrupted ? "" : ", the others ruled out by bounds");
}

// "0.6 % more energy than exact"; "as much energy as exact" where no digit would show.
std::string MoreThan(double share, int digits, const std::string& metric,
                     const std::string& other) {
  const std::string percent = fmt::format("{:.{}f}", 100 * std::abs(share), digits);
  if (percent == fmt::format("{:.{}f}", 0.0, digits)) {
    return fmt::format("as much {} as {}", metric, other);
  }
  return fmt::format("{} % {} {} than {}", percent, share < 0 ? "less" : "more", metric, other);
}

// How much of an answer by programs is lost by rounding; "" where that is not one figure.
std::string RoundingText(const std::vector<ArchitectureResult>& architectures,
                         const std::string& metric) {
  double relaxed = 0, whole = 0;
  for (const ArchitectureResult& architecture : architectures) {
    if (!architecture.relaxed) return "";
    relaxed += *architecture.relaxed;
    whole += ValueOf(architecture, metric);
  }
  if (!(relaxed > 0)) return "";
  return fmt::format("gp: whole numbers cost {}\n",
                     MoreThan(whole / relaxed - 1, 1, metric, "real ones"));
}

Table ComparisonTable(const CodesignResult& result, const TextStyle& style) {
  const auto per_operation = [&](const ArchitectureResult& architecture) {
    const auto operations = static_cast<double>(OperationsOf(architecture));
    if (result.metric == "delay")
      return operations / static_cast<double>(architecture.total.cycles);
    if (result.metric == "energy") return architecture.total.energy_pj / operations;
    return architecture.total.edp;
  };
  const char* unit = result.metric == "delay" ? "op/cycle" : "pJ/op";
  if (result.metric == "edp") unit = "pJ x cycles";
  Table table({{"layers", Align::kLeft},
               {result.method + ", " + unit, Align::kRight},
               {result.compared->method + ", " + unit, Align::kRight},
               {"more " + result.metric, Align::kRight}});
  const auto& others = result.compared->architectures;
  for (size_t i = 0; i < std::min(result.architectures.size(), others.size()); ++i) {
    const ArchitectureResult& ours = result.architectures[i];
    table.AddRow({LayersText(ours, style), fmt::format("{:.5g}", per_operation(ours)),
                  fmt::format("{:.5g}", per_operation(others[i])),
                  fmt::format("{:.3f} %", 100 * (ValueOf(others[i], result.metric) /
                                                     ValueOf(ours, result.metric) -
                                                 1))});
  }
  return table;
}

std::string ComparisonText(const CodesignResult& result, const TextStyle& style) {
  std::string out = "\n" + ComparisonTable(result, style).Render(style) + "\n";
  if (result.compared->gap) {
    out += fmt::format("{} needs {}\n", result.compared->method,
                       MoreThan(*result.compared->gap, 3, result.metric, result.method));
  }
  out += UseText(result.compared->method, *result.compared_use, result.interrupted);
  if (result.compared->method == "gp") {
    out += RoundingText(result.compared->architectures, result.metric);
  }
  return out;
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
  columns.push_back({"most energy in", Align::kLeft});
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
    row.emplace_back(MostEnergyIn(architecture));
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

std::string ValueText(double value, const std::string& metric, const TextStyle& style) {
  if (metric == "energy") return WithPrefix(value * kPj, "J", style);
  if (metric == "edp") return WithPrefix(value * kPj, style.unicode ? "J·cycle" : "J*cycle", style);
  return Grouped(static_cast<int64_t>(std::ceil(value)), style) + " cycles";
}

// What is known about the objective.
std::string KnownText(const CodesignResult& result, const TextStyle& style) {
  const CodesignCertificate& known = *result.certificate;
  const Certificate certificate{known.status, known.objective.value_or(0),
                                known.lower_bound.value_or(0), known.gap, known.proven};
  const bool bounded =
      certificate.status == CertificateStatus::kBounded && certificate.proven.empty();
  if (bounded) {
    return fmt::format("{}: none has less than {}", CertificateText(certificate),
                       ValueText(certificate.lower_bound, result.metric, style));
  }
  const bool early = certificate.status == CertificateStatus::kHeuristic && result.interrupted;
  return early && result.method == "exact" ? "no bound yet" : CertificateText(certificate);
}

// What is known about a front.
std::string FrontText(const CodesignResult& result) {
  const size_t open = result.certificate ? result.certificate->open.value_or(0) : 0;
  if (open == 0) {
    return "no other architecture has less energy, fewer cycles and less area at once, with the "
           "mappings of every layer's least energy, delay or EDP\n";
  }
  std::string out =
      fmt::format("not whole: {} of {} architectures may still add to it or beat some of it\n",
                  open, result.architectures_in_space);
  if (result.certificate && result.certificate->status == CertificateStatus::kBounded) {
    out += fmt::format(
        "whatever they add, an architecture above has at most {:.4g} times its energy, cycles and "
        "area\n",
        1 / (1 - result.certificate->gap));
  }
  return out;
}

}  // namespace

std::string CodesignSummary(const CodesignResult& result, const TextStyle& style) {
  const char* dot = style.unicode ? " · " : ", ";
  const bool front = result.scope == "pareto";  // of all metrics
  std::string out =
      Title({result.workload}, style) +
      fmt::format("{0}scope {1}{2}{0}method {3}{0}{4} architectures\n\n", dot, result.scope,
                  front ? "" : dot + result.metric, result.method, result.architectures_in_space);
  const bool one = result.architectures.size() == 1 && !front;
  out += one ? Advice(result, style) : ArchitectureTable(result, style).Render(style) + "\n";
  if (result.baseline && !front) out += AgainstBaseline(result);
  if (front) {
    out += FrontText(result);
  } else if (result.certificate) {
    out += "certificate: " + KnownText(result, style) + "\n";
  }
  out += UseText(result.method, result.use, result.interrupted);
  if (result.method == "gp") out += RoundingText(result.architectures, result.metric);
  if (result.compared) out += ComparisonText(result, style);
  if (!front && result.metric == "delay" && !result.tie_break) {
    out +=
        "mappings have the fewest cycles; --objective delay,energy also finds the least energy "
        "with these\n";
  }
  if (result.interrupted) {
    out += result.time_limit_reached ? "time limit reached: the best so far\n"
                                     : "interrupted: the best so far\n";
  }
  return out;
}

std::string FrontCsv(const CodesignResult& result) {
  std::string out;
  if (result.architectures.empty()) return out;
  for (const auto& [name, value] : result.architectures.front().attributes) out += name + ",";
  out += "area_um2,energy_pj,cycles,edp\n";
  for (const ArchitectureResult& architecture : result.architectures) {
    for (const auto& [name, value] : architecture.attributes) {
      out += fmt::format("{},", value);
    }
    out += architecture.area_um2 ? fmt::format("{:.17g}", *architecture.area_um2) : std::string();
    out += fmt::format(",{:.17g},{},{:.17g}\n", architecture.total.energy_pj,
                       architecture.total.cycles, architecture.total.edp);
  }
  return out;
}

}  // namespace inlay::report
