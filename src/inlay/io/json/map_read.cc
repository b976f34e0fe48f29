#include <utility>

#include "inlay/io/json/cost_json.h"
#include "inlay/io/json/json.h"
#include "inlay/io/json/map.h"

namespace inlay::io {
namespace {

bool Holds(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && !json.find(key)->is_null();
}

class MapReader {
 public:
  MapReader(const Source& source, const Json& json) : json_(json), reader_(source) {}

  MapResult Read() {
    MapResult result;
    result.header = reader_.Header(json_, "");
    result.workload = reader_.Text(json_, "", "workload");
    result.architecture = reader_.Text(json_, "", "architecture");
    result.interrupted = Flag(json_, "", "interrupted");
    for (const Json& layer : reader_.Array(json_, "", "layers")) {
      const std::string place = "layers[" + std::to_string(result.layers.size()) + "]";
      result.front = result.front || Holds(layer, "front");
      result.layers.push_back(ReadLayer(layer, place));
    }
    if (Holds(json_, "total")) {
      const Json& total = reader_.Object(json_, "", "total");
      result.total =
          MapTotals{reader_.Double(total, "total", "energy_pj"),
                    reader_.Int(total, "total", "cycles"), reader_.Double(total, "total", "edp")};
      if (Holds(total, "certificate")) result.total->certificate = ReadCertificate(total, "total");
    }
    const Json& measured = reader_.Object(json_, "", "measured");
    result.seconds = reader_.Double(measured, "measured", "seconds");
    result.threads = static_cast<int>(reader_.Int(measured, "measured", "threads"));
    return result;
  }

  const Diagnostics& errors() const { return reader_.errors(); }

 private:
  bool Flag(const Json& json, const std::string& place, const char* key) {
    return Holds(json, key) && reader_.Bool(json, place, key);
  }

  std::vector<std::string> Texts(const Json& json, const std::string& place, const char* key) {
    std::vector<std::string> texts;
    for (const Json& text : reader_.Array(json, place, key)) {
      if (!text.is_string()) reader_.Fault(JoinPath(place, key), "expected a list of texts");
      if (text.is_string()) texts.push_back(text.get<std::string>());
    }
    return texts;
  }

  LayerResult ReadLayer(const Json& json, const std::string& place) {
    LayerResult layer;
    layer.name = reader_.Text(json, place, "name");
    layer.repeat = reader_.Int(json, place, "repeat");
    layer.operations = reader_.Int(json, place, "operations");
    if (Holds(json, "same_as")) layer.same_as = reader_.Text(json, place, "same_as");
    if (Holds(json, "front")) layer.front = ReadFront(json, place);
    if (Holds(json, "cost")) {
      layer.cost = ReadCost(reader_.Object(json, place, "cost"), place + ".cost");
      layer.mapping = Texts(json, place, "mapping");
      if (Holds(json, "levels")) layer.counts = ReadCounts(json, place, *layer.cost);
    }
    if (Holds(json, "certificate")) layer.certificate = ReadCertificate(json, place);
    if (Holds(json, "timeloop_mapping")) layer.timeloop_mapping = ReadDirectives(json, place);
    if (Holds(json, "reasons")) layer.reasons = Texts(json, place, "reasons");
    if (Holds(json, "timeloop_note")) {
      layer.timeloop_note = reader_.Text(json, place, "timeloop_note");
    }
    if (Holds(json, "dnnopt")) {
      layer.dnnopt = ReadDnnopt(reader_.Object(json, place, "dnnopt"), place + ".dnnopt");
    }
    layer.interrupted = Flag(json, place, "interrupted");
    layer.begun = !Holds(json, "searched") || reader_.Bool(json, place, "searched");
    for (auto [key, value] : {std::pair("points_visited", &layer.points_visited),
                              std::pair("points_in_space", &layer.points_in_space)}) {
      if (Holds(json, key)) *value = reader_.Double(json, place, key);
    }
    const Json& measured = reader_.Object(json, place, "measured");
    layer.effort = {reader_.Double(measured, place + ".measured", "seconds"),
                    reader_.Int(measured, place + ".measured", "nodes"),
                    reader_.Int(measured, place + ".measured", "evaluations"),
                    ReadProgress(measured, place + ".measured")};
    return layer;
  }

  std::vector<SearchMoment> ReadProgress(const Json& measured, const std::string& place) {
    std::vector<SearchMoment> progress;
    if (!Holds(measured, "progress")) return progress;
    for (const Json& json : reader_.Array(measured, place, "progress")) {
      const std::string at = place + ".progress[" + std::to_string(progress.size()) + "]";
      SearchMoment moment{reader_.Double(json, at, "seconds"), std::nullopt, std::nullopt};
      for (auto [key, value] :
           {std::pair("incumbent", &moment.incumbent), std::pair("bound", &moment.bound)}) {
        if (Holds(json, key)) *value = reader_.Double(json, at, key);
      }
      progress.push_back(moment);
    }
    return progress;
  }

  LayerCounts ReadCounts(const Json& json, const std::string& place, const LayerCost& totals) {
    LayerCounts counts;
    const Json& problem = reader_.Object(json, place, "problem");
    const std::string at = place + ".problem";
    const Json& dims = reader_.Object(problem, at, "dims");
    for (const auto& [name, bound] : dims.items()) {
      counts.dims.emplace_back(name, reader_.Int(dims, at + ".dims", name.c_str()));
    }
    counts.accesses = Texts(problem, at, "tensors");
    ReadLevels(json, place, &reader_, &counts.cost, &counts.levels, &counts.tensors);
    ReadCompute(json, place, &reader_, &counts.cost);
    counts.cost.operations =
        reader_.Int(reader_.Object(json, place, "compute"), place + ".compute", "operations");
    counts.cost.cycles = totals.cycles;
    counts.cost.energy_pj = totals.energy_pj;
    counts.cost.utilization = totals.utilization;
    counts.cost.offchip_words = totals.offchip_words;
    counts.cost.padded_operations = totals.padded_operations;
    return counts;
  }

  DnnoptResult ReadDnnopt(const Json& json, const std::string& place) {
    DnnoptResult model;
    for (const Json& block : reader_.Array(json, place, "order")) {
      const std::string at = place + ".order[" + std::to_string(model.order.size()) + "]";
      model.order.push_back({reader_.Text(block, at, "dim"), reader_.Int(block, at, "bound"),
                             reader_.Int(block, at, "block")});
    }
    const Json& words = reader_.Object(json, place, "offchip_words");
    for (const auto& [tensor, count] : words.items()) {
      model.offchip_words.emplace_back(
          tensor, reader_.Int(words, place + ".offchip_words", tensor.c_str()));
    }
    model.total_offchip_words = reader_.Int(json, place, "total_offchip_words");
    model.array_cycles = reader_.Int(json, place, "array_cycles");
    model.stall_cycles = reader_.Int(json, place, "stall_cycles");
    return model;
  }

  LayerCost ReadCost(const Json& json, const std::string& place) {
    LayerCost cost;
    cost.energy_pj = reader_.Double(json, place, "energy_pj");
    cost.cycles = reader_.Int(json, place, "cycles");
    cost.edp = reader_.Double(json, place, "edp");
    cost.offchip_words = reader_.Int(json, place, "offchip_words");
    cost.utilization = reader_.Double(json, place, "utilization");
    cost.pj_per_op = reader_.Double(json, place, "pj_per_op");
    if (Holds(json, "padded_operations")) {
      cost.padded_operations = reader_.Int(json, place, "padded_operations");
    }
    cost.limited_by = reader_.Text(json, place, "limited_by");
    cost.most_energy_in = reader_.Text(json, place, "most_energy_in");
    cost.most_energy_share = reader_.Double(json, place, "most_energy_share");
    return cost;
  }

  Certificate ReadCertificate(const Json& of, const std::string& of_place) {
    const Json& json = reader_.Object(of, of_place, "certificate");
    const std::string place = of_place + ".certificate";
    const std::string name = reader_.Text(json, place, "status");
    const auto status = CertificateStatusFromName(name);
    if (!status && !name.empty()) {
      reader_.Fault(place + ".status", "unknown value '" + name + "'");
    }
    Certificate certificate{status.value_or(CertificateStatus::kHeuristic),
                            reader_.Double(json, place, "objective"),
                            reader_.Double(json, place, "lower_bound"),
                            reader_.Double(json, place, "gap"),
                            {}};
    for (const std::string& text : Texts(json, place, "proven")) {
      const auto metric = MetricFromName(text);
      if (!metric) reader_.Fault(place + ".proven", "unknown value '" + text + "'");
      if (metric) certificate.proven.push_back(*metric);
    }
    return certificate;
  }

  std::vector<FrontPointResult> ReadFront(const Json& layer, const std::string& layer_place) {
    std::vector<FrontPointResult> front;
    for (const Json& json : reader_.Array(layer, layer_place, "front")) {
      const std::string place = layer_place + ".front[" + std::to_string(front.size()) + "]";
      front.push_back({reader_.Int(json, place, "footprint_words"),
                       reader_.Int(json, place, "offchip_words"),
                       reader_.Int(json, place, "cycles"), Texts(json, place, "mapping")});
    }
    return front;
  }

  TimeloopDirectives ReadDirectives(const Json& layer, const std::string& layer_place) {
    TimeloopDirectives directives;
    for (const Json& json : reader_.Array(layer, layer_place, "timeloop_mapping")) {
      const std::string place =
          layer_place + ".timeloop_mapping[" + std::to_string(directives.size()) + "]";
      TimeloopDirective directive;
      directive.target = reader_.Text(json, place, "target");
      directive.type = reader_.Text(json, place, "type");
      if (directive.type == "bypass") {
        directive.keep = Texts(json, place, "keep");
        directive.bypass = Texts(json, place, "bypass");
      } else {
        directive.factors = reader_.Text(json, place, "factors");
        directive.permutation = reader_.Text(json, place, "permutation");
        if (Holds(json, "split")) directive.split = reader_.Int(json, place, "split");
      }
      directives.push_back(std::move(directive));
    }
    return directives;
  }

  const Json& json_;
  JsonReader reader_;
};

}  // namespace

Result<MapResult> ReadMapResult(const Source& source) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  MapReader reader(source, *document);
  MapResult result = reader.Read();
  if (!reader.errors().empty()) return Fail(reader.errors());
  return result;
}

}  // namespace inlay::io
