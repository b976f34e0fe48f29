#include "inlay/core/fused_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/einsum.h"

namespace inlay {
namespace {

using Why = std::string;  // empty: nothing is wrong

// How a node goes through one dimension of a value.
struct Along {
  std::vector<std::pair<std::optional<DimId>, int64_t>> terms;  // with coefficients
  int64_t before = 0;                                           // zeros of the border
};

class OpReader {
 public:
  OpReader(const Graph& graph, const GraphNode& node) : graph_(graph), node_(node) {}

  tl::expected<FusedOp, std::string> Read() && {
    Why why = CheckOutputs();
    if (why.empty()) why = ReadOp();
    if (why.empty() && op_.dims.empty()) why = "computes a single word";
    if (!why.empty()) return tl::unexpected(std::move(why));
    return std::move(op_);
  }

 private:
  const Shape& In(size_t i) const { return graph_.values[node_.inputs[i]].shape; }
  const Shape& Out() const { return graph_.values[node_.outputs.front()].shape; }

  // Only the first output may be of use to anything.
  Why CheckOutputs() const {
    for (size_t i = 1; i < node_.outputs.size(); ++i) {
      const ValueId v = node_.outputs[i];
      const auto reads = [v](const GraphNode& n) {
        return std::find(n.inputs.begin(), n.inputs.end(), v) != n.inputs.end();
      };
      const bool output =
          std::find(graph_.outputs.begin(), graph_.outputs.end(), v) != graph_.outputs.end();
      if (output || std::any_of(graph_.nodes.begin(), graph_.nodes.end(), reads)) {
        return "has several outputs";
      }
    }
    const auto is_empty = [this](ValueId v) {
      const Shape& shape = graph_.values[v].shape;
      return std::find(shape.begin(), shape.end(), 0) != shape.end();
    };
    if (is_empty(node_.outputs.front()) ||
        std::any_of(node_.inputs.begin(), node_.inputs.end(), is_empty)) {
      return "has a tensor of no words";
    }
    return {};
  }

  Why ReadOp() {
    switch (node_.op) {
      case Op::kConv:
        return Conv();
      case Op::kGemm:
        return Gemm();
      case Op::kMatmul:
        return Matmul();
      case Op::kEinsum:
        return Product();
      case Op::kElementwise:
        return Elementwise(node_.inputs.size());
      case Op::kExpand:
        return Elementwise(1);
      case Op::kSoftmax:
        return Softmax();
      case Op::kNorm:
        return Norm();
      case Op::kPool:
        return Pool();
      case Op::kReduce:
        return Reduce();
      default:
        return fmt::format("is a {}, which no tile says by itself", InfoOf(node_.op).name);
    }
  }

  // None: of one iteration.
  std::optional<DimId> Dim(std::string name, int64_t bound) {
    if (bound == 1) return std::nullopt;
    std::string unique = name;
    for (int i = 2; std::any_of(op_.dims.begin(), op_.dims.end(),
                                [&](const Dimension& dim) { return dim.name == unique; });
         ++i) {
      unique = fmt::format("{}{}", name, i);
    }
    op_.dims.push_back({std::move(unique), bound});
    return DimId(op_.dims.size() - 1);
  }
  int64_t Bound(std::optional<DimId> dim) const { return dim ? op_.dims[dim->value()].bound : 1; }

  Why Use(ValueId value, const std::vector<Along>& along, bool is_output = false) {
    const Shape& shape = graph_.values[value].shape;
    FusedOp::Use use;
    use.value = value;
    use.is_output = is_output;
    bool bordered = false;
    for (size_t r = 0; r < shape.size(); ++r) {
      Rank rank;
      int64_t reach = 0;
      for (const auto& [dim, coefficient] : along[r].terms) {
        if (!dim) continue;
        rank.terms.push_back({*dim, coefficient});
        reach += coefficient * (Bound(dim) - 1);
      }
      const bool beyond = along[r].before > 0 || reach >= shape[r];
      if (shape[r] == 1) {
        if (beyond) return "has windows over a single word";
        continue;
      }
      bordered = bordered || beyond;
      use.ranks.push_back(std::move(rank));
      use.borders.push_back({along[r].before, shape[r]});
      use.words.push_back(shape[r]);
    }
    if (!bordered) use.borders.clear();
    if (use.ranks.empty()) {  // one word
      use.ranks.emplace_back();
      use.words.push_back(1);
    }
    for (const FusedOp::Use& other : op_.uses) {
      if (StorageOf(graph_, other.value) != StorageOf(graph_, value)) continue;
      if (is_output || other.words != use.words || other.ranks != use.ranks ||
          other.borders != use.borders) {
        return fmt::format("reads '{}' in two ways", graph_.values[value].name);
      }
      return {};
    }
    op_.uses.push_back(std::move(use));
    return {};
  }

  static Along Plain(std::optional<DimId> dim) { return {{{dim, 1}}, 0}; }

  // Of the last so many of three spatial dimensions.
  static std::vector<std::string> SpatialNames(size_t count, const char* three) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) {
      names.emplace_back(1, count > 3 ? 'X' : three[3 - count + i]);
    }
    return names;
  }

  static int64_t EntryOf(const std::vector<int64_t>& entries, size_t i, int64_t otherwise) {
    return entries.empty() ? otherwise : entries[i];
  }

  // Windows of so many words at the places of the output.
  struct Windows {
    std::vector<Along> input, places;
    std::vector<std::optional<DimId>> window;
  };
  Windows WindowsOf(const Shape& kernel) {
    Windows windows;
    const OpAttributes& a = node_.attributes;
    const auto place_names = SpatialNames(kernel.size(), "OPQ");
    const auto window_names = SpatialNames(kernel.size(), "TRS");
    for (size_t i = 0; i < kernel.size(); ++i) {
      windows.places.push_back(Plain(Dim(place_names[i], Out()[i + 2])));
    }
    for (size_t i = 0; i < kernel.size(); ++i) {
      windows.window.push_back(Dim(window_names[i], kernel[i]));
      windows.input.push_back({{{windows.places[i].terms.front().first, EntryOf(a.stride, i, 1)},
                                {windows.window[i], EntryOf(a.dilation, i, 1)}},
                               EntryOf(a.pads_before, i, 0)});
    }
    return windows;
  }

  Why Conv() {
    const Shape &x = In(0), &w = In(1);
    const int64_t groups = node_.attributes.groups;
    const bool depthwise = groups > 1 && w[1] == 1 && w[0] == groups;
    if (groups > 1 && !depthwise) return "is a convolution of several channels per group";
    const auto n = Dim("N", x[0]);
    const auto k = Dim(depthwise ? "G" : "K", w[0]);
    const auto c = depthwise ? std::nullopt : Dim("C", w[1]);
    const Windows windows = WindowsOf(Shape(w.begin() + 2, w.end()));
    std::vector<Along> in = {Plain(n), Plain(depthwise ? k : c)};
    in.insert(in.end(), windows.input.begin(), windows.input.end());
    std::vector<Along> weights = {Plain(k), Plain(c)};
    for (const auto& dim : windows.window) weights.push_back(Plain(dim));
    std::vector<Along> out = {Plain(n), Plain(k)};
    out.insert(out.end(), windows.places.begin(), windows.places.end());
    return UseAll({{node_.inputs[0], in}, {node_.inputs[1], weights}}, out);
  }

  Why UseAll(const std::vector<std::pair<ValueId, std::vector<Along>>>& inputs,
             const std::vector<Along>& output) {
    for (const auto& [value, along] : inputs) {
      if (Why why = Use(value, along); !why.empty()) return why;
    }
    return Use(node_.outputs.front(), output, true);
  }

  Why Gemm() {
    const OpAttributes& a = node_.attributes;
    const auto m = Dim("M", Out()[0]), n = Dim("N", Out()[1]);
    const auto k = Dim("K", In(0)[a.transpose_a ? 0 : 1]);
    std::vector<Along> left = {Plain(m), Plain(k)}, right = {Plain(k), Plain(n)};
    if (a.transpose_a) std::swap(left[0], left[1]);
    if (a.transpose_b) std::swap(right[0], right[1]);
    return UseAll({{node_.inputs[0], left}, {node_.inputs[1], right}}, {Plain(m), Plain(n)});
  }

  Why Matmul() {
    const Shape &a = In(0), &b = In(1);
    const bool row = a.size() == 1, column = b.size() == 1;
    const size_t rank = std::max(a.size() + (row ? 1 : 0), b.size() + (column ? 1 : 0));
    std::vector<Along> left(a.size()), right(b.size()), out;
    for (size_t i = 0; i + 2 < rank; ++i) {
      const size_t from_end = rank - i;
      const size_t a_rank = a.size() + (row ? 1 : 0), b_rank = b.size() + (column ? 1 : 0);
      const auto dim = Dim("B", Out()[i]);
      if (a_rank >= from_end && a[a_rank - from_end] > 1) left[a_rank - from_end] = Plain(dim);
      if (b_rank >= from_end && b[b_rank - from_end] > 1) right[b_rank - from_end] = Plain(dim);
      out.push_back(Plain(dim));
    }
    const auto m = row ? std::nullopt : Dim("M", a[a.size() - 2]);
    const auto n = column ? std::nullopt : Dim("N", b.back());
    const auto k = Dim("K", a.back());
    left.back() = Plain(k);
    if (!row) left[a.size() - 2] = Plain(m);
    right[column ? 0 : b.size() - 2] = Plain(k);
    if (!column) right.back() = Plain(n);
    if (!row) out.push_back(Plain(m));
    if (!column) out.push_back(Plain(n));
    return UseAll({{node_.inputs[0], left}, {node_.inputs[1], right}}, out);
  }

  Why Product() {
    if (node_.inputs.size() != 2) return "multiplies more than two tensors";
    const auto einsum = ParseEinsum(node_.attributes.equation, {In(0), In(1)});
    if (!einsum) return einsum.error().message;
    std::map<char, std::optional<DimId>> dims;
    for (const auto& [letter, extent] : einsum->extents) {
      const bool is_letter = letter < '0' || letter > '9';
      dims[letter] = Dim(is_letter ? std::string(1, letter) : fmt::format("d{}", letter), extent);
    }
    const auto along = [&](const std::string& letters, const Shape& shape) {
      std::vector<Along> of;
      for (size_t i = 0; i < letters.size(); ++i) {
        of.push_back(Plain(shape[i] == 1 ? std::nullopt : dims[letters[i]]));
      }
      return of;
    };
    return UseAll({{node_.inputs[0], along(einsum->inputs[0], In(0))},
                   {node_.inputs[1], along(einsum->inputs[1], In(1))}},
                  along(einsum->output, Out()));
  }

  // One dimension for each of a shape.
  std::vector<Along> DimsOfShape(const Shape& shape) {
    static const std::vector<std::vector<std::string>> names = {
        {}, {"M"}, {"M", "N"}, {"B", "M", "N"}, {"N", "C", "P", "Q"}, {"N", "C", "O", "P", "Q"}};
    std::vector<Along> along;
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool known = shape.size() < names.size();
      along.push_back(Plain(Dim(known ? names[shape.size()][i] : fmt::format("X{}", i), shape[i])));
    }
    return along;
  }

  // Of a value that is stretched to a shape; none where it does not fit.
  static std::optional<std::vector<Along>> Stretched(const Shape& shape, const Shape& to,
                                                     const std::vector<Along>& along) {
    if (shape.size() > to.size()) return std::nullopt;
    std::vector<Along> of;
    for (size_t i = 0; i < shape.size(); ++i) {
      const size_t at = to.size() - shape.size() + i;
      if (shape[i] != to[at] && shape[i] != 1) return std::nullopt;
      of.push_back(shape[i] == 1 ? Along() : along[at]);
    }
    return of;
  }

  Why Elementwise(size_t inputs) {
    const std::vector<Along> out = DimsOfShape(Out());
    return UseElements(out, inputs);
  }

  Why UseElements(const std::vector<Along>& out, size_t inputs) {
    std::vector<std::pair<ValueId, std::vector<Along>>> uses;
    for (size_t i = 0; i < inputs; ++i) {
      auto along = Stretched(In(i), Out(), out);
      if (!along) {
        return fmt::format("reads '{}' in another form than it writes",
                           graph_.values[node_.inputs[i]].name);
      }
      uses.emplace_back(node_.inputs[i], *std::move(along));
    }
    return UseAll(uses, out);
  }

  Why Softmax() { return Rows(&op_.softmax); }

  // What has planes may be normalised over these.
  Why Norm() {
    const NodeFunction function = node_.attributes.function;
    const bool of_rows = function == NodeFunction::kLayer || function == NodeFunction::kRms ||
                         !node_.attributes.axes.empty() || Out().size() <= 3;
    if (!of_rows) return "is a norm whose rows are not known";
    return Rows(&op_.rows);
  }

  // Sets the dimension of the rows. None: they have one word.
  Why Rows(std::optional<DimId>* row) {
    const std::vector<Along> out = DimsOfShape(Out());
    for (const size_t d : RowDimensions(node_.attributes, Out().size())) {
      const std::optional<DimId> dim = out[d].terms.front().first;
      if (!dim) continue;
      if (*row) return fmt::format("is a {} over several dimensions", InfoOf(node_.op).name);
      *row = dim;
    }
    return UseElements(out, node_.inputs.size());
  }

  Why Pool() {
    const Shape &x = In(0), &out = Out();
    if (node_.inputs.size() != 1 || x.size() < 3 || out.size() != x.size() || x[0] != out[0] ||
        x[1] != out[1]) {
      return "is a pooling of another form than [N, C, H, W]";
    }
    // Graphs do not say how large windows are.
    const bool global = std::all_of(out.begin() + 2, out.end(), [](int64_t e) { return e == 1; });
    if (!global) return "is a pooling whose windows are not known";
    const Shape kernel(x.begin() + 2, x.end());
    const auto n = Dim("N", x[0]), c = Dim("C", x[1]);
    const Windows windows = WindowsOf(kernel);
    std::vector<Along> in = {Plain(n), Plain(c)}, made = in;
    in.insert(in.end(), windows.input.begin(), windows.input.end());
    made.insert(made.end(), windows.places.begin(), windows.places.end());
    return UseAll({{node_.inputs[0], in}}, made);
  }

  // Which dimensions are left follows from the shapes, unless several answers are possible.
  Why Reduce() {
    if (node_.inputs.size() != 1) return "reduces several tensors";
    const Shape &x = In(0), &out = Out();
    std::vector<size_t> kept;  // of x, those of several words that are left
    if (out.size() == x.size()) {
      for (size_t i = 0; i < x.size(); ++i) {
        if (out[i] != x[i] && out[i] != 1) return "is a reduction of another form";
        if (out[i] == x[i] && x[i] > 1) kept.push_back(i);
      }
    } else {
      Shape words;
      for (const int64_t extent : out) {
        if (extent > 1) words.push_back(extent);
      }
      // The first and the last way to find them have to be the same.
      std::vector<size_t> last;
      for (size_t i = 0; i < x.size(); ++i) {
        if (kept.size() < words.size() && x[i] == words[kept.size()]) kept.push_back(i);
      }
      for (size_t i = x.size(); i-- > 0;) {
        if (last.size() < words.size() && x[i] == words[words.size() - 1 - last.size()]) {
          last.insert(last.begin(), i);
        }
      }
      if (kept.size() != words.size()) return "is a reduction of another form";
      if (kept != last) return "is a reduction of dimensions that shapes do not tell";
    }
    const std::vector<Along> in = DimsOfShape(x);
    std::vector<Along> made(out.size());
    size_t next = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i] > 1) made[i] = in[kept[next++]];
    }
    return UseAll({{node_.inputs[0], in}}, made);
  }

  const Graph& graph_;
  const GraphNode& node_;
  FusedOp op_;
};

}  // namespace

tl::expected<FusedOp, std::string> FusedOpOf(const Graph& graph, const GraphNode& node) {
  return OpReader(graph, node).Read();
}

}  // namespace inlay
