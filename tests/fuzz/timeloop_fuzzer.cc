// Arbitrary bytes to the Timeloop reader; what it accepts is bound, written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "inlay/io/timeloop/map_text.h"
#include "inlay/io/timeloop/read.h"
#include "inlay/io/timeloop/write.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto source = inlay::io::MakeSource("fuzz.yaml", std::string(data, data + size));
  if (!source) return 0;
  const auto inputs = inlay::io::ReadTimeloop({*source});
  if (!inputs || !inputs->problem || !inputs->architecture || !inputs->mapping) return 0;
  const auto mapping = inputs->mapping(*inputs->problem, *inputs->architecture);
  if (!mapping) return 0;
  (void)inlay::io::WriteMapText(*inputs->problem, *inputs->architecture, *mapping);
  for (const auto version : {inlay::io::TimeloopVersion::k03, inlay::io::TimeloopVersion::k04}) {
    const auto text =
        inlay::io::WriteTimeloop(&*inputs->problem, &*inputs->architecture, &*mapping, version);
    if (!text) continue;
    // What we write, we read.
    if (!inlay::io::ReadTimeloop({{"written.yaml", *text}})) std::abort();
  }
  return 0;
}
