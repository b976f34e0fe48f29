#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "inlay/base/printable.h"
#include "inlay/core/memory_table.h"
#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"
#include "inlay/report/show.h"

namespace inlay::report {
namespace {

constexpr int kBarColumns = 20;
constexpr double kUsualMicrowatt = 1e-6;

// "1.5e-3 + 2 × words + 3 × √words"
std::string FunctionText(const SizeFunction& function, const TextStyle& style) {
  const std::string times = style.unicode ? " × " : " * ";
  std::string text;
  const auto add = [&](double factor, const std::string& what) {
    if (factor == 0) return;
    if (!text.empty()) text += " + ";
    text += fmt::format("{:g}", factor) + (what.empty() ? "" : times + what);
  };
  add(function.constant, "");
  add(function.linear, "words");
  add(function.root, style.unicode ? "√words" : "sqrt(words)");
  return text.empty() ? "0" : text;
}

// What is given by functions; empty: nothing is.
std::string FormulasText(const Technology& technology, const TextStyle& style) {
  constexpr std::array<int64_t, 3> kSizes = {64, 4096, 262144};  // words
  std::vector<Column> columns = {{"", Align::kLeft}, {"energy of an access, pJ", Align::kLeft}};
  for (int64_t size : kSizes) {
    columns.push_back({"at " + Grouped(size, style), Align::kRight});
  }
  columns.push_back({style.unicode ? "area, µm²" : "area, um2", Align::kLeft});
  Table table(std::move(columns));
  bool any = false;
  const auto memory = [&](const char* name, const MemoryTechnology& kind) {
    if (!kind.table.empty()) return;
    any = true;
    std::vector<Cell> row = {name, FunctionText(kind.energy_pj, style)};
    for (int64_t size : kSizes)
      row.emplace_back(fmt::format("{:.4g}", kind.energy_pj.At(static_cast<double>(size))));
    row.emplace_back(FunctionText(kind.area_um2, style));
    table.AddRow(std::move(row));
  };
  if (technology.dram_kinds.empty()) memory("dram", technology.dram);
  memory("sram", technology.sram);
  memory("register", technology.reg);
  if (!HasIntegers(technology)) {
    table.AddRow({"mac", fmt::format("{:g}", technology.mac_energy_pj), "", "", "",
                  fmt::format("{:g}", technology.mac_area_um2)});
    any = true;
  }
  if (!any) return "";
  return "\n" + table.Render(style) +
         fmt::format("words of {} bits; both scale with the bits of a word\n",
                     technology.word_bits);
}

// Widths to show of a table: some usual ones, where it has such, or its narrowest and widest.
std::vector<int> WidthsToShow(const KnownMemories& table) {
  const auto narrower = [](const KnownMemory& a, const KnownMemory& b) {
    return a.width_bits < b.width_bits;
  };
  const auto [least, most] = std::minmax_element(table.begin(), table.end(), narrower);
  std::vector<int> widths;
  for (const int bits : {8, 32, 128, 512}) {
    if (least->width_bits <= bits && bits <= most->width_bits) widths.push_back(bits);
  }
  if (!widths.empty()) return widths;
  widths = {least->width_bits, most->width_bits};
  if (widths.front() == widths.back()) widths.pop_back();
  return widths;
}

std::vector<int64_t> CapacitiesToShow(const KnownMemories& table) {
  const auto smaller = [](const KnownMemory& a, const KnownMemory& b) {
    return a.capacity_bytes < b.capacity_bytes;
  };
  const auto [least, most] = std::minmax_element(table.begin(), table.end(), smaller);
  std::vector<int64_t> capacities;
  for (int64_t bytes = least->capacity_bytes;
       bytes < most->capacity_bytes && bytes <= INT64_MAX / 4; bytes *= 4) {
    capacities.push_back(bytes);
  }
  capacities.push_back(most->capacity_bytes);
  return capacities;
}

// Energy over capacity: what a read costs at some widths, drawn for one of them on a logarithmic
// scale, and the other figures of that one.
class MemoryPlot {
 public:
  MemoryPlot(const KnownMemories& table, MemoryPorts ports, const TextStyle& style)
      : rows_(table), ports_(ports), style_(style), widths_(WidthsToShow(table)) {
    drawn_ = widths_.size() > 1 ? widths_[1] : widths_[0];
    for (const int64_t bytes : CapacitiesToShow(table)) {
      const auto figures = At(bytes, drawn_);
      if (!figures) continue;
      least_ = least_ == 0 ? figures->read_pj : std::min(least_, figures->read_pj);
      most_ = std::max(most_, figures->read_pj);
    }
  }

  std::string Render(const std::string& name) const {
    std::vector<Column> columns = {{"capacity", Align::kRight}};
    for (const int bits : widths_) {
      columns.push_back({fmt::format("{} bits", bits), Align::kRight});
    }
    const std::string of = fmt::format(" of {}", drawn_);
    columns.push_back({"read" + of + ", log scale", Align::kLeft});
    columns.push_back({"write" + of, Align::kRight});
    columns.push_back({"leakage", Align::kRight});
    columns.push_back({style_.unicode ? "area, µm²" : "area, um2", Align::kRight});
    Table table(std::move(columns));
    for (const int64_t bytes : CapacitiesToShow(rows_)) AddRow(bytes, &table);
    return Paint(fmt::format("{} {}: pJ of a read, by the bits of an access", name, Name(ports_)),
                 Tone::kBold, style_) +
           "\n" + table.Render(style_);
  }

 private:
  std::optional<MemoryFigures> At(int64_t bytes, int bits) const {
    const MemorySize size = {8 * static_cast<double>(bytes), static_cast<double>(bits), ports_};
    if (!Covers(rows_, size)) return std::nullopt;
    return FiguresOf(rows_, size);
  }

  void AddRow(int64_t bytes, Table* table) const {
    std::vector<Cell> row = {BytesText(static_cast<double>(bytes))};
    for (const int bits : widths_) {
      const auto figures = At(bytes, bits);
      row.emplace_back(figures ? fmt::format("{:.4g}", figures->read_pj) : "-");
    }
    if (const auto drawn = At(bytes, drawn_)) {
      row.emplace_back(Bar(Share(drawn->read_pj), kBarColumns, style_), Tone::kAccent);
      row.emplace_back(fmt::format("{:.4g}", drawn->write_pj));
      row.emplace_back(WithPrefix(drawn->leakage_uw * kUsualMicrowatt, "W", style_));
      row.emplace_back(GroupedFixed(drawn->area_um2, 0, style_));
    }
    table->AddRow(std::move(row));
  }

  // Half of the least has no bar.
  double Share(double pj) const {
    return most_ > least_ ? std::log(2 * pj / least_) / std::log(2 * most_ / least_) : 1;
  }

  const KnownMemories& rows_;
  MemoryPorts ports_;
  const TextStyle& style_;
  std::vector<int> widths_;
  int drawn_ = 0;
  double least_ = 0, most_ = 0;
};

std::string MemoryText(const char* name, const MemoryTechnology& memory, const TextStyle& style) {
  std::string text;
  for (const auto& ports : kNames<MemoryPorts>) {
    KnownMemories table;
    for (const KnownMemory& row : memory.table) {
      if (row.ports == ports.value) table.push_back(row);
    }
    if (!table.empty()) text += "\n" + MemoryPlot(table, ports.value, style).Render(name);
  }
  if (!memory.source.empty()) text += Paint(Printable(memory.source) + "\n", Tone::kDim, style);
  return text;
}

std::string ArithmeticText(const Technology& technology, const TextStyle& style) {
  Table table({{"multiply-add", Align::kLeft},
               {"pJ", Align::kRight},
               {style.unicode ? "µm²" : "um2", Align::kRight},
               {"source", Align::kLeft}});
  for (const Arithmetic& unit : technology.arithmetic) {
    table.AddRow({{PrintableName(unit.type), Tone::kBold},
                  fmt::format("{:.4g}", unit.energy_pj),
                  GroupedFixed(unit.area_um2, 0, style),
                  {Printable(unit.source), Tone::kDim}});
  }
  return "\n" + table.Render(style);
}

std::string DramText(const Technology& technology, const TextStyle& style) {
  Table table({{"dram", Align::kLeft},
               {"pJ/bit", Align::kRight},
               {"bandwidth", Align::kRight},
               {"of", Align::kLeft},
               {"source", Align::kLeft}});
  for (const DramKind& kind : technology.dram_kinds) {
    table.AddRow({{PrintableName(kind.name), Tone::kBold},
                  fmt::format("{:.4g}", kind.pj_per_bit),
                  kind.bytes_per_second ? WithPrefix(*kind.bytes_per_second, "B/s", style) : "",
                  Printable(kind.per),
                  {Printable(kind.source), Tone::kDim}});
  }
  return "\n" + table.Render(style) + "without a 'dram', a level of kind dram is the first\n";
}

std::string WireText(const Wire& wire, const TextStyle& style) {
  return fmt::format("\nwires {:.3g} pJ/bit/mm", wire.pj_per_bit_mm) +
         Paint(wire.source.empty() ? "" : ", " + Printable(wire.source), Tone::kDim, style) + "\n";
}

}  // namespace

std::string ShowTechnology(const Technology& technology, const TextStyle& style) {
  std::string out = Title({"technology", technology.name}, style);
  if (technology.node_nm) out += fmt::format(", {:g} nm", *technology.node_nm);
  out += "\n";
  if (!technology.note.empty()) out += Printable(technology.note) + "\n";
  std::string parts = FormulasText(technology, style);
  if (!technology.arithmetic.empty()) parts += ArithmeticText(technology, style);
  if (!technology.dram_kinds.empty()) parts += DramText(technology, style);
  parts += MemoryText("dram", technology.dram, style);
  parts += MemoryText("sram", technology.sram, style);
  parts += MemoryText("register", technology.reg, style);
  if (technology.wire) parts += WireText(*technology.wire, style);
  return out + parts.substr(1);  // the title stands right above the first
}

std::string ShowRepricing(const Repricing& repricing, const TextStyle& style) {
  Table table({{"pJ", Align::kLeft},
               {"read", Align::kRight},
               {"write", Align::kRight},
               {"by " + PrintableName(repricing.technology) + ": read", Align::kRight},
               {"write", Align::kRight},
               {"ratio", Align::kRight},
               {"", Align::kRight}});
  const auto pj = [](double value) { return fmt::format("{:.4g}", value); };
  const auto ratio = [](double priced, double given) {
    return given > 0 ? fmt::format("{:.2f}", priced / given) : "-";
  };
  for (const auto& [name, memory] : repricing.levels) {
    std::vector<Cell> row = {
        {PrintableName(name), Tone::kBold}, pj(memory.given.read_pj), pj(memory.given.fill_pj)};
    if (const auto& priced = memory.priced) {
      for (Cell cell : {Cell(pj(priced->read_pj)), Cell(pj(priced->fill_pj)),
                        Cell(ratio(priced->read_pj, memory.given.read_pj)),
                        Cell(ratio(priced->fill_pj, memory.given.fill_pj))}) {
        row.push_back(std::move(cell));
      }
    } else {
      row.emplace_back("no price", Tone::kDim);
    }
    table.AddRow(std::move(row));
  }
  const RepricedCompute& compute = repricing.compute;
  std::vector<Cell> row = {{"compute", Tone::kBold}, pj(compute.given_pj), ""};
  if (compute.priced_pj) {
    row.emplace_back(pj(*compute.priced_pj));
    row.emplace_back("");
    row.emplace_back(ratio(*compute.priced_pj, compute.given_pj));
  } else {
    row.emplace_back("no price", Tone::kDim);
  }
  table.AddRow(std::move(row));
  return table.Render(style) + Paint(
                                   "ratio: by the technology over what counts, of a read and of "
                                   "a write\n",
                                   Tone::kDim, style);
}

}  // namespace inlay::report
