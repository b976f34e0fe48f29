#include "inlay/core/vector_work.h"

#include <algorithm>
#include <optional>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

constexpr size_t kAnyOp = kVectorOps;

struct OpTimes {
  VectorOp op;
  int64_t times = 1;
};

VectorOpCounts Of(std::initializer_list<OpTimes> list) {
  VectorOpCounts counts{};
  for (const OpTimes& one : list) counts[static_cast<size_t>(one.op)] += one.times;
  return counts;
}

VectorOpCounts Any() {
  VectorOpCounts counts{};
  counts[kAnyOp] = 1;
  return counts;
}

// Of an elementwise node, for each word that it writes. A function with the name of an operation of
// vector units is that operation; sums, products and maxima of more inputs take one for each pair.
VectorOpCounts CountsOf(NodeFunction function, int64_t inputs) {
  using F = NodeFunction;
  using V = VectorOp;
  if (const std::optional<VectorOp> op = FromName<VectorOp>(Name(function))) {
    const bool pairs = *op == V::kAdd || *op == V::kMul || *op == V::kMax;
    return Of({{*op, pairs ? std::max<int64_t>(inputs - 1, 1) : 1}});
  }
  switch (function) {
    case F::kClip:
      return Of({{V::kMax, 2}});
    case F::kPow:
      return Of({{V::kLog}, {V::kMul}, {V::kExp}});
    case F::kSigmoid:
      return Of({{V::kExp}, {V::kAdd}, {V::kDiv}});
    case F::kSilu:
      return Of({{V::kExp}, {V::kAdd}, {V::kDiv}, {V::kMul}});
    case F::kGelu:
      return Of({{V::kErf}, {V::kAdd}, {V::kMul, 3}});
    case F::kGeluTanh:
      return Of({{V::kTanh}, {V::kAdd, 2}, {V::kMul, 6}});
    case F::kSoftplus:
      return Of({{V::kExp}, {V::kAdd}, {V::kLog}});
    case F::kHardSigmoid:
      return Of({{V::kMul}, {V::kAdd}, {V::kMax, 2}});
    case F::kHardSwish:
      return Of({{V::kMul, 2}, {V::kAdd}, {V::kMax, 2}});
    case F::kLeaky:
      return Of({{V::kMul}, {V::kMax}});
    case F::kElu:
      return Of({{V::kExp}, {V::kAdd}, {V::kMul}, {V::kMax}});
    default:
      return Any();
  }
}

class WorkReader {
 public:
  WorkReader(const Graph& graph, const GraphNode& node) : graph_(graph), node_(node) {}

  tl::expected<VectorWork, std::string> Read() && {
    for (const ValueId v : node_.outputs) work_.written = Plus(work_.written, WordsOf(graph_, v));
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const int64_t words = WordsRead(graph_, node_, i);
      const ValueRole role = graph_.values[StorageOf(graph_, node_.inputs[i])].role;
      work_.inputs.push_back({role == ValueRole::kWeight, words, words, words});
    }
    first_written_ = WordsOf(graph_, node_.outputs.front());
    ReadOp();
    for (VectorWork::Input& input : work_.inputs) {
      input.words = std::min(input.words, input.uses);
      if (input.words == 1) input.steps = 1;
      input.steps = std::clamp(input.steps, input.words, input.uses);
    }
    if (overflow_) return tl::unexpected(std::string("64 bits do not hold its operations"));
    return std::move(work_);
  }

 private:
  const Shape& In(size_t i) const { return graph_.values[node_.inputs[i]].shape; }
  const Shape& Out() const { return graph_.values[node_.outputs.front()].shape; }

  int64_t Times(int64_t a, int64_t b) {
    const auto product = CheckedMultiply(a, b);
    overflow_ = overflow_ || !product;
    return product.value_or(0);
  }
  int64_t Plus(int64_t a, int64_t b) {
    const auto sum = CheckedAdd(a, b);
    overflow_ = overflow_ || !sum;
    return sum.value_or(0);
  }
  void Count(VectorOp op, int64_t times) {
    int64_t& count = work_.row_operations[static_cast<size_t>(op)];
    count = Plus(count, times);
  }

  void ReadOp() {
    const VectorOpCounts any = Any();
    switch (node_.op) {
      case Op::kElementwise:
        return Elements(
            CountsOf(node_.attributes.function, static_cast<int64_t>(node_.inputs.size())));
      case Op::kSoftmax:
        return Softmax();
      case Op::kNorm:
        return Norm();
      case Op::kPool:
      case Op::kReduce:
        return Reduce();
      case Op::kSort: {
        const int64_t row = RowWords();
        Rows(row);
        return Count(VectorOp::kMax, row);
      }
      case Op::kResize:
        return Elements(Of({{VectorOp::kMul}}));
      case Op::kOther:
        return Elements(any);
      default:  // moves words
        work_.rows = work_.written;
    }
  }

  // A row of one word, with all inputs stretched to the output.
  void Elements(const VectorOpCounts& operations) {
    work_.rows = first_written_;
    work_.row_operations = operations;
    const bool stretched = node_.op == Op::kElementwise;
    for (size_t i = 0; i < work_.inputs.size(); ++i) {
      VectorWork::Input& input = work_.inputs[i];
      input.uses = std::max(first_written_, input.words);
      input.steps = stretched ? input.uses / StretchOf(In(i)) : input.uses;
    }
  }

  // By how much an input is stretched along the last dimensions of the output.
  int64_t StretchOf(const Shape& shape) const {
    int64_t stretch = 1;
    for (size_t from_end = 1; from_end <= Out().size(); ++from_end) {
      const int64_t extent = from_end <= shape.size() ? shape[shape.size() - from_end] : 1;
      if (extent != 1) break;
      stretch *= std::max<int64_t>(Out()[Out().size() - from_end], 1);
    }
    return stretch;
  }

  // Of what goes through its first input row by row: a softmax, a norm, a sort.
  int64_t RowWords() const {
    int64_t words = 1;
    if (node_.inputs.empty()) return words;
    for (const size_t d : RowDimensions(node_.attributes, In(0).size())) words *= In(0)[d];
    return std::max<int64_t>(words, 1);
  }
  int64_t FirstWords() const { return work_.inputs.empty() ? 0 : work_.inputs.front().words; }

  void Rows(int64_t words) { work_.rows = FirstWords() / words; }

  // Rows that are read several times.
  void HeldRows(int64_t words, int64_t passes, int64_t rewrites) {
    Rows(words);
    work_.row_words = words;
    work_.passes = passes;
    work_.rewrites = rewrites;
    for (size_t i = 1; i < work_.inputs.size(); ++i) {
      VectorWork::Input& input = work_.inputs[i];
      input.uses = input.steps = std::max(FirstWords(), input.words);
    }
  }

  void Softmax() {
    const int64_t row = RowWords();
    HeldRows(row, 3, 1);
    Count(VectorOp::kMax, row);
    Count(VectorOp::kAdd, Times(2, row));
    Count(VectorOp::kExp, row);
    Count(VectorOp::kDiv, row);
  }

  void Norm() {
    if (node_.inputs.empty()) return;
    const Shape& x = In(0);
    NodeFunction function = node_.attributes.function;
    if (function == NodeFunction::kAny) {
      const bool has_rows = x.size() <= 3 || !node_.attributes.axes.empty();
      function = has_rows ? NodeFunction::kLayer : NodeFunction::kBatch;
    }
    if (function == NodeFunction::kBatch) return BatchNorm();
    int64_t row = RowWords();
    if (function == NodeFunction::kInstance && x.size() > 2) {
      row = std::max<int64_t>(FirstWords() / std::max<int64_t>(x[0] * x[1], 1), 1);
    }
    HeldRows(row, 2, 0);
    for (size_t i = 1; i < work_.inputs.size(); ++i) {
      if (function == NodeFunction::kInstance) work_.inputs[i].steps = work_.rows;
    }
    const bool rms = function == NodeFunction::kRms;
    const bool scaled = node_.inputs.size() > 1, moved = !rms && node_.inputs.size() > 2;
    // Once a row: the mean and its square, the variance and its root; or the root of the mean
    // square.
    Count(VectorOp::kMul, rms ? 1 : 3);
    Count(VectorOp::kAdd, rms ? 1 : 2);
    Count(VectorOp::kSqrt, 1);
    Count(VectorOp::kDiv, 1);
    Count(VectorOp::kAdd, Times((rms ? 1 : 3) + (moved ? 1 : 0), row));
    Count(VectorOp::kMul, Times(2 + (scaled ? 1 : 0), row));
  }

  // A factor and a summand for each channel.
  void BatchNorm() {
    Elements(Of({{VectorOp::kMul}, {VectorOp::kAdd}}));
    const Shape& x = In(0);
    for (size_t i = 1; i < work_.inputs.size(); ++i) {
      VectorWork::Input& input = work_.inputs[i];
      if (x.size() > 1) input.steps = Times(x[0], x[1]);
    }
  }

  void Reduce() {
    work_.rows = first_written_;
    if (work_.inputs.empty() || work_.rows == 0) return;
    int64_t row = CeilDiv(FirstWords(), work_.rows);
    if (node_.op == Op::kPool && !node_.attributes.window.empty()) {
      row = 1;
      for (const int64_t extent : node_.attributes.window) row = Times(row, extent);
    }
    work_.inputs.front().uses = Times(work_.rows, row);
    work_.inputs.front().steps = 0;  // words that windows share come once
    switch (node_.attributes.function) {
      case NodeFunction::kMax:
        return Count(VectorOp::kMax, row);
      case NodeFunction::kAdd:
        return Count(VectorOp::kAdd, row);
      case NodeFunction::kMean:
        Count(VectorOp::kMul, 1);
        return Count(VectorOp::kAdd, row);
      default:
        work_.row_operations[kAnyOp] = row;
    }
  }

  const Graph& graph_;
  const GraphNode& node_;
  VectorWork work_;
  int64_t first_written_ = 0;
  bool overflow_ = false;
};

}  // namespace

tl::expected<VectorWork, std::string> VectorWorkOf(const Graph& graph, const GraphNode& node) {
  return WorkReader(graph, node).Read();
}

}  // namespace inlay
