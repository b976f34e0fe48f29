#include "inlay/cost/timeloop/counts.h"

#include <cmath>
#include <optional>

namespace inlay::timeloop {
namespace {

constexpr double kMost = 9e18;

// Half away from zero, by way of floor: the last digit of a double decides as it does in Timeloop.
double Rounded(double x) { return x >= 0 ? std::floor(x + 0.5) : -std::floor(-x + 0.5); }

struct Real {
  double reads = 0, fills = 0, updates = 0, drains = 0;
};

std::optional<Counts> ToCounts(const Real& real) {
  for (double x : {real.reads, real.fills, real.updates, real.drains}) {
    if (!(std::abs(x) < kMost)) return std::nullopt;
  }
  return Counts{static_cast<int64_t>(real.reads), static_cast<int64_t>(real.fills),
                static_cast<int64_t>(real.updates), static_cast<int64_t>(real.drains)};
}

// The words of an output that an instance takes in for the first time: they start from zero, and
// neither read nor fill is paid for them.
double FirstWords(const LevelTraffic& level, bool is_perfect, const TimeloopRules& rules) {
  const bool exactly = is_perfect && !rules.partial_sum_multicast;
  return static_cast<double>(exactly ? level.touched_words : level.partition_words);
}

Real InputCounts(const LevelTraffic& level) {
  const auto instances = static_cast<double>(level.instances);
  Real total;
  total.reads = Rounded(level.served + level.from_neighbours) * instances;
  total.fills = std::trunc(level.received + level.from_neighbours) * instances;
  return total;
}

// `outer` is the next level outside that keeps the output; null at the outermost one.
Real OutputCounts(const LevelTraffic& level, const LevelTraffic* outer, bool is_perfect,
                  const TimeloopRules& rules) {
  const auto instances = static_cast<double>(level.instances);
  const double first = FirstWords(level, is_perfect, rules);
  const double arriving = level.received + level.from_neighbours;
  Real total;
  total.updates = Rounded(level.served) * instances;
  total.reads = Rounded(level.served + level.from_neighbours - first) * instances;
  if (outer == nullptr) {
    total.fills = Rounded(arriving) * instances;
    return total;
  }
  if (rules.partial_sum_multicast) {
    total.fills = Rounded(arriving - first) * instances;
  } else {
    // One lane of each group: as many words as the outer level reads.
    const double sent = Rounded(outer->served - FirstWords(*outer, is_perfect, rules));
    total.fills =
        sent * static_cast<double>(outer->instances) + Rounded(level.from_neighbours) * instances;
  }
  if (!rules.no_drains) total.drains = Rounded(arriving) * instances;
  return total;
}

}  // namespace

tl::expected<IndexedVector<LevelId, Counts>, Fault> CountsOf(const TensorTraffic& traffic,
                                                             bool is_output, bool is_perfect,
                                                             const TimeloopRules& rules) {
  IndexedVector<LevelId, Counts> counts(traffic.size());
  const LevelTraffic* outer = nullptr;
  for (LevelId l : Ids(traffic)) {
    const LevelTraffic& level = traffic[l];
    if (!level.kept) continue;
    const Real real =
        is_output ? OutputCounts(level, outer, is_perfect, rules) : InputCounts(level);
    const auto total = ToCounts(real);
    if (!total) {
      return tl::unexpected(Fault{"mapping", "a count does not fit into 64 bits", ""});
    }
    counts[l] = *total;
    outer = &level;
  }
  return counts;
}

}  // namespace inlay::timeloop
