#include <fmt/format.h>

#include <utility>

#include "inlay/io/json/eval.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

// Reads one result; `path` is "" or "[i]".
class EvalReader {
 public:
  EvalReader(const Source& source, const Json& json, std::string path)
      : json_(json), path_(std::move(path)), reader_(source) {}

  EvalResult Read() {
    EvalResult result;
    result.header = reader_.Header(json_, path_);
    result.semantics = Named(json_, path_, "semantics", SemanticsFromName);
    result.problem = reader_.Text(json_, path_, "problem");
    result.architecture = reader_.Text(json_, path_, "architecture");
    result.mapspace = Named(json_, path_, "mapspace", MapspaceFromName);
    result.numeric_check = json_.is_object() && json_.contains("numeric_check");
    for (const Json& line : reader_.Array(json_, path_, "mapping")) {
      if (!line.is_string()) reader_.Fault(path_ + "mapping", "expected a list of texts");
      if (line.is_string()) result.mapping.push_back(line.get<std::string>());
    }
    ReadTotals(&result.cost);
    ReadLevels(&result);
    const Json& measured = reader_.Object(json_, path_, "measured");
    result.seconds = reader_.Double(measured, path_ + "measured", "seconds");
    return result;
  }

  const Diagnostics& errors() const { return reader_.errors(); }

 private:
  template <typename Enum>
  Enum Named(const Json& json, const std::string& path, const char* key,
             std::optional<Enum> (*from_name)(std::string_view)) {
    const size_t faults = reader_.errors().size();
    const std::string name = reader_.Text(json, path, key);
    const std::optional<Enum> value = from_name(name);
    if (!value && reader_.errors().size() == faults) {
      reader_.Fault(JoinPath(path, key), "unknown value '" + name + "'");
    }
    return value.value_or(Enum{});
  }

  void ReadTotals(Cost* cost) {
    cost->operations = reader_.Int(json_, path_, "operations");
    cost->cycles = reader_.Int(json_, path_, "cycles");
    cost->energy_pj = reader_.Double(json_, path_, "energy_pj");
    cost->utilization = reader_.Double(json_, path_, "utilization");
    cost->offchip_words = reader_.Int(json_, path_, "offchip_words");
    if (json_.is_object() && json_.contains("padded_operations")) {
      cost->padded_operations = reader_.Int(json_, path_, "padded_operations");
    }
    const std::string place = path_ + "compute";
    const Json& compute = reader_.Object(json_, path_, "compute");
    cost->compute_lanes_used = reader_.Int(compute, place, "instances");
    cost->compute_lanes = reader_.Int(compute, place, "lanes");
    cost->compute_cycles = reader_.Int(compute, place, "cycles");
    cost->compute_energy_pj = reader_.Double(compute, place, "energy_pj");
  }

  void ReadLevels(EvalResult* result) {
    for (const Json& level : reader_.Array(json_, path_, "levels")) {
      const std::string place = path_ + "levels[" + std::to_string(result->levels.size()) + "]";
      LevelCost cost;
      cost.cycles = reader_.Int(level, place, "cycles");
      cost.energy_pj = reader_.Double(level, place, "energy_pj");
      cost.limit = Named(level, place, "limit", CycleLimitFromName);
      IndexedVector<TensorId, std::string> names;
      for (const auto& [name, tensor] : reader_.Object(level, place, "tensors").items()) {
        names.push_back(name);
        cost.tensors.push_back(ReadTensor(tensor, fmt::format("{}.tensors.{}", place, name)));
      }
      if (result->levels.empty()) result->tensors = names;
      if (names != result->tensors) {
        reader_.Fault(place + ".tensors", "not the tensors of the first level");
      }
      result->levels.push_back(reader_.Text(level, place, "name"));
      result->cost.levels.push_back(std::move(cost));
    }
  }

  TensorCost ReadTensor(const Json& json, const std::string& place) {
    TensorCost tensor;
    tensor.kept = reader_.Bool(json, place, "kept");
    tensor.tile_words = reader_.Int(json, place, "tile_words");
    tensor.instances = reader_.Int(json, place, "instances");
    tensor.energy_pj = reader_.Double(json, place, "energy_pj");
    const std::string total_place = place + ".total";
    const Json& total = reader_.Object(json, place, "total");
    tensor.total.reads = reader_.Int(total, total_place, "reads");
    tensor.total.fills = reader_.Int(total, total_place, "fills");
    tensor.total.updates = reader_.Int(total, total_place, "updates");
    tensor.total.drains = reader_.Int(total, total_place, "drains");
    return tensor;
  }

  const Json& json_;
  std::string path_;
  JsonReader reader_;
};

}  // namespace

Result<std::vector<EvalResult>> ReadEvalResults(const Source& source) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  std::vector<EvalResult> results;
  Diagnostics errors;
  const auto read = [&](const Json& json, std::string path) {
    EvalReader reader(source, json, std::move(path));
    results.push_back(reader.Read());
    errors.insert(errors.end(), reader.errors().begin(), reader.errors().end());
  };
  if (document->is_array()) {
    for (size_t i = 0; i < document->size(); ++i) {
      read((*document)[i], "[" + std::to_string(i) + "].");
    }
  } else {
    read(*document, "");
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return results;
}

}  // namespace inlay::io
