#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "inlay/io/timeloop/limits.h"
#include "inlay/io/timeloop/targets.h"
#include "inlay/io/timeloop/writer.h"

namespace inlay::io::timeloop {
namespace {

std::string ClassOf(const Level& level) {
  if (IsContainerFanout(level)) return "dummy_storage";
  switch (level.kind) {
    case MemoryKind::kDram:
      return "DRAM";
    case MemoryKind::kSram:
      return "SRAM";
    case MemoryKind::kRegister:
      return "regfile";
  }
  return "";
}

class ArchitectureWriter {
 public:
  ArchitectureWriter(const Architecture& architecture, const Problem* problem,
                     TimeloopVersion version, Diagnostics* faults)
      : architecture_(architecture), problem_(problem), version_(version), faults_(faults) {}

  std::string Write() {
    if (HasTimeKeys(architecture_)) {
      faults_->push_back(MakeError({},
                                   "the architecture has keys of time (latency, transfer, overlap, "
                                   "skew, launch, power_limit, idle), which Timeloop cannot say",
                                   "leave them out"));
    }
    if (!architecture_.vector_units.units.empty()) {
      faults_->push_back(MakeError(
          {}, "the architecture has vector units, which Timeloop cannot say", "leave them out"));
    }
    for (const Level& level : architecture_.levels) CheckLevel(level);
    if (!faults_->empty()) return "";
    return (version_ == TimeloopVersion::k03 ? Tree() : Nodes()) + EnergyTable();
  }

 private:
  void Refuse(const Level& level, std::string_view what, std::string hint = "") {
    faults_->push_back(MakeError(
        {}, fmt::format("'{}' {}, which Timeloop cannot say", level.name, what), std::move(hint)));
  }

  void CheckLevel(const Level& level) {
    if (!level.tensor_bits.empty()) Refuse(level, "has word bits per tensor");
    if (level.name.find_first_of("[].") != std::string::npos) {
      Refuse(level, "has '[', ']' or '.' in its name", "rename the level");
    }
    const bool spread = level.fanout.x > 1 || level.fanout.y > 1;
    if (spread && level.fanout.multicast != Multicast::kTile) {
      Refuse(level, "has a fan-out without multicast");
    }
    if (spread && !level.fanout.reduce && MayReduce(level.fanout)) {
      Refuse(level, "has a fan-out without reduction");
    }
  }

  // Whether lanes may have sums of the same outputs: a dimension can be unrolled that the outputs
  // do not have. Without a problem, the outputs are those of a convolution or matrix product.
  bool MayReduce(const Fanout& fanout) const {
    Diagnostics ignored;
    const PlaceLimits limits = LimitsAt(architecture_, fanout.name, &fanout, problem_, &ignored);
    if (limits.others && limits.others->CanLoop()) return true;
    for (size_t d = 0; d < limits.dims.size(); ++d) {
      if (limits.loops[d].CanLoop() && !IsOfOutputs(limits.dims[d])) return true;
    }
    return false;
  }

  bool IsOfOutputs(const std::string& dim) const {
    constexpr std::array<std::string_view, 6> kUsual = {"N", "G", "K", "M", "P", "Q"};
    if (problem_ == nullptr) return std::find(kUsual.begin(), kUsual.end(), dim) != kUsual.end();
    return std::all_of(
        problem_->tensors.begin(), problem_->tensors.end(), [&](const Tensor& tensor) {
          return !tensor.is_output ||
                 std::any_of(tensor.ranks.begin(), tensor.ranks.end(), [&](const Rank& rank) {
                   return std::any_of(rank.terms.begin(), rank.terms.end(), [&](const Term& term) {
                     return problem_->dims[term.dim].name == dim;
                   });
                 });
        });
  }

  AccessEnergy EnergyOfLevel(LevelId l) const { return EnergyOf(architecture_, l, ""); }

  // One figure on the level itself says the same as three equal ones in the table.
  bool NeedsTable(LevelId l) const {
    const Level& level = architecture_.levels[l];
    if (IsContainerFanout(level)) return false;
    const AccessEnergy energy = EnergyOfLevel(l);
    return energy.read_pj != energy.fill_pj || energy.read_pj != energy.update_pj ||
           level.leakage_pj_per_cycle != 0;
  }

  // `mesh` is "meshX: 4, meshY: 2" or empty.
  std::string LevelAttributes(LevelId l, const std::string& mesh) const {
    const Level& level = architecture_.levels[l];
    std::string text;
    const auto add = [&text](std::string_view key, const auto& value) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
    };
    if (IsContainerFanout(level)) {
      text = "width: 1, depth: 1, datawidth: 1";
    } else {
      add(version_ == TimeloopVersion::k03 ? "word_bits" : "datawidth", level.word_bits);
      add("block_size", level.block_words);
      if (level.capacity_words) add("entries", *level.capacity_words);
      if (level.buffering != 1) add("multiple_buffering", level.buffering);
      if (level.read_bandwidth) add("read_bandwidth", *level.read_bandwidth);
      if (level.write_bandwidth) add("write_bandwidth", *level.write_bandwidth);
      if (level.shared_bandwidth) add("shared_bandwidth", *level.shared_bandwidth);
      double least = 0;
      for (const Constraint& constraint : architecture_.constraints) {
        if (constraint.at == level.name) {
          least = std::max(least, constraint.min_utilization.value_or(0));
        }
      }
      if (least > 0) add("min_utilization", least);
      if (!NeedsTable(l)) add("vector_access_energy", EnergyOfLevel(l).read_pj);
    }
    return "{" + text + (mesh.empty() ? "" : ", " + mesh) + "}";
  }

  std::string Tree() const {
    std::string text = "architecture:\n  version: 0.3\n  subtree:\n  - name: system\n    local:\n";
    std::string indent = "    ";
    int64_t x = 1, y = 1;
    const auto add = [&](const std::string& name, const std::string& class_name,
                         const std::string& attributes) {
      text += fmt::format("{0}- name: {1}\n{0}  class: {2}\n{0}  attributes: {3}\n", indent,
                          Scalar(name), class_name, attributes);
    };
    const auto mesh = [&] { return fmt::format("meshX: {}, meshY: {}", x, y); };
    for (LevelId l : Ids(architecture_.levels)) {
      const Level& level = architecture_.levels[l];
      add(level.name, ClassOf(level), LevelAttributes(l, mesh()));
      const int64_t lanes = level.fanout.x * level.fanout.y;
      if (lanes == 1) continue;
      x *= level.fanout.x;
      y *= level.fanout.y;
      text += fmt::format("{0}subtree:\n{0}- name: {1}\n{0}  local:\n", indent,
                          Scalar(fmt::format("below_{}[0..{}]", level.name, lanes - 1)));
      indent += "  ";
    }
    const Compute& compute = architecture_.compute;
    add(compute.name, "intmac", fmt::format("{{word_bits: {}, {}}}", compute.word_bits, mesh()));
    return text;
  }

  std::string Nodes() const {
    std::string text = "architecture:\n  version: 0.4\n  nodes:\n  - !Container {name: system}\n";
    std::string spatial;  // of the next component
    const auto fanout_of = [](const Level& level) {
      return level.fanout.x == 1 && level.fanout.y == 1
                 ? std::string()
                 : fmt::format("{{meshX: {}, meshY: {}}}", level.fanout.x, level.fanout.y);
    };
    const auto add = [&](const std::string& name, const std::string& class_name,
                         const std::string& attributes) {
      text += fmt::format("  - !Component\n    name: {}\n    class: {}\n    attributes: {}\n",
                          Scalar(name), class_name, attributes);
      if (!spatial.empty()) text += "    spatial: " + spatial + "\n";
    };
    for (LevelId l : Ids(architecture_.levels)) {
      const Level& level = architecture_.levels[l];
      const bool is_container =
          IsContainerFanout(level) && !fanout_of(level).empty() && spatial.empty();
      if (is_container) {
        const std::string_view prefix = "inter_", suffix = "_spatial";
        const std::string name =
            level.name.substr(prefix.size(), level.name.size() - prefix.size() - suffix.size());
        text += fmt::format("  - !Container {{name: {}, spatial: {}}}\n", Scalar(name),
                            fanout_of(level));
      } else {
        add(level.name, ClassOf(level), LevelAttributes(l, ""));
        spatial = fanout_of(level);
      }
    }
    const Compute& compute = architecture_.compute;
    add(compute.name, "intmac", fmt::format("{{datawidth: {}}}", compute.word_bits));
    return text;
  }

  std::string EnergyTable() const {
    std::string text = fmt::format("ERT:\n  version: {}\n  tables:\n",
                                   version_ == TimeloopVersion::k03 ? "0.3" : "0.4");
    const auto table = [&text](const std::string& name) {
      text += fmt::format("  - name: {}\n    actions:\n", Scalar("system." + name));
    };
    const auto action = [&text](std::string_view name, double energy) {
      text += fmt::format("    - {{name: {}, arguments: {{}}, energy: {}}}\n", name, energy);
    };
    for (LevelId l : Ids(architecture_.levels)) {
      if (!NeedsTable(l)) continue;
      const AccessEnergy energy = EnergyOfLevel(l);
      table(architecture_.levels[l].name);
      action("read", energy.read_pj);
      action("fill", energy.fill_pj);
      action("update", energy.update_pj);
      const double leakage = architecture_.levels[l].leakage_pj_per_cycle;
      if (leakage != 0) action("leak", leakage);
    }
    table(architecture_.compute.name);
    action("compute", ComputeEnergyPj(architecture_));
    return text;
  }

  const Architecture& architecture_;
  const Problem* problem_;
  TimeloopVersion version_;
  Diagnostics* faults_;
};

}  // namespace

std::string WriteArchitecture(const Architecture& architecture, const Problem* problem,
                              TimeloopVersion version, Diagnostics* faults) {
  return ArchitectureWriter(architecture, problem, version, faults).Write();
}

}  // namespace inlay::io::timeloop
