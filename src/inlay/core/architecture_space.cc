#include "inlay/core/architecture_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace inlay {
namespace {

void Set(const FreeAttribute& attribute, int64_t value, Architecture* architecture) {
  Level& level = architecture->levels[attribute.level];
  switch (attribute.kind) {
    case FreeAttribute::Kind::kCapacityWords:
      level.capacity_words = value;
      break;
    case FreeAttribute::Kind::kFanoutX:
      level.fanout.x = value;
      break;
    case FreeAttribute::Kind::kFanoutY:
      level.fanout.y = value;
      break;
  }
}

int64_t SramWords(const Architecture& architecture) {
  int64_t words = 0;
  for (LevelId l : Ids(architecture.levels)) {
    const Level& level = architecture.levels[l];
    const int64_t instances = Instances(architecture, l);
    if (level.kind == MemoryKind::kSram) words += instances * level.capacity_words.value_or(0);
    for (const Partition& part : level.partitions) {
      if (part.kind.value_or(level.kind) != MemoryKind::kSram) continue;
      words += instances * part.capacity_words.value_or(0);
    }
  }
  return words;
}

class Lister {
 public:
  explicit Lister(const ArchitectureSpace& space) : space_(space) {
    current_.architecture = space.base;
    current_.values.assign(space.free.size(), 1);
  }

  tl::expected<std::vector<ArchitectureChoice>, Faults> Run() {
    Choose(0);
    if (!choices_.empty()) return std::move(choices_);
    Faults faults;
    const Budget& budget = space_.budget;
    if (budget.area_um2 && least_area_ > *budget.area_um2) {
      faults.push_back(
          {"budget.area",
           fmt::format("an area of {:.0f} um2 is too small: the smallest architecture "
                       "takes {:.0f} um2",
                       *budget.area_um2, std::ceil(least_area_)),
           fmt::format("allow {:.0f} um2, or smaller memories", std::ceil(least_area_))});
    }
    if (budget.sram_words && least_sram_ > *budget.sram_words) {
      faults.push_back(
          {"budget.sram",
           fmt::format("{} words of SRAM are too few: the smallest architecture has {}",
                       *budget.sram_words, least_sram_),
           fmt::format("allow {} words, or smaller memories", least_sram_)});
    }
    if (faults.empty()) {
      faults.push_back({"budget", "no architecture keeps to all budgets at once",
                        "raise one of them, or allow smaller memories"});
    }
    return tl::unexpected(std::move(faults));
  }

 private:
  void Choose(size_t i) {
    if (i == space_.free.size()) return Finish();
    const FreeAttribute& attribute = space_.free[i];
    const std::vector<int64_t> one = {1};
    for (const int64_t value : attribute.values.empty() ? one : attribute.values) {
      current_.values[i] = value;
      Set(attribute, value, &current_.architecture);
      Choose(i + 1);
    }
  }

  void Finish() {
    FillArea();
    current_.area_um2 = AreaUm2(current_.architecture);
    const int64_t sram = SramWords(current_.architecture);
    least_sram_ = std::min(least_sram_, sram);
    least_area_ = std::min(least_area_, current_.area_um2.value_or(0));
    const Budget& budget = space_.budget;
    if (budget.area_um2 && current_.area_um2.value_or(0) > *budget.area_um2) return;
    if (budget.sram_words && sram > *budget.sram_words) return;
    choices_.push_back(current_);
  }

  // The area grows by the same amount with every lane.
  void FillArea() {
    for (size_t i = 0; i < space_.free.size(); ++i) {
      const FreeAttribute& attribute = space_.free[i];
      if (!attribute.values.empty()) continue;
      Set(attribute, 1, &current_.architecture);
      const double one = AreaUm2(current_.architecture).value_or(0);
      Set(attribute, 2, &current_.architecture);
      const double more = AreaUm2(current_.architecture).value_or(0) - one;
      const double left = space_.budget.area_um2.value_or(one) - one;
      int64_t lanes = 1;
      if (more > 0 && left > 0) lanes += static_cast<int64_t>(std::floor(left / more));
      Set(attribute, lanes, &current_.architecture);
      // The division may have rounded up.
      if (lanes > 1 && AreaUm2(current_.architecture).value_or(0) > *space_.budget.area_um2) {
        Set(attribute, --lanes, &current_.architecture);
      }
      current_.values[i] = lanes;
    }
  }

  const ArchitectureSpace& space_;
  ArchitectureChoice current_;
  std::vector<ArchitectureChoice> choices_;
  double least_area_ = std::numeric_limits<double>::infinity();
  int64_t least_sram_ = std::numeric_limits<int64_t>::max();
};

}  // namespace

std::vector<int64_t> PowersOfTwo(int64_t min, int64_t max) {
  std::vector<int64_t> powers;
  int64_t power = 1;
  while (power < min) power *= 2;
  for (; power <= max; power *= 2) {
    powers.push_back(power);
    if (power > std::numeric_limits<int64_t>::max() / 2) break;
  }
  return powers;
}

Faults Validate(const ArchitectureSpace& space) {
  Faults faults;
  size_t filling = 0;
  for (const FreeAttribute& attribute : space.free) {
    const bool below = std::any_of(attribute.values.begin(), attribute.values.end(),
                                   [](int64_t value) { return value < 1; });
    if (below) faults.push_back({attribute.name, "the values must be whole numbers from 1", ""});
    if (!attribute.values.empty()) continue;
    ++filling;
    if (attribute.kind == FreeAttribute::Kind::kCapacityWords) {
      faults.push_back({attribute.name, "'" + attribute.name + "' has no values to choose from",
                        "only a fan-out can take what the area leaves"});
    }
  }
  if (filling > 1) {
    faults.push_back(
        {"levels", "two fan-outs are to take what the area leaves", "give values for one of them"});
  }
  const bool needs_area = filling > 0 || space.budget.area_um2;
  if (filling > 0 && !space.budget.area_um2) {
    faults.push_back({"budget.area", "there is no area that a fan-out could fill", "give one"});
  }
  if (needs_area && !space.base.technology) {
    faults.push_back({"technology", "without a technology there are no areas", "name one"});
  }
  return faults;
}

tl::expected<std::vector<ArchitectureChoice>, Faults> ListArchitectures(
    const ArchitectureSpace& space) {
  return Lister(space).Run();
}

}  // namespace inlay
