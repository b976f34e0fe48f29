#include "inlay/io/json/plan_trace.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/io/json/trace_events.h"

namespace inlay::io {
namespace {

// Rows of the viewer: units are threads of process 1, kinds of transfers of process 2, every memory
// is a process of its own behind them.
constexpr int kUnits = 1, kTransfers = 2, kFirstMemory = 3;
constexpr const char* kWorkspace = "workspace";

// How many bytes of each kind a memory holds. Tensors that share an address in place count once, as
// those that came first.
class MemoryContents {
 public:
  void Add(int64_t address, int64_t bytes, const std::string& kind) {
    holders_[{address, bytes}].push_back(kind);
  }
  void Remove(int64_t address, int64_t bytes, const std::string& kind) {
    const auto at = holders_.find({address, bytes});
    auto& kinds = at->second;
    kinds.erase(std::find(kinds.begin(), kinds.end(), kind));
    if (kinds.empty()) holders_.erase(at);
  }
  Json Bytes(const std::vector<std::string>& kinds) const {
    Json bytes = Json::object();
    for (const std::string& kind : kinds) bytes[kind] = int64_t{0};
    for (const auto& [place, held_by] : holders_) {
      auto& sum = bytes[held_by.front()].get_ref<int64_t&>();
      sum += place.second;
    }
    return bytes;
  }

 private:
  std::map<std::pair<int64_t, int64_t>, std::vector<std::string>> holders_;  // by address and bytes
};

class PlanTraceWriter {
 public:
  explicit PlanTraceWriter(const PlanResult& result) : result_(result), plan_(result.plan) {
    for (const NamedPlan::Step& step : plan_.steps) {
      starts_.push_back(starts_.back() + (step.figures ? step.figures->seconds * 1e6 : 0));
    }
    if (!result.graph) return;
    for (const GraphResult::Node& node : result.graph->nodes) operators_[node.name] = node.op;
    for (const GraphResult::Tensor& tensor : result.graph->tensors) {
      roles_[tensor.name] = Name(tensor.role);
    }
  }

  std::string Write() {
    AddSteps();
    AddTransfers();
    for (size_t m = 0; m < result_.memories.size(); ++m) {
      AddMemory(result_.memories[m], kFirstMemory + static_cast<int>(m));
    }
    return events_.Document();
  }

 private:
  double At(int64_t step) const { return starts_[static_cast<size_t>(step)]; }
  double Duration(int64_t step) const { return At(step + 1) - At(step); }

  static std::string Find(const std::map<std::string, std::string>& names, const std::string& name,
                          const char* otherwise) {
    const auto found = names.find(name);
    return found == names.end() ? otherwise : found->second;
  }
  std::string RoleOfTensor(const std::string& tensor) const {
    return Find(roles_, tensor, "tensor");
  }

  void AddSteps() {
    events_.NameProcess(kUnits, plan_.network + " on " + plan_.machine);
    std::map<std::string, int> rows;
    const auto add_row = [&](const std::string& unit) {
      if (rows.emplace(unit, static_cast<int>(rows.size()) + 1).second) {
        events_.NameThread({kUnits, rows.at(unit)}, unit);
      }
    };
    for (const NamedPlan::Step& step : plan_.steps) {
      add_row(step.unit);
      for (const auto& beside : step.beside) add_row(beside.unit);
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const NamedPlan::Step& step = plan_.steps[s];
      const auto add_span = [&](const std::string& node, const std::string& unit,
                                const Json& figures) {
        const auto at = static_cast<int64_t>(s);
        events_.AddSpan({kUnits, rows.at(unit)}, At(at), Duration(at),
                        Find(operators_, node, "step"), node, figures);
      };
      Json common = {{"step", s}, {"tiling", step.tiling}};
      if (step.figures) common["limited by"] = step.figures->limited_by;
      // Bytes are known of the whole step, so that only its first node has them: sums are right.
      Json first = common;
      if (step.figures) first["off-chip bytes"] = step.figures->offchip_bytes;
      if (!step.fused.empty()) first["fused with"] = step.fused;
      add_span(step.node, step.unit, first);
      for (const auto& beside : step.beside) {
        Json figures = common;
        figures["beside"] = step.node;
        add_span(beside.node, beside.unit, figures);
      }
    }
  }

  // When within its step a transfer happens is not planned, so that it takes all of it.
  void AddTransfers() {
    if (plan_.transfers.empty()) return;
    events_.NameProcess(kTransfers, "transfers");
    for (const auto& kind : kNames<TransferKind>) {
      events_.NameThread({kTransfers, static_cast<int>(kind.value) + 1}, kind.name);
    }
    for (const NamedPlan::Copy& copy : plan_.transfers) {
      events_.AddSpan({kTransfers, static_cast<int>(copy.kind) + 1}, At(copy.start),
                      Duration(copy.start), RoleOfTensor(copy.tensor), copy.tensor,
                      {{"bytes", copy.bytes}, {"from", copy.from}, {"to", copy.to}});
    }
  }

  struct Change {
    int64_t address = 0, bytes = 0;
    std::string kind;
    bool comes = false;
  };

  void AddMemory(const MemoryUse& memory, int process) {
    events_.NameProcess(process, memory.name);
    std::map<int64_t, std::vector<Change>> changes;  // by step; what goes, goes first
    std::vector<std::string> kinds;
    const auto add = [&](int64_t address, int64_t bytes, const std::string& kind, int64_t from,
                         int64_t to) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
      changes[from].push_back({address, bytes, kind, true});
      changes[to].insert(changes[to].begin(), {address, bytes, kind, false});
    };
    int64_t id = 0;
    for (const NamedPlan::Residency& lies : plan_.residencies) {
      if (lies.memory != memory.name) continue;
      const std::string role = RoleOfTensor(lies.tensor);
      add(lies.address, lies.bytes, role, lies.from, lies.to);
      events_.AddEdge({process, 1}, true, At(lies.from), role, id, lies.tensor,
                      {{"address", lies.address}, {"bytes", lies.bytes}});
      events_.AddEdge({process, 1}, false, At(lies.to), role, id++, lies.tensor);
    }
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const auto& workspace = plan_.steps[s].workspace;
      if (!workspace || workspace->memory != memory.name) continue;
      const auto at = static_cast<int64_t>(s);
      add(workspace->address, workspace->bytes, kWorkspace, at, at + 1);
    }
    MemoryContents contents;
    for (const auto& [step, at_once] : changes) {
      for (const Change& change : at_once) {
        change.comes ? contents.Add(change.address, change.bytes, change.kind)
                     : contents.Remove(change.address, change.bytes, change.kind);
      }
      events_.AddSample(process, At(step), "bytes in use", contents.Bytes(kinds));
    }
  }

  const PlanResult& result_;
  const NamedPlan& plan_;
  std::vector<double> starts_ = {0};  // of every step, and of the end, in µs
  std::map<std::string, std::string> operators_, roles_;
  TraceEvents events_;
};

}  // namespace

std::string WritePlanTrace(const PlanResult& result) { return PlanTraceWriter(result).Write(); }

}  // namespace inlay::io
