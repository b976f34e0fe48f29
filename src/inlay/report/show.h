#pragma once

#include <string>
#include <vector>

#include "inlay/base/table.h"
#include "inlay/core/architecture.h"
#include "inlay/core/machine.h"
#include "inlay/core/mix.h"
#include "inlay/core/network.h"
#include "inlay/core/network_totals.h"
#include "inlay/core/problem.h"
#include "inlay/core/repricing.h"
#include "inlay/core/technology.h"

namespace inlay::report {

// What things look like, for people. Each ends with a newline.

// The einsum, the bounds, and the size of each tensor.
std::string ShowProblem(const Problem& problem, const TextStyle& style);

// The levels as a tree, outer to inner, with sizes, energies, bandwidths and what they hold; then
// the constraints and the area.
std::string ShowArchitecture(const Architecture& architecture, const TextStyle& style);

// Units and memories with their figures, and what can move where.
std::string ShowMachine(const Machine& machine, const TextStyle& style);

// Arrays, memory and channel.
std::string ShowAccelerator(const Accelerator& accelerator, const TextStyle& style);

// The accelerator, and the networks with their batches.
std::string ShowMix(const Mix& mix, const TextStyle& style);

// The energies of an architecture besides those by a technology, and their ratio.
std::string ShowRepricing(const Repricing& repricing, const TextStyle& style);

// Energy and area of each kind of memory: functions at a few sizes, tables drawn over the capacity;
// arithmetic, memories off chip and wires with their sources.
std::string ShowTechnology(const Technology& technology, const TextStyle& style);

// The layers with their dimensions and operations, and what the network amounts to.
std::string ShowNetwork(const Network& network, const NetworkTotals& totals,
                        const ElementBits& bits, const TextStyle& style);

// Lines of a mapping in the native form as a nest: what is inside a loop stands further right.
std::string ShowMapping(const std::vector<std::string>& lines);

}  // namespace inlay::report
