#include "inlay/scratchpad/options.h"

namespace inlay {

Option PlanStrategyRecord() {
  return {.name = "strategy",
          .sentence =
              "nothing kept; outputs for the next node only; by what has been, not what "
              "will be; greedy; large-neighbourhood search; or to the proof",
          .type = OptionType::kChoice,
          .choices = {"none", "next-use", "eager", "greedy", "lns", "exact"},
          .default_text = "lns",
          .in_result = true};
}

Option PlanObjectiveRecord() {
  return {.name = "objective",
          .sentence = "what to minimise: time, off-chip bytes, or energy of all accesses",
          .type = OptionType::kChoice,
          .choices = {"latency", "bytes", "energy"},
          .default_text = "latency",
          .in_result = true};
}

Option BitsRecord(std::string_view sentence) {
  return {.name = "bits",
          .sentence = sentence,
          .type = OptionType::kInteger,
          .value_name = "N",
          .min = 1,
          .max = 4096,
          .default_text = "16",
          .in_result = true};
}

}  // namespace inlay
