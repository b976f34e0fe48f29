#pragma once

#include <string>
#include <vector>

#include "inlay/core/technology.h"

namespace inlay {

// Memories whose figures are known, in the order of InTableOrder, and what follows for others.
using KnownMemories = std::vector<KnownMemory>;

// By ports, then by width, then by capacity.
bool InTableOrder(const KnownMemory& a, const KnownMemory& b);

struct MemorySize {
  double capacity_bits = 0;
  double access_bits = 0;
  MemoryPorts ports = MemoryPorts::kReadOrWrite;
};

struct MemoryFigures {
  double read_pj = 0, write_pj = 0;  // of one access
  double leakage_uw = 0;
  double area_um2 = 0;
};

bool HasPorts(const KnownMemories& table, MemoryPorts ports);

// The table has such ports. Between rows a figure is a power of the capacity, and of the width,
// with the exponent that goes through the rows on both sides, so it is never above or below all of
// them. Below the smallest and above the largest capacity of a width, the nearest two rows go on
// (never falling with size). An access wider than the widest is several memories of that width side
// by side; one that is narrower than the narrowest costs as much. Rounded to six digits, so that
// every machine's logarithms give the same.
MemoryFigures FiguresOf(const KnownMemories& table, const MemorySize& size);

// Whether the size lies between rows, not beyond them.
bool Covers(const KnownMemories& table, const MemorySize& size);
// "64 B to 64 MiB, accesses of 8 to 1024 bits".
std::string RangeText(const KnownMemories& table, MemoryPorts ports);

enum class MemoryFigure { kRead, kWrite, kArea };
// What is nearest, by relative squares over the rows' capacities, to the figure as a function of
// the words of a memory whose accesses move `access_bits`.
SizeFunction FormulaNear(const KnownMemories& table, MemoryFigure figure, MemorySize size,
                         int word_bits);

}  // namespace inlay
