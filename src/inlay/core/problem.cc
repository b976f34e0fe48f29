#include "inlay/core/problem.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

void ValidateDims(const Problem& problem, Faults* faults) {
  if (problem.dims.empty()) faults->push_back({"dims", "the problem has no dimensions", ""});
  if (problem.dims.size() > kMaxDims) {
    faults->push_back({"dims", "more than " + std::to_string(kMaxDims) + " dimensions", ""});
  }
  std::set<std::string> seen;
  for (const Dimension& dim : problem.dims) {
    if (!seen.insert(dim.name).second) {
      faults->push_back({"dims." + dim.name, "dimension '" + dim.name + "' is declared twice", ""});
    }
    if (dim.bound < 1) {
      faults->push_back({"dims." + dim.name,
                         "dimension '" + dim.name + "' has bound " + std::to_string(dim.bound),
                         "bounds are whole numbers from 1"});
    }
  }
}

void ValidateOutputRank(const Problem& problem, const Tensor& tensor, const Rank& rank,
                        Faults* faults) {
  if (!tensor.is_output || rank.terms.size() <= 1) return;
  faults->push_back({"tensors." + tensor.name,
                     "output '" + tensor.name +
                         "' has a rank of more than one dimension: " + ToString(problem, tensor),
                     "each rank of the output must be a single dimension; lanes could not agree on "
                     "which of them holds the first partial sum"});
}

void ValidateTensor(const Problem& problem, const Tensor& tensor, Faults* faults) {
  const std::string where = "tensors." + tensor.name;
  std::set<DimId> used;
  for (const Rank& rank : tensor.ranks) {
    for (const Term& term : rank.terms) {
      if (term.coefficient < 1) {
        faults->push_back(
            {where,
             "tensor '" + tensor.name + "' has coefficient " + std::to_string(term.coefficient),
             "coefficients are whole numbers from 1"});
      }
      if (!used.insert(term.dim).second) {
        faults->push_back({where,
                           "tensor '" + tensor.name + "' uses dimension '" +
                               problem.dims[term.dim].name + "' more than once",
                           "a dimension may occur in one rank of a tensor only"});
      }
    }
    ValidateOutputRank(problem, tensor, rank, faults);
  }
}

void ValidateTensors(const Problem& problem, Faults* faults) {
  if (problem.tensors.size() > kMaxTensors) {
    faults->push_back({"tensors", "more than " + std::to_string(kMaxTensors) + " tensors", ""});
  }
  std::set<std::string> seen;
  int outputs = 0;
  for (const Tensor& tensor : problem.tensors) {
    if (!seen.insert(tensor.name).second) {
      faults->push_back(
          {"tensors." + tensor.name, "tensor '" + tensor.name + "' is declared twice", ""});
    }
    outputs += tensor.is_output ? 1 : 0;
    ValidateTensor(problem, tensor, faults);
  }
  if (outputs != 1) {
    faults->push_back({"tensors",
                       outputs == 0 ? "no tensor is the output"
                                    : std::to_string(outputs) + " tensors are outputs",
                       "mark exactly one tensor as the reduced output"});
  }
  for (DimId d : Ids(problem.dims)) {
    if (std::none_of(problem.tensors.begin(), problem.tensors.end(),
                     [d](const Tensor& tensor) { return IsRelevant(tensor, d); })) {
      faults->push_back({"dims." + problem.dims[d].name,
                         "dimension '" + problem.dims[d].name + "' is in no tensor",
                         "leave it out, or use it in a tensor"});
    }
  }
}

// Every count of the cost model is at most a small multiple of (operations × coefficients); see
// docs on overflow.
void ValidateSize(const Problem& problem, Faults* faults) {
  std::optional<int64_t> operations = 1;
  for (const Dimension& dim : problem.dims) {
    operations = CheckedMultiply(*operations, dim.bound);
    if (!operations) {
      faults->push_back({"dims", "the number of operations does not fit into 64 bits", ""});
      return;
    }
  }
  for (const Tensor& tensor : problem.tensors) {
    std::optional<int64_t> words = 1;
    for (const Rank& rank : tensor.ranks) {
      std::optional<int64_t> extent = 1;
      for (const Term& term : rank.terms) {
        const auto reach = CheckedMultiply(term.coefficient, problem.dims[term.dim].bound - 1);
        extent = reach && extent ? CheckedAdd(*extent, *reach) : std::nullopt;
      }
      words = words && extent ? CheckedMultiply(*words, *extent) : std::nullopt;
    }
    if (!words) {
      faults->push_back({"tensors." + tensor.name,
                         "the size of tensor '" + tensor.name + "' does not fit into 64 bits", ""});
    }
  }
}

}  // namespace

Faults Validate(const Problem& problem) {
  Faults faults;
  ValidateDims(problem, &faults);
  ValidateTensors(problem, &faults);
  if (faults.empty()) ValidateSize(problem, &faults);
  return faults;
}

std::optional<DimId> FindDim(const Problem& problem, std::string_view name) {
  for (DimId d : Ids(problem.dims)) {
    if (problem.dims[d].name == name) return d;
  }
  return std::nullopt;
}

std::optional<DimId> FindConstrainedDim(const Problem& problem, std::string_view name) {
  if (const auto dim = FindDim(problem, name)) return dim;
  return name == "M" ? FindDim(problem, "K") : std::nullopt;
}

std::optional<TensorId> FindTensor(const Problem& problem, std::string_view name) {
  for (TensorId t : Ids(problem.tensors)) {
    if (problem.tensors[t].name == name) return t;
  }
  return std::nullopt;
}

TensorId OutputTensor(const Problem& problem) {
  for (TensorId t : Ids(problem.tensors)) {
    if (problem.tensors[t].is_output) return t;
  }
  INLAY_CHECK(!"a valid problem has an output");
  return TensorId();
}

bool IsRelevant(const Tensor& tensor, DimId dim) {
  for (const Rank& rank : tensor.ranks) {
    for (const Term& term : rank.terms) {
      if (term.dim == dim) return true;
    }
  }
  return false;
}

std::vector<std::string> DimNames(const Problem& problem) {
  std::vector<std::string> names;
  for (const Dimension& dim : problem.dims) names.push_back(dim.name);
  return names;
}

std::vector<std::string> TensorNames(const Problem& problem) {
  std::vector<std::string> names;
  for (const Tensor& tensor : problem.tensors) names.push_back(tensor.name);
  return names;
}

int64_t Operations(const Problem& problem) {
  int64_t operations = 1;
  for (const Dimension& dim : problem.dims) operations *= dim.bound;
  return operations;
}

int64_t TileWords(const Tensor& tensor, const IndexedVector<DimId, int64_t>& sizes) {
  int64_t words = 1;
  for (const Rank& rank : tensor.ranks) {
    int64_t extent = 1;
    for (const Term& term : rank.terms) {
      extent += std::abs(term.coefficient) * (sizes[term.dim] - 1);
    }
    words *= extent;
  }
  return words;
}

int64_t TensorWords(const Problem& problem, TensorId tensor) {
  IndexedVector<DimId, int64_t> sizes;
  for (const Dimension& dim : problem.dims) sizes.push_back(dim.bound);
  return TileWords(problem.tensors[tensor], sizes);
}

std::string ToString(const Problem& problem, const Tensor& tensor) {
  std::string text = tensor.name + "[";
  for (size_t r = 0; r < tensor.ranks.size(); ++r) {
    if (r > 0) text += ", ";
    const Rank& rank = tensor.ranks[r];
    for (size_t i = 0; i < rank.terms.size(); ++i) {
      if (i > 0) text += " + ";
      const Term& term = rank.terms[i];
      if (term.coefficient != 1) text += std::to_string(term.coefficient) + "*";
      text += problem.dims[term.dim].name;
    }
  }
  text += "]";
  if (tensor.is_output) text += " +=";
  return text;
}

}  // namespace inlay
