#include "inlay/report/systolic.h"

#include <fmt/format.h>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {

std::string SystolicSummary(const std::string& workload, const SystolicResult& result,
                            const TextStyle& style) {
  const SystolicArray& array = result.array;
  std::string out = Title({workload}, style);
  out += fmt::format(" on {} {} {} elements, {}\n", array.rows, style.unicode ? "×" : "x",
                     array.columns, Name(array.dataflow));
  Table table({{"layer", Align::kLeft},
               {"repeat", Align::kRight},
               {"folds", Align::kRight},
               {"cycles each", Align::kRight},
               {"use", Align::kRight},
               {"", Align::kLeft},
               {"inputs", Align::kRight},
               {"weights", Align::kRight},
               {"outputs", Align::kRight}});
  constexpr int kBarColumns = 8;
  for (const SystolicLayer& layer : result.layers) {
    table.AddRow({layer.name,
                  layer.repeat == 1 ? "" : std::to_string(layer.repeat),
                  Grouped(layer.cost.folds, style),
                  Grouped(layer.cost.cycles, style),
                  Percent(layer.cost.utilization),
                  {Bar(layer.cost.utilization, kBarColumns, style), Tone::kAccent},
                  Grouped(layer.cost.input_reads, style),
                  Grouped(layer.cost.weight_reads, style),
                  Grouped(layer.cost.output_writes, style)});
  }
  out += table.Render(style);
  out +=
      Paint("per run of the layer; inputs, weights: words read from SRAM; outputs: words written\n",
            Tone::kDim, style);
  return out + fmt::format("{} cycles and {} operations in all, every repeat counted; {} used\n",
                           Grouped(result.total_cycles, style),
                           Grouped(result.total_operations, style),
                           Percent(result.total_utilization));
}

}  // namespace inlay::report
