#include <utility>

#include "inlay/io/json/batch.h"
#include "inlay/io/json/batch_json.h"
#include "inlay/io/json/json.h"

namespace inlay::io {
namespace {

bool Has(const Json& object, const char* key) { return object.is_object() && object.contains(key); }

// "policies" and "control".
class FiguresReader {
 public:
  explicit FiguresReader(JsonReader* reader) : reader_(*reader) {}

  BatchFigures Read(const Json& json, const std::string& path) {
    BatchFigures figures;
    for (const Json& item : reader_.Array(json, path, "policies")) {
      const std::string number = "[" + std::to_string(figures.policies.size()) + "]";
      figures.policies.push_back(ReadPolicy(item, JoinPath(path, "policies") + number));
    }
    const Json& control = reader_.Object(json, path, "control");
    figures.lb_cycles = Control(control, JoinPath(path, "control"), "LB");
    figures.pu_cycles = Control(control, JoinPath(path, "control"), "PU");
    figures.pw_cycles = Control(control, JoinPath(path, "control"), "PW");
    return figures;
  }

 private:
  int64_t Control(const Json& control, const std::string& place, const char* name) {
    return reader_.Int(reader_.Object(control, place, name), JoinPath(place, name),
                       "makespan_cycles");
  }

  LatencyFigures ReadLatency(const Json& json, const std::string& place) {
    return {reader_.Int(json, place, "requests"), reader_.Double(json, place, "p50_ms"),
            reader_.Double(json, place, "p95_ms"), reader_.Double(json, place, "p99_ms"),
            reader_.Double(json, place, "worst_ms")};
  }

  std::vector<std::string> Lines(const Json& json, const std::string& place, const char* key) {
    std::vector<std::string> lines;
    if (!Has(json, key)) return lines;
    for (const Json& line : reader_.Array(json, place, key)) {
      if (!line.is_string()) reader_.Fault(JoinPath(place, key), "expected texts");
      lines.push_back(line.is_string() ? line.get<std::string>() : "");
    }
    return lines;
  }

  BatchPolicyResult ReadPolicy(const Json& json, const std::string& place) {
    BatchPolicyResult policy;
    policy.name = reader_.Text(json, place, "name");
    policy.makespan_cycles = reader_.Int(json, place, "makespan_cycles");
    policy.throughput_per_s = reader_.Double(json, place, "throughput_per_s");
    policy.pe_busy = reader_.Double(json, place, "pe_busy");
    policy.utilization = reader_.Double(json, place, "utilization");
    const Json& idle = reader_.Object(json, place, "idle");
    policy.idle_capacity = reader_.Int(idle, place + ".idle", "capacity");
    policy.idle_bandwidth = reader_.Int(idle, place + ".idle", "bandwidth");
    policy.idle_dependency = reader_.Int(idle, place + ".idle", "dependency");
    policy.deadlocks = reader_.Int(json, place, "deadlocks");
    policy.splits = reader_.Int(json, place, "splits");
    policy.merges = reader_.Int(json, place, "merges");
    policy.remaps = reader_.Int(json, place, "remaps");
    policy.deadlocked = reader_.Bool(json, place, "deadlocked");
    policy.deepest_stack = reader_.Int(json, place, "deepest_stack");
    policy.fetched_bytes = reader_.Int(json, place, "fetched_bytes");
    policy.refetched_bytes = reader_.Int(json, place, "refetched_bytes");
    policy.spilled_bytes = reader_.Int(json, place, "spilled_bytes");
    policy.streamed_bytes = reader_.Int(json, place, "streamed_bytes");
    policy.peak_bytes = reader_.Int(json, place, "peak_bytes");
    policy.deadlock = Lines(json, place, "deadlock");
    policy.plan = Lines(json, place, "plan");
    if (Has(json, "latency")) {
      const Json& latency = reader_.Object(json, place, "latency");
      policy.latency = ReadLatency(latency, place + ".latency");
      for (const Json& own : reader_.Array(latency, place + ".latency", "workloads")) {
        policy.by_workload.push_back(ReadLatency(own, place + ".latency.workloads"));
      }
    }
    return policy;
  }

  JsonReader& reader_;
};

class BatchReader {
 public:
  BatchReader(const Source& source, const Json& json) : json_(json), reader_(source) {}

  BatchResult Read() {
    BatchResult result;
    result.header = reader_.Header(json_, "");
    if (result.header.command != "batch" && reader_.errors().empty()) {
      reader_.Fault("command", "this is the result of another command than batch");
      return result;
    }
    result.mix = reader_.Text(json_, "", "mix");
    result.accelerator = ReadAccelerator(reader_.Object(json_, "", "accelerator"));
    for (const Json& item : reader_.Array(json_, "", "workloads")) {
      const std::string place = "workloads[" + std::to_string(result.workloads.size()) + "]";
      result.workloads.push_back({reader_.Text(item, place, "network"),
                                  reader_.Int(item, place, "batch"),
                                  reader_.Int(item, place, "batches")});
    }
    if (Has(json_, "interrupted")) result.interrupted = reader_.Bool(json_, "", "interrupted");
    if (Has(json_, "traced")) result.traced = reader_.Text(json_, "", "traced");
    result.figures = ReadBatchFigures(json_, "", &reader_);
    ReadMeasured(&result);
    return result;
  }

  const Diagnostics& errors() const { return reader_.errors(); }

 private:
  Accelerator ReadAccelerator(const Json& json) {
    const char* place = "accelerator";
    Accelerator a;
    a.name = reader_.Text(json, place, "name");
    a.clock_hz = reader_.Double(json, place, "clock_hz");
    a.arrays = reader_.Int(json, place, "arrays");
    a.array.rows = reader_.Int(json, place, "rows");
    a.array.columns = reader_.Int(json, place, "columns");
    const std::string dataflow = reader_.Text(json, place, "dataflow");
    const auto known = DataflowFromShortName(dataflow);
    if (known) a.array.dataflow = *known;
    if (!known && !dataflow.empty()) {
      reader_.Fault("accelerator.dataflow", "'" + dataflow + "' is not os, ws or is");
    }
    const int64_t bits = reader_.Int(json, place, "bits");
    if (bits < 0 || bits > 4096) reader_.Fault("accelerator.bits", "expected 1 to 4096");
    a.bits = static_cast<int>(bits < 0 || bits > 4096 ? 1 : bits);
    a.memory_bytes = reader_.Int(json, place, "memory_bytes");
    a.bytes_per_cycle = reader_.Double(json, place, "bytes_per_cycle");
    a.block_bytes = reader_.Int(json, place, "block_bytes");
    a.window_bytes = reader_.Int(json, place, "window_bytes");
    a.window_layers = reader_.Int(json, place, "look_ahead_layers");
    return a;
  }

  void ReadMeasured(BatchResult* result) {
    const Json& measured = reader_.Object(json_, "", "measured");
    result->seconds = reader_.Double(measured, "measured", "seconds");
    result->threads = static_cast<int>(reader_.Int(measured, "measured", "threads"));
    const Json& policies = reader_.Object(measured, "measured", "policies");
    for (BatchPolicyResult& policy : result->figures.policies) {
      const std::string place = "measured.policies." + policy.name;
      const Json& own = reader_.Object(policies, "measured.policies", policy.name.c_str());
      policy.seconds = reader_.Double(own, place, "seconds");
      policy.plan_seconds = reader_.Double(own, place, "plan_seconds");
      policy.events = reader_.Int(own, place, "events");
    }
  }

  const Json& json_;
  JsonReader reader_;
};

}  // namespace

BatchFigures ReadBatchFigures(const Json& json, const std::string& path, JsonReader* reader) {
  return FiguresReader(reader).Read(json, path);
}

Result<BatchResult> ReadBatchResult(const Source& source) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  BatchReader reader(source, *document);
  BatchResult result = reader.Read();
  if (!reader.errors().empty()) return Fail(reader.errors());
  return result;
}

}  // namespace inlay::io
