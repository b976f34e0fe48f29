#include "inlay/scratchpad/place.h"

#include <utility>

#include "inlay/scratchpad/redecide.h"

namespace inlay {
namespace {

// Decides the cheapest member of the window again, without that window. False: none can give way.
bool GiveWay(const Misfit& misfit, Book* book, Redecider* redecider) {
  const double before = book->Cost();
  std::optional<ValueId> cheapest;
  TensorChoice instead;
  double least = Book::kNever;
  for (const ValueId tensor : misfit.tensors) {
    TensorChoice old = book->ChoiceOf(tensor);
    redecider->Ban(tensor, misfit.pad, misfit.from, misfit.to);
    std::optional<TensorChoice> other = redecider->Best(tensor);
    redecider->LiftLastBan(tensor);
    if (other) {
      book->Set(tensor, *other);
      const double loss =
          (book->Cost() - before) / static_cast<double>(book->AlignedIn(misfit.pad, tensor));
      if (loss < least) {
        least = loss;
        cheapest = tensor;
        instead = std::move(*other);
      }
    }
    book->Set(tensor, std::move(old));
  }
  if (!cheapest) return false;
  redecider->Ban(*cheapest, misfit.pad, misfit.from, misfit.to);
  book->Set(*cheapest, std::move(instead));
  return true;
}

// Steps whose addresses are found together where those of all steps are not.
constexpr int64_t kStretch = 16;

}  // namespace

std::optional<Placed> Place(const PlaceLimits& limits, Book* book, const Deadline* deadline) {
  Redecider redecider(book);
  AddressHint hint{limits.like};
  if (limits.like == nullptr) {
    Choices choices = book->Snapshot();
    tl::expected<Plan, Misfit> plan =
        PlanFrom(book->problem(), choices, limits.address_nodes, deadline);
    if (plan) return Placed{std::move(choices), std::move(*plan)};
    hint.until = kStretch;
  }
  Plan known;  // until hint.known_until
  int64_t changes = 0;
  while (book->Cost() < limits.cost) {
    Choices choices = book->Snapshot();
    tl::expected<Plan, Misfit> plan =
        PlanFrom(book->problem(), choices, limits.address_nodes, deadline, hint);
    if (plan && hint.until >= book->steps()) return Placed{std::move(choices), std::move(*plan)};
    if (deadline != nullptr && deadline->Passed()) return std::nullopt;
    if (plan) {
      known = std::move(*plan);
      hint = {&known, hint.until, hint.until + kStretch};
    } else if (++changes > limits.changes || !GiveWay(plan.error(), book, &redecider)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace inlay
