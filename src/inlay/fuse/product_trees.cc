#include "inlay/fuse/product_trees.h"

#include <algorithm>
#include <utility>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

int LeavesOf(const FusedTree& tree) {
  if (tree.leaf() != nullptr) return 1;
  int leaves = 0;
  for (const FusedTree& child : tree.children) leaves += LeavesOf(child);
  return leaves;
}

}  // namespace

int SharedLoops(const FusedTree& tree) {
  int most = 0;
  for (const FusedTree& child : tree.children) most = std::max(most, SharedLoops(child));
  return most + (tree.loop() != nullptr && LeavesOf(tree) > 1 ? 1 : 0);
}

ProductTrees::ProductTrees(const FusedProblem& problem, const Architecture& architecture,
                           const FuseOptions& options, const ProductGraph& graph,
                           const Deadline& deadline, std::optional<int64_t> most_states)
    : graph_(graph), deadline_(deadline), shared_loops_(options.shared_loops), searches_(4) {
  const Level& pad = architecture.levels[LevelId(1)];
  rules_.tiles = options.tiles;
  rules_.most_states = most_states;
  rules_.least_room = options.front.has_value();
  for (const std::string& tensor : problem.tensors) {
    rules_.word_bits.push_back(WordBitsOf(pad, tensor));
  }
  rules_.vector_bits = pad.word_bits;
}

ProductSearch& ProductTrees::Search(Kind kind) {
  std::optional<ProductSearch>& search = searches_[kind];
  if (!search) {
    ProductRules rules = rules_;
    const bool bound = kind == kBounds || kind == kBoundsOfK;
    rules.short_tiles = bound && rules.tiles == FusedTiles::kAny;
    if (bound) rules.least_room = false;
    if (kind == kTreesOfK || kind == kBoundsOfK) rules.shared_loops = shared_loops_;
    search.emplace(graph_, std::move(rules), deadline_);
  }
  return *search;
}

// Every pad of so many words: rounding up happens once, at the end.
int64_t ProductTrees::BitsOf(int64_t room_words) const {
  return SaturatingMultiply(std::min(room_words, int64_t{1} << 50), rules_.vector_bits);
}

std::optional<FusedTree> ProductTrees::Tree(size_t first, size_t end, int64_t room_words) {
  const int64_t bits = BitsOf(room_words);
  for (const Kind kind : {kTrees, kTreesOfK}) {
    ProductSearch& search = Search(kind);
    const ProductSearch::Answer best = search.Best(first, end, bits);
    if (search.Stopped() || best.words == ProductSearch::kNone) return std::nullopt;
    FusedTree tree = search.TreeOf(first, end, bits);
    if (search.Stopped()) return std::nullopt;
    if (SharedLoops(tree) <= shared_loops_) return tree;
  }
  return std::nullopt;
}

int64_t ProductTrees::Bound(size_t first, size_t end, int64_t room_words) {
  const int64_t bits = BitsOf(room_words);
  // Bounds of any number of shared loops hold for k of them; those of k are only needed where the
  // best tree has more.
  Kind kind = kTrees;
  ProductSearch::Answer tree = Search(kind).Best(first, end, bits);
  if (tree.words == ProductSearch::kNone || Stopped()) return tree.words;
  if (SharedLoops(Search(kind).TreeOf(first, end, bits)) > shared_loops_) {
    kind = kTreesOfK;
    tree = Search(kind).Best(first, end, bits);
  }
  if (rules_.tiles == FusedTiles::kPerfect) return tree.words;
  // Whether short tiles can make it fewer.
  const Kind bounds = kind == kTrees ? kBounds : kBoundsOfK;
  return std::min(tree.words, Search(bounds).Best(first, end, bits, tree.words).words);
}

int64_t ProductTrees::AnyFusionBound(int64_t room_words) {
  int64_t total = 0;
  TensorMask counted;  // inputs that several nodes read count where the first does
  for (size_t t = 0; t < graph_.tensors().size(); ++t) {
    const ProductTensor& tensor = graph_.tensors()[t];
    if (tensor.writer && tensor.uses.size() > 1) counted.set(t);
    if (tensor.listed) total = SaturatingAdd(total, tensor.words);
  }
  for (size_t n = 0; n < graph_.nodes(); ++n) {
    ProductRules rules = rules_;
    rules.tiles = FusedTiles::kAny;
    rules.short_tiles = true;
    rules.free = counted;
    ProductSearch search(graph_, std::move(rules), deadline_);
    int64_t words = search.Best(n, n + 1, BitsOf(room_words)).words;
    if (search.Stopped()) stopped_ = true;
    // A softmax by itself needs room for whole rows, but none step by step beside its reader.
    if (words == ProductSearch::kNone) words = WordsBut(counted, n);
    total = SaturatingAdd(total, words);
    counted |= graph_.Range(n, n + 1).tensors;
  }
  return total;
}

int64_t ProductTrees::WordsBut(const TensorMask& counted, size_t node) const {
  const TensorMask used = graph_.Range(node, node + 1).tensors & ~counted;
  int64_t words = 0;
  for (size_t t = 0; t < graph_.tensors().size(); ++t) {
    if (used.test(t)) words = SaturatingAdd(words, graph_.tensors()[t].words);
  }
  return words;
}

bool ProductTrees::Stopped() const {
  return stopped_ || std::any_of(searches_.begin(), searches_.end(),
                                 [](const auto& search) { return search && search->Stopped(); });
}

int64_t ProductTrees::states() const {
  int64_t states = 0;
  for (const auto& search : searches_) states += search ? search->states() : 0;
  return states;
}

}  // namespace inlay
