#include "inlay/io/native/fused_tree.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "inlay/base/suggest.h"
#include "inlay/core/fused_outline.h"
#include "inlay/io/native/bind_mapping.h"
#include "inlay/io/native/fused_line.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

// A tree as read, with the place of every part in the file.
struct WrittenTree {
  FusedProblem problem;
  FusedTree tree;
  std::vector<Node> parts;                    // depth first
  std::map<size_t, WrittenMapping> mappings;  // of leaves, by part
};

class TreeReader {
 public:
  TreeReader(WrittenTree* written, Diagnostics* diagnostics)
      : written_(*written), problem_(written->problem), diagnostics_(*diagnostics) {}

  void Read(const Node& list) {
    const size_t before = diagnostics_.size();
    written_.tree = ReadList(list, 0);
    if (diagnostics_.size() > before) return;
    Places places(list);
    for (size_t p = 0; p < written_.parts.size(); ++p) {
      places.Set(fmt::format("tree[{}]", p), written_.parts[p]);
    }
    places.Report(Validate(problem_, written_.tree), &diagnostics_);
    if (diagnostics_.size() == before) CheckRanges();
  }

 private:
  // A line and the list inside it, if there is one.
  struct Item {
    const Node* line = nullptr;
    const Node* inside = nullptr;
  };

  void Add(const Node& line, const WrittenName& name, std::string message, std::string hint) {
    diagnostics_.push_back(ErrorInside(line, {name.offset, std::move(message), std::move(hint)}));
  }

  static Item ItemOf(const Node& node) {
    if (node.IsMapping() && !node.entries.empty()) {
      return {&node.entries.front().first, &node.entries.front().second};
    }
    return {&node, nullptr};
  }

  // The line of an item; none after an error.
  std::optional<FusedLine> LineOf(const Node& node) {
    if (node.IsMapping() && node.entries.size() != 1) {
      diagnostics_.push_back(
          node.Error("two lines in one entry of the tree", "begin each with '- '"));
      return std::nullopt;
    }
    const Item item = ItemOf(node);
    if (!item.line->IsScalar()) return std::nullopt;  // Check has reported it
    auto line = ParseFusedLine(item.line->text, item.inside != nullptr);
    if (line) return *std::move(line);
    diagnostics_.push_back(ErrorInside(*item.line, line.error()));
    return std::nullopt;
  }

  // The items from number `from` on: holds, then one part or a split of several.
  FusedTree ReadList(const Node& list, size_t from) {
    if (from >= list.items.size()) {
      diagnostics_.push_back(list.Error("there is no loop, branch or node behind these holds",
                                        "holds are for what follows them in the same list"));
      return {};
    }
    const Node& first = list.items[from];
    const auto line = LineOf(first);
    if (line && line->kind == FusedLine::Kind::kHold) return ReadHolds(list, from, *line, 0);
    if (from + 1 == list.items.size()) return line ? ReadPart(first, *line) : FusedTree();
    FusedTree split;
    written_.parts.push_back(list);
    for (size_t i = from; i < list.items.size(); ++i) {
      const auto part = i == from ? line : LineOf(list.items[i]);
      if (!part) continue;
      if (part->kind != FusedLine::Kind::kHold) {
        split.children.push_back(ReadPart(list.items[i], *part));
        continue;
      }
      diagnostics_.push_back(
          list.items[i].Error("holds stand before the loops, branches and nodes of a list",
                              "move it up, or into a 'branch:' with what needs it"));
    }
    return split;
  }

  FusedTree ReadHolds(const Node& list, size_t from, const FusedLine& line, size_t number) {
    if (number == line.tensors.size()) return ReadList(list, from + 1);
    const WrittenName& name = line.tensors[number];
    const Node& node = list.items[from];
    const auto tensor = FindTensor(problem_, name.text);
    if (!tensor) {
      const std::vector<std::string> names(problem_.tensors.begin(), problem_.tensors.end());
      Add(node, name, fmt::format("no node has a tensor '{}'", name.text),
          SuggestionHint(name.text, names));
    }
    written_.parts.push_back(node);
    FusedTree hold;
    hold.part = FusedHold{tensor.value_or(TensorId(0)), line.retain};
    hold.children.push_back(ReadHolds(list, from, line, number + 1));
    return hold;
  }

  FusedTree ReadPart(const Node& node, const FusedLine& line) {
    const Item item = ItemOf(node);
    if (line.kind == FusedLine::Kind::kLeaf) return ReadLeaf(item, line);
    if (!item.inside->IsSequence()) return {};  // Check has reported it
    if (line.kind == FusedLine::Kind::kBranch) return ReadList(*item.inside, 0);
    const auto dim = FindDim(problem_, line.loop.dim.text);
    if (!dim) {
      Add(*item.line, line.loop.dim, fmt::format("unknown dimension '{}'", line.loop.dim.text),
          SuggestionHint(line.loop.dim.text, DimNames(problem_)));
    }
    written_.parts.push_back(*item.line);
    loops_[written_.parts.size() - 1] = line.loop;
    FusedTree loop;
    loop.part = FusedLoop{dim.value_or(DimId(0)), line.loop.step};
    loop.children.push_back(ReadList(*item.inside, 0));
    return loop;
  }

  FusedTree ReadLeaf(const Item& item, const FusedLine& line) {
    const auto node = FindNode(problem_, line.node.text);
    if (!node) {
      Add(*item.line, line.node, fmt::format("there is no node '{}'", line.node.text),
          SuggestionHint(line.node.text, NodeNames(problem_)));
    }
    written_.parts.push_back(*item.line);
    if (item.inside != nullptr && item.inside->IsSequence()) {
      WrittenMapping mapping;
      mapping.root = *item.inside;
      for (const Node& entry : item.inside->items) {
        auto parsed = ParseMappingLine(entry.text);
        if (!parsed) diagnostics_.push_back(ErrorInside(entry, parsed.error()));
        mapping.lines.push_back(parsed ? *parsed : GuessMappingLine(entry.text));
      }
      written_.mappings.emplace(written_.parts.size() - 1, std::move(mapping));
    }
    FusedTree leaf;
    leaf.part = FusedLeaf{node.value_or(NodeId(0)), line.online, std::nullopt};
    return leaf;
  }

  // The ranges that loops are written with.
  void CheckRanges() {
    const FusedOutline outline(problem_, written_.tree);
    const auto domains = FirstDomains(problem_, outline);
    for (const auto& [place, loop] : loops_) {
      const NodeId sink = outline.ShiftsOf(place).sinks.front();
      const int64_t range = domains[place][sink][outline[place].tree->loop()->dim].size();
      if (range == loop.range) continue;
      Add(written_.parts[place], {"", loop.range_offset},
          fmt::format("the range of '{}' is {} here, not {}", loop.dim.text, range, loop.range),
          "the step of the next outer loop over it, or what the readers need in its first turn");
    }
  }

  WrittenTree& written_;
  const FusedProblem& problem_;
  Diagnostics& diagnostics_;
  std::map<size_t, MappingLine> loops_;  // by part
};

// The leaves of a tree by part.
void CollectLeaves(FusedTree* tree, size_t* part, std::map<size_t, FusedLeaf*>* leaves) {
  const size_t self = (*part)++;
  if (auto* leaf = std::get_if<FusedLeaf>(&tree->part)) leaves->emplace(self, leaf);
  for (FusedTree& child : tree->children) CollectLeaves(&child, part, leaves);
}

Result<FusedTree> BindFusedTree(const WrittenTree& written, const Architecture& architecture) {
  Diagnostics diagnostics;
  for (const Fault& fault : CheckFusedArchitecture(written.problem, architecture)) {
    diagnostics.push_back(MakeError({}, fault.message, fault.hint));
  }
  if (!diagnostics.empty()) return Fail(std::move(diagnostics));
  FusedTree tree = written.tree;
  const Architecture inner = LeafArchitecture(architecture);
  const FusedOutline outline(written.problem, written.tree);
  const auto domains = FirstDomains(written.problem, outline);
  std::map<size_t, FusedLeaf*> leaves;
  size_t part = 0;
  CollectLeaves(&tree, &part, &leaves);
  for (const auto& [place, mapping] : written.mappings) {
    FusedLeaf& leaf = *leaves.at(place);
    auto bound = BindMapping(
        mapping, FirstProblemOf(written.problem, domains[place][leaf.node], leaf.node), inner);
    if (bound) {
      leaf.mapping = *std::move(bound);
    } else {
      for (Diagnostic& diagnostic : bound.error()) diagnostics.push_back(std::move(diagnostic));
    }
  }
  if (!diagnostics.empty()) return Fail(std::move(diagnostics));
  return tree;
}

}  // namespace

std::function<Result<FusedTree>(const Architecture&)> ReadFusedTree(const Node& list,
                                                                    const FusedProblem& problem,
                                                                    Diagnostics* diagnostics) {
  if (!list.IsSequence()) return {};
  auto written = std::make_shared<WrittenTree>();
  written->problem = problem;
  const size_t before = diagnostics->size();
  TreeReader(written.get(), diagnostics).Read(list);
  if (diagnostics->size() > before) return {};
  return [written = std::shared_ptr<const WrittenTree>(std::move(written))](
             const Architecture& architecture) { return BindFusedTree(*written, architecture); };
}

}  // namespace inlay::io
