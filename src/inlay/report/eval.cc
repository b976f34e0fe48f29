#include "inlay/report/eval.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/core/result.h"
#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

constexpr int kBarColumns = 6;
constexpr double kVisibleLeakagePj = 1e-9;  // less is the rounding of sums

// The largest number of cycles of a level, and which level; the outermost where several tie.
struct SlowestLevel {
  LevelId level;
  int64_t cycles = 0;
};
SlowestLevel FindSlowest(const Cost& cost) {
  SlowestLevel slowest;
  for (LevelId l : Ids(cost.levels)) {
    if (cost.levels[l].cycles > slowest.cycles) slowest = {l, cost.levels[l].cycles};
  }
  return slowest;
}

// Writes the rows of the levels × tensors table.
class CountTable {
 public:
  CountTable(const Problem& problem, const Architecture& architecture, const Cost& cost,
             bool rounded, const TextStyle& style)
      : problem_(problem),
        architecture_(architecture),
        cost_(cost),
        rounded_(rounded),
        style_(style),
        unit_(UnitFor(cost.energy_pj, style)),
        table_({{"level", Align::kLeft},
                {"tensor", Align::kLeft},
                {"tile", Align::kRight},
                {"reads", Align::kRight},
                {"fills", Align::kRight},
                {"updates", Align::kRight},
                {"drains", Align::kRight},
                {unit_.name, Align::kRight},
                {"share", Align::kRight},
                {"", Align::kLeft}}) {
    for (const LevelCost& level : cost.levels) {
      for (const TensorCost& tensor : level.tensors) NoteEnergy(tensor.energy_pj);
    }
    NoteEnergy(cost.compute_energy_pj);
  }

  Table Build() {
    for (LevelId l : Ids(cost_.levels)) AddLevel(l);
    AddEnergyRow(Label(architecture_.compute.name, cost_.compute_lanes_used), "",
                 cost_.compute_energy_pj);
    if (cost_.idle_pj > 0) AddEnergyRow("idle", "", cost_.idle_pj);
    table_.AddRule();
    return table_;
  }

 private:
  void NoteEnergy(double energy_pj) { largest_pj_ = std::max(largest_pj_, energy_pj); }

  std::string Label(const std::string& name, int64_t instances) const {
    if (instances <= 1) return name;
    return name + (style_.unicode ? " ×" : " x") + Grouped(instances, style_);
  }

  Cell Count(int64_t words) const {
    if (words == 0) return {style_.unicode ? "·" : ".", Tone::kDim};
    return {rounded_ ? Rounded(words, style_) : Grouped(words, style_)};
  }

  std::vector<Cell> EnergyCells(double energy_pj) const {
    const double share = cost_.energy_pj > 0 ? energy_pj / cost_.energy_pj : 0;
    const double bar = largest_pj_ > 0 ? energy_pj / largest_pj_ : 0;
    return {GroupedFixed(energy_pj / unit_.pj, 2, style_),
            Percent(share),
            {Bar(bar, kBarColumns, style_), Tone::kAccent}};
  }

  void AddEnergyRow(const std::string& label, const std::string& what, double energy_pj) {
    std::vector<Cell> row = {{label, Tone::kBold}, what, "", "", "", "", ""};
    for (Cell& cell : EnergyCells(energy_pj)) row.push_back(std::move(cell));
    table_.AddRow(std::move(row));
  }

  void AddLevel(LevelId l) {
    const LevelCost& level = cost_.levels[l];
    int64_t instances = 0;
    double tensors_pj = 0;
    for (const TensorCost& tensor : level.tensors) {
      instances = std::max(instances, tensor.instances);
      tensors_pj += tensor.energy_pj;
    }
    std::string label = Label(architecture_.levels[l].name, instances);
    for (TensorId t : Ids(level.tensors)) {
      const TensorCost& tensor = level.tensors[t];
      if (!tensor.kept) continue;
      std::vector<Cell> row = {{label, Tone::kBold},      problem_.tensors[t].name,
                               Count(tensor.tile_words),  Count(tensor.total.reads),
                               Count(tensor.total.fills), Count(tensor.total.updates),
                               Count(tensor.total.drains)};
      for (Cell& cell : EnergyCells(tensor.energy_pj)) row.push_back(std::move(cell));
      table_.AddRow(std::move(row));
      label.clear();
    }
    const double leakage_pj = level.energy_pj - tensors_pj;
    if (leakage_pj > kVisibleLeakagePj * (1 + level.energy_pj)) {
      AddEnergyRow(label, "leakage", leakage_pj);
    } else if (!label.empty()) {
      table_.AddRow({{label, Tone::kBold}, {"keeps nothing", Tone::kDim}});
    }
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Cost& cost_;
  bool rounded_;
  const TextStyle& style_;
  EnergyUnit unit_;
  Table table_;
  double largest_pj_ = 0;
};

std::string CyclesNote(const Architecture& architecture, const Cost& cost, const TextStyle& style) {
  const int64_t largest = std::max(FindSlowest(cost).cycles, cost.compute_cycles);
  std::string note = "limited by " + LimitText(architecture, cost);
  if (largest > cost.compute_cycles) {
    note += "; compute alone takes " + Grouped(cost.compute_cycles, style);
  }
  if (cost.cycles > largest) {
    const char* what = HasTimeKeys(architecture) ? " to start, to move tiles, or for the power"
                                                 : " for first fill and last drain";
    note += "; " + Grouped(cost.cycles - largest, style) + what;
  }
  return note;
}

std::string Totals(const Architecture& architecture, const Cost& cost, const TextStyle& style) {
  Table table({{"", Align::kLeft}, {"", Align::kRight}, {"", Align::kLeft}});
  const auto operations = static_cast<double>(cost.operations);
  const double edp = cost.energy_pj * 1e-12 * static_cast<double>(cost.cycles);
  const double offchip_bytes =
      static_cast<double>(cost.offchip_words) * architecture.levels[LevelId(0)].word_bits / 8;
  const auto dim = [](std::string text) { return Cell(std::move(text), Tone::kDim); };
  const std::string dot = style.unicode ? "·" : "*";
  table.AddRow({dim("energy"),
                {WithPrefix(cost.energy_pj * 1e-12, "J", style), Tone::kBold},
                fmt::format("{:.3f} pJ per operation", cost.energy_pj / operations)});
  table.AddRow({dim("cycles"),
                {Grouped(cost.cycles, style), Tone::kBold},
                CyclesNote(architecture, cost, style)});
  if (const auto time = TimeCells(TimeResultOf(cost), style)) {
    table.AddRow({dim("time"), {time->first, Tone::kBold}, time->second});
  }
  table.AddRow({dim("EDP"), {WithPrefix(edp, "J" + dot + "cycle", style), Tone::kBold}});
  table.AddRow({dim("utilisation"),
                {Percent(cost.utilization), Tone::kBold},
                fmt::format("{} of {} lanes used", Grouped(cost.compute_lanes_used, style),
                            Grouped(cost.compute_lanes, style))});
  table.AddRow({dim("off-chip"),
                {Grouped(cost.offchip_words, style), Tone::kBold},
                "words, " + BytesText(offchip_bytes)});
  if (cost.padded_operations) {
    table.AddRow({dim("padded"),
                  {Grouped(*cost.padded_operations, style), Tone::kBold},
                  "operations with the padding"});
  }
  return table.Render(style);
}

}  // namespace

std::optional<std::pair<std::string, std::string>> TimeCells(const TimeResult& time,
                                                             const TextStyle& style) {
  if (!time.seconds || !time.watts || !time.tops) return std::nullopt;
  constexpr double kTera = 1e12;
  std::string more =
      WithPrefix(*time.watts, "W", style) + ", " + WithPrefix(*time.tops * kTera, "OPS", style);
  if (time.tops_per_watt) more += fmt::format(", {:.3g} TOPS/W", *time.tops_per_watt);
  return std::pair(WithPrefix(*time.seconds, "s", style), more);
}

std::string LimitText(const Architecture& architecture, const Cost& cost) {
  if (cost.limited_by_power) return "the power limit";
  if (2 * cost.start_cycles > static_cast<double>(cost.cycles)) return "the start";
  const SlowestLevel slowest = FindSlowest(cost);
  if (slowest.cycles <= cost.compute_cycles) return "compute";
  const std::string& name = architecture.levels[slowest.level].name;
  switch (cost.levels[slowest.level].limit) {
    case CycleLimit::kRead:
      return "reads of " + name;
    case CycleLimit::kWrite:
      return "writes to " + name;
    case CycleLimit::kShared:
    case CycleLimit::kNone:
      break;
  }
  return "the bandwidth of " + name;
}

std::string EvalHeader(const Problem& problem, const Architecture& architecture,
                       const Mapping& mapping, const std::string& semantics,
                       const TextStyle& style) {
  const auto named = [](const std::string& name, const char* otherwise) {
    return name.empty() ? otherwise : name;
  };
  const std::string dot = style.unicode ? " · " : ", ";
  std::string out = Title(
      {named(problem.name, "problem"), "on", named(architecture.name, "architecture")}, style);
  out += dot + Name(Classify(problem, mapping)) + " mapping" + dot + semantics + " semantics\n";
  out += EinsumLine(problem, style) + "\n";
  out += BoundsLine(problem, style) + dot + Grouped(Operations(problem), style) + " operations\n";
  out += ChainLine(architecture, style) + "\n\n";
  return out;
}

std::string EvalSummary(const Problem& problem, const Architecture& architecture,
                        const Mapping& mapping, const SemanticsCost& result,
                        const TextStyle& style) {
  std::string out = EvalHeader(problem, architecture, mapping, Name(result.semantics), style);
  Table table = CountTable(problem, architecture, result.cost, false, style).Build();
  const bool too_wide = table.Width() > kScreenColumns;
  if (too_wide) table = CountTable(problem, architecture, result.cost, true, style).Build();
  out += table.Render(style);
  out += Paint(
      too_wide ? "in words, rounded; --json has every digit\n" : "tiles and counts in words\n",
      Tone::kDim, style);
  const int64_t operations = result.cost.padded_operations.value_or(result.cost.operations);
  if (operations != Operations(problem)) {
    out += Paint(
        fmt::format("{} reports {} operations; the problem has {}\n", Name(result.semantics),
                    Grouped(result.cost.operations, style), Grouped(Operations(problem), style)),
        Tone::kWarn, style);
  }
  return out + Totals(architecture, result.cost, style);
}

}  // namespace inlay::report
