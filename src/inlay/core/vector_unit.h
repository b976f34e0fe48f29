#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "inlay/base/enum_names.h"
#include "inlay/base/structure.h"
#include "inlay/core/fault.h"
#include "inlay/core/ids.h"

namespace inlay {

// Units besides the multiply-accumulate array, for the nodes that do not multiply:
// docs/reference/vector-units.md.

enum class VectorOp : uint8_t {
  kAdd,
  kMul,
  kMax,
  kDiv,
  kSqrt,
  kExp,
  kLog,
  kTanh,
  kErf,
  kSin,
  kLogic,
};
template <>
inline constexpr auto kNames<VectorOp> =
    std::to_array<EnumName<VectorOp>>({{VectorOp::kAdd, "add"},
                                       {VectorOp::kMul, "mul"},
                                       {VectorOp::kMax, "max"},
                                       {VectorOp::kDiv, "div"},
                                       {VectorOp::kSqrt, "sqrt"},
                                       {VectorOp::kExp, "exp"},
                                       {VectorOp::kLog, "log"},
                                       {VectorOp::kTanh, "tanh"},
                                       {VectorOp::kErf, "erf"},
                                       {VectorOp::kSin, "sin"},
                                       {VectorOp::kLogic, "logic"}});
inline constexpr size_t kVectorOps = kNames<VectorOp>.size();

// A list of operations, or all of them.
struct VectorOpSet {
  bool all = false;
  std::vector<VectorOp> ops;
  bool contains(VectorOp op) const;
  bool operator==(const VectorOpSet&) const = default;
};
template <>
inline constexpr bool kHasOwnSyntax<VectorOpSet> = true;

struct VectorUnit {
  std::string name;
  VectorOpSet ops;
  double ops_per_cycle = 0;  // of one instance
  double energy_pj = 0;      // of one operation
  bool operator==(const VectorUnit&) const = default;
};
const Structure& StructureOf(const VectorUnit*);

// All of an architecture, and where they stand: each of them once in every instance of a level, or
// in every lane of the fan-out below that.
struct VectorUnits {
  std::vector<VectorUnit> units;  // none: nothing below is of use
  LevelId below{0};
  bool in_fanout = false;
  bool operator==(const VectorUnits&) const = default;
};

// What is wrong with single units, at "levels.NAME"; names that are used twice are not looked at.
Faults Validate(const VectorUnits& vector);

}  // namespace inlay
