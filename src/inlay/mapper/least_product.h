#pragma once

#include <optional>
#include <vector>

namespace inlay {

// What several layers take together, every repeat counted.
struct EnergyDelay {
  double energy_pj = 0;
  double cycles = 0;
  double product() const { return energy_pj * cycles; }
};

// Finds the least energy × cycles of a finite set of points that can be searched in one way only:
// for the least energy + price × cycles, at a price in pJ per cycle. Of sums over layers that least
// separates by layer; the least product of sums does not.
//
// Among points on or above a line the product is least at an end of it, so the least of all is the
// answer to some question. Lines with no point below them leave corners between them. As long as
// one reaches below the best product, the next question is about the chord between the places where
// its two lines have that product. docs/reference/mapper-bounds.md argues for each step.
class LeastProduct {
 public:
  // No point has less of either, less than one cycle, or a smaller product than `product`.
  explicit LeastProduct(EnergyDelay floor, double product = 0);

  struct Question {
    double price_pj = 0;  // per cycle
    double below = 0;     // of energy + price × cycles: what has no less is of no interest
  };
  // nullopt: there is no more to ask.
  std::optional<Question> Next();

  // A point of the set.
  void Offer(const EnergyDelay& point);
  // To the last question: no point has less energy + price × cycles. The point that has it, if it
  // is below what was asked for, is offered before.
  void Answer(double least);

  double best() const { return best_; }  // infinite: no point is known
  // No point has a smaller product; at most the best one.
  double lower_bound() const;
  bool proven() const;  // that the best one is the least, but for rounding

 private:
  // No point has less energy + price × cycles; with an infinite price, fewer cycles.
  struct Line {
    double price_pj = 0;
    double value = 0;
  };
  // Between two lines, the left one of the smaller price.
  struct Corner {
    Line left, right;
    bool is_stuck = false;  // numbers are too coarse for another question
  };
  static EnergyDelay PointOf(const Corner& corner);
  bool IsOpen(const Corner& corner) const;
  Question QuestionOf(const Corner& corner) const;

  double floor_product_;
  double best_;
  std::vector<Corner> corners_;
  size_t asked_ = 0;   // the corner of the last question …
  Question question_;  // … and that
};

}  // namespace inlay
