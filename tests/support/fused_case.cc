#include "tests/support/fused_case.h"

#include <algorithm>
#include <sstream>

#include "inlay/base/check.h"

namespace inlay::testing {
namespace {

// "2*p1 + r1" between brackets; "0" is a rank without terms.
Rank RankOf(const FusedProblem& problem, std::string text) {
  Rank rank;
  std::replace(text.begin(), text.end(), '+', ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "0") continue;
    const size_t star = word.find('*');
    const int64_t coefficient = star == std::string::npos ? 1 : std::stoll(word.substr(0, star));
    const auto dim = FindDim(problem, star == std::string::npos ? word : word.substr(star + 1));
    INLAY_CHECK(dim.has_value());
    rank.terms.push_back({*dim, coefficient});
  }
  return rank;
}

TensorId TensorNamed(FusedProblem* problem, const std::string& name) {
  if (const auto found = FindTensor(*problem, name)) return *found;
  problem->tensors.push_back(name);
  return TensorId(problem->tensors.size() - 1);
}

FusedNode NodeOf(FusedProblem* problem, std::string text) {
  FusedNode node;
  const size_t colon = text.find(':');
  node.name = text.substr(0, colon);
  const size_t arrow = text.find("->");
  for (size_t at = colon + 1;;) {
    const size_t open = text.find('[', at);
    if (open == std::string::npos) return node;
    const size_t close = text.find(']', open);
    const size_t first = text.find_first_not_of(" ->", at);
    FusedOperand operand;
    operand.tensor = TensorNamed(problem, text.substr(first, open - first));
    operand.is_output = first > arrow;
    std::istringstream ranks(text.substr(open + 1, close - open - 1));
    for (std::string rank; std::getline(ranks, rank, ',');) {
      operand.ranks.push_back(RankOf(*problem, rank));
    }
    node.operands.push_back(std::move(operand));
    at = close + 1;
  }
}

FusedItem ItemOf(FusedItem::Kind kind, const char* name, int64_t step = 1,
                 std::vector<FusedItem> inside = {}) {
  FusedItem item(name);
  item.kind = kind;
  item.step = step;
  item.inside = std::move(inside);
  return item;
}

FusedTree Part(const FusedProblem& problem, const FusedItem& item) {
  FusedTree tree;
  switch (item.kind) {
    case FusedItem::Kind::kBranch:
      return TreeOf(problem, item.inside);
    case FusedItem::Kind::kFor:
      tree.part = FusedLoop{FindDim(problem, item.name).value(), item.step};
      tree.children.push_back(TreeOf(problem, item.inside));
      break;
    default:
      tree.part = FusedLeaf{FindNode(problem, item.name).value(),
                            item.kind == FusedItem::Kind::kOnline, std::nullopt};
  }
  return tree;
}

}  // namespace

FusedProblem FusedOf(std::initializer_list<std::pair<const char*, int64_t>> dims,
                     std::initializer_list<const char*> nodes) {
  return FusedOfTexts({dims.begin(), dims.end()}, {nodes.begin(), nodes.end()});
}

FusedProblem FusedOfTexts(const std::vector<std::pair<std::string, int64_t>>& dims,
                          const std::vector<std::string>& nodes) {
  FusedProblem problem;
  problem.name = "fused";
  for (const auto& [name, bound] : dims) problem.dims.push_back({name, bound});
  for (const std::string& node : nodes) problem.nodes.push_back(NodeOf(&problem, node));
  return problem;
}

FusedItem Online(const char* node) { return ItemOf(FusedItem::Kind::kOnline, node); }
FusedItem Hold(const char* tensor) { return ItemOf(FusedItem::Kind::kHold, tensor); }
FusedItem Retain(const char* tensor) { return ItemOf(FusedItem::Kind::kRetain, tensor); }
FusedItem For(const char* dim, int64_t step, std::vector<FusedItem> inside) {
  return ItemOf(FusedItem::Kind::kFor, dim, step, std::move(inside));
}
FusedItem Branch(std::vector<FusedItem> inside) {
  return ItemOf(FusedItem::Kind::kBranch, "", 1, std::move(inside));
}

FusedTree TreeOf(const FusedProblem& problem, const std::vector<FusedItem>& items) {
  INLAY_CHECK(!items.empty());
  const FusedItem& first = items.front();
  const std::vector<FusedItem> rest(items.begin() + 1, items.end());
  FusedTree tree;
  if (first.kind == FusedItem::Kind::kHold || first.kind == FusedItem::Kind::kRetain) {
    tree.part =
        FusedHold{FindTensor(problem, first.name).value(), first.kind == FusedItem::Kind::kRetain};
    tree.children.push_back(TreeOf(problem, rest));
    return tree;
  }
  if (rest.empty()) return Part(problem, first);
  tree.part = FusedSplit();
  for (const FusedItem& item : items) tree.children.push_back(Part(problem, item));
  return tree;
}

Architecture PadMachine() {
  Architecture architecture;
  architecture.name = "pad-machine";
  architecture.compute.energy_pj = 1;
  for (const char* name : {"DRAM", "pad"}) {
    Level level;
    level.name = name;
    level.energy = AccessEnergy{1, 1, 1};
    architecture.levels.push_back(level);
  }
  return architecture;
}

}  // namespace inlay::testing
