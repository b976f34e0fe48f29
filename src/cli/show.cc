#include "inlay/io/json/show.h"

#include <sstream>
#include <utility>

#include "cli/deliver_result.h"
#include "cli/eval_case.h"
#include "cli/session.h"
#include "inlay/base/version.h"
#include "inlay/core/network_totals.h"
#include "inlay/io/load.h"
#include "inlay/io/native/native.h"
#include "inlay/report/show.h"
#include "inlay/report/study.h"
#include "inlay/scratchpad/problem_from_graph.h"

namespace inlay::cli {
namespace {

// The mapping's lines. Without its problem and architecture they cannot be understood and are those
// of the files.
Result<std::vector<std::string>> LinesOf(const io::Inputs& inputs,
                                         const std::vector<io::Source>& sources) {
  if (!inputs.problem || !inputs.architecture) {
    std::vector<std::string> lines;
    for (const io::Source& source : sources) {
      std::istringstream text(source.text);
      for (std::string line; std::getline(text, line);) lines.push_back(line);
    }
    return lines;
  }
  const Diagnostics strangers = io::CheckTensorNames(*inputs.problem, *inputs.architecture);
  if (!strangers.empty()) return Fail(strangers);
  auto mapping = inputs.mapping(*inputs.problem, *inputs.architecture);
  if (!mapping) return Fail(std::move(mapping.error()));
  return io::MappingLines(*inputs.problem, *inputs.architecture, *mapping);
}

std::string Summary(const io::ShowResult& result, int bits, const TextStyle& style) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : "\n") + part; };
  if (result.network != nullptr) {
    add(report::ShowNetwork(*result.network, result.totals, bits, style));
  }
  if (result.problem != nullptr) add(report::ShowProblem(*result.problem, style));
  if (result.architecture != nullptr) add(report::ShowArchitecture(*result.architecture, style));
  if (result.machine != nullptr) add(report::ShowMachine(*result.machine, style));
  if (result.accelerator != nullptr) add(report::ShowAccelerator(*result.accelerator, style));
  if (result.mix != nullptr) add(report::ShowMix(*result.mix, style));
  if (result.technology != nullptr) add(report::ShowTechnology(*result.technology, style));
  if (result.study != nullptr) add(report::ShowStudy(*result.study, style));
  if (result.mapping != nullptr) {
    const bool checked = result.problem != nullptr && result.architecture != nullptr;
    add(Paint(checked ? "mapping" : "mapping, as written", Tone::kBold, style) + "\n" +
        report::ShowMapping(*result.mapping));
  }
  return out;
}

ExitCode RunShow(const Invocation& invocation, Session* session) {
  io::LoadRecord record = run::RecordFor(StructFrom<run::CommonRequest>(invocation.options));
  const auto inputs = io::LoadAny(invocation.arguments, &record);
  if (!inputs) {
    session->Report(inputs.error());
    return kWrongInput;
  }
  session->Report(record.warnings);
  const int bits = static_cast<int>(invocation.options.Integer("bits"));
  io::ShowResult result;
  result.header = {"show", std::string(kVersion), record.inputs, invocation.options.ForResult()};
  Network layers;
  if ((inputs->network || inputs->graph) && !io::IsOneLayer(*inputs)) {
    layers = inputs->network ? *inputs->network : LayersOf(*inputs->graph);
    const auto totals =
        inputs->graph ? TotalsOf(*inputs->graph, bits) : TotalsOf(*inputs->network, bits);
    if (!totals) {
      session->Report(run::ErrorsOf({totals.error()}));
      return kNoAnswer;
    }
    result.network = &layers;
    result.totals = *totals;
  }
  if (inputs->machine) result.machine = &*inputs->machine;
  if (inputs->accelerator) result.accelerator = &*inputs->accelerator;
  if (inputs->mix) result.mix = &*inputs->mix;
  if (inputs->problem) result.problem = &*inputs->problem;
  if (inputs->architecture) result.architecture = &*inputs->architecture;
  if (inputs->technology) result.technology = &*inputs->technology;
  if (inputs->study) result.study = &*inputs->study;
  std::vector<std::string> lines;
  if (inputs->mapping) {
    auto mapping = LinesOf(*inputs, record.sources);
    if (!mapping) {
      session->Report(mapping.error());
      return kWrongInput;
    }
    lines = *std::move(mapping);
    result.mapping = &lines;
  }
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const auto summary = [&](const TextStyle& style) { return Summary(result, bits, style); };
  return Deliver({io::WriteShowResult(result), summary, {}}, &*folder, session);
}

}  // namespace

Command ShowCommand() {
  return {
      .name = "show",
      .sentence =
          "what a built-in or a file holds: networks, architectures, machines, mixes, problems, "
          "mappings, studies",
      .usages = {"NAME-or-FILE... [OPTIONS]"},
      .details =
          "Of a network it tells nodes, operations, bytes of weights and activations, and "
          "the layers; of an architecture the levels with sizes, energies and area; of a machine "
          "its units and memories; of a mix its accelerator and, at its bits, the networks.",
      .arguments =
          {{.name = "NAME-or-FILE",
            .sentence =
                "a built-in or a file, one layer of it (NAME/LAYER, FILE/LAYER), or files read "
                "together",
            .repeated = true}},
      .options = {{.key = "bits",
                   .sentence = "bits of a word, for the bytes of a network",
                   .type = OptionType::kInteger,
                   .value_name = "N",
                   .min = 1,
                   .max = kMostBits,
                   .default_text = "16",
                   .in_result = true},
                  OutputFolderOption(),
                  JsonOption(),
                  AsciiOption(),
                  QuietOption()},
      .examples = {{"inlay show resnet50", "a network"},
                   {"inlay show eyeriss", "an architecture"},
                   {"inlay show resnet50/conv2_1_3x3", "one layer"}},
      .common_options = {.dims = true},
      .run = RunShow,
  };
}

}  // namespace inlay::cli
