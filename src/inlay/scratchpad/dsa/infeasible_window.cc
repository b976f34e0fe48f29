#include <algorithm>
#include <tuple>
#include <utility>

#include "inlay/scratchpad/dsa/dsa.h"

namespace inlay::dsa {
namespace {

constexpr int64_t kNodesPerTest = 5000;

class Shrinker {
 public:
  Shrinker(const Problem& problem, const Options& options) : problem_(problem), options_(options) {
    options_.node_limit = std::min(options.node_limit, kNodesPerTest);
    for (const Buffer& b : problem.buffers) {
      if (TakesRoom(b)) times_.insert(times_.end(), {b.lower, b.upper});
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  }

  InfeasibleWindow Run() {
    const PeakLoad peak = FindPeakLoad(problem_.buffers);
    InfeasibleWindow window{peak.lower, peak.upper, {}};
    if (peak.bytes > problem_.capacity) {
      window.members = Members(peak.lower, peak.upper);
      KeepLargest(&window.members);
    } else {
      std::tie(window.lower, window.upper) = ShrinkTime();
      window.members = Members(window.lower, window.upper);
    }
    DropMembers(&window);
    return window;
  }

 private:
  std::vector<size_t> Members(int64_t lower, int64_t upper) const {
    std::vector<size_t> members;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const Buffer& b = problem_.buffers[i];
      if (b.size > 0 && std::max(b.lower, lower) < std::min(b.upper, upper)) members.push_back(i);
    }
    return members;
  }

  bool Infeasible(int64_t lower, int64_t upper, const std::vector<size_t>& members) const {
    Problem clipped{{}, problem_.capacity};
    for (const size_t i : members) {
      clipped.buffers.push_back(problem_.buffers[i]);
      Buffer& b = clipped.buffers.back();
      b.lower = std::max(b.lower, lower);
      b.upper = std::min(b.upper, upper);
    }
    return Solve(clipped, options_).status == Status::kInfeasible;
  }

  bool Passed() const { return options_.deadline != nullptr && options_.deadline->Passed(); }

  // The earliest end, then the latest start. A window within another is no harder to fill, so
  // halving finds both, as far as each is proven within its nodes.
  std::pair<int64_t, int64_t> ShrinkTime() const {
    size_t first = 0, last = times_.size() - 1;
    const auto infeasible = [&](size_t from, size_t to) {
      return Infeasible(times_[from], times_[to], Members(times_[from], times_[to]));
    };
    for (size_t low = first + 1; low < last && !Passed();) {
      const size_t middle = low + (last - low) / 2;
      if (infeasible(first, middle)) {
        last = middle;
      } else {
        low = middle + 1;
      }
    }
    for (size_t high = last - 1; first < high && !Passed();) {
      const size_t middle = high - (high - first) / 2;
      if (infeasible(middle, last)) {
        first = middle;
      } else {
        high = middle - 1;
      }
    }
    return {times_[first], times_[last]};
  }

  // Of buffers that all live at one time, as few as exceed the capacity.
  void KeepLargest(std::vector<size_t>* members) const {
    const auto size = [&](size_t i) { return problem_.buffers[i].size; };
    std::stable_sort(members->begin(), members->end(),
                     [&](size_t a, size_t b) { return size(a) > size(b); });
    int64_t sum = 0;
    size_t count = 0;
    while (sum <= problem_.capacity) sum += size((*members)[count++]);
    members->resize(count);
    std::sort(members->begin(), members->end());
  }

  // One by one, the smallest first.
  void DropMembers(InfeasibleWindow* window) const {
    std::vector<size_t> order = window->members;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return problem_.buffers[a].size < problem_.buffers[b].size;
    });
    for (const size_t i : order) {
      if (Passed()) return;
      std::vector<size_t> fewer = window->members;
      fewer.erase(std::find(fewer.begin(), fewer.end(), i));
      if (Infeasible(window->lower, window->upper, fewer)) window->members = std::move(fewer);
    }
  }

  const Problem& problem_;
  Options options_;
  std::vector<int64_t> times_;
};

}  // namespace

std::optional<InfeasibleWindow> SmallestInfeasibleWindow(const Problem& problem,
                                                         const Options& options) {
  if (Solve(problem, options).status != Status::kInfeasible) return std::nullopt;
  return Shrinker(problem, options).Run();
}

}  // namespace inlay::dsa
