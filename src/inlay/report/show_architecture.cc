#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/printable.h"
#include "inlay/io/native/relation.h"
#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"
#include "inlay/report/show.h"

namespace inlay::report {
namespace {

std::string EnergyText(const AccessEnergy& energy) {
  if (energy.read_pj == energy.fill_pj && energy.read_pj == energy.update_pj) {
    return fmt::format("{:.4g}", energy.read_pj);
  }
  return fmt::format("{:.4g} / {:.4g}", energy.read_pj, energy.fill_pj);
}

std::string BandwidthText(const Level& level) {
  const auto text = [](const std::optional<double>& words) {
    return words ? fmt::format("{:g}", *words) : std::string("-");
  };
  if (level.shared_bandwidth) return fmt::format("{:g} shared", *level.shared_bandwidth);
  if (!level.read_bandwidth && !level.write_bandwidth) return "";
  return text(level.read_bandwidth) + " / " + text(level.write_bandwidth);
}

std::string NamesText(const TensorNameSet& set) {
  if (set.all) return "all";
  std::string text;
  for (const std::string& name : set.names) text += (text.empty() ? "" : " ") + name;
  return text.empty() ? "none" : text;
}

std::string HoldsText(const Level& level) {
  std::string text;
  if (level.keep && level.keep->empty() && !level.bypass) return "what the mapping says";
  if (level.bypass && level.bypass->all && (!level.keep || level.keep->empty())) return "nothing";
  if (level.keep) text = NamesText(*level.keep);
  if (level.bypass && !level.bypass->empty()) {
    text += (text.empty() ? "not " : ", not ") + NamesText(*level.bypass);
  }
  return text.empty() && level.partitions.empty() ? "all" : text;
}

std::string AbilitiesText(const Fanout& fanout) {
  return std::string(fanout.multicast == Multicast::kTile ? "multicasts" : "no multicast") +
         (fanout.reduce ? ", reduces" : ", no reduction");
}

std::string FanoutText(const Fanout& fanout, const TextStyle& style) {
  return (fanout.name.empty() ? "" : fanout.name + " ") + Grouped(fanout.x, style) +
         (style.unicode ? " × " : " x ") + Grouped(fanout.y, style);
}

// The rows of the tree: every level one step further right than the one that feeds it.
class TreeTable {
 public:
  TreeTable(const Architecture& architecture, const TextStyle& style)
      : architecture_(architecture),
        style_(style),
        table_({{"level", Align::kLeft},
                {"kind", Align::kLeft},
                {"count", Align::kRight},
                {"words", Align::kRight},
                {"bits", Align::kRight},
                {"pJ", Align::kRight},
                {"bandwidth", Align::kRight},
                {"holds", Align::kLeft},
                {"note", Align::kLeft}}) {}

  Table Build() {
    for (LevelId l : Ids(architecture_.levels)) {
      AddLevel(l);
      const VectorUnits& vector = architecture_.vector_units;
      if (vector.below == l && !vector.in_fanout) AddVectorUnits();
      const Fanout& fanout = architecture_.levels[l].fanout;
      if (fanout.x > 1 || fanout.y > 1) {
        table_.AddRow({{Branch() + FanoutText(fanout, style_), Tone::kAccent},
                       "",
                       "",
                       "",
                       "",
                       "",
                       "",
                       AbilitiesText(fanout)});
        ++depth_;
      }
      if (vector.below == l && vector.in_fanout) AddVectorUnits();
    }
    table_.AddRow({{Branch() + architecture_.compute.name, Tone::kBold},
                   "compute",
                   Grouped(ComputeLanes(architecture_), style_),
                   "",
                   std::to_string(architecture_.compute.word_bits),
                   fmt::format("{:.4g}", ComputeEnergyPj(architecture_))});
    table_.DropEmptyColumns();
    return table_;
  }

 private:
  std::string Branch() const {
    if (depth_ == 0) return "";
    return std::string((depth_ - 1) * 2, ' ') + (style_.unicode ? "└ " : "` ");
  }

  std::string SizeText(const std::optional<int64_t>& words) const {
    return words ? Grouped(*words, style_) : style_.unicode ? "∞" : "-";
  }

  void AddVectorUnits() {
    for (const VectorUnit& unit : architecture_.vector_units.units) {
      std::string ops;
      for (const auto& row : kNames<VectorOp>) {
        if (unit.ops.contains(row.value)) ops += (ops.empty() ? "" : " ") + std::string(row.name);
      }
      table_.AddRow({{Branch() + unit.name, Tone::kBold},
                     "vector",
                     Grouped(VectorInstances(architecture_), style_),
                     "",
                     "",
                     fmt::format("{:.4g}", unit.energy_pj),
                     fmt::format("{:g} ops", unit.ops_per_cycle),
                     unit.ops.all ? "all operations" : ops});
    }
  }

  void AddLevel(LevelId l) {
    const Level& level = architecture_.levels[l];
    const bool parts = !level.partitions.empty();
    table_.AddRow({{Branch() + level.name, Tone::kBold},
                   Name(level.kind),
                   Grouped(Instances(architecture_, l), style_),
                   parts ? "" : SizeText(level.capacity_words),
                   parts ? "" : std::to_string(level.word_bits),
                   parts ? "" : EnergyText(EnergyOf(architecture_, l, "")),
                   BandwidthText(level),
                   HoldsText(level),
                   Printable(level.note)});
    for (const Partition& part : level.partitions) {
      table_.AddRow({{std::string((depth_ + 1) * 2, ' ') + part.tensor, Tone::kDim},
                     part.kind ? Name(*part.kind) : "",
                     "",
                     SizeText(part.capacity_words),
                     std::to_string(part.word_bits),
                     EnergyText(EnergyOf(architecture_, l, part.tensor))});
    }
    ++depth_;
  }

  const Architecture& architecture_;
  const TextStyle& style_;
  Table table_;
  size_t depth_ = 0;
};

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text.empty() ? "nothing" : text;
}

std::string ConstraintText(const Constraint& constraint) {
  std::vector<std::string> parts;
  if (constraint.x) parts.push_back("x unrolls " + Join(*constraint.x));
  if (constraint.y) parts.push_back("y unrolls " + Join(*constraint.y));
  if (!constraint.not_x.empty()) parts.push_back("x does not unroll " + Join(constraint.not_x));
  if (!constraint.not_y.empty()) parts.push_back("y does not unroll " + Join(constraint.not_y));
  if (constraint.loops) parts.push_back("loops over " + Join(*constraint.loops));
  const auto add_factor = [&parts](const std::string& of, const FactorBound& factor) {
    const char* equal = factor.relation == Relation::kEqual ? " = " : " ";
    parts.push_back(of + equal + io::FactorText(factor));
  };
  for (const FactorBound& factor : constraint.factors) add_factor(factor.dim, factor);
  if (constraint.default_factor) {
    add_factor(constraint.factors.empty() ? "all" : "others", *constraint.default_factor);
  }
  if (!constraint.innermost.empty()) parts.push_back("innermost " + Join(constraint.innermost));
  if (!constraint.outermost.empty()) parts.push_back("outermost " + Join(constraint.outermost));
  if (!constraint.keep.empty()) parts.push_back("holds " + Join(constraint.keep));
  if (!constraint.bypass.empty()) parts.push_back("does not hold " + Join(constraint.bypass));
  if (constraint.remainders) {
    parts.push_back(fmt::format("remainders in {} steps at most", *constraint.remainders));
  }
  if (constraint.min_utilization) {
    parts.push_back(fmt::format("utilisation >= {:g}", *constraint.min_utilization));
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

}  // namespace

std::string ShowArchitecture(const Architecture& architecture, const TextStyle& style) {
  std::string out = Title({"architecture", architecture.name}, style);
  if (architecture.technology)
    out += ", technology " + PrintableName(architecture.technology->name);
  out += "\n" + TreeTable(architecture, style).Build().Render(style);
  out += Paint("pJ per access; bandwidth in words per cycle, read / write\n", Tone::kDim, style);
  if (!architecture.constraints.empty()) {
    Table table({{"constraint at", Align::kLeft}, {"allows only", Align::kLeft}});
    for (const Constraint& constraint : architecture.constraints) {
      table.AddRow({constraint.at, ConstraintText(constraint)});
    }
    out += "\n" + table.Render(style);
  }
  if (const auto area = AreaUm2(architecture)) {
    out += fmt::format("\narea {} mm{} on chip\n", GroupedFixed(*area * 1e-6, 3, style),
                       style.unicode ? "²" : "2");
  }
  return out;
}

}  // namespace inlay::report
