#include "inlay/scratchpad/dsa/first_fit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "inlay/base/rng.h"
#include "inlay/scratchpad/dsa/best_fit.h"
#include "inlay/scratchpad/dsa/dsa.h"
#include "inlay/scratchpad/dsa/instance.h"

namespace inlay::dsa {
namespace {

// Orders are by size · e^(weight · load ratio); the weights that were best most often come first.
constexpr double kLoadWeights[] = {14, 5, 24, 48, 0};

// How much work there is for all orders together where there is no time limit, in looks of an
// AddressShelf: a second or two.
constexpr int64_t kMostWork = 600'000'000;
constexpr int64_t kMostMoreWork = 200'000'000;  // of SearchOrders

// The buffers placed so far in the order of their addresses, arrays side by side: a placement looks
// at all lives below its address. For buffers of which many live together.
class AddressShelf {
 public:
  static constexpr int64_t kWorkOfLook = 1;

  explicit AddressShelf(const std::vector<Buffer>& buffers) : buffers_(buffers) {
    for (auto* column : {&lower_, &upper_, &offset_, &top_}) column->reserve(buffers.size());
  }

  void Clear() {
    for (auto* column : {&lower_, &upper_, &offset_, &top_}) column->clear();
  }

  // The lowest address that is free for the whole life of b.
  int64_t LowestFree(const Buffer& b) {
    int64_t floor = 0;  // aligned; everything that lives with b and starts lower ends here at most
    size_t i = 0;
    for (; i < offset_.size(); ++i) {
      if (lower_[i] >= b.upper || upper_[i] <= b.lower || top_[i] <= floor) continue;
      if (offset_[i] >= floor + b.size) break;
      floor = AlignUp(top_[i], b.alignment);
    }
    looks_ += static_cast<int64_t>(i);
    return floor;
  }

  bool Free(const Buffer& b, int64_t offset) {
    for (size_t i = 0; i < offset_.size(); ++i) {
      if (lower_[i] < b.upper && upper_[i] > b.lower && offset_[i] < offset + b.size &&
          top_[i] > offset) {
        return false;
      }
    }
    return true;
  }

  void Add(size_t buffer, int64_t offset) {
    const Buffer& b = buffers_[buffer];
    const auto at = std::lower_bound(offset_.begin(), offset_.end(), offset) - offset_.begin();
    lower_.insert(lower_.begin() + at, b.lower);
    upper_.insert(upper_.begin() + at, b.upper);
    offset_.insert(offset_.begin() + at, offset);
    top_.insert(top_.begin() + at, offset + b.size);
  }

  int64_t looks() const { return looks_; }

 private:
  const std::vector<Buffer>& buffers_;
  std::vector<int64_t> lower_, upper_, offset_, top_;
  int64_t looks_ = 0;
};

// The buffers placed so far, by their first step: a tree over all buffers whose nodes know the last
// step of those placed below them, so that those of a stretch of time are found one by one. For
// buffers of which few live together.
class TimeShelf {
 public:
  static constexpr int64_t kWorkOfLook = 32;

  explicit TimeShelf(const std::vector<Buffer>& buffers) : buffers_(buffers) {
    by_lower_.resize(buffers.size());
    std::iota(by_lower_.begin(), by_lower_.end(), size_t{0});
    std::sort(by_lower_.begin(), by_lower_.end(),
              [&](size_t a, size_t b) { return buffers[a].lower < buffers[b].lower; });
    rank_.resize(buffers.size());
    for (size_t r = 0; r < by_lower_.size(); ++r) rank_[by_lower_[r]] = r;
    leaves_ = std::bit_ceil(std::max<size_t>(buffers.size(), 1));
    last_.assign(2 * leaves_, kNothing);
    room_.resize(buffers.size());
  }

  void Clear() { std::fill(last_.begin(), last_.end(), kNothing); }

  // The lowest address that is free for the whole life of b.
  int64_t LowestFree(const Buffer& b) {
    FindNeighbours(b);
    std::sort(met_.begin(), met_.end());
    int64_t floor = 0;  // aligned; everything that lives with b and starts lower ends here at most
    for (const Room& room : met_) {
      if (room.top <= floor) continue;
      if (room.offset >= floor + b.size) break;
      floor = AlignUp(room.top, b.alignment);
    }
    return floor;
  }

  bool Free(const Buffer& b, int64_t offset) {
    FindNeighbours(b);
    return std::all_of(met_.begin(), met_.end(), [&](const Room& room) {
      return room.offset >= offset + b.size || room.top <= offset;
    });
  }

  void Add(size_t i, int64_t offset) {
    room_[rank_[i]] = {offset, offset + buffers_[i].size};
    for (size_t node = leaves_ + rank_[i]; node > 0; node /= 2) {
      last_[node] = std::max(last_[node], buffers_[i].upper);
    }
  }

  int64_t looks() const { return looks_; }

 private:
  struct Room {
    int64_t offset = 0, top = 0;
    auto operator<=>(const Room&) const = default;
  };
  static constexpr int64_t kNothing = std::numeric_limits<int64_t>::min();

  void FindNeighbours(const Buffer& b) {
    met_.clear();
    const auto end = std::partition_point(by_lower_.begin(), by_lower_.end(),
                                          [&](size_t i) { return buffers_[i].lower < b.upper; });
    Descend(1, 0, leaves_, static_cast<size_t>(end - by_lower_.begin()), b.lower);
    looks_ += static_cast<int64_t>(met_.size());
  }

  void Descend(size_t node, size_t begin, size_t end, size_t before, int64_t after) {
    if (begin >= before || last_[node] <= after) return;
    constexpr size_t kFew = 16;
    if (end - begin <= kFew) {
      for (size_t r = begin; r < std::min(end, before); ++r) {
        if (last_[leaves_ + r] > after) met_.push_back(room_[r]);
      }
      return;
    }
    const size_t middle = begin + (end - begin) / 2;
    Descend(2 * node, begin, middle, before, after);
    Descend(2 * node + 1, middle, end, before, after);
  }

  const std::vector<Buffer>& buffers_;
  std::vector<size_t> by_lower_, rank_;
  size_t leaves_ = 1;
  std::vector<int64_t> last_;  // by node: the largest upper of what is placed below
  std::vector<Room> room_;     // by rank
  std::vector<Room> met_;
  int64_t looks_ = 0;
};

// Places in the given order, each as low as it goes; fixed buffers first. The height, or
// nullopt where it would exceed the limit (`failed`: the place in the order where it did), or the
// deadline passes, or it is too much work.
template <typename Shelf>
std::optional<int64_t> Place(const std::vector<Buffer>& buffers, const std::vector<size_t>& order,
                             int64_t limit, int64_t most_looks, DeadlineWatch* watch, Shelf* shelf,
                             std::vector<int64_t>* offsets, std::optional<size_t>* failed) {
  failed->reset();
  shelf->Clear();
  int64_t height = 0;
  offsets->assign(buffers.size(), 0);
  const auto add = [&](size_t i, int64_t offset) {
    (*offsets)[i] = offset;
    if (!TakesRoom(buffers[i])) return true;
    height = std::max(height, offset + buffers[i].size);
    shelf->Add(i, offset);
    return height <= limit;
  };
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    if (!b.fixed) continue;
    if (TakesRoom(b) && !shelf->Free(b, *b.fixed)) return std::nullopt;
    if (!add(i, *b.fixed)) return std::nullopt;
  }
  for (size_t at = 0; at < order.size(); ++at) {
    const size_t i = order[at];
    if (buffers[i].fixed) continue;
    if (watch->Passed() || shelf->looks() > most_looks) return std::nullopt;
    if (add(i, TakesRoom(buffers[i]) ? shelf->LowestFree(buffers[i]) : 0)) continue;
    *failed = at;
    return std::nullopt;
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

// First-fit in one order after the other, the best kept.
template <typename Shelf>
class OrderSearch {
 public:
  OrderSearch(const Problem& problem, const Options& options, int64_t most_work)
      : buffers_(problem.buffers),
        never_(),
        no_deadline_(never_),
        deadline_(options.deadline != nullptr ? *options.deadline : no_deadline_),
        watch_(deadline_),
        shelf_(buffers_),
        ratios_(LoadRatios(buffers_)),
        limit_(problem.capacity),
        order_(buffers_.size()),
        key_(buffers_.size()) {
    best_.lower_bound = FindPeakLoad(buffers_).bytes;
    if (!deadline_.Limited()) most_looks_ = most_work / Shelf::kWorkOfLook;
  }

  struct Weights {
    double size = 1, load = 0;
  };
  // By size^a · e^(c · load ratio), largest first.
  void Try(const Weights& weights) {
    for (size_t i = 0; i < key_.size(); ++i) {
      key_[i] = weights.size * std::log(static_cast<double>(buffers_[i].size) + 1) +
                weights.load * ratios_[i];
    }
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](size_t a, size_t b) { return key_[a] > key_[b]; });
    PlaceInOrder();
  }

  // The last order, but the buffer that did not fit comes earlier. False: there was none.
  bool TryAgain(Rng* rng) {
    if (!failed_) return false;
    const auto to = static_cast<size_t>(UniformUnit(*rng) * static_cast<double>(*failed_));
    const auto at = order_.begin() + static_cast<std::ptrdiff_t>(*failed_);
    std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(to), at, at + 1);
    PlaceInOrder();
    return true;
  }

  void Take(int64_t height, const std::vector<int64_t>& offsets) {
    if (height > limit_) return;
    best_.status = Status::kPlaced;
    best_.height = height;
    best_.offsets = offsets;
    limit_ = height - 1;
  }

  void PlaceInOrder() {
    const auto height =
        Place(buffers_, order_, limit_, most_looks_, &watch_, &shelf_, &offsets_, &failed_);
    over_ = watch_.PassedNow() || shelf_.looks() > most_looks_;
    if (height) Take(*height, offsets_);
  }

  bool IsOver(int64_t enough) const {
    return over_ ||
           (best_.status == Status::kPlaced && best_.height <= std::max(best_.lower_bound, enough));
  }
  bool limited() const { return deadline_.Limited(); }
  const Solution& best() const { return best_; }

 private:
  const std::vector<Buffer>& buffers_;
  StopFlag never_;
  Deadline no_deadline_;
  const Deadline& deadline_;
  DeadlineWatch watch_;
  Shelf shelf_;
  std::vector<double> ratios_;
  int64_t limit_;
  int64_t most_looks_ = std::numeric_limits<int64_t>::max();
  std::vector<int64_t> offsets_;
  std::vector<size_t> order_;
  std::optional<size_t> failed_;
  std::vector<double> key_;
  bool over_ = false;
  Solution best_;
};

template <typename Shelf>
Solution TryOrders(const Problem& problem, const Options& options, int64_t enough) {
  OrderSearch<Shelf> search(problem, options, kMostWork);
  for (const double load_weight : kLoadWeights) {
    search.Try({.load = load_weight});
    if (search.IsOver(enough)) break;
  }
  if (search.best().status != Status::kPlaced) {
    if (const auto offsets = BestFitInTime(problem.buffers)) {
      search.Take(HeightOf(problem.buffers, *offsets), *offsets);
    }
  }
  return search.best();
}

// Each of the orders again and again, with what did not fit moved towards the front.
template <typename Shelf>
Solution MendOrders(const Problem& problem, const Options& options, int64_t enough) {
  constexpr int kTries = 200;  // of an order
  OrderSearch<Shelf> search(problem, options, kMostMoreWork);
  Rng rng(options.seed);
  do {
    for (const double load_weight : kLoadWeights) {
      search.Try({.size = 0.75 + 0.5 * UniformUnit(rng), .load = load_weight});
      for (int i = 0; i < kTries && !search.IsOver(enough) && search.TryAgain(&rng); ++i) {
      }
      if (search.IsOver(enough)) break;
    }
  } while (search.limited() && !search.IsOver(enough));
  return search.best();
}

// Whether so few pairs live together that a TimeShelf is faster, as measured.
bool FewLiveTogether(const std::vector<Buffer>& buffers) {
  std::vector<int64_t> lower, upper;
  for (const Buffer& b : buffers) {
    if (!TakesRoom(b)) continue;
    lower.push_back(b.lower);
    upper.push_back(b.upper);
  }
  std::sort(lower.begin(), lower.end());
  std::sort(upper.begin(), upper.end());
  double pairs = 0;
  size_t ended = 0;
  for (size_t i = 0; i < lower.size(); ++i) {
    while (upper[ended] <= lower[i]) ++ended;
    pairs += static_cast<double>(i - ended);
  }
  const auto all = static_cast<double>(lower.size());
  return pairs < all * all / 128;
}

}  // namespace

Solution FirstFitBelow(const Problem& problem, const Options& options, int64_t enough) {
  return FewLiveTogether(problem.buffers) ? TryOrders<TimeShelf>(problem, options, enough)
                                          : TryOrders<AddressShelf>(problem, options, enough);
}

Solution SearchOrders(const Problem& problem, const Options& options, int64_t enough) {
  return FewLiveTogether(problem.buffers) ? MendOrders<TimeShelf>(problem, options, enough)
                                          : MendOrders<AddressShelf>(problem, options, enough);
}

Solution FirstFit(const Problem& problem, const Options& options) {
  return FirstFitBelow(problem, options, 0);
}

}  // namespace inlay::dsa
