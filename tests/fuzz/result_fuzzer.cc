// Any text is either refused with a message or is a result that is written and read again without a
// change. Tried as a result of every command, whatever it says it is.
#include <cstddef>
#include <cstdint>
#include <string>

#include "inlay/base/check.h"
#include "inlay/core/alloc_result.h"
#include "inlay/core/batch_result.h"
#include "inlay/core/codesign_result.h"
#include "inlay/core/map_result.h"
#include "inlay/core/mapspace_result.h"
#include "inlay/core/plan_result.h"
#include "inlay/core/systolic_result.h"
#include "inlay/io/json/any_result.h"
#include "inlay/io/json/document.h"

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

template <typename T>
void TryTable(const std::string& text) {
  Try(
      text, [](const inlay::io::Source& source) { return inlay::io::ReadJson<T>(source); },
      [](const T& value) { return inlay::io::WriteJson(value); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  TryTable<inlay::MapResult>(text);
  TryTable<inlay::EvalResult>(text);
  TryTable<std::vector<inlay::EvalResult>>(text);
  TryTable<inlay::BatchResult>(text);
  TryTable<inlay::CodesignResult>(text);
  TryTable<inlay::PlanResult>(text);
  TryTable<inlay::AllocResult>(text);
  TryTable<inlay::SystolicResult>(text);
  TryTable<inlay::MapspaceResult>(text);
  if (const auto any = inlay::io::ReadAnyResult({"fuzz", text})) {
    INLAY_CHECK(inlay::io::WriteReportData({*any}).find('<') == std::string::npos);
  }
  return 0;
}
