#include "inlay/mapspace/count.h"

#include <utility>
#include <vector>

#include "inlay/mapspace/chain_counter.h"
#include "inlay/mapspace/joint_counts.h"

namespace inlay {
namespace {

constexpr double kLargest = 0x1p510;

// Every tensor is kept at every level that must, and at any of those that may, but somewhere.
BigUint CountKeeps(const Space& space) {
  BigUint choices(1);
  for (TensorId t : Ids(space.problem.tensors)) {
    BigUint of_tensor(1);
    bool must = false;
    for (const auto& keeps : space.keeps) {
      const bool always = keeps.front().contains(t);
      must = must || always;
      if (!always && keeps.back().contains(t)) of_tensor *= BigUint(2);
    }
    if (!must) of_tensor -= BigUint(1);
    choices *= of_tensor;
  }
  return choices;
}

}  // namespace

tl::expected<SpaceSize, Faults> CountMappings(const Space& space, const Deadline* deadline) {
  auto joint = JoinSpace<BigUint>(space, deadline);
  if (!joint) return tl::unexpected(std::move(joint.error()));
  SpaceSize count;
  count.bypass = CountKeeps(space);
  for (const auto& [key, tilings] : joint->table.back()) {
    if (!joint->code.HasMinLanes(key)) continue;
    count.tilings += tilings;
    BigUint ordered = tilings;
    ordered *= OrdersOfLoops<BigUint>(joint->code.FreeLoops(key));
    count.size += ordered;
  }
  BigUint together = count.tilings;
  together *= count.bypass;
  count.size *= count.bypass;
  if (count.size.too_large() || count.size.ToDouble() > kLargest) {
    return tl::unexpected(Faults{{"mapspace", "the mapspace holds more than 2^510 mappings",
                                  "use a smaller mapspace, or constrain it"}});
  }
  count.orders_denominator = BigUint(1);
  if (!together.is_zero()) {
    const BigUint common = GreatestCommonDivisor(count.size, together);
    count.orders_numerator = Divide(count.size, common).quotient;
    count.orders_denominator = Divide(together, common).quotient;
  }
  return count;
}

std::string OrdersText(const SpaceSize& size) {
  std::string text = size.orders_numerator.ToString();
  if (!(size.orders_denominator == BigUint(1))) text += "/" + size.orders_denominator.ToString();
  return text;
}

}  // namespace inlay
