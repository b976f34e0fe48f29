// Any text is either refused with a message or gives buffers that validate; a few of them get
// addresses that pass the check, and the table with these reads back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "inlay/base/check.h"
#include "inlay/io/minimalloc/minimalloc.h"
#include "inlay/scratchpad/dsa/dsa.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = inlay::io::ReadMiniMalloc({"fuzz", std::string(data, data + size)});
  if (!read) {
    INLAY_CHECK(HasErrors(read.error()));
    inlay::Format(read.error());
    return 0;
  }
  inlay::Format(read->warnings);
  INLAY_CHECK(Validate(read->value).empty());
  constexpr std::size_t kMostBuffers = 12;
  if (read->value.size() > kMostBuffers) return 0;
  inlay::dsa::Options options;
  options.node_limit = 100;
  const auto solution = inlay::dsa::Minimize(read->value, options);
  if (solution.status != inlay::dsa::Status::kPlaced) return 0;
  INLAY_CHECK(solution.lower_bound <= solution.height);
  INLAY_CHECK(inlay::dsa::CheckPlacement({read->value, solution.height}, solution.offsets).empty());
  const std::string written = inlay::io::WriteMiniMalloc(read->value, solution.offsets);
  const auto again = inlay::io::ReadMiniMalloc({"again", written});
  INLAY_CHECK(again && again->value.size() == read->value.size());
  return 0;
}
