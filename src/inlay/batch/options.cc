#include "inlay/batch/options.h"

#include <algorithm>
#include <array>
#include <utility>

namespace inlay::batch {
namespace {

constexpr std::array<std::string_view, 3> kDeadlockWords = {"avoid", "spill", "report"};
constexpr std::array<std::string_view, 3> kOrderWords = {"round-robin", "ai-mt", "longest-path"};
constexpr std::array<std::string_view, 3> kMemoryWords = {"pool", "paged", "addressed"};

// The words stand in the order of the enumerators.
template <typename Enum, size_t n>
Enum EnumOf(const std::array<std::string_view, n>& words, const std::string& text) {
  return static_cast<Enum>(std::find(words.begin(), words.end(), text) - words.begin());
}

template <size_t n>
std::vector<std::string_view> Words(const std::array<std::string_view, n>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

Option PolicyChoiceRecord() {
  std::vector<std::string_view> names;
  for (const PolicyRecord& policy : Policies()) names.push_back(policy.name);
  names.emplace_back("all");
  return {.name = "policy",
          .sentence = "who runs when, and how many inferences at a time",
          .type = OptionType::kChoices,
          .choices = std::move(names),
          .default_text = "all",
          .in_result = true};
}

Option DeadlockRecord() {
  return {.name = "deadlock",
          .sentence =
              "when workloads would wait for each other's memory for ever: never let it come to "
              "that; write the largest holder out; or stop and say who holds what",
          .type = OptionType::kChoice,
          .choices = Words(kDeadlockWords),
          .default_text = "avoid",
          .in_result = true};
}

Option OrderRecord() {
  return {.name = "order",
          .sentence =
              "which block an engine takes next, in every policy; without it longest-path, and "
              "stall-free tries all",
          .type = OptionType::kChoice,
          .choices = Words(kOrderWords),
          .in_result = true};
}

Option MemoryModelRecord() {
  return {
      .name = "memory-model",
      .sentence = "how feature maps lie: as bytes of a pool, in pages of 4 KiB, or at addresses",
      .type = OptionType::kChoice,
      .choices = Words(kMemoryWords),
      .default_text = "pool",
      .in_result = true};
}

Option CascadeRecord() {
  return {.name = "cascade",
          .sentence = "most parts of a workload that are paused at a time, where a policy splits",
          .type = OptionType::kInteger,
          .value_name = "N",
          .min = 0,
          .max = 1'000'000,
          .default_text = "64",
          .in_result = true};
}

Option MemoryRecord() {
  return {.name = "memory",
          .sentence = "another size of the on-chip memory than the mix says: 20 MiB",
          .value_name = "SIZE",
          .in_result = true};
}

Option BandwidthRecord() {
  return {.name = "bandwidth",
          .sentence = "another bandwidth off chip than the mix says: 225 B/cycle, 225 GB/s",
          .value_name = "RATE",
          .in_result = true};
}

Option WindowRecord() {
  return {.name = "window",
          .sentence = "another limit than the mix says for weights that wait for their turn: 4 MiB",
          .value_name = "SIZE",
          .in_result = true};
}

std::vector<std::string_view> ChosenPolicies(const std::vector<std::string>& names) {
  const auto chosen = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string_view> policies;
  for (const PolicyRecord& policy : Policies()) {
    if (chosen("all") || chosen(policy.name)) policies.push_back(policy.name);
  }
  return policies;
}

PolicyOptions PolicyOptionsFrom(const OptionValues& values) {
  PolicyOptions options;
  if (values.Has("order")) options.order = EnumOf<Order>(kOrderWords, values.Text("order"));
  options.on_deadlock = EnumOf<OnDeadlock>(kDeadlockWords, values.Text("deadlock"));
  options.memory = EnumOf<MemoryModel>(kMemoryWords, values.Text("memory-model"));
  options.cascade_depth = values.Integer("cascade");
  return options;
}

}  // namespace inlay::batch
