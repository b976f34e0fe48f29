#pragma once

#include <mlir/IR/Operation.h>

#include <utility>
#include <vector>

#include "inlay/core/operator.h"

namespace inlay::plugin {

// What an operation is to the planner.
enum class OperationKind {
  kNothing,        // moves no elements of tensors or buffers
  kConstant,       // gives a tensor that is the same in every run
  kUninitialized,  // gives a tensor whose elements are not written yet
  kView,           // its result is its first operand by another shape, or a part of it
  kAllocation,     // gives a new buffer
  kGlobal,         // gives a buffer of the module
  kReturn,         // ends the function
  kNode,           // takes a step of the plan
};
OperationKind KindOf(mlir::Operation* operation);

// The buffer or tensor that a view, or a view of it, looks at in the end.
mlir::Value RootOf(mlir::Value value);

// A tensor or buffer that an operation, or one inside it, reads or writes.
struct Access {
  mlir::Value value;
  bool read = false;
  bool written = false;             // of buffers only: tensors never change
  bool written_whole = false;       // and nothing of what was there stays
  mlir::OpOperand* init = nullptr;  // of an operation that accumulates: what it starts from
};
// In the order of the operands, then what regions reach, each value once.
std::vector<Access> AccessesOf(mlir::Operation* operation);

// A fill whose every user starts accumulating from it; what starts from a constant reads nothing.
// Of a buffer: the next step accumulates in it, so that nothing comes between.
bool OnlyStartsAccumulation(mlir::Operation* operation);

// What an operation computes.
struct Meaning {
  Op op = Op::kOther;
  OpAttributes attributes = {};
  // Of one that multiplies: which operands, and their shapes in the order that Op wants; the same
  // of what it writes.
  std::vector<std::pair<unsigned, Shape>> factors = {};
  Shape output = {};
};
// All shapes are known. What is not recognised is kOther: it reads and writes everything once.
Meaning MeaningOf(mlir::Operation* operation);

}  // namespace inlay::plugin
