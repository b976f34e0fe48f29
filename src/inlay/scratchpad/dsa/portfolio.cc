#include "inlay/scratchpad/dsa/portfolio.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "inlay/base/rng.h"

namespace inlay::dsa {
namespace {

// Nodes of a run, times Luby's number. Less than a node per buffer could place nothing.
int64_t NodesPerRun(size_t items) {
  constexpr int64_t kLeast = 500;
  return std::max(kLeast, 3 * static_cast<int64_t>(items) / 2);
}

// 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …; i from 1.
int64_t Luby(uint64_t i) {
  while (!std::has_single_bit(i + 1)) i -= std::bit_floor(i) - 1;
  return static_cast<int64_t>((i + 1) / 2);
}

constexpr Rule kRules[] = {{SectionRule::kFewCandidates, 1, 0, 0},
                           {SectionRule::kFewCandidates, 0, 1, 0},
                           {SectionRule::kFewCandidates, 1, 1, 0},
                           {SectionRule::kFewCandidates, 1, 1, 4}};

// A few rules that are often good, then rules at random: what one order of candidates does not find
// in hours, another finds at once.
Rule RuleOfRun(uint64_t run, Rng* rng) {
  if (run < std::size(kRules)) return kRules[run];
  Rule rule;
  rule.section = run % 16 == 15 ? SectionRule::kLeastSlack : SectionRule::kFewCandidates;
  rule.size_power = 1.5 * UniformUnit(*rng);
  rule.length_power = 1.5 * UniformUnit(*rng);
  rule.load_weight = run % 2 == 0 ? 0 : 8 * UniformUnit(*rng);
  return rule;
}

}  // namespace

PartAnswer SolvePart(const Instance& instance, const Options& options, int64_t nodes,
                     DeadlineWatch* watch) {
  Search search(instance, options, watch);
  const int64_t per_run = NodesPerRun(instance.items.size());
  Rng rng(options.seed);
  PartAnswer answer;
  for (uint64_t run = 0;; ++run) {
    const int64_t left = nodes - search.nodes();
    const int64_t limit = options.restarts ? std::min(left, Luby(run + 1) * per_run) : left;
    answer.outcome = search.Run(RuleOfRun(run, &rng), limit);
    answer.nodes = search.nodes();
    if (answer.outcome != Search::Outcome::kCut || answer.nodes >= nodes || watch->Passed()) break;
  }
  if (answer.outcome == Search::Outcome::kPlaced) {
    for (const ItemId i : Ids(instance.items)) answer.starts.push_back(search.StartOf(i));
  }
  return answer;
}

}  // namespace inlay::dsa
