#include "inlay/emit/c_nest.h"

#include <algorithm>
#include <set>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/uneven.h"

namespace inlay::emit {
namespace {

bool CanMulticast(const Fanout& fanout) { return fanout.multicast == Multicast::kTile; }
bool CanReduce(const Fanout& fanout) { return fanout.reduce; }

std::string Times(const std::string& variable, int64_t factor) {
  return factor == 1 ? variable : fmt::format("{} * {}", variable, factor);
}

const char* AxisName(Axis axis) { return axis == Axis::kX ? "x" : "y"; }

}  // namespace

EvenParts EvenPartsOf(const Architecture& architecture, const Mapping& mapping) {
  const EvenForm form = EvenFormOf(mapping);
  EvenParts parts{architecture, form.mapping, form.origin};
  parts.architecture.levels = {};
  for (LevelId l : Ids(form.origin)) {
    Level level = architecture.levels[form.origin[l]];
    const LevelId next(l.value() + 1);
    const bool last = next.value() == form.origin.size() || form.origin[next] != form.origin[l];
    if (!last) level.fanout = Fanout();
    parts.architecture.levels.push_back(std::move(level));
  }
  return parts;
}

CNest::CNest(const CNestInput& input, CNames* names)
    : input_(input),
      problem_(*input.problem),
      compute_(input.architecture->levels.size()),
      memories_of_(problem_.tensors.size()),
      levels_of_(problem_.tensors.size()),
      transfers_(problem_.tensors.size()) {
  // Lengths of lists of lanes come from the loops, whose names come after those of the memories.
  MakeLoops();
  for (TensorId t : Ids(problem_.tensors)) MakeMemories(t, names);
  names_ = names->Local();
  for (const std::string& range : input.ranges) (void)names_.Unique(range);
  IndexedVector<DimId, int> counts(problem_.dims.size(), 0);
  for (NestLoop& loop : loops_) {
    loop.range =
        names_.Unique(fmt::format("{}{}", problem_.dims[loop.dim].name, ++counts[loop.dim]));
    loop.at = names_.Unique((loop.spatial() ? AxisName(loop.axis) : "at") + ("_" + loop.range));
  }
}

// Loops of one turn are none.
void CNest::MakeLoops() {
  IndexedVector<DimId, int64_t> sizes;
  for (const Dimension& dim : problem_.dims) sizes.push_back(dim.bound);
  IndexedVector<DimId, char> has_lanes(problem_.dims.size(), 0);
  size_t times = 0;
  for (LevelId l : Ids(input_.mapping->levels)) {
    const LevelMapping& level = input_.mapping->levels[l];
    for (const auto* loops : {&level.temporal, &level.spatial}) {
      for (const Loop& loop : *loops) {
        int64_t& size = sizes[loop.dim];
        const int64_t trips = CeilDiv(size, loop.step);
        if (trips > 1) {
          loops_.push_back({loop.dim, loop.step, l, loop.axis, trips, size,
                            has_lanes[loop.dim] != 0, times, "", ""});
          if (loop.axis == Axis::kTime) {
            ++times;
          } else {
            has_lanes[loop.dim] = 1;
          }
        }
        size = loop.step;
      }
    }
  }
  for (const NestLoop& loop : loops_) {
    if (!loop.spatial()) times_.push_back(&loop);
  }
}

int64_t CNest::LanesAbove(LevelId level) const {
  int64_t lanes = 1;
  for (const NestLoop& loop : loops_) {
    if (loop.spatial() && loop.level < level) lanes *= loop.trips;
  }
  return lanes;
}

// The number of a lane among those of its level.
std::string CNest::LaneOf(LevelId level) const {
  std::string lane;
  for (const NestLoop& loop : loops_) {
    if (!loop.spatial() || !(loop.level < level)) continue;
    lane = WithDigit(lane, loop.trips, loop.at);
  }
  return lane.empty() ? "0" : lane;
}

bool CNest::EveryFanout(LevelId from, LevelId to, bool (*able)(const Fanout&)) const {
  for (size_t l = from.value(); l < to.value(); ++l) {
    const Fanout& fanout = input_.architecture->levels[LevelId(l)].fanout;
    if (fanout.x * fanout.y > 1 && !able(fanout)) return false;
  }
  return true;
}

bool CNest::Meets(TensorId tensor, LevelId from, LevelId to) const {
  for (const Rank& rank : problem_.tensors[tensor].ranks) {
    std::set<DimId> unrolled;
    for (const Term& term : rank.terms) {
      for (const NestLoop& loop : loops_) {
        const bool between = !(loop.level < from) && loop.level < to;
        if (loop.spatial() && between && loop.dim == term.dim) unrolled.insert(term.dim);
      }
    }
    if (unrolled.size() > 1) return true;
  }
  return false;
}

bool CNest::IsPerfect(DimId dim) const {
  return !input_.clipped && std::all_of(loops_.begin(), loops_.end(), [&](const NestLoop& loop) {
    return loop.dim != dim || loop.parent_size % loop.step == 0;
  });
}

void CNest::MakeMemories(TensorId tensor, CNames* names) {
  const Tensor& own = problem_.tensors[tensor];
  std::vector<const CMemory*>& memories = memories_of_[tensor];
  std::vector<LevelId>& levels = levels_of_[tensor];
  const auto add = [&](const std::string& level, const std::vector<int64_t>& extents) -> CMemory& {
    CMemory& memory = memories_.emplace_back();
    memory.tensor = input_.tensors[tensor];
    memory.level = level;
    memory.name = names->Unique(level + "_" + input_.infix + own.name);
    memory.extents = extents;
    memories.push_back(&memory);
    return memory;
  };
  IndexedVector<DimId, int64_t> bounds;
  for (const Dimension& dim : problem_.dims) bounds.push_back(dim.bound);
  for (LevelId l : Ids(input_.mapping->levels)) {
    if (!input_.mapping->levels[l].keep.contains(tensor)) continue;
    if (levels.empty() && input_.outermost[tensor] != nullptr) {
      memories.push_back(input_.outermost[tensor]);
      levels.push_back(l);
      continue;
    }
    const bool all = std::none_of(loops_.begin(), loops_.end(), [&](const NestLoop& loop) {
      return loop.level < l && (loop.spatial() || IsRelevant(own, loop.dim));
    });
    if (levels.empty() && !all) {  // all of it lies somewhere outside
      add("given", ExtentsOf(own.ranks, bounds)).whole = true;
      levels.emplace_back(0);
    }
    const bool outermost = levels.empty();
    CMemory& memory = add(input_.architecture->levels[l].name,
                          ExtentsOf(own.ranks, TileSizes(problem_, *input_.mapping, l)));
    memory.whole = outermost;
    memory.has_tile = !outermost;
    memory.lanes = LanesAbove(l);
    memory.counts = input_.counts(l, tensor);
    levels.push_back(l);
  }
  std::deque<CTransfer>& transfers = transfers_[tensor];
  for (size_t i = 1; i < memories.size(); ++i) {
    transfers.push_back(
        MakeTransfer(tensor, memories[i - 1], levels[i - 1], memories[i], levels[i]));
  }
  for (size_t i = 1; i < transfers.size(); ++i) {
    transfers[i - 1].inside = &transfers[i];
    transfers[i].around = &transfers[i - 1];
    transfers[i].idles = own.is_output && CanIdle(levels[i + 1]);
  }
  for (CTransfer& transfer : transfers) {
    transfer.adds = transfer.inner->lanes > 1 || !input_.begun.empty();
  }
  for (const CTransfer& transfer : transfers) {
    if (transfer.meets && !transfer.outer->counts.empty())
      served_ = std::max(served_, transfer.inner->lanes);
  }
  if (!own.is_output && EveryFanout(levels.back(), compute_, CanMulticast) &&
      Meets(tensor, levels.back(), compute_)) {
    served_ =
        std::max(served_, LanesAbove(compute_) * static_cast<int64_t>(problem_.tensors.size()));
  }
}

CTransfer CNest::MakeTransfer(TensorId tensor, const CMemory* outer, LevelId from,
                              const CMemory* inner, LevelId to) const {
  const Tensor& own = problem_.tensors[tensor];
  CTransfer transfer;
  transfer.outer = outer;
  transfer.inner = inner;
  transfer.fan = LanesAbove(to) / outer->lanes;
  transfer.tensor = static_cast<int>(tensor.value());
  transfer.shared = EveryFanout(from, to, own.is_output ? CanReduce : CanMulticast);
  transfer.meets = !own.is_output && transfer.shared && Meets(tensor, from, to);
  std::vector<std::string> leads;
  int64_t inside = 1;  // lanes for each of this loop's
  for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {
    if (!loop->spatial() || !(loop->level < to)) continue;
    const bool between = outer->counts.empty() || !(loop->level < from);
    if (between && !IsRelevant(own, loop->dim)) {
      const std::string digit = inside == 1 ? "lane" : fmt::format("lane / {}", inside);
      const bool outermost = inside * loop->trips == inner->lanes;
      leads.insert(leads.begin(), outermost ? fmt::format("{} == 0", digit)
                                            : fmt::format("{} % {} == 0", digit, loop->trips));
    }
    inside *= loop->trips;
  }
  if (!leads.empty()) transfer.leads = AllOf(leads);
  transfer.comes_back = own.is_output && !FirstTurns(to).empty();
  return transfer;
}

std::vector<std::string> CNest::FirstTurns(LevelId level) const {
  const Tensor& output = problem_.tensors[OutputTensor(problem_)];
  std::vector<std::string> turns;
  for (const NestLoop& loop : loops_) {
    if (loop.spatial() || !(loop.level < level) || IsRelevant(output, loop.dim)) continue;
    turns.push_back(loop.at + " == 0");
  }
  return turns;
}

void CNest::Define(CText* definitions, CText* setup) {
  for (TensorId t : Ids(problem_.tensors)) {
    for (const CMemory* memory : memories_of_[t]) {
      if (memory != input_.outermost[t]) DefineMemory(*memory, definitions, setup);
    }
    const bool is_output = problem_.tensors[t].is_output;
    std::deque<CTransfer>& transfers = transfers_[t];
    const bool any_idles = std::any_of(transfers.begin(), transfers.end(),
                                       [](const CTransfer& transfer) { return transfer.idles; });
    for (const CTransfer& transfer : transfers) {
      if (!any_idles || transfer.around == nullptr) continue;
      if (transfer.idles) {
        definitions->Comment(
            "Lanes that keep their tile in this step, while the one outside can move: idle ones");
        definitions->Line(
            fmt::format("static int {}[{}];", StaysName(transfer), transfer.inner->lanes));
        definitions->Blank();
      }
      if (NeedsHome(transfer)) DefineHome(transfer, definitions);
    }
    for (auto transfer = transfers.rbegin(); transfer != transfers.rend(); ++transfer) {
      if (!is_output) {
        DefineLoad(*transfer, definitions);
        continue;
      }
      DefineStore(*transfer, definitions);
      DefineOpen(*transfer, definitions);
    }
  }
}

// Whether lanes of this transfer or of one further in go past its outer level.
bool CNest::NeedsHome(const CTransfer& transfer) {
  for (const CTransfer* inner = &transfer; inner != nullptr; inner = inner->inside) {
    if (inner->idles) return true;
  }
  return false;
}

// Sums begin at zero, or those that lie there are read once more.
void CNest::WriteBegin(CText* text) const {
  const TensorId output = OutputTensor(problem_);
  const std::deque<CTransfer>& transfers = transfers_[output];
  if (!transfers.empty() && !transfers.front().adds) return;
  const CMemory& memory = *memories_of_[output].front();
  text->Open("");
  text->Line(fmt::format("const range to[{}] = {{{}}};", memory.extents.size(),
                         BoxOf(problem_.tensors[output].ranks, input_.ranges)));
  const int loops = OpenLoops(*input_.tensors[output], "to", text);
  const std::string zero = fmt::format("*{} = 0;", memory.At("", input_.tensors[output]->coords));
  if (input_.begun.empty()) {
    text->Line(zero);
  } else {
    text->Open(fmt::format("if ({})", input_.begun));
    text->Line(fmt::format("++{}.reads;", memory.counts));
    text->Else();
    text->Line(zero);
    text->Close();
  }
  CloseLoops(loops, text);
  text->Close();
}

void CNest::WriteBody(CText* text) {
  if (input_.clipped) {
    for (TensorId t : Ids(problem_.tensors)) {
      for (const CTransfer& transfer : transfers_[t]) {
        const CMemory& inner = *transfer.inner;
        if (problem_.tensors[t].is_output) continue;  // they were stored
        text->Line(inner.lanes == 1
                       ? fmt::format("forget({}_tile, {});", inner.name, inner.extents.size())
                       : fmt::format("forget({}_tile[0], {});", inner.name,
                                     inner.lanes * static_cast<int64_t>(inner.extents.size())));
      }
    }
  }
  if (input_.clipped) WriteBegin(text);
  WriteTransfers(0, text);
  for (const NestLoop* loop : times_) {
    const NestLoop* outer = nullptr;
    for (const NestLoop& other : loops_) {
      if (&other == loop) break;
      if (other.dim == loop->dim) outer = &other;
    }
    const std::string& parent = outer == nullptr ? input_.ranges[loop->dim] : outer->range;
    const std::string& name = problem_.dims[loop->dim].name;
    text->Comment(fmt::format("for {} in {} step {}, of {}", name, loop->parent_size, loop->step,
                              input_.architecture->levels[loop->level].name));
    if (loop->below_lanes) {
      text->Open(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0} += {2})", loop->at,
                             loop->parent_size, loop->step));
    } else {
      text->Open(fmt::format("for (int64_t {0} = 0; {0} < length({1}); {0} += {2})", loop->at,
                             parent, loop->step));
      text->Line(fmt::format("const range {} = cut({}, {}, {});", loop->range, parent, loop->at,
                             loop->step));
    }
    WriteTransfers(loop->time + 1, text);
  }
  WriteCompute(text);
  for (size_t i = 0; i < times_.size(); ++i) text->Close();
  const std::deque<CTransfer>& transfers = transfers_[OutputTensor(problem_)];
  if (transfers.empty()) return;
  for (const CTransfer& transfer : transfers) {
    if (!transfer.idles) continue;
    text->Line(fmt::format("for (int64_t i = 0; i < {}; ++i) {}[i] = 0;", transfer.inner->lanes,
                           StaysName(transfer)));
  }
  const CTransfer& store = transfers.front();
  if (store.inner->lanes == 1) {
    text->Line(StoreName(store) + "();");
  } else {
    text->Line(fmt::format("for (int64_t i = 0; i < {}; ++i) {}(i);", store.inner->lanes,
                           StoreName(store)));
  }
}

// A tile moves when a loop over one of its dimensions does: right inside the innermost of these.
void CNest::WriteTransfers(size_t times, CText* text) const {
  for (LevelId l : Ids(input_.mapping->levels)) {
    for (TensorId t : Ids(problem_.tensors)) {
      size_t own = 0;
      for (const NestLoop* loop : times_) {
        if (loop->level < l && IsRelevant(problem_.tensors[t], loop->dim)) own = loop->time + 1;
      }
      if (own != times) continue;
      for (size_t i = 0; i < transfers_[t].size(); ++i) {
        if (levels_of_[t][i + 1] == l) WriteTransfer(t, transfers_[t][i], l, times, text);
      }
    }
  }
}

void CNest::WriteTransfer(TensorId tensor, const CTransfer& transfer, LevelId level, size_t times,
                          CText* text) const {
  const Tensor& own = problem_.tensors[tensor];
  for (size_t i = 0; i < transfers_[tensor].size(); ++i) {
    const CTransfer& inside = transfers_[tensor][i];
    const LevelId inner = levels_of_[tensor][i + 1];
    if (!inside.idles || !(level < inner)) continue;
    std::string idle;
    const Lanes lanes = OpenLanes(
        inner, times, [&](DimId d) { return IsRelevant(own, d); }, &idle, text);
    text->Line(fmt::format("const range to[{}] = {{{}}};", inside.inner->extents.size(),
                           BoxOf(own.ranks, lanes.ranges)));
    text->Line(fmt::format("{}[{}] = {} || same({}, to, {});", StaysName(inside), LaneOf(inner),
                           idle, inside.inner->TileOf(LaneOf(inner)),
                           inside.inner->extents.size()));
    for (int block = 0; block < lanes.blocks; ++block) text->Close();
  }
  if (transfer.meets && !transfer.outer->counts.empty()) text->Line("served_count = 0;");
  const Lanes lanes = OpenLanes(
      level, times, [&](DimId d) { return IsRelevant(own, d); }, nullptr, text);
  if (lanes.blocks == 0) text->Open("");
  text->Line(fmt::format("const range to[{}] = {{{}}};", transfer.inner->extents.size(),
                         BoxOf(own.ranks, lanes.ranges)));
  std::string arguments = transfer.inner->lanes == 1 ? "" : LaneOf(level) + ", ";
  if (own.is_output) {
    if (transfer.comes_back) {
      std::vector<std::string> turns;
      for (const NestLoop* loop : times_) {
        if (loop->time < times && loop->level < level && !IsRelevant(own, loop->dim)) {
          turns.push_back(loop->at + " == 0");
        }
      }
      arguments += AllOf(turns) + ", ";
    }
    text->Line(fmt::format("{}({}to);", OpenName(transfer), arguments));
  } else {
    text->Line(fmt::format("{}({}to);", LoadName(transfer), arguments));
  }
  if (lanes.blocks == 0) text->Close();
  for (int i = 0; i < lanes.blocks; ++i) text->Close();
}

CNest::Lanes CNest::OpenLanes(LevelId level, size_t times, const std::function<bool(DimId)>& needed,
                              std::string* idle_when, CText* text) const {
  Lanes lanes;
  lanes.ranges = input_.ranges;
  const auto can_idle = [&](DimId d) { return CanIdle(level, d); };
  for (const NestLoop& loop : loops_) {
    if (!(loop.level < level)) break;
    const bool open = !loop.spatial() && loop.time < times;
    if (loop.spatial()) {
      text->Comment(fmt::format(
          "parallel {} in {} step {} on {}.{}", problem_.dims[loop.dim].name, loop.parent_size,
          loop.step, input_.architecture->levels[loop.level].fanout.name, AxisName(loop.axis)));
      text->Open(fmt::format("for (int64_t {0} = 0; {0} < {1}; ++{0})", loop.at, loop.trips));
      ++lanes.blocks;
    }
    if (open && !loop.below_lanes) {  // the range has been made where the loop begins
      lanes.ranges[loop.dim] = loop.range;
      continue;
    }
    if (!needed(loop.dim) && !can_idle(loop.dim)) continue;
    if (lanes.blocks == 0) {
      text->Open("");
      ++lanes.blocks;
    }
    const std::string at = loop.spatial() ? Times(loop.at, loop.step)
                           : open         ? loop.at
                                          : std::string("0");
    text->Line(fmt::format("const range {} = cut({}, {}, {});", loop.range, lanes.ranges[loop.dim],
                           at, loop.step));
    lanes.ranges[loop.dim] = loop.range;
  }
  std::vector<std::string> idle;
  for (DimId d : Ids(problem_.dims)) {
    if (can_idle(d)) idle.push_back(fmt::format("length({}) == 0", lanes.ranges[d]));
  }
  const std::string condition = fmt::format("{}", fmt::join(idle, " || "));
  if (idle_when != nullptr) {
    *idle_when = condition;
  } else if (!idle.empty()) {
    text->Line(fmt::format("if ({}) continue; /* idle */", condition));
  }
  return lanes;
}

// Whether lanes of a level can be without a part of the dimension's range.
bool CNest::CanIdle(LevelId level, DimId dim) const {
  return !IsPerfect(dim) && std::any_of(loops_.begin(), loops_.end(), [&](const NestLoop& loop) {
    return loop.spatial() && loop.level < level && loop.dim == dim;
  });
}

bool CNest::CanIdle(LevelId level) const {
  for (DimId d : Ids(problem_.dims)) {
    if (CanIdle(level, d)) return true;
  }
  return false;
}

void CNest::WriteCompute(CText* text) const {
  const bool parallel = LanesAbove(compute_) > 1;
  const bool counts_steps = !input_.steps.empty();
  if (parallel && counts_steps) text->Line("int busy = 0;");
  bool meets = false;
  for (TensorId t : Ids(problem_.tensors)) {
    const bool shared = EveryFanout(levels_of_[t].back(), compute_, CanMulticast);
    meets = meets ||
            (!problem_.tensors[t].is_output && shared && Meets(t, levels_of_[t].back(), compute_));
  }
  if (meets) text->Line("served_count = 0;");
  const Lanes lanes = OpenLanes(
      compute_, times_.size(), [](DimId) { return true; }, nullptr, text);
  if (!parallel) text->Open("");
  if (parallel && counts_steps) text->Line("busy = 1;");
  CNames names = names_;
  IndexedVector<DimId, std::string> coords;
  for (DimId d : Ids(problem_.dims)) {
    coords.push_back(names.Unique(problem_.dims[d].name));
    text->Line(fmt::format("const int64_t {} = {}.lo;", coords[d], lanes.ranges[d]));
  }
  std::string product;
  for (TensorId t : Ids(problem_.tensors)) {
    const Tensor& tensor = problem_.tensors[t];
    if (tensor.is_output) continue;
    const std::vector<std::string> point = PointOf(tensor.ranks, coords);
    product += (product.empty() ? "*" : " * *") +
               memories_of_[t].back()->At(LaneOf(levels_of_[t].back()), point);
    WriteReads(t, point, text);
  }
  if (product.empty()) product = "1";
  if (input_.marked) product = fmt::format("stand_in({})", product);
  WriteUpdate(product, PointOf(problem_.tensors[OutputTensor(problem_)].ranks, coords), text);
  text->Line(fmt::format("++{};", input_.operations));
  if (!parallel && counts_steps) text->Line(fmt::format("++{};", input_.steps));
  if (!parallel) text->Close();
  for (int i = 0; i < lanes.blocks; ++i) text->Close();
  if (parallel && counts_steps) text->Line(fmt::format("{} += busy;", input_.steps));
}

// Lanes that differ in dimensions which the tensor does not have use the same word.
std::vector<std::string> CNest::LeadsOfCompute(TensorId tensor) const {
  std::vector<std::string> leads;
  for (const NestLoop& loop : loops_) {
    if (!loop.spatial() || loop.level < levels_of_[tensor].back()) continue;
    if (!IsRelevant(problem_.tensors[tensor], loop.dim)) leads.push_back(loop.at + " == 0");
  }
  return leads;
}

void CNest::WriteReads(TensorId tensor, const std::vector<std::string>& point, CText* text) const {
  const LevelId level = levels_of_[tensor].back();
  const std::string count = fmt::format("++{}.reads;", memories_of_[tensor].back()->counts);
  std::vector<std::string> leads;
  if (EveryFanout(level, compute_, CanMulticast)) {
    leads = LeadsOfCompute(tensor);
    if (Meets(tensor, level, compute_)) {
      std::vector<std::string> ranges;
      ranges.reserve(point.size());
      for (const std::string& x : point) ranges.push_back(fmt::format("{{{0}, {0} + 1}}", x));
      text->Open("");
      text->Line(
          fmt::format("const range at[{}] = {{{}}};", point.size(), fmt::join(ranges, ", ")));
      leads.push_back(
          fmt::format("!shares({}, {}, at, at, {})", tensor.value(), LaneOf(level), point.size()));
      text->Line(fmt::format("if ({}) {}", AllOf(leads), count));
      text->Close();
      return;
    }
  }
  text->Line(leads.empty() ? count : fmt::format("if ({}) {}", AllOf(leads), count));
}

void CNest::WriteUpdate(const std::string& product, const std::vector<std::string>& point,
                        CText* text) const {
  const TensorId output = OutputTensor(problem_);
  const LevelId level = levels_of_[output].back();
  const CMemory& memory = *memories_of_[output].back();
  const bool shared = EveryFanout(level, compute_, CanReduce);
  const std::vector<std::string> leads = LeadsOfCompute(output);
  // The first time that a sum is added to there is nothing to read.
  std::vector<std::string> first = FirstTurns(compute_);
  first.insert(first.end(), leads.begin(), leads.end());
  const std::string once = shared && !leads.empty() ? AllOf(leads) : "";
  text->Line(fmt::format("*{} += {};", memory.At(LaneOf(level), point), product));
  if (!FirstTurns(compute_).empty() || (!shared && !leads.empty())) {
    const std::vector<std::string> turns = once.empty() ? first : FirstTurns(compute_);
    text->Line(fmt::format("if ({}{}!({})) ++{}.reads;", once, once.empty() ? "" : " && ",
                           AllOf(turns), memory.counts));
  }
  text->Line(
      fmt::format("{}++{}.updates;", once.empty() ? "" : "if (" + once + ") ", memory.counts));
}

}  // namespace inlay::emit
