#include "inlay/cost/options.h"

#include "inlay/base/check.h"
#include "inlay/core/result.h"

namespace inlay {

Option AccountingRecord() {
  return {.name = "accounting",
          .sentence = "thistle only: count the first read of each partial sum, or leave it out",
          .type = OptionType::kChoice,
          .choices = {"literal", "elide"},
          .default_text = "elide",
          .in_result = true};
}

std::vector<Option> EvaluateOptionRecords() {
  return {
      {.name = "semantics",
       .sentence = "how accesses are counted; with several, a comparison side by side",
       .type = OptionType::kChoices,
       .choices = {"exact", "timeloop", "thistle"},
       .default_text = "exact",
       .in_result = true},
      AccountingRecord(),
      {.name = "fill-and-drain",
       .sentence = "exact only: add the first fill and the last drain to the cycles",
       .type = OptionType::kFlag,
       .in_result = true},
  };
}

std::vector<EvaluateOptions> EvaluateOptionsFrom(const OptionValues& values) {
  std::vector<EvaluateOptions> list;
  for (const std::string& name : values.List("semantics")) {
    const auto semantics = FromName<Semantics>(name);
    const auto accounting = FromName<Accounting>(values.Text("accounting"));
    INLAY_CHECK(semantics.has_value() && accounting.has_value());
    EvaluateOptions options;
    options.semantics = *semantics;
    options.accounting = *accounting;
    options.add_fill_and_drain = values.Flag("fill-and-drain");
    list.push_back(options);
  }
  return list;
}

}  // namespace inlay
