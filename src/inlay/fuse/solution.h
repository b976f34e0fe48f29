#pragma once

#include <optional>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/fused_problem.h"
#include "inlay/core/objective.h"
#include "inlay/fuse/fuse.h"

namespace inlay {

// pJ, cycles, pJ × cycles, words.
double ValueOf(const FusedCost& cost, Metric metric);
// One value per metric; then, as the last, operations, which decide among trees that are equal.
std::vector<double> ValuesOf(const FusedCost& cost, const Objective& objective);

// Of off-chip words: optimal where no tree has fewer than `bound` and this one has no more.
Certificate OffchipCertificate(const FusedCost& cost, int64_t bound);

// A tree with its cost. None where a count does not fit into 64 bits.
std::optional<FusedSolution> SolutionOf(const FusedProblem& problem,
                                        const Architecture& architecture, FusedTree tree);

// The runs of a tree, in the order of the nodes, without certificates.
std::vector<FusedRun> RunsOf(const FusedProblem& problem, const Architecture& architecture,
                             const FusedTree& tree);

// Words of the pad that a tree may take, before buffering; none: any number.
std::optional<int64_t> UsableWords(const Architecture& architecture);
// The same of a pad of another capacity.
int64_t UsableWords(const Level& pad, int64_t capacity_words);

}  // namespace inlay
