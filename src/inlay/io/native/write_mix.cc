#include <fmt/format.h>

#include <string>

#include "inlay/io/native/keys.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/write.h"

namespace inlay::io {
namespace {

std::string ArrivalsText(const Arrivals& arrivals) {
  if (arrivals.kind == Arrivals::Kind::kClosed) return "";
  if (arrivals.kind == Arrivals::Kind::kPoisson) return FlowText(arrivals).ToString();
  std::string times;
  for (const double seconds : arrivals.seconds) {
    times += (times.empty() ? "" : ", ") + ValueText(seconds, kTimeUnits);
  }
  return fmt::format("{{trace: [{}]}}", times);
}

}  // namespace

std::string WriteNative(const Accelerator& accelerator) {
  return DocumentStart("accelerator", accelerator.name) + BlockText(accelerator, "  ");
}

std::string WriteNative(const Mix& mix) {
  std::string text = DocumentStart("mix", mix.name);
  text += fmt::format("  accelerator:\n    name: {}\n", Scalar(mix.accelerator.name));
  text += BlockText(mix.accelerator, "    ") + "  workloads:\n";
  for (const MixWorkload& workload : mix.workloads) {
    const FlowObject entry =
        FlowText(workload, [&](std::string_view key) -> std::optional<std::string> {
          if (key == "arrivals") return ArrivalsText(workload.arrivals);
          return std::nullopt;
        });
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
