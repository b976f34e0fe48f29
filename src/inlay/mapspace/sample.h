#pragma once

#include <memory>
#include <optional>
#include <tl/expected.hpp>

#include "inlay/base/deadline.h"
#include "inlay/base/rng.h"
#include "inlay/core/mapping.h"
#include "inlay/mapspace/space.h"

namespace inlay {

// A space prepared for drawing mappings; may be shared by threads that have an Rng each. Keeps a
// copy of the space.
class SpaceSampler {
 public:
  // A fault where the space is too large to be counted, which uniform drawing needs, or the
  // deadline, if there is one, has passed.
  static tl::expected<SpaceSampler, Faults> Make(const Space& space,
                                                 const Deadline* deadline = nullptr);

  struct Tables;
  const Tables& tables() const { return *tables_; }

 private:
  explicit SpaceSampler(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}
  std::shared_ptr<const Tables> tables_;
};

struct SampledMapping {
  Mapping mapping;  // canonical
  // Product of the unrollings of every dimension: PaddedTo(problem, unrolling) is what the mapping
  // computes in `padded`.
  IndexedVector<DimId, int64_t> unrolling;
};

// Uniform over the canonical mappings of the space, before any look at capacities; every mapping is
// drawn with the same probability but for the rounding of doubles. nullopt: the space is empty.
std::optional<SampledMapping> SampleWithPadding(const SpaceSampler& sampler, Rng& rng);
std::optional<Mapping> Sample(const SpaceSampler& sampler, Rng& rng);

}  // namespace inlay
