// Any bytes are either refused with a message or give a graph that is valid, and that can be
// written as a native file and read again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "inlay/base/check.h"
#include "inlay/core/network_totals.h"
#include "inlay/io/native/native.h"
#include "inlay/io/onnx/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  const auto graph = inlay::io::ReadOnnx("fuzz.onnx", bytes, {});
  if (!graph) {
    INLAY_CHECK(HasErrors(graph.error()));
    inlay::Format(graph.error());
    return 0;
  }
  inlay::Format(graph->warnings);
  INLAY_CHECK(Validate(graph->value).empty());
  inlay::LayersOf(graph->value);
  (void)TotalsOf(graph->value, 16);
  const auto again = inlay::io::ReadNative({{"again", inlay::io::WriteNative(graph->value)}});
  INLAY_CHECK(again && again->graph == graph->value);
  return 0;
}
