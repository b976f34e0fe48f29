#include "inlay/base/prime_factors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "inlay/base/check.h"

namespace inlay {
namespace {

__extension__ using Wide = unsigned __int128;

uint64_t MultiplyModulo(uint64_t a, uint64_t b, uint64_t modulus) {
  return static_cast<uint64_t>(static_cast<Wide>(a) * b % modulus);
}

uint64_t PowerModulo(uint64_t base, uint64_t exponent, uint64_t modulus) {
  uint64_t power = 1;
  for (base %= modulus; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) power = MultiplyModulo(power, base, modulus);
    base = MultiplyModulo(base, base, modulus);
  }
  return power;
}

// By Miller and Rabin; these bases leave no doubt below 2^64. The number is odd and above the
// bases.
bool IsPrime(uint64_t number) {
  const int twos = std::countr_zero(number - 1);
  const uint64_t odd = (number - 1) >> twos;
  for (const uint64_t base : std::array<uint64_t, 12>{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}) {
    uint64_t power = PowerModulo(base, odd, number);
    if (power == 1) continue;
    int squares = 0;
    while (power != number - 1 && ++squares < twos) power = MultiplyModulo(power, power, number);
    if (power != number - 1) return false;
  }
  return true;
}

// Some factor of an odd number that is no prime, by Pollard's walk.
uint64_t SomeFactor(uint64_t number) {
  for (uint64_t shift = 1;; ++shift) {
    const auto next = [&](uint64_t x) {
      return static_cast<uint64_t>((static_cast<Wide>(x) * x + shift) % number);
    };
    uint64_t slow = 2, fast = 2, common = 1;
    while (common == 1) {
      slow = next(slow);
      fast = next(next(fast));
      common = std::gcd(slow > fast ? slow - fast : fast - slow, number);
    }
    if (common != number) return common;
  }
}

void Split(uint64_t number, std::vector<int64_t>* primes) {
  if (number == 1) return;
  if (IsPrime(number)) {
    primes->push_back(static_cast<int64_t>(number));
    return;
  }
  const uint64_t factor = SomeFactor(number);
  Split(factor, primes);
  Split(number / factor, primes);
}

}  // namespace

std::vector<std::pair<int64_t, int>> PrimeFactors(int64_t number) {
  INLAY_CHECK(number >= 1);
  std::vector<int64_t> primes;
  constexpr int64_t kSmall = 1000;
  for (int64_t d = 2; d <= kSmall && d <= number / d; ++d) {
    for (; number % d == 0; number /= d) primes.push_back(d);
  }
  if (number > 1 && number <= kSmall * kSmall) {
    primes.push_back(number);
  } else {
    Split(static_cast<uint64_t>(number), &primes);
  }
  std::sort(primes.begin(), primes.end());
  std::vector<std::pair<int64_t, int>> factors;
  for (const int64_t prime : primes) {
    if (factors.empty() || factors.back().first != prime) factors.emplace_back(prime, 0);
    ++factors.back().second;
  }
  return factors;
}

}  // namespace inlay
