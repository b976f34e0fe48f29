#include "inlay/mapper/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/parallel.h"
#include "inlay/core/result.h"
#include "inlay/cost/options.h"

namespace inlay {
namespace {

// The value at the place of the chosen name; the choices of a record are in the order of its enum.
template <typename Enum, size_t n>
Enum Choice(const OptionValues& values, std::string_view option,
            const std::array<std::pair<std::string_view, Enum>, n>& table) {
  const std::string& text = values.Text(option);
  for (const auto& [name, value] : table) {
    if (name == text) return value;
  }
  FailCheck("an option's choice that the table has", __FILE__, __LINE__);
}

std::vector<Option> RandomRecords() {
  return {
      {.name = "victory-condition",
       .sentence = "random: end after this many valid mappings in a row that are not better; 0: "
                   "never",
       .type = OptionType::kInteger,
       .value_name = "N",
       .min = 0,
       .default_text = "3000",
       .in_result = true},
      {.name = "timeout",
       .sentence = "random: end after this many invalid mappings in a row; 0: never",
       .type = OptionType::kInteger,
       .value_name = "N",
       .min = 0,
       .default_text = "100000",
       .in_result = true},
      {.name = "search-size",
       .sentence = "random: end after this many valid mappings in all; 0: never",
       .type = OptionType::kInteger,
       .value_name = "N",
       .min = 0,
       .default_text = "0",
       .in_result = true},
  };
}

std::vector<Option> DnnoptRecords() {
  return {
      {.name = "exit",
       .sentence = "dnnopt: early exit that loses nothing, as the thesis writes it, or none",
       .type = OptionType::kChoice,
       .choices = {"safe", "literal", "none"},
       .default_text = "safe",
       .in_result = true},
      {.name = "stride",
       .sentence = "dnnopt: step block sizes by the size of the array, or by one",
       .type = OptionType::kChoice,
       .choices = {"array", "one"},
       .default_text = "array",
       .in_result = true},
      {.name = "optimize",
       .sentence = "dnnopt: choose the order of the loops, the sizes of the blocks, or both",
       .type = OptionType::kChoice,
       .choices = {"order", "block", "both"},
       .default_text = "both",
       .in_result = true},
      {.name = "dataflow",
       .sentence = "dnnopt: which operand stays in the array: outputs, weights or inputs",
       .type = OptionType::kChoice,
       .choices = {"os", "ws", "is"},
       .default_text = "os",
       .in_result = true},
  };
}

Option NearestRecord() {
  return {.name = "nearest",
          .sentence = "gp: try this many divisors for every tile, the closest to the real size",
          .type = OptionType::kInteger,
          .value_name = "N",
          .min = 1,
          .max = 8,
          .default_text = "3",
          .in_result = true};
}

RandomOptions RandomFrom(const OptionValues& values) {
  return {.victory_condition = values.Integer("victory-condition"),
          .timeout = values.Integer("timeout"),
          .search_size = values.Integer("search-size")};
}

DnnoptOptions DnnoptFrom(const OptionValues& values) {
  using Exit = DnnoptOptions::Exit;
  using Stride = DnnoptOptions::Stride;
  using Optimize = DnnoptOptions::Optimize;
  DnnoptOptions options;
  options.exit = Choice<Exit, 3>(
      values, "exit",
      {{{"safe", Exit::kSafe}, {"literal", Exit::kLiteral}, {"none", Exit::kNone}}});
  options.stride =
      Choice<Stride, 2>(values, "stride", {{{"array", Stride::kArray}, {"one", Stride::kOne}}});
  options.optimize = Choice<Optimize, 3>(
      values, "optimize",
      {{{"order", Optimize::kOrder}, {"block", Optimize::kBlock}, {"both", Optimize::kBoth}}});
  options.dataflow = DataflowFromShortName(values.Text("dataflow")).value_or(options.dataflow);
  return options;
}

// Options that only one strategy heeds.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kOwners = {
    {{"victory-condition", "random"},
     {"timeout", "random"},
     {"search-size", "random"},
     {"exit", "dnnopt"},
     {"stride", "dnnopt"},
     {"optimize", "dnnopt"},
     {"dataflow", "dnnopt"},
     {"nearest", "gp"}}};

// What is given and would have no effect.
Diagnostics CheckStrategyOptions(const OptionValues& values) {
  Diagnostics errors;
  for (const auto& [option, strategy] : kOwners) {
    if (!values.WasSet(option) || values.Text("strategy") == strategy) continue;
    errors.push_back(MakeError(
        {}, "--" + std::string(option) + " is for the strategy '" + std::string(strategy) + "'",
        "add --strategy " + std::string(strategy)));
  }
  if (values.Text("strategy") == "dnnopt") {
    if (values.WasSet("objective") &&
        values.List("objective") != std::vector<std::string>{"offchip"}) {
      errors.push_back(
          MakeError({}, "--objective: the strategy 'dnnopt' looks at nothing but off-chip words",
                    "leave --objective out, or use --strategy exact"));
    }
    if (values.WasSet("mapspace")) {
      errors.push_back(MakeError({}, "--mapspace: the strategy 'dnnopt' has blocks of its own",
                                 "leave --mapspace out, or use --strategy exact"));
    }
  }
  if (values.WasSet("objective") && values.Has("front")) {
    errors.push_back(MakeError({},
                               "--objective: a front has no objective, it holds every trade-off",
                               "leave out --objective or --front"));
  }
  const bool of_network = values.Text("of") == "network";
  if (of_network && values.Text("strategy") != "exact") {
    errors.push_back(
        MakeError({}, "--of network is for the strategy 'exact'", "leave out --of or --strategy"));
  }
  if (of_network && values.Has("front")) {
    errors.push_back(
        MakeError({}, "--of network: fronts have no totals", "leave out --of or --front"));
  }
  if (values.WasSet("onchip") && !values.Has("front")) {
    errors.push_back(MakeError({}, "--onchip is for a front", "add --front"));
  }
  return errors;
}

}  // namespace

const char* Name(Strategy strategy) {
  switch (strategy) {
    case Strategy::kExact:
      return "exact";
    case Strategy::kRandom:
      return "random";
    case Strategy::kDnnopt:
      return "dnnopt";
    case Strategy::kGp:
      return "gp";
  }
  return "";
}

Option MapspaceRecord(std::string_view sentence, std::string_view default_text) {
  return {.name = "mapspace",
          .sentence = sentence,
          .type = OptionType::kChoice,
          .choices = {"perfect", "padded", "ruby-s", "ruby-t", "ruby", "any"},
          .default_text = default_text,
          .in_result = true};
}

Option SearchSemanticsRecord() {
  return {.name = "semantics",
          .sentence = "how accesses are counted",
          .type = OptionType::kChoice,
          .choices = {"exact", "thistle"},
          .default_text = "exact",
          .in_result = true};
}

std::vector<Option> MapOptionRecords() {
  std::vector<Option> records = {
      {.name = "objective",
       .sentence =
           "what to minimise: energy, cycles, their product, or words to and from the "
           "outermost level; the next of a list decides among equals (dnnopt: offchip only)",
       .type = OptionType::kChoices,
       .choices = {"energy", "delay", "edp", "offchip"},
       .default_text = "edp",
       .in_result = true},
      {.name = "of",
       .sentence =
           "whose objective is to be the least: every layer's own, or that of the network's "
           "totals; "
           "that differs for edp, where the totals are (sum of energies) x (sum of cycles) (exact)",
       .type = OptionType::kChoice,
       .choices = {"layers", "network"},
       .default_text = "layers",
       .in_result = true},
      MapspaceRecord(
          "which tilings are allowed: divisors; divisors of a padded problem; short last "
          "tiles in space, in time, in both; any tile sizes (not for dnnopt)",
          "ruby-s"),
      {.name = "strategy",
       .sentence =
           "how to search: with a proof, at random, as DNNOPT does, or by geometric programs "
           "as Thistle does",
       .type = OptionType::kChoice,
       .choices = {"exact", "random", "dnnopt", "gp"},
       .default_text = "exact",
       .in_result = true},
      SearchSemanticsRecord(),
      AccountingRecord(),
      {.name = "front",
       .sentence = "instead of one mapping, all that no other beats in these three: words on "
                   "chip, words off chip, cycles",
       .type = OptionType::kChoices,
       .value_name = "footprint,offchip,cycles",
       .choices = {"footprint", "offchip", "cycles"},
       .in_result = true},
      {.name = "onchip",
       .sentence = "with --front: tensors that already lie on chip, such as Inputs,Outputs; their "
                   "off-chip words are free",
       .value_name = "TENSORS",
       .in_result = true},
  };
  for (Option& option : RandomRecords()) records.push_back(std::move(option));
  for (Option& option : DnnoptRecords()) records.push_back(std::move(option));
  records.push_back(NearestRecord());
  return records;
}

Diagnostics ReadSearchOptions(const OptionValues& values, MapOptions* options) {
  options->objective.clear();
  for (const std::string& name : values.List("objective")) {
    const auto metric = FromName<Metric>(name);
    INLAY_CHECK(metric.has_value());
    options->objective.push_back(*metric);
  }
  options->semantics = FromName<Semantics>(values.Text("semantics")).value_or(options->semantics);
  options->accounting =
      FromName<Accounting>(values.Text("accounting")).value_or(options->accounting);
  options->time_limit_seconds = values.Seconds("time-limit");
  options->threads =
      values.Has("threads") ? static_cast<int>(values.Integer("threads")) : HardwareThreads();
  if (!values.WasSet("accounting") || values.Text("semantics") == "thistle") return {};
  return {MakeError({}, "--accounting is for the semantics 'thistle'", "add --semantics thistle")};
}

Result<MapOptions> MapOptionsFrom(const OptionValues& values) {
  Diagnostics errors = CheckStrategyOptions(values);
  MapOptions options;
  for (Diagnostic& error : ReadSearchOptions(values, &options)) errors.push_back(std::move(error));
  options.strategy = Choice<Strategy, 4>(values, "strategy",
                                         {{{"exact", Strategy::kExact},
                                           {"random", Strategy::kRandom},
                                           {"dnnopt", Strategy::kDnnopt},
                                           {"gp", Strategy::kGp}}});
  options.of = Choice<MinimisedOf, 2>(
      values, "of", {{{"layers", MinimisedOf::kLayers}, {"network", MinimisedOf::kNetwork}}});
  if (options.strategy == Strategy::kDnnopt) options.objective = {Metric::kOffchip};
  if (values.Has("front")) {
    options.front = FrontOptions();
    if (values.List("front").size() < 3) {
      errors.push_back(MakeError({}, "--front: a front is of all three measures",
                                 "write --front footprint,offchip,cycles"));
    }
  }
  options.random = RandomFrom(values);
  options.dnnopt = DnnoptFrom(values);
  options.gp.nearest = static_cast<int>(values.Integer("nearest"));
  if (values.Has("seed")) options.seed = static_cast<uint64_t>(values.Integer("seed"));
  if (errors.empty()) {
    for (const Fault& fault : CheckOptions(options)) {
      errors.push_back(MakeError({}, fault.message, fault.hint));
    }
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return options;
}

std::vector<std::pair<std::string, OptionValue>> HeededOptions(const OptionValues& values) {
  std::vector<std::string> unheeded;
  for (const auto& [option, strategy] : kOwners) {
    if (values.Text("strategy") != strategy) unheeded.push_back(KeyOf({.name = option}));
  }
  if (values.Text("semantics") != "thistle") unheeded.emplace_back("accounting");
  if (values.Has("front")) unheeded.insert(unheeded.end(), {"objective", "of"});
  if (values.Text("strategy") != "exact") unheeded.emplace_back("of");
  auto options = values.ForResult();
  if (values.Text("strategy") == "dnnopt") {
    unheeded.emplace_back("mapspace");
    for (auto& [name, value] : options) {
      if (name == "objective") value = std::vector<std::string>{Name(Metric::kOffchip)};
    }
  }
  std::erase_if(options, [&](const auto& option) {
    return std::find(unheeded.begin(), unheeded.end(), option.first) != unheeded.end();
  });
  return options;
}

Mapspace MapspaceFrom(const OptionValues& values) {
  const auto mapspace = FromName<Mapspace>(values.Text("mapspace"));
  INLAY_CHECK(mapspace.has_value());
  return *mapspace;
}

}  // namespace inlay
