#include "inlay/mapper/exact/box_search.h"

#include <algorithm>
#include <cmath>

namespace inlay::exact_search {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kTried = 8;           // cuts of a range
constexpr size_t kMostOpen = 200'000;  // ranges, some 240 MB
constexpr double kMostRaise = 0.5;     // what is above this is left out soon, whatever it is

double Real(int64_t n) { return static_cast<double>(n); }

// The words that count are off chip.
KeepCase OffchipCase(KeepCase keep_case) {
  for (auto& edges : keep_case.edges) {
    for (Edge& edge : edges) {
      edge.at_parent = edge.offchip ? 1 : 0;
      edge.back = edge.offchip && edge.output ? 1 : 0;
      edge.at_child = 0;
    }
  }
  keep_case.compute_pj = keep_case.leakage_pj = 0;
  return keep_case;
}

// Sizes of tiles and lanes, level by level.
std::vector<BoxRange::Part*> PartsOf(BoxRange* range, size_t levels) {
  std::vector<BoxRange::Part*> parts;
  for (size_t l = 0; l < levels; ++l) {
    parts.push_back(&range->tiles[l]);
    parts.push_back(&range->lanes[l]);
  }
  return parts;
}

int32_t MiddleOf(int32_t lo, int32_t hi) {
  const auto middle = static_cast<int32_t>(std::sqrt(Real(lo) * Real(hi)));
  return std::clamp(middle, lo, hi - 1);
}

// A cut after which one half costs no more is of little use, whatever the other one costs.
double Score(const std::array<double, 2>& raises) {
  constexpr double kLeast = 1e-4;
  return std::max(raises[0], kLeast) * std::max(raises[1], kLeast);
}

}  // namespace

BoxSearch::BoxSearch(const Space& space, const std::vector<KeepCase>& keep_cases, Metric metric)
    : metric_(metric),
      applies_(metric != Metric::kDelay && BoxBounder::Applies(space)),
      gains_(2 * BoxRange::kMostLevels * BoxRange::kMostDims) {
  if (!applies_) return;
  for (const KeepCase& keep_case : keep_cases) {
    keep_cases_.push_back(metric == Metric::kOffchip ? OffchipCase(keep_case) : keep_case);
  }
  for (size_t f = 0; f < keep_cases_.size(); ++f) {
    bounders_.emplace_back(space, keep_cases_[f]);
    const auto whole = bounders_[f].Whole();
    if (!whole) continue;
    Node node = {0, f, *whole};
    node.bound = std::max(0.0, BoundOf(node));
    Push(node, kInfinity);
  }
}

double BoxSearch::BoundOf(const Node& node) const {
  const LowerBound bound = bounders_[node.keep_case].BoundOf(node.range);
  return SafeBound(bound, metric_ == Metric::kOffchip ? Metric::kEnergy : metric_);
}

double BoxSearch::bound() const {
  if (!applies_) return 0;
  return open_.empty() ? dropped_ : std::min(open_.front().bound, dropped_);
}

namespace {
struct Higher {
  template <typename Node>
  bool operator()(const Node& a, const Node& b) const {
    return a.bound > b.bound;
  }
};
}  // namespace

void BoxSearch::Push(const Node& node, double enough) {
  if (node.bound >= enough) {
    dropped_ = std::min(dropped_, node.bound);
    return;
  }
  open_.push_back(node);
  std::push_heap(open_.begin(), open_.end(), Higher());
}

// Where both halves are likely to cost more, as halves have until now.
void BoxSearch::ListCuts(Node* node) {
  const BoxBounder& bounder = bounders_[node->keep_case];
  const auto parts = PartsOf(&node->range, bounder.levels());
  cuts_.clear();
  for (size_t p = 0; p < parts.size(); ++p) {
    for (size_t d = 0; d < bounder.dims(); ++d) {
      const int32_t lo = parts[p]->lo[d], hi = parts[p]->hi[d];
      if (lo >= hi) continue;
      const auto& [small, large] = gains_[p * BoxRange::kMostDims + d];
      const double width = std::log(Real(hi) / lo);
      cuts_.push_back({Score({width * small.Mean(), width * large.Mean()}), p, d});
    }
  }
  const auto end = cuts_.begin() + static_cast<std::ptrdiff_t>(std::min(cuts_.size(), kTried));
  std::partial_sort(cuts_.begin(), end, cuts_.end(),
                    [](const Cut& a, const Cut& b) { return a.value > b.value; });
  cuts_.erase(end, cuts_.end());
}

std::array<double, 2> BoxSearch::Halve(Node* node, const Cut& cut, double enough) {
  const BoxBounder& bounder = bounders_[node->keep_case];
  BoxRange::Part* part = PartsOf(&node->range, bounder.levels())[cut.part];
  const int32_t lo = part->lo[cut.dim], hi = part->hi[cut.dim], middle = MiddleOf(lo, hi);
  const double width = std::log(Real(hi) / lo);
  std::array<double, 2> raises{};
  for (const size_t h : {size_t{0}, size_t{1}}) {
    part->hi[cut.dim] = h == 0 ? middle : hi;
    part->lo[cut.dim] = h == 0 ? lo : middle + 1;
    Node& half = halves_[h];
    half.keep_case = node->keep_case;
    half.range = node->range;
    half.bound = kInfinity;
    if (bounder.Narrow(&half.range)) half.bound = std::max(node->bound, BoundOf(half));
    const double raised = half.bound - node->bound;
    const bool far = half.bound >= enough || raised > kMostRaise * node->bound;
    raises[h] = far ? kMostRaise : raised > 0 ? raised / node->bound : 0;
    Gain& gain = gains_[cut.part * BoxRange::kMostDims + cut.dim][h];
    gain.sum += raises[h] / width;
    ++gain.count;
  }
  part->lo[cut.dim] = lo;
  part->hi[cut.dim] = hi;
  return raises;
}

bool BoxSearch::Run(double enough, int64_t most, DeadlineWatch* watch) {
  for (int64_t i = 0; i < most; ++i) {
    if (open_.empty() || open_.front().bound >= enough || dropped_ < open_.front().bound ||
        open_.size() > kMostOpen || watch->Passed()) {
      return false;
    }
    Node node = open_.front();
    ListCuts(&node);
    if (cuts_.empty()) return false;
    std::pop_heap(open_.begin(), open_.end(), Higher());
    open_.pop_back();
    double highest = -1;
    for (const Cut& cut : cuts_) {
      const double score = Score(Halve(&node, cut, enough));
      if (score <= highest) continue;
      highest = score;
      std::swap(best_, halves_);
    }
    for (const Node& half : best_) Push(half, enough);
    ++ranges_;
  }
  return true;
}

}  // namespace inlay::exact_search
