#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/core/graph.h"
#include "inlay/core/plan_result.h"

namespace inlay::plugin {

// The way from the compiler's code, which is built without exceptions, to the library, which is
// built with them: a function of the compiler goes in and a plan comes out, both as plain values.
// No exception leaves planning.cc.

struct FunctionTensor {
  std::string name;  // unique
  Shape shape;
  int bits = 0;  // of an element
  ValueRole role = ValueRole::kActivation;
  bool needed_after = false;  // has to lie off chip in the end
};

// A tensor as a node sees it: by another order of its dimensions, another shape, or a part of it.
struct TensorUse {
  size_t tensor = 0;
  Shape shape;
  int bits = 0;
};

struct FunctionNode {
  std::string name;  // unique
  Op op = Op::kOther;
  OpAttributes attributes = {};
  std::vector<TensorUse> reads;   // what a compute node multiplies first
  std::vector<TensorUse> writes;  // at least one, whole; every activation is written once
  // Tensors whose place the first one written may take, whatever the operator is.
  std::vector<size_t> updates;
  bool outside = false;  // runs where no memory of the machine is reached
};

struct FunctionNetwork {
  std::string name;
  std::vector<FunctionTensor> tensors;
  std::vector<FunctionNode> nodes;  // in the order in which they run
};

// As the user wrote them; empty: the default.
struct PlanRequest {
  std::string machine, strategy, objective, bits, time_limit;
};

// A sentence to the user about a file, a node or a tensor; or about the function as a whole.
struct PlanError {
  SourceLocation location;
  std::optional<size_t> node, tensor;
  std::string message, hint;
};

struct FunctionPlan {
  std::vector<PlanError> plan_errors;  // not empty: there is no plan
  PlanResult result;
};

class Planner {
 public:
  explicit Planner(const PlanRequest& request) noexcept;
  ~Planner();
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;

  // What is wrong with the request; not empty: nothing can be planned.
  const std::vector<PlanError>& plan_errors() const { return plan_errors_; }
  // The machine's, in order.
  const std::vector<std::string>& memories() const { return memories_; }
  // The bits of all elements, if the user gave them.
  std::optional<int> bits() const { return bits_; }

  // Every plan is replayed by the validator, which gives the figures.
  FunctionPlan Plan(const FunctionNetwork& function) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<PlanError> plan_errors_;
  std::vector<std::string> memories_;
  std::optional<int> bits_;
};

}  // namespace inlay::plugin
