#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/core/fused_problem.h"
#include "inlay/io/native/fused_tree.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/network_types.h"
#include "inlay/io/native/problem_types.h"

namespace inlay::io {
namespace {

// A list of lines, in which a loop, a branch or a leaf may have such a list inside.
extern const Type kTree;
constinit const Type kTreeLine = {.form = Form::kText, .what = "a line of a tree"};
constinit const Type kTreeInside = {
    .form = Form::kMap, .what = "a line with what is inside", .element = &kTree};
constexpr std::array<const Type*, 2> kTreeItems = {&kTreeLine, &kTreeInside};
constinit const Type kTreeItem = {
    .form = Form::kEither, .what = "a line, or a line and what is inside", .options = kTreeItems};
constinit const Type kTree = {.form = Form::kList,
                              .what = "a list of lines, with lists inside",
                              .element = &kTreeItem,
                              .recursive_name = "tree"};

constinit const Type kTensorNames = {
    .form = Form::kList, .what = "a list of tensors", .element = &kNameText};

constinit const Type kPad = {.form = Form::kInteger, .what = "a whole number from 0", .minimum = 0};
constinit const Type kPads = {
    .form = Form::kList, .what = "whole numbers from 0, one per rank", .element = &kPad};
constinit const Type kPadsOfTensors = {.form = Form::kMap,
                                       .what = "a mapping from tensors to the zeros before them",
                                       .check = CheckName,
                                       .pattern = NamePattern,
                                       .element = &kPads};
constinit const Type kExtents = {.form = Form::kList,
                                 .what = "whole numbers from 1, one per rank",
                                 .element = &kPositiveInteger};
constinit const Type kShapesOfTensors = {.form = Form::kMap,
                                         .what = "a mapping from tensors to their shapes",
                                         .check = CheckName,
                                         .pattern = NamePattern,
                                         .element = &kExtents};

const Type& FusedType() {
  static const Type nodes = {.form = Form::kList,
                             .what = "a list of nodes",
                             .element = &TypeOf<FusedNode>({{"tensors", &kProjections},
                                                            {"pads", &kPadsOfTensors},
                                                            {"softmax", &kDimensionText},
                                                            {"rows", &kDimensionText}})};
  return TypeOf<FusedProblem>({{"dims", &kDimBounds},
                               {"coefficients", &kNamedNumbers},
                               {"shapes", &kShapesOfTensors},
                               {"nodes", &nodes},
                               {"outputs", &kTensorNames},
                               {"tree", &kTree}});
}

// Of all nodes together, which may be those of a network; names are looked up one by one.
constexpr size_t kMostDims = 4096;

class FusedReader {
 public:
  FusedReader(const Node& root, Reading* reading) : root_(root), places_(root), reading_(reading) {}

  void Read() {
    ReadKeys(root_, {}, &problem_, &reading_->diagnostics);
    const Node* dims = root_.Find("dims");
    const Node* nodes = root_.Find("nodes");
    if (dims == nullptr || !dims->IsMapping() || nodes == nullptr || !nodes->IsSequence()) return;
    if (dims->entries.size() > kMostDims) {
      return reading_->Add(dims->Error(fmt::format("more than {} dimensions", kMostDims)));
    }
    places_.SetEntries("dims.", *dims);
    for (const auto& [key, value] : dims->entries) {
      problem_.dims.push_back({key.text, AsPositive(value).value_or(1)});
    }
    all_.dims = problem_.dims;
    coefficients_ = BuildCoefficients(root_, all_, &reading_->diagnostics);
    places_.Set("nodes", *nodes);
    for (const Node& node : nodes->items) AddNode(node);
    if (const Node* outputs = root_.Find("outputs"); outputs != nullptr) AddOutputs(*outputs);
    if (!reading_->KindIsClean()) return;
    places_.Report(Validate(problem_), &reading_->diagnostics);
    if (!reading_->KindIsClean()) return;
    FusedInput input;
    if (const Node* tree = root_.Find("tree"); tree != nullptr) {
      input.tree = ReadFusedTree(*tree, problem_, &reading_->diagnostics);
    }
    input.problem = std::move(problem_);
    if (reading_->KindIsClean()) reading_->inputs.fused = std::move(input);
  }

 private:
  void AddNode(const Node& node) {
    if (!node.IsMapping()) return;
    const std::string where = fmt::format("nodes[{}]", problem_.nodes.size());
    places_.Set(where, node);
    places_.SetEntries(where + ".", node);
    FusedNode fused;
    ReadKeys(node, {}, &fused, &reading_->diagnostics);
    const Node* tensors = node.Find("tensors");
    if (tensors == nullptr || !tensors->IsMapping()) return;
    IndexedVector<TensorId, Tensor> read;
    ReadTensors(*tensors, where + ".", coefficients_, all_, &places_, &reading_->diagnostics,
                &read);
    for (Tensor& tensor : read) {
      if (tensor.ranks.empty()) tensor.ranks.emplace_back();  // one word
      fused.operands.push_back({TensorOf(tensor.name), std::move(tensor.ranks), tensor.is_output});
    }
    if (const Node* pads = node.Find("pads"); pads != nullptr) AddPads(*pads, &fused);
    fused.softmax = DimAt(node, "softmax");
    fused.rows = DimAt(node, "rows");
    problem_.nodes.push_back(std::move(fused));
  }

  // What a list says of each rank of the operand; none after an error.
  std::optional<std::vector<int64_t>> NumbersOf(const Node& list, const FusedOperand& operand) {
    if (!list.IsSequence()) return std::nullopt;
    std::vector<int64_t> numbers;
    for (const Node& item : list.items) numbers.push_back(AsExtent(item).value_or(1));
    if (numbers.size() == operand.ranks.size()) return numbers;
    reading_->Add(
        list.Error(fmt::format("{} numbers for {} ranks", numbers.size(), operand.ranks.size()),
                   "give one for each rank"));
    return std::nullopt;
  }

  void AddPads(const Node& pads, FusedNode* fused) {
    const Node* shapes = root_.Find("shapes");
    for (const auto& [key, list] : pads.entries) {
      const auto tensor = FindTensor(problem_, key.text);
      FusedOperand* operand = nullptr;
      for (FusedOperand& of : fused->operands) {
        if (tensor == of.tensor && !of.is_output) operand = &of;
      }
      if (operand == nullptr) {
        reading_->Add(key.Error(fmt::format("'{}' does not read '{}'", fused->name, key.text),
                                "'pads' are for tensors that the node reads"));
        continue;
      }
      const Node* shape =
          shapes != nullptr && shapes->IsMapping() ? shapes->Find(key.text) : nullptr;
      if (shape == nullptr) {
        reading_->Add(key.Error(fmt::format("where '{}' ends is not said", key.text),
                                fmt::format("add 'shapes: {{{}: [...]}}' with its words, rank by "
                                            "rank, to the fused mapping",
                                            key.text)));
        continue;
      }
      const auto before = NumbersOf(list, *operand), words = NumbersOf(*shape, *operand);
      if (!before || !words) continue;
      for (size_t r = 0; r < before->size(); ++r) {
        operand->borders.push_back({(*before)[r], std::max<int64_t>(1, (*words)[r])});
      }
    }
  }

  TensorId TensorOf(const std::string& name) {
    if (const auto known = FindTensor(problem_, name)) return *known;
    problem_.tensors.push_back(name);
    return TensorId(problem_.tensors.size() - 1);
  }

  std::optional<DimId> DimAt(const Node& node, const char* key) {
    const Node* value = node.Find(key);
    if (value == nullptr || !value->IsScalar()) return std::nullopt;
    const auto dim = FindDim(problem_, value->text);
    if (!dim) {
      reading_->Add(value->Error(fmt::format("unknown dimension '{}'", value->text),
                                 SuggestionHint(value->text, DimNames(problem_))));
    }
    return dim;
  }

  void AddOutputs(const Node& list) {
    for (const Node& item : list.items) {
      if (!item.IsScalar()) continue;
      places_.Set("outputs." + item.text, item);
      if (const auto tensor = FindTensor(problem_, item.text)) {
        problem_.outputs.push_back(*tensor);
        continue;
      }
      const std::vector<std::string> names(problem_.tensors.begin(), problem_.tensors.end());
      reading_->Add(item.Error(fmt::format("no node has a tensor '{}'", item.text),
                               SuggestionHint(item.text, names)));
    }
  }

  const Node& root_;
  Places places_;
  Reading* reading_;
  FusedProblem problem_;
  Problem all_;  // the dimensions, as those of one problem
  Coefficients coefficients_;
};

void ReadFused(const Node& node, Reading* reading) {
  if (node.IsMapping()) FusedReader(node, reading).Read();
}

}  // namespace

Result<FusedTree> ReadFusedTreeLines(const std::vector<std::string>& lines,
                                     const FusedProblem& problem, const Architecture& architecture,
                                     const std::string& name) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const auto documents = ParseYaml({name, std::move(text)});
  if (!documents) return Fail(documents.error());
  if (documents->size() != 1) return Fail({MakeError({name, 0, 0}, "there is no tree", "")});
  const Node& list = documents->front();
  Diagnostics errors;
  Check(list, list, kTree, &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  const auto tree = ReadFusedTree(list, problem, &errors);
  if (!tree) return Fail(std::move(errors));
  return tree(architecture);
}

Kind FusedKind() {
  return {"fused", "several nodes and the tree of loops, holds and leaves that maps them together",
          &FusedType(), ReadFused};
}

}  // namespace inlay::io
