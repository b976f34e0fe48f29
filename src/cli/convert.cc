#include <filesystem>
#include <optional>
#include <utility>

#include "cli/deliver_result.h"
#include "cli/session.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/io/native/native.h"
#include "inlay/io/timeloop/write.h"
#include "inlay/io/write_file.h"
#include "inlay/run/common.h"

namespace inlay::cli {
namespace {

constexpr const char* kNative = "native";

// What was read, with the mapping bound and a network of one layer taken as its problem.
struct Parts {
  std::optional<Problem> problem;
  std::optional<Architecture> architecture;
  std::optional<Mapping> mapping;
  std::optional<Network> network;
  std::optional<Graph> graph;
  std::optional<Machine> machine;
  std::optional<Accelerator> accelerator;
  std::optional<Mix> mix;
  std::optional<Technology> technology;
};

// The record is given the warnings of names that are guessed.
Result<Parts> PartsOf(io::Inputs inputs, const std::string& format, io::LoadRecord* record) {
  if (io::IsOneLayer(inputs)) inputs.network.reset();
  Parts parts{
      std::move(inputs.problem),     std::move(inputs.architecture), std::nullopt,
      std::move(inputs.network),     std::move(inputs.graph),        std::move(inputs.machine),
      std::move(inputs.accelerator), std::move(inputs.mix),          std::move(inputs.technology)};
  if (inputs.constraints) {
    return Fail(MakeError({}, "constraints can be converted only together with their architecture",
                          "give the file that holds it too"));
  }
  // Mappings, and Timeloop, know tensors by the names of the problem.
  if (parts.problem && parts.architecture && (inputs.mapping || format != kNative)) {
    const auto matched = io::MatchTensorNames(*parts.problem, &*parts.architecture, record);
    if (!matched && inputs.mapping) return Fail(matched.error());  // else it keeps its own
  }
  if (!inputs.mapping) return parts;
  if (!parts.problem || !parts.architecture) {
    return Fail(MakeError({},
                          "a mapping can be converted only together with its problem and "
                          "architecture",
                          "give the files that hold them too"));
  }
  auto mapping = inputs.mapping(*parts.problem, *parts.architecture);
  if (!mapping) return Fail(std::move(mapping.error()));
  parts.mapping = *std::move(mapping);
  return parts;
}

std::string ToNative(const Parts& parts) {
  std::string text;
  const auto add = [&](const std::string& document) {
    text += (text.empty() ? "" : "---\n") + document;
  };
  if (parts.technology) add(io::WriteNative(*parts.technology));
  if (parts.network) add(io::WriteNative(*parts.network));
  if (parts.graph) add(io::WriteNative(*parts.graph));
  if (parts.problem) add(io::WriteNative(*parts.problem));
  if (parts.architecture) add(io::WriteNative(*parts.architecture, io::BuiltinContext()));
  if (parts.machine) add(io::WriteNative(*parts.machine));
  if (parts.accelerator) add(io::WriteNative(*parts.accelerator));
  if (parts.mix) add(io::WriteNative(*parts.mix));
  if (parts.mapping) add(io::WriteNative(*parts.problem, *parts.architecture, *parts.mapping));
  return text;
}

Result<std::string> ToTimeloop(const Parts& parts, io::TimeloopVersion version) {
  if (parts.network || parts.graph) {
    const Network network = parts.network ? *parts.network : LayersOf(*parts.graph);
    return Fail(MakeError({}, "Timeloop has no files of whole networks",
                          network.layers.empty() ? ""
                                                 : "convert one layer: '" + network.name + "/" +
                                                       network.layers.front().name + "'"));
  }
  if (parts.machine) return Fail(MakeError({}, "Timeloop has no files of machines"));
  if (parts.accelerator || parts.mix) {
    return Fail(MakeError({}, "Timeloop has no files of several networks on one accelerator"));
  }
  if (parts.technology) {
    return Fail(MakeError({}, "Timeloop has no files of technologies",
                          "convert an architecture; its energies are written beside it"));
  }
  const auto pointer = [](const auto& part) { return part ? &*part : nullptr; };
  return io::WriteTimeloop(pointer(parts.problem), pointer(parts.architecture),
                           pointer(parts.mapping), version);
}

Result<std::string> Convert(const Parts& parts, const std::string& format) {
  if (format == kNative) return ToNative(parts);
  return ToTimeloop(parts,
                    format == "timeloop-0.3" ? io::TimeloopVersion::k03 : io::TimeloopVersion::k04);
}

// The input that is the same file as `output`, by whatever path or link; "" if none is.
std::string InputAt(const std::string& output, const std::vector<InputRecord>& inputs) {
  for (const InputRecord& input : inputs) {
    std::error_code ignored;  // what does not exist, such as a built-in, is no file
    if (std::filesystem::equivalent(output, input.name, ignored)) return input.name;
  }
  return "";
}

// What Timeloop cannot be told, and is not needed besides the architecture, which is then written
// with the problem's names.
Diagnostics WarnOfRoles(const Parts& parts, const std::string& format) {
  if (format == kNative || !parts.problem || parts.architecture) return {};
  for (const Tensor& tensor : parts.problem->tensors) {
    if (tensor.role.empty()) continue;
    return {MakeWarning(
        {}, "Timeloop has no roles of tensors: those of '" + parts.problem->name + "' are left out",
        "convert it together with its architecture, which is then written with "
        "the names of the problem")};
  }
  return {};
}

ExitCode RunConvert(const Invocation& invocation, Session* session) {
  io::LoadRecord record = run::RecordFor(StructFrom<run::CommonRequest>(invocation.options));
  auto inputs = io::LoadAny(invocation.arguments, &record);
  Diagnostics unused = inputs ? TakeUnusedValues(&record) : Diagnostics();
  if (!unused.empty()) inputs = Fail(std::move(unused));
  const std::string& format = invocation.options.Text("to");
  auto parts =
      inputs ? PartsOf(*std::move(inputs), format, &record) : Fail(std::move(inputs.error()));
  if (!parts) {
    session->Report(parts.error());
    return kWrongInput;
  }
  Append(WarnOfRoles(*parts, format), &record.warnings);
  session->Report(record.warnings);
  if (invocation.options.Has("output")) {
    const std::string& output = invocation.options.Text("output");
    if (!InputAt(output, record.inputs).empty()) {
      session->Report({MakeError({output, 0, 0}, "-o is one of the files to convert",
                                 "write to another file; inputs are never overwritten")});
      return kWrongInput;
    }
  }
  const auto text = Convert(*parts, format);
  if (!text) {
    session->Report(text.error());
    return kWrongInput;
  }
  if (!invocation.options.Has("output")) {
    session->Print(*text);
    return kDone;
  }
  const auto written = io::WriteFile(invocation.options.Text("output"), *text);
  if (!written) session->Report(written.error());
  return written ? kDone : kWrongInput;
}

}  // namespace

Command ConvertCommand() {
  return {
      .name = "convert",
      .sentence = "files of any format as native or Timeloop files",
      .usages = {"IN... [--to native|timeloop-0.3|timeloop-0.4] [-o FILE]"},
      .details =
          "Reads what inlay reads everywhere (native YAML, Timeloop's of 2019, 0.2, 0.3 and 0.4, "
          "SCALE-Sim's cfg and CSV, ONNX models) and writes what is in it. What the format cannot "
          "say is an error. For Timeloop, a level with partitions becomes one level per "
          "partition, as in the mappings that map writes.",
      .arguments = {{.name = "IN",
                     .sentence =
                         "a built-in or a file, one layer of it (NAME/LAYER, FILE/LAYER), or files "
                         "that are read together",
                     .repeated = true}},
      .options = {{.key = "to",
                   .sentence = "the format to write",
                   .type = OptionType::kChoice,
                   .choices = {kNative, "timeloop-0.3", "timeloop-0.4"},
                   .default_text = kNative},
                  {.key = "output",
                   .sentence = "the file to write, replacing what is there but never an input; "
                               "standard output without it",
                   .value_name = "FILE",
                   .short_name = 'o'},
                  QuietOption()},
      .examples = {{"inlay convert arch.yaml problem.yaml mapping.yaml --to native -o case.yaml",
                    "Timeloop's files as one native file"},
                   {"inlay convert resnet50/conv2_1_3x3 --to timeloop-0.4",
                    "a built-in layer as Timeloop's problem"}},
      .common_options = {.dims = true},
      .run = RunConvert,
  };
}

}  // namespace inlay::cli
