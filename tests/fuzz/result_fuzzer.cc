// Any text is either refused with a message or is a result that is written and read again without a
// change. Tried as a result of map, of eval and of batch, whatever it says it is.
#include <cstddef>
#include <cstdint>
#include <string>

#include "inlay/base/check.h"
#include "inlay/io/json/any_result.h"
#include "inlay/io/json/batch.h"
#include "inlay/io/json/eval.h"
#include "inlay/io/json/map.h"

namespace {

template <typename Read, typename Write>
void Try(const std::string& text, const Read& read, const Write& write) {
  const auto result = read({"fuzz", text});
  if (!result) {
    INLAY_CHECK(HasErrors(result.error()));
    inlay::Format(result.error());
    return;
  }
  const std::string written = write(*result);
  const auto again = read({"again", written});
  INLAY_CHECK(again.has_value());
  INLAY_CHECK(write(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  Try(text, inlay::io::ReadMapResult, inlay::io::WriteMapResult);
  Try(text, inlay::io::ReadEvalResults, inlay::io::WriteEvalResults);
  Try(text, inlay::io::ReadBatchResult, inlay::io::WriteBatchResult);
  if (const auto any = inlay::io::ReadAnyResult({"fuzz", text})) {
    INLAY_CHECK(inlay::io::WriteReportData({*any}).find('<') == std::string::npos);
  }
  return 0;
}
