#include <fmt/format.h>

#include <string>

#include "inlay/io/native/machine_quantity.h"
#include "inlay/io/native/native.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/write.h"
#include "inlay/io/native/yaml_text.h"

namespace inlay::io {
namespace {

// All keys but the name, each on a line of its own.
std::string AcceleratorKeys(const Accelerator& accelerator, const std::string& indent) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{}{}: {}\n", indent, key, value);
  };
  add("clock", FrequencyText(accelerator.clock_hz));
  add("arrays", fmt::format("{}", accelerator.arrays));
  add("array",
      fmt::format("{{rows: {}, columns: {}}}", accelerator.array.rows, accelerator.array.columns));
  add("dataflow", Name(accelerator.array.dataflow));
  add("bits", fmt::format("{}", accelerator.bits));
  add("memory", ByteSizeText(accelerator.memory_bytes));
  add("bandwidth", BytesPerCycleText(accelerator.bytes_per_cycle));
  add("block", ByteSizeText(accelerator.block_bytes));
  add("window", ByteSizeText(accelerator.window_bytes));
  add("look_ahead", fmt::format("{}", accelerator.window_layers));
  return text;
}

std::string ArrivalsText(const Arrivals& arrivals) {
  FlowObject text;
  if (arrivals.kind == Arrivals::Kind::kTrace) {
    std::string times;
    for (const double seconds : arrivals.seconds) {
      times += (times.empty() ? "" : ", ") + SecondsText(seconds);
    }
    text.Add("trace", "[" + times + "]");
  } else {
    text.Add("poisson", PerSecondText(arrivals.per_second));
    text.Add("count", fmt::format("{}", arrivals.count));
    text.Add("seed", fmt::format("{}", arrivals.seed));
  }
  return text.ToString();
}

}  // namespace

std::string WriteNative(const Accelerator& accelerator) {
  return DocumentStart("accelerator", accelerator.name) + AcceleratorKeys(accelerator, "  ");
}

std::string WriteNative(const Mix& mix) {
  std::string text = DocumentStart("mix", mix.name);
  text += fmt::format("  accelerator:\n    name: {}\n", Scalar(mix.accelerator.name));
  text += AcceleratorKeys(mix.accelerator, "    ") + "  workloads:\n";
  for (const MixWorkload& workload : mix.workloads) {
    FlowObject entry;
    entry.Add("network", Scalar(workload.network));
    entry.Add("batch", fmt::format("{}", workload.batch));
    if (workload.arrivals.kind != Arrivals::Kind::kClosed) {
      entry.Add("arrivals", ArrivalsText(workload.arrivals));
    }
    text += "  - " + entry.ToString() + "\n";
  }
  if (mix.options.empty()) return text;
  text += "  options:\n";
  for (const MixOption& option : mix.options) {
    text += fmt::format("    {}: {}\n", Scalar(option.name), Scalar(option.text));
  }
  return text;
}

}  // namespace inlay::io
