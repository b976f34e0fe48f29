#include "inlay/mapspace/sample.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/mapspace/joint_counts.h"
#include "inlay/mapspace/tilings.h"

namespace inlay {

struct SpaceSampler::Tables {
  Space space;
  std::optional<JointSpace<double>> joint;  // refers to `space`
  // Complete tilings × orders, by key; each with the sum up to and including it.
  std::vector<std::pair<JointKey, double>> ends;
  double total = 0;
};

tl::expected<SpaceSampler, Faults> SpaceSampler::Make(const Space& space,
                                                      const Deadline* deadline) {
  auto tables = std::make_shared<Tables>();
  tables->space = space;
  auto joint = JoinSpace<double>(tables->space, deadline);
  if (!joint) return tl::unexpected(std::move(joint.error()));
  tables->joint = std::move(*joint);
  const JointCode& code = tables->joint->code;
  for (const auto& [key, tilings] : tables->joint->table.back()) {
    if (!code.HasMinLanes(key)) continue;
    tables->ends.emplace_back(key, tilings * OrdersOfLoops<double>(code.FreeLoops(key)));
  }
  std::sort(tables->ends.begin(), tables->ends.end());
  for (auto& [key, weight] : tables->ends) weight = tables->total += weight;
  return SpaceSampler(std::move(tables));
}

namespace {

// An index with probability proportional to its weight; not all weights are 0.
template <typename Weights, typename WeightOf>
size_t DrawIndex(const Weights& weights, double total, const WeightOf& weight_of, Rng& rng) {
  double pick = UniformUnit(rng) * total;
  size_t last = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const double weight = weight_of(weights[i]);
    if (weight <= 0) continue;
    last = i;
    if (pick < weight) break;
    pick -= weight;
  }
  return last;
}

// Weights of 0 do not occur among the ends, so a key is never drawn for the sake of rounding.
JointKey DrawEnd(const SpaceSampler::Tables& tables, Rng& rng) {
  const double pick = UniformUnit(rng) * tables.total;
  const auto found =
      std::upper_bound(tables.ends.begin(), tables.ends.end(), pick,
                       [](double value, const auto& end) { return value < end.second; });
  return found == tables.ends.end() ? tables.ends.back().first : found->first;
}

IndexedVector<DimId, Chain> DrawChains(const SpaceSampler::Tables& tables, Rng& rng) {
  const JointSpace<double>& joint = *tables.joint;
  const auto second = [](const auto& entry) { return entry.second; };
  JointKey key = DrawEnd(tables, rng);
  IndexedVector<DimId, Chain> chains(joint.counters.size());
  for (size_t d = joint.counters.size(); d-- > 0;) {
    const auto& entries = joint.counters[d].entries();
    std::vector<std::pair<JointKey, double>> ways;  // by entry: the key before, its weight
    double total = 0;
    for (const ChainCounter::Entry& entry : entries) {
      const auto before = joint.code.Leave(key, DimId(d), entry.loops);
      double weight = 0;
      if (before && d == 0) {
        weight = *before == JointCode::kNone ? 1 : 0;
      } else if (before) {
        const auto found = joint.table[d - 1].find(*before);
        if (found != joint.table[d - 1].end()) weight = found->second;
      }
      weight *= static_cast<double>(entry.chains);
      ways.emplace_back(before.value_or(JointCode::kNone), weight);
      total += weight;
    }
    INLAY_CHECK(total > 0);
    const size_t chosen = DrawIndex(ways, total, second, rng);
    chains[DimId(d)] = joint.counters[d].Draw(entries[chosen], rng);
    key = ways[chosen].first;
  }
  return chains;
}

// Loops that the rule does not place, shuffled between those it does.
std::vector<DimId> DrawOrder(const OrderRule& rule, size_t dims, Rng& rng) {
  std::vector<DimId> order = rule.outermost;
  const auto listed = [&rule](DimId d) {
    const auto in = [d](const std::vector<DimId>& list) {
      return std::find(list.begin(), list.end(), d) != list.end();
    };
    return in(rule.outermost) || in(rule.innermost);
  };
  const size_t first = order.size();
  for (size_t d = 0; d < dims; ++d) {
    if (!listed(DimId(d))) order.emplace_back(d);
  }
  for (size_t i = order.size(); i > first + 1; --i) {
    std::swap(order[i - 1], order[first + UniformBelow(rng, i - first)]);
  }
  order.insert(order.end(), rule.innermost.rbegin(), rule.innermost.rend());
  return order;
}

// A level's choices are all sets between what it must and what it may keep, so the tensors are
// independent: drawn again until each is kept somewhere.
IndexedVector<LevelId, TensorSet> DrawKeeps(const Space& space, Rng& rng) {
  IndexedVector<LevelId, TensorSet> keeps(space.keeps.size());
  for (TensorId t : Ids(space.problem.tensors)) {
    for (bool kept = false; !kept;) {
      for (LevelId l : Ids(space.keeps)) {
        const bool must = space.keeps[l].front().contains(t);
        const bool may = space.keeps[l].back().contains(t);
        keeps[l].erase(t);
        if (must || (may && UniformBelow(rng, 2) == 1)) keeps[l].insert(t);
        kept = kept || keeps[l].contains(t);
      }
    }
  }
  return keeps;
}

// A tensor that every level must bypass.
bool SomeTensorKeptNowhere(const Space& space) {
  uint64_t may = 0;
  for (const auto& choices : space.keeps) may |= choices.back().bits();
  return may != TensorSet::FirstN(space.problem.tensors.size()).bits();
}

}  // namespace

std::optional<SampledMapping> SampleWithPadding(const SpaceSampler& sampler, Rng& rng) {
  const SpaceSampler::Tables& tables = sampler.tables();
  const Space& space = tables.space;
  if (tables.total <= 0 || SomeTensorKeptNowhere(space)) return std::nullopt;
  const IndexedVector<DimId, Chain> chains = DrawChains(tables, rng);
  IndexedVector<LevelId, std::vector<DimId>> orders;
  for (const OrderRule& rule : space.orders) {
    orders.push_back(DrawOrder(rule, space.problem.dims.size(), rng));
  }
  SampledMapping sample;
  sample.mapping = AssembleMapping(space, chains, orders, DrawKeeps(space, rng));
  for (DimId d : Ids(chains)) {
    sample.unrolling.push_back(1);
    for (SlotId s : Ids(space.slots)) {
      if (space.slots[s].axis != Axis::kTime) sample.unrolling[d] *= chains[d].steps[s];
    }
  }
  return sample;
}

std::optional<Mapping> Sample(const SpaceSampler& sampler, Rng& rng) {
  auto sample = SampleWithPadding(sampler, rng);
  if (!sample) return std::nullopt;
  return std::move(sample->mapping);
}

}  // namespace inlay
