#include "inlay/scratchpad/dsa/instance.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace inlay::dsa {
namespace {

struct Scale {
  int64_t unit = 1;
  // Where all alignments are the same, sizes can be rounded up to it: no buffer can use
  // the bytes between the end of another one and the next multiple.
  int64_t round = 1;
};

Scale ScaleOf(const std::vector<Buffer>& buffers) {
  Scale scale{0, 0};
  for (const Buffer& b : buffers) {
    if (!TakesRoom(b)) continue;
    if (scale.round == 0) scale.round = b.alignment;
    if (scale.round != b.alignment) scale.round = 1;
  }
  scale.round = std::max<int64_t>(scale.round, 1);
  for (const Buffer& b : buffers) {
    if (!TakesRoom(b)) continue;
    // Buffers that rest on others start at sums of sizes, rounded to alignments; so everything is a
    // multiple of the unit.
    scale.unit = std::gcd(scale.unit, AlignUp(b.size, scale.round));
    if (b.alignment > 1) scale.unit = std::gcd(scale.unit, b.alignment);
    if (b.fixed) scale.unit = std::gcd(scale.unit, *b.fixed);
  }
  scale.unit = std::max<int64_t>(scale.unit, 1);
  return scale;
}

Item MakeItem(const Buffer& b, size_t index, int64_t capacity, const Scale& scale) {
  Item item;
  item.buffer = index;
  item.size = AlignUp(b.size, scale.round) / scale.unit;
  item.alignment = std::max<int64_t>(1, b.alignment / scale.unit);
  const int64_t room = capacity - b.size;  // may be negative: then there is no start
  item.max_start = room < 0 ? -1 : room / scale.unit;
  if (b.fixed) {
    item.min_start = *b.fixed / scale.unit;
    item.max_start = std::min(item.max_start, item.min_start);
  }
  return item;
}

// Collects the sections of a sweep over time.
class Sweep {
 public:
  Sweep(const Problem& problem, bool split)
      : problem_(problem), split_(split), scale_(ScaleOf(problem.buffers)) {}

  std::vector<Instance> Run() {
    std::vector<std::tuple<int64_t, bool, size_t>> events;  // at equal times, ends come first
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const Buffer& b = problem_.buffers[i];
      if (!TakesRoom(b)) continue;
      events.emplace_back(b.lower, true, i);
      events.emplace_back(b.upper, false, i);
    }
    std::sort(events.begin(), events.end());
    item_of_.resize(problem_.buffers.size());
    bool grown = false;  // since the last section
    for (const auto& [time, starts, buffer] : events) {
      if (starts) {
        Start(buffer);
      } else {
        if (grown) ++part().sections;
        End(buffer);
      }
      grown = starts;
    }
    return std::move(parts_);
  }

 private:
  Instance& part() { return parts_.back(); }

  void Start(size_t buffer) {
    if (parts_.empty() || (split_ && live_ == 0)) {
      parts_.emplace_back();
      part().unit = scale_.unit;
      part().capacity = AlignUp(problem_.capacity, scale_.round) / scale_.unit;
    }
    item_of_[buffer] = ItemId(part().items.size());
    part().items.push_back(MakeItem(problem_.buffers[buffer], buffer, problem_.capacity, scale_));
    part().items.back().first = SectionId(part().sections);
    part().pairs += live_++;
  }

  // The last section was closed before the first end after it.
  void End(size_t buffer) {
    part().items[item_of_[buffer]].last = SectionId(part().sections - 1);
    --live_;
  }

  const Problem& problem_;
  bool split_;
  Scale scale_;
  std::vector<Instance> parts_;
  std::vector<ItemId> item_of_;
  int64_t live_ = 0;  // how many
};

}  // namespace

int64_t EndUnit(const std::vector<Buffer>& buffers) {
  const Scale scale = ScaleOf(buffers);
  return scale.round == 1 ? scale.unit : 1;
}

std::vector<Instance> Reduce(const Problem& problem, bool split) {
  return Sweep(problem, split).Run();
}

}  // namespace inlay::dsa
