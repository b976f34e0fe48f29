// How a tensor goes, and what lies where in the end: C7 to C11.
#include <utility>

#include "tests/property/plan_breaches.h"

namespace inlay::testing {
namespace {

// The residency whose place another takes (C8), and the one that takes it.
std::pair<Residency*, Residency*> SomeInPlace(PlanCase& c, Random& random) {
  const auto taker = [&](const Residency& gone) -> Residency* {
    for (Residency& residency : c.plan.residencies) {
      if (residency.pad == gone.pad && residency.address == gone.address &&
          residency.from == gone.to - 1 && residency.tensor != gone.tensor &&
          OperandIn(c, residency.from, residency.tensor)->written) {
        return &residency;
      }
    }
    return nullptr;
  };
  Residency* gone =
      Some(c.plan.residencies, random, [&](const Residency& s) { return taker(s) != nullptr; });
  if (gone == nullptr) return {nullptr, nullptr};
  return {gone, taker(*gone)};
}

const Breach kWrittenBack[] = {
    {"C7", "written back though no node has written it",
     [](PlanCase& c, Random& random) {
       const Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         return !c.problem.tensors[s.tensor].produced && s.to - s.from > 1;
       });
       if (residency == nullptr) return false;
       Add(&c, {residency->tensor,
                TransferKind::kWriteBack,
                residency->pad,
                {},
                c.problem.tensors[residency->tensor].bytes,
                residency->to - 1});
       return true;
     }},
    {"C7", "written back after it has left the pad",
     [](PlanCase& c, Random& random) {
       const Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         if (!c.problem.tensors[s.tensor].produced || s.to == StepsOf(c)) return false;
         return std::none_of(
             c.plan.residencies.begin(), c.plan.residencies.end(),
             [&](const Residency& o) { return o.tensor == s.tensor && o.to > s.to; });
       });
       if (residency == nullptr) return false;
       Add(&c, {residency->tensor,
                TransferKind::kWriteBack,
                residency->pad,
                {},
                c.problem.tensors[residency->tensor].bytes,
                residency->to});
       return true;
     }},
    {"C7", "written back in the step that fetches or prefetches it",
     [](PlanCase& c, Random& random) {
       const Transfer* t = Some(c.plan.transfers, random, [&](const Transfer& one) {
         return one.to && !one.from && c.problem.tensors[one.tensor].produced;
       });
       if (t == nullptr) return false;
       Add(&c, {t->tensor, TransferKind::kWriteBack, t->to, {}, t->bytes, t->step});
       return true;
     }},
    {"C7", "written back from the pad that it is moved to",
     [](PlanCase& c, Random& random) {
       const Transfer* t = Some(c.plan.transfers, random, [&](const Transfer& one) {
         if (one.kind != TransferKind::kMove || !c.problem.tensors[one.tensor].produced) {
           return false;
         }
         return std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(),
                             [&](const Transfer& o) {
                               return o.kind == TransferKind::kWriteBack &&
                                      o.tensor == one.tensor && o.step == one.step;
                             });
       });
       if (t == nullptr) return false;
       Add(&c, {t->tensor, TransferKind::kWriteBack, t->to, {}, t->bytes, t->step});
       return true;
     }},
    {"C7", "written back in part",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return Is(one, TransferKind::kWriteBack, true);
       });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C7", "read from off chip, never written there",
     [](PlanCase& c, Random& random) {
       const Transfer* read = Some(c.plan.transfers, random, [&](const Transfer& t) {
         return !t.from && t.kind != TransferKind::kWriteBack &&
                c.problem.tensors[t.tensor].produced;
       });
       if (read == nullptr) return false;
       const ValueId tensor = read->tensor;
       return Drop(c.plan.transfers, random, [&](const Transfer& t) {
         return t.tensor == tensor && Is(t, TransferKind::kWriteBack, true);
       });
     }},
    {"C7", "written back only in the step that reads it from off chip",
     [](PlanCase& c, Random& random) {
       const Transfer* read = Some(c.plan.transfers, random, [&](const Transfer& t) {
         return !t.from && t.kind != TransferKind::kWriteBack &&
                c.problem.tensors[t.tensor].produced;
       });
       if (read == nullptr) return false;
       int64_t first = read->step;
       for (const Transfer& t : c.plan.transfers) {
         if (t.tensor == read->tensor && !t.from && t.kind != TransferKind::kWriteBack) {
           first = std::min(first, t.step);
         }
       }
       const ValueId tensor = read->tensor;
       Transfer* back = Some(c.plan.transfers, random, [&](const Transfer& t) {
         return t.tensor == tensor && Is(t, TransferKind::kWriteBack, true);
       });
       if (back == nullptr) return false;
       back->step = first;
       SortTransfers(&c);
       return true;
     }},
};

const Breach kInPlace[] = {
    {"C8", "in the place of one that the operator cannot overwrite",
     [](PlanCase& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr) return false;
       c.problem.nodes[static_cast<size_t>(taker->from)].in_place.clear();
       return true;
     }},
    {"C8", "overwritten, but not in its last step",
     [](PlanCase& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr || taker->to == taker->from + 1) return false;
       ++gone->to;
       return true;
     }},
    {"C8", "overwritten and written back",
     [](PlanCase& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr || !c.problem.tensors[gone->tensor].produced) return false;
       Add(&c, {gone->tensor,
                TransferKind::kWriteBack,
                gone->pad,
                {},
                c.problem.tensors[gone->tensor].bytes,
                taker->from});
       return true;
     }},
    {"C8", "overwritten, but read later",
     [](PlanCase& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr || c.problem.tensors[gone->tensor].produced ||
           taker->from + 1 == StepsOf(c)) {
         return false;
       }
       // A later node reads it from off chip, where it still lies.
       PlanNode& node = c.problem.nodes[static_cast<size_t>(taker->from) + 1];
       node.operands.insert(node.operands.begin(), {gone->tensor, false});
       for (Tiling& tiling : node.tilings) tiling.operands.insert(tiling.operands.begin(), {1, 0});
       Add(&c, {gone->tensor, TransferKind::kFetch, {}, {}, 1, taker->from + 1});
       return true;
     }},
};

const Breach kElsewhere[] = {
    {"C9", "no fetch where weights do not stay",
     [](PlanCase& c, Random& random) {
       const Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         if (!c.problem.weights_stay || s.from > 0 || !c.problem.tensors[s.tensor].weight) {
           return false;
         }
         return std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(),
                             [&](const Transfer& t) { return t.tensor == s.tensor; });
       });
       if (residency == nullptr) return false;
       c.problem.weights_stay = false;
       return true;
     }},
    {"C9", "stays, but not to the end",
     [](PlanCase& c, Random& random) {
       Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         if (!c.problem.weights_stay || s.from > 0 || !c.problem.tensors[s.tensor].weight) {
           return false;
         }
         return std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(),
                             [&](const Transfer& t) { return t.tensor == s.tensor; });
       });
       if (residency != nullptr) --residency->to;
       return residency != nullptr;
     }},
    {"C10", "used in a pad that the unit does not reach",
     [](PlanCase& c, Random& random) {
       const Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         return NextUse(c, s.tensor, s.from) < s.to;
       });
       if (residency == nullptr) return false;
       std::vector<UnitId>& units = c.problem.machine.pads[residency->pad].reached_by;
       const UnitId unit = UnitOf(c, NextUse(c, residency->tensor, residency->from));
       units.erase(std::find(units.begin(), units.end(), unit));
       return true;
     }},
    {"C10", "streamed though it lies in a pad",
     [](PlanCase& c, Random& random) {
       const Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         return NextUse(c, s.tensor, s.from) < s.to;
       });
       if (residency == nullptr) return false;
       const int64_t use = NextUse(c, residency->tensor, residency->from);
       Add(&c, {residency->tensor,
                TransferKind::kFetch,
                {},
                {},
                c.problem.tensors[residency->tensor].bytes,
                use});
       return true;
     }},
    {"C11", "an output that is not off chip",
     [](PlanCase& c, Random& random) {
       std::vector<ValueId> inside;
       for (ValueId v : Ids(c.problem.tensors)) {
         const bool off =
             std::any_of(c.plan.transfers.begin(), c.plan.transfers.end(), [&](const Transfer& t) {
               return t.tensor == v && t.kind == TransferKind::kWriteBack;
             });
         if (c.problem.tensors[v].produced && !off) inside.push_back(v);
       }
       if (inside.empty()) return false;
       c.problem.tensors[inside[random() % inside.size()]].needed_after = true;
       return true;
     }},
    {"C11", "an output that is not written back any more",
     [](PlanCase& c, Random& random) {
       return Drop(c.plan.transfers, random, [&](const Transfer& t) {
         return c.problem.tensors[t.tensor].needed_after && t.kind == TransferKind::kWriteBack;
       });
     }},
};

}  // namespace

std::vector<Breach> BreachesOfEnds() {
  std::vector<Breach> all;
  all.insert(all.end(), std::begin(kWrittenBack), std::end(kWrittenBack));
  all.insert(all.end(), std::begin(kInPlace), std::end(kInPlace));
  all.insert(all.end(), std::begin(kElsewhere), std::end(kElsewhere));
  return all;
}

}  // namespace inlay::testing
