#include "inlay/scratchpad/dsa/first_fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inlay/scratchpad/dsa/dsa.h"
#include "inlay/scratchpad/dsa/instance.h"

namespace inlay::dsa {
namespace {

// Orders are by size · e^(weight · load ratio); the weights that were best most often come first.
constexpr double kLoadWeights[] = {14, 5, 24, 48, 0};

// The buffers placed so far in the order of their addresses, arrays side by side: a placement reads
// all lives below its address.
class Shelf {
 public:
  explicit Shelf(size_t size) {
    for (auto* column : {&lower_, &upper_, &offset_, &top_}) column->reserve(size);
  }

  // The lowest address that is free for the whole life of b.
  int64_t LowestFree(const Buffer& b) const {
    int64_t floor = 0;  // aligned; everything that lives with b and starts lower ends here at most
    for (size_t i = 0; i < offset_.size(); ++i) {
      if (lower_[i] >= b.upper || upper_[i] <= b.lower || top_[i] <= floor) continue;
      if (offset_[i] >= floor + b.size) break;
      floor = AlignUp(top_[i], b.alignment);
    }
    return floor;
  }

  bool Free(const Buffer& b, int64_t offset) const {
    for (size_t i = 0; i < offset_.size(); ++i) {
      if (lower_[i] < b.upper && upper_[i] > b.lower && offset_[i] < offset + b.size &&
          top_[i] > offset) {
        return false;
      }
    }
    return true;
  }

  void Add(const Buffer& b, int64_t offset) {
    const auto at = std::lower_bound(offset_.begin(), offset_.end(), offset) - offset_.begin();
    lower_.insert(lower_.begin() + at, b.lower);
    upper_.insert(upper_.begin() + at, b.upper);
    offset_.insert(offset_.begin() + at, offset);
    top_.insert(top_.begin() + at, offset + b.size);
  }

 private:
  std::vector<int64_t> lower_, upper_, offset_, top_;
};

// Places in the given order, each as low as it goes; fixed buffers first. The height, or
// nullopt where it would exceed the limit, or the deadline passes.
std::optional<int64_t> Place(const std::vector<Buffer>& buffers, const std::vector<size_t>& order,
                             int64_t limit, DeadlineWatch* watch, std::vector<int64_t>* offsets) {
  Shelf shelf(buffers.size());
  int64_t height = 0;
  offsets->assign(buffers.size(), 0);
  const auto add = [&](size_t i, int64_t offset) {
    (*offsets)[i] = offset;
    if (!TakesRoom(buffers[i])) return true;
    height = std::max(height, offset + buffers[i].size);
    shelf.Add(buffers[i], offset);
    return height <= limit;
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    if (!b.fixed) continue;
    if (TakesRoom(b) && !shelf.Free(b, *b.fixed)) return std::nullopt;
    if (!add(i, *b.fixed)) return std::nullopt;
  }
  for (const size_t i : order) {
    if (buffers[i].fixed) continue;
    if (watch->Passed()) return std::nullopt;
    if (!add(i, TakesRoom(buffers[i]) ? shelf.LowestFree(buffers[i]) : 0)) return std::nullopt;
  }
  return height;
}

// The largest of any stretch of a list, in logarithmic time.
class RangeMax {
 public:
  explicit RangeMax(const std::vector<int64_t>& values) : size_(values.size()), tree_(2 * size_) {
    std::copy(values.begin(), values.end(), tree_.begin() + static_cast<std::ptrdiff_t>(size_));
    for (size_t i = size_; i-- > 1;) tree_[i] = std::max(tree_[2 * i], tree_[2 * i + 1]);
  }

  // Of [begin, end), which is not empty; values are not negative.
  int64_t operator()(size_t begin, size_t end) const {
    int64_t most = 0;
    for (begin += size_, end += size_; begin < end; begin /= 2, end /= 2) {
      if (begin % 2 == 1) most = std::max(most, tree_[begin++]);
      if (end % 2 == 1) most = std::max(most, tree_[--end]);
    }
    return most;
  }

 private:
  size_t size_;
  std::vector<int64_t> tree_;  // leaves from size_ on; node i is above 2 i and 2 i + 1
};

// The largest load during each buffer's life, as a part of the peak.
std::vector<double> LoadRatios(const std::vector<Buffer>& buffers) {
  std::vector<int64_t> times;
  for (const Buffer& b : buffers) times.insert(times.end(), {b.lower, b.upper});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto slot = [&](int64_t time) {
    return static_cast<size_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  std::vector<int64_t> load(times.size() + 1);
  for (const Buffer& b : buffers) {
    if (!TakesRoom(b)) continue;
    load[slot(b.lower)] += b.size;
    load[slot(b.upper)] -= b.size;
  }
  std::partial_sum(load.begin(), load.end(), load.begin());
  const RangeMax most(load);
  const auto peak = static_cast<double>(most(0, load.size()));
  std::vector<double> ratios(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!TakesRoom(buffers[i])) continue;
    ratios[i] = static_cast<double>(most(slot(buffers[i].lower), slot(buffers[i].upper))) / peak;
  }
  return ratios;
}

}  // namespace

Solution FirstFitBelow(const Problem& problem, const Options& options, int64_t enough) {
  const std::vector<Buffer>& buffers = problem.buffers;
  Solution best;
  best.lower_bound = FindPeakLoad(buffers).bytes;
  const std::vector<double> ratios = LoadRatios(buffers);
  const StopFlag never;
  const Deadline no_deadline(never);
  DeadlineWatch watch(options.deadline != nullptr ? *options.deadline : no_deadline);
  int64_t limit = problem.capacity;
  std::vector<int64_t> offsets;
  std::vector<size_t> order(buffers.size());
  std::vector<double> key(buffers.size());
  for (const double load_weight : kLoadWeights) {
    for (size_t i = 0; i < key.size(); ++i) {
      key[i] = std::log(static_cast<double>(buffers[i].size) + 1) + load_weight * ratios[i];
    }
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return key[a] > key[b]; });
    if (const auto height = Place(buffers, order, limit, &watch, &offsets)) {
      best.status = Status::kPlaced;
      best.height = *height;
      best.offsets = offsets;
      if (*height <= std::max(best.lower_bound, enough)) break;
      limit = *height - 1;
    }
    if (watch.Passed()) break;
  }
  return best;
}

Solution FirstFit(const Problem& problem, const Options& options) {
  return FirstFitBelow(problem, options, 0);
}

}  // namespace inlay::dsa
