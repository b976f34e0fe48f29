#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

namespace inlay {

struct BigDivision;

// A natural number below 2^512, without heap memory. Overflow is sticky: a number that comes of
// one too large is too large.
class BigUint {
 public:
  constexpr BigUint() = default;
  explicit constexpr BigUint(uint64_t value) : limbs_{value}, size_(value != 0 ? 1 : 0) {}
  static BigUint FromHalves(uint64_t high, uint64_t low);

  bool too_large() const { return too_large_; }
  bool is_zero() const { return size_ == 0; }

  BigUint& operator+=(const BigUint& other);
  BigUint& operator-=(const BigUint& other);  // other ≤ *this
  BigUint& operator*=(const BigUint& other);
  std::strong_ordering operator<=>(const BigUint& other) const;  // neither is too large
  bool operator==(const BigUint& other) const { return limbs_ == other.limbs_; }

  double ToDouble() const;
  std::string ToString() const;  // decimal; "too large" if it is

 private:
  static constexpr size_t kLimbs = 8;
  friend BigDivision Divide(BigUint dividend, const BigUint& divisor);
  void Trim();
  void Double() { *this += BigUint(*this); }
  uint64_t DivideBy(uint64_t divisor);  // in place; returns the rest

  std::array<uint64_t, kLimbs> limbs_{};  // low to high; all beyond size_ are 0
  size_t size_ = 0;
  bool too_large_ = false;
};

struct BigDivision {
  BigUint quotient, rest;
};
// The divisor is not 0 and below 2^511.
BigDivision Divide(BigUint dividend, const BigUint& divisor);

BigUint GreatestCommonDivisor(BigUint a, BigUint b);

}  // namespace inlay
