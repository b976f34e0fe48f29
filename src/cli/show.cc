#include "inlay/report/show.h"

#include <sstream>
#include <utility>

#include "cli/deliver_result.h"
#include "cli/eval_case.h"
#include "cli/session.h"
#include "inlay/base/mention.h"
#include "inlay/base/version.h"
#include "inlay/core/network_totals.h"
#include "inlay/core/show_result.h"
#include "inlay/io/json/document.h"
#include "inlay/io/library/library.h"
#include "inlay/io/load.h"
#include "inlay/io/native/native.h"
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
  Architecture architecture = *inputs.architecture;
  io::LoadRecord record;  // its warnings are shown with the architecture
  record.sources = sources;
  const auto matched = io::MatchTensorNames(*inputs.problem, &architecture, &record);
  if (!matched) return Fail(matched.error());
  auto mapping = inputs.mapping(*inputs.problem, architecture);
  if (!mapping) return Fail(std::move(mapping.error()));
  return io::MappingLines(*inputs.problem, architecture, *mapping);
}

// The layers of a network that is to be shown as one, and what it amounts to.
struct NetworkToShow {
  Network layers;
  NetworkTotals totals;
  ElementBits bits;
};

// At the network's own bits where no others are asked for.
tl::expected<NetworkToShow, Fault> Measure(const io::Inputs& inputs, const OptionValues& options) {
  const bool own = inputs.graph && !inputs.graph->bits.empty() && !options.WasSet("bits");
  const ElementBits bits =
      own ? inputs.graph->bits : ElementBits{{kAllValues, options.Integer("bits")}};
  const auto totals = !inputs.graph
                          ? TotalsOf(*inputs.network, BitsOfAll(bits))
                          : TotalsOf(*inputs.graph, BitsOfValues(*inputs.graph, bits).value());
  if (!totals) return tl::unexpected(totals.error());
  return NetworkToShow{inputs.network ? *inputs.network : LayersOf(*inputs.graph), *totals, bits};
}

// What the technology that the option names would make of the architecture's energies.
Result<std::optional<Repricing>> RepricingOf(const io::Inputs& inputs,
                                             const OptionValues& options) {
  if (!options.WasSet("technology")) return std::nullopt;
  if (!inputs.architecture) {
    return Fail(MakeError({}, Mention("technology") + " is for an architecture",
                          "give one, or a file that holds one"));
  }
  auto technology = io::LoadBuiltinTechnology(options.Text("technology"));
  if (!technology) return Fail(std::move(technology.error()));
  const Architecture& bare = inputs.by_class ? *inputs.by_class : *inputs.architecture;
  return Reprice(*inputs.architecture, bare, *technology);
}

std::string Summary(const io::Inputs& inputs, const std::optional<NetworkToShow>& network,
                    const std::optional<Repricing>& repricing,
                    const std::optional<std::vector<std::string>>& mapping,
                    const TextStyle& style) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : "\n") + part; };
  if (network) add(report::ShowNetwork(network->layers, network->totals, network->bits, style));
  if (inputs.problem) add(report::ShowProblem(*inputs.problem, style));
  if (inputs.architecture) add(report::ShowArchitecture(*inputs.architecture, style));
  if (repricing) add(report::ShowRepricing(*repricing, style));
  if (inputs.machine) add(report::ShowMachine(*inputs.machine, style));
  if (inputs.accelerator) add(report::ShowAccelerator(*inputs.accelerator, style));
  if (inputs.mix) add(report::ShowMix(*inputs.mix, style));
  if (inputs.technology) add(report::ShowTechnology(*inputs.technology, style));
  if (inputs.study) add(report::ShowStudy(*inputs.study, style));
  if (mapping) {
    const bool checked = inputs.problem && inputs.architecture;
    add(Paint(checked ? "mapping" : "mapping, as written", Tone::kBold, style) + "\n" +
        report::ShowMapping(*mapping));
  }
  return out;
}

ShowResult ResultOf(ResultHeader header, const io::Inputs& inputs,
                    const std::optional<NetworkToShow>& network,
                    const std::optional<Repricing>& repricing,
                    const std::optional<std::vector<std::string>>& mapping) {
  ShowResult result{.header = std::move(header)};
  if (network) result.network = Show(network->layers, network->totals);
  if (inputs.problem) result.problem = Show(*inputs.problem);
  if (inputs.architecture) result.architecture = Show(*inputs.architecture);
  if (inputs.machine) result.machine = Show(*inputs.machine);
  if (inputs.accelerator) result.accelerator = *inputs.accelerator;
  if (inputs.mix) result.mix = Show(*inputs.mix);
  if (inputs.technology) result.technology = Show(*inputs.technology);
  result.repricing = repricing;
  if (inputs.study) result.study = Show(*inputs.study);
  result.mapping = mapping;
  return result;
}

ExitCode RunShow(const Invocation& invocation, Session* session) {
  io::LoadRecord record = run::RecordFor(StructFrom<run::CommonRequest>(invocation.options));
  auto inputs = io::LoadAny(invocation.arguments, &record);
  Diagnostics unused = inputs ? TakeUnusedValues(&record) : Diagnostics();
  if (!unused.empty()) inputs = Fail(std::move(unused));
  if (!inputs) {
    session->Report(inputs.error());
    return kWrongInput;
  }
  session->Report(record.warnings);
  std::optional<NetworkToShow> network;
  if ((inputs->network || inputs->graph) && !io::IsOneLayer(*inputs)) {
    auto measured = Measure(*inputs, invocation.options);
    if (!measured) {
      session->Report(run::ErrorsOf({measured.error()}));
      return kNoAnswer;
    }
    network = *std::move(measured);
  }
  std::optional<std::vector<std::string>> mapping;
  if (inputs->mapping) {
    auto lines = LinesOf(*inputs, record.sources);
    if (!lines) {
      session->Report(lines.error());
      return kWrongInput;
    }
    mapping = *std::move(lines);
  }
  auto repricing = RepricingOf(*inputs, invocation.options);
  if (!repricing) {
    session->Report(repricing.error());
    return kWrongInput;
  }
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  const auto summary = [&](const TextStyle& style) {
    return Summary(*inputs, network, *repricing, mapping, style);
  };
  const ResultHeader header = {"show", std::string(kVersion), record.inputs,
                               invocation.options.ForResult()};
  return Deliver(
      {io::WriteJson(ResultOf(header, *inputs, network, *repricing, mapping)), summary, {}},
      &*folder, session);
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
          "its units and memories; of a mix its accelerator and, at its bits, the networks; of a "
          "technology energies over the sizes of memories, and of arithmetic, with their sources.",
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
                  {.key = "technology",
                   .sentence =
                       "beside the energies of an architecture, those by this technology, a "
                       "built-in; what counts stays",
                   .value_name = "NAME",
                   .in_result = true},
                  OutputFolderOption(),
                  JsonOption(),
                  AsciiOption(),
                  QuietOption()},
      .examples = {{"inlay show resnet50", "a network"},
                   {"inlay show eyeriss", "an architecture"},
                   {"inlay show eyeriss --technology cmos-45", "its energies by a technology"},
                   {"inlay show resnet50/conv2_1_3x3", "one layer"}},
      .common_options = {.dims = true},
      .run = RunShow,
  };
}

}  // namespace inlay::cli
