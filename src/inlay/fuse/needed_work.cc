#include "inlay/fuse/needed_work.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/fused_box.h"

namespace inlay {
namespace {

using Indices = std::vector<int64_t>;  // ascending

Indices AllOf(int64_t bound) {
  Indices all;
  for (int64_t i = 0; i < bound; ++i) all.push_back(i);
  return all;
}

// The words along a rank that these iterations touch; some of them where there are too many to
// list.
Indices WordsAlong(const FusedOperand& operand, size_t r,
                   const std::map<DimId, Indices>& iterations) {
  constexpr size_t kMostSums = size_t{1} << 22U;
  Indices words = {operand.borders.empty() ? 0 : -operand.borders[r].before};
  for (const auto& term : operand.ranks[r].terms) {
    const Indices& of = iterations.at(term.dim);
    if (of.empty()) return {};
    const bool all = words.size() <= kMostSums / of.size();
    const Indices before = all ? words : Indices{words.front()};
    words.clear();
    for (const int64_t word : before) {
      for (const int64_t i : of) words.push_back(word + term.coefficient * i);
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  if (operand.borders.empty()) return words;
  std::erase_if(words,
                [end = operand.borders[r].words](int64_t word) { return word < 0 || word >= end; });
  return words;
}

int64_t SizeOf(const std::vector<Indices>& ranks) {
  int64_t words = 1;
  for (const Indices& rank : ranks) {
    words = SaturatingMultiply(words, static_cast<int64_t>(rank.size()));
  }
  return words;
}

}  // namespace

NeededWork NeededWorkOf(const FusedProblem& problem) {
  NeededWork work;
  work.words.resize(problem.tensors.size());
  work.operations.resize(problem.nodes.size());
  // Rank by rank, from the last node to the first: of several readers what one of them reads, the
  // one that needs most.
  std::map<TensorId, std::vector<Indices>> read;
  for (size_t n = problem.nodes.size(); n-- > 0;) {
    const FusedNode& node = problem.nodes[NodeId(n)];
    const FusedOperand& output = OutputOf(node);
    std::map<DimId, Indices> iterations;
    for (const DimId d : DimsOf(problem, node)) iterations[d] = AllOf(problem.dims[d].bound);
    const auto needed = read.find(output.tensor);
    if (needed == read.end() || IsListedOutput(problem, output.tensor)) {
      work.words[output.tensor] = WordsOf(Touched(output, WholeDomain(problem)));
    } else {
      work.words[output.tensor] = SizeOf(needed->second);
      for (size_t r = 0; r < output.ranks.size(); ++r) {
        if (!output.ranks[r].terms.empty()) {
          iterations[output.ranks[r].terms.front().dim] = needed->second[r];
        }
      }
    }
    int64_t operations = 1;
    for (const auto& [dim, of] : iterations) {
      operations = SaturatingMultiply(operations, static_cast<int64_t>(of.size()));
    }
    work.operations[NodeId(n)] = operations;
    for (const FusedOperand& operand : node.operands) {
      if (operand.is_output) continue;
      std::vector<Indices> ranks;
      for (size_t r = 0; r < operand.ranks.size(); ++r) {
        ranks.push_back(WordsAlong(operand, r, iterations));
      }
      std::vector<Indices>& most = read[operand.tensor];
      if (most.empty() || SizeOf(ranks) > SizeOf(most)) most = std::move(ranks);
    }
  }
  for (const auto& [tensor, ranks] : read) {
    if (!WriterOf(problem, tensor)) work.words[tensor] = SizeOf(ranks);
  }
  return work;
}

int64_t CompulsoryWords(const FusedProblem& problem) {
  const NeededWork work = NeededWorkOf(problem);
  int64_t total = 0;
  for (TensorId t : Ids(problem.tensors)) {
    const bool comes_or_goes =
        !WriterOf(problem, t) || ReadersOf(problem, t).empty() || IsListedOutput(problem, t);
    if (comes_or_goes) total = SaturatingAdd(total, work.words[t]);
  }
  return total;
}

}  // namespace inlay
