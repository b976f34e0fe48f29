#include <fmt/format.h>

#include <algorithm>

#include "inlay/io/timeloop/targets.h"
#include "inlay/io/timeloop/writer.h"

namespace inlay::io::timeloop {
namespace {

class ConstraintWriter {
 public:
  ConstraintWriter(const Architecture& architecture, const Problem* problem, const DimNamer* namer)
      : architecture_(architecture), problem_(problem), namer_(namer) {}

  std::string Write(TimeloopVersion version) {
    for (LevelId l : Ids(architecture_.levels)) WriteTensors(l);
    for (const Constraint& constraint : architecture_.constraints) WriteConstraint(constraint);
    if (targets_.empty()) return "";
    return fmt::format("architecture_constraints:\n  version: {}\n  targets:\n",
                       version == TimeloopVersion::k03 ? "0.3" : "0.4") +
           targets_;
  }

 private:
  std::string NameOf(const std::string& dim) const {
    return problem_ == nullptr ? dim : namer_->Of(*problem_, dim);
  }

  std::vector<std::string> Expand(const std::optional<TensorNameSet>& names) const {
    if (!names) return {};
    if (names->all && problem_ != nullptr) return TensorNames(*problem_);
    return names->names;
  }

  void WriteTensors(LevelId l) {
    const Level& level = architecture_.levels[l];
    if (IsContainerFanout(level)) return;
    const bool keeps_all = !level.keep && !level.bypass;
    const bool outermost_keeps_all =
        l.value() == 0 && (keeps_all || (level.keep && level.keep->all));
    if (outermost_keeps_all && !level.bypass) return;  // Timeloop's default
    const auto keep = Expand(keeps_all ? TensorNameSet{true, {}} : level.keep);
    const auto bypass = Expand(level.bypass);
    if (keep.empty() && bypass.empty()) return;
    targets_ += fmt::format("  - {{target: {}, type: bypass, keep: {}, bypass: {}}}\n",
                            Scalar(level.name), FlowList(keep), FlowList(bypass));
  }

  // Dimensions of the problem that a list leaves out have factor 1.
  std::string OnesFor(const std::vector<std::string>& listed) const {
    std::string text;
    if (problem_ == nullptr) return text;
    for (const std::string& dim : DimNames(*problem_)) {
      if (std::find(listed.begin(), listed.end(), dim) == listed.end()) text += NameOf(dim) + "=1 ";
    }
    return text;
  }

  std::string Factors(const Constraint& constraint) const {
    std::string text;
    if (constraint.loops) text += OnesFor(*constraint.loops);
    if (constraint.x && constraint.y) {
      std::vector<std::string> listed = *constraint.x;
      listed.insert(listed.end(), constraint.y->begin(), constraint.y->end());
      text += OnesFor(listed);
    }
    for (const FactorBound& factor : constraint.factors) {
      const char* relation = factor.relation == Relation::kEqual    ? "="
                             : factor.relation == Relation::kAtMost ? "<="
                                                                    : ">=";
      text += fmt::format("{}{}{} ", NameOf(factor.dim), relation, factor.value);
    }
    if (!text.empty()) text.pop_back();
    return text;
  }

  std::vector<std::string> Permutation(const Constraint& constraint) const {
    std::vector<std::string> order;
    for (const std::string& dim : constraint.innermost) order.push_back(NameOf(dim));
    if (!constraint.outermost.empty()) order.emplace_back("_");
    for (auto dim = constraint.outermost.rbegin(); dim != constraint.outermost.rend(); ++dim) {
      order.push_back(NameOf(*dim));
    }
    return order;
  }

  // "split", and the permutation that it divides. A dimension on both axes is written on X only.
  std::string Axes(const Constraint& constraint) const {
    if (!constraint.x && !constraint.y) return "";
    if (!constraint.x || !constraint.y) return constraint.x ? ", split: 0" : ", split: 999";
    std::vector<std::string> order;
    for (const std::string& dim : *constraint.x) order.push_back(NameOf(dim));
    const size_t split = order.size();
    for (const std::string& dim : *constraint.y) {
      const std::string name = NameOf(dim);
      if (std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
    }
    return fmt::format(", permutation: {}, split: {}", FlowList(order), split);
  }

  void WriteConstraint(const Constraint& constraint) {
    std::string target = constraint.at;
    std::string inside;  // the level below the fan-out, if there is one
    bool spatial = false;
    for (LevelId l : Ids(architecture_.levels)) {
      const Level& level = architecture_.levels[l];
      if (level.fanout.name != constraint.at || level.name == constraint.at) continue;
      target = level.name;
      spatial = true;
      const LevelId next(l.value() + 1);
      inside =
          next.value() < architecture_.levels.size() ? architecture_.levels[next].name : target;
    }
    std::string loops = Axes(constraint);
    const auto order = Permutation(constraint);
    if (loops.empty() && !order.empty()) loops = ", permutation: " + FlowList(order);
    const std::string factors = Factors(constraint);
    if (!factors.empty()) loops += ", factors: " + Scalar(factors);
    if (const auto& factor = constraint.default_factor) {
      if (factor->relation != Relation::kAtLeast) {
        loops += fmt::format(", default_max_factor: {}", factor->value);
      }
      if (factor->relation != Relation::kAtMost) {
        loops += fmt::format(", default_min_factor: {}", factor->value);
      }
    }
    if (constraint.remainders) loops += fmt::format(", remainders: {}", *constraint.remainders);
    if (!loops.empty()) {
      targets_ += fmt::format("  - {{target: {}, type: {}{}}}\n", Scalar(target),
                              spatial ? "spatial" : "temporal", loops);
    }
    if (!constraint.keep.empty() || !constraint.bypass.empty()) {
      targets_ +=
          fmt::format("  - {{target: {}, type: bypass, keep: {}, bypass: {}}}\n", Scalar(target),
                      FlowList(constraint.keep), FlowList(constraint.bypass));
    }
    // Of the capacity, it is an attribute of the level.
    if (constraint.min_utilization && spatial) {
      targets_ += fmt::format("  - {{target: {}, type: parallelism, min: {}}}\n", Scalar(inside),
                              *constraint.min_utilization);
    }
  }

  const Architecture& architecture_;
  const Problem* problem_;
  const DimNamer* namer_;
  std::string targets_;
};

}  // namespace

std::string WriteConstraints(const Architecture& architecture, const Problem* problem,
                             const DimNamer* namer, TimeloopVersion version) {
  return ConstraintWriter(architecture, problem, namer).Write(version);
}

}  // namespace inlay::io::timeloop
