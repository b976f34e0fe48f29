#include "inlay/io/native/bind_mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/suggest.h"
#include "inlay/core/roles.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

class Binder {
 public:
  Binder(const WrittenMapping& written, const Problem& problem, const Architecture& architecture)
      : written_(written), problem_(problem), architecture_(architecture), places_(written.root) {
    mapping_.levels.resize(architecture.levels.size());
    named_.resize(architecture.levels.size());
    for (const Dimension& dim : problem.dims) {
      ranges_.push_back({dim.bound, nullptr});
      // Where a loop is missing: below the last line, unless the dimension has a loop.
      if (!written.root.items.empty()) places_.Set("dims." + dim.name, written.root.items.back());
    }
  }

  Result<Mapping> Bind() && {
    for (size_t i = 0; i < written_.lines.size(); ++i) {
      if (diagnostics_.size() >= kMostErrors) break;
      line_ = &written_.lines[i];
      node_ = &written_.root.items[i];
      BindLine();
    }
    if (diagnostics_.size() < kMostErrors) {
      ExpectLevelsUpTo(architecture_.levels.size(), written_.root);
      places_.Report(WhatCoreFinds(), &diagnostics_);
    }
    if (diagnostics_.empty() && loops_complete_ && keeps_complete_) return std::move(mapping_);
    SortByPlace({}, &diagnostics_);
    return Fail(std::move(diagnostics_));
  }

 private:
  struct Range {
    std::optional<int64_t> size;  // nullopt: not known, because a loop outside is wrong
    const Node* loop = nullptr;   // whose step it is; null: the bound
  };

  void Add(const WrittenName& name, std::string message, std::string hint = "") {
    diagnostics_.push_back(ErrorInside(*node_, {name.offset, std::move(message), std::move(hint)}));
  }

  void BindLine() {
    switch (line_->kind) {
      case MappingLine::Kind::kKeep:
        return BindKeep();
      case MappingLine::Kind::kLoop:
        return BindLoop();
      case MappingLine::Kind::kBrokenKeep:
        return SkipKeep();
      case MappingLine::Kind::kBrokenLoop:
        return SkipLoop();
    }
  }

  // A broken line that may have named a level.
  void SkipKeep() {
    keeps_complete_ = false;
    const auto level = FindLevel(architecture_, line_->level.text);
    in_unknown_level_ = !level || level->value() < next_level_;
    unknown_levels_ = unknown_levels_ || !level;
    if (in_unknown_level_) return;
    next_level_ = level->value() + 1;
    level_ = *level;
    named_[level->value()] = true;
  }

  // A broken loop: the ranges inside it are not known.
  void SkipLoop() {
    loops_complete_ = false;
    const auto dim = FindDim(problem_, line_->dim.text);
    for (DimId d : Ids(ranges_)) {
      if (!dim || *dim == d) ranges_[d].size = std::nullopt;
    }
  }

  // Core's faults, without those that may only follow from lines that could not be used. The steps
  // of loops have been checked here.
  Faults WhatCoreFinds() const {
    Faults faults;
    for (Fault& fault : Validate(problem_, architecture_, mapping_)) {
      const bool of_loop = fault.where.ends_with(']');
      const bool of_loops = fault.where.starts_with("dims.") ||
                            fault.message.find(" lanes are ") != std::string::npos;
      if (of_loop || !(of_loops ? loops_complete_ : keeps_complete_)) continue;
      faults.push_back(std::move(fault));
    }
    return faults;
  }

  // Levels [next_level_, end) have no line.
  void ExpectLevelsUpTo(size_t end, const Node& where) {
    // A level that is not known may stand for one that is missing.
    if (unknown_levels_) next_level_ = std::max(next_level_, end);
    if (next_level_ < end) loops_complete_ = keeps_complete_ = false;
    for (; next_level_ < end; ++next_level_) {
      const std::string& name = architecture_.levels[LevelId(next_level_)].name;
      diagnostics_.push_back(
          where.Error(fmt::format("the mapping does not mention level '{}'", name),
                      fmt::format("say what it holds, for example '{} keeps all'; every level "
                                  "has a line, outer to inner",
                                  name)));
    }
  }

  // Tensors that enter the level inside the loops written so far.
  void BindAlsoKeeps() {
    const auto level = FindLevel(architecture_, line_->level.text);
    if (!level || in_unknown_level_) {
      keeps_complete_ = false;
      if (level || !unknown_names_.insert(line_->level.text).second) return;  // said already
      return Add(line_->level, fmt::format("the architecture has no level '{}'", line_->level.text),
                 SuggestionHint(line_->level.text, LevelNames(architecture_)));
    }
    const auto refuse = [&](std::string message, std::string hint) {
      keeps_complete_ = false;
      Add(line_->level, std::move(message), std::move(hint));
    };
    if (level != level_) {
      return refuse(fmt::format("'{} also keeps' does not stand among the loops of '{}'",
                                line_->level.text, line_->level.text),
                    "it follows temporal loops of the level named by the 'keeps' line above them");
    }
    LevelMapping& here = mapping_.levels[*level];
    if (!here.spatial.empty()) {
      return refuse(fmt::format("'{} also keeps' stands inside 'parallel'", line_->level.text),
                    "tensors enter a level between its temporal loops");
    }
    if (here.temporal.empty()) {
      if (!loops_complete_) {
        keeps_complete_ = false;  // a loop that is wrong may have stood there
        return;
      }
      return refuse(
          fmt::format("no loop stands between '{}' and its 'also keeps'", line_->level.text),
          "list the tensors in the line of the level");
    }
    const TensorSet before = here.keep;
    KeepTensors(&here);
    for (TensorId t : Ids(problem_.tensors)) {
      if (!here.keep.contains(t) || before.contains(t)) continue;
      here.late.push_back({t, here.temporal.size()});
    }
    std::sort(here.late.begin(), here.late.end(),
              [](const LateEntry& a, const LateEntry& b) { return a.tensor < b.tensor; });
  }

  void BindKeep() {
    if (line_->also) return BindAlsoKeeps();
    const auto level = FindLevel(architecture_, line_->level.text);
    in_unknown_level_ = !level;
    if (!level) {
      keeps_complete_ = false;
      unknown_levels_ = true;
      if (!unknown_names_.insert(line_->level.text).second) return;
      return Add(line_->level, fmt::format("the architecture has no level '{}'", line_->level.text),
                 SuggestionHint(line_->level.text, LevelNames(architecture_)));
    }
    if (level->value() < next_level_) {
      in_unknown_level_ = true;  // the level of the next loops is unknown
      keeps_complete_ = false;
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
    KeepTensors(&mapping_.levels[*level]);
  }

  void KeepTensors(LevelMapping* level) {
    TensorSet& keep = level->keep;
    if (line_->keeps_all) keep = TensorSet::FirstN(problem_.tensors.size());
    for (const WrittenName& name : line_->tensors) {
      const auto tensor = TensorOfMapping(problem_, name.text);
      if (!tensor) {
        keeps_complete_ = false;
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
      loops_complete_ = false;
      Add(line_->dim, fmt::format("the problem has no dimension '{}'", line_->dim.text),
          SuggestionHint(line_->dim.text, DimNames(problem_)));
    } else {
      CheckRange(*dim);
    }
    if (in_unknown_level_) {
      loops_complete_ = false;
      return;
    }
    if (!level_) {
      loops_complete_ = false;
      return Add({"", 0}, "a loop stands above the first level",
                 "a loop belongs to the level named above it");
    }
    LevelMapping& level = mapping_.levels[*level_];
    const bool parallel = line_->axis != Axis::kTime;
    if (!parallel && !level.spatial.empty()) {
      loops_complete_ = false;
      Add({"", 0},
          fmt::format("'for' after 'parallel' in level '{}'", architecture_.levels[*level_].name),
          "the parallel loops of a level are its innermost ones");
    }
    if (parallel) CheckFanout();
    if (!dim) return;
    std::vector<Loop>& loops = parallel ? level.spatial : level.temporal;
    places_.Set("dims." + line_->dim.text, *node_);
    if (parallel) {
      places_.Set(fmt::format("levels.{}.{}", architecture_.levels[*level_].name,
                              line_->axis == Axis::kX ? "x" : "y"),
                  *node_);
    }
    loops.push_back({*dim, line_->step, line_->axis});
  }

  void CheckRange(DimId dim) {
    Range& range = ranges_[dim];
    if (range.size && line_->range != *range.size) {
      const std::string from =
          range.loop == nullptr ? std::string("its bound")
                                : fmt::format("the step of the loop in line {}", range.loop->line);
      Add({"", line_->range_offset},
          fmt::format("the range of '{}' is {} here, not {}", line_->dim.text, *range.size,
                      line_->range),
          fmt::format("{} is {}", *range.size, from));
    }
    if (const int64_t here = range.size.value_or(line_->range); line_->step > here) {
      Add({"", 0},
          fmt::format("the step of '{}' is {}, larger than its range {}", line_->dim.text,
                      line_->step, here),
          "a tile cannot be larger than its parent");
      range = {std::nullopt, node_};  // the next loop may be right with either of them
      return;
    }
    range = {line_->step, node_};
  }

  // The fan-out of a parallel loop is the one below the loop's level.
  void CheckFanout() {
    const Level& level = architecture_.levels[*level_];
    const std::string& name = line_->fanout.text;
    if (name == FanoutName(architecture_, *level_)) return;
    loops_complete_ = false;
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
  bool in_unknown_level_ = false;
  bool unknown_levels_ = false;  // there were any
  std::set<std::string> unknown_names_;
  // Whether every line has found its place in mapping_: faults of the whole are true only then.
  bool loops_complete_ = true, keeps_complete_ = true;
};

}  // namespace

Result<Mapping> BindMapping(const WrittenMapping& written, const Problem& problem,
                            const Architecture& architecture) {
  return Binder(written, problem, architecture).Bind();
}

}  // namespace inlay::io
