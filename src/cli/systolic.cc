#include "inlay/cost/systolic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "cli/deliver.h"
#include "cli/session.h"
#include "inlay/base/checked.h"
#include "inlay/base/version.h"
#include "inlay/core/systolic_result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/load.h"
#include "inlay/report/systolic.h"

namespace inlay::cli {
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
  return Fail(MakeError({}, "--array: '" + std::string(text) + "' is not a size",
                        "write rows x columns, each from 1, such as 32x32"));
}

// The array that --config, --array and --dataflow describe; the latter two win.
Result<SystolicArray> ArrayFrom(const OptionValues& options, io::LoadRecord* record) {
  SystolicArray array;
  if (options.Has("config")) {
    auto config = io::LoadSystolicArray(options.Text("config"), record);
    if (!config) return Fail(std::move(config.error()));
    array = *config;
  } else if (!options.Has("array") || !options.Has("dataflow")) {
    return Fail(MakeError({}, "the array is not described",
                          "give --array RxC and --dataflow os|ws|is, or --config FILE"));
  }
  if (options.Has("array")) {
    const auto parsed = ParseArray(options.Text("array"), &array);
    if (!parsed) return Fail(parsed.error());
  }
  if (options.Has("dataflow")) {
    array.dataflow = DataflowFromShortName(options.Text("dataflow")).value_or(array.dataflow);
  }
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

ExitCode RunSystolic(const Invocation& invocation, Session* session) {
  io::LoadRecord record;
  record.dims = DimsFrom(invocation.options);
  const auto network = io::LoadWorkload(invocation.arguments.front(), &record);
  const auto array = ArrayFrom(invocation.options, &record);
  if (!network) session->Report(network.error());
  if (!array) session->Report(array.error());
  if (!network || !array) return kWrongInput;
  session->Report(record.warnings);
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;

  SystolicResult result;
  result.header = {"systolic", std::string(kVersion), record.inputs,
                   invocation.options.ForResult()};
  result.array = *array;
  const auto start = std::chrono::steady_clock::now();
  for (const Layer& layer : network->layers) {
    const auto cost = EvaluateSystolic(layer.problem, *array);
    if (!cost) {
      session->Report({MakeError({}, "layer '" + layer.name + "': " + cost.error().message,
                                 cost.error().hint)});
      return kNoAnswer;
    }
    result.layers.push_back({layer.name, layer.repeat, *cost});
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  if (!AddUp(&result)) {
    session->Report({MakeError({}, "the cycles of all layers do not fit into 64 bits")});
    return kNoAnswer;
  }
  const auto summary = [&](const TextStyle& style) {
    return report::SystolicSummary(network->name, result, style);
  };
  return Deliver({io::WriteJson(result), summary, {}}, &*folder, session);
}

}  // namespace

Command SystolicCommand() {
  return {
      .name = "systolic",
      .sentence = "SCALE-Sim's cycle model of a systolic array",
      .usages = {"WORKLOAD --array RxC --dataflow os|ws|is [OPTIONS]",
                 "WORKLOAD --config FILE [OPTIONS]"},
      .details = "Folds, cycles, utilisation and SRAM accesses of every layer, without stalls.",
      .arguments = {{.name = "WORKLOAD",
                     .sentence = "a built-in network, one of its layers, or a file"}},
      .options = {{.name = "array",
                   .sentence = "rows x columns of the array",
                   .value_name = "RxC",
                   .in_result = true},
                  {.name = "dataflow",
                   .sentence = "which operand stays in the array: outputs, weights or inputs",
                   .type = OptionType::kChoice,
                   .choices = {"os", "ws", "is"},
                   .in_result = true},
                  {.name = "config",
                   .sentence = "a SCALE-Sim cfg; --array and --dataflow win over it",
                   .value_name = "FILE"},
                  OutputFolderOption(),
                  JsonOption(),
                  AsciiOption(),
                  QuietOption()},
      .examples = {{"inlay systolic resnet18 --array 32x32 --dataflow ws",
                    "ResNet-18 on 32 x 32 elements that hold the weights"},
                   {"inlay systolic topology.csv --config scale.cfg", "SCALE-Sim's own files"}},
      .heeds = {.dims = true},
      .run = RunSystolic,
  };
}

}  // namespace inlay::cli
