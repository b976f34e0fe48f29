#include "inlay/io/scalesim/scalesim.h"

#include <algorithm>
#include <string>
#include <utility>

#include "inlay/io/scalesim/config.h"
#include "inlay/io/scalesim/text.h"
#include "inlay/io/scalesim/topology.h"

namespace inlay::io {
bool LooksLikeScaleSimConfig(const Source& source) {
  for (const scalesim::Field& line : scalesim::LinesOf(source)) {
    if (line.text.empty() || line.text.front() == '#' || line.text.front() == ';') continue;
    return line.text.front() == '[';
  }
  return false;
}

Result<Inputs> ReadScaleSim(const std::vector<Source>& sources, const Technology& technology) {
  Inputs inputs;
  inputs.format = "scalesim";
  Diagnostics diagnostics;
  const auto refuse_second = [&](const Source& source, bool is_second, const std::string& what) {
    if (!is_second) return;
    diagnostics.push_back(MakeError({source.name, 0, 0}, "a second " + what, "give one at a time"));
  };
  for (const Source& source : sources) {
    if (LooksLikeScaleSimConfig(source)) {
      refuse_second(source, inputs.architecture.has_value(), "SCALE-Sim configuration");
      auto config = ReadScaleSimConfig(source, technology);
      if (config) inputs.architecture = std::move(config->value.architecture);
      Append(config ? std::move(config->warnings) : std::move(config.error()), &diagnostics);
    } else {
      refuse_second(source, inputs.network.has_value(), "SCALE-Sim topology");
      auto network = ReadScaleSimTopology(source);
      if (network) inputs.network = std::move(network->value);
      Append(network ? std::move(network->warnings) : std::move(network.error()), &diagnostics);
    }
  }
  if (HasErrors(diagnostics)) return Fail(std::move(diagnostics));
  inputs.warnings = std::move(diagnostics);
  return inputs;
}

}  // namespace inlay::io
