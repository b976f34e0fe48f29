// Any text is either refused with a message or gives values that validate. The first byte is not
// special: a text that starts with a section is read as a configuration, anything else as a
// topology, once per kind.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/io/scalesim/scalesim.h"
#include "inlay/io/scalesim/topology.h"

namespace {

inlay::Technology SomeTechnology() {
  inlay::Technology technology;
  technology.name = "some";
  technology.mac_energy_pj = 1;
  return technology;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const inlay::io::Source source{"fuzz", std::string(data, data + size)};
  const auto inputs = inlay::io::ReadScaleSim({source}, SomeTechnology());
  if (inputs) {
    if (inputs->network) INLAY_CHECK(Validate(*inputs->network).empty());
    if (inputs->architecture) INLAY_CHECK(Validate(*inputs->architecture).empty());
    inlay::Format(inputs->warnings);
  } else {
    INLAY_CHECK(HasErrors(inputs.error()));
    inlay::Format(inputs.error());
  }
  for (auto kind : {inlay::io::ScaleSimTopology::kConv, inlay::io::ScaleSimTopology::kGemm}) {
    const auto network = inlay::io::ReadScaleSimTopology(source, kind);
    INLAY_CHECK(network || HasErrors(network.error()));
  }
  return 0;
}
