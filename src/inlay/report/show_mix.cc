#include <fmt/format.h>

#include <string>

#include "inlay/base/printable.h"
#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"
#include "inlay/report/show.h"

namespace inlay::report {
namespace {

std::string ArrivalsText(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kClosed:
      return "";
    case Arrivals::Kind::kPoisson:
      return fmt::format("{} at random, {:g} a second", arrivals.count, arrivals.per_second);
    case Arrivals::Kind::kTrace:
      return fmt::format("{} by a trace", arrivals.seconds.size());
  }
  return "";
}

// The lines without the title.
std::string AcceleratorLines(const Accelerator& a, const TextStyle& style) {
  const char* times = style.unicode ? " × " : " x ";
  const double elements = static_cast<double>(a.arrays) * static_cast<double>(a.array.rows) *
                          static_cast<double>(a.array.columns);
  return fmt::format("{} array{} of {}{}{}, {}, {} bits, {}: {}\n", Grouped(a.arrays, style),
                     a.arrays == 1 ? "" : "s", a.array.rows, times, a.array.columns,
                     Name(a.array.dataflow), a.bits, WithPrefix(a.clock_hz, "Hz", style),
                     WithPrefix(elements * a.clock_hz, "MAC/s", style)) +
         fmt::format("{} on chip, {:g} B/cycle off chip ({})\n",
                     BytesText(static_cast<double>(a.memory_bytes)), a.bytes_per_cycle,
                     WithPrefix(a.bytes_per_cycle * a.clock_hz, "B/s", style)) +
         fmt::format("weights in blocks of {}, {} of them waiting, {} layers ahead\n",
                     BytesText(static_cast<double>(a.block_bytes)),
                     BytesText(static_cast<double>(a.window_bytes)), a.look_ahead_layers);
}

}  // namespace

std::string ShowAccelerator(const Accelerator& accelerator, const TextStyle& style) {
  return Title({"accelerator", accelerator.name}, style) + "\n" +
         AcceleratorLines(accelerator, style);
}

std::string ShowMix(const Mix& mix, const TextStyle& style) {
  std::string out = Title({"mix", mix.name}, style) + " on " + PrintableName(mix.accelerator.name) +
                    "\n" + AcceleratorLines(mix.accelerator, style) + "\n";
  Table table({{"network", Align::kLeft},
               {"batch", Align::kRight},
               {"operations", Align::kRight},
               {"weights", Align::kRight},
               {"activations", Align::kRight},
               {"batches", Align::kLeft}});
  for (const MixWorkload& workload : mix.workloads) {
    const auto totals = TotalsOf(*workload.graph, mix.accelerator.bits);
    table.AddRow({workload.network, Grouped(workload.batch, style),
                  totals ? Rounded(totals->operations, style) : "",
                  totals ? BytesText(static_cast<double>(totals->weight_bytes)) : "",
                  totals ? BytesText(static_cast<double>(totals->activation_bytes)) : "",
                  ArrivalsText(workload.arrivals)});
  }
  table.DropEmptyColumns();
  out += table.Render(style) + "operations and activations of one inference\n";
  for (const MixOption& option : mix.options) {
    out += fmt::format("option {}: {}\n", option.name, option.text);
  }
  return out;
}

}  // namespace inlay::report
