// The validator refuses what the contract of plans does not allow (docs/reference/scratchpad.md): a
// random plan that is allowed, broken in one way that one clause forbids.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/scratchpad/validator.h"
#include "tests/support/contract_plans.h"
#include "tests/support/plan_text.h"
#include "tests/support/tiny_plan_problem.h"

namespace inlay {
namespace {

using testing::CaseCount;
using testing::ContractPlans;
using testing::Describe;
using testing::Random;

struct Case {
  PlanProblem problem;
  Plan plan;
};

int64_t Steps(const Case& c) { return static_cast<int64_t>(c.plan.steps.size()); }

const Operand* OperandIn(const Case& c, int64_t step, ValueId tensor) {
  for (const Operand& o : c.problem.nodes[static_cast<size_t>(step)].operands) {
    if (o.tensor == tensor) return &o;
  }
  return nullptr;
}

UnitId UnitOf(const Case& c, int64_t step) {
  return c.problem.nodes[static_cast<size_t>(step)].unit;
}

int64_t NextUse(const Case& c, ValueId tensor, int64_t after) {
  int64_t s = after + 1;
  while (s < Steps(c) && OperandIn(c, s, tensor) == nullptr) ++s;
  return s;
}

bool Is(const Transfer& t, TransferKind kind, bool pad) {
  return t.kind == kind && (t.from.has_value() || t.to.has_value()) == pad;
}

// The transfer or residency of a plan that a breach starts from, of those that `fits` takes.
template <typename T, typename Fits>
T* Some(std::vector<T>& all, Random& random, const Fits& fits) {
  std::vector<T*> fitting;
  for (T& one : all) {
    if (fits(one)) fitting.push_back(&one);
  }
  return fitting.empty() ? nullptr : fitting[random() % fitting.size()];
}

template <typename T, typename Fits>
bool Drop(std::vector<T>& all, Random& random, const Fits& fits) {
  T* one = Some(all, random, fits);
  if (one == nullptr) return false;
  all.erase(all.begin() + (one - all.data()));
  return true;
}

void Add(Case* c, const Transfer& transfer) {
  c->plan.transfers.push_back(transfer);
  std::stable_sort(c->plan.transfers.begin(), c->plan.transfers.end(),
                   [](const Transfer& a, const Transfer& b) {
                     return std::tie(a.step, a.tensor, a.kind) < std::tie(b.step, b.tensor, b.kind);
                   });
}

bool Moved(const Case& c, const Stay& stay, bool away) {
  const auto& all = c.plan.transfers;
  return std::any_of(all.begin(), all.end(), [&](const Transfer& t) {
    return t.kind == TransferKind::kMove && t.tensor == stay.tensor &&
           (away ? t.from == stay.pad && t.step == stay.to - 1
                 : t.to == stay.pad && t.step == stay.from);
  });
}

// The residency whose place another takes (C8), and the one that takes it.
std::pair<Stay*, Stay*> SomeInPlace(Case& c, Random& random) {
  const auto taker = [&](const Stay& gone) -> Stay* {
    for (Stay& stay : c.plan.stays) {
      if (stay.pad == gone.pad && stay.address == gone.address && stay.from == gone.to - 1 &&
          stay.tensor != gone.tensor && OperandIn(c, stay.from, stay.tensor)->written) {
        return &stay;
      }
    }
    return nullptr;
  };
  Stay* gone = Some(c.plan.stays, random, [&](const Stay& s) { return taker(s) != nullptr; });
  if (gone == nullptr) return {nullptr, nullptr};
  return {gone, taker(*gone)};
}

// The tensor is streamed in this step and all that use it later; false where that is not all it
// takes: workspaces, or a tensor that is not off chip by then, or that another takes the place of.
bool StreamFrom(Case& c, ValueId tensor, int64_t step) {
  if (c.problem.tensors[tensor].produced &&
      std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(), [&](const Transfer& t) {
        return t.tensor == tensor && t.kind == TransferKind::kWriteBack && t.step < step;
      })) {
    return false;
  }
  for (const Stay& gone : c.plan.stays) {
    for (const Stay& stay : c.plan.stays) {
      if (gone.tensor == tensor && stay.tensor != tensor && gone.pad == stay.pad &&
          gone.address == stay.address && stay.from == gone.to - 1) {
        return false;
      }
    }
  }
  std::vector<Stay>& stays = c.plan.stays;
  stays.erase(std::remove_if(stays.begin(), stays.end(),
                             [&](const Stay& s) { return s.tensor == tensor && s.from >= step; }),
              stays.end());
  std::vector<Transfer>& all = c.plan.transfers;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const Transfer& t) { return t.tensor == tensor && t.step >= step; }),
            all.end());
  for (int64_t s = NextUse(c, tensor, step - 1); s < Steps(c); s = NextUse(c, tensor, s)) {
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
bool EndAhead(Case& c, Random& random, TransferKind kind, int64_t before) {
  const auto copied = [&](const Stay& stay) {
    return std::any_of(c.plan.transfers.begin(), c.plan.transfers.end(), [&](const Transfer& t) {
      return t.kind == kind && t.tensor == stay.tensor && t.to == stay.pad && t.step == stay.from;
    });
  };
  Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
    return copied(s) && NextUse(c, s.tensor, s.from) - before > s.from;
  });
  if (stay == nullptr) return false;
  const int64_t use = NextUse(c, stay->tensor, stay->from);
  stay->to = use - before;
  return StreamFrom(c, stay->tensor, use);
}

struct Breach {
  const char* clause;
  const char* what;
  std::function<bool(Case&, Random&)> make;  // false: not in this plan
};

const Breach kBreaches[] = {
    {"C1", "written nowhere",
     [](Case& c, Random& random) {
       return Drop(c.plan.transfers, random,
                   [](const Transfer& t) { return Is(t, TransferKind::kWriteBack, false); });
     }},
    {"C1", "off chip, but fewer bytes than the node writes",
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return Is(one, TransferKind::kWriteBack, false);
       });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C1", "into a pad that the unit does not reach",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         const Operand* o = OperandIn(c, s.from, s.tensor);
         return o != nullptr && o->written;
       });
       if (stay == nullptr) return false;
       std::vector<UnitId>& units = c.problem.machine.pads[stay->pad].reached_by;
       units.erase(std::find(units.begin(), units.end(), UnitOf(c, stay->from)));
       return true;
     }},
    {"C2", "begins a step before it comes",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [](const Stay& s) { return s.from > 0; });
       if (stay != nullptr) --stay->from;
       return stay != nullptr;
     }},
    {"C2", "outlasts the last step",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) { return s.to == Steps(c); });
       if (stay != nullptr) ++stay->to;
       return stay != nullptr;
     }},
    {"C2", "ends before a step that reads it from there",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random,
                         [&](const Stay& s) { return NextUse(c, s.tensor, s.from) < s.to; });
       if (stay != nullptr) stay->to = NextUse(c, stay->tensor, stay->from);
       return stay != nullptr;
     }},
    {"C3", "read from nowhere",
     [](Case& c, Random& random) {
       return Drop(c.plan.transfers, random,
                   [](const Transfer& t) { return Is(t, TransferKind::kFetch, false); });
     }},
    {"C3", "more bytes than the tiling reads",
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return Is(one, TransferKind::kFetch, false); });
       if (t != nullptr) ++t->bytes;
       return t != nullptr;
     }},
    {"C4", "fetched, but without a residency",
     [](Case& c, Random& random) {
       const Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return Is(one, TransferKind::kFetch, true);
       });
       return t != nullptr && Drop(c.plan.stays, random, [&](const Stay& s) {
                return s.tensor == t->tensor && s.from == t->step;
              });
     }},
    {"C4", "a residency that nothing is fetched for",
     [](Case& c, Random& random) {
       // With weights that stay, what lies there throughout needs no fetch.
       return Drop(c.plan.transfers, random, [&](const Transfer& t) {
         return Is(t, TransferKind::kFetch, true) &&
                (!c.problem.weights_stay || !c.problem.tensors[t.tensor].weight);
       });
     }},
    {"C4", "fetched in part",
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return Is(one, TransferKind::kFetch, true); });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C5", "fetched in a step that does not read it",
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return one.kind == TransferKind::kPrefetch; });
       if (t != nullptr) t->kind = TransferKind::kFetch;
       return t != nullptr;
     }},
    {"C5", "prefetched in a step that uses it",
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return Is(one, TransferKind::kFetch, true); });
       if (t != nullptr) t->kind = TransferKind::kPrefetch;
       return t != nullptr;
     }},
    {"C5", "prefetched in part",
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random,
                          [](const Transfer& one) { return one.kind == TransferKind::kPrefetch; });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C5", "prefetched, dropped, and streamed where it is used next",
     [](Case& c, Random& random) { return EndAhead(c, random, TransferKind::kPrefetch, 0); }},
    {"C5", "prefetched and dropped a step before it is used next",
     [](Case& c, Random& random) { return EndAhead(c, random, TransferKind::kPrefetch, 1); }},
    {"C6", "moved, dropped, and streamed where it is used next",
     [](Case& c, Random& random) { return EndAhead(c, random, TransferKind::kMove, 0); }},
    {"C6", "moved and dropped a step before it is used next",
     [](Case& c, Random& random) { return EndAhead(c, random, TransferKind::kMove, 1); }},
    {"C6", "moved between pads that are not connected",
     [](Case& c, Random& random) {
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
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) { return Moved(c, s, true); });
       if (stay != nullptr) ++stay->to;
       return stay != nullptr;
     }},
    {"C6", "leaves before it is moved",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random,
                         [&](const Stay& s) { return s.to - s.from > 1 && Moved(c, s, true); });
       if (stay != nullptr) --stay->to;
       return stay != nullptr;
     }},
    {"C6", "moved, but dropped before it is used",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) { return Moved(c, s, false); });
       if (stay != nullptr) stay->to = NextUse(c, stay->tensor, stay->from);
       return stay != nullptr;
     }},
    {"C7", "written back though no node has written it",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         return !c.problem.tensors[s.tensor].produced && s.to - s.from > 1;
       });
       if (stay == nullptr) return false;
       Add(&c, {stay->tensor,
                TransferKind::kWriteBack,
                stay->pad,
                {},
                c.problem.tensors[stay->tensor].bytes,
                stay->to - 1});
       return true;
     }},
    {"C7", "written back after it has left the pad",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         if (!c.problem.tensors[s.tensor].produced || s.to == Steps(c)) return false;
         return std::none_of(c.plan.stays.begin(), c.plan.stays.end(),
                             [&](const Stay& o) { return o.tensor == s.tensor && o.to > s.to; });
       });
       if (stay == nullptr) return false;
       Add(&c, {stay->tensor,
                TransferKind::kWriteBack,
                stay->pad,
                {},
                c.problem.tensors[stay->tensor].bytes,
                stay->to});
       return true;
     }},
    {"C7", "written back in the step that fetches or prefetches it",
     [](Case& c, Random& random) {
       const Transfer* t = Some(c.plan.transfers, random, [&](const Transfer& one) {
         return one.to && !one.from && c.problem.tensors[one.tensor].produced;
       });
       if (t == nullptr) return false;
       Add(&c, {t->tensor, TransferKind::kWriteBack, t->to, {}, t->bytes, t->step});
       return true;
     }},
    {"C7", "written back from the pad that it is moved to",
     [](Case& c, Random& random) {
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
     [](Case& c, Random& random) {
       Transfer* t = Some(c.plan.transfers, random, [](const Transfer& one) {
         return Is(one, TransferKind::kWriteBack, true);
       });
       if (t != nullptr) --t->bytes;
       return t != nullptr;
     }},
    {"C7", "read from off chip, never written there",
     [](Case& c, Random& random) {
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
     [](Case& c, Random& random) {
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
       std::stable_sort(c.plan.transfers.begin(), c.plan.transfers.end(),
                        [](const Transfer& a, const Transfer& b) {
                          return std::tie(a.step, a.tensor, a.kind) <
                                 std::tie(b.step, b.tensor, b.kind);
                        });
       return true;
     }},
    {"C8", "in the place of one that the operator cannot overwrite",
     [](Case& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr) return false;
       c.problem.nodes[static_cast<size_t>(taker->from)].in_place.clear();
       return true;
     }},
    {"C8", "overwritten, but not in its last step",
     [](Case& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr || taker->to == taker->from + 1) return false;
       ++gone->to;
       return true;
     }},
    {"C8", "overwritten and written back",
     [](Case& c, Random& random) {
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
     [](Case& c, Random& random) {
       const auto [gone, taker] = SomeInPlace(c, random);
       if (gone == nullptr || c.problem.tensors[gone->tensor].produced ||
           taker->from + 1 == Steps(c)) {
         return false;
       }
       // A later node reads it from off chip, where it still lies.
       PlanNode& node = c.problem.nodes[static_cast<size_t>(taker->from) + 1];
       node.operands.insert(node.operands.begin(), {gone->tensor, false});
       for (Tiling& tiling : node.tilings) tiling.operands.insert(tiling.operands.begin(), {1, 0});
       Add(&c, {gone->tensor, TransferKind::kFetch, {}, {}, 1, taker->from + 1});
       return true;
     }},
    {"C9", "no fetch where weights do not stay",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         if (!c.problem.weights_stay || s.from > 0 || !c.problem.tensors[s.tensor].weight) {
           return false;
         }
         return std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(),
                             [&](const Transfer& t) { return t.tensor == s.tensor; });
       });
       if (stay == nullptr) return false;
       c.problem.weights_stay = false;
       return true;
     }},
    {"C9", "stays, but not to the end",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         if (!c.problem.weights_stay || s.from > 0 || !c.problem.tensors[s.tensor].weight) {
           return false;
         }
         return std::none_of(c.plan.transfers.begin(), c.plan.transfers.end(),
                             [&](const Transfer& t) { return t.tensor == s.tensor; });
       });
       if (stay != nullptr) --stay->to;
       return stay != nullptr;
     }},
    {"C10", "used in a pad that the unit does not reach",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random,
                               [&](const Stay& s) { return NextUse(c, s.tensor, s.from) < s.to; });
       if (stay == nullptr) return false;
       std::vector<UnitId>& units = c.problem.machine.pads[stay->pad].reached_by;
       const UnitId unit = UnitOf(c, NextUse(c, stay->tensor, stay->from));
       units.erase(std::find(units.begin(), units.end(), unit));
       return true;
     }},
    {"C10", "streamed though it lies in a pad",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random,
                               [&](const Stay& s) { return NextUse(c, s.tensor, s.from) < s.to; });
       if (stay == nullptr) return false;
       const int64_t use = NextUse(c, stay->tensor, stay->from);
       Add(&c, {stay->tensor,
                TransferKind::kFetch,
                {},
                {},
                c.problem.tensors[stay->tensor].bytes,
                use});
       return true;
     }},
    {"C11", "an output that is not off chip",
     [](Case& c, Random& random) {
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
     [](Case& c, Random& random) {
       return Drop(c.plan.transfers, random, [&](const Transfer& t) {
         return c.problem.tensors[t.tensor].needed_after && t.kind == TransferKind::kWriteBack;
       });
     }},
    {"capacity", "two at one address",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [](const Stay&) { return true; });
       if (stay == nullptr) return false;
       const Stay* other = Some(c.plan.stays, random, [&](const Stay& s) {
         return s.pad == stay->pad && s.tensor != stay->tensor && s.from < stay->to &&
                stay->from < s.to && s.address != stay->address;
       });
       if (other == nullptr) return false;
       stay->address = other->address;
       return std::max(stay->from, other->from) + 1 < std::min(stay->to, other->to);
     }},
    {"capacity", "beyond the end of the pad",
     [](Case& c, Random& random) {
       const Stay* stay = Some(c.plan.stays, random, [](const Stay&) { return true; });
       if (stay == nullptr) return false;
       c.problem.machine.pads[stay->pad].bytes = stay->address + stay->bytes - 1;
       return true;
     }},
    {"capacity", "an address that is not aligned",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         return c.problem.machine.pads[s.pad].alignment_bytes > 1;
       });
       if (stay != nullptr) ++stay->address;
       return stay != nullptr;
     }},
    {"capacity", "a workspace that is too small",
     [](Case& c, Random& random) {
       PlanStep* step =
           Some(c.plan.steps, random, [](const PlanStep& s) { return s.workspace_bytes > 0; });
       if (step != nullptr) --step->workspace_bytes;
       return step != nullptr;
     }},
    {"capacity", "a workspace where a tensor lies",
     [](Case& c, Random& random) {
       Stay* stay = Some(c.plan.stays, random, [&](const Stay& s) {
         for (int64_t i = s.from; i < s.to; ++i) {
           if (c.plan.steps[static_cast<size_t>(i)].workspace_bytes > 0 &&
               c.problem.workspace_pad[UnitOf(c, i)] == s.pad) {
             return true;
           }
         }
         return false;
       });
       if (stay == nullptr) return false;
       for (int64_t i = stay->from; i < stay->to; ++i) {
         PlanStep& step = c.plan.steps[static_cast<size_t>(i)];
         if (c.problem.workspace_pad[UnitOf(c, i)] == stay->pad) {
           step.workspace_address = stay->address;
         }
       }
       return true;
     }},
    {"steps", "a node runs twice",
     [](Case& c, Random& random) {
       (void)random;
       c.plan.steps[1] = c.plan.steps[0];
       return true;
     }},
    {"steps", "a tiling that there is not",
     [](Case& c, Random& random) {
       const size_t step = random() % c.plan.steps.size();
       c.plan.steps[step].tiling = c.problem.nodes[step].tilings.size();
       return true;
     }},
};

TEST(ReplayContract, WhatIsNotAllowedIsRefused) {
  std::vector<int64_t> tried(std::size(kBreaches), 0);
  const int64_t cases = CaseCount(400, 4000);
  for (int64_t seed = 1; seed <= cases; ++seed) {
    Random random(static_cast<uint64_t>(seed));
    const PlanProblem problem = testing::TinyPlanProblem(random);
    ContractPlans all(problem, PlanObjective::kBytes);
    for (int draw = 0; draw < 8; ++draw) {
      const ContractPlans::Found found = all.Draw(random);
      if (!found.plan) continue;
      for (size_t i = 0; i < std::size(kBreaches); ++i) {
        Case c{problem, *found.plan};
        if (!kBreaches[i].make(c, random)) continue;
        ++tried[i];
        EXPECT_FALSE(Replay(c.problem, c.plan)) << fmt::format(
            "seed {} {} {}\n{}{}became\n{}", seed, kBreaches[i].clause, kBreaches[i].what,
            Describe(c.problem), Describe(problem, *found.plan), Describe(c.problem, c.plan));
      }
    }
  }
  for (size_t i = 0; i < std::size(kBreaches); ++i) {
    EXPECT_GT(tried[i], 0) << kBreaches[i].clause << ' ' << kBreaches[i].what;
  }
}

// Steps 0 to 5. Node 0 writes t, node 4 reads it; the others have tensors of their own, off chip.
Case Chain() {
  Case c;
  Machine& machine = c.problem.machine;
  machine.units.push_back({"u", 1, std::nullopt});
  for (const char* name : {"a", "b", "c"}) {
    machine.pads.push_back({name, 64, 1, std::nullopt, 1, {UnitId(0)}});
  }
  machine.dma.moves = {{PadId(0), PadId(1)}, {PadId(0), PadId(2)}, {PadId(1), PadId(2)}};
  c.problem.workspace_pad.push_back(PadId(0));
  for (size_t s = 0; s < 6; ++s) {
    c.problem.tensors.push_back({fmt::format("t{}", s), 8, true, false, false});
    PlanNode node{fmt::format("n{}", s), NodeId(s), UnitId(0), {{ValueId(s), true}}, {}, {}};
    if (s == 4) node.operands.insert(node.operands.begin(), {ValueId(0), false});
    node.tilings.push_back({1, std::vector<OperandTraffic>(node.operands.size(), {8, 0})});
    c.problem.nodes.push_back(node);
    c.plan.steps.push_back({NodeId(s), UnitId(0), 0, 0, 0});
    if (s > 0) {
      c.plan.transfers.push_back(
          {ValueId(s), TransferKind::kWriteBack, {}, {}, 8, static_cast<int64_t>(s)});
    }
  }
  return c;
}

void Lie(Case* c, size_t pad, int64_t from, int64_t to) {
  c->plan.stays.push_back({ValueId(0), PadId(pad), 0, 8, from, to});
}

void Copy(Case* c, TransferKind kind, std::optional<size_t> from, std::optional<size_t> to,
          int64_t step) {
  Transfer transfer{ValueId(0), kind, {}, {}, 8, step};
  if (from) transfer.from = PadId(*from);
  if (to) transfer.to = PadId(*to);
  Add(c, transfer);
}

TEST(ReplayContract, BetweenTwoUsesOneCopyIntoAPad) {
  Case once = Chain();
  Lie(&once, 0, 0, 2);
  Lie(&once, 1, 1, 5);
  Copy(&once, TransferKind::kMove, 0, 1, 1);
  EXPECT_TRUE(Replay(once.problem, once.plan));

  Case twice = Chain();
  Lie(&twice, 0, 0, 2);
  Lie(&twice, 1, 1, 3);
  Lie(&twice, 2, 2, 5);
  Copy(&twice, TransferKind::kMove, 0, 1, 1);
  Copy(&twice, TransferKind::kMove, 1, 2, 2);
  EXPECT_FALSE(Replay(twice.problem, twice.plan)) << "moved twice";

  Case prefetched = Chain();
  Lie(&prefetched, 0, 1, 3);
  Lie(&prefetched, 1, 2, 5);
  Copy(&prefetched, TransferKind::kWriteBack, {}, {}, 0);
  Copy(&prefetched, TransferKind::kPrefetch, {}, 0, 1);
  Copy(&prefetched, TransferKind::kMove, 0, 1, 2);
  EXPECT_FALSE(Replay(prefetched.problem, prefetched.plan)) << "prefetched, then moved";

  Case again = Chain();
  Lie(&again, 0, 1, 2);
  Lie(&again, 1, 2, 5);
  Copy(&again, TransferKind::kWriteBack, {}, {}, 0);
  Copy(&again, TransferKind::kPrefetch, {}, 0, 1);
  Copy(&again, TransferKind::kPrefetch, {}, 1, 2);
  EXPECT_FALSE(Replay(again.problem, again.plan)) << "prefetched twice";
}

TEST(ReplayContract, AMoveIsStrictlyBetweenTwoUses) {
  for (const int64_t step : {int64_t{0}, int64_t{4}, int64_t{5}}) {
    Case c = Chain();
    Lie(&c, 0, 0, step + 1);
    Lie(&c, 1, step, std::max<int64_t>(5, step + 1));
    Copy(&c, TransferKind::kMove, 0, 1, step);
    EXPECT_FALSE(Replay(c.problem, c.plan)) << "moved in step " << step;
  }
}

TEST(ReplayContract, NothingIsPrefetchedAfterItsLastUse) {
  Case c = Chain();
  Lie(&c, 0, 5, 6);
  Copy(&c, TransferKind::kWriteBack, {}, {}, 0);
  Copy(&c, TransferKind::kFetch, {}, {}, 4);
  Copy(&c, TransferKind::kPrefetch, {}, 0, 5);
  EXPECT_FALSE(Replay(c.problem, c.plan));
}

// What a move and a late write-back could save together if residencies might end before the use.
TEST(ReplayContract, WrittenBackFromWhereItWasMovedAndDropped) {
  Case c = Chain();
  Lie(&c, 0, 0, 2);
  Lie(&c, 1, 1, 4);
  Copy(&c, TransferKind::kMove, 0, 1, 1);
  Copy(&c, TransferKind::kWriteBack, 1, {}, 3);
  Copy(&c, TransferKind::kFetch, {}, {}, 4);
  EXPECT_FALSE(Replay(c.problem, c.plan));
}

}  // namespace
}  // namespace inlay
