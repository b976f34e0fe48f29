#include "inlay/io/timeloop/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/base/suggest.h"
#include "inlay/core/roles.h"
#include "inlay/io/timeloop/directives.h"
#include "inlay/io/timeloop/targets.h"

namespace inlay::io::timeloop {
namespace {

// A loop of a directive on its way to a core loop.
struct BoundLoop {
  LevelId level;
  DimId dim;
  Axis axis = Axis::kTime;
  int64_t end = 1, residual = 1;
};

std::string Text(int64_t end, int64_t residual) {
  return end == residual ? std::to_string(end) : fmt::format("{},{}", end, residual);
}

class Binder {
 public:
  Binder(const Problem& problem, const Architecture& architecture,
         const std::vector<Directive>& directives, const Node& section, bool own_fanouts)
      : problem_(problem),
        architecture_(architecture),
        directives_(directives),
        section_(section),
        own_fanouts_(own_fanouts),
        loops_(problem.dims.size()) {}

  Result<Mapping> Bind() {
    mapping_.levels.resize(architecture_.levels.size());
    KeepDefaults();
    const std::vector<BoundLoop> inner_first = CollectLoops();
    for (DimId d : Ids(problem_.dims)) CheckDimension(d);
    if (report_.errors.empty()) {
      Place(inner_first);
      CheckForm();
    }
    SortByPlace(&report_.errors);
    if (!report_.errors.empty()) return Fail(report_.errors);
    return std::move(mapping_);
  }

 private:
  // Everything is kept where nothing is said, except what a level may not hold.
  void KeepDefaults() {
    for (LevelId l : Ids(architecture_.levels)) {
      for (TensorId t : Ids(problem_.tensors)) {
        const KeepRule rule = KeepRuleOf(architecture_.levels[l], problem_.tensors[t].name);
        if (rule != KeepRule::kBypass) mapping_.levels[l].keep.insert(t);
      }
    }
  }

  // One level; several where a spatial directive spreads over containers, each with an axis of its
  // own.
  std::vector<LevelId> LevelsOf(const Directive& directive) {
    if (directive.type != Directive::Type::kSpatial) {
      const auto level = FindLevelTarget(architecture_, *directive.target, &report_);
      return level ? std::vector<LevelId>{*level} : std::vector<LevelId>();
    }
    const size_t before = report_.errors.size();
    auto levels = FindFanoutTargets(architecture_, *directive.target, own_fanouts_, &report_);
    if (report_.errors.size() > before) return {};
    const bool trivial = std::all_of(directive.factors.begin(), directive.factors.end(),
                                     [](const WrittenFactor& factor) { return factor.end == 1; });
    if (levels.empty() && !trivial) {
      report_.Error(*directive.target,
                    fmt::format("there is no fan-out below '{}'", directive.target->text),
                    "the next inner level has as many instances as this one");
    }
    if (levels.size() > 1 && !HaveOwnAxes(levels)) {
      report_.Error(*directive.target,
                    fmt::format("below '{}' are the fan-outs of {} containers that share an axis",
                                directive.target->text, levels.size()),
                    fmt::format("write one directive per container: '{}', …",
                                architecture_.levels[levels.front()].name));
      return {};
    }
    return levels;
  }

  bool HaveOwnAxes(const std::vector<LevelId>& levels) const {
    int x = 0, y = 0;
    for (const LevelId level : levels) {
      x += architecture_.levels[level].fanout.x > 1 ? 1 : 0;
      y += architecture_.levels[level].fanout.y > 1 ? 1 : 0;
    }
    return x <= 1 && y <= 1;
  }

  // All loops of more than one step, innermost first: by level, spatial before temporal.
  std::vector<BoundLoop> CollectLoops() {
    struct Use {
      const Directive* directive;
      bool shared;  // with other containers: take the loops on this level's own axes only
    };
    std::map<std::pair<size_t, Directive::Type>, Use> by_level;
    for (const Directive& directive : directives_) {
      const auto levels = LevelsOf(directive);
      for (const LevelId level : levels) {
        const auto [first, is_new] = by_level.emplace(std::pair(level.value(), directive.type),
                                                      Use{&directive, levels.size() > 1});
        if (!is_new) {
          report_.Error(*directive.node,
                        fmt::format("a second directive of this type for '{}'; the first is at {}",
                                    architecture_.levels[level].name,
                                    first->second.directive->node->PlaceSeenFrom(*directive.node)),
                        "write one of them");
        } else if (directive.type == Directive::Type::kTensors) {
          SetTensors(level, directive);
        }
      }
    }
    std::vector<BoundLoop> loops;
    for (size_t l = architecture_.levels.size(); l-- > 0;) {
      for (const auto type : {Directive::Type::kSpatial, Directive::Type::kTemporal}) {
        const auto found = by_level.find({l, type});
        if (found == by_level.end()) continue;
        AddLoops(LevelId(l), *found->second.directive, found->second.shared, &loops);
      }
    }
    // Pointers into `loops` are safe from here on.
    for (BoundLoop& loop : loops) loops_[loop.dim].push_back(&loop);
    return loops;
  }

  void SetTensors(LevelId level, const Directive& directive) {
    TensorSet& kept = mapping_.levels[level].keep;
    const auto find = [&](const std::string& name) {
      const auto tensor = TensorOfMapping(problem_, name);
      if (!tensor) {
        report_.Error(*directive.node, fmt::format("'{}' is not a data space of the problem", name),
                      SuggestionHint(name, TensorNames(problem_)));
      }
      return tensor;
    };
    for (const std::string& name : directive.keep) {
      if (const auto tensor = find(name)) kept.insert(*tensor);
    }
    for (const std::string& name : directive.bypass) {
      const auto tensor = find(name);
      if (!tensor) continue;
      kept.erase(*tensor);
      if (std::find(directive.keep.begin(), directive.keep.end(), name) != directive.keep.end()) {
        report_.Error(*directive.node, fmt::format("'{}' is both kept and bypassed", name));
      }
    }
  }

  // The dimensions innermost first: those of the permutation, then the others in their order.
  std::vector<DimId> OrderOf(const Directive& directive) {
    std::vector<DimId> order;
    if (directive.permutation != nullptr) {
      for (const std::string& name :
           ReadPermutation(*directive.permutation, DimNames(problem_), &report_)) {
        if (const auto dim = FindDim(problem_, name)) {
          order.push_back(*dim);
        } else {
          report_.Error(*directive.permutation,
                        fmt::format("'{}' is not a dimension of the problem", name),
                        SuggestionHint(name, DimNames(problem_)));
        }
      }
    }
    for (DimId d : Ids(problem_.dims)) {
      if (std::find(order.begin(), order.end(), d) == order.end()) order.push_back(d);
    }
    return order;
  }

  void AddLoops(LevelId level, const Directive& directive, bool shared,
                std::vector<BoundLoop>* loops) {
    const Fanout& fanout = architecture_.levels[level].fanout;
    const std::vector<DimId> order = OrderOf(directive);
    const int64_t split = directive.split.value_or(static_cast<int64_t>(order.size()));
    std::map<DimId, const WrittenFactor*> factors;
    for (const WrittenFactor& factor : directive.factors) {
      if (const auto dim = FindDim(problem_, factor.dim)) {
        factors[*dim] = &factor;
      } else {
        report_.Error(*directive.factors_node,
                      fmt::format("'{}' is not a dimension of the problem", factor.dim),
                      SuggestionHint(factor.dim, DimNames(problem_)));
      }
    }
    for (size_t i = 0; i < order.size(); ++i) {
      const auto found = factors.find(order[i]);
      if (found == factors.end()) continue;
      const WrittenFactor& factor = *found->second;
      if (!CheckFactor(factor, directive) || factor.end == 1) continue;
      Axis axis = Axis::kTime;
      if (directive.type == Directive::Type::kSpatial) {
        axis = static_cast<int64_t>(i) < split ? Axis::kX : Axis::kY;
      }
      if (shared && (axis == Axis::kX ? fanout.x : fanout.y) == 1) continue;
      loops->push_back({level, order[i], axis, factor.end, factor.residual});
    }
  }

  bool CheckFactor(const WrittenFactor& factor, const Directive& directive) {
    if (factor.relation != Relation::kEqual) {
      report_.Error(*directive.factors_node,
                    fmt::format("the factor of '{}' is a bound; a mapping needs the number itself",
                                factor.dim),
                    fmt::format("write '{}={}'", factor.dim, factor.end));
      return false;
    }
    if (factor.end > 0 && (factor.residual < 1 || factor.residual > factor.end)) {
      report_.Error(*directive.factors_node,
                    fmt::format("the residual of '{}={},{}' is not in 1 … {}", factor.dim,
                                factor.end, factor.residual, factor.end));
      return false;
    }
    return true;
  }

  // A factor 0 stands for what the other loops of the dimension leave.
  bool FillRest(DimId dim) {
    BoundLoop* rest = nullptr;
    std::optional<int64_t> others = 1;
    for (BoundLoop* loop : loops_[dim]) {
      if (loop->end != 0) {
        if (others) others = CheckedMultiply(*others, loop->end);
      } else if (rest != nullptr) {
        report_.Error(section_,
                      fmt::format("dimension '{}' has two factors 0", problem_.dims[dim].name));
        return false;
      } else {
        rest = loop;
      }
    }
    if (rest == nullptr) return true;
    const int64_t bound = problem_.dims[dim].bound;
    if (!others || bound % *others != 0) {
      report_.Error(section_, fmt::format("the factor 0 of '{}' would be {} / {}, which is not a "
                                          "whole number",
                                          problem_.dims[dim].name, bound, others.value_or(0)));
      return false;
    }
    rest->end = rest->residual = bound / *others;
    return true;
  }

  // The loops of a dimension must cover its bound, as Timeloop counts: with the last pass of every
  // loop, (…((r_n − 1)·e_{n−1} + r_{n−1} − 1)·… + r_1 − 1) + 1.
  void CheckDimension(DimId dim) {
    if (!FillRest(dim)) return;
    const Dimension& dimension = problem_.dims[dim];
    const std::vector<BoundLoop*>& inner_first = loops_[dim];
    std::optional<int64_t> covered = 0;
    bool imperfect = false;
    std::string factors, sum = "0";
    for (auto loop = inner_first.rbegin(); loop != inner_first.rend(); ++loop) {
      const int64_t end = (*loop)->end, residual = (*loop)->residual;
      covered = covered ? CheckedMultiply(*covered, end) : std::nullopt;
      covered = covered ? CheckedAdd(*covered, residual - 1) : std::nullopt;
      imperfect = imperfect || end != residual;
      factors += (factors.empty() ? "" : " · ") + Text(end, residual);
      sum = sum == "0" ? std::to_string(residual - 1)
                       : fmt::format("({})·{} + {}", sum, end, residual - 1);
    }
    if (factors.empty()) factors = "1";
    if (!covered || *covered + 1 != dimension.bound) {
      const std::string result = covered ? std::to_string(*covered + 1) : "too many";
      report_.Error(
          section_,
          fmt::format("the factors of '{}' make {}{} = {} iterations, not {}", dimension.name,
                      factors, imperfect ? fmt::format(" → {} + 1", sum) : "", result,
                      dimension.bound),
          fmt::format("outer to inner, the loops over '{}' must cover its size", dimension.name));
      return;
    }
    if (!inner_first.empty() && inner_first.back()->end != inner_first.back()->residual) {
      const BoundLoop& outermost = *inner_first.back();
      report_.Error(
          section_,
          fmt::format("the outermost loop over '{}', at '{}', has factor {}: it runs only "
                      "once, so it has no shorter last pass",
                      dimension.name, architecture_.levels[outermost.level].name,
                      Text(outermost.end, outermost.residual)),
          fmt::format("write '{}={}'", dimension.name, outermost.residual));
    }
  }

  // The step of a loop is what the loops inside it cover; core wants them outer to inner.
  void Place(const std::vector<BoundLoop>& inner_first) {
    IndexedVector<DimId, int64_t> steps(problem_.dims.size(), 1);
    for (const BoundLoop& loop : inner_first) {
      if (loop.end == 1) continue;  // a factor 0 that leaves nothing
      LevelMapping& level = mapping_.levels[loop.level];
      auto& place = loop.axis == Axis::kTime ? level.temporal : level.spatial;
      place.push_back({loop.dim, steps[loop.dim], loop.axis});
      // Past the outermost loop, whose step is not needed, it may exceed 64 bits.
      steps[loop.dim] = CheckedMultiply(steps[loop.dim], loop.end).value_or(0);
    }
    for (LevelMapping& level : mapping_.levels) {
      std::reverse(level.temporal.begin(), level.temporal.end());
      std::reverse(level.spatial.begin(), level.spatial.end());
    }
  }

  // What core finds wrong, at the last directive of the level it is about.
  void CheckForm() {
    for (Fault& fault : Validate(problem_, architecture_, mapping_)) {
      const Node* at = &section_;
      for (const Directive& directive : directives_) {
        const std::string where = "levels." + directive.target->text;
        if (fault.where == where || fault.where.starts_with(where + ".")) at = directive.node;
      }
      report_.Error(*at, std::move(fault.message), std::move(fault.hint));
    }
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const std::vector<Directive>& directives_;
  const Node& section_;
  bool own_fanouts_;
  Report report_;
  Mapping mapping_;
  IndexedVector<DimId, std::vector<BoundLoop*>> loops_;  // innermost first
};

}  // namespace

MappingBinder ReadMapping(std::shared_ptr<const Sections> sections, bool own_fanouts,
                          Report* report) {
  const Node& section = *sections->mapping;
  auto directives = ReadDirectives(section, report);
  return [sections = std::move(sections), directives = std::move(directives), own_fanouts](
             const Problem& problem, const Architecture& architecture) {
    return Binder(problem, architecture, directives, *sections->mapping, own_fanouts).Bind();
  };
}

}  // namespace inlay::io::timeloop
