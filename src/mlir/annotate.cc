#include "mlir/annotate.h"

#include <llvm/ADT/MapVector.h>
#include <mlir/IR/Builders.h>

#include <map>
#include <string>

#include "inlay/io/json/plan_json.h"

namespace inlay::plugin {
namespace {

constexpr double kMicroseconds = 1e6;

class Annotator {
 public:
  Annotator(mlir::func::FuncOp function, const Translation& translation, const PlanResult& result)
      : function_(function),
        translation_(translation),
        result_(result),
        build_(function.getContext()) {
    for (size_t t = 0; t < translation.network.tensors.size(); ++t) {
      tensor_named_[translation.network.tensors[t].name] = t;
    }
  }

  void Run(const std::vector<std::string>& memories) {
    AddFigures(memories);
    AddSteps();
    AddResidencies();
    AddNames();
  }

 private:
  using Entry = std::pair<const char*, mlir::Attribute>;

  mlir::Attribute Text(const std::string& text) { return build_.getStringAttr(text); }
  mlir::Attribute Integer(int64_t value) { return build_.getI64IntegerAttr(value); }
  mlir::Attribute Real(double value) { return build_.getF64FloatAttr(value); }
  mlir::Attribute Dictionary(std::initializer_list<Entry> entries) {
    llvm::SmallVector<mlir::NamedAttribute> named;
    for (const auto& [name, attribute] : entries) {
      named.push_back(build_.getNamedAttr(name, attribute));
    }
    return build_.getDictionaryAttr(named);
  }

  void AddFigures(const std::vector<std::string>& memories) {
    llvm::SmallVector<mlir::Attribute> names;
    for (const std::string& memory : memories) names.push_back(Text(memory));
    const Certificate& certificate = *result_.certificate;
    const double unit = result_.objective == PlanObjective::kLatency ? kMicroseconds : 1.0;
    function_->setAttr(
        kPlanAttribute,
        Dictionary({{"format", Text(std::string(io::kPlanFormat))},
                    {"machine", Text(result_.plan.machine)},
                    {"memories", build_.getArrayAttr(names)},
                    {"strategy", Text(result_.strategy)},
                    {"objective", Text(Name(result_.objective))},
                    {"steps", Integer(static_cast<int64_t>(result_.plan.steps.size()))},
                    {"latency_us", Real(result_.figures.latency_seconds * kMicroseconds)},
                    {"offchip_bytes", Integer(result_.figures.offchip_bytes)},
                    {"energy_pj", Real(result_.figures.energy_pj)},
                    {"baseline_latency_us", Real(result_.baseline.latency_seconds * kMicroseconds)},
                    {"status", Text(Name(certificate.status))},
                    {"lower_bound", Real(certificate.lower_bound * unit)},
                    {"gap", Real(certificate.gap)}}));
  }

  void AddSteps() {
    std::vector<llvm::SmallVector<mlir::Attribute>> transfers(result_.plan.steps.size());
    for (const NamedPlan::Copy& copy : result_.plan.transfers) {
      transfers[static_cast<size_t>(copy.start)].push_back(
          Dictionary({{"tensor", Text(copy.tensor)},
                      {"kind", Text(Name(copy.kind))},
                      {"from", Text(copy.from)},
                      {"to", Text(copy.to)},
                      {"bytes", Integer(copy.bytes)}}));
    }
    // The order is the function's: the plan's i-th step is the i-th node.
    for (size_t i = 0; i < result_.plan.steps.size(); ++i) {
      const NamedPlan::Step& step = result_.plan.steps[i];
      mlir::Operation* operation = translation_.runs[i];
      operation->setAttr("inlay.step", Integer(static_cast<int64_t>(i)));
      operation->setAttr("inlay.unit", Text(step.unit));
      operation->setAttr("inlay.tiling", Integer(step.tiling));
      if (step.workspace) {
        operation->setAttr("inlay.workspace",
                           Dictionary({{"memory", Text(step.workspace->memory)},
                                       {"address", Integer(step.workspace->address)},
                                       {"bytes", Integer(step.workspace->bytes)}}));
      }
      if (!transfers[i].empty()) {
        operation->setAttr("inlay.transfers", build_.getArrayAttr(transfers[i]));
      }
    }
  }

  void AddResidencies() {
    llvm::MapVector<mlir::Value, llvm::SmallVector<mlir::Attribute>> by_origin;
    llvm::MapVector<mlir::Operation*, llvm::SmallVector<mlir::Attribute>> by_operation;
    for (const NamedPlan::Residency& residency : result_.plan.residencies) {
      const mlir::Value origin = translation_.origins[tensor_named_.at(residency.tensor)];
      if (!origin) continue;  // what an operation has for itself
      const mlir::Attribute attribute = Dictionary({{"tensor", Text(residency.tensor)},
                                                    {"memory", Text(residency.memory)},
                                                    {"address", Integer(residency.address)},
                                                    {"bytes", Integer(residency.bytes)},
                                                    {"from", Integer(residency.from)},
                                                    {"to", Integer(residency.to)}});
      if (mlir::Operation* owner = origin.getDefiningOp()) {
        by_operation[owner].push_back(attribute);
      } else {
        by_origin[origin].push_back(attribute);
      }
    }
    for (const auto& [operation, list] : by_operation) {
      operation->setAttr("inlay.residencies", build_.getArrayAttr(list));
    }
    for (const auto& [argument, list] : by_origin) {
      function_.setArgAttr(llvm::cast<mlir::BlockArgument>(argument).getArgNumber(),
                           "inlay.residencies", build_.getArrayAttr(list));
    }
  }

  // Of what takes no step: constants, globals and buffers. Others are called after their step, or
  // "arg" and their number.
  void AddNames() {
    for (size_t t = 0; t < translation_.origins.size(); ++t) {
      const mlir::Value origin = translation_.origins[t];
      mlir::Operation* owner = origin ? origin.getDefiningOp() : nullptr;
      if (owner == nullptr || owner->hasAttr("inlay.step") || owner->hasAttr("inlay.name"))
        continue;
      owner->setAttr("inlay.name", Text(translation_.network.tensors[t].name));
    }
  }

  mlir::func::FuncOp function_;
  const Translation& translation_;
  const PlanResult& result_;
  mlir::Builder build_;
  std::map<std::string, size_t> tensor_named_;
};

}  // namespace

void Annotate(mlir::func::FuncOp function, const Translation& translation, const PlanResult& result,
              const std::vector<std::string>& memories) {
  Annotator(function, translation, result).Run(memories);
}

}  // namespace inlay::plugin
