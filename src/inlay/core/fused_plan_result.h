#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/base/structure.h"
#include "inlay/core/fused_result.h"

namespace inlay {

// What a result of `plan` with fused steps says of them, and of the tensors that nodes pass on.

// A hold of the tree of a fused step, with its room in the plan.
struct PlanTile {
  FusedHoldResult hold;
  int64_t bytes = 0;
  bool operator==(const PlanTile&) const = default;
};
const Structure& StructureOf(const PlanTile*);

// A fused step, beside what the plan says of it.
struct PlanFusedStep {
  int64_t step = 0;
  int64_t room_words = 0;
  std::vector<FusedNodeResult> nodes;
  std::vector<PlanTile> tiles;  // in the order of the tree
  // Of the steps of its nodes in the best plan without fused steps.
  double apart_seconds = 0;
  int64_t apart_offchip_bytes = 0;
  bool operator==(const PlanFusedStep&) const = default;
};
const Structure& StructureOf(const PlanFusedStep*);

// Whether a tensor that a node makes and others read stays in tiles; if not, whether it could.
enum class PlanEdgeState : uint8_t { kFused, kFits, kNoRoom, kNoTree, kNoGain, kApart };
template <>
inline constexpr auto kNames<PlanEdgeState> =
    std::to_array<EnumName<PlanEdgeState>>({{PlanEdgeState::kFused, "fused"},
                                            {PlanEdgeState::kFits, "fits"},
                                            {PlanEdgeState::kNoRoom, "no-room"},
                                            {PlanEdgeState::kNoTree, "no-tree"},
                                            {PlanEdgeState::kNoGain, "no-gain"},
                                            {PlanEdgeState::kApart, "apart"}});

// What the steps of an edge would take as one, with everything else where and when it is.
struct PlanJoined {
  double seconds = 0;
  int64_t offchip_bytes = 0;
  int64_t room_bytes = 0;
  int64_t missing_bytes = 0;
  bool operator==(const PlanJoined&) const = default;
};
const Structure& StructureOf(const PlanJoined*);

// A tensor that a node makes and others read, and its price.
struct PlanEdge {
  std::string tensor;
  std::string from;
  std::vector<std::string> to;
  int64_t first_step = 0, last_step = 0;
  int64_t bytes = 0;
  int64_t offchip_bytes = 0;
  PlanEdgeState state = PlanEdgeState::kApart;
  std::optional<PlanJoined> joined;  // if a tree of the steps is known
  bool operator==(const PlanEdge&) const = default;
};
const Structure& StructureOf(const PlanEdge*);

}  // namespace inlay
