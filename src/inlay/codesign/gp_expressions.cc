#include "inlay/codesign/gp_expressions.h"

#include <algorithm>
#include <utility>

#include "inlay/gp/orders.h"
#include "inlay/gp/volume.h"
#include "inlay/mapper/gp/pipeline.h"

namespace inlay {
namespace {

class Explainer {
 public:
  explicit Explainer(const Space& space)
      : problem_(space.problem), architecture_(space.architecture) {
    const gp::WindowSlots windows = gp::PaperWindows(space);
    const LevelId last(architecture_.levels.size() - 1);
    for (LevelId l : Ids(architecture_.levels)) {
      const Level& level = architecture_.levels[l];
      gp::NestLevel nest;
      nest.keep = space.keeps[l].back();  // what it may keep or not is taken to be kept
      // The width of a fan-out with a name is unknown: treat it as an array.
      const bool array = level.fanout.x * level.fanout.y > 1 || !level.fanout.name.empty();
      for (DimId d : Ids(problem_.dims)) {
        if (problem_.dims[d].bound == 1) continue;
        if (IsWhole(windows, d)) {
          if (l == last) nest.temporal.push_back({d, gp::Constant(Bound(d))});
          continue;
        }
        nest.temporal.push_back({d, Unknown(d, level.name)});
        if (array) nest.spatial.push_back({d, Unknown(d, NameOf(level.fanout, level))});
      }
      nest_.levels.push_back(std::move(nest));
    }
  }

  Explanation Run(const std::string& layer) {
    Explanation out;
    out.layer = layer;
    for (size_t l = 1; l < nest_.levels.size(); ++l) out.tiles.push_back(TilesOf(LevelId(l)));
    for (size_t l = 0; l + 1 < nest_.levels.size(); ++l) out.levels.push_back(Of(LevelId(l)));
    return out;
  }

 private:
  static bool IsWhole(const gp::WindowSlots& windows, DimId dim) {
    return std::any_of(windows.begin(), windows.end(),
                       [dim](const auto& window) { return window.first == dim; });
  }
  static std::string NameOf(const Fanout& fanout, const Level& level) {
    return fanout.name.empty() ? level.name + ".lanes" : fanout.name;
  }
  double Bound(DimId dim) const { return static_cast<double>(problem_.dims[dim].bound); }

  gp::Monomial Unknown(DimId dim, const std::string& place) {
    names_.push_back(problem_.dims[dim].name + "_" + place);
    return gp::Variable(gp::VariableId(names_.size() - 1));
  }

  std::pair<std::string, TensorExpressions> TilesOf(LevelId level) const {
    TensorExpressions words;
    for (TensorId t : Ids(problem_.tensors)) {
      if (!nest_.levels[level].keep.contains(t)) continue;
      words.emplace_back(problem_.tensors[t].name,
                         ToString(gp::Footprint(problem_, nest_, t, level), names_));
    }
    return {architecture_.levels[level].name, std::move(words)};
  }

  ExplainedLevel Of(LevelId l) const {
    std::vector<DimId> dims;
    for (const gp::NestLoop& loop : nest_.levels[l].temporal) dims.push_back(loop.dim);
    ExplainedLevel level;
    level.level = architecture_.levels[l].name;
    level.inner = architecture_.levels[LevelId(l.value() + 1)].name;
    level.orders = 1;
    for (size_t i = 2; i <= dims.size(); ++i) level.orders *= i;
    level.paper_classes = gp::OrderClasses(problem_, dims, gp::Pruning::kHoisting).size();
    const auto classes = gp::OrderClasses(problem_, dims, gp::Pruning::kExpressions);
    for (size_t i = 0; i < classes.size(); ++i) {
      ExplainedClass explained;
      for (const DimId d : classes[i].order) explained.order.push_back(problem_.dims[d].name);
      explained.dominated_by = AsGood(classes, i);
      explained.copies = CopiesFrom(l, classes[i].order);
      level.classes.push_back(std::move(explained));
    }
    return level;
  }

  // The first class that no other beats and that saves whatever the i-th does.
  static std::optional<size_t> AsGood(const std::vector<gp::OrderClass>& classes, size_t i) {
    const auto saves = [](const gp::OrderClass& a, const gp::OrderClass& b) {
      for (TensorId t : Ids(a.saved)) {
        if ((a.saved[t] & b.saved[t]) != b.saved[t]) return false;
      }
      return true;
    };
    const auto beaten = [&](size_t of) {
      for (size_t other = 0; other < classes.size(); ++other) {
        if (other != of && saves(classes[other], classes[of])) return true;
      }
      return false;
    };
    if (!beaten(i)) return std::nullopt;
    for (size_t other = 0; other < classes.size(); ++other) {
      if (other != i && !beaten(other) && saves(classes[other], classes[i])) return other + 1;
    }
    return std::nullopt;
  }

  // Copies from one level inward by its own loops alone, as in the paper's Table I.
  std::vector<std::pair<std::string, std::vector<ExplainedCopy>>> CopiesFrom(
      LevelId l, const std::vector<DimId>& order) const {
    gp::Nest nest;  // from the level on
    for (size_t i = l.value(); i < nest_.levels.size(); ++i) {
      nest.levels.push_back(nest_.levels[LevelId(i)]);
    }
    gp::NestLevel& top = nest.levels[LevelId(0)];
    std::sort(top.temporal.begin(), top.temporal.end(), [&](const auto& a, const auto& b) {
      return std::find(order.begin(), order.end(), a.dim) <
             std::find(order.begin(), order.end(), b.dim);
    });
    std::vector<std::string> loops = {""};
    for (const gp::NestLoop& loop : top.spatial) loops.push_back(ToString(loop.steps, names_));
    for (size_t i = top.temporal.size(); i-- > 0;) {
      loops.push_back(ToString(top.temporal[i].steps, names_));
    }
    std::vector<std::pair<std::string, std::vector<ExplainedCopy>>> copies;
    for (TensorId t : Ids(problem_.tensors)) {
      copies.emplace_back(problem_.tensors[t].name, CopiesOf(nest, t, loops));
    }
    return copies;
  }

  std::vector<ExplainedCopy> CopiesOf(const gp::Nest& nest, TensorId t,
                                      const std::vector<std::string>& loops) const {
    LevelId inner(1);
    while (inner.value() < nest.levels.size() && !nest.levels[inner].keep.contains(t)) ++inner;
    const bool copied =
        nest.levels[LevelId(0)].keep.contains(t) && inner.value() < nest.levels.size();
    if (!copied) return {};
    std::vector<gp::Words> trace = {gp::Footprint(problem_, nest, t, inner)};
    std::vector<gp::Words> steps;
    gp::Volume(problem_, nest, t, LevelId(0), inner, &steps);
    trace.insert(trace.end(), steps.begin(), steps.end());
    // The first row includes the loops of the levels in between, which do not keep the tensor.
    const size_t skipped = trace.size() - loops.size();
    std::vector<ExplainedCopy> copies;
    for (size_t i = 0; i < loops.size(); ++i) {
      gp::Words words = trace[skipped + i];
      if (i > 0 && problem_.tensors[t].is_output) words.times = gp::Constant(2) * words.times;
      copies.push_back({loops[i], ToString(words, names_)});
    }
    return copies;
  }

  const Problem& problem_;
  const Architecture& architecture_;
  gp::Nest nest_;
  gp::VariableNames names_;
};

}  // namespace

tl::expected<Explanation, Faults> Explain(const Layer& layer, const Architecture& architecture) {
  const auto space = MakeSpace(layer.problem, architecture, Mapspace::kPerfect);
  if (!space) return tl::unexpected(space.error());
  Faults faults = gp::FindUnfit(*space);
  std::erase_if(faults, [](const Fault& fault) { return fault.where.rfind("levels.", 0) == 0; });
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return Explainer(*space).Run(layer.name);
}

}  // namespace inlay
