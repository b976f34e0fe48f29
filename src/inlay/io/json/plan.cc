#include "inlay/io/json/plan.h"

#include "inlay/io/json/document.h"
#include "inlay/io/json/fields.h"

namespace inlay::io {
namespace {

// What a plan must hold beyond its table.
void CheckPlan(const NamedPlan& plan, JsonReader* reader) {
  const auto check_bits = [&](int64_t bits, const std::string& where) {
    if (bits >= 1 && bits <= kMostBits) return;
    reader->Fault(where, "expected 1 to " + std::to_string(kMostBits));
  };
  check_bits(plan.bits, "bits");
  for (const auto& [name, bits] : plan.tensor_bits) check_bits(bits, "tensor_bits." + name);
  std::vector<std::string> nodes;
  for (const NamedPlan::Step& step : plan.steps) {
    nodes.push_back(step.node);
    nodes.insert(nodes.end(), step.fused.begin(), step.fused.end());
    for (const auto& beside : step.beside) nodes.push_back(beside.node);
  }
  for (size_t i = 0; i < plan.order.size(); ++i) {
    if (i < nodes.size() && plan.order[i] == nodes[i]) continue;
    reader->Fault("order[" + std::to_string(i) + "]", "the steps say another node");
  }
  if (plan.order.size() < nodes.size()) reader->Fault("order", "there are more steps");
  for (size_t i = 0; i < plan.transfers.size(); ++i) {
    const NamedPlan::Copy& copy = plan.transfers[i];
    if (copy.start >= 0 && copy.start < INT64_MAX && copy.end == copy.start + 1) continue;
    reader->Fault("transfers[" + std::to_string(i) + "].end",
                  "a transfer takes one step, from start to start + 1");
  }
}

// Whether the document is a plan, or a result of plan.
bool CheckKind(const Json& json, JsonReader* reader) {
  const std::string format = reader->Text(json, "", "format");
  if (!format.empty() && format != kPlanFormat && format != kResultFormat) {
    reader->Fault("format", "'" + format + "' is neither " + kPlanFormat + " nor " + kResultFormat);
  }
  if (format != kResultFormat || reader->Text(json, "", "command") == "plan") return true;
  reader->Fault("command", "this is the result of another command than plan");
  return false;
}

}  // namespace

std::string WritePlan(const PlanResult& result) {
  return WriteJson(PlanFile{.plan = result.plan, .figures = result.figures});
}

Result<NamedPlan> ReadPlan(const Source& source) {
  const Result<Json> document = ParseJson(source);
  if (!document) return Fail(document.error());
  JsonReader reader(source);
  NamedPlan plan;
  if (CheckKind(*document, &reader)) {
    plan = FromJson<NamedPlan>(*document, "", &reader);
    if (reader.errors().empty()) CheckPlan(plan, &reader);
  }
  if (!reader.errors().empty()) return Fail(reader.errors());
  return plan;
}

}  // namespace inlay::io
