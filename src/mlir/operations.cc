#include "mlir/operations.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <mlir/Dialect/Linalg/IR/LinalgInterfaces.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Interfaces/CallInterfaces.h>
#include <mlir/Interfaces/DestinationStyleOpInterface.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include <algorithm>

#include "mlir/types.h"

namespace inlay::plugin {
namespace {

bool Reaches(mlir::Operation* operation) {
  const auto takes = [](mlir::Value value) { return TakesMemory(value); };
  if (llvm::any_of(operation->getOperands(), takes)) return true;
  if (llvm::any_of(operation->getResults(), takes)) return true;
  bool inside = false;
  for (mlir::Region& region : operation->getRegions()) {
    region.walk([&](mlir::Operation* nested) {
      inside = inside || llvm::any_of(nested->getOperands(), takes);
    });
  }
  return inside;
}

bool IsView(llvm::StringRef name) {
  static const llvm::StringSet<> kViews = {
      "tosa.reshape",        "tensor.expand_shape",   "tensor.collapse_shape",
      "tensor.cast",         "tensor.reshape",        "tensor.bitcast",
      "memref.cast",         "memref.subview",        "memref.reinterpret_cast",
      "memref.expand_shape", "memref.collapse_shape", "memref.view",
      "memref.reshape",      "memref.transpose",      "memref.memory_space_cast"};
  return kViews.contains(name);
}

bool LooksAtTypesOnly(llvm::StringRef name) {
  static const llvm::StringSet<> kLooks = {"tensor.dim",
                                           "tensor.rank",
                                           "memref.dim",
                                           "memref.rank",
                                           "memref.dealloc",
                                           "memref.assume_alignment",
                                           "memref.extract_strided_metadata",
                                           "memref.extract_aligned_pointer_as_index"};
  return kLooks.contains(name);
}

// Gathers accesses, each value once.
class Gatherer {
 public:
  explicit Gatherer(mlir::Operation* operation) : operation_(operation) {}

  std::vector<Access> Gather() {
    if (llvm::isa<mlir::DestinationStyleOpInterface>(operation_)) {
      AddDestinationStyle();
    } else {
      AddOperands(operation_, true);
    }
    for (mlir::Region& region : operation_->getRegions()) {
      region.walk([&](mlir::Operation* nested) { AddOperands(nested, false); });
    }
    return std::move(accesses_);
  }

 private:
  void Add(Access access) {
    if (!TakesMemory(access.value)) return;
    for (Access& known : accesses_) {
      if (known.value != access.value) continue;
      known.written_whole = known.written
                                ? known.written_whole && (!access.written || access.written_whole)
                                : access.written_whole;
      known.read |= access.read;
      known.written |= access.written;
      if (known.init == nullptr) known.init = access.init;
      return;
    }
    accesses_.push_back(access);
  }

  void AddDestinationStyle() {
    const auto linalg = llvm::dyn_cast<mlir::linalg::LinalgOp>(operation_);
    auto style = llvm::cast<mlir::DestinationStyleOpInterface>(operation_);
    for (mlir::OpOperand& operand : operation_->getOpOperands()) {
      const bool init = style.isDpsInit(&operand);
      // Those of the dialect without a body (softmax) overwrite; others (insert_slice) update.
      const bool overwrites = operation_->getName().getDialectNamespace() == "linalg";
      const bool used =
          linalg
              ? llvm::cast<mlir::linalg::LinalgOp>(operation_).payloadUsesValueFromOperand(&operand)
              : !init || !overwrites;
      const bool written = init && IsBuffer(operand.get());
      Add({operand.get(), used, written, written && overwrites,
           linalg && init && used ? &operand : nullptr});
    }
  }

  // Of the operation itself or of one inside it; there only what lies outside counts.
  void AddOperands(mlir::Operation* operation, bool itself) {
    for (const mlir::Value operand : operation->getOperands()) {
      if (!TakesMemory(operand)) continue;
      const mlir::Value value = itself ? operand : RootOf(operand);
      if (!itself && IsInside(value)) continue;
      if (!IsBuffer(value)) {
        Add({value, true});
        continue;
      }
      const OperationKind kind = itself ? OperationKind::kNode : KindOf(operation);
      if (kind != OperationKind::kNode && kind != OperationKind::kReturn) continue;
      AddBuffer(operation, operand, value);
    }
  }

  void AddBuffer(mlir::Operation* operation, mlir::Value operand, mlir::Value value) {
    auto effects = llvm::dyn_cast<mlir::MemoryEffectOpInterface>(operation);
    if (!effects) {
      Add({value, true, true});
      return;
    }
    const bool copy = operation->getName().getStringRef() == "memref.copy";
    Access access{value};
    llvm::SmallVector<mlir::MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const mlir::MemoryEffects::EffectInstance& instance : instances) {
      if (instance.getValue() && instance.getValue() != operand) continue;
      access.read |= llvm::isa<mlir::MemoryEffects::Read>(instance.getEffect());
      access.written |= llvm::isa<mlir::MemoryEffects::Write>(instance.getEffect());
    }
    access.written_whole = access.written && copy;
    if (access.read || access.written) Add(access);
  }

  bool IsInside(mlir::Value value) const {
    mlir::Operation* owner = value.getDefiningOp();
    if (owner == nullptr) owner = value.getParentRegion()->getParentOp();
    return operation_->isAncestor(owner);
  }

  mlir::Operation* operation_;
  std::vector<Access> accesses_;
};

// Whether the operand is what a structured operation starts accumulating from.
bool Starts(mlir::OpOperand& use) {
  auto linalg = llvm::dyn_cast<mlir::linalg::LinalgOp>(use.getOwner());
  return linalg && linalg.isDpsInit(&use) && linalg.getNumReductionLoops() > 0;
}

}  // namespace

OperationKind KindOf(mlir::Operation* operation) {
  const llvm::StringRef name = operation->getName().getStringRef();
  if (operation->hasTrait<mlir::OpTrait::IsTerminator>()) return OperationKind::kReturn;
  if (!Reaches(operation) || LooksAtTypesOnly(name)) return OperationKind::kNothing;
  if (IsView(name)) return OperationKind::kView;
  if (name == "memref.alloc" || name == "memref.alloca") return OperationKind::kAllocation;
  if (name == "memref.get_global") return OperationKind::kGlobal;
  if (name == "tensor.empty" ||
      (name == "bufferization.alloc_tensor" && operation->getNumOperands() == 0)) {
    return OperationKind::kUninitialized;
  }
  if (mlir::matchPattern(operation, mlir::m_Constant())) return OperationKind::kConstant;
  return OnlyStartsAccumulation(operation) ? OperationKind::kUninitialized : OperationKind::kNode;
}

mlir::Value RootOf(mlir::Value value) {
  mlir::Operation* owner = value.getDefiningOp();
  while (owner != nullptr && IsView(owner->getName().getStringRef())) {
    value = owner->getOperand(0);
    owner = value.getDefiningOp();
  }
  return value;
}

std::vector<Access> AccessesOf(mlir::Operation* operation) { return Gatherer(operation).Gather(); }

bool OnlyStartsAccumulation(mlir::Operation* operation) {
  if (operation->getName().getStringRef() != "linalg.fill") return false;
  if (operation->getNumResults() == 1) {
    return !operation->use_empty() && llvm::all_of(operation->getUses(), Starts);
  }
  const mlir::Value filled = operation->getOperands().back();
  mlir::Operation* next = operation->getNextNode();
  while (next != nullptr && KindOf(next) != OperationKind::kNode &&
         KindOf(next) != OperationKind::kReturn) {
    next = next->getNextNode();
  }
  return next != nullptr && llvm::any_of(next->getOpOperands(), [&](mlir::OpOperand& use) {
           return use.get() == filled && Starts(use);
         });
}

}  // namespace inlay::plugin
