#include "inlay/run/common.h"

#include <array>
#include <iterator>

#include "inlay/base/parallel.h"
#include "inlay/base/version.h"

namespace inlay::run {

const Structure& StructureOf(const CommonRequest*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&CommonRequest::time_limit>("time_limit", "the most time to take: 60s, 5min",
                                      {.option = {.value_name = "TIME", .duration = true}}),
      Row<&CommonRequest::threads>(
          "threads", "how many threads to use",
          {.option = {.value_name = "N", .min = 1, .max = kMostThreads, .in_result = false}}),
      Row<&CommonRequest::seed>("seed", "where random choices start",
                                {.option = {.value_name = "N"}}),
      Row<&CommonRequest::dim>("dim", "the value of a symbolic dimension, once for each",
                               {.option = {.value_name = "NAME=N"}}),
      Row<&CommonRequest::set>(
          "set",
          "a key of a network's decoder, or a value that Timeloop's files with "
          "Jinja2 ask for, once for each name: tokens=256",
          {.option = {.value_name = "NAME=VALUE"}}),
  });
  return Describe<CommonRequest, kFields>("CommonRequest");
}

int ThreadsOf(const CommonRequest& common) { return common.threads.value_or(HardwareThreads()); }

io::LoadRecord RecordFor(const CommonRequest& common) {
  io::LoadRecord record;
  record.dims = {common.dim.begin(), common.dim.end()};
  record.set = common.set;
  return record;
}

ResultHeader HeaderOf(const char* command, const CommonRequest& common,
                      const std::vector<InputRecord>& inputs) {
  return {command, std::string(kVersion), inputs, common.values.ForResult()};
}

tl::unexpected<Failure> FailWith(Failure::Kind kind, Diagnostics errors) {
  return tl::unexpected<Failure>({kind, std::move(errors)});
}

Diagnostics ErrorsOf(const Faults& faults) {
  Diagnostics errors;
  for (const Fault& fault : faults) errors.push_back(MakeError({}, fault.message, fault.hint));
  return errors;
}

}  // namespace inlay::run
