// Beside parse_model.cc the only file that sees ONNX's and protobuf's types.
#define ONNX_ML 1  // as Debian builds the library
#define ONNX_NAMESPACE onnx
#include "inlay/io/onnx/annotate.h"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>
#include <onnx/onnx_pb.h>

#include <map>
#include <utility>
#include <vector>

#include "inlay/io/json/fields.h"
#include "inlay/io/json/plan.h"

namespace inlay::io {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kPrefix = "inlay.";

// metadata_props by their numbers in ONNX 1.16; the library of Debian 12 is older, and keeps what
// it does not know.
constexpr int kNodeMetadata = 9;
constexpr int kValueMetadata = 4;
constexpr int kTensorMetadata = 16;

bool IsOurs(const google::protobuf::UnknownField& field) {
  if (field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) return false;
  ::onnx::StringStringEntryProto entry;
  return entry.ParseFromString(field.length_delimited()) && entry.key().rfind(kPrefix, 0) == 0;
}

template <typename Proto>
void SetMetadata(int number, const Entries& entries, Proto* proto) {
  google::protobuf::UnknownFieldSet* fields = proto->mutable_unknown_fields();
  google::protobuf::UnknownFieldSet kept;
  for (int i = 0; i < fields->field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields->field(i);
    if (field.number() != number || !IsOurs(field)) kept.AddField(field);
  }
  for (const auto& [key, value] : entries) {
    ::onnx::StringStringEntryProto entry;
    entry.set_key(key);
    entry.set_value(value);
    kept.AddLengthDelimited(number, entry.SerializeAsString());
  }
  fields->Swap(&kept);
}

void SetModelMetadata(const std::string& plan, ::onnx::ModelProto* model) {
  google::protobuf::RepeatedPtrField<::onnx::StringStringEntryProto> kept;
  for (const auto& entry : model->metadata_props()) {
    if (entry.key().rfind(kPrefix, 0) != 0) *kept.Add() = entry;
  }
  ::onnx::StringStringEntryProto* entry = kept.Add();
  entry->set_key(std::string(kPrefix) + "plan");
  entry->set_value(plan);
  model->mutable_metadata_props()->Swap(&kept);
}

class Annotator {
 public:
  Annotator(const Graph& graph, const NamedPlan& plan) : plan_(plan) {
    std::map<std::string, size_t> steps;
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      steps[plan.steps[i].node] = i;
      for (const auto& beside : plan.steps[i].beside) steps[beside.node] = i;
      for (const std::string& node : plan.steps[i].fused) steps[node] = i;
    }
    for (const GraphNode& node : graph.nodes) {
      const auto step = steps.find(node.name);
      if (step == steps.end()) continue;
      const std::string& output = graph.values[node.outputs.front()].name;
      step_of_[output] = step->second;
      unit_of_[output] = UnitIn(plan.steps[step->second], node.name);
    }
    for (const NamedPlan::Residency& r : plan.residencies) {
      residencies_[r.tensor].push_back({{"memory", r.memory},
                                        {"address", r.address},
                                        {"bytes", r.bytes},
                                        {"from", r.from},
                                        {"to", r.to}});
    }
  }

  void Annotate(::onnx::GraphProto* graph) const {
    for (auto& node : *graph->mutable_node()) SetMetadata(kNodeMetadata, EntriesOf(node), &node);
    for (auto& value : *graph->mutable_input()) {
      SetMetadata(kValueMetadata, EntriesOf(value.name()), &value);
    }
    for (auto& tensor : *graph->mutable_initializer()) {
      SetMetadata(kTensorMetadata, EntriesOf(tensor.name()), &tensor);
    }
  }

 private:
  static std::string UnitIn(const NamedPlan::Step& step, const std::string& node) {
    for (const auto& beside : step.beside) {
      if (beside.node == node) return beside.unit;
    }
    return step.unit;
  }

  static std::string Key(const std::string& name) { return std::string(kPrefix) + name; }

  Entries EntriesOf(const std::string& tensor) const {
    const auto found = residencies_.find(tensor);
    if (found == residencies_.end()) return {};
    return {{Key("residencies"), found->second.dump()}};
  }

  Entries EntriesOf(const ::onnx::NodeProto& node) const {
    Entries entries;
    for (const std::string& output : node.output()) {
      const auto at = step_of_.find(output);
      if (at == step_of_.end()) continue;
      const NamedPlan::Step& step = plan_.steps[at->second];
      entries.emplace_back(Key("step"), std::to_string(at->second));
      entries.emplace_back(Key("unit"), unit_of_.at(output));
      entries.emplace_back(Key("tiling"), std::to_string(step.tiling));
      if (step.workspace) entries.emplace_back(Key("workspace"), ToJson(*step.workspace).dump());
    }
    for (const std::string& output : node.output()) {
      const auto found = residencies_.find(output);
      if (found == residencies_.end()) continue;
      entries.emplace_back(Key("residencies." + output), found->second.dump());
    }
    return entries;
  }

  const NamedPlan& plan_;
  std::map<std::string, size_t> step_of_;  // by the name of a node's first output
  std::map<std::string, std::string> unit_of_;
  std::map<std::string, Json> residencies_;  // by tensor, a list
};

}  // namespace

Result<std::string> AnnotateModel(const std::string& file, std::string_view bytes,
                                  const Graph& graph, const PlanResult& result) {
  const google::protobuf::LogSilencer silence;
  ::onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !model.has_graph()) {
    return Fail(MakeError({file, 0, 0}, "this is no ONNX model, or it is cut off"));
  }
  SetModelMetadata(WritePlan(result), &model);
  Annotator(graph, result.plan).Annotate(model.mutable_graph());
  std::string text;
  if (!model.SerializeToString(&text)) {
    return Fail(MakeError({file, 0, 0}, "with the plan in it the model is larger than 2 GiB",
                          "store the weights as external data"));
  }
  return text;
}

}  // namespace inlay::io
