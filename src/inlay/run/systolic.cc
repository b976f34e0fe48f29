#include "inlay/run/systolic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/cost/systolic.h"

namespace inlay::run {
namespace {

// A whole number from 1, or 0 for anything else.
int64_t ParseSide(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

// "32x16": rows and columns.
Result<void> ParseArray(std::string_view text, SystolicArray* array) {
  const size_t cross = std::min(text.find('x'), text.size());
  array->rows = ParseSide(text.substr(0, cross));
  array->columns = ParseSide(text.substr(std::min(cross + 1, text.size())));
  if (array->rows >= 1 && array->columns >= 1) return {};
  return Fail(MakeError({}, Mention("array") + ": '" + std::string(text) + "' is not a size",
                        "write rows x columns, each from 1, such as 32x32"));
}

// The operand that stays in the elements: the only one that the innermost level holds.
std::optional<Dataflow> DataflowOf(const Architecture& architecture) {
  const Level& innermost = architecture.levels.back();
  std::vector<std::string> kept;
  for (const Partition& part : innermost.partitions) kept.push_back(part.tensor);
  if (kept.empty() && innermost.keep && !innermost.keep->all) kept = innermost.keep->names;
  if (kept.size() != 1) return std::nullopt;
  if (kept.front() == "Outputs") return Dataflow::kOutputStationary;
  if (kept.front() == "Weights") return Dataflow::kWeightStationary;
  if (kept.front() == "Inputs") return Dataflow::kInputStationary;
  return std::nullopt;
}

// The one fan-out of an architecture; what the request says goes before it.
Result<SystolicArray> ArrayOf(const Architecture& architecture, const SystolicRequest& request) {
  SystolicArray array;
  size_t fanouts = 0;
  for (const Level& level : architecture.levels) {
    if (level.fanout.x == 1 && level.fanout.y == 1) continue;
    ++fanouts;
    array.rows = level.fanout.y;
    array.columns = level.fanout.x;
  }
  if (fanouts > 1 && !request.array) {
    return Fail(MakeError({},
                          "architecture '" + architecture.name + "' has " +
                              std::to_string(fanouts) + " fan-outs; a systolic array is one",
                          "say how large the array is: " + Mention("array", "RxC")));
  }
  const auto dataflow = request.dataflow ? request.dataflow : DataflowOf(architecture);
  if (!dataflow) {
    return Fail(MakeError({},
                          "architecture '" + architecture.name +
                              "' does not say which operand stays in the array: its innermost "
                              "level is not for one of Outputs, Weights and Inputs alone",
                          "say it: " + Mention("dataflow", "os|ws|is")));
  }
  array.dataflow = *dataflow;
  return array;
}

// The array that --arch or --config, --array and --dataflow describe; the latter two win.
Result<SystolicArray> ArrayOf(const SystolicRequest& request, io::LoadRecord* record) {
  SystolicArray array;
  if (request.config && !request.arch.empty()) {
    return Fail(
        MakeError({}, Mention("config") + " and " + Mention("arch") + " both describe the array",
                  "give one of them"));
  }
  if (request.config) {
    auto config = io::LoadSystolicArray(*request.config, record);
    if (!config) return Fail(std::move(config.error()));
    array = *config;
  } else if (!request.arch.empty()) {
    const auto architecture = io::LoadArchitecture(request.arch, record);
    if (!architecture) return Fail(architecture.error());
    auto found = ArrayOf(*architecture, request);
    if (!found) return Fail(std::move(found.error()));
    array = *found;
  } else if (!request.array || !request.dataflow) {
    return Fail(MakeError({}, "the array is not described",
                          fmt::format("give {} and {}, {}, or {}", Mention("array", "RxC"),
                                      Mention("dataflow", "os|ws|is"), Mention("arch", "ARCH"),
                                      Mention("config", "FILE"))));
  }
  if (request.array) {
    const auto parsed = ParseArray(*request.array, &array);
    if (!parsed) return Fail(parsed.error());
  }
  array.dataflow = request.dataflow.value_or(array.dataflow);
  return array;
}

// Sums over all repeats, and the utilisation of the whole. False where they do not fit into 64
// bits.
bool AddUp(SystolicResult* result) {
  for (const SystolicLayer& layer : result->layers) {
    const auto operations = CheckedMultiply(layer.cost.operations, layer.repeat);
    const auto cycles = CheckedMultiply(layer.cost.cycles, layer.repeat);
    if (!operations || !cycles) return false;
    const auto total_operations = CheckedAdd(result->total_operations, *operations);
    const auto total_cycles = CheckedAdd(result->total_cycles, *cycles);
    if (!total_operations || !total_cycles) return false;
    result->total_operations = *total_operations;
    result->total_cycles = *total_cycles;
  }
  const double slots = static_cast<double>(result->total_cycles) *
                       static_cast<double>(result->array.rows) *
                       static_cast<double>(result->array.columns);
  result->total_utilization = slots > 0 ? static_cast<double>(result->total_operations) / slots : 0;
  return true;
}

}  // namespace

const Structure& StructureOf(const SystolicRequest*) {
  using R = SystolicRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::array>("array", "rows x columns of the array", {.option = {.value_name = "RxC"}}),
      Row<&R::dataflow>("dataflow", "which operand stays in the array: outputs, weights or inputs"),
      Row<&R::config>("config", "a SCALE-Sim cfg; --array and --dataflow win over it",
                      {.option = {.value_name = "FILE", .in_result = false}}),
      Row<&R::arch>("arch",
                    "instead of --config: an architecture with one fan-out, a built-in such as "
                    "systolic-os or files; its memories have no effect",
                    {.option = {.value_name = "ARCH...", .in_result = false, .takes_words = true}}),
  });
  return Describe<R, kFields>("SystolicRequest");
}

Result<SystolicInputs> Load(const SystolicRequest* request) {
  SystolicInputs inputs;
  inputs.record = RecordFor(request->common);
  Diagnostics errors;
  auto network = ValueOr(io::LoadWorkloads(request->workloads, &inputs.record), &errors);
  const auto array = ValueOr(ArrayOf(*request, &inputs.record), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  inputs.network = *std::move(network);
  inputs.array = *array;
  return inputs;
}

Outcome<SystolicResult> Run(const SystolicRequest& request, const SystolicInputs& inputs) {
  SystolicResult result;
  result.header = HeaderOf("systolic", request.common, inputs.record.inputs);
  result.array = inputs.array;
  const auto start = std::chrono::steady_clock::now();
  for (const Layer& layer : inputs.network.layers) {
    const auto cost = EvaluateSystolic(layer.problem, inputs.array);
    if (!cost) {
      return FailWith(Failure::Kind::kNoAnswer,
                      {MakeError({}, "layer '" + layer.name + "': " + cost.error().message,
                                 cost.error().hint)});
    }
    result.layers.push_back({layer.name, layer.repeat, *cost});
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!AddUp(&result)) {
    return FailWith(Failure::Kind::kNoAnswer,
                    {MakeError({}, "the cycles of all layers do not fit into 64 bits")});
  }
  return result;
}

}  // namespace inlay::run
