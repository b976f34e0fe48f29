#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "inlay/base/option_fields.h"
#include "inlay/base/result.h"
#include "inlay/base/stop.h"
#include "inlay/core/fault.h"
#include "inlay/core/result.h"
#include "inlay/io/load.h"

namespace inlay::run {

// What a command is asked for is a struct, its request: values of options, and names or texts of
// inputs. Loading reads the inputs, running makes the result. The command line, Python, studies,
// the C library and the MLIR plugin fill requests and show results.

// What every command accepts.
struct CommonRequest {
  std::optional<double> time_limit;                  // seconds
  std::optional<int> threads;                        // none: all that the machine has
  int64_t seed = 1;                                  // where random choices start
  std::vector<std::pair<std::string, int64_t>> dim;  // values of symbolic dimensions
  io::TemplateValues set;                            // for Timeloop's templates, decoders
  OptionValues values;                               // what the request was read from
};
const Structure& StructureOf(const CommonRequest*);

int ThreadsOf(const CommonRequest& common);
// For reading the inputs of a request.
io::LoadRecord RecordFor(const CommonRequest& common);
ResultHeader HeaderOf(const char* command, const CommonRequest& common,
                      const std::vector<InputRecord>& inputs);

template <typename Request>
Request RequestFrom(const OptionValues& values) {
  auto request = StructFrom<Request>(values);
  SetFields(values, StructureOf(&request.common), &request.common);
  request.common.values = values;
  return request;
}

// Why there is no result.
struct Failure {
  enum class Kind : uint8_t {
    kWrongInput,
    kNoAnswer,  // the input is right: there is none, or none was found in time
    kStopped,   // by the user
  };
  Kind kind = Kind::kWrongInput;
  Diagnostics errors;
};
template <typename T>
using Outcome = tl::expected<T, Failure>;

tl::unexpected<Failure> FailWith(Failure::Kind kind, Diagnostics errors);
// Errors without a place.
Diagnostics ErrorsOf(const Faults& faults);

// The value, or none and its errors are added.
template <typename T>
std::optional<T> ValueOr(Result<T> result, Diagnostics* errors) {
  if (result) return *std::move(result);
  Append(std::move(result.error()), errors);
  return std::nullopt;
}

}  // namespace inlay::run
