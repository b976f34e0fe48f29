#include "inlay/core/fused_plan_result.h"

#include "inlay/base/fields.h"

namespace inlay {
namespace {

constexpr double kMicroseconds = 1e6;

}  // namespace

const Structure& StructureOf(const PlanTile*) {
  using R = PlanTile;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::hold>("", "", {.inlined = true}),
      Row<&R::bytes>("bytes",
                     "room of its largest tile in the step: twice where the next one comes "
                     "meanwhile, 0 where the tensor lies in a memory as a whole"),
  });
  return Describe<R, kFields>("PlanTile");
}

const Structure& StructureOf(const PlanFusedStep*) {
  using R = PlanFusedStep;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::step>("step", "which step"),
      Row<&R::room_words>("room_words", "words that its tree holds at once, before buffering"),
      Row<&R::nodes>("nodes", "what every node does"),
      Row<&R::tiles>("tiles", "what is held, in the order of the tree"),
      Row<&R::apart_seconds>("apart_latency_us",
                             "time of the steps of its nodes in the best plan without fused steps",
                             {.scale = kMicroseconds}),
      Row<&R::apart_offchip_bytes>("apart_offchip_bytes",
                                   "bytes to and from off chip of those steps"),
  });
  return Describe<R, kFields>("PlanFusedStep");
}

const Structure& StructureOf(const PlanJoined*) {
  using R = PlanJoined;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::seconds>("latency_us", "time of the one step", {.scale = kMicroseconds}),
      Row<&R::offchip_bytes>("offchip_bytes", "its bytes to and from off chip"),
      Row<&R::room_bytes>("room_bytes", "room of its tiles"),
      Row<&R::missing_bytes>("missing_bytes",
                             "bytes that memories lack for it, beside what lies there; 0: it fits"),
  });
  return Describe<R, kFields>("PlanJoined");
}

const Structure& StructureOf(const PlanEdge*) {
  using R = PlanEdge;
  static constexpr auto kFields = std::to_array<Field>({
      Row<&R::tensor>("tensor", "the tensor"),
      Row<&R::from>("from", "the node that makes it"),
      Row<&R::to>("to", "the nodes that read it"),
      Row<&R::first_step>("first_step", "the step that makes it"),
      Row<&R::last_step>("last_step", "the last step that reads it"),
      Row<&R::bytes>("bytes", "the whole tensor"),
      Row<&R::offchip_bytes>("offchip_bytes", "what of it goes to and comes from off chip"),
      Row<&R::state>("state",
                     "fused: all its nodes are in one fused step; fits, no-room: a tree is known "
                     "that runs its steps and those between as one, and its tiles fit or do not "
                     "beside what lies in the memories; no-tree: none was found; no-gain: none was "
                     "searched, for it would save next to nothing; apart: they cannot be one"),
      Row<&R::joined>("joined",
                      "fits, no-room: what these steps would take as one, all else as it is"),
  });
  return Describe<R, kFields>("PlanEdge");
}

}  // namespace inlay
