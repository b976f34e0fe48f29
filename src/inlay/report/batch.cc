#include "inlay/report/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

std::string Share(int64_t part, int64_t whole) {
  if (part == 0 || whole == 0) return "";
  return Percent(static_cast<double>(part) / static_cast<double>(whole));
}

// "resnet50 × 4, bert-base × 10 (20 batches)".
std::string WorkloadsLine(const BatchResult& result, const TextStyle& style) {
  std::vector<std::string> texts;
  for (const BatchResult::Workload& workload : result.workloads) {
    texts.push_back(fmt::format("{} {} {}", workload.network, style.unicode ? "×" : "x",
                                Grouped(workload.batch, style)));
    if (workload.batches != 1) {
      texts.back() += fmt::format(" ({} batches)", Grouped(workload.batches, style));
    }
  }
  return Wrap(texts, ", ", 2);
}

std::string Headline(const BatchResult& result, const TextStyle& style) {
  const char* dot = style.unicode ? " · " : ", ";
  const Accelerator& a = result.accelerator;
  return Title({result.mix, "on", a.name}, style) +
         fmt::format("{}{} on chip{}{:g} B/cycle{}{} arrays of {}{}{}\n", dot,
                     BytesText(static_cast<double>(a.memory_bytes)), dot, a.bytes_per_cycle, dot,
                     a.arrays, a.array.rows, style.unicode ? "×" : "x", a.array.columns) +
         WorkloadsLine(result, style) + "\n";
}

// Each policy with what it did, then the controls.
std::string PolicyTable(const BatchFigures& figures, const TextStyle& style) {
  Table table({{"policy", Align::kLeft},
               {"cycles", Align::kRight},
               {"per second", Align::kRight},
               {"of PU", Align::kRight},
               {"busy", Align::kRight},
               {"MACs", Align::kRight},
               {"splits", Align::kRight},
               {"merges", Align::kRight},
               {"remaps", Align::kRight},
               {"deadlocks", Align::kRight}});
  const auto count = [&](int64_t n) { return n == 0 ? std::string() : Grouped(n, style); };
  const auto of_pu = [&](int64_t cycles) {
    if (figures.pu_cycles == 0) return std::string();  // interrupted before there were controls
    return Percent(static_cast<double>(figures.pu_cycles) / static_cast<double>(cycles));
  };
  const BatchPolicyResult* best = BestPolicy(figures);
  for (const BatchPolicyResult& policy : figures.policies) {
    const Tone tone = &policy == best ? Tone::kBold : Tone::kPlain;
    const bool whole = !policy.deadlocked && policy.makespan_cycles > 0;
    table.AddRow({{policy.name, Tone::kAccent},
                  {whole ? Grouped(policy.makespan_cycles, style) : "deadlock", tone},
                  whole ? fmt::format("{:.4g}", policy.throughput_per_s) : "",
                  whole ? of_pu(policy.makespan_cycles) : "",
                  Percent(policy.pe_busy),
                  Percent(policy.utilization),
                  count(policy.splits),
                  count(policy.merges),
                  count(policy.remaps),
                  count(policy.deadlocks)});
  }
  const auto control = [&](const char* name, int64_t cycles) {
    table.AddRow({{name, Tone::kDim}, Grouped(cycles, style), "", cycles > 0 ? of_pu(cycles) : ""});
  };
  if (figures.pu_cycles > 0) {
    table.AddRule();
    control("PW, unlimited feature maps", figures.pw_cycles);
    control("PU, unlimited memory", figures.pu_cycles);
    control("LB, no policy is below", figures.lb_cycles);
  }
  table.DropEmptyColumns();
  return table.Render(style);
}

// Of the makespan: what the arrays waited for, and what came over the channel.
std::string LossTable(const BatchFigures& figures, const TextStyle& style) {
  Table table({{"idle for", Align::kLeft},
               {"capacity", Align::kRight},
               {"bandwidth", Align::kRight},
               {"dependency", Align::kRight},
               {"fetched", Align::kRight},
               {"again", Align::kRight},
               {"spilled", Align::kRight},
               {"streamed", Align::kRight},
               {"peak", Align::kRight}});
  const auto bytes = [](int64_t n) {
    return n == 0 ? std::string() : BytesText(static_cast<double>(n));
  };
  for (const BatchPolicyResult& policy : figures.policies) {
    table.AddRow({{policy.name, Tone::kAccent},
                  Share(policy.idle_capacity, policy.makespan_cycles),
                  Share(policy.idle_bandwidth, policy.makespan_cycles),
                  Share(policy.idle_dependency, policy.makespan_cycles),
                  bytes(policy.fetched_bytes),
                  bytes(policy.refetched_bytes),
                  bytes(policy.spilled_bytes),
                  bytes(policy.streamed_bytes),
                  bytes(policy.peak_bytes)});
  }
  table.DropEmptyColumns();
  return table.Render(style);
}

std::string LatencyTable(const BatchResult& result, const TextStyle& style) {
  const auto& policies = result.figures.policies;
  if (std::none_of(policies.begin(), policies.end(),
                   [](const auto& policy) { return policy.latency.has_value(); })) {
    return "";
  }
  Table table({{"latency, ms", Align::kLeft},
               {"batches", Align::kRight},
               {"50 %", Align::kRight},
               {"95 %", Align::kRight},
               {"99 %", Align::kRight},
               {"worst", Align::kRight}});
  const auto add = [&](const Cell& name, const LatencyFigures& latency) {
    const auto ms = [](double value) { return fmt::format("{:.4g}", value); };
    table.AddRow({name, Grouped(latency.batches, style), ms(latency.p50_ms), ms(latency.p95_ms),
                  ms(latency.p99_ms), ms(latency.worst_ms)});
  };
  for (const BatchPolicyResult& policy : policies) {
    if (!policy.latency) continue;
    add({policy.name, Tone::kAccent}, *policy.latency);
    for (size_t w = 0; w < std::min(policy.by_workload.size(), result.workloads.size()); ++w) {
      add("  " + result.workloads[w].network, policy.by_workload[w]);
    }
  }
  return "\n" + table.Render(style);
}

std::string PlanLines(const BatchResult& result) {
  const BatchPolicyResult* best = BestPolicy(result.figures);
  if (best == nullptr || best->plan.empty()) return "";
  std::string out = "\nslices of " + best->name + "\n";
  for (size_t w = 0; w < std::min(best->plan.size(), result.workloads.size()); ++w) {
    out += "  " + result.workloads[w].network + ": " + best->plan[w] + "\n";
  }
  return out;
}

std::string DeadlockLines(const BatchFigures& figures, const TextStyle& style) {
  std::string out;
  for (const BatchPolicyResult& policy : figures.policies) {
    if (!policy.deadlocked) continue;
    out += "\n" +
           Paint(fmt::format("{} ended in a deadlock after {} cycles: each workload holds "
                             "memory that another one needs",
                             policy.name, Grouped(policy.makespan_cycles, style)),
                 Tone::kWarn, style) +
           "\n";
    for (const std::string& line : policy.holders) out += "  " + line + "\n";
    out += "  --deadlock avoid would not have let the last of them start\n";
  }
  return out;
}

// By how much more the second does in the same time.
double Gain(int64_t cycles, int64_t fewer) {
  return static_cast<double>(cycles) / static_cast<double>(fewer) - 1;
}

std::string PercentOf(double share) { return fmt::format("{:.1f} %", share * 100); }

// One sentence: what to use, or why it does not matter.
std::string Advice(const BatchResult& result) {
  constexpr double kWorthIt = 0.01;
  const BatchFigures& figures = result.figures;
  const BatchPolicyResult* best = BestPolicy(figures);
  if (best == nullptr) return "no policy came to its end: let --deadlock avoid decide who starts";
  if (best->makespan_cycles == 0 || figures.pu_cycles == 0) return "";
  const BatchPolicyResult* plain = FindPolicy(figures, "static");
  const double more = Gain(best->makespan_cycles, figures.pu_cycles);
  const std::string left = more > 0 ? PercentOf(more) : "nothing";
  if (plain != nullptr && !plain->deadlocked && plain != best) {
    const double gain = Gain(plain->makespan_cycles, best->makespan_cycles);
    if (gain >= kWorthIt) {
      return fmt::format(
          "{} does {} more than static in the same memory; unlimited memory would "
          "add {}",
          best->name, PercentOf(gain), left);
    }
  }
  const double lost =
      static_cast<double>(best->idle_capacity) / static_cast<double>(best->makespan_cycles);
  if (lost >= kWorthIt) {
    return fmt::format("memory is short: {} loses {} to it; try more with --memory", best->name,
                       PercentOf(lost));
  }
  if (best->idle_bandwidth > best->idle_dependency && best->pe_busy < 1 - kWorthIt) {
    return fmt::format(
        "memory is not what limits this mix, the channel is: larger batches or "
        "--bandwidth would help; unlimited memory would add {}",
        left);
  }
  return fmt::format("memory does not limit this mix: unlimited memory would add {}", left);
}

}  // namespace

std::string BatchSummary(const BatchResult& result, const TextStyle& style) {
  const BatchFigures& figures = result.figures;
  std::string out = Headline(result, style);
  if (!figures.policies.empty()) {
    out += "\n" + PolicyTable(figures, style) + "\n" + LossTable(figures, style) +
           LatencyTable(result, style) + PlanLines(result) + DeadlockLines(figures, style);
    if (const std::string advice = Advice(result); !advice.empty()) out += "\n" + advice + "\n";
  }
  if (result.interrupted) {
    out += Paint("interrupted: policies are missing", Tone::kWarn, style) + "\n";
  }
  return out;
}

}  // namespace inlay::report
