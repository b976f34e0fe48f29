#include "inlay/io/native/bind_mapping.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/suggest.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

class Binder {
 public:
  Binder(const WrittenMapping& written, const Problem& problem, const Architecture& architecture)
      : written_(written), problem_(problem), architecture_(architecture), places_(written.root) {
    mapping_.levels.resize(architecture.levels.size());
    named_.resize(architecture.levels.size());
    for (const Dimension& dim : problem.dims) ranges_.push_back({dim.bound, nullptr});
  }

  Result<Mapping> Bind() && {
    for (size_t i = 0; i < written_.lines.size(); ++i) {
      line_ = &written_.lines[i];
      node_ = &written_.root.items[i];
      if (line_->kind == MappingLine::Kind::kKeep) {
        BindKeep();
      } else {
        BindLoop();
      }
    }
    ExpectLevelsUpTo(architecture_.levels.size(), written_.root);
    if (diagnostics_.empty()) {
      places_.Report(Validate(problem_, architecture_, mapping_), &diagnostics_);
    }
    if (diagnostics_.empty()) return std::move(mapping_);
    SortByPlace({}, &diagnostics_);
    return Fail(std::move(diagnostics_));
  }

 private:
  struct Range {
    int64_t size = 1;
    const Node* loop = nullptr;  // whose step it is; null: the bound
  };

  void Add(const WrittenName& name, std::string message, std::string hint = "") {
    diagnostics_.push_back(ErrorInside(*node_, {name.offset, std::move(message), std::move(hint)}));
  }

  // Levels [next_level_, end) have no line.
  void ExpectLevelsUpTo(size_t end, const Node& where) {
    for (; next_level_ < end; ++next_level_) {
      const std::string& name = architecture_.levels[LevelId(next_level_)].name;
      diagnostics_.push_back(
          where.Error(fmt::format("the mapping does not mention level '{}'", name),
                      fmt::format("say what it holds, for example '{} keeps all'; every level "
                                  "has a line, outer to inner",
                                  name)));
    }
  }

  void BindKeep() {
    const auto level = FindLevel(architecture_, line_->level.text);
    if (!level) {
      return Add(line_->level, fmt::format("the architecture has no level '{}'", line_->level.text),
                 SuggestionHint(line_->level.text, LevelNames(architecture_)));
    }
    if (level->value() < next_level_) {
      return Add(
          line_->level,
          named_[level->value()]
              ? fmt::format("level '{}' is named twice", line_->level.text)
              : fmt::format("level '{}' must stand above the levels inside it", line_->level.text),
          "levels are named once each, outer to inner");
    }
    ExpectLevelsUpTo(level->value(), *node_);
    next_level_ = level->value() + 1;
    level_ = *level;
    named_[level->value()] = true;
    places_.Set("levels." + line_->level.text, *node_);
    TensorSet& keep = mapping_.levels[*level].keep;
    if (line_->keeps_all) keep = TensorSet::FirstN(problem_.tensors.size());
    for (const WrittenName& name : line_->tensors) {
      const auto tensor = FindTensor(problem_, name.text);
      if (!tensor) {
        Add(name, fmt::format("the problem has no tensor '{}'", name.text),
            SuggestionHint(name.text, TensorNames(problem_)));
      } else if (keep.contains(*tensor)) {
        Add(name, fmt::format("tensor '{}' is listed twice", name.text));
      } else {
        keep.insert(*tensor);
      }
    }
  }

  void BindLoop() {
    const auto dim = FindDim(problem_, line_->dim.text);
    if (!dim) {
      Add(line_->dim, fmt::format("the problem has no dimension '{}'", line_->dim.text),
          SuggestionHint(line_->dim.text, DimNames(problem_)));
    } else {
      CheckRange(*dim);
    }
    if (!level_) {
      return Add({"", 0}, "a loop stands above the first level",
                 "a loop belongs to the level named above it");
    }
    LevelMapping& level = mapping_.levels[*level_];
    const bool parallel = line_->axis != Axis::kTime;
    if (!parallel && !level.spatial.empty()) {
      Add({"", 0},
          fmt::format("'for' after 'parallel' in level '{}'", architecture_.levels[*level_].name),
          "the parallel loops of a level are its innermost ones");
    }
    if (parallel) CheckFanout();
    if (!dim) return;
    std::vector<Loop>& loops = parallel ? level.spatial : level.temporal;
    places_.Set(fmt::format("levels.{}.{}[{}]", architecture_.levels[*level_].name,
                            parallel ? "spatial" : "temporal", loops.size()),
                *node_);
    loops.push_back({*dim, line_->step, line_->axis});
  }

  void CheckRange(DimId dim) {
    Range& range = ranges_[dim];
    if (line_->range != range.size) {
      const std::string from =
          range.loop == nullptr ? std::string("its bound")
                                : fmt::format("the step of the loop in line {}", range.loop->line);
      Add({"", line_->range_offset},
          fmt::format("the range of '{}' is {} here, not {}", line_->dim.text, range.size,
                      line_->range),
          fmt::format("{} is {}", range.size, from));
    }
    range = {line_->step, node_};
  }

  // The fan-out of a parallel loop is the one below the loop's level.
  void CheckFanout() {
    const Level& level = architecture_.levels[*level_];
    const std::string& name = line_->fanout.text;
    if (name == FanoutName(architecture_, *level_)) return;
    std::vector<std::string> names;
    for (LevelId l : Ids(architecture_.levels)) {
      if (architecture_.levels[l].fanout == Fanout()) continue;
      names.push_back(FanoutName(architecture_, l));
      if (names.back() != name) continue;
      return Add(line_->fanout,
                 fmt::format("fan-out '{}' is below '{}', not below '{}'", name,
                             architecture_.levels[l].name, level.name),
                 "a parallel loop belongs to the level named above it");
    }
    Add(line_->fanout, fmt::format("the architecture has no fan-out '{}'", name),
        SuggestionHint(name, names));
  }

  const WrittenMapping& written_;
  const Problem& problem_;
  const Architecture& architecture_;
  Places places_;
  Diagnostics diagnostics_;
  Mapping mapping_;
  IndexedVector<DimId, Range> ranges_;
  const MappingLine* line_ = nullptr;
  const Node* node_ = nullptr;
  std::vector<bool> named_;       // by level
  std::optional<LevelId> level_;  // the last one named
  size_t next_level_ = 0;         // the first one not named yet
};

}  // namespace

Result<Mapping> BindMapping(const WrittenMapping& written, const Problem& problem,
                            const Architecture& architecture) {
  return Binder(written, problem, architecture).Bind();
}

}  // namespace inlay::io
