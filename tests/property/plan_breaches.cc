#include "tests/property/plan_breaches.h"

#include <tuple>

namespace inlay::testing {

const Operand* OperandIn(const PlanCase& c, int64_t step, ValueId tensor) {
  for (const Operand& o : c.problem.nodes[static_cast<size_t>(step)].operands) {
    if (o.tensor == tensor) return &o;
  }
  return nullptr;
}

UnitId UnitOf(const PlanCase& c, int64_t step) {
  return c.problem.nodes[static_cast<size_t>(step)].unit;
}

int64_t NextUse(const PlanCase& c, ValueId tensor, int64_t after) {
  int64_t s = after + 1;
  while (s < StepsOf(c) && OperandIn(c, s, tensor) == nullptr) ++s;
  return s;
}

bool Is(const Transfer& t, TransferKind kind, bool pad) {
  return t.kind == kind && (t.from.has_value() || t.to.has_value()) == pad;
}

void SortTransfers(PlanCase* c) {
  std::stable_sort(c->plan.transfers.begin(), c->plan.transfers.end(),
                   [](const Transfer& a, const Transfer& b) {
                     return std::tie(a.step, a.tensor, a.kind) < std::tie(b.step, b.tensor, b.kind);
                   });
}

void Add(PlanCase* c, const Transfer& transfer) {
  c->plan.transfers.push_back(transfer);
  SortTransfers(c);
}

namespace {

const Breach kSpace[] = {
    {"capacity", "two at one address",
     [](PlanCase& c, Random& random) {
       Residency* residency =
           Some(c.plan.residencies, random, [](const Residency&) { return true; });
       if (residency == nullptr) return false;
       const Residency* other = Some(c.plan.residencies, random, [&](const Residency& s) {
         return s.pad == residency->pad && s.tensor != residency->tensor &&
                s.from < residency->to && residency->from < s.to && s.address != residency->address;
       });
       if (other == nullptr) return false;
       residency->address = other->address;
       return std::max(residency->from, other->from) + 1 < std::min(residency->to, other->to);
     }},
    {"capacity", "beyond the end of the pad",
     [](PlanCase& c, Random& random) {
       const Residency* residency =
           Some(c.plan.residencies, random, [](const Residency&) { return true; });
       if (residency == nullptr) return false;
       c.problem.machine.pads[residency->pad].bytes = residency->address + residency->bytes - 1;
       return true;
     }},
    {"capacity", "an address that is not aligned",
     [](PlanCase& c, Random& random) {
       Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         return c.problem.machine.pads[s.pad].alignment_bytes > 1;
       });
       if (residency != nullptr) ++residency->address;
       return residency != nullptr;
     }},
    {"capacity", "a workspace that is too small",
     [](PlanCase& c, Random& random) {
       PlanStep* step =
           Some(c.plan.steps, random, [](const PlanStep& s) { return s.workspace_bytes > 0; });
       if (step != nullptr) --step->workspace_bytes;
       return step != nullptr;
     }},
    {"capacity", "a workspace where a tensor lies",
     [](PlanCase& c, Random& random) {
       Residency* residency = Some(c.plan.residencies, random, [&](const Residency& s) {
         for (int64_t i = s.from; i < s.to; ++i) {
           if (c.plan.steps[static_cast<size_t>(i)].workspace_bytes > 0 &&
               c.problem.workspace_pad[UnitOf(c, i)] == s.pad) {
             return true;
           }
         }
         return false;
       });
       if (residency == nullptr) return false;
       for (int64_t i = residency->from; i < residency->to; ++i) {
         PlanStep& step = c.plan.steps[static_cast<size_t>(i)];
         if (c.problem.workspace_pad[UnitOf(c, i)] == residency->pad) {
           step.workspace_address = residency->address;
         }
       }
       return true;
     }},
    {"steps", "a node runs twice",
     [](PlanCase& c, Random& random) {
       (void)random;
       c.plan.steps[1] = c.plan.steps[0];
       return true;
     }},
    {"steps", "a tiling that there is not",
     [](PlanCase& c, Random& random) {
       const size_t step = random() % c.plan.steps.size();
       c.plan.steps[step].tiling = c.problem.nodes[step].tilings.size();
       return true;
     }},
};

}  // namespace

std::vector<Breach> BreachesOfSpace() { return {std::begin(kSpace), std::end(kSpace)}; }

}  // namespace inlay::testing
