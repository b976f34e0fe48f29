#include "inlay/base/big_uint.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

BigUint BigUint::FromHalves(uint64_t high, uint64_t low) {
  BigUint value;
  value.limbs_[0] = low;
  value.limbs_[1] = high;
  value.size_ = 2;
  value.Trim();
  return value;
}

void BigUint::Trim() {
  while (size_ > 0 && limbs_[size_ - 1] == 0) --size_;
}

BigUint& BigUint::operator+=(const BigUint& other) {
  too_large_ = too_large_ || other.too_large_;
  uint64_t carry = 0;
  const size_t size = std::max(size_, other.size_);
  for (size_t i = 0; i < size; ++i) {
    const Wide sum = Wide{limbs_[i]} + other.limbs_[i] + carry;
    limbs_[i] = static_cast<uint64_t>(sum);
    carry = static_cast<uint64_t>(sum >> 64);
  }
  size_ = size;
  if (carry == 0) return *this;
  if (size_ == kLimbs) {
    too_large_ = true;
  } else {
    limbs_[size_++] = carry;
  }
  return *this;
}

BigUint& BigUint::operator-=(const BigUint& other) {
  INLAY_CHECK(!too_large_ && !other.too_large_ && other <= *this);
  uint64_t borrow = 0;
  for (size_t i = 0; i < size_; ++i) {
    const Wide taken = Wide{other.limbs_[i]} + borrow;
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] = static_cast<uint64_t>(Wide{limbs_[i]} - taken);
  }
  Trim();
  return *this;
}

BigUint& BigUint::operator*=(const BigUint& other) {
  BigUint product;
  product.too_large_ = too_large_ || other.too_large_;
  for (size_t i = 0; i < size_; ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < other.size_ || carry != 0; ++j) {
      const Wide term = j < other.size_ ? Wide{limbs_[i]} * other.limbs_[j] : Wide{0};
      if (i + j >= kLimbs) {
        product.too_large_ = product.too_large_ || term != 0 || carry != 0;
        if (j >= other.size_) break;
        continue;
      }
      const Wide sum = term + product.limbs_[i + j] + carry;
      product.limbs_[i + j] = static_cast<uint64_t>(sum);
      carry = static_cast<uint64_t>(sum >> 64);
    }
  }
  product.size_ = std::min(kLimbs, size_ + other.size_);
  product.Trim();
  return *this = product;
}

std::strong_ordering BigUint::operator<=>(const BigUint& other) const {
  if (size_ != other.size_) return size_ <=> other.size_;
  for (size_t i = size_; i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

double BigUint::ToDouble() const {
  double value = 0;
  for (size_t i = size_; i-- > 0;) value = value * 0x1p64 + static_cast<double>(limbs_[i]);
  return value;
}

uint64_t BigUint::DivideBy(uint64_t divisor) {
  uint64_t rest = 0;
  for (size_t i = size_; i-- > 0;) {
    const Wide part = (Wide{rest} << 64) + limbs_[i];
    limbs_[i] = static_cast<uint64_t>(part / divisor);
    rest = static_cast<uint64_t>(part % divisor);
  }
  Trim();
  return rest;
}

std::string BigUint::ToString() const {
  if (too_large_) return "too large";
  if (is_zero()) return "0";
  std::string digits;
  BigUint left = *this;
  while (!left.is_zero()) digits += static_cast<char>('0' + left.DivideBy(10));
  std::reverse(digits.begin(), digits.end());
  return digits;
}

BigDivision Divide(BigUint dividend, const BigUint& divisor) {
  INLAY_CHECK(!divisor.is_zero() && !divisor.too_large() && !dividend.too_large());
  BigDivision result;
  for (size_t bit = 64 * dividend.size_; bit-- > 0;) {  // long division, bit by bit
    result.quotient.Double();
    result.rest.Double();
    if (((dividend.limbs_[bit / 64] >> (bit % 64)) & 1) != 0) result.rest += BigUint(1);
    if (result.rest >= divisor) {
      result.rest -= divisor;
      result.quotient += BigUint(1);
    }
  }
  return result;
}

BigUint GreatestCommonDivisor(BigUint a, BigUint b) {
  while (!b.is_zero()) a = std::exchange(b, Divide(a, b).rest);
  return a;
}

}  // namespace inlay
