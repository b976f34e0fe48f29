#include <llvm/ADT/StringSet.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Interfaces/CallInterfaces.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassRegistry.h>
#include <mlir/Tools/Plugins/PassPlugin.h>

#include <string>

#include "inlay/base/version.h"
#include "mlir/annotate.h"
#include "mlir/memory_spaces.h"
#include "mlir/planning.h"
#include "mlir/translate.h"
#include "mlir/types.h"

namespace inlay::plugin {
namespace {

void AddHint(mlir::InFlightDiagnostic* diagnostic, const std::string& hint) {
  if (!hint.empty()) diagnostic->attachNote() << "hint: " << hint;
}

// At its place in a file where it has one, else at `otherwise`.
void Emit(const PlanError& plan_error, mlir::Location otherwise) {
  mlir::Location at = otherwise;
  if (!plan_error.location.file.empty()) {
    at = mlir::FileLineColLoc::get(otherwise.getContext(), plan_error.location.file,
                                   static_cast<unsigned>(plan_error.location.line),
                                   static_cast<unsigned>(plan_error.location.column));
  }
  auto error = mlir::emitError(at) << "inlay-plan: " << plan_error.message;
  AddHint(&error, plan_error.hint);
}

void Emit(const PlanError& plan_error, const Translation& translation,
          mlir::func::FuncOp function) {
  mlir::Location at = function.getLoc();
  if (plan_error.tensor && translation.origins[*plan_error.tensor]) {
    at = translation.origins[*plan_error.tensor].getLoc();
  }
  if (plan_error.node) at = translation.runs[*plan_error.node]->getLoc();
  Emit(plan_error, at);
}

// Functions that others call: these have the memories then.
llvm::StringSet<> CalledIn(mlir::ModuleOp module) {
  llvm::StringSet<> called;
  module.walk([&](mlir::CallOpInterface call) {
    const auto symbol = llvm::dyn_cast_if_present<mlir::SymbolRefAttr>(call.getCallableForCallee());
    if (symbol) called.insert(symbol.getLeafReference());
  });
  return called;
}

class InlayPlanPass : public mlir::PassWrapper<InlayPlanPass, mlir::OperationPass<mlir::ModuleOp>> {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlayPlanPass)

  InlayPlanPass() = default;
  InlayPlanPass(const InlayPlanPass& other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "inlay-plan"; }
  llvm::StringRef getDescription() const override {
    return "Decide which tensors and buffers stay in which scratchpad, at which address, when";
  }

  void runOnOperation() override {
    const Planner planner({machine_, strategy_, objective_, bits_, time_limit_});
    if (!planner.plan_errors().empty()) {
      for (const PlanError& plan_error : planner.plan_errors()) {
        Emit(plan_error, getOperation().getLoc());
      }
      return signalPassFailure();
    }
    const llvm::StringSet<> called = CalledIn(getOperation());
    bool failed = false;
    for (mlir::func::FuncOp function : getOperation().getOps<mlir::func::FuncOp>()) {
      if (function.isDeclaration()) continue;
      if (called.contains(function.getSymName())) {
        auto remark = function.emitRemark() << "this function is not planned: others call it";
        remark.attachNote() << "hint: inline it where it is called; memories belong to the caller";
        continue;
      }
      failed = mlir::failed(Plan(planner, function)) || failed;
    }
    if (failed) signalPassFailure();
  }

 private:
  static mlir::LogicalResult Plan(const Planner& planner, mlir::func::FuncOp function) {
    if (function->hasAttr(kPlanAttribute)) {
      auto error = function.emitError() << "inlay-plan: this function is planned already";
      AddHint(&error, "run inlay-plan once, or remove its attributes");
      return error;
    }
    if (!function.getBody().hasOneBlock()) {
      auto error = function.emitError() << "inlay-plan: this function has several blocks";
      AddHint(&error,
              "plan before control flow is lowered; loops and ifs of scf count as one step");
      return error;
    }
    auto translation = Translate(function);
    if (mlir::failed(translation)) return mlir::failure();
    if (translation->network.nodes.empty()) return mlir::success();
    if (mlir::failed(CheckBits(planner, *translation))) return mlir::failure();
    const FunctionPlan plan = planner.Plan(translation->network);
    for (const PlanError& plan_error : plan.plan_errors) Emit(plan_error, *translation, function);
    if (!plan.plan_errors.empty()) return mlir::failure();
    Annotate(function, *translation, plan.result, planner.memories());
    SetMemorySpaces(*translation, plan.result.plan, planner.memories());
    return mlir::success();
  }

  // Buffers have the size that their types say; anything less would overlap.
  static mlir::LogicalResult CheckBits(const Planner& planner, const Translation& translation) {
    for (const AllocatedBuffer& buffer : translation.buffers) {
      const int bits = LayoutOf(buffer.value.getType())->bits;
      if (planner.bits().value_or(bits) >= bits) continue;
      auto error = buffer.value.getDefiningOp()->emitOpError()
                   << "has elements of " << bits
                   << " bits, but inlay-plan was given bits=" << *planner.bits();
      AddHint(&error, "leave out bits, or plan before the function has buffers");
      return error;
    }
    return mlir::success();
  }

  Option<std::string> machine_{*this, "machine",
                               llvm::cl::desc("what it runs on: a built-in, or a file; needed")};
  Option<std::string> strategy_{
      *this, "strategy",
      llvm::cl::desc("none, next-use, eager, greedy, lns (the default) or exact")};
  Option<std::string> objective_{*this, "objective",
                                 llvm::cl::desc("latency (the default), bytes or energy")};
  Option<std::string> bits_{
      *this, "bits",
      llvm::cl::desc("bits of every element, whatever its type; default: the type's")};
  Option<std::string> time_limit_{*this, "time-limit",
                                  llvm::cl::desc("the most time for a function: 500ms, 60s, 5min")};
};

}  // namespace
}  // namespace inlay::plugin

extern "C" LLVM_ATTRIBUTE_WEAK ::mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Inlay", inlay::kVersion.data(),
          [] { mlir::PassRegistration<inlay::plugin::InlayPlanPass>(); }};
}
