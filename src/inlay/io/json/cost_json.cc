#include "inlay/io/json/cost_json.h"

#include <fmt/format.h>

#include <utility>

#include "inlay/core/result.h"

namespace inlay::io {
namespace {

Json CountsToJson(const Counts& counts, int64_t instances) {
  const auto per = [&](int64_t total) -> Json {
    if (instances <= 1) return total;
    if (total % instances == 0) return total / instances;
    return static_cast<double>(total) / static_cast<double>(instances);
  };
  return {{"reads", per(counts.reads)},
          {"fills", per(counts.fills)},
          {"updates", per(counts.updates)},
          {"drains", per(counts.drains)}};
}

Json TensorToJson(const TensorCost& tensor) {
  return {{"kept", tensor.kept},
          {"tile_words", tensor.tile_words},
          {"instances", tensor.instances},
          {"per_instance", CountsToJson(tensor.total, tensor.instances)},
          {"total", CountsToJson(tensor.total, 1)},
          {"energy_pj", tensor.energy_pj}};
}

TensorCost ReadTensor(const Json& json, const std::string& place, JsonReader* reader) {
  TensorCost tensor;
  tensor.kept = reader->Bool(json, place, "kept");
  tensor.tile_words = reader->Int(json, place, "tile_words");
  tensor.instances = reader->Int(json, place, "instances");
  tensor.energy_pj = reader->Double(json, place, "energy_pj");
  const std::string total_place = place + ".total";
  const Json& total = reader->Object(json, place, "total");
  tensor.total.reads = reader->Int(total, total_place, "reads");
  tensor.total.fills = reader->Int(total, total_place, "fills");
  tensor.total.updates = reader->Int(total, total_place, "updates");
  tensor.total.drains = reader->Int(total, total_place, "drains");
  return tensor;
}

CycleLimit ReadLimit(const Json& level, const std::string& place, JsonReader* reader) {
  const size_t faults = reader->errors().size();
  const std::string name = reader->Text(level, place, "limit");
  const auto limit = CycleLimitFromName(name);
  if (!limit && reader->errors().size() == faults) {
    reader->Fault(place + ".limit", "unknown value '" + name + "'");
  }
  return limit.value_or(CycleLimit::kNone);
}

}  // namespace

Json LevelsToJson(const Cost& cost, const LevelNames& levels, const TensorNames& tensors) {
  Json json = Json::array();
  for (LevelId l : Ids(cost.levels)) {
    const LevelCost& level = cost.levels[l];
    Json own = Json::object();
    for (TensorId t : Ids(level.tensors)) own[tensors[t]] = TensorToJson(level.tensors[t]);
    json.push_back({{"name", levels[l]},
                    {"cycles", level.cycles},
                    {"limit", Name(level.limit)},
                    {"energy_pj", level.energy_pj},
                    {"tensors", std::move(own)}});
  }
  return json;
}

Json ComputeToJson(const Cost& cost) {
  return {{"operations", cost.operations},
          {"instances", cost.compute_lanes_used},
          {"lanes", cost.compute_lanes},
          {"cycles", cost.compute_cycles},
          {"energy_pj", cost.compute_energy_pj}};
}

void ReadLevels(const Json& json, const std::string& path, JsonReader* reader, Cost* cost,
                LevelNames* levels, TensorNames* tensors) {
  for (const Json& level : reader->Array(json, path, "levels")) {
    const std::string place = fmt::format("{}[{}]", JoinPath(path, "levels"), cost->levels.size());
    LevelCost own;
    own.cycles = reader->Int(level, place, "cycles");
    own.energy_pj = reader->Double(level, place, "energy_pj");
    own.limit = ReadLimit(level, place, reader);
    TensorNames names;
    for (const auto& [name, tensor] : reader->Object(level, place, "tensors").items()) {
      names.push_back(name);
      own.tensors.push_back(ReadTensor(tensor, fmt::format("{}.tensors.{}", place, name), reader));
    }
    if (levels->empty()) *tensors = names;
    if (names != *tensors) reader->Fault(place + ".tensors", "not the tensors of the first level");
    levels->push_back(reader->Text(level, place, "name"));
    cost->levels.push_back(std::move(own));
  }
}

void ReadCompute(const Json& json, const std::string& path, JsonReader* reader, Cost* cost) {
  const std::string place = JoinPath(path, "compute");
  const Json& compute = reader->Object(json, path, "compute");
  cost->compute_lanes_used = reader->Int(compute, place, "instances");
  cost->compute_lanes = reader->Int(compute, place, "lanes");
  cost->compute_cycles = reader->Int(compute, place, "cycles");
  cost->compute_energy_pj = reader->Double(compute, place, "energy_pj");
}

}  // namespace inlay::io
