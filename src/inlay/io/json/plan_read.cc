#include <utility>

#include "inlay/io/json/json.h"
#include "inlay/io/json/plan.h"
#include "inlay/io/json/plan_json.h"

namespace inlay::io {
namespace {

class PlanReader {
 public:
  PlanReader(const Source& source, const Json& json) : json_(json), reader_(source) {}

  NamedPlan Read() {
    NamedPlan plan;
    const std::string format = reader_.Text(json_, "", "format");
    if (!format.empty() && format != kPlanFormat && format != kResultFormat) {
      reader_.Fault("format", "'" + format + "' is neither " + std::string(kPlanFormat) + " nor " +
                                  std::string(kResultFormat));
    }
    if (format == kResultFormat && reader_.Text(json_, "", "command") != "plan") {
      reader_.Fault("command", "this is the result of another command than plan");
      return plan;
    }
    plan.network = reader_.Text(json_, "", "network");
    plan.machine = reader_.Text(json_, "", "machine");
    const int64_t bits = reader_.Int(json_, "", "bits");
    const bool given = json_.is_object() && json_.contains("bits");
    if (given && (bits < 1 || bits > 4096)) reader_.Fault("bits", "expected 1 to 4096");
    plan.bits = static_cast<int>(bits);
    plan.weights_stay = reader_.Bool(json_, "", "weights_stay");
    if (json_.is_object() && json_.contains("cut_tables")) {
      plan.cut_tables = reader_.Int(json_, "", "cut_tables");
    }
    ReadSteps(&plan);
    for (const Json& item : reader_.Array(json_, "", "residencies")) ReadResidency(item, &plan);
    for (const Json& item : reader_.Array(json_, "", "transfers")) ReadTransfer(item, &plan);
    return plan;
  }

  const Diagnostics& errors() const { return reader_.errors(); }

 private:
  void ReadSteps(NamedPlan* plan) {
    for (const Json& item : reader_.Array(json_, "", "steps")) {
      const std::string place = "steps[" + std::to_string(plan->steps.size()) + "]";
      NamedPlan::Step step;
      step.node = reader_.Text(item, place, "node");
      step.unit = reader_.Text(item, place, "unit");
      step.tiling = reader_.Int(item, place, "tiling");
      if (item.is_object() && item.contains("workspace")) {
        const Json& workspace = reader_.Object(item, place, "workspace");
        const std::string at = place + ".workspace";
        step.workspace_memory = reader_.Text(workspace, at, "memory");
        step.workspace_address = reader_.Int(workspace, at, "address");
        step.workspace_bytes = reader_.Int(workspace, at, "bytes");
      }
      plan->steps.push_back(std::move(step));
    }
    // The order says the same again, for those who read nothing else.
    size_t i = 0;
    for (const Json& node : reader_.Array(json_, "", "order")) {
      const bool same = i < plan->steps.size() && node.is_string() && node == plan->steps[i].node;
      if (!same) reader_.Fault("order[" + std::to_string(i) + "]", "the steps say another node");
      ++i;
    }
    if (i < plan->steps.size()) reader_.Fault("order", "there are more steps");
  }

  void ReadResidency(const Json& item, NamedPlan* plan) {
    const std::string place = "residencies[" + std::to_string(plan->residencies.size()) + "]";
    plan->residencies.push_back(
        {reader_.Text(item, place, "tensor"), reader_.Text(item, place, "memory"),
         reader_.Int(item, place, "address"), reader_.Int(item, place, "bytes"),
         reader_.Int(item, place, "from"), reader_.Int(item, place, "to")});
  }

  void ReadTransfer(const Json& item, NamedPlan* plan) {
    const std::string place = "transfers[" + std::to_string(plan->transfers.size()) + "]";
    NamedPlan::Copy copy{reader_.Text(item, place, "tensor"), reader_.Text(item, place, "from"),
                         reader_.Text(item, place, "to"),     reader_.Int(item, place, "bytes"),
                         reader_.Int(item, place, "start"),   reader_.Int(item, place, "end")};
    const std::string kind = reader_.Text(item, place, "kind");
    const auto known = TransferKindFromName(kind);
    if (known) copy.kind = *known;
    if (!known && !kind.empty()) {
      reader_.Fault(place + ".kind", "'" + kind + "' is not fetch, prefetch, write-back or move");
    }
    if (copy.start < 0 || copy.start == INT64_MAX || copy.end != copy.start + 1) {
      reader_.Fault(place + ".end", "a transfer takes one step, from start to start + 1");
    }
    plan->transfers.push_back(std::move(copy));
  }

  const Json& json_;
  JsonReader reader_;
};

}  // namespace

Result<NamedPlan> ReadPlan(const Source& source) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  PlanReader reader(source, *document);
  NamedPlan plan = reader.Read();
  if (!reader.errors().empty()) return Fail(reader.errors());
  return plan;
}

}  // namespace inlay::io
