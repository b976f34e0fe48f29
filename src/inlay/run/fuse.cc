#include "inlay/run/fuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "inlay/base/fields.h"
#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"
#include "inlay/core/fused_graph.h"
#include "inlay/core/fused_part.h"
#include "inlay/core/units.h"
#include "inlay/fuse/needed_work.h"
#include "inlay/fuse/solution.h"
#include "inlay/io/native/native.h"
#include "inlay/io/native/quantity.h"

namespace inlay::run {
namespace {

// "A..B" → A and B; "A" → A and A.
std::pair<std::string, std::string> EndsOf(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return {text, text};
  return {text.substr(0, dots), text.substr(dots + 2)};
}

// Leaves the nodes between the two names.
void SelectNodes(const std::string& text, io::FusableNodes* nodes, Diagnostics* errors) {
  const auto [first_name, last_name] = EndsOf(text);
  const FusedProblem& problem = nodes->fused.problem;
  const auto find = [&](const std::string& name) {
    const auto node = FindNode(problem, name);
    if (node) return node;
    for (const FusedGraph::LeftOut& out : nodes->fused.left_out) {
      if (nodes->graph->nodes[out.node].name != name) continue;
      errors->push_back(
          MakeError({}, fmt::format("{}: '{}' {}", Mention("nodes"), name, out.reason),
                    "it cannot be fused with others; begin and end with nodes that can"));
      return node;
    }
    errors->push_back(MakeError({},
                                fmt::format("{}: there is no node '{}'", Mention("nodes"), name),
                                SuggestionHint(name, NodeNames(problem))));
    return node;
  };
  const auto first = find(first_name);
  const auto last = last_name == first_name ? first : find(last_name);
  if (!first || !last) return;
  if (*last < *first) {
    errors->push_back(MakeError(
        {}, fmt::format("{}: '{}' runs before '{}'", Mention("nodes"), last_name, first_name),
        "write the first node first"));
    return;
  }
  nodes->fused = NodesBetween(nodes->fused, *first, *last);
}

// Says what of the network is not fused with anything. What `of` says of nodes, by their reasons.
void WarnOfOthers(const io::FusableNodes& nodes, Diagnostics* warnings) {
  const auto warn = [&](const std::map<std::string, std::vector<std::string>>& names_by_reason,
                        const char* hint) {
    for (const auto& [reason, names] : names_by_reason) {
      const std::string more =
          names.size() > 1 ? fmt::format(", and so do {} more", names.size() - 1) : "";
      warnings->push_back(
          MakeWarning({}, fmt::format("'{}' {}{}", names.front(), reason, more), hint));
    }
  };
  std::map<std::string, std::vector<std::string>> left_out, separated;
  for (const FusedGraph::LeftOut& out : nodes.fused.left_out) {
    left_out["is left out: it " + out.reason].push_back(nodes.graph->nodes[out.node].name);
  }
  for (const FusedGraph::Separated& one : nodes.fused.separated) {
    separated["goes off chip: it " + one.reason].push_back(one.tensor);
  }
  warn(left_out, "its words are not counted, and what it reads and writes goes off chip");
  warn(separated, "its writer and its reader are in different runs");
}

// Words of the pad in place of the architecture's, and the range that they are the end of.
void SetPad(const std::string& text, FuseInputs* inputs, Diagnostics* errors) {
  Level& pad = inputs->architecture.levels[LevelId(1)];
  const auto words_of = [&](const std::string& size) -> std::optional<int64_t> {
    const auto words =
        io::ParseCount(size, kCapacityUnits, {.word_bits = &pad.word_bits}, "capacity");
    if (words && *words) return **words;
    errors->push_back(MakeError({},
                                fmt::format("{}: {}", Mention("pad"),
                                            words ? "an unbounded pad has no size"
                                                  : words.error().message + ": '" + size + "'"),
                                words ? "leave it out" : words.error().hint));
    return std::nullopt;
  };
  const auto [least_text, most_text] = EndsOf(text);
  const auto least = words_of(least_text);
  const bool is_range = text.find("..") != std::string::npos;
  const auto most = is_range ? words_of(most_text) : least;
  if (!least || !most) return;
  if (*most < *least) {
    errors->push_back(
        MakeError({}, fmt::format("{}: {} words are more than {}", Mention("pad"), *least, *most),
                  "write the smaller size first"));
    return;
  }
  pad.capacity_words = *most;
  if (!is_range) return;
  inputs->front = PadRange{std::max<int64_t>(1, UsableWords(pad, *least)),
                           std::max<int64_t>(1, UsableWords(pad, *most))};
}

// The architecture beside the nodes, or the one that is named.
std::optional<Architecture> LoadArchitectureFor(const FuseRequest& request, bool has_nodes,
                                                io::LoadRecord* record, Diagnostics* errors) {
  if (!request.arch.empty()) return ValueOr(io::LoadArchitecture(request.arch, record), errors);
  if (!record->architecture && has_nodes) {
    errors->push_back(
        MakeError({}, "there is no architecture",
                  fmt::format("give {}: a built-in ({} lists them) or a file",
                              Mention("arch", "ARCH"), MentionListOf("architecture"))));
  }
  return record->architecture;
}

// A tree of some of the nodes, with the numbers of all.
std::vector<std::string> LinesOfRun(const FuseInputs& inputs, const FusedRun& run) {
  const FusedPart part = PartOf(inputs.problem, run.first, run.end);
  return io::FusedTreeLines(part.problem, inputs.architecture, TreeInPart(part, run.tree));
}

void SetRuns(const FuseInputs& inputs, const FuseAnswer& answer, FuseResult* result) {
  for (const FusedRun& run : answer.runs) {
    FuseRunResult& added = result->runs.emplace_back();
    for (NodeId n = run.first; n < run.end; ++n) {
      added.nodes.push_back(inputs.problem.nodes[n].name);
    }
    added.tree = LinesOfRun(inputs, run);
    added.cost = FuseCostOf(run.cost);
    added.room_words = run.cost.counts.room_words;
    added.certificate = run.certificate;
  }
}

// Sizes as the pad has them, where trees count without buffering.
PadStaircase StaircaseOf(const Level& pad, const std::vector<FusedFrontPoint>& points) {
  PadStaircase steps;
  for (const FusedFrontPoint& point : points) {
    const double words = static_cast<double>(point.room_words) * pad.buffering;
    steps.push_back({static_cast<int64_t>(std::ceil(words)), point.offchip_words});
  }
  return steps;
}

void SetFront(const FuseInputs& inputs, const FuseAnswer& answer, FuseResult* result) {
  const Level& pad = inputs.architecture.levels[LevelId(1)];
  result->front = StaircaseOf(pad, answer.front);
  result->unfused_front = StaircaseOf(pad, answer.unfused_front);
  result->front_trees.emplace();
  for (const FusedFrontPoint& point : answer.front) {
    result->front_trees->push_back(
        {point.proven, io::FusedTreeLines(inputs.problem, inputs.architecture, point.tree)});
  }
}

FuseResult FuseResultOf(const FuseInputs& inputs, const FuseAnswer& answer) {
  FuseResult result;
  const FusedSolution& best = *answer.best;
  result.problem = inputs.problem.name;
  result.architecture = inputs.architecture.name;
  SetRuns(inputs, answer, &result);
  result.total = FuseCostOf(best.cost);
  result.room_words = best.cost.counts.room_words;
  result.certificate = answer.certificate;
  result.bound_any_fusion = answer.any_fusion;
  result.compulsory_words = CompulsoryWords(inputs.problem);
  if (answer.unfused) {
    result.unfused = {FuseCostOf(answer.unfused->cost), answer.unfused->cost.counts.room_words,
                      answer.unfused_certificate};
  }
  if (inputs.front) SetFront(inputs, answer, &result);
  FusedEvalResult counted;
  SetCost(inputs.problem, inputs.architecture, best.cost, &counted);
  result.nodes = std::move(counted.nodes);
  result.holds = std::move(counted.holds);
  result.levels = std::move(counted.levels);
  result.compute_energy_pj = counted.compute_energy_pj;
  result.tree = io::FusedTreeLines(inputs.problem, inputs.architecture, best.tree);
  result.hardware = Show(inputs.architecture);
  result.measured = {answer.effort.seconds, answer.effort.nodes, answer.effort.evaluations, 1};
  return result;
}

// Why there is no tree.
tl::unexpected<Failure> NoTree(const FuseAnswer& answer, const StopFlag& stop) {
  Faults faults = answer.infeasible;
  if (stop.Requested() && faults.empty()) return FailWith(Failure::Kind::kStopped, {});
  if (faults.empty() && !answer.interrupted) faults = answer.unsupported;
  if (faults.empty()) {
    faults.push_back({"", "the time was up before there was a fused mapping", "give it more"});
  }
  return FailWith(Failure::Kind::kNoAnswer, ErrorsOf(faults));
}

}  // namespace

const Structure& StructureOf(const FuseRequest*) {
  using R = FuseRequest;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::arch>("arch",
                    "the architecture: a built-in or files; without it, the one that the "
                    "workload's file holds",
                    {.option = {.value_name = "ARCH...", .in_result = false, .takes_words = true}}),
      Row<&R::nodes>("nodes", "only these nodes: one, or from the first to the last of them",
                     {.option = {.value_name = "NODE|A..B"}}),
      Row<&R::pad>("pad",
                   "the size of the pad in place of the architecture's, such as 64KiB; a range, "
                   "such as 16KiB..1MiB, adds the fewest off-chip words of every size in it",
                   {.option = {.value_name = "SIZE|A..B"}}),
      RowIn<&R::options, &FuseOptions::objective>(
          "objective",
          "what to minimise: energy, cycles, their product, or words to and from the outermost "
          "level; the next of a list decides among equals, operations at last"),
      RowIn<&R::options, &FuseOptions::tiles>(
          "mapspace", "which tiles loops may have: of any size, or those that divide what is cut"),
      RowIn<&R::options, &FuseOptions::shared_loops>(
          "shared_loops", "the most loops that several nodes may share; 0 fuses nothing",
          {.option = {.value_name = "N", .min = 0, .max = kMaxDims}}),
      RowIn<&R::options, &FuseOptions::softmax>(
          "softmax", "how softmaxes are computed: step by step, or of whole rows in the pad"),
      RowIn<&R::options, &FuseOptions::run_nodes>(
          "run_nodes",
          "the most nodes of a run, in networks; products of a few nodes are searched as a whole",
          {.option = {.value_name = "N", .min = 1, .max = 64}}),
      RowIn<&R::options, &FuseOptions::share_kernel_loops>(
          "share_kernel_loops",
          "nodes may share loops over dimensions of kernels, too; bounds are then weaker"),
  });
  return Describe<R, kFields>("FuseRequest");
}

Result<FuseInputs> InputsOf(const FuseRequest& request, io::FusableNodes nodes,
                            Architecture architecture) {
  FuseInputs inputs;
  Diagnostics errors;
  if (request.nodes) SelectNodes(*request.nodes, &nodes, &errors);
  WarnOfOthers(nodes, &inputs.record.warnings);
  inputs.problem = std::move(nodes.fused.problem);
  inputs.earliest = std::move(nodes.fused.earliest);
  inputs.architecture = std::move(architecture);
  const Faults faults = CheckFusedArchitecture(inputs.problem, inputs.architecture);
  Append(ErrorsOf(faults), &errors);
  if (request.pad && faults.empty()) SetPad(*request.pad, &inputs, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  return inputs;
}

Result<FuseInputs> Load(const FuseRequest* request) {
  io::LoadRecord record = RecordFor(request->common);
  Diagnostics errors;
  auto nodes = ValueOr(io::LoadFusableNodes(request->workload, &record), &errors);
  auto architecture = LoadArchitectureFor(*request, nodes.has_value(), &record, &errors);
  if (nodes && architecture) {
    auto inputs = InputsOf(*request, *std::move(nodes), *std::move(architecture));
    if (!inputs) return inputs;
    Append(std::exchange(inputs->record.warnings, {}), &record.warnings);
    inputs->record = std::move(record);
    return inputs;
  }
  if (nodes && request->nodes) SelectNodes(*request->nodes, &*nodes, &errors);
  return Fail(std::move(errors));
}

Outcome<FuseRun> Run(const FuseRequest& request, const FuseInputs& inputs, const StopFlag& stop,
                     const FuseProgressSink& progress) {
  FuseOptions options = request.options;
  options.front = inputs.front;
  options.earliest = inputs.earliest;
  options.time_limit_seconds = request.common.time_limit;
  options.threads = ThreadsOf(request.common);
  const FuseAnswer answer = Fuse(inputs.problem, inputs.architecture, options, stop, progress);
  if (!answer.best) return NoTree(answer, stop);
  FuseRun run{FuseResultOf(inputs, answer), answer.best->tree};
  run.result.header = HeaderOf("fuse", request.common, inputs.record.inputs);
  run.result.interrupted = stop.Requested();
  run.result.measured.threads = options.threads;
  return run;
}

}  // namespace inlay::run
