// How a tensor comes into a pad: C1 to C6.
#include <utility>

#include "tests/property/plan_breaches.h"

namespace inlay::testing {
namespace {

bool Moved(const PlanCase& c, const Residency& residency, bool away) {
  const auto& all = c.plan.transfers;
  return std::any_of(all.begin(), all.end(), [&](const Transfer& t) {
    return t.kind == TransferKind::kMove && t.tensor == residency.tensor &&
           (away ? t.from == residency.pad && t.step == residency.to - 1
                 : t.to == residency.pad && t.step == residency.from);
  });
}

// The tensor is streamed in this step and all that use it later; false where that is not all it
// takes: workspaces, or a tensor that is not off chip by then, or that another takes the place of.
bool StreamFrom(PlanCase& c, ValueId tensor, int64_t step) {
  if (c.problem.tensors[tensor].produced &&
      std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(), [&](const Transfer& t) {
        return t.tensor == tensor && t.kind == TransferKind::kWriteBack && t.step < step;
      })) {
    return false;
  }
  for (const Residency& gone : c.plan.residencies) {
    for (const Residency& residency : c.plan.residencies) {
      if (gone.tensor == tensor && residency.tensor != tensor && gone.pad == residency.pad &&
          gone.address == residency.address && residency.from == gone.to - 1) {
        return false;
      }
    }
  }
  std::vector<Residency>& residencies = c.plan.residencies;
  residencies.erase(
      std::remove_if(residencies.begin(), residencies.end(),
                     [&](const Residency& s) { return s.tensor == tensor && s.from >= step; }),
      residencies.end());
  std::vector<Transfer>& all = c.plan.transfers;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Transfer& t) { return t.tensor == tensor && t.step >= step; }),
            all.end());
  for (int64_t s = NextUse(c, tensor, step - 1); s < StepsOf(c); s = NextUse(c, tensor, s)) {
    const PlanNode& node = c.problem.nodes[static_cast<size_t>(s)];
    const size_t tiling = c.plan.steps[static_cast<size_t>(s)].tiling;
    const auto at = static_cast<size_t>(OperandIn(c, s, tensor) - node.operands.data());
    const OperandTraffic& traffic = node.tilings[tiling].operands[at];
    if (traffic.workspace_bytes > 0) return false;
    Add(&c, {tensor, TransferKind::kFetch, {}, {}, traffic.bytes, s});
  }
  return true;
}

// A copy into a pad that ends `before` steps ahead of the use that it was made for.
bool EndAhead(PlanCase& c, Random& random, TransferKind kind, int64_t before) {
  const auto copied = [&](const Residency& residency) {
    return std::any_of(c.plan.transfers.begin(), c.plan.transfers.end(), [&](const Transfer& t) {
      return t.kind == kind && t.tensor == residency.tensor && t.to == residency.pad &&
             t.step == residency.from;
    });
  };
  Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
    return copied(s) && NextUse(c, s.tensor, s.from) - before > s.from;
  });
  if (residency == nullptr) return false;
  const int64_t use = NextUse(c, residency->tensor, residency->from);
  residency->to = use - before;
  return StreamFrom(c, residency->tensor, use);
}

const Breach kWrittenAndKept[] = {
    {"C1", "written nowhere",
     [](PlanCase& c, Random& random) {
       return Drop(c.plan.transfers, random,
                   [](const Transfer& t) { return Is(t, TransferKind::kWriteBack, false); });
     }},
    {"C1", "off chip, but fewer bytes than the node writes",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return Is(one, TransferKind::kWriteBack, false);
       });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C1", "into a pad that the unit does not reach",
     [](PlanCase& c, Random& random) {
       const Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         const Operand* o = OperandIn(c, s.from, s.tensor);
         return o != nullptr && o->written;
       });
       if (residency == nullptr) return false;
       std::vector<UnitId>& units = c.problem.machine.pads[residency->pad].reached_by;
       units.erase(std::find(units.begin(), units.end(), UnitOf(c, residency->from)));
       return true;
     }},
    {"C2", "begins a step before it comes",
     [](PlanCase& c, Random& random) {
       Residency* residency =
           Some(c.plan.residencies, random, [](const Residency& s) { return s.from > 0; });
       if (residency != nullptr) --residency->from;
       return residency != nullptr;
     }},
    {"C2", "outlasts the last step",
     [](PlanCase& c, Random& random) {
       Residency* residency =
           Some(c.plan.residencies, random, [&](const Residency& s) { return s.to == StepsOf(c); });
       if (residency != nullptr) ++residency->to;
       return residency != nullptr;
     }},
    {"C2", "ends before a step that reads it from there",
     [](PlanCase& c, Random& random) {
       Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         return NextUse(c, s.tensor, s.from) < s.to;
       });
       if (residency != nullptr) residency->to = NextUse(c, residency->tensor, residency->from);
       return residency != nullptr;
     }},
};

const Breach kRead[] = {
    {"C3", "read from nowhere",
     [](PlanCase& c, Random& random) {
       return Drop(c.plan.transfers, random,
                   [](const Transfer& t) { return Is(t, TransferKind::kFetch, false); });
     }},
    {"C3", "more bytes than the tiling reads",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return Is(one, TransferKind::kFetch, false); });
       if (t != nullptr) ++t->bytes;
       return t != nullptr;
     }},
    {"C4", "fetched, but without a residency",
     [](PlanCase& c, Random& random) {
       const Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return Is(one, TransferKind::kFetch, true);
       });
       return t != nullptr && Drop(c.plan.residencies, random, [&](const Residency& s) {
                return s.tensor == t->tensor && s.from == t->step;
              });
     }},
    {"C4", "a residency that nothing is fetched for",
     [](PlanCase& c, Random& random) {
       // With weights that stay, what lies there throughout needs no fetch.
       return Drop(c.plan.transfers, random, [&](const Transfer& t) {
         return Is(t, TransferKind::kFetch, true) &&
                (!c.problem.weights_stay || !c.problem.tensors[t.tensor].weight);
       });
     }},
    {"C4", "fetched in part",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return Is(one, TransferKind::kFetch, true); });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C5", "fetched in a step that does not read it",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return one.kind == TransferKind::kPrefetch; });
       if (t != nullptr) t->kind = TransferKind::kFetch;
       return t != nullptr;
     }},
    {"C5", "prefetched in a step that uses it",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return Is(one, TransferKind::kFetch, true); });
       if (t != nullptr) t->kind = TransferKind::kPrefetch;
       return t != nullptr;
     }},
    {"C5", "prefetched in part",
     [](PlanCase& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return one.kind == TransferKind::kPrefetch; });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C5", "prefetched, dropped, and streamed where it is used next",
     [](PlanCase& c, Random& random) { return EndAhead(c, random, TransferKind::kPrefetch, 0); }},
    {"C5", "prefetched and dropped a step before it is used next",
     [](PlanCase& c, Random& random) { return EndAhead(c, random, TransferKind::kPrefetch, 1); }},
};

const Breach kMoved[] = {
    {"C6", "moved, dropped, and streamed where it is used next",
     [](PlanCase& c, Random& random) { return EndAhead(c, random, TransferKind::kMove, 0); }},
    {"C6", "moved and dropped a step before it is used next",
     [](PlanCase& c, Random& random) { return EndAhead(c, random, TransferKind::kMove, 1); }},
    {"C6", "moved between pads that are not connected",
     [](PlanCase& c, Random& random) {
       const Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return one.kind == TransferKind::kMove;
       });
       if (t == nullptr) return false;
       auto& moves = c.problem.machine.dma.moves;
       moves.erase(std::remove_if(moves.begin(), moves.end(),
                                  [&](const auto& m) {
                                    return std::minmax(m.first, m.second) ==
                                           std::minmax(*t->from, *t->to);
                                  }),
                   moves.end());
       return true;
     }},
    {"C6", "stays where it is moved from",
     [](PlanCase& c, Random& random) {
       Residency* residency =
           Some(c.plan.residencies, random, [&](const Residency& s) { return Moved(c, s, true); });
       if (residency != nullptr) ++residency->to;
       return residency != nullptr;
     }},
    {"C6", "leaves before it is moved",
     [](PlanCase& c, Random& random) {
       Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         return s.to - s.from > 1 && Moved(c, s, true);
       });
       if (residency != nullptr) --residency->to;
       return residency != nullptr;
     }},
    {"C6", "moved, but dropped before it is used",
     [](PlanCase& c, Random& random) {
       Residency* residency =
           Some(c.plan.residencies, random, [&](const Residency& s) { return Moved(c, s, false); });
       if (residency != nullptr) residency->to = NextUse(c, residency->tensor, residency->from);
       return residency != nullptr;
     }},
};

}  // namespace

std::vector<Breach> BreachesOfCopies() {
  std::vector<Breach> all;
  all.insert(all.end(), std::begin(kWrittenAndKept), std::end(kWrittenAndKept));
  all.insert(all.end(), std::begin(kRead), std::end(kRead));
  all.insert(all.end(), std::begin(kMoved), std::end(kMoved));
  return all;
}

}  // namespace inlay::testing
