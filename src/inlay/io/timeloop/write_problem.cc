#include <fmt/format.h>

#include <set>
#include <utility>

#include "inlay/io/timeloop/writer.h"

namespace inlay::io::timeloop {
namespace {

// Timeloop's coefficients have names: one for every dimension and value.
std::string CoefficientName(const std::string& dim, int64_t value) {
  return fmt::format("{}_times_{}", dim, value);
}

std::string RankText(const Rank& rank, const DimNamer& namer) {
  std::string text = "[";
  for (const Term& term : rank.terms) {
    if (text.size() > 1) text += ", ";
    const std::string& dim = namer.Of(term.dim);
    text += term.coefficient == 1
                ? fmt::format("[{}]", dim)
                : fmt::format("[{}, {}]", dim, CoefficientName(dim, term.coefficient));
  }
  return text + "]";
}

}  // namespace

std::string WriteProblem(const Problem& problem, const DimNamer& namer, TimeloopVersion version) {
  std::string text = "problem:\n";
  if (version == TimeloopVersion::k04) text += "  version: 0.4\n";
  text += fmt::format("  shape:\n    name: {}\n", Scalar(problem.name));
  std::vector<std::string> dims;
  for (DimId d : Ids(problem.dims)) dims.push_back(namer.Of(d));
  text += fmt::format("    dimensions: {}\n", FlowList(dims));
  std::set<std::pair<std::string, int64_t>> coefficients;
  for (const Tensor& tensor : problem.tensors) {
    for (const Rank& rank : tensor.ranks) {
      for (const Term& term : rank.terms) {
        if (term.coefficient != 1) coefficients.emplace(namer.Of(term.dim), term.coefficient);
      }
    }
  }
  if (!coefficients.empty()) text += "    coefficients:\n";
  for (const auto& [dim, value] : coefficients) {
    text += fmt::format("    - {{name: {}, default: {}}}\n", CoefficientName(dim, value), value);
  }
  text += "    data_spaces:\n";
  for (const Tensor& tensor : problem.tensors) {
    text += fmt::format("    - name: {}\n      projection:{}\n", Scalar(tensor.name),
                        tensor.ranks.empty() ? " []" : "");
    for (const Rank& rank : tensor.ranks) text += "      - " + RankText(rank, namer) + "\n";
    if (tensor.is_output) text += "      read_write: true\n";
  }
  text += "  instance: {";
  for (DimId d : Ids(problem.dims)) {
    text += fmt::format("{}{}: {}", d.value() > 0 ? ", " : "", namer.Of(d), problem.dims[d].bound);
  }
  return text + "}\n";
}

}  // namespace inlay::io::timeloop
