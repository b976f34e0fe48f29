#include "inlay/core/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

bool Has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The operand's letters with "..." replaced by `rank` of '0' … '9', the last being '0'.
tl::expected<std::string, Fault> Letters(std::string_view term, size_t rank) {
  std::string letters;
  const size_t dots = term.find("...");
  for (size_t i = 0; i < term.size();) {
    if (i == dots) {
      for (size_t d = rank; d > 0; --d) letters += static_cast<char>('0' + d - 1);
      i += 3;
    } else if (IsLetter(term[i])) {
      if (Has(letters, term[i]))
        return FailWhole(fmt::format("'{}' stands twice in '{}'", term[i], term),
                         "diagonals are not supported");
      letters += term[i++];
    } else {
      return FailWhole(fmt::format("unexpected '{}' in an equation", term[i]),
                       "write 'bij,bjk->bik'");
    }
  }
  return letters;
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else if (c != ' ' && c != '\t') {
      parts.back() += c;
    }
  }
  return parts;
}

// Dimensions that "..." stands for in an operand of this rank; nullopt where they do not fit.
std::optional<size_t> HiddenRank(const std::string& term, size_t rank) {
  const bool dots = term.find("...") != std::string::npos;
  const size_t named = term.size() - (dots ? 3 : 0);
  if (named > rank || (!dots && named != rank) || rank - named > 10) return std::nullopt;
  return rank - named;
}

class EinsumReader {
 public:
  tl::expected<Einsum, Fault> Read(std::string_view equation, const std::vector<Shape>& shapes) {
    const size_t arrow = equation.find("->");
    const std::vector<std::string> terms = Split(equation.substr(0, arrow));
    if (terms.size() != shapes.size()) {
      return FailWhole(fmt::format("equation '{}' is for {} operands, there are {}", equation,
                                   terms.size(), shapes.size()));
    }
    size_t hidden = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      const auto rank = HiddenRank(terms[i], shapes[i].size());
      if (!rank) {
        return FailWhole(fmt::format("'{}' of equation '{}' does not fit {}", terms[i], equation,
                                     ToString(shapes[i])));
      }
      hidden = std::max(hidden, *rank);
      auto letters = Letters(terms[i], *rank);
      if (!letters) return tl::unexpected(letters.error());
      if (auto added = AddExtents(*letters, shapes[i]); !added)
        return tl::unexpected(added.error());
      einsum_.inputs.push_back(*std::move(letters));
    }
    return Finish(equation, arrow, hidden);
  }

 private:
  tl::expected<void, Fault> AddExtents(const std::string& letters, const Shape& shape) {
    for (size_t i = 0; i < letters.size(); ++i) {
      auto& extents = einsum_.extents;
      const auto known = std::find_if(extents.begin(), extents.end(),
                                      [&](const auto& e) { return e.first == letters[i]; });
      if (known == extents.end()) {
        extents.emplace_back(letters[i], shape[i]);
      } else if (known->second == 1) {
        known->second = shape[i];
      } else if (shape[i] != 1 && shape[i] != known->second) {
        return FailWhole(
            fmt::format("'{}' is both {} and {}", letters[i], known->second, shape[i]));
      }
    }
    return {};
  }

  tl::expected<Einsum, Fault> Finish(std::string_view equation, size_t arrow, size_t hidden) {
    if (arrow != std::string_view::npos) {
      const std::vector<std::string> terms = Split(equation.substr(arrow + 2));
      auto letters = terms.size() == 1
                         ? Letters(terms.front(), hidden)
                         : FailWhole(fmt::format("equation '{}' has two outputs", equation));
      if (!letters) return tl::unexpected(letters.error());
      einsum_.output = *std::move(letters);
    } else {
      for (size_t d = hidden; d > 0; --d) einsum_.output += static_cast<char>('0' + d - 1);
      std::map<char, int> uses;
      for (const std::string& input : einsum_.inputs) {
        for (const char c : input) uses[c] += IsLetter(c) ? 1 : 2;
      }
      for (const auto& [letter, count] : uses) {
        if (count == 1) einsum_.output += letter;
      }
    }
    for (const char c : einsum_.output) {
      const bool known = std::any_of(einsum_.inputs.begin(), einsum_.inputs.end(),
                                     [c](const std::string& input) { return Has(input, c); });
      if (!known) return FailWhole(fmt::format("'{}' is in the output of '{}' only", c, equation));
    }
    return std::move(einsum_);
  }

  Einsum einsum_;
};

int64_t ExtentOf(const Einsum& einsum, char letter) {
  return std::find_if(einsum.extents.begin(), einsum.extents.end(),
                      [letter](const auto& e) { return e.first == letter; })
      ->second;
}

// Letters with one role become one dimension: G in all three tensors, P of the first operand, K of
// the second, C summed. A letter that one operand alone has and that is summed is a dimension of
// its own.
class PairBuilder {
 public:
  PairBuilder(const Einsum& einsum, const std::string& a, const std::string& b,
              const std::string& out)
      : a_(a), b_(b), out_(out) {
    Add(einsum, "G", true, true, true);
    Add(einsum, "P", true, false, true);
    Add(einsum, "K", false, true, true);
    Add(einsum, "C", true, true, false);
    Add(einsum, "A", true, false, false);
    Add(einsum, "B", false, true, false);
  }

  tl::expected<OpWork, Fault> Build() {
    if (overflow_) return FailWhole("an equation has more iterations than 64 bits can count");
    OpWork work;
    work.kind = grouped_ ? "matmul" : "gemm";
    work.problem.dims = dims_;
    work.problem.tensors = {
        {"Weights", weights_, false}, {"Inputs", inputs_, false}, {"Outputs", outputs_, true}};
    return work;
  }

 private:
  void Add(const Einsum& einsum, const char* name, bool in_a, bool in_b, bool in_out) {
    int64_t extent = 1;
    bool any = false;
    for (const auto& [letter, size] : einsum.extents) {
      if (Has(a_, letter) != in_a || Has(b_, letter) != in_b || Has(out_, letter) != in_out) {
        continue;
      }
      any = true;
      const auto product = CheckedMultiply(extent, size);
      overflow_ = overflow_ || !product;
      extent = product.value_or(1);
    }
    const bool optional = name[0] == 'G' || name[0] == 'A' || name[0] == 'B';
    if (optional && (!any || extent == 1)) return;
    grouped_ = grouped_ || name[0] == 'G';
    const Rank rank = {{{DimId(dims_.size()), 1}}};
    dims_.push_back({name, extent});
    if (in_b) weights_.push_back(rank);
    if (in_a) inputs_.push_back(rank);
    if (in_out) outputs_.push_back(rank);
  }

  const std::string &a_, &b_, &out_;
  IndexedVector<DimId, Dimension> dims_;
  std::vector<Rank> weights_, inputs_, outputs_;
  bool overflow_ = false, grouped_ = false;
};

}  // namespace

tl::expected<Einsum, Fault> ParseEinsum(std::string_view equation,
                                        const std::vector<Shape>& inputs) {
  return EinsumReader().Read(equation, inputs);
}

Shape OutputShape(const Einsum& einsum) {
  Shape shape;
  for (const char c : einsum.output) shape.push_back(ExtentOf(einsum, c));
  return shape;
}

tl::expected<std::vector<OpWork>, Fault> EinsumWorks(const Einsum& einsum) {
  if (einsum.inputs.size() < 2) return FailWhole("an einsum needs two operands to multiply");
  std::vector<OpWork> works;
  std::string left = einsum.inputs.front();
  for (size_t i = 1; i < einsum.inputs.size(); ++i) {
    const bool last = i + 1 == einsum.inputs.size();
    const std::string& right = einsum.inputs[i];
    std::string out;
    for (const auto& [letter, extent] : einsum.extents) {
      if (!Has(left, letter) && !Has(right, letter)) continue;
      const bool later = std::any_of(einsum.inputs.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                     einsum.inputs.end(),
                                     [l = letter](const std::string& s) { return Has(s, l); });
      if (later || Has(einsum.output, letter)) out += letter;
    }
    auto work = PairBuilder(einsum, left, right, out).Build();
    if (!work) return tl::unexpected(work.error());
    if (einsum.inputs.size() > 2) work->part = fmt::format("{}", i);
    if (i == 1) work->input = 0;
    work->weight = i;
    work->writes_output = last;
    works.push_back(*std::move(work));
    left = out;
  }
  return works;
}

}  // namespace inlay
