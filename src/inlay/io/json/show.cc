#include "inlay/io/json/show.h"

#include <utility>

#include "inlay/io/json/fields.h"
#include "inlay/io/json/json.h"
#include "inlay/io/json/mix_json.h"
#include "inlay/io/json/study_outline.h"

namespace inlay::io {
namespace {

Json DimsToJson(const Problem& problem) {
  Json dims = Json::object();
  for (const Dimension& dim : problem.dims) dims[dim.name] = dim.bound;
  return dims;
}

Json ProblemToJson(const Problem& problem) {
  Json tensors = Json::object();
  for (TensorId t : Ids(problem.tensors)) {
    tensors[problem.tensors[t].name] = {{"projection", ToString(problem, problem.tensors[t])},
                                        {"words", TensorWords(problem, t)},
                                        {"output", problem.tensors[t].is_output}};
  }
  return {{"name", problem.name},
          {"dims", DimsToJson(problem)},
          {"operations", Operations(problem)},
          {"tensors", std::move(tensors)}};
}

Json OptionalToJson(const std::optional<int64_t>& words) { return words ? Json(*words) : Json(); }

Json EnergyToJson(const AccessEnergy& energy) {
  return {
      {"read_pj", energy.read_pj}, {"fill_pj", energy.fill_pj}, {"update_pj", energy.update_pj}};
}

Json LevelToJson(const Architecture& architecture, LevelId l) {
  const Level& level = architecture.levels[l];
  Json json = {{"name", level.name}, {"instances", Instances(architecture, l)}};
  if (level.partitions.empty()) {
    json["capacity_words"] = OptionalToJson(level.capacity_words);
    json["energy"] = EnergyToJson(EnergyOf(architecture, l, ""));
  }
  for (const Partition& part : level.partitions) {
    json["partitions"][part.tensor] = {
        {"capacity_words", OptionalToJson(part.capacity_words)},
        {"energy", EnergyToJson(EnergyOf(architecture, l, part.tensor))}};
  }
  json["fanout"] = {{"x", level.fanout.x}, {"y", level.fanout.y}};
  return json;
}

Json ArchitectureToJson(const Architecture& architecture) {
  Json levels = Json::array();
  for (LevelId l : Ids(architecture.levels)) levels.push_back(LevelToJson(architecture, l));
  Json json = {{"name", architecture.name},
               {"levels", std::move(levels)},
               {"compute",
                {{"name", architecture.compute.name},
                 {"instances", ComputeLanes(architecture)},
                 {"energy_pj", ComputeEnergyPj(architecture)}}}};
  if (const auto area = AreaUm2(architecture)) json["area_um2"] = *area;
  return json;
}

Json MachineToJson(const Machine& machine) {
  const auto rate = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  Json units = Json::object(), memories = Json::object(), moves = Json::array();
  for (const ComputeUnit& unit : machine.units) {
    units[unit.name] = unit.architecture ? Json{{"arch", unit.architecture->name}}
                                         : Json{{"macs_per_second", unit.macs_per_second}};
  }
  for (const Scratchpad& pad : machine.pads) {
    Json reached_by = Json::array();
    for (const UnitId unit : pad.reached_by) reached_by.push_back(machine.units[unit].name);
    memories[pad.name] = {{"bytes", pad.bytes},
                          {"alignment_bytes", pad.alignment_bytes},
                          {"bytes_per_second", rate(pad.bytes_per_second)},
                          {"pj_per_byte", pad.pj_per_byte},
                          {"reached_by", std::move(reached_by)}};
  }
  for (const auto& [from, to] : machine.dma.moves) {
    moves.push_back({machine.pads[from].name, machine.pads[to].name});
  }
  return {{"name", machine.name},
          {"clock_hz", machine.clock_hz},
          {"units", std::move(units)},
          {"memories", std::move(memories)},
          {"offchip",
           {{"bytes_per_second", rate(machine.offchip.bytes_per_second)},
            {"pj_per_byte", machine.offchip.pj_per_byte}}},
          {"dma", {{"engines", machine.dma.engines}, {"moves", std::move(moves)}}}};
}

Json FunctionToJson(const SizeFunction& function) {
  return {{"constant", function.constant}, {"linear", function.linear}, {"root", function.root}};
}

Json TechnologyToJson(const Technology& technology) {
  const auto memory = [](const MemoryTechnology& kind) -> Json {
    return {{"energy_pj", FunctionToJson(kind.energy_pj)},
            {"area_um2", FunctionToJson(kind.area_um2)}};
  };
  return {{"name", technology.name},
          {"word_bits", technology.word_bits},
          {"mac", {{"energy_pj", technology.mac_energy_pj}, {"area_um2", technology.mac_area_um2}}},
          {"dram", memory(technology.dram)},
          {"sram", memory(technology.sram)},
          {"register", memory(technology.reg)}};
}

void AddNetwork(const Network& network, const NetworkTotals& totals, Json* json) {
  (*json)["network"] = network.name;
  (*json)["nodes"] = totals.nodes;
  (*json)["compute_nodes"] = totals.compute_nodes;
  (*json)["operations"] = totals.operations;
  (*json)["weight_bytes"] = totals.weight_bytes;
  (*json)["activation_bytes"] = totals.activation_bytes;
  (*json)["layers"] = Json::array();
  for (const Layer& layer : network.layers) {
    (*json)["layers"].push_back({{"name", layer.name},
                                 {"kind", layer.kind},
                                 {"repeat", layer.repeat},
                                 {"dims", DimsToJson(layer.problem)},
                                 {"operations", Operations(layer.problem)}});
  }
}

Json StudyToJson(const Study& study) {
  Json json = {{"name", study.name}, {"grids", Json::array()}};
  for (const StudyGrid& grid : study.grids) {
    Json axes = Json::object();
    for (const StudyAxis& axis : grid.axes) axes[axis.name] = LabelsToJson(axis);
    json["grids"].push_back({{"run", grid.run}, {"axes", std::move(axes)}});
  }
  json["claims"] = Json::array();
  for (const StudyClaim& claim : study.claims) {
    json["claims"].push_back({{"what", claim.what}, {"paper", claim.paper}});
  }
  return json;
}

}  // namespace

std::string WriteShowResult(const ShowResult& result) {
  Json json = ToJson(result.header);
  if (result.network != nullptr) AddNetwork(*result.network, result.totals, &json);
  if (result.problem != nullptr) json["problem"] = ProblemToJson(*result.problem);
  if (result.architecture != nullptr) {
    json["architecture"] = ArchitectureToJson(*result.architecture);
  }
  if (result.machine != nullptr) json["machine"] = MachineToJson(*result.machine);
  if (result.accelerator != nullptr) json["accelerator"] = ToJson(*result.accelerator);
  if (result.mix != nullptr) json["mix"] = MixToJson(*result.mix);
  if (result.technology != nullptr) json["technology"] = TechnologyToJson(*result.technology);
  if (result.study != nullptr) json["study"] = StudyToJson(*result.study);
  if (result.mapping != nullptr) json["mapping"] = *result.mapping;
  return Dump(json);
}

}  // namespace inlay::io
