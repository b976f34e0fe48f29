#include "inlay/mapper/exact/bound.h"

#include <algorithm>
#include <cmath>

#include "inlay/mapper/exact/edge_bounds.h"

namespace inlay::exact_search {
namespace {

void AddCompute(const MappingSet& set, BoundSum* sum) {
  for (const Edge& edge : set.keep_case.edges[set.keep_case.levels]) {
    EdgeTraffic traffic = ComputeTraffic(set, edge);
    // Each further copy saves compute a read of every word, but the copy itself is drained once
    // more: where every lane drains its words but once, the two cancel.
    const bool cancel = edge.output && sum->output_copies >= 0;
    traffic.first *= cancel ? sum->output_copies : MostCopies(set, edge);
    Charge(set.keep_case, edge, traffic, &sum->total, sum->ports.data());
  }
}

// Whether some loop of the levels [from, to) may move the tile of an edge.
bool MayMoveTile(const MappingSet& set, const Edge& edge, size_t from, size_t to) {
  for (size_t d = 0; d < set.keep_case.dims; ++d) {
    if (set.keep_case.tensors[edge.tensor].rank_of[d] >= 0 && MayMove(set, from, to, d))
      return true;
  }
  return false;
}

}  // namespace

Bounder::Bounder(const KeepCase& keep_case, const RowLayout& layout)
    : keep_case_(keep_case), layout_(layout) {
  terms_.resize(keep_case.levels + 1);
  for (size_t c = 1; c < keep_case.levels; ++c) {
    terms_[c].resize(keep_case.edges[c].size());
    for (size_t e = 0; e < keep_case.edges[c].size(); ++e) {
      ClearTerms(keep_case, keep_case.edges[c][e], &terms_[c][e]);
    }
  }
}

void Bounder::TakeEdge(const MappingSet& set, size_t child, size_t e, size_t levels) {
  const Edge& edge = keep_case_.edges[child][e];
  EdgeTerms* terms = &terms_[child][e];
  UpdateTerms(set, edge, terms);
  members_.push_back({&edge, terms, RepeatsOf(set, edge, levels), {}});
}

void Bounder::AddMembers(const MappingSet& set, const LoopGroup& group, int inner, BoundSum* sum) {
  AddGroup(set, group, members_, inner, &scratch_, sum);
}

void Bounder::AddMerged(const MappingSet& set, size_t child, int inner, BoundSum* sum) {
  if (child == keep_case_.levels) {
    AddCompute(set, sum);
    return;
  }
  members_.clear();
  for (size_t e = 0; e < keep_case_.edges[child].size(); ++e) TakeEdge(set, child, e, child);
  AddMembers(set, {0, child}, inner, sum);
}

void Bounder::AddNested(const MappingSet& set, size_t first, int inner, BoundSum* sum) {
  inner = AddInnerLevels(set, first, inner, sum, &open_);
  members_.clear();
  for (const OpenEdge& open : open_) {
    members_.push_back({open.edge, &open.terms, RepeatsOf(set, *open.edge, first), {}});
  }
  AddMembers(set, {0, first}, inner, sum);
}

int Bounder::AddInnerLevels(const MappingSet& set, size_t first, int inner, BoundSum* sum,
                            std::vector<OpenEdge>* open) {
  const size_t last = keep_case_.levels - 1;
  for (size_t c = first; c <= last; ++c) {
    for (size_t e = 0; e < keep_case_.edges[c].size(); ++e) {
      UpdateTerms(set, keep_case_.edges[c][e], &terms_[c][e]);
    }
  }
  // The group of the innermost loop above the last level: its innermost dimension is given. Where
  // the chains of a set do not agree whether a group is there, it is not.
  size_t inner_group = last;
  for (; inner_group > first; --inner_group) {
    bool may = false, must = false;
    for (const double* row : set.rows) {
      may = may || row[RowLayout::MayMove(inner_group - 1)] != 0;
      must = must || row[RowLayout::MustMove(inner_group - 1)] != 0;
    }
    if (may && !must) inner = kAnyDim;
    if (may) break;
  }
  // From the inside out: group g holds the loops of level g.
  open->clear();
  for (size_t end = last; end >= first && end > 0; --end) {
    const LoopGroup group = {end - 1, end};
    members_.clear();
    for (size_t c = std::max(end, first); c <= last; ++c) {
      for (size_t e = 0; e < keep_case_.edges[c].size(); ++e) {
        const Edge& edge = keep_case_.edges[c][e];
        // The innermost group below c in which a relevant dimension moves; else none.
        size_t own = c;
        while (own > first && !MayMoveTile(set, edge, own - 1, own)) --own;
        if (own != end) continue;
        if (end == first) {
          open->push_back({&edge, terms_[c][e]});
        } else {
          members_.push_back({&edge, &terms_[c][e], RepeatsOf(set, edge, group.to),
                              RepeatsOf(set, edge, group.from)});
        }
      }
    }
    if (end > first) AddMembers(set, group, end == inner_group ? inner : kAnyDim, sum);
  }
  return inner_group == first ? inner : kAnyDim;
}

bool Bounder::AddLevelInCase(const MappingSet& set, size_t level, const std::vector<OpenEdge>& open,
                             uint64_t moved, int inner, BoundSum* sum) {
  if (moved != 0) {
    if (inner == kNoDim) return false;
    if (inner >= 0 && set.rows[static_cast<size_t>(inner)][RowLayout::MayMove(level)] == 0) {
      return false;
    }
    const LoopGroup group = {level, level + 1, true};
    members_.clear();
    for (const OpenEdge& one : open) {
      if ((moved >> one.edge->tensor & 1) == 0) continue;
      if (!MayMoveTile(set, *one.edge, group.from, group.to)) return false;
      members_.push_back({one.edge, &one.terms, RepeatsOf(set, *one.edge, level + 1),
                          RepeatsOf(set, *one.edge, level)});
    }
    AddMembers(set, group, inner, sum);
    inner = kAnyDim;
  }
  members_.clear();
  for (const OpenEdge& one : open) {
    if ((moved >> one.edge->tensor & 1) != 0) continue;
    members_.push_back({one.edge, &one.terms, RepeatsOf(set, *one.edge, level), {}});
  }
  for (size_t e = 0; e < keep_case_.edges[level].size(); ++e) TakeEdge(set, level, e, level);
  AddMembers(set, {0, level}, inner, sum);
  return true;
}

const EdgeTerms& Bounder::UpdateBypassing(const MappingSet& set, const Edge& edge, size_t i) {
  EdgeTerms* terms = &bypassing_terms_[i];
  ClearTerms(keep_case_, edge, terms);
  UpdateTerms(set, edge, terms);
  return *terms;
}

bool Bounder::AddSentInward(const MappingSet& set, size_t level,
                            const std::vector<const Edge*>& bypassing, uint64_t moved, int inner,
                            BoundSum* sum) {
  members_.clear();
  for (size_t e = 0; e < keep_case_.edges[level].size(); ++e) {
    if (keep_case_.edges[level][e].parent + 1 == level) TakeEdge(set, level, e, level);
  }
  bypassing_terms_.resize(std::max(bypassing_terms_.size(), bypassing.size()));
  for (size_t i = 0; i < bypassing.size(); ++i) {
    const Edge& edge = *bypassing[i];
    const EdgeTerms& terms = UpdateBypassing(set, edge, i);
    const Repeats repeats = RepeatsOf(set, edge, level);
    if ((moved >> i & 1) == 0) {
      members_.push_back({&edge, &terms, repeats, {}});
      continue;
    }
    EdgeTraffic traffic = TrafficOnce(terms);
    if (!RaiseBySome(set, edge, terms, repeats, level, edge.child, &traffic)) return false;
    Charge(keep_case_, edge, traffic, &sum->total, sum->ports.data());
  }
  AddMembers(set, {0, level}, inner, sum);
  return true;
}

double Bounder::OffchipInCase(const MappingSet& set, const std::vector<const Edge*>& bypassing,
                              size_t moved) {
  case_sum_.Begin(keep_case_);
  members_.clear();
  bypassing_terms_.resize(std::max(bypassing_terms_.size(), bypassing.size()));
  for (size_t e = 0; e < keep_case_.edges[1].size(); ++e) TakeEdge(set, 1, e, 1);
  for (size_t i = 0; i < bypassing.size(); ++i) {
    const Edge& edge = *bypassing[i];
    if ((moved >> i & 1) != 0) {
      case_sum_.total.offchip_words += OffchipMoved(set, edge);
      continue;
    }
    const EdgeTerms& terms = UpdateBypassing(set, edge, i);
    members_.push_back({&edge, &terms, RepeatsOf(set, edge, 1), {}});
  }
  AddMembers(set, {0, 1}, kAnyDim, &case_sum_);
  return case_sum_.total.offchip_words;
}

namespace {

// Cycles at least for the words of a port.
double PortCyclesOf(const MappingSet& set, const BoundSum& sum, size_t p) {
  const KeepCase& keep_case = set.keep_case;
  const Port& port = keep_case.ports[p];
  double lanes = 1;
  if (port.level > 0) {
    const size_t at = set.layout.At(port.level);
    for (size_t d = 0; d < keep_case.dims; ++d) lanes *= set.rows[d][at + kLanesHi];
    lanes = std::min(lanes, keep_case.instances[port.level]);
  }
  // A little less than the truth, because the evaluator forgives rounding errors.
  return sum.ports[p] / (lanes * port.words_per_cycle) * (1 - 1e-12);
}

// How often the tile of a tensor is moved into a level at least: lane 0 is active at every step at
// which some lane is, and the innermost loop that moves the tile has the others that do outside.
double FewestMoves(const MappingSet& set, size_t tensor, size_t level) {
  const size_t at = set.layout.At(level);
  double moves = 1;
  for (size_t d = 0; d < set.keep_case.dims; ++d) {
    if (set.keep_case.tensors[tensor].rank_of[d] < 0) continue;
    const double* row = set.rows[d] + at;
    moves *= std::max(1.0, std::ceil(row[kTilesLo] / row[kLanesHi] * (1 - 1e-9)));
  }
  return moves;
}

EngineTime EngineOf(const MappingSet& set, const BoundSum& sum, size_t level) {
  const LevelTime& time = set.keep_case.times[level];
  EngineTime engine;
  if (!time.engine || time.fed.empty()) return engine;
  double loads = 0, stores = 0;
  for (size_t p = 0; p < set.keep_case.ports.size(); ++p) {
    const Port& port = set.keep_case.ports[p];
    if (port.child != static_cast<int>(level)) continue;
    // Out of the feeder is into the level.
    double& most = port.out == (port.level == level) ? stores : loads;
    most = std::max(most, PortCyclesOf(set, sum, p));
  }
  engine.busy = loads + stores;
  for (const size_t tensor : time.fed) {
    engine.busy += time.transfer * FewestMoves(set, tensor, level);
  }
  if (time.inputs.empty()) return engine;
  engine.first = time.wait + time.transfer * static_cast<double>(time.inputs.size());
  if (time.overlap == Overlap::kStream) return engine;
  double requests = 0;
  for (const size_t tensor : time.inputs) {
    requests = std::max(requests, FewestMoves(set, tensor, level));
  }
  engine.busy += time.wait * requests;
  return engine;
}

// The rules of docs/reference/time.md over what is known of every level.
double TimedCycles(const MappingSet& set, double steps, const BoundSum& sum, double dynamic_pj) {
  const KeepCase& keep_case = set.keep_case;
  std::vector<double> ports(keep_case.levels, 0);
  for (size_t p = 0; p < keep_case.ports.size(); ++p) {
    if (keep_case.ports[p].child >= 0) continue;
    double& most = ports[keep_case.ports[p].level];
    most = std::max(most, PortCyclesOf(set, sum, p));
  }
  double cycles = steps;
  for (size_t l = keep_case.levels; l-- > 0;) {
    cycles = AroundLevel(keep_case.times[l].overlap, ports[l], EngineOf(set, sum, l), cycles);
  }
  cycles += keep_case.start_cycles;
  if (keep_case.dynamic_pj_per_cycle > 0) {
    cycles =
        std::max(cycles, keep_case.launch_cycles + dynamic_pj / keep_case.dynamic_pj_per_cycle);
  }
  return std::ceil(cycles * (1 - 1e-9) - 1e-9);
}

}  // namespace

LowerBound Finish(const MappingSet& set, double steps, const BoundSum& sum) {
  const KeepCase& keep_case = set.keep_case;
  LowerBound bound = sum.total;
  const size_t compute = set.layout.At(keep_case.levels);
  double operations = 1;
  for (const double* row : set.rows) operations *= row[compute + kTilesLo];
  bound.cycles = std::max(bound.cycles, steps);
  for (size_t p = 0; p < keep_case.ports.size(); ++p) {
    const double cycles = PortCyclesOf(set, sum, p);
    bound.cycles = std::max(bound.cycles, std::ceil(cycles * (1 - 1e-9) - 1e-9));
  }
  bound.energy_pj += operations * keep_case.compute_pj;
  if (keep_case.has_time_keys) {
    bound.cycles = std::max(bound.cycles, TimedCycles(set, steps, sum, bound.energy_pj));
  }
  bound.energy_pj += bound.cycles * keep_case.leakage_pj;
  return bound;
}

}  // namespace inlay::exact_search
