#include "inlay/run/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/core/roles.h"
#include "inlay/mapper/strategy.h"
#include "inlay/mapspace/constraint_errors.h"
#include "inlay/report/map_result.h"

namespace inlay::run {
namespace {

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// What the strategy does not let a user choose.
void CheckStrategy(const MapRequest& request, Diagnostics* errors) {
  const StrategyRecord& strategy = RecordOf(request.options.strategy);
  const OptionValues& values = request.common.values;
  const std::string its = fmt::format("the strategy '{}'", Name(strategy.strategy));
  if (values.WasSet("objective") && strategy.only_metric &&
      request.options.objective != Objective{*strategy.only_metric}) {
    errors->push_back(MakeError({},
                                fmt::format("{}: {} minimises '{}' only", Mention("objective"), its,
                                            Name(*strategy.only_metric)),
                                fmt::format("leave {} out, or use {}", Mention("objective"),
                                            Mention("strategy", "exact"))));
  }
  if (values.WasSet("mapspace") && strategy.has_own_machine) {
    errors->push_back(MakeError(
        {}, fmt::format("{}: {} has mappings of its own", Mention("mapspace"), its),
        fmt::format("leave {} out, or use {}", Mention("mapspace"), Mention("strategy", "exact"))));
  }
}

void CheckUneven(const MapRequest& request, Diagnostics* errors) {
  if (request.mapspace != Mapspace::kUneven) return;
  const auto refuse = [&](const std::string& what) {
    errors->push_back(
        MakeError({}, fmt::format("{} is not for {}", Mention("mapspace", "uneven"), what),
                  fmt::format("leave that out, or use {}", Mention("mapspace", "any"))));
  };
  const StrategyRecord& strategy = RecordOf(request.options.strategy);
  if (!strategy.finds_uneven && !strategy.has_own_machine) {
    refuse(Mention("strategy", Name(strategy.strategy)));
  }
  if (request.options.semantics != Semantics::kExact) {
    refuse(Mention("semantics", Name(request.options.semantics)));
  }
  if (request.options.of == MinimisedOf::kNetwork) refuse(Mention("of", "network"));
  if (!request.front.empty()) refuse(Mention("front"));
}

void CheckFront(const MapRequest& request, Diagnostics* errors) {
  const bool has_front = !request.front.empty();
  if (request.common.values.WasSet("objective") && has_front) {
    errors->push_back(
        MakeError({}, Mention("objective") + ": a front has no objective, it holds every trade-off",
                  fmt::format("leave out {} or {}", Mention("objective"), Mention("front"))));
  }
  const bool of_network = request.options.of == MinimisedOf::kNetwork;
  if (of_network && !RecordOf(request.options.strategy).finds_least_totals) {
    errors->push_back(
        MakeError({}, Mention("of", "network") + " is for the strategy 'exact'",
                  fmt::format("leave out {} or {}", Mention("of"), Mention("strategy"))));
  }
  if (of_network && has_front) {
    errors->push_back(
        MakeError({}, Mention("of", "network") + ": fronts have no totals",
                  fmt::format("leave out {} or {}", Mention("of"), Mention("front"))));
  }
  if (request.onchip && !has_front) {
    errors->push_back(
        MakeError({}, Mention("onchip") + " is for a front", "add " + Mention("front")));
  }
  if (has_front && request.front.size() < kNames<FrontMeasure>.size()) {
    errors->push_back(MakeError({}, Mention("front") + ": a front is of all three measures",
                                "write " + Mention("front", "footprint,offchip,cycles")));
  }
}

MapOptions OptionsOf(const MapRequest& request) {
  MapOptions options = request.options;
  options.time_limit_seconds = request.common.time_limit;
  options.threads = ThreadsOf(request.common);
  options.seed = static_cast<uint64_t>(request.common.seed);
  if (const auto metric = RecordOf(options.strategy).only_metric) options.objective = {*metric};
  if (!request.front.empty()) options.front = FrontOptions();
  return options;
}

Diagnostics CheckOnchip(const NetworkTask& task) {
  Diagnostics errors;
  for (const std::string& name : task.onchip) {
    const bool known = std::any_of(
        task.network.layers.begin(), task.network.layers.end(),
        [&](const Layer& layer) { return FindTensor(layer.problem, name).has_value(); });
    if (known) continue;
    errors.push_back(
        MakeError({}, Mention("onchip") + ": no layer has a tensor '" + name + "'",
                  fmt::format("the tensors are {}",
                              fmt::join(TensorNames(task.network.layers.front().problem), ", "))));
  }
  return errors;
}

MapResult ResultOf(const NetworkTask& task, const NetworkAnswer& answer) {
  MapResult result;
  result.workload = task.network.name;
  result.architecture = task.architecture.name;
  result.total = answer.totals;
  result.hardware = Show(task.architecture);
  result.measured.threads = task.options.threads;
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    const Layer& layer = task.network.layers[i];
    result.layers.push_back(report::LayerResultOf(layer, task.architecture, answer.layers[i]));
    LayerResult& added = result.layers.back();
    if (task.options.front && !added.front) added.front.emplace();
    if (answer.same_as[i] != i) {
      added.same_as = task.network.layers[answer.same_as[i]].name;
    }
  }
  return result;
}

bool HasAnswer(const LayerAnswer& answer) { return answer.best || !answer.front.empty(); }

// "layer 'a'", "layers 'a', 'b', 'c' and 7 more".
std::string LayersText(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  std::string text = names.size() == 1 ? "layer " : "layers ";
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "'" : ", '") + names[i] + "'";
  }
  if (names.size() > kMost) text += fmt::format(" and {} more", names.size() - kMost);
  return text;
}

// Why layers have no mapping; a reason that several share once.
Diagnostics ReasonsForMissing(const NetworkTask& task, const NetworkAnswer& answer) {
  Diagnostics errors;
  std::vector<std::vector<std::string>> layers;  // that have the error
  for (size_t i = 0; i < answer.layers.size(); ++i) {
    if (HasAnswer(answer.layers[i]) || answer.same_as[i] != i) continue;
    const Layer& layer = task.network.layers[i];
    for (const Fault& reason : report::ReasonsOf(answer.layers[i])) {
      const auto known = std::find_if(errors.begin(), errors.end(), [&](const Diagnostic& error) {
        return error.message == reason.message;
      });
      const auto index = static_cast<size_t>(known - errors.begin());
      if (known == errors.end()) {
        const auto [architecture, constraints] = ForLayer(
            layer.problem, task.architecture, task.constraints, task.tensor_names_resolved);
        errors.push_back(ErrorAtConstraint(reason, layer.problem, architecture, constraints));
        layers.emplace_back();
      }
      layers[index].push_back(layer.name);
    }
  }
  for (size_t i = 0; i < errors.size(); ++i) {
    errors[i].message.insert(0, LayersText(layers[i]) + ": ");
  }
  return errors;
}

}  // namespace

const Structure& StructureOf(const MapRequest*) {
  using R = MapRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::arch>("arch", kArchSentence,
                    {.option = {.value_name = "ARCH...", .in_result = false, .takes_words = true}}),
      Row<&R::constraints>(
          "constraints",
          "files with more constraints than the architecture has, native or Timeloop's",
          {.option = {.value_name = "FILE...", .in_result = false, .takes_words = true}}),
      RowIn<&R::options, &MapOptions::objective>(
          "objective",
          "what to minimise: energy, cycles, their product, or words to and from the outermost "
          "level; the next of a list decides among equals (dnnopt: offchip only)"),
      RowIn<&R::options, &MapOptions::of>(
          "of",
          "whose objective is to be the least: every layer's own, or that of the network's totals; "
          "that differs for edp, where the totals are (sum of energies) x (sum of cycles) (exact)"),
      Row<&R::mapspace>(
          "mapspace",
          "which tilings are allowed: divisors; divisors of a padded problem; short last tiles in "
          "space, in time, in both; any tile sizes; these, and tensors that enter a level at "
          "different loops (not for dnnopt; uneven: exact only)"),
      RowIn<&R::options, &MapOptions::strategy>(
          "strategy",
          "how to search: with a proof, at random, as DNNOPT does, or by geometric programs as "
          "Thistle does"),
      RowIn<&R::options, &MapOptions::semantics>("semantics", "how accesses are counted",
                                                 {.option = {.choices = kSearchSemantics}}),
      RowIn<&R::options, &MapOptions::accounting>("accounting", kAccountingSentence,
                                                  {.option = kThistleOnly}),
      Row<&R::front>("front",
                     "instead of one mapping, all that no other beats in these three: words on "
                     "chip, words off chip, cycles",
                     {.option = {.value_name = "footprint,offchip,cycles"}}),
      Row<&R::onchip>("onchip",
                      "with --front: tensors that already lie on chip, such as Inputs,Outputs; "
                      "their off-chip words are free",
                      {.option = {.value_name = "TENSORS"}}),
      RowIn<&R::options, &MapOptions::random>(
          "", "",
          {.inlined = true, .option = {.only_with_key = "strategy", .only_with_value = "random"}}),
      RowIn<&R::options, &MapOptions::dnnopt>(
          "", "",
          {.inlined = true, .option = {.only_with_key = "strategy", .only_with_value = "dnnopt"}}),
      RowIn<&R::options, &Nearest>(
          "nearest", "gp: try this many divisors for every tile, the closest to the real size",
          {.option = {.value_name = "N",
                      .min = 1,
                      .max = 8,
                      .only_with_key = "strategy",
                      .only_with_value = "gp"}}),
  });
  return Describe<R, kFields>("MapRequest");
}

Diagnostics Check(const MapRequest& request) {
  Diagnostics errors = CheckEffects(request.common.values, StructureOf(&request));
  CheckStrategy(request, &errors);
  CheckFront(request, &errors);
  CheckUneven(request, &errors);
  if (errors.empty()) errors = ErrorsOf(CheckOptions(OptionsOf(request)));
  return errors;
}

std::vector<std::pair<std::string, OptionValue>> RecordedOptions(const MapRequest& request) {
  std::vector<std::string> without_effect;
  if (!request.front.empty()) without_effect.insert(without_effect.end(), {"objective", "of"});
  const StrategyRecord& strategy = RecordOf(request.options.strategy);
  if (!strategy.finds_least_totals) without_effect.emplace_back("of");
  auto options = EffectiveOptions(request.common.values, StructureOf(&request));
  if (strategy.has_own_machine) without_effect.emplace_back("mapspace");
  for (auto& [key, value] : options) {
    if (!strategy.only_metric || key != "objective") continue;
    value = std::vector<std::string>{Name(*strategy.only_metric)};
  }
  std::erase_if(options, [&](const auto& option) {
    return std::find(without_effect.begin(), without_effect.end(), option.first) !=
           without_effect.end();
  });
  return options;
}

NetworkTask TaskOf(const MapRequest& request, LayerInputs inputs) {
  NetworkTask task;
  task.network = std::move(inputs.network);
  task.architecture = std::move(inputs.architecture);
  task.constraints = std::move(inputs.constraints);
  task.tensor_names_resolved = inputs.tensor_names_resolved;
  task.mapspace = request.mapspace;
  task.options = OptionsOf(request);
  if (request.onchip) task.onchip = SplitAtCommas(*request.onchip);
  return task;
}

Result<MapInputs> Load(const MapRequest* request) {
  Diagnostics errors = Check(*request);
  LayerInputs layers =
      LoadLayers(request->workloads, request->arch, request->constraints, request->common, &errors);
  MapInputs inputs;
  inputs.record = std::move(layers.record);
  inputs.task = TaskOf(*request, std::move(layers));
  if (!inputs.task.network.layers.empty()) Append(CheckOnchip(inputs.task), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  inputs.vector = VectorNodesOf(inputs.record.graphs, inputs.task);
  if (inputs.vector) inputs.task.vector = inputs.vector->totals;
  return inputs;
}

Outcome<MapRun> Run(const MapRequest& request, const MapInputs& inputs, const StopFlag& stop,
                    const MapProgressSink& progress) {
  const auto start = std::chrono::steady_clock::now();
  auto answer = MapNetwork(inputs.task, stop, progress);
  if (!answer) return FailWith(Failure::Kind::kWrongInput, std::move(answer.error()));
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  Diagnostics missing = ReasonsForMissing(inputs.task, *answer);
  if (std::none_of(answer->layers.begin(), answer->layers.end(), HasAnswer)) {
    return FailWith(Failure::Kind::kNoAnswer, std::move(missing));
  }
  const bool complete = std::all_of(answer->layers.begin(), answer->layers.end(), HasAnswer);
  MapRun run{ResultOf(inputs.task, *answer), *std::move(answer), complete, std::move(missing)};
  const int bits = inputs.task.architecture.levels[LevelId(0)].word_bits;
  const auto each = [&](const Graph& graph) { return ValueBits(graph.values.size(), bits); };
  std::vector<NodeCoverage> coverages;
  for (size_t i = 0; i < inputs.record.graphs.size(); ++i) {
    const Graph& graph = *inputs.record.graphs[i];
    const WhyNotCounted* why_not = inputs.vector ? &inputs.vector->why_not[i] : nullptr;
    coverages.push_back(CoverageOf(graph, each(graph), why_not));
  }
  if (inputs.vector) run.result.vector_nodes = inputs.vector->nodes;
  if (!coverages.empty()) run.result.coverage = SumOf(coverages);
  // A drawing is of one network; of several, and layers beside one, there is none.
  if (coverages.size() == 1 && request.workloads.size() == 1) {
    const Graph& graph = *inputs.record.graphs.front();
    run.result.graph = GraphResultOf(graph, each(graph));
  }
  run.result.header = HeaderOf("map", request.common, inputs.record.inputs);
  run.result.header.options = RecordedOptions(request);
  run.result.interrupted = stop.Requested();
  run.result.measured.seconds = elapsed.count();
  return run;
}

}  // namespace inlay::run
