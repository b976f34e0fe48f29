#include <fmt/format.h>

#include <array>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/native/free_attribute.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

// What is wrong with an amount is reported when it is read: it must also be more than 0.
constexpr Type AmountType(const UnitFamily& unit, std::string_view what) {
  return {.form = Form::kText,
          .what = what,
          .unit = &unit,
          .check_unit = [](std::string_view, const UnitFamily&) -> std::optional<TextError> {
            return std::nullopt;
          },
          .unit_pattern = QuantityTextPattern};
}
constinit const Type kArea = AmountType(kAreaUnits, "an area such as '2.4 mm2'");
constinit const Type kPower = AmountType(kPowerUnits, "a power such as '100 pJ/cycle'");
constinit const Type kSram = AmountType(kCapacityUnits, "a capacity such as '128 KiB'");
constinit const Type kBandwidth =
    AmountType(kBandwidthUnits, "a bandwidth such as '16 words/cycle'");
constinit const Type kLimit = {.form = Form::kText,
                               .what = "a limit such as 'PEs.x * registers.capacity <= 65536'"};
constinit const Type kLimits = {
    .form = Form::kList, .what = "a list of limits", .element = &kLimit};
constexpr std::array kBudgetKeys = {
    Key{"area", "of the whole chip, by the technology", &kArea},
    Key{"power",
        "the most that the chip draws in a cycle: every lane works, and every memory but "
        "those of kind dram is as busy as its bandwidth allows",
        &kPower},
    Key{"sram", "of all memories of kind sram together", &kSram},
    Key{"bandwidth", "of reads and writes of the memories of kind dram together", &kBandwidth},
    Key{"limits", "relations between sums of products of attributes, such as 'PEs.x = PEs.y'",
        &kLimits}};

// In the unit of the resource, more than 0.
Parsed<double> ParseAmount(Resource resource, std::string_view text, int word_bits) {
  if (resource == Resource::kBandwidth) {
    return ParseValue(text, kBandwidthUnits, {.word_bits = &word_bits});
  }
  if (resource == Resource::kSram && text == kCapacityUnits.none) {
    return TextFail(0, "a budget cannot be unbounded", "leave it out");
  }
  const UnitFamily& unit = resource == Resource::kSram   ? kCapacityUnits
                           : resource == Resource::kArea ? kAreaUnits
                                                         : kPowerUnits;
  const auto quantity = ParseQuantity(text, unit);
  if (!quantity) return tl::unexpected(quantity.error());
  double amount = quantity->value();
  if (resource == Resource::kSram) {
    amount *= quantity->unit->basis == Unit::Basis::kBytes ? 8 : word_bits;  // in bits
  }
  if (amount <= 0) return TextFail(0, "a budget must be more than 0");
  return amount;
}

bool IsRelation(char symbol) { return symbol == '<' || symbol == '>' || symbol == '='; }

// Names of levels may hold anything but spaces, commas and quotes; here also none of * + < > =.
class LimitParser {
 public:
  LimitParser(std::string_view text, const Architecture& architecture)
      : text_(text), architecture_(architecture) {}

  Parsed<Limit> Parse() {
    Limit limit;
    limit.text = text_;
    auto left = TakeSum();
    if (!left) return tl::unexpected(left.error());
    Skip();
    if (at_ == text_.size() || !IsRelation(text_[at_])) {
      return TextFail(at_, "expected '<=', '>=' or '='",
                      "write for example 'PEs.x * registers.capacity <= 65536'");
    }
    const char symbol = text_[at_++];
    if (at_ < text_.size() && text_[at_] == '=') ++at_;
    limit.relation = symbol == '<'   ? Relation::kAtMost
                     : symbol == '>' ? Relation::kAtLeast
                                     : Relation::kEqual;
    if (symbol != '=' && text_[at_ - 1] != '=') {
      return TextFail(at_ - 1, fmt::format("expected '{}='", symbol), "");
    }
    auto right = TakeSum();
    if (!right) return tl::unexpected(right.error());
    Skip();
    if (at_ < text_.size()) return TextFail(at_, "expected '+', '*' or the end", "");
    limit.left = *std::move(left);
    limit.right = *std::move(right);
    return limit;
  }

 private:
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Accept(char symbol) {
    Skip();
    if (at_ == text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }

  Parsed<std::vector<LimitTerm>> TakeSum() {
    std::vector<LimitTerm> sum;
    do {
      LimitTerm term;
      do {
        if (auto error = TakeFactor(&term)) return tl::unexpected(*error);
      } while (Accept('*'));
      sum.push_back(std::move(term));
    } while (Accept('+'));
    return sum;
  }

  std::optional<TextError> TakeFactor(LimitTerm* term) {
    Skip();
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '*' && text_[at_] != '+' &&
           !IsRelation(text_[at_])) {
      ++at_;
    }
    const std::string_view word = text_.substr(start, at_ - start);
    if (word.empty()) return TextError{start, "expected a number or an attribute", Hint()};
    if (const auto attribute = FindAttribute(architecture_, word)) {
      if (!ValueOf(architecture_, *attribute)) {
        return TextError{start, fmt::format("'{}' is not given", word), "give it, or mark it free"};
      }
      term->attributes.push_back(*attribute);
      return std::nullopt;
    }
    if (word.front() < '0' || word.front() > '9') {
      return TextError{start, fmt::format("there is no attribute '{}'", word), Near(word)};
    }
    Cursor cursor(word);
    const auto number = TakeDecimal(&cursor, "a number");
    if (!number) return TextError{start, number.error().message, number.error().hint};
    if (!cursor.AtEnd()) {
      return TextError{start, fmt::format("expected a number, found '{}'", word),
                       "numbers have no units here: words, lanes, words/cycle, pJ"};
    }
    term->coefficient *= number->value;
    return std::nullopt;
  }

  static std::string Hint() { return "attributes are such as 'SRAM.capacity' and 'PEs.x'"; }

  std::string Near(std::string_view word) const {
    std::vector<std::string> names;
    for (const Level& level : architecture_.levels) {
      for (const char* key : {".capacity", ".read_bandwidth", ".write_bandwidth"}) {
        names.push_back(level.name + key);
      }
      if (level.fanout.name.empty()) continue;
      names.push_back(level.fanout.name + ".x");
      names.push_back(level.fanout.name + ".y");
    }
    const auto near = Suggest(std::string(word), names);
    return near ? fmt::format("did you mean '{}'?", *near) : Hint();
  }

  std::string_view text_;
  const Architecture& architecture_;
  size_t at_ = 0;
};

}  // namespace

constinit const Type kBudgetType = {
    .form = Form::kObject, .what = "a budget such as '{area: 2.4 mm2}'", .keys = kBudgetKeys};

Parsed<Limit> ParseLimit(std::string_view text, const Architecture& architecture) {
  return LimitParser(text, architecture).Parse();
}

tl::expected<double, Fault> ParseBudget(Resource resource, std::string_view text,
                                        const Architecture& architecture) {
  const auto amount = ParseAmount(resource, text, architecture.compute.word_bits);
  if (amount) return *amount;
  return tl::unexpected(
      Fault{fmt::format("budget.{}", Name(resource)), amount.error().message, amount.error().hint});
}

Budget BuildBudget(const Node& node, const Architecture& architecture, Places* places,
                   Diagnostics* diagnostics) {
  Budget budget;
  for (const auto& [key, value] : node.entries) places->Set("budget." + key.text, value);
  for (const Resource resource : kResources) {
    const Node* value = node.Find(Name(resource));
    if (value == nullptr || !value->IsScalar()) continue;
    const auto amount = ParseAmount(resource, value->text, architecture.compute.word_bits);
    if (amount) {
      budget.of(resource) = *amount;
    } else {
      diagnostics->push_back(ErrorInside(*value, amount.error()));
    }
  }
  if (const Node* limits = node.Find("limits")) {
    for (size_t i = 0; i < limits->items.size(); ++i) {
      const Node& item = limits->items[i];
      if (!item.IsScalar()) continue;
      places->Set(fmt::format("budget.limits[{}]", i), item);
      auto limit = ParseLimit(item.text, architecture);
      if (limit) {
        budget.limits.push_back(*std::move(limit));
      } else {
        diagnostics->push_back(ErrorInside(item, limit.error()));
      }
    }
  }
  return budget;
}

}  // namespace inlay::io
