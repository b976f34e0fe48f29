#pragma once

#include <bit>
#include <cstdint>

#include "inlay/base/index.h"

namespace inlay {

using DimId = Index<struct DimTag>;        // a dimension of a Problem
using TensorId = Index<struct TensorTag>;  // a tensor of a Problem
using LevelId = Index<struct LevelTag>;    // a storage level of an Architecture, 0 = outermost
using NodeId = Index<struct NodeTag>;      // a node of a Graph
using ValueId = Index<struct ValueTag>;    // a value that the nodes of a Graph pass on
using UnitId = Index<struct UnitTag>;      // a compute unit of a Machine
using PadId = Index<struct PadTag>;        // a scratchpad of a Machine

// Sets and hot-path scratch are sized by these; validation refuses what is larger.
inline constexpr size_t kMaxDims = 64;
inline constexpr size_t kMaxTensors = 64;
inline constexpr size_t kMaxLevels = 64;

class TensorSet {
 public:
  constexpr TensorSet() = default;
  static constexpr TensorSet FirstN(size_t n) {
    return TensorSet(n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1);
  }
  constexpr bool contains(TensorId t) const { return ((bits_ >> t.value()) & 1) != 0; }
  constexpr void insert(TensorId t) { bits_ |= uint64_t{1} << t.value(); }
  constexpr void erase(TensorId t) { bits_ &= ~(uint64_t{1} << t.value()); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  constexpr uint64_t bits() const { return bits_; }
  constexpr bool operator==(const TensorSet&) const = default;

 private:
  explicit constexpr TensorSet(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};

}  // namespace inlay
