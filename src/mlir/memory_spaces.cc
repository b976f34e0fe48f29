#include "mlir/memory_spaces.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <mlir/IR/Builders.h>
#include <mlir/Interfaces/CallInterfaces.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "mlir/operations.h"
#include "mlir/types.h"

namespace inlay::plugin {
namespace {

struct Place {
  std::string memory;
  int64_t address = 0;
  bool operator==(const Place&) const = default;
};

// Where a buffer lies, if it is one place from its first write to its last use.
class Places {
 public:
  Places(const FunctionNetwork& network, const NamedPlan& plan)
      : network_(network),
        plan_(plan),
        written_at_(network.tensors.size()),
        used_at_(network.tensors.size()) {
    for (size_t n = 0; n < network.nodes.size(); ++n) {
      for (const TensorUse& use : network.nodes[n].reads) used_at_[use.tensor] = n;
      for (const TensorUse& use : network.nodes[n].writes) {
        written_at_[use.tensor] = used_at_[use.tensor] = n;
      }
    }
    for (const NamedPlan::Residency& r : plan.residencies) residencies_[r.tensor].push_back(&r);
    for (const NamedPlan::Copy& copy : plan.transfers) ++copies_[copy.tensor];
  }

  std::optional<Place> Of(const AllocatedBuffer& buffer) const {
    std::optional<Place> place;
    for (const size_t tensor : buffer.tensors) {
      const auto found = OfTensor(tensor);
      if (!found || (place && *place != *found)) return std::nullopt;
      place = found;
    }
    return place;
  }

 private:
  std::optional<Place> OfTensor(size_t tensor) const {
    const std::string& name = network_.tensors[tensor].name;
    const auto found = residencies_.find(name);
    if (found == residencies_.end() || found->second.size() != 1 || copies_.contains(name)) {
      return std::nullopt;
    }
    const NamedPlan::Residency& residency = *found->second.front();
    const bool throughout = residency.from == static_cast<int64_t>(written_at_[tensor]) &&
                            residency.to > static_cast<int64_t>(used_at_[tensor]);
    if (!throughout) return std::nullopt;
    return Place{residency.memory, residency.address};
  }

  const FunctionNetwork& network_;
  const NamedPlan& plan_;
  std::vector<size_t> written_at_, used_at_;  // by tensor: the step, the last step
  std::map<std::string, std::vector<const NamedPlan::Residency*>> residencies_;
  std::map<std::string, int> copies_;
};

bool TakesAnySpace(mlir::Operation* user) {
  const auto takes = [](mlir::Value value) { return IsBuffer(value); };
  return !user->hasTrait<mlir::OpTrait::IsTerminator>() &&
         !llvm::isa<mlir::CallOpInterface>(user) && llvm::none_of(user->getResults(), takes) &&
         (user->getNumRegions() == 0 || user->getName().getDialectNamespace() == "linalg") &&
         user->getName().getDialectNamespace() != "bufferization" &&
         user->getName().getStringRef() != "memref.memory_space_cast";
}

// The buffer and all views of it; none, and the operation in the way, where a type cannot change.
struct Views {
  llvm::SmallVector<mlir::Value> values;
  mlir::Operation* in_the_way = nullptr;
};
Views ViewsOf(mlir::Value buffer) {
  Views views{{buffer}};
  for (size_t i = 0; i < views.values.size(); ++i) {
    for (mlir::OpOperand& use : views.values[i].getUses()) {
      mlir::Operation* user = use.getOwner();
      const bool view = KindOf(user) == OperationKind::kView && use.getOperandNumber() == 0 &&
                        user->getName().getStringRef() != "memref.memory_space_cast";
      if (view) {
        views.values.push_back(user->getResult(0));
      } else if (!TakesAnySpace(user)) {
        views.in_the_way = user;
        return views;
      }
    }
  }
  return views;
}

mlir::Type InSpace(mlir::Type type, mlir::Attribute space) {
  if (const auto ranked = llvm::dyn_cast<mlir::MemRefType>(type)) {
    return mlir::MemRefType::Builder(ranked).setMemorySpace(space);
  }
  return mlir::UnrankedMemRefType::get(llvm::cast<mlir::UnrankedMemRefType>(type).getElementType(),
                                       space);
}

// An allocation may ask for more than the machine's memory does.
bool IsAligned(mlir::Operation* allocation, int64_t address) {
  const auto alignment = allocation->getAttrOfType<mlir::IntegerAttr>("alignment");
  return !alignment || address % alignment.getInt() == 0;
}

}  // namespace

void SetMemorySpaces(const Translation& translation, const NamedPlan& plan,
                     const std::vector<std::string>& memories) {
  const Places places(translation.network, plan);
  for (const AllocatedBuffer& buffer : translation.buffers) {
    const auto place = places.Of(buffer);
    if (!place) continue;
    mlir::Operation* allocation = buffer.value.getDefiningOp();
    const Views views = ViewsOf(buffer.value);
    if (views.in_the_way != nullptr) {
      auto remark = allocation->emitRemark()
                    << "this buffer keeps its memory space, although the plan has it in '"
                    << place->memory << "' throughout";
      remark.attachNote(views.in_the_way->getLoc()) << "because its type is fixed here";
      continue;
    }
    if (!IsAligned(allocation, place->address)) {
      auto remark = allocation->emitRemark()
                    << "this buffer keeps its memory space: its address " << place->address
                    << " in '" << place->memory << "' is no multiple of its alignment";
      remark.attachNote() << "hint: give the memory of the machine this alignment";
      continue;
    }
    mlir::Builder build(allocation->getContext());
    const auto number = std::find(memories.begin(), memories.end(), place->memory);
    const mlir::Attribute space = build.getI64IntegerAttr(number - memories.begin() + 1);
    for (mlir::Value value : views.values) value.setType(InSpace(value.getType(), space));
    allocation->setAttr("inlay.memory", build.getStringAttr(place->memory));
    allocation->setAttr("inlay.address", build.getI64IntegerAttr(place->address));
  }
}

}  // namespace inlay::plugin
