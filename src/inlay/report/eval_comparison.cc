#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "inlay/core/result.h"
#include "inlay/report/eval.h"
#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

// Energies closer than this, relatively, are the same sum in another order.
constexpr double kSameEnergy = 1e-9;

// A table of quantities × semantics. The first column is what the others are compared with.
class Comparison {
 public:
  Comparison(const std::vector<SemanticsCost>& results, const TextStyle& style)
      : results_(results), style_(style), table_(Columns(results)) {}

  void AddRule() { table_.AddRule(); }

  // `value` takes a SemanticsCost and gives a whole number, or nullopt for what that semantics does
  // not count; rows of zeros are left out.
  template <typename Value>
  void AddCount(const std::string& level, const std::string& tensor, const std::string& what,
                const Value& value, bool skip_zeros) {
    std::vector<std::optional<double>> values;
    std::vector<std::string> texts;
    bool any = !skip_zeros;
    for (const SemanticsCost& result : results_) {
      const std::optional<int64_t> count = value(result);
      any = any || count.value_or(0) != 0;
      values.push_back(count ? std::optional(static_cast<double>(*count)) : std::nullopt);
      texts.push_back(count ? Grouped(*count, style_) : style_.unicode ? "–" : "-");
    }
    if (!any) return;
    // A name stands where it changes.
    const bool same_level = level == last_level_;
    const bool same_tensor = same_level && tensor == last_tensor_;
    AddRow({{same_level ? "" : level, Tone::kBold}, same_tensor ? "" : tensor, what}, values, texts,
           0);
    last_level_ = level;
    last_tensor_ = tensor;
  }

  template <typename Value, typename Text>
  void AddQuantity(const std::string& what, const Value& value, const Text& text) {
    std::vector<std::optional<double>> values;
    std::vector<std::string> texts;
    for (const SemanticsCost& result : results_) {
      values.emplace_back(value(result.cost));
      texts.push_back(text(*values.back()));
    }
    AddRow({what, "", ""}, values, texts, kSameEnergy);
  }

  std::string Render() const {
    const std::string mark = style_.unicode ? "≠" : "!";
    std::string out = table_.Render(style_);
    if (differences_ == 0) return out + "no difference\n";
    return out + fmt::format("{} of {} rows differ ({} marks them)\n", differences_, rows_, mark);
  }

 private:
  static std::vector<Column> Columns(const std::vector<SemanticsCost>& results) {
    std::vector<Column> columns = {
        {"level", Align::kLeft}, {"tensor", Align::kLeft}, {"count", Align::kLeft}};
    for (size_t i = 0; i < results.size(); ++i) {
      columns.push_back({Name(results[i].semantics), Align::kRight});
      if (i > 0) columns.push_back({"", Align::kLeft});
    }
    return columns;
  }

  void AddRow(std::vector<Cell> row, const std::vector<std::optional<double>>& values,
              const std::vector<std::string>& texts, double tolerance) {
    bool differs = false;
    for (size_t i = 0; i < values.size(); ++i) {
      const bool counted = values[i].has_value() && values[0].has_value();
      const double change = counted ? *values[i] - *values[0] : 0;
      const bool same = !counted || std::abs(change) <= tolerance * std::abs(*values[0]);
      row.emplace_back(texts[i], same ? Tone::kPlain : Tone::kWarn);
      if (i == 0) continue;
      row.emplace_back(same ? "" : Mark(change, *values[0]), Tone::kWarn);
      differs = differs || !same;
    }
    ++rows_;
    if (differs) ++differences_;
    table_.AddRow(std::move(row));
  }

  std::string Mark(double change, double reference) const {
    const char* mark = style_.unicode ? "≠" : "!";
    if (reference == 0) return mark;
    const double percent = change / reference * 100;
    return std::abs(percent) < 0.05 ? fmt::format("{} {:+.1g} %", mark, percent)
                                    : fmt::format("{} {:+.1f} %", mark, percent);
  }

  const std::vector<SemanticsCost>& results_;
  const TextStyle& style_;
  Table table_;
  std::string last_level_, last_tensor_;
  int rows_ = 0, differences_ = 0;
};

// Timeloop does not count the words that leave a level outward.
bool IsCounted(Semantics semantics, int64_t Counts::*field) {
  return semantics != Semantics::kTimeloop || field != &Counts::drains;
}

void AddCounts(const Problem& problem, const Architecture& architecture,
               const std::vector<SemanticsCost>& results, Comparison* table) {
  using Field = std::pair<const char*, int64_t Counts::*>;
  for (LevelId l : Ids(architecture.levels)) {
    for (TensorId t : Ids(problem.tensors)) {
      if (!results.front().cost.levels[l].tensors[t].kept) continue;
      for (const Field& field :
           {Field{"reads", &Counts::reads}, Field{"fills", &Counts::fills},
            Field{"updates", &Counts::updates}, Field{"drains", &Counts::drains}}) {
        table->AddCount(
            architecture.levels[l].name, problem.tensors[t].name, field.first,
            [&](const SemanticsCost& result) -> std::optional<int64_t> {
              if (!IsCounted(result.semantics, field.second)) return std::nullopt;
              return result.cost.levels[l].tensors[t].total.*field.second;
            },
            true);
      }
    }
  }
}

}  // namespace

std::string EvalComparison(const Problem& problem, const Architecture& architecture,
                           const Mapping& mapping, const std::vector<SemanticsCost>& results,
                           const TextStyle& style) {
  std::string names;
  for (const SemanticsCost& result : results) {
    names += (names.empty() ? "" : " against ") + std::string(Name(result.semantics));
  }
  Comparison table(results, style);
  AddCounts(problem, architecture, results, &table);
  table.AddRule();
  const auto whole = [&](const char* name, int64_t Cost::*field) {
    table.AddCount(
        name, "", "", [&](const SemanticsCost& result) { return result.cost.*field; }, false);
  };
  whole("operations", &Cost::operations);
  whole("lanes used", &Cost::compute_lanes_used);
  whole("compute cycles", &Cost::compute_cycles);
  whole("cycles", &Cost::cycles);
  whole("off-chip words", &Cost::offchip_words);
  table.AddQuantity(
      "energy", [](const Cost& cost) { return cost.energy_pj; },
      [&](double pj) { return WithPrefix(pj * 1e-12, "J", style); });
  table.AddQuantity(
      "utilisation", [](const Cost& cost) { return cost.utilization; }, Percent);
  return EvalHeader(problem, architecture, mapping, names, style) + table.Render();
}

}  // namespace inlay::report
