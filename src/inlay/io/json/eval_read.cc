#include <utility>

#include "inlay/io/json/cost_json.h"
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
    ReadLevels(json_, path_, &reader_, &result.cost, &result.levels, &result.tensors);
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
    ReadCompute(json_, path_, &reader_, cost);
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
