#pragma once

#include "inlay/scratchpad/problem.h"

namespace inlay {

// How far from each other nodes of one step may stand in the given order: what runs early is held
// for long.
inline constexpr size_t kMostNodesAhead = 16;

// Whether both compute alike and reach the same pads.
bool AreEqual(const Machine& machine, UnitId a, UnitId b);

// Makes steps of several nodes where a machine has equal units: a node that multiplies takes along
// the next ones, as many as there are further equal units, that multiply on such a unit, too, and
// read nothing that is written in this step or after it. Such a step computes as long as the
// longest of its nodes; what it moves is the sum, and an operand of several nodes is one that is
// read as often. Its tilings are those of its nodes by ascending room, the i-th of each; a node
// whose workspace would not fit beside the others' runs later.
void MergeIndependentNodes(PlanProblem* problem);

}  // namespace inlay
