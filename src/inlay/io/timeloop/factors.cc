#include "inlay/io/timeloop/factors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "inlay/io/timeloop/expression.h"

namespace inlay::io::timeloop {
namespace {

bool IsSeparator(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\n'; }

// Reads factors off the front of a text.
class FactorScanner {
 public:
  FactorScanner(const Node& node, std::string_view text, Report* report)
      : node_(node), text_(text), rest_(text), report_(report) {}

  void ReadAll(std::vector<WrittenFactor>* factors) {
    for (;;) {
      while (!rest_.empty() && IsSeparator(rest_.front())) rest_.remove_prefix(1);
      if (rest_.empty() || rest_.front() == '#') return;
      auto factor = ReadOne();
      if (!factor) {
        report_->Error(node_,
                       fmt::format("cannot read the factors '{}' from '{}' on", text_, rest_),
                       "write 'C=4 K=8', and 'P=7,3' where the last pass is shorter");
        return;
      }
      factors->push_back(*std::move(factor));
    }
  }

 private:
  void SkipSpace() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  std::optional<int64_t> ReadNumber() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return value;
  }

  // The longest name that is followed by a relation or a number. A name itself may end in digits
  // only where a relation follows.
  std::string ReadName() {
    size_t length = 0;
    while (length < rest_.size() && IsNameStart(rest_[length])) ++length;
    size_t longer = length;
    while (longer < rest_.size() && (IsNameStart(rest_[longer]) || IsDigit(rest_[longer])))
      ++longer;
    const std::string_view after = rest_.substr(longer);
    const size_t next = after.find_first_not_of(' ');
    if (length > 0 && next != std::string_view::npos &&
        std::string_view("=<>").find(after[next]) != std::string_view::npos) {
      length = longer;
    }
    std::string name(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return name;
  }

  std::optional<WrittenFactor> ReadOne() {
    const std::string_view start = rest_;
    WrittenFactor factor;
    factor.dim = ReadName();
    SkipSpace();
    if (rest_.starts_with("<=")) {
      factor.relation = Relation::kAtMost;
      rest_.remove_prefix(2);
    } else if (rest_.starts_with(">=")) {
      factor.relation = Relation::kAtLeast;
      rest_.remove_prefix(2);
    } else if (rest_.starts_with("=")) {
      rest_.remove_prefix(rest_.starts_with("==") ? 2 : 1);
    }
    SkipSpace();
    const auto end = ReadNumber();
    if (factor.dim.empty() || !end) {
      rest_ = start;
      return std::nullopt;
    }
    factor.end = factor.residual = *end;
    // "7,3" is a residual, "7,C" the start of the next factor.
    if (rest_.size() > 1 && rest_[0] == ',' && IsDigit(rest_[1])) {
      rest_.remove_prefix(1);
      const auto residual = ReadNumber();
      if (!residual) {
        rest_ = start;
        return std::nullopt;
      }
      factor.residual = *residual;
    }
    return factor;
  }

  const Node& node_;
  std::string_view text_, rest_;
  Report* report_;
};

// The longest of the names that `text` starts with, or its first character.
std::string_view NextName(std::string_view text, const std::vector<std::string>& dims) {
  std::string_view best = text.substr(0, 1);
  for (const std::string& dim : dims) {
    if (text.starts_with(dim) && dim.size() > best.size()) best = text.substr(0, dim.size());
  }
  return best;
}

}  // namespace

std::vector<WrittenFactor> ReadFactors(const Node& node, Report* report) {
  std::vector<WrittenFactor> factors;
  if (node.IsScalar()) {
    FactorScanner(node, node.text, report).ReadAll(&factors);
  } else if (node.IsSequence()) {
    for (const Node& item : node.items) {
      if (auto text = report->Take(AsString(item, "a factor"))) {
        FactorScanner(item, *text, report).ReadAll(&factors);
      }
    }
  } else if (!node.IsNull()) {
    report->Error(node, "factors must be a text such as 'C=4 K=8', or a list");
  }
  for (size_t i = 0; i < factors.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (factors[i].dim != factors[j].dim || factors[i].relation != factors[j].relation) continue;
      report->Error(node, fmt::format("dimension '{}' has two factors", factors[i].dim));
    }
  }
  return factors;
}

std::vector<std::string> ReadPermutation(const Node& node, const std::vector<std::string>& dims,
                                         Report* report) {
  std::vector<std::string> names;
  if (node.IsSequence()) {
    names = ReadNames(node, "the permutation", report);
  } else if (node.IsScalar()) {
    std::string_view rest = node.text;
    while (!rest.empty()) {
      if (IsSeparator(rest.front())) {
        rest.remove_prefix(1);
        continue;
      }
      const std::string_view name = NextName(rest.substr(0, rest.find_first_of(", \t\n")), dims);
      names.emplace_back(name);
      rest.remove_prefix(name.size());
    }
  } else if (!node.IsNull()) {
    report->Error(node, "the permutation must be a text such as 'PQC', or a list");
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      report->Error(node, fmt::format("'{}' is twice in the permutation", names[i]));
    }
  }
  return names;
}

}  // namespace inlay::io::timeloop
