#include "inlay/mapper/exact/quick_answers.h"

#include <algorithm>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/mapper/exact/first_mapping.h"

namespace inlay::exact_search {
namespace {

// How long the local search of each space takes: in evaluations, some 1 to 3 µs each, more of them
// where a tiling has more places, fewer where hardly anything can be tiled; and as a share of the
// limit.
constexpr int64_t kEvaluations = 4000;
constexpr double kMostShare = 0.06;
constexpr double kHurriedShare = 0.03;

int64_t EvaluationsFor(const Space& space) {
  const auto levels = static_cast<int64_t>(space.architecture.levels.size());
  return std::min(kEvaluations * std::max<int64_t>(1, levels - 2),
                  SaturatingMultiply(16, Operations(space.problem)));
}

}  // namespace

bool Holds(Mapspace larger, Mapspace smaller) {
  if (larger == smaller || smaller == Mapspace::kPerfect) return true;
  if (larger == Mapspace::kAny) return smaller != Mapspace::kPadded;
  const bool half = smaller == Mapspace::kRubyS || smaller == Mapspace::kRubyT;
  return larger == Mapspace::kRuby && half;
}

std::vector<Mapspace> MapspacesWithin(Mapspace mapspace) {
  std::vector<Mapspace> spaces;
  for (const Mapspace one : {Mapspace::kPerfect, Mapspace::kPadded, Mapspace::kRubyS,
                             Mapspace::kRubyT, Mapspace::kRuby, Mapspace::kAny}) {
    if (Holds(mapspace, one)) spaces.push_back(one);
  }
  return spaces;
}

QuickAnswers::QuickAnswers(const Space& space, const Objective& objective, const Deadline& deadline,
                           Incumbent* incumbent) {
  for (const Mapspace mapspace : MapspacesWithin(space.mapspace)) {
    Part& part = parts_.emplace_back();
    part.space = space;
    part.space.mapspace = mapspace;
    if (mapspace != Mapspace::kPadded) Search(objective, deadline, &part);
    if (part.search != nullptr) incumbent->Offer(part.search->best(), Incumbent::kSeed);
  }
}

void QuickAnswers::Search(const Objective& objective, const Deadline& deadline, Part* part) {
  const double begin = deadline.Gone();
  const Mapspace mapspace = part->space.mapspace;
  std::optional<Solution> from = FirstMapping(part->space, objective);
  for (const Part& other : parts_) {
    if (other.space.mapspace == mapspace || !Holds(mapspace, other.space.mapspace)) continue;
    if (other.search == nullptr) continue;
    const Solution& best = other.search->best();
    if (!from || ValuesOf(best.cost, objective) < ValuesOf(from->cost, objective)) from = best;
  }
  if (!from) return;
  part->search = std::make_unique<LocalSearch>(part->space, objective, *from);
  const Deadline short_deadline(deadline, begin + kMostShare);
  DeadlineWatch watch(short_deadline);
  part->search->Run(EvaluationsFor(part->space), &watch);
  part->share_spent = deadline.Gone() - begin;
  part->hurried = deadline.Limited() && part->share_spent > kHurriedShare;
}

QuickAnswers::Part& QuickAnswers::PartOf(Mapspace mapspace) {
  const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Part& part) {
    return part.space.mapspace == mapspace;
  });
  INLAY_CHECK(found != parts_.end());
  return *found;
}

double QuickAnswers::ShareSpentBeyond(Mapspace mapspace) const {
  double spent = 0;
  for (const Part& part : parts_) {
    if (!Holds(mapspace, part.space.mapspace)) spent += part.share_spent;
  }
  return spent;
}

}  // namespace inlay::exact_search
