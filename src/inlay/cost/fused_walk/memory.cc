#include "inlay/cost/fused_walk/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace inlay::fused_walk {
namespace {

// Some value for a word of an input, the same wherever it is read.
uint64_t InputValue(TensorId tensor, const Coordinates& word) {
  uint64_t value = tensor.value() + 1;
  for (const int64_t x : word) {
    value = (value ^ static_cast<uint64_t>(x)) * 0x9e3779b97f4a7c15U;
    value ^= value >> 29;
  }
  return value;
}

Domain WholeDomain(const FusedProblem& problem, const FusedNode& node) {
  Domain domain;
  for (const DimId d : DimsOf(problem, node)) domain[d] = {0, problem.dims[d].bound};
  return domain;
}

using Values = std::map<Coordinates, uint64_t>;

// Every tensor that is written, by the loops of one node after the other.
IndexedVector<TensorId, Values> PlainValues(const FusedProblem& problem) {
  IndexedVector<TensorId, Values> values(problem.tensors.size());
  for (const FusedNode& node : problem.nodes) {
    const FusedOperand& output = OutputOf(node);
    for (const Point& point : PointsOf(WholeDomain(problem, node), problem.dims.size())) {
      uint64_t product = 1;
      for (const FusedOperand& operand : node.operands) {
        if (operand.is_output) continue;
        const auto word = WordAt(operand, point);
        product *= !word                               ? 0
                   : WriterOf(problem, operand.tensor) ? values[operand.tensor].at(*word)
                                                       : InputValue(operand.tensor, *word);
      }
      values[output.tensor][*WordAt(output, point)] += AddendOf(node, product);
    }
  }
  return values;
}

}  // namespace

OffChip::OffChip(const FusedProblem& problem)
    : problem_(problem), steps_(problem.tensors.size()), words_(problem.tensors.size()) {
  for (const FusedNode& node : problem.nodes) {
    int64_t steps = 1;
    for (const DimId d : DimsOf(problem, node)) {
      if (IsReduced(node, d)) steps *= problem.dims[d].bound;
    }
    steps_[OutputOf(node).tensor] = steps;
  }
}

Word OffChip::Read(TensorId tensor, const Coordinates& word) const {
  if (!StepsOf(tensor)) return {InputValue(tensor, word), 0};
  const auto found = words_[tensor].find(word);
  return found == words_[tensor].end() ? Word() : found->second;
}

void OffChip::Write(TensorId tensor, const Coordinates& word, const Word& value) {
  words_[tensor][word] = value;
}

bool OffChip::Check() const {
  const auto plain = PlainValues(problem_);
  bool equal = true;
  for (TensorId t : Ids(problem_.tensors)) {
    if (!ReadersOf(problem_, t).empty() && !IsListedOutput(problem_, t)) continue;
    for (const auto& [word, value] : plain[t]) {
      const Word walked = Read(t, word);
      if (!IsFinished(t, walked)) {
        throw Stopped{{"tree",
                       fmt::format("{} is an output, and was added to {} times of {}",
                                   NameOf(problem_, t, word), walked.steps, *StepsOf(t)),
                       "some loop of the tree leaves it out"}};
      }
      equal = equal && walked.value == value;
    }
  }
  return equal;
}

uint64_t AddendOf(const FusedNode& node, uint64_t product) {
  return node.softmax || node.rows ? product * product + 7 * product + 1 : product;
}

std::string NameOf(const FusedProblem& problem, TensorId tensor, const Coordinates& word) {
  return fmt::format("{}[{}]", problem.tensors[tensor], fmt::join(word, ", "));
}

}  // namespace inlay::fused_walk
