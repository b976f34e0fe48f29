#include "inlay/io/timeloop/loop_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/core/roles.h"
#include "inlay/io/timeloop/targets.h"

namespace inlay::io::timeloop {
namespace {

using Names = std::vector<std::string>;

Names First(const Names& names, int64_t count) {
  return {names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)};
}

// Those that the problem has.
Names Known(const Problem& problem, const Names& names) {
  Names known;
  for (const std::string& name : names) {
    if (FindConstrainedDim(problem, name)) known.push_back(name);
  }
  return known;
}

Names Last(const Names& names, int64_t count) {
  return {names.end() - static_cast<std::ptrdiff_t>(count), names.end()};
}

// Whether the constraint leaves a dimension any lanes.
bool MayUnroll(const Problem& problem, DimId dim, const Constraint& constraint) {
  if (problem.dims[dim].bound == 1) return false;
  return std::none_of(constraint.factors.begin(), constraint.factors.end(),
                      [&](const FactorBound& bound) {
                        return FindConstrainedDim(problem, bound.dim) == dim && bound.value == 1 &&
                               bound.relation != Relation::kAtLeast;
                      });
}

bool IsEmptyList(const Node& node) { return node.IsSequence() && node.items.empty(); }

// Whether a constraint says no more than that there are no loops.
bool ForbidsLoops(const Constraint& constraint) {
  const auto is_one = [](const FactorBound& bound) {
    return bound.value == 1 && bound.relation != Relation::kAtLeast;
  };
  return std::all_of(constraint.factors.begin(), constraint.factors.end(), is_one) &&
         (!constraint.default_factor || is_one(*constraint.default_factor));
}

}  // namespace

LoopConstraintReader::LoopConstraintReader(const Problem* problem, std::vector<Problem> layers,
                                           bool own_reader, Architecture* architecture,
                                           Report* report)
    : problem_(problem),
      layers_(std::move(layers)),
      own_reader_(own_reader),
      architecture_(architecture),
      report_(report) {
  if (problem_ == nullptr) return;
  dims_ = DimNames(*problem_);
  if (layers_.empty()) layers_.push_back(*problem_);
}

void LoopConstraintReader::Read(bool spatial, LevelId level, Fields* fields) {
  const Level& target = architecture_->levels[level];
  Constraint constraint;
  constraint.at = spatial && !target.fanout.name.empty() ? target.fanout.name : target.name;
  constraint.place = fields->node().Place();
  if (const Node* node = fields->Take("factors")) ReadFactorBounds(*node, &constraint);
  if (const Node* node = fields->Take("factors_only")) {
    ReadFactorBounds(*node, &constraint);
    constraint.default_factor = FactorBound{"", Relation::kEqual, 1};
  }
  ReadDataSpaces(fields, &constraint);
  ReadDefaults(fields, &constraint);
  if (const Node* node = fields->Take("remainders")) {
    if (const auto most = TakePositive(*node, "remainders")) {
      constraint.remainders = *most;
      remainders_.insert(constraint.at);
    }
  }
  const Node* permutation = fields->Take("permutation");
  if (permutation != nullptr) {
    WarnOfList(*permutation, "permutation");
    RefuseTwice(*permutation, constraint.at, "permutation");
  }
  if (spatial) {
    ReadAxes(permutation, fields->Take("split"), target.fanout, &constraint);
  } else if (permutation != nullptr) {
    Order order = ReadOrder(*permutation);
    constraint.innermost = std::move(order.first);
    constraint.outermost.assign(order.last.rbegin(), order.last.rend());
  }
  WarnOfSwitches(fields);
  Add(spatial, target, fields->node(), std::move(constraint));
}

void LoopConstraintReader::Add(bool spatial, const Level& level, const Node& at,
                               Constraint constraint) {
  Constraint nothing;
  nothing.at = constraint.at;
  nothing.place = constraint.place;
  if (constraint == nothing) return;
  if (spatial && level.fanout.name.empty()) {
    report_->Warn(at, "a spatial constraint without a fan-out has no effect");
  } else if (!spatial && IsContainerFanout(level)) {
    if (ForbidsLoops(constraint)) return;  // which a container has anyway
    report_->Warn(at, fmt::format("'{}' stands for a fan-out and has no loops in time; the "
                                  "constraint has no effect",
                                  level.name));
  } else {
    architecture_->constraints.push_back(std::move(constraint));
  }
}

void LoopConstraintReader::CloseRemainders() {
  if (remainders_.empty()) return;
  const auto close = [this](const std::string& at) {
    if (at.empty() || remainders_.contains(at)) return;
    Constraint constraint;
    constraint.at = at;
    constraint.remainders = 1;
    architecture_->constraints.push_back(std::move(constraint));
  };
  for (const Level& level : architecture_->levels) {
    if (!IsContainerFanout(level)) close(level.name);
    close(level.fanout.name);
  }
}

void LoopConstraintReader::WarnOfList(const Node& node, const char* key) {
  if (!own_reader_ || !node.IsSequence() || node.items.empty()) return;
  report_->Warn(node,
                fmt::format("'{}' is a list, which is read here and ignored by Timeloop", key),
                "write a text; only Timeloop's front end for 0.4 reads lists");
}

void LoopConstraintReader::RefuseTwice(const Node& at, const std::string& where, const char* what) {
  if (said_.emplace(where, what).second) return;
  report_->Error(at, fmt::format("'{}' of '{}' is given twice", what, where),
                 "Timeloop takes one, of the architecture or of the mapspace");
}

std::optional<int64_t> LoopConstraintReader::TakePositive(const Node& node, const char* key) {
  const auto value = report_->Take(AsInt(node, key));
  if (value && *value >= 1) return value;
  if (value) report_->Error(node, fmt::format("'{}' must be at least 1", key));
  return std::nullopt;
}

void LoopConstraintReader::ReadFactorBounds(const Node& node, Constraint* constraint) {
  WarnOfList(node, "factors");
  for (const WrittenFactor& factor : ReadFactors(node, report_)) {
    ReadFactor(node, factor, constraint);
  }
}

void LoopConstraintReader::ReadFactor(const Node& node, const WrittenFactor& factor,
                                      Constraint* constraint) {
  FactorBound bound{factor.dim, factor.relation, factor.end};
  const bool fixed = factor.relation == Relation::kEqual;
  if (!fixed && factor.end == 0) {
    report_->Error(node, fmt::format("the bound of '{}' must be at least 1", factor.dim));
    return;
  }
  const auto dim = problem_ == nullptr ? std::nullopt : FindDim(*problem_, factor.dim);
  if (dim && fixed) {
    const int64_t whole = problem_->dims[*dim].bound;
    if (factor.end > whole) {
      report_->Warn(node, fmt::format("'{}={}' is ignored, as Timeloop ignores it: the dimension "
                                      "is {} long",
                                      factor.dim, factor.end, whole));
      return;
    }
    if (factor.end == 0) bound.value = whole;  // in constraints, the whole dimension
  } else {
    bound.if_fits = fixed && factor.end > 1;
  }
  if (factor.residual != factor.end) {
    report_->Warn(node, fmt::format("the residual of '{}' is ignored, as Timeloop ignores it in "
                                    "constraints",
                                    factor.dim));
  }
  if (!factors_.emplace(constraint->at, factor.dim, factor.relation).second) {
    report_->Error(node, fmt::format("the factor of '{}' at '{}' is constrained twice", factor.dim,
                                     constraint->at));
  }
  constraint->factors.push_back(std::move(bound));
}

// The front end makes factors of 1 of these, which needs the problem.
void LoopConstraintReader::ReadDataSpaces(Fields* fields, Constraint* constraint) {
  for (const bool only : {false, true}) {
    const char* key = only ? "must_iterate_over_dataspaces" : "no_iteration_over_dataspaces";
    const Node* node = fields->Take(key);
    if (node == nullptr || IsEmptyList(*node)) continue;
    if (problem_ == nullptr) {
      report_->Warn(*node, fmt::format("'{}' is not translated without a problem", key),
                    "the search goes over a larger mapspace; give the problem together with this "
                    "file");
      continue;
    }
    std::vector<bool> touched(dims_.size(), false);
    for (const std::string& name : ReadNames(*node, key, report_)) {
      const auto tensors = TensorsMeantBy(*problem_, name);
      if (tensors.empty() && name != "*") {
        report_->Error(*node, fmt::format("'{}' is not a data space of the problem", name),
                       SuggestionHint(name, TensorNames(*problem_)));
      }
      for (TensorId t : Ids(problem_->tensors)) {
        const bool meant = std::find(tensors.begin(), tensors.end(), t) != tensors.end();
        if (name != "*" && !meant) continue;
        for (const Rank& rank : problem_->tensors[t].ranks) {
          for (const Term& term : rank.terms) touched[term.dim.value()] = true;
        }
      }
    }
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (touched[d] != only) constraint->factors.push_back({dims_[d], Relation::kEqual, 1});
    }
  }
}

// Limits of the dimensions for which the factors give no limit of the same kind. Where there are
// both, the first becomes a constraint by itself.
void LoopConstraintReader::ReadDefaults(Fields* fields, Constraint* constraint) {
  const std::pair<const char*, Relation> keys[] = {{"default_max_factor", Relation::kAtMost},
                                                   {"default_min_factor", Relation::kAtLeast}};
  for (const auto& [key, relation] : keys) {
    const Node* node = fields->Take(key);
    const auto value = node == nullptr ? std::nullopt : TakePositive(*node, key);
    if (!value) continue;
    const auto named = constraint->factors;
    for (const FactorBound& bound : named) {
      const bool limited =
          std::any_of(constraint->factors.begin(), constraint->factors.end(),
                      [&bound, relation = relation](const FactorBound& other) {
                        return other.dim == bound.dim && other.relation == relation;
                      });
      if (!limited) constraint->factors.push_back({bound.dim, relation, *value});
    }
    if (constraint->default_factor) architecture_->constraints.push_back(*constraint);
    constraint->default_factor = FactorBound{"", relation, *value};
  }
}

LoopConstraintReader::Order LoopConstraintReader::ReadOrder(const Node& node) {
  const auto names = ReadPermutation(node, dims_, report_);
  const auto gap = std::find(names.begin(), names.end(), "_");
  Order order;
  order.first.assign(names.begin(), gap);
  if (gap != names.end()) order.last.assign(gap + 1, names.end());
  return order;
}

// The order of lanes makes no difference by itself: the permutation says what lies on which axis.
void LoopConstraintReader::ReadAxes(const Node* permutation, const Node* split,
                                    const Fanout& fanout, Constraint* constraint) {
  const Order order = permutation == nullptr ? Order() : ReadOrder(*permutation);
  if (split != nullptr) {
    RefuseTwice(*split, constraint->at, "split");
    ReadSplit(*split, order, fanout, constraint);
    return;
  }
  if ((order.first.empty() && order.last.empty()) || fanout.x == 1 || fanout.y == 1) return;
  const auto says_nothing = [&](const Problem& problem) {
    int64_t unrolled = 0;
    for (DimId d : Ids(problem.dims)) unrolled += MayUnroll(problem, d, *constraint) ? 1 : 0;
    return unrolled <= 1;
  };
  if (!layers_.empty() && std::all_of(layers_.begin(), layers_.end(), says_nothing)) return;
  report_->Warn(*permutation,
                "a permutation without 'split' is not translated: every dimension may lie on "
                "either axis",
                "the search goes over a larger mapspace than Timeloop's; add 'split'");
}

// The first `split` dimensions lie on X, which are all that stand in front of the gap and more.
LoopConstraintReader::Sides LoopConstraintReader::Divide(const Problem& problem, const Order& order,
                                                         int64_t split, const Fanout& fanout,
                                                         const Constraint& constraint) {
  const Names first = Known(problem, order.first), last = Known(problem, order.last);
  const auto dims = static_cast<int64_t>(problem.dims.size());
  Sides sides;
  if (split >= dims) {
    sides.y.emplace();
    return sides;
  }
  if (dims - split <= static_cast<int64_t>(last.size())) {
    sides.y = Last(last, dims - split);
    sides.not_x = *sides.y;
    return sides;
  }
  sides.not_y = order.first;
  sides.not_x = order.last;
  // Where all unlisted dimensions that can be unrolled fit on either side, it says nothing of them.
  int64_t unlisted = 0, unrolled = 0;
  for (DimId d : Ids(problem.dims)) {
    const auto is_it = [&](const std::string& name) {
      return FindConstrainedDim(problem, name) == d;
    };
    if (std::any_of(first.begin(), first.end(), is_it)) continue;
    if (std::any_of(last.begin(), last.end(), is_it)) continue;
    ++unlisted;
    unrolled += MayUnroll(problem, d, constraint) ? 1 : 0;
  }
  const int64_t on_x = split - static_cast<int64_t>(first.size());
  sides.wider =
      !(fanout.x == 1 || unrolled <= on_x) || !(fanout.y == 1 || unrolled <= unlisted - on_x);
  return sides;
}

// What holds for every layer.
LoopConstraintReader::Sides LoopConstraintReader::DivideAll(const std::vector<Problem>& layers,
                                                            const Order& order, int64_t split,
                                                            const Fanout& fanout,
                                                            const Constraint& constraint) {
  Sides all = Divide(layers.front(), order, split, fanout, constraint);
  bool last_on_y = all.not_x == order.last;
  for (const Problem& layer : layers) {
    Sides sides = Divide(layer, order, split, fanout, constraint);
    last_on_y = last_on_y && sides.not_x == order.last;
    const bool wider = all.wider || sides.wider;
    all.wider = sides.wider = wider;
    if (all == sides) continue;
    all = {std::nullopt, last_on_y ? order.last : Names(), order.first, true};
  }
  return all;
}

// Of the dimensions in their order, the first `split` lie on X, the others on Y.
void LoopConstraintReader::ReadSplit(const Node& node, const Order& order, const Fanout& fanout,
                                     Constraint* constraint) {
  constexpr int64_t kAll = 52;  // no problem of Timeloop has more dimensions than there are letters
  const auto split = report_->Take(AsInt(node, "split"));
  if (!split) return;
  if (*split < 0) {
    report_->Error(node, "split must not be negative");
    return;
  }
  const bool all_on_x =
      !layers_.empty() && std::all_of(layers_.begin(), layers_.end(), [&](const Problem& layer) {
        return static_cast<int64_t>(layer.dims.size()) <= *split;
      });
  if (*split >= kAll || all_on_x) {
    constraint->y.emplace();
  } else if (*split <= static_cast<int64_t>(order.first.size())) {
    constraint->x = First(order.first, *split);
    constraint->not_y = *constraint->x;
  } else if (layers_.empty()) {
    constraint->not_y = order.first;
    report_->Warn(node,
                  "which dimensions 'split' puts on X depends on how many the problem has, which "
                  "is not known here: all but those in front of '_' may lie on either axis",
                  "the search may go over a larger mapspace than Timeloop's; give the problem "
                  "together with this file");
  } else {
    Sides sides = DivideAll(layers_, order, *split, fanout, *constraint);
    constraint->y = std::move(sides.y);
    constraint->not_x = std::move(sides.not_x);
    constraint->not_y = std::move(sides.not_y);
    if (!sides.wider) return;
    report_->Warn(node,
                  "'split' falls among dimensions that the permutation does not list: each of them "
                  "may lie on either axis",
                  "the search goes over a larger mapspace than Timeloop's; list all dimensions");
  }
}

// What changes Timeloop's counts, or its mapspace, and has no counterpart.
void LoopConstraintReader::WarnOfSwitches(Fields* fields) {
  const auto warn = [&](std::initializer_list<const char*> keys, const char* consequence) {
    for (const char* key : keys) {
      const Node* node = fields->Take(key);
      if (node == nullptr || IsEmptyList(*node)) continue;
      report_->Warn(*node, fmt::format("'{}' is not translated", key), consequence);
    }
  };
  warn({"no_reuse", "no_link_transfer", "no_temporal_reuse", "no_multicast_no_reduction",
        "rmw_first_update", "rmw_on_first_writeback"},
       "counts are those without it");
  warn({"maximize_dims", "maximize_dims_capacity"},
       "the search goes over a larger mapspace than Timeloop's; let its front end write the "
       "factors");
}

}  // namespace inlay::io::timeloop
