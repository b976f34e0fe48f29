#include "mlir/translate.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/IR/SymbolTable.h>
#include <mlir/Interfaces/CallInterfaces.h>

#include <optional>
#include <string>
#include <utility>

#include "mlir/operations.h"
#include "mlir/types.h"

namespace inlay::plugin {
namespace {

// A buffer and what was last written into it.
struct Buffer {
  std::string name;
  mlir::Value value;
  std::optional<size_t> tensor = {};  // none: nothing yet
  size_t written = 0;                 // times
  bool outlives = false;  // the function: what is written has to lie off chip in the end
  std::optional<size_t> allocation = {};  // its index in Translation::buffers
};

class Translator {
 public:
  explicit Translator(mlir::func::FuncOp function) : function_(function) {
    translation_.network.name = function.getSymName().str();
  }

  mlir::FailureOr<Translation> Run() {
    for (const mlir::BlockArgument argument : function_.getArguments()) AddArgument(argument);
    for (mlir::Operation& operation : function_.getBody().front()) Visit(&operation);
    for (const Buffer& buffer : buffers_) {
      if (buffer.outlives && buffer.written > 0) Need(*buffer.tensor);
    }
    if (failed_) return mlir::failure();
    return std::move(translation_);
  }

 private:
  void Visit(mlir::Operation* operation) {
    switch (KindOf(operation)) {
      case OperationKind::kNothing:
        return;
      case OperationKind::kConstant:
        return AddConstant(operation);
      case OperationKind::kUninitialized:
        if (operation->getNumResults() == 0) started_.insert(operation->getOperands().back());
        return;
      case OperationKind::kView:
        // A buffer is followed from its users; a tensor is what it was.
        if (!IsBuffer(operation->getResult(0))) {
          const auto known = tensors_.find(operation->getOperand(0));
          if (known != tensors_.end()) tensors_[operation->getResult(0)] = known->second;
        }
        return;
      case OperationKind::kAllocation:
        return AddAllocation(operation);
      case OperationKind::kGlobal:
        return AddGlobal(operation);
      case OperationKind::kReturn:
        return AddReturn(operation);
      case OperationKind::kNode:
        return AddNode(operation);
    }
  }

  // The layout, or an error at the operation, once for every value and every operation.
  std::optional<Layout> Known(mlir::Value value, mlir::Operation* user) {
    auto layout = LayoutOf(value.getType());
    if (layout) return layout;
    failed_ = true;
    const bool is_new = reported_.insert(value).second;
    if (!accused_.insert(user).second || !is_new) return std::nullopt;
    const auto shaped = llvm::cast<mlir::ShapedType>(value.getType());
    const bool dynamic = !shaped.hasRank() || !shaped.hasStaticShape();
    auto error = user->emitOpError()
                 << "cannot be planned: the size of " << value.getType() << " is not known";
    error.attachNote() << "hint: "
                       << (dynamic ? "give every dimension an extent before inlay-plan"
                                   : "elements must be integers, floats, complex or vectors of "
                                     "them, at most 2^40 in all");
    return std::nullopt;
  }

  size_t AddTensor(std::string name, mlir::Value origin, const Layout& layout, ValueRole role) {
    translation_.network.tensors.push_back(
        {std::move(name), layout.shape, layout.bits, role, false});
    translation_.origins.push_back(origin);
    return translation_.network.tensors.size() - 1;
  }
  void Need(size_t tensor) {
    FunctionTensor& needed = translation_.network.tensors[tensor];
    if (needed.role == ValueRole::kActivation) needed.needed_after = true;
  }

  Buffer& AddBuffer(std::string name, mlir::Value value) {
    buffer_of_[value] = buffers_.size();
    return buffers_.emplace_back(Buffer{std::move(name), value});
  }

  void AddArgument(mlir::BlockArgument argument) {
    if (!TakesMemory(argument)) return;
    const auto layout = LayoutOf(argument.getType());
    if (!layout) return;  // the operation that uses it reports it
    const std::string name = "arg" + std::to_string(argument.getArgNumber());
    const size_t tensor = AddTensor(name, argument, *layout, ValueRole::kInput);
    if (!IsBuffer(argument)) {
      tensors_[argument] = tensor;
      return;
    }
    Buffer& buffer = AddBuffer(name, argument);
    buffer.tensor = tensor;
    buffer.outlives = true;
  }

  void AddConstant(mlir::Operation* operation) {
    const mlir::Value value = operation->getResult(0);
    const auto layout = Known(value, operation);
    if (!layout) return;
    const std::string name = "constant" + std::to_string(constants_++);
    tensors_[value] = AddTensor(name, value, *layout, ValueRole::kWeight);
  }

  void AddAllocation(mlir::Operation* operation) {
    const mlir::Value value = operation->getResult(0);
    if (!Known(value, operation)) return;
    if (llvm::cast<mlir::BaseMemRefType>(value.getType()).getMemorySpace()) {
      failed_ = true;
      auto error = operation->emitOpError() << "has a memory space already: " << value.getType();
      error.attachNote() << "hint: run inlay-plan once, before anything else places buffers";
    }
    Buffer& buffer = AddBuffer("buffer" + std::to_string(translation_.buffers.size()), value);
    buffer.allocation = translation_.buffers.size();
    translation_.buffers.push_back({value, {}});
  }

  void AddGlobal(mlir::Operation* operation) {
    auto get = llvm::cast<mlir::memref::GetGlobalOp>(operation);
    const auto [known, is_new] = globals_.try_emplace(get.getName(), buffers_.size());
    if (!is_new) {
      buffer_of_[get.getResult()] = known->second;
      return;
    }
    const auto layout = Known(get.getResult(), operation);
    if (!layout) {
      globals_.erase(known);
      return;
    }
    auto global =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::memref::GlobalOp>(get, get.getNameAttr());
    const bool constant = global && global.getConstant();
    const std::string name = "@" + get.getName().str();
    Buffer& buffer = AddBuffer(name, get.getResult());
    buffer.tensor = AddTensor(name, get.getResult(), *layout,
                              constant ? ValueRole::kWeight : ValueRole::kInput);
    buffer.outlives = !constant;
  }

  void AddReturn(mlir::Operation* operation) {
    for (const mlir::Value value : operation->getOperands()) {
      if (!TakesMemory(value)) continue;
      if (IsBuffer(value)) {
        if (Buffer* buffer = BufferOf(value, operation)) buffer->outlives = true;
      } else if (const auto tensor = tensors_.find(value); tensor != tensors_.end()) {
        Need(tensor->second);
      }
    }
  }

  // Null, with an error, if the buffer behind the value cannot be found.
  Buffer* BufferOf(mlir::Value value, mlir::Operation* user) {
    const mlir::Value root = RootOf(value);
    const auto known = buffer_of_.find(root);
    if (known != buffer_of_.end()) return &buffers_[known->second];
    if (!Known(root, user)) return nullptr;
    failed_ = true;
    if (!reported_.insert(root).second) return nullptr;
    auto error = user->emitOpError()
                 << "cannot be planned: the buffer behind " << value.getType() << " is unknown";
    error.attachNote(root.getLoc())
        << "hint: it comes from here; buffers must come from arguments, allocations, globals, "
           "calls or views of them";
    return nullptr;
  }

  void AddNode(mlir::Operation* operation) {
    const std::vector<Access> accesses = AccessesOf(operation);
    for (const Access& access : accesses) {
      if (access.read || access.written) Known(access.value, operation);
    }
    for (const mlir::Value result : operation->getResults()) {
      if (TakesMemory(result)) Known(result, operation);
    }
    if (failed_) {  // look for further errors only
      for (const Access& access : accesses) {
        if (IsBuffer(access.value)) BufferOf(access.value, operation);
      }
      return;
    }
    FunctionNode node;
    node.name = operation->getName().getStringRef().str() + "#" +
                std::to_string(translation_.network.nodes.size());
    node.outside =
        operation->walk([](mlir::CallOpInterface) { return mlir::WalkResult::interrupt(); })
            .wasInterrupted();
    Meaning meaning = MeaningOf(operation);
    node.op = meaning.op;
    node.attributes = std::move(meaning.attributes);
    AddReads(operation, accesses, meaning, &node);
    AddWrites(operation, accesses, meaning, &node);
    translation_.network.nodes.push_back(std::move(node));
    translation_.runs.push_back(operation);
  }

  static TensorUse Use(size_t tensor, const Layout& layout) {
    return {tensor, layout.shape, layout.bits};
  }

  // The tensor that a value holds now.
  std::optional<size_t> TensorOf(mlir::Value value, mlir::Operation* user) {
    if (IsBuffer(value)) {
      const Buffer* buffer = BufferOf(value, user);
      return buffer != nullptr ? buffer->tensor : std::nullopt;
    }
    const auto known = tensors_.find(value);
    return known == tensors_.end() ? std::nullopt : std::optional(known->second);
  }

  // What is multiplied comes first. A factor that was never written makes the node one that only
  // moves elements.
  void AddReads(mlir::Operation* operation, const std::vector<Access>& accesses,
                const Meaning& meaning, FunctionNode* node) {
    llvm::DenseSet<mlir::Value> factors;
    std::vector<TensorUse> uses;
    for (const auto& [index, shape] : meaning.factors) {
      const mlir::Value value = operation->getOperand(index);
      const auto tensor = TensorOf(value, operation);
      if (!tensor) continue;
      factors.insert(value);
      uses.push_back({*tensor, shape, LayoutOf(value.getType())->bits});
    }
    if (uses.size() == meaning.factors.size()) {
      node->reads = std::move(uses);
    } else {
      factors.clear();
      node->op = Op::kOther;
      node->attributes = {};
    }
    for (const Access& access : accesses) {
      if (!access.read || factors.contains(access.value)) continue;
      if (access.init != nullptr && started_.contains(access.value)) continue;
      const auto tensor = TensorOf(access.value, operation);
      if (!tensor) continue;
      node->reads.push_back(Use(*tensor, *LayoutOf(access.value.getType())));
      if (access.init != nullptr) node->updates.push_back(*tensor);
    }
  }

  void AddWrites(mlir::Operation* operation, const std::vector<Access>& accesses,
                 const Meaning& meaning, FunctionNode* node) {
    const auto write = [&](size_t tensor, const Layout& layout) {
      const bool computes =
          node->writes.empty() && !meaning.output.empty() && node->op == meaning.op;
      node->writes.push_back({tensor, computes ? meaning.output : layout.shape, layout.bits});
    };
    for (const mlir::OpResult result : operation->getResults()) {
      if (!TakesMemory(result)) continue;
      const std::string name =
          node->name +
          (result.getResultNumber() == 0 ? "" : ":" + std::to_string(result.getResultNumber()));
      const Layout layout = *LayoutOf(result.getType());
      const size_t tensor = AddTensor(name, result, layout, ValueRole::kActivation);
      if (IsBuffer(result)) {
        if (!llvm::isa<mlir::CallOpInterface>(operation)) {
          BufferOf(result, operation);  // an error
          continue;
        }
        Buffer& buffer = AddBuffer(name, result);
        buffer.tensor = tensor;
        buffer.outlives = true;
      } else {
        tensors_[result] = tensor;
      }
      write(tensor, layout);
    }
    for (const Access& access : accesses) {
      if (access.written) AddWrite(operation, access, node, write);
    }
    if (node->writes.empty()) {  // a check, a scalar: one element
      const Layout element{{1}, 8};
      write(AddTensor(node->name, {}, element, ValueRole::kActivation), element);
    }
  }

  // A new tensor in the buffer; where only a part is written, the rest is read and written again.
  template <typename Write>
  void AddWrite(mlir::Operation* operation, const Access& access, FunctionNode* node,
                const Write& write) {
    Buffer* buffer = BufferOf(access.value, operation);
    const auto written_here = [&](const TensorUse& use) { return use.tensor == buffer->tensor; };
    if (buffer == nullptr || llvm::any_of(node->writes, written_here)) return;
    const Layout whole = *LayoutOf(buffer->value.getType());
    const Layout seen = *LayoutOf(access.value.getType());
    const bool all = access.written_whole &&
                     ElementsOf(seen.shape) * seen.bits == ElementsOf(whole.shape) * whole.bits;
    started_.erase(access.value);
    const bool computes = InfoOf(node->op).op_class == OpClass::kCompute;
    if (!all && buffer->tensor) {
      node->reads.push_back(Use(*buffer->tensor, whole));
      node->updates.push_back(*buffer->tensor);
    }
    if (!all && !computes) node->op = Op::kOther;
    if (!all && computes && node->writes.empty()) {  // the part by itself, then the whole with it
      write(AddTensor(node->name, {}, seen, ValueRole::kActivation), seen);
    }
    std::string name = buffer->name;
    if (buffer->written > 0 || !buffer->allocation) {
      name += "." + std::to_string(buffer->written + (buffer->allocation ? 0 : 1));
    }
    const size_t tensor = AddTensor(name, buffer->value, whole, ValueRole::kActivation);
    ++buffer->written;
    buffer->tensor = tensor;
    if (buffer->allocation) translation_.buffers[*buffer->allocation].tensors.push_back(tensor);
    write(tensor, all ? seen : whole);
  }

  mlir::func::FuncOp function_;
  Translation translation_;
  llvm::DenseMap<mlir::Value, size_t> tensors_;  // by value that is no buffer
  std::vector<Buffer> buffers_;
  llvm::DenseMap<mlir::Value, size_t> buffer_of_;
  llvm::StringMap<size_t> globals_;
  llvm::DenseSet<mlir::Value> started_;  // filled with a constant, to accumulate from
  llvm::DenseSet<mlir::Value> reported_;
  llvm::DenseSet<mlir::Operation*> accused_;
  size_t constants_ = 0;
  bool failed_ = false;
};

}  // namespace

mlir::FailureOr<Translation> Translate(mlir::func::FuncOp function) {
  return Translator(function).Run();
}

}  // namespace inlay::plugin
