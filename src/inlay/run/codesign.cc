#include "inlay/run/codesign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>

#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/codesign/gp_expressions.h"
#include "inlay/codesign/thistle_template.h"
#include "inlay/core/roles.h"
#include "inlay/io/library/library.h"
#include "inlay/io/native/native.h"
#include "inlay/mapper/network.h"
#include "inlay/report/map_result.h"

namespace inlay::run {
namespace {

int& NearestSizes(MapOptions& options) { return options.gp.nearest_sizes; }
double& LeastUtilization(MapOptions& options) { return options.gp.least_utilization; }

// "hetero:3" and the like.
bool ReadScope(const std::string& text, CodesignTask* task) {
  for (const Scope scope : {Scope::kLayer, Scope::kNetwork, Scope::kDominant, Scope::kPareto}) {
    if (text != Name(scope)) continue;
    task->scope = scope;
    return true;
  }
  constexpr std::string_view kHetero = "hetero:";
  if (text.rfind(kHetero, 0) != 0) return false;
  task->scope = Scope::kHetero;
  const char* begin = text.data() + kHetero.size();
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(begin, end, task->most_architectures);
  return error == std::errc() && last == end && task->most_architectures >= 1;
}

// A file with free attributes; an area given as an option goes before that of the file.
void LoadFamily(const CodesignRequest& request, std::optional<double> area, CodesignInputs* inputs,
                Diagnostics* errors) {
  if (request.technology) {
    errors->push_back(MakeError(
        {}, Mention("technology") + " and " + Mention("arch") + " are two families to choose from",
        "name the technology in the architecture's file"));
  }
  auto space = ValueOr(io::LoadArchitectureSpace(*request.arch, &inputs->record), errors);
  if (!space) return;
  inputs->task.space = *std::move(space);
  if (area) inputs->task.space.budget.area_um2 = area;
}

// Budgets as options, in the units of files.
void ReadBudgets(const CodesignRequest& request, ArchitectureSpace* space, Diagnostics* errors) {
  const std::pair<Resource, const std::optional<std::string>*> given[] = {
      {Resource::kPower, &request.power},
      {Resource::kSram, &request.sram},
      {Resource::kBandwidth, &request.bandwidth}};
  for (const auto& [resource, text] : given) {
    const std::string name = Name(resource);
    if (!*text) continue;
    if (!request.arch && resource != Resource::kSram) {
      errors->push_back(MakeError(
          {},
          fmt::format("{} needs {}: memories of the family of {} have no bandwidth", Mention(name),
                      Mention("arch"), Mention("technology")),
          "give the memories of an architecture's file 'read_bandwidth' and 'write_bandwidth', or "
          "'shared_bandwidth'; what is drawn in a cycle follows from them"));
      continue;
    }
    const auto amount = io::ParseBudget(resource, **text, space->base);
    if (amount) {
      space->budget.of(resource) = *amount;
    } else {
      errors->push_back(
          MakeError({}, Mention(name) + ": " + amount.error().message, amount.error().hint));
    }
  }
  if (errors->empty()) Append(ErrorsOf(Validate(*space)), errors);
}

void LoadSpace(const CodesignRequest& request, CodesignInputs* inputs, Diagnostics* errors) {
  if (!request.arch && (!request.technology || !request.area)) {
    errors->push_back(MakeError(
        {}, "there is nothing to choose an architecture from",
        fmt::format("give {} and {}, such as {} {}, or {} with free attributes",
                    Mention("technology"), Mention("area"), Mention("technology", "thistle-45nm"),
                    Mention("area", "2363756"), Mention("arch", "FILE"))));
    return;
  }
  const auto area = request.area ? ParseArea(*request.area) : std::nullopt;
  if (request.area && !area) {
    errors->push_back(
        MakeError({}, Mention("area") + ": expected an area, found '" + *request.area + "'",
                  "such as 2363756 (um2), '2.36 mm2' or 2.36e6"));
  }
  if (request.arch) return LoadFamily(request, area, inputs, errors);
  const auto technology = ValueOr(io::LoadBuiltinTechnology(*request.technology), errors);
  if (technology && area) inputs->task.space = ThistleTemplate(*technology, *area);
}

void LoadNetworks(const CodesignRequest& request, CodesignInputs* inputs, Diagnostics* errors) {
  Network& all = inputs->task.network;
  for (const std::string& workload : request.workloads) {
    auto network = ValueOr(io::LoadWorkload(workload, &inputs->record), errors);
    if (!network) continue;
    all.name += (all.name.empty() ? "" : " + ") + workload;
    for (Layer& layer : network->layers) all.layers.push_back(std::move(layer));
  }
}

// The same layers on the architecture to compare with; none where they do not fit.
std::optional<ArchitectureResult> BaselineOf(const CodesignInputs& inputs, const StopFlag& stop) {
  NetworkTask map;
  map.network = inputs.task.network;
  map.architecture = *inputs.baseline;
  map.tensor_names_resolved = inputs.tensor_names_resolved;
  map.mapspace = inputs.task.mapspace;
  map.options = inputs.task.options;
  if (map.options.time_limit_seconds) {  // of all layers there; here of each
    *map.options.time_limit_seconds /= static_cast<double>(map.network.layers.size());
  }
  if (map.options.objective == Objective{Metric::kEnergy}) {  // as for the architectures found
    map.options.objective.push_back(Metric::kDelay);
  }
  if (inputs.task.scope != Scope::kLayer && inputs.task.method == Method::kExact) {
    map.options.of = MinimisedOf::kNetwork;
  }
  const auto answer = MapNetwork(map, stop);
  if (!answer || !answer->totals) return std::nullopt;
  ArchitectureResult result;
  result.name = inputs.baseline->name;
  result.area_um2 = AreaUm2(*inputs.baseline);
  result.total = *answer->totals;
  return result;
}

// Where the architecture to compare with has more or less silicon than there is to spend.
Diagnostics UnequalAreas(const CodesignInputs& inputs) {
  constexpr double kFair = 0.05;
  const auto& budget = inputs.task.space.budget.area_um2;
  const auto area = inputs.baseline ? AreaUm2(*inputs.baseline) : std::nullopt;
  if (!budget || !area || std::abs(*area / *budget - 1) <= kFair) return {};
  return {MakeWarning({},
                      fmt::format("'{}' has {:.4g} mm2, and there are {:.4g} mm2 to spend: the "
                                  "comparison is not one of equal silicon",
                                  inputs.baseline->name, *area * 1e-6, *budget * 1e-6),
                      "for that, give " + Mention("area", fmt::format("{:.0f}", *area)))};
}

// By level, outer to inner, and of the compute.
std::vector<std::pair<std::string, double>> Named(const Architecture& architecture,
                                                  const std::vector<double>& parts) {
  std::vector<std::pair<std::string, double>> named;
  for (LevelId l : Ids(architecture.levels)) {
    named.emplace_back(architecture.levels[l].name, parts[l.value()]);
  }
  named.emplace_back(architecture.compute.name, parts.back());
  return named;
}

// What each level adds to the area; the rest is the compute's. None without a technology.
std::optional<std::vector<double>> AreaParts(const Architecture& architecture) {
  const auto all = AreaUm2(architecture);
  if (!all) return std::nullopt;
  std::vector<double> parts;
  Architecture bare = architecture;
  double before = *all;
  for (Level& level : bare.levels) {
    level.capacity_words.reset();
    level.partitions.clear();
    const double after = AreaUm2(bare).value_or(0);
    parts.push_back(before - after);
    before = after;
  }
  parts.push_back(before);
  return parts;
}

ArchitectureResult ArchitectureOf(const CodesignTask& task, const Design& design) {
  const Architecture& architecture = design.choice.architecture;
  ArchitectureResult result;
  result.name = architecture.name;
  for (size_t i = 0; i < task.space.free.size(); ++i) {
    result.attributes.emplace_back(task.space.free[i].name, design.choice.values[i]);
  }
  result.area_um2 = design.choice.area_um2;
  result.lanes = ComputeLanes(architecture);
  result.hardware = Show(architecture);
  if (const auto parts = AreaParts(architecture)) {
    result.area_parts_um2 = Named(architecture, *parts);
  }
  std::vector<double> energy(architecture.levels.size() + 1, 0);
  double relaxed = 0;
  bool is_sum = task.options.objective.front() != Metric::kEdp || design.layers.size() == 1;
  for (const LayerDesign& layer : design.layers) {
    LayerAnswer answer;
    answer.best = layer.solution;
    const Layer& of = task.network.layers[layer.layer];
    result.layers.push_back(report::LayerResultOf(of, architecture, answer));
    const auto repeat = static_cast<double>(of.repeat);
    const Cost& cost = layer.solution.cost;
    for (LevelId l : Ids(cost.levels)) energy[l.value()] += repeat * cost.levels[l].energy_pj;
    energy.back() += repeat * cost.compute_energy_pj;
    is_sum &= layer.relaxed.has_value() &&
              (of.repeat == 1 || task.options.objective.front() != Metric::kEdp);
    relaxed += repeat * layer.relaxed.value_or(0);
  }
  if (is_sum) result.relaxed = relaxed;
  result.energy_parts_pj = Named(architecture, energy);
  result.total = {design.energy_pj, design.cycles,
                  design.energy_pj * static_cast<double>(design.cycles)};
  return result;
}

std::vector<ArchitectureResult> ArchitecturesOf(const CodesignTask& task,
                                                const CodesignAnswer& answer) {
  std::vector<ArchitectureResult> results;
  for (const Design& design : answer.designs) results.push_back(ArchitectureOf(task, design));
  return results;
}

ComparedMethod ComparedTo(const CodesignAnswer& answer, const CodesignTask& task,
                          const CodesignAnswer& other) {
  ComparedMethod compared;
  compared.method = Name(task.method);
  compared.architectures = ArchitecturesOf(task, other);
  if (answer.certificate && other.certificate && answer.certificate->objective > 0) {
    compared.gap = other.certificate->objective / answer.certificate->objective - 1;
  }
  return compared;
}

// Why there is no answer; nothing if there is one.
std::optional<Failure> FailureOf(const CodesignAnswer& answer) {
  Diagnostics errors = ErrorsOf(answer.unsupported);
  Append(ErrorsOf(answer.infeasible), &errors);
  if (!errors.empty()) {
    const bool wrong = !answer.unsupported.empty();
    return Failure{wrong ? Failure::Kind::kWrongInput : Failure::Kind::kNoAnswer,
                   std::move(errors)};
  }
  if (!answer.designs.empty()) return std::nullopt;
  return Failure{Failure::Kind::kNoAnswer,
                 {MakeError({}, "the time was up before there was an answer", "give it more")}};
}

std::optional<CodesignCertificate> CertificateOf(const CodesignAnswer& answer, Scope scope) {
  if (!answer.certificate) return std::nullopt;
  const Certificate& known = *answer.certificate;
  CodesignCertificate certificate{known.status, known.objective, known.lower_bound,
                                  known.gap,    known.proven,    std::nullopt};
  if (scope == Scope::kPareto) {  // a front has no single figure
    certificate.objective.reset();
    certificate.lower_bound.reset();
    certificate.open = answer.open;
  }
  return certificate;
}

}  // namespace

const Structure& StructureOf(const CodesignRequest*) {
  using R = CodesignRequest;
  static constexpr const char* kObjectives[] = {"energy", "delay", "edp"};
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::technology>("technology", "what memories and units cost by their size: a built-in",
                          {.option = {.value_name = "NAME"}}),
      Row<&R::area>("area",
                    "the silicon there is, in um2 or with a unit, such as '2.36 mm2'; the Thistle "
                    "paper's Eyeriss (thistle-eyeriss) has 2363756. With --arch, instead of the "
                    "file's",
                    {.option = {.value_name = "UM2"}}),
      Row<&R::arch>("arch", "instead: a native file of an architecture with free attributes",
                    {.option = {.value_name = "FILE", .in_result = false}}),
      Row<&R::power>("power",
                     "with --arch: the most that the chip may draw in a cycle, such as '100 "
                     "pJ/cycle'; follows from the bandwidths in the file",
                     {.option = {.value_name = "POWER"}}),
      Row<&R::sram>("sram", "the most of all SRAM together, such as '128 KiB' or '65536 words'",
                    {.option = {.value_name = "SIZE"}}),
      Row<&R::bandwidth>("bandwidth",
                         "with --arch: the most off-chip bandwidth, such as '16 words/cycle'",
                         {.option = {.value_name = "RATE"}}),
      Row<&R::method>("method",
                      "search every architecture with proof, or Thistle's geometric programs; with "
                      "'exact,gp' the first answers and the second is compared with it"),
      Row<&R::scope>("scope",
                     "an architecture for every layer, one for all of them, the one of the "
                     "dominant layer, all that no other beats, or at most N (hetero:N)",
                     {.option = {.value_name = "layer|network|dominant|pareto|hetero:N"}}),
      RowIn<&R::options, &MapOptions::objective>(
          "objective",
          "what to minimise: energy, cycles, or their product; the next of a list decides among "
          "equals",
          {.option = {.choices = kObjectives}}),
      Row<&R::mapspace>("mapspace", "which tilings are allowed, as in 'inlay map'",
                        {.option = {.choices = kEvenMapspaces}}),
      RowIn<&R::options, &MapOptions::semantics>("semantics", "how accesses are counted",
                                                 {.option = {.choices = kSearchSemantics}}),
      RowIn<&R::options, &MapOptions::accounting>("accounting", kAccountingSentence,
                                                  {.option = kThistleOnly}),
      RowIn<&R::options, &Nearest>(
          "nearest", "gp only: divisors tried for every tile, the closest to the real size",
          {.option = {.value_name = "N",
                      .min = 1,
                      .max = 8,
                      .only_with_key = "method",
                      .only_with_value = "gp"}}),
      RowIn<&R::options, &NearestSizes>(
          "nearest_sizes", "gp only: values tried for every free size, the closest to the real one",
          {.option = {.value_name = "N",
                      .min = 1,
                      .max = 64,
                      .only_with_key = "method",
                      .only_with_value = "gp"}}),
      RowIn<&R::options, &LeastUtilization>(
          "utilization",
          "gp only: drop candidates that keep less of the compute lanes busy, in percent",
          {.scale = 100,
           .option = {.value_name = "PERCENT",
                      .min = 0,
                      .max = 100,
                      .only_with_key = "method",
                      .only_with_value = "gp"}}),
      Row<&R::constraints>("constraints",
                           "a file of constraints on the mappings, once for each; without --arch "
                           "the levels are DRAM, SRAM and registers, the fan-out PEs",
                           {.option = {.value_name = "FILE", .in_result = false}}),
      Row<&R::baseline>("baseline", "an architecture to compare with: a built-in or a file",
                        {.option = {.value_name = "ARCH", .in_result = false}}),
      Row<&R::explain>("explain",
                       "do not search: print words of tiles and words copied as expressions, for "
                       "every class of loop orders",
                       {.option = {.in_result = false}}),
  });
  return Describe<R, kFields>("CodesignRequest");
}

Diagnostics SetOptions(const CodesignRequest& request, CodesignTask* task) {
  Diagnostics errors = CheckEffects(request.common.values, StructureOf(&request));
  task->options = request.options;
  task->options.time_limit_seconds = request.common.time_limit;
  task->options.threads = ThreadsOf(request.common);
  task->mapspace = request.mapspace;
  task->method = request.method.front();
  if (!ReadScope(request.scope, task)) {
    errors.push_back(MakeError({}, Mention("scope") + ": '" + request.scope + "' is no scope",
                               "layer, network, dominant, pareto, or hetero:N"));
  }
  return errors;
}

// Architectures keep their own names, which are those that are written as the answer.
void MatchNames(CodesignTask* task, io::LoadRecord* record, Diagnostics* errors) {
  Architecture named = task->space.base;
  std::vector<Constraint> constraints = task->constraints;
  const bool alike =
      io::MatchTensorNames(task->network.layers, &named, &constraints, record, errors);
  task->tensor_names_resolved =
      alike && named == task->space.base && constraints == task->constraints;
}

Result<CodesignInputs> Load(const CodesignRequest* request) {
  CodesignInputs inputs;
  inputs.record = RecordFor(request->common);
  Diagnostics errors = SetOptions(*request, &inputs.task);
  LoadSpace(*request, &inputs, &errors);
  ReadBudgets(*request, &inputs.task.space, &errors);
  LoadNetworks(*request, &inputs, &errors);
  const Architecture& base = inputs.task.space.base;
  if (!request->constraints.empty() && !base.levels.empty()) {
    auto constraints =
        ValueOr(io::LoadConstraints(request->constraints, base, &inputs.record), &errors);
    if (constraints) inputs.task.constraints = *std::move(constraints);
  }
  if (request->baseline) {
    inputs.baseline = ValueOr(io::LoadArchitecture({*request->baseline}, &inputs.record), &errors);
  }
  if (errors.empty()) MatchNames(&inputs.task, &inputs.record, &errors);
  if (errors.empty() && inputs.baseline) {
    std::vector<Constraint> none;
    inputs.tensor_names_resolved = io::MatchTensorNames(
        inputs.task.network.layers, &*inputs.baseline, &none, &inputs.record, &errors);
  }
  if (!errors.empty()) return Fail(std::move(errors));
  Append(UnequalAreas(inputs), &inputs.record.warnings);
  return inputs;
}

Outcome<CodesignRun> Run(const CodesignRequest& request, const CodesignInputs& inputs,
                         const CodesignSearch& search, const StopFlag& stop) {
  const auto start = std::chrono::steady_clock::now();
  const CodesignTask& task = inputs.task;
  CodesignRun run;
  run.answer = search(task);
  const CodesignAnswer& answer = run.answer;
  if (auto failure = FailureOf(answer)) return tl::unexpected(*std::move(failure));
  CodesignResult& result = run.result;
  result.header = HeaderOf("codesign", request.common, inputs.record.inputs);
  result.workload = task.network.name;
  result.method = Name(task.method);
  result.scope = request.scope;
  result.metric = Name(task.options.objective.front());
  result.tie_break = task.options.objective.size() > 1;
  result.architectures_in_space = answer.architectures;
  result.use = answer.use;
  result.area_budget_um2 = task.space.budget.area_um2;
  result.architectures = ArchitecturesOf(task, answer);
  result.certificate = CertificateOf(answer, task.scope);
  if (request.method.size() > 1 && !answer.interrupted) {
    CodesignTask other = task;
    other.method = request.method[1];
    const CodesignAnswer compared = search(other);
    if (auto failure = FailureOf(compared)) return tl::unexpected(*std::move(failure));
    result.compared = ComparedTo(answer, other, compared);
    result.compared_use = compared.use;
  }
  if (inputs.baseline) result.baseline = BaselineOf(inputs, stop);
  result.interrupted = answer.interrupted;
  result.time_limit_reached = answer.interrupted && !stop.Requested();
  result.threads = task.options.threads;
  result.progress = answer.effort.progress;
  result.search_seconds = answer.effort.seconds;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

Outcome<std::vector<Explanation>> Explain(const CodesignInputs& inputs) {
  std::vector<Explanation> explanations;
  Diagnostics errors;
  for (const Layer& layer : inputs.task.network.layers) {
    const LayerTarget target =
        ForLayer(layer.problem, inputs.task.space.base, {}, inputs.task.tensor_names_resolved);
    auto explanation = inlay::Explain(layer, target.architecture);
    if (explanation) {
      explanations.push_back(*std::move(explanation));
      continue;
    }
    for (const Fault& fault : explanation.error()) {
      errors.push_back(MakeError({}, layer.name + ": " + fault.message, fault.hint));
    }
  }
  if (!errors.empty()) return FailWith(Failure::Kind::kWrongInput, std::move(errors));
  return explanations;
}

// In um2: "2363756", "2.36e6 um2", "2.36 mm2".
std::optional<double> ParseArea(const std::string& text) {
  double area = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, area);
  std::string unit(last, end);
  unit.erase(0, unit.find_first_not_of(' '));
  if (unit == "mm2") area *= 1e6;
  const bool known = unit.empty() || unit == "um2" || unit == "mm2";
  if (error != std::errc() || !known || !(area > 0) || area > 1e15) return std::nullopt;
  return area;
}

}  // namespace inlay::run
