#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/io/timeloop/limits.h"
#include "inlay/io/timeloop/targets.h"
#include "inlay/io/timeloop/timeloop_form.h"
#include "inlay/io/timeloop/writer.h"

namespace inlay::io::timeloop {
namespace {

// Timeloop reads factors into 32 bits.
constexpr int64_t kLargest = 2147483647;
constexpr const char* kEveryDim = "split: 999";  // more than any problem has dimensions

bool OnX(const LoopLimits& limits) { return limits.on_x; }
bool OnY(const LoopLimits& limits) { return limits.on_y; }
class ConstraintWriter {
 public:
  ConstraintWriter(const TimeloopForm& form, const Problem* problem, const DimNamer* namer,
                   Diagnostics* faults)
      : architecture_(form.architecture),
        all_tensors_(form.tensors),
        problem_(problem),
        namer_(namer),
        faults_(faults) {
    gives_remainders_ =
        std::any_of(architecture_.constraints.begin(), architecture_.constraints.end(),
                    [](const Constraint& constraint) { return constraint.remainders.has_value(); });
  }

  // Constraints of the mapspace, which timeloop-model does not look at: it would compare the
  // mapping with those of the architecture loop by loop, and refuses most that keep to them.
  std::string Write(TimeloopVersion version) {
    for (LevelId l : Ids(architecture_.levels)) {
      const Level& level = architecture_.levels[l];
      WriteTensors(l);
      WriteLoops(level);
      if (level.fanout.x * level.fanout.y > 1) WriteFanout(level);
    }
    WriteParallelism();
    if (targets_.empty()) return "";
    return fmt::format("mapspace_constraints:\n  version: {}\n  targets:\n",
                       version == TimeloopVersion::k03 ? "0.3" : "0.4") +
           targets_;
  }

 private:
  // Each fault once, however often a name is written.
  void Fault(std::string message, std::string hint = "") {
    if (!reported_.insert(message).second) return;
    faults_->push_back(MakeError({}, std::move(message), std::move(hint)));
  }

  // Without a problem, a dimension keeps its name, which must be one of Timeloop's.
  std::string NameOf(const std::string& dim) {
    if (problem_ != nullptr) return namer_->Of(*problem_, dim);
    const bool letter =
        dim.size() == 1 && ((dim[0] >= 'a' && dim[0] <= 'z') || (dim[0] >= 'A' && dim[0] <= 'Z'));
    if (!letter) {
      Fault(fmt::format("the constraints name the dimension '{}', and Timeloop's have names of one "
                        "letter",
                        dim),
            "convert it together with a problem, whose dimensions are renamed");
    }
    return dim;
  }

  std::string NamesOf(const std::vector<std::string>& dims) {
    std::string text;
    for (const std::string& dim : dims) text += NameOf(dim);
    return text;
  }

  void AddEntry(const std::string& target, const char* type, const std::string& what) {
    targets_ += fmt::format("  - {{target: {}, type: {}{}}}\n", Scalar(target), type, what);
  }

  // What constraints say of a tensor at a level besides the level itself.
  KeepRule KeepRuleAt(const Level& level, const std::string& tensor) {
    bool keep = KeepRuleOf(level, tensor) == KeepRule::kKeep;
    bool bypass = KeepRuleOf(level, tensor) == KeepRule::kBypass;
    for (const Constraint& constraint : architecture_.constraints) {
      if (constraint.at != level.name) continue;
      const auto lists = [&tensor](const std::vector<std::string>& names) {
        return std::find(names.begin(), names.end(), tensor) != names.end();
      };
      keep = keep || lists(constraint.keep);
      bypass = bypass || lists(constraint.bypass);
    }
    if (keep && bypass) {
      Fault(fmt::format("'{}' is to be both kept and bypassed at '{}'", tensor, level.name));
    }
    return keep ? KeepRule::kKeep : bypass ? KeepRule::kBypass : KeepRule::kFree;
  }

  void WriteTensors(LevelId l) {
    const Level& level = architecture_.levels[l];
    // The names as the level lists them come first: a file that is read stays in its order.
    std::vector<std::string> tensors, keep, bypass;
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        const bool known =
            std::find(all_tensors_.begin(), all_tensors_.end(), name) != all_tensors_.end();
        const bool is_new = std::find(tensors.begin(), tensors.end(), name) == tensors.end();
        if (known && is_new) tensors.push_back(name);
      }
    };
    if (level.keep) add(level.keep->names);
    if (level.bypass) add(level.bypass->names);
    add(all_tensors_);
    for (const std::string& tensor : tensors) {
      const KeepRule rule = KeepRuleAt(level, tensor);
      if (rule == KeepRule::kKeep) keep.push_back(tensor);
      if (rule == KeepRule::kBypass) bypass.push_back(tensor);
      if (rule != KeepRule::kFree || l.value() > 0) continue;
      Fault(fmt::format("'{}' may hold '{}' or not, and Timeloop's outermost level holds all that "
                        "it is not told to bypass",
                        level.name, tensor),
            "list it in 'keep' or 'bypass'");
    }
    if (l.value() == 0 && bypass.empty()) return;
    if (keep.empty() && bypass.empty()) return;
    AddEntry(level.name, "bypass",
             fmt::format(", keep: {}, bypass: {}", FlowList(keep), FlowList(bypass)));
  }

  void WriteLoops(const Level& level) {
    const PlaceLimits limits = LimitsAt(architecture_, level.name, nullptr, problem_, faults_);
    std::string text;
    if (!limits.innermost.empty() || !limits.outermost.empty()) {
      std::vector<std::string> outer(limits.outermost.rbegin(), limits.outermost.rend());
      text += ", permutation: " +
              Scalar(NamesOf(limits.innermost) + (outer.empty() ? "" : "_" + NamesOf(outer)));
    }
    text += Factors(limits);
    if (!IsContainerFanout(level)) text += Remainders(limits);
    if (!text.empty()) AddEntry(level.name, "temporal", text);
  }

  void WriteFanout(const Level& level) {
    const PlaceLimits limits =
        LimitsAt(architecture_, level.fanout.name, &level.fanout, problem_, faults_);
    std::string text = Factors(limits) + Remainders(limits);
    if (level.fanout.x > 1 && level.fanout.y > 1) {
      text = Axes(level.fanout, limits) + text;
    } else if (!text.empty()) {
      text = fmt::format(", {}", level.fanout.y == 1 ? kEveryDim : "split: 0") + text;
    }
    if (!text.empty()) AddEntry(level.name, "spatial", text);
  }

  // Reading closes all places to remainders once one place has some.
  std::string Remainders(const PlaceLimits& limits) const {
    if (!gives_remainders_) return "";
    return fmt::format(", remainders: {}",
                       std::min(limits.remainders.value_or(kLargest), kLargest));
  }

  // "split", and the permutation that it divides.
  std::string Axes(const Fanout& fanout, const PlaceLimits& limits) {
    if (!limits.AnyOf(OnOne)) return "";  // free between the axes, or without loops
    if (limits.AnyOf(OnBoth)) {
      for (size_t d = 0; d < limits.dims.size(); ++d) {
        if (!limits.loops[d].CanLoop() || !OnBoth(limits.loops[d])) continue;
        Fault(fmt::format("'{}' may unroll '{}' on both axes and other dimensions on one, which "
                          "Timeloop cannot say",
                          fanout.name, limits.dims[d]),
              "give it one axis");
      }
      return "";
    }
    if (!limits.AnyOf(OnX)) return ", split: 0";
    if (!limits.AnyOf(OnY)) return fmt::format(", {}", kEveryDim);
    if (limits.others && limits.others->CanLoop() && limits.others->on_x) {
      Fault(fmt::format("'{}' unrolls on x all dimensions but some, which Timeloop cannot say "
                        "without knowing all",
                        fanout.name),
            "convert it together with a problem");
      return "";
    }
    std::string on_x, on_y;  // those without loops follow, as those that are not listed do
    size_t split = 0;
    for (size_t d = 0; d < limits.dims.size(); ++d) {
      const bool is_x = limits.loops[d].CanLoop() && limits.loops[d].on_x;
      (is_x ? on_x : on_y) += NameOf(limits.dims[d]);
      split += is_x ? 1 : 0;
    }
    return fmt::format(", permutation: {}, split: {}", Scalar(on_x + on_y), split);
  }

  std::string Factors(const PlaceLimits& limits) {
    const bool default_max = limits.others && limits.others->max < LoopLimits::kUnlimited;
    const bool default_min = limits.others && limits.others->min > 1;
    std::string text;
    for (size_t d = 0; d < limits.dims.size(); ++d) {
      text += Factor(limits, d, default_max, default_min);
    }
    for (const FactorBound& bound : limits.by_length) {
      text += fmt::format("{}={} ", NameOf(bound.dim), std::min(bound.value, kLargest));
    }
    if (!text.empty()) {
      text.pop_back();
      text = ", factors: " + Scalar(text);
    }
    if (default_max) text += fmt::format(", default_max_factor: {}", Clamp(limits.others->max));
    if (default_min) text += fmt::format(", default_min_factor: {}", Clamp(limits.others->min));
    return text;
  }

  static int64_t Clamp(int64_t steps) { return std::min(steps, kLargest); }

  // "K=4", "K<=4 K>=2", each with a space behind it. Timeloop ignores a fixed factor that is larger
  // than the dimension, but not two bounds that meet there.
  std::string Factor(const PlaceLimits& limits, size_t d, bool default_max, bool default_min) {
    const LoopLimits& loops = limits.loops[d];
    const std::string name = NameOf(limits.dims[d]);
    const int64_t whole = problem_ == nullptr ? kLargest : problem_->dims[DimId(d)].bound;
    const bool apart = std::any_of(  // fixed by a factor of its own
        limits.by_length.begin(), limits.by_length.end(),
        [&](const FactorBound& bound) { return bound.dim == limits.dims[d]; });
    const bool fixed = loops.min == loops.max && !apart &&
                       (loops.max == 1 || (problem_ != nullptr && loops.max <= whole));
    std::string text;
    if (fixed) text += fmt::format("{}={} ", name, Clamp(loops.max));
    const bool limited = loops.max < LoopLimits::kUnlimited;  // bounds can be rounded up (padded)
    if (default_max || (limited && !fixed)) {
      text += fmt::format("{}<={} ", name, Clamp(loops.max));
    }
    if (default_min || (loops.min > 1 && !fixed)) {
      text += fmt::format("{}>={} ", name, Clamp(loops.min));
    }
    return text;
  }

  // Timeloop asks for a share of all lanes together.
  void WriteParallelism() {
    std::vector<std::pair<const Fanout*, double>> shares;
    double least = 1, most = 0;
    Diagnostics ignored;  // reported when the fan-out was written
    for (const Level& level : architecture_.levels) {
      if (level.fanout.x * level.fanout.y == 1) continue;
      const double share =
          LimitsAt(architecture_, level.fanout.name, &level.fanout, problem_, &ignored)
              .min_utilization;
      shares.emplace_back(&level.fanout, share);
      least = std::min(least, share);
      most = std::max(most, share);
    }
    if (most == 0) return;
    if (shares.size() == 1 || least == 1) {
      AddEntry(architecture_.levels.back().name, "parallelism", fmt::format(", min: {}", most));
      return;
    }
    for (const auto& [fanout, share] : shares) {
      if (share == 0) continue;
      Fault(
          fmt::format("'{}' asks for a share of its lanes, and Timeloop knows a share of the lanes "
                      "of all fan-outs together",
                      fanout->name));
    }
  }

  const Architecture& architecture_;
  const std::vector<std::string>& all_tensors_;
  const Problem* problem_;
  const DimNamer* namer_;
  Diagnostics* faults_;
  bool gives_remainders_;
  std::set<std::string> reported_;
  std::string targets_;
};

}  // namespace

std::string WriteConstraints(const TimeloopForm& form, const Problem* problem,
                             const DimNamer* namer, TimeloopVersion version, Diagnostics* faults) {
  return ConstraintWriter(form, problem, namer, faults).Write(version);
}

}  // namespace inlay::io::timeloop
