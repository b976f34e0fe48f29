#include "inlay/core/result.h"

#include <algorithm>

#include "inlay/base/fields.h"

namespace inlay {

const Structure& StructureOf(const InputRecord*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&InputRecord::role>("role", "what the file is to the command"),
      Row<&InputRecord::name>("name", "the file or built-in, as it was given"),
      Row<&InputRecord::hash>("hash", "hash of its text"),
  });
  return Describe<InputRecord, kFields>("Input");
}

const Structure& StructureOf(const ResultHeader*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ResultHeader::format>("format", "the format of results", {.constant = kResultFormat}),
      Row<&ResultHeader::command>("command", "the command that wrote the result"),
      Row<&ResultHeader::version>("version", "the version of inlay that wrote it"),
      Row<&ResultHeader::inputs>("inputs", "the files and built-ins that were read, by role",
                                 {.grouped = true}),
      Row<&ResultHeader::options>("options", "the options that can change the answer"),
  });
  return Describe<ResultHeader, kFields>("Header");
}

const Structure& StructureOf(const InstanceCounts*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&InstanceCounts::reads>("reads", "words sent inward", {.as_whole = true}),
      Row<&InstanceCounts::fills>("fills", "words received from outside", {.as_whole = true}),
      Row<&InstanceCounts::updates>("updates", "words received from inside", {.as_whole = true}),
      Row<&InstanceCounts::drains>("drains", "words sent outward", {.as_whole = true}),
  });
  return Describe<InstanceCounts, kFields>("InstanceCounts");
}

const Structure& StructureOf(const Counts*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&Counts::reads>("reads", "words sent inward"),
      Row<&Counts::fills>("fills", "words received from outside"),
      Row<&Counts::updates>("updates", "words received from inside"),
      Row<&Counts::drains>("drains", "words sent outward; 0 where the semantics do not count them"),
  });
  return Describe<Counts, kFields>("Counts");
}

const Structure& StructureOf(const TensorResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&TensorResult::kept>("kept", "whether the level keeps the tensor"),
      Row<&TensorResult::tile_words>("tile_words", "words of the largest tile of one instance"),
      Row<&TensorResult::instances>("instances", "instances that are ever active"),
      Row<&TensorResult::per_instance>("per_instance", "words moved by one instance"),
      Row<&TensorResult::total>("total", "words moved by all instances"),
      Row<&TensorResult::energy_pj>("energy_pj", "energy of these movements"),
      Row<&TensorResult::moves>("moves", "tiles moved into the first lane; with keys of time",
                                {.presence = Presence::kUnlessDefault}),
  });
  return Describe<TensorResult, kFields>("TensorResult");
}

const Structure& StructureOf(const LevelResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&LevelResult::name>("name", "the level"),
      Row<&LevelResult::cycles>("cycles", "cycles that its transfers take"),
      Row<&LevelResult::limit>("limit", "the transfer that its cycles come from"),
      Row<&LevelResult::energy_pj>("energy_pj", "energy of its tensors and its leakage"),
      Row<&LevelResult::filled>("filled",
                                "share of its capacity in use, of parts the fullest; absent: "
                                "unbounded"),
      Row<&LevelResult::engine_cycles>("engine_cycles",
                                       "what its engine takes to move tiles; absent: it has none",
                                       {.presence = Presence::kUnlessDefault}),
      Row<&LevelResult::tensors>("tensors", "what it moves of each tensor"),
  });
  return Describe<LevelResult, kFields>("LevelResult");
}

const Structure& StructureOf(const ComputeResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&ComputeResult::operations>("operations", "multiply-accumulates"),
      Row<&ComputeResult::instances>("instances", "lanes in use"),
      Row<&ComputeResult::lanes>("lanes", "lanes in the machine"),
      Row<&ComputeResult::cycles>("cycles", "cycles of the first lane"),
      Row<&ComputeResult::energy_pj>("energy_pj", "energy of the operations"),
  });
  return Describe<ComputeResult, kFields>("ComputeResult");
}

const Structure& StructureOf(const TimeResult*) {
  static constexpr FieldTraits kUnlessDefault = {.presence = Presence::kUnlessDefault};
  static constexpr auto kFields = std::to_array<Field>({
      Row<&TimeResult::start_cycles>("start_cycles",
                                     "of the cycles: the launch, and the first words of streams",
                                     kUnlessDefault),
      Row<&TimeResult::limited_by_power>(
          "limited_by_power", "the cycles are those that the dynamic energy takes", kUnlessDefault),
      Row<&TimeResult::idle_pj>("idle_pj", "of the energy: the idle power of the machine",
                                kUnlessDefault),
      Row<&TimeResult::seconds>("seconds", "cycles / clock; absent without a clock"),
      Row<&TimeResult::watts>("watts", "energy / seconds"),
      Row<&TimeResult::tops>("tops", "10^12 operations per second, two for a multiply-accumulate"),
      Row<&TimeResult::tops_per_watt>("tops_per_watt", "tops / watts"),
  });
  return Describe<TimeResult, kFields>("TimeFigures");
}

const Structure& StructureOf(const EvalResult::Measured*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&EvalResult::Measured::seconds>("seconds", "time of the evaluation"),
  });
  return Describe<EvalResult::Measured, kFields>("EvalMeasured");
}

const Structure& StructureOf(const EvalResult*) {
  static constexpr auto kFields = std::to_array<Field>({
      Row<&EvalResult::header>("", "", {.inlined = true}),
      Row<&EvalResult::semantics>("semantics", "the rules by which words are counted"),
      Row<&EvalResult::problem>("problem", "the layer"),
      Row<&EvalResult::architecture>("architecture", "the architecture"),
      Row<&EvalResult::mapspace>("mapspace", "the smallest mapspace that holds the mapping"),
      Row<&EvalResult::operations>("operations", "multiply-accumulates"),
      Row<&EvalResult::padded_operations>("padded_operations",
                                          "multiply-accumulates of the padded problem"),
      Row<&EvalResult::cycles>("cycles",
                               "the most of compute and all levels; with keys of time, more"),
      Row<&EvalResult::energy_pj>("energy_pj", "energy of compute and all levels"),
      Row<&EvalResult::utilization>("utilization", "operations / (lanes × cycles)"),
      Row<&EvalResult::offchip_words>("offchip_words", "words to and from the outermost level"),
      Row<&EvalResult::time>("", "", {.inlined = true}),
      Row<&EvalResult::numeric_check>("numeric_check", "walk: ok, the computed result is right",
                                      {.presence = Presence::kUnlessDefault}),
      Row<&EvalResult::levels>("levels", "what every level moves, outermost first"),
      Row<&EvalResult::compute>("compute", "what the compute units do"),
      Row<&EvalResult::mapping>("mapping", "the mapping, in lines of the native format"),
      Row<&EvalResult::hardware>("hardware", "the memories and the array that it is mapped onto"),
      Row<&EvalResult::measured>("measured", "differs from run to run"),
  });
  return Describe<EvalResult, kFields>("EvalResult");
}

namespace {

InstanceCounts PerInstance(const Counts& total, int64_t instances) {
  const auto per = [&](int64_t words) {
    return static_cast<double>(words) / static_cast<double>(instances <= 1 ? 1 : instances);
  };
  return {per(total.reads), per(total.fills), per(total.updates), per(total.drains)};
}

}  // namespace

std::vector<LevelResult> LevelResultsOf(const Problem& problem, const Architecture& architecture,
                                        const Cost& cost) {
  std::vector<LevelResult> results;
  for (LevelId l : Ids(cost.levels)) {
    const LevelCost& level = cost.levels[l];
    LevelResult result{architecture.levels[l].name, level.cycles, level.limit, level.energy_pj, {}};
    for (TensorId t : Ids(level.tensors)) {
      const TensorCost& tensor = level.tensors[t];
      result.tensors.emplace_back(problem.tensors[t].name,
                                  TensorResult{tensor.kept, tensor.tile_words, tensor.instances,
                                               PerInstance(tensor.total, tensor.instances),
                                               tensor.total, tensor.energy_pj, tensor.moves});
    }
    result.engine_cycles = level.engine_cycles;
    results.push_back(std::move(result));
  }
  return results;
}

TimeResult TimeResultOf(const Cost& cost) {
  constexpr double kPjPerJoule = 1e12;
  TimeResult time;
  time.start_cycles = cost.start_cycles;
  time.limited_by_power = cost.limited_by_power;
  time.idle_pj = cost.idle_pj;
  time.seconds = cost.seconds;
  time.watts = cost.watts;
  if (!cost.seconds) return time;
  const double tera_operations = 2e-12 * static_cast<double>(cost.operations);
  time.tops = tera_operations / *cost.seconds;
  if (cost.energy_pj > 0) time.tops_per_watt = tera_operations * kPjPerJoule / cost.energy_pj;
  return time;
}

ComputeResult ComputeResultOf(const Cost& cost) {
  return {cost.operations, cost.compute_lanes_used, cost.compute_lanes, cost.compute_cycles,
          cost.compute_energy_pj};
}

void SetFilled(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
               std::vector<LevelResult>* levels) {
  for (const Occupancy& memory : Occupancies(problem, architecture, mapping)) {
    if (!memory.usable_words || *memory.usable_words == 0) continue;
    const double share =
        static_cast<double>(memory.used_words) / static_cast<double>(*memory.usable_words);
    std::optional<double>& filled = (*levels)[memory.level.value()].filled;
    filled = std::max(filled.value_or(0), share);
  }
}

void SetCost(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
             const Cost& cost, EvalResult* result) {
  result->operations = cost.operations;
  result->padded_operations = cost.padded_operations;
  result->cycles = cost.cycles;
  result->energy_pj = cost.energy_pj;
  result->utilization = cost.utilization;
  result->offchip_words = cost.offchip_words;
  result->time = TimeResultOf(cost);
  result->levels = LevelResultsOf(problem, architecture, cost);
  SetFilled(problem, architecture, mapping, &result->levels);
  result->compute = ComputeResultOf(cost);
  result->hardware = Show(architecture);
}

}  // namespace inlay
