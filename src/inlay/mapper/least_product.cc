#include "inlay/mapper/least_product.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace inlay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1 + 1e-9;

// On a line energy + price × cycles = value a product has two places: their energies, and their
// cycles × price, are the roots of x² − value × x + price × product. The larger one. A line that
// some point of no smaller product is on has it.
double LargerRoot(double value, double price_pj, double product) {
  return (value + std::sqrt(std::max(0.0, value * value - 4 * price_pj * product))) / 2;
}

}  // namespace

LeastProduct::LeastProduct(EnergyDelay floor, double product)
    : floor_product_(product), best_(kInfinity) {
  corners_.push_back({{0, floor.energy_pj}, {kInfinity, std::max(1.0, floor.cycles)}});
}

EnergyDelay LeastProduct::PointOf(const Corner& corner) {
  const Line &left = corner.left, &right = corner.right;
  const double cycles = std::isinf(right.price_pj)
                            ? right.value
                            : (right.value - left.value) / (right.price_pj - left.price_pj);
  return {std::max(0.0, left.value - left.price_pj * cycles), std::max(0.0, cycles)};
}

bool LeastProduct::IsOpen(const Corner& corner) const {
  return PointOf(corner).product() * kRounding < best_;
}

LeastProduct::Question LeastProduct::QuestionOf(const Corner& corner) const {
  const EnergyDelay point = PointOf(corner);
  // Where no energy is known to be needed: the least one.
  if (point.energy_pj == 0 || point.cycles == 0) return {corner.left.price_pj, kInfinity};
  if (std::isinf(best_)) return {point.energy_pj / point.cycles, kInfinity};
  const Line &left = corner.left, &right = corner.right;
  const double energy = LargerRoot(left.value, left.price_pj, best_);
  const double cycles = std::isinf(right.price_pj)
                            ? right.value
                            : LargerRoot(right.value, right.price_pj, best_) / right.price_pj;
  // The chord from (energy, best / energy) to (best / cycles, cycles).
  const double price = energy / cycles;
  return {price, energy + best_ / cycles};
}

std::optional<LeastProduct::Question> LeastProduct::Next() {
  if (floor_product_ * kRounding >= best_) return std::nullopt;
  for (;;) {
    const Corner* lowest = nullptr;
    for (const Corner& corner : corners_) {
      if (corner.is_stuck || !IsOpen(corner)) continue;
      if (lowest == nullptr || PointOf(corner).product() < PointOf(*lowest).product()) {
        lowest = &corner;
      }
    }
    if (lowest == nullptr) return std::nullopt;
    asked_ = static_cast<size_t>(lowest - corners_.data());
    question_ = QuestionOf(*lowest);
    const double price = question_.price_pj;
    const bool is_new = price > lowest->left.price_pj && price < lowest->right.price_pj;
    if (is_new || (price == 0 && lowest->left.value == 0)) return question_;
    corners_[asked_].is_stuck = true;
  }
}

void LeastProduct::Offer(const EnergyDelay& point) { best_ = std::min(best_, point.product()); }

void LeastProduct::Answer(double least) {
  Corner& corner = corners_[asked_];
  if (least >= question_.below) {  // nothing in it is below the best product
    corners_.erase(corners_.begin() + static_cast<std::ptrdiff_t>(asked_));
    return;
  }
  const EnergyDelay point = PointOf(corner);
  const bool helps = least > point.energy_pj + question_.price_pj * point.cycles;
  if (!helps) {
    corner.is_stuck = true;
  } else if (question_.price_pj == corner.left.price_pj) {
    corner.left.value = least;
  } else {
    const Corner right = {{question_.price_pj, least}, corner.right};
    corner.right = right.left;
    corners_.push_back(right);
  }
}

double LeastProduct::lower_bound() const {
  double least = best_;
  for (const Corner& corner : corners_) least = std::min(least, PointOf(corner).product());
  return std::min(best_, std::max(least, floor_product_));
}

bool LeastProduct::proven() const { return lower_bound() * kRounding >= best_; }

}  // namespace inlay
