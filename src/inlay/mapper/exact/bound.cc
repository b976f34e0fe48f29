#include "inlay/mapper/exact/bound.h"

#include <algorithm>
#include <cmath>

namespace inlay::exact_search {
double BoundOf(const LowerBound& least, Metric metric) {
  switch (metric) {
    case Metric::kEnergy:
      return least.energy_pj;
    case Metric::kDelay:
      return least.cycles;
    case Metric::kEdp:
      return least.energy_pj * least.cycles;
    case Metric::kOffchip:
      return least.offchip_words;
  }
  return 0;
}

Bounder::Bounder(const Frame& frame, const RowLayout& layout) : frame_(frame), layout_(layout) {
  terms_.resize(frame.levels + 1);
  for (size_t c = 1; c < frame.levels; ++c) {
    terms_[c].resize(frame.edges[c].size());
    for (size_t e = 0; e < frame.edges[c].size(); ++e) {
      MakeRoom(frame.edges[c][e], &terms_[c][e]);
    }
  }
  port_sum_.resize(frame.ports.size());
  port_class_.resize(frame.ports.size());
  port_least_.resize(frame.ports.size());
}

void Bounder::Begin() {
  std::fill(port_sum_.begin(), port_sum_.end(), 0.0);
  bypassing_ = LowerBound();
  AssumeNothing();
}

void Bounder::ShareLanes(const Rows& rows, Sharing* sharing, uint64_t open_dims,
                         double lanes_left) {
  if (sharing == nullptr || !sharing->applies() || open_dims == 0) return;
  sharing_ = sharing;
  open_dims_ = open_dims;
  Sharing::LaneFloor least;
  if (alone_dim_ >= 0 && (open_dims >> alone_dim_ & 1) != 0) {
    const auto dim = static_cast<size_t>(alone_dim_);
    const double lanes = rows[dim][layout_.At(frame_.levels - 1) + kAloneLanesLo];
    if (std::isfinite(lanes)) least = {dim, static_cast<int64_t>(lanes)};
  }
  ways_ = &sharing->Ways(open_dims, static_cast<int64_t>(lanes_left), least);
}

void Bounder::Save(const LowerBound& least, State* state) const {
  state->least = least;
  state->ports = port_sum_;
  state->bypassing = bypassing_;
}

LowerBound Bounder::BeginFrom(const State& state) {
  port_sum_ = state.ports;
  bypassing_ = state.bypassing;
  AssumeNothing();
  return state.least;
}

void Bounder::AssumeNothing() {
  bypassing_level_ = 0;
  order_depth_ = 1;
  ways_ = nullptr;
  even_dim_ = alone_dim_ = -1;
  output_copies_ = -1;
}

void Bounder::AddMerged(const Rows& rows, size_t child, int inner, LowerBound* least) {
  if (child == frame_.levels) {
    AddCompute(rows, least);
    return;
  }
  const std::vector<Edge>& edges = frame_.edges[child];
  members_.clear();
  for (size_t e = 0; e < edges.size(); ++e) {
    EdgeTerms* terms = &terms_[child][e];
    Prepare(rows, edges[e], terms);
    members_.push_back({&edges[e], terms, TimesOf(rows, edges[e], child), {}});
  }
  AddGroup(rows, {0, child}, members_, inner, least);
}

void Bounder::AddNested(const Rows& rows, size_t first, int inner, LowerBound* least) {
  inner = AddSettled(rows, first, inner, least, &open_);
  members_.clear();
  for (const OpenEdge& open : open_) {
    members_.push_back({open.edge, &open.terms, TimesOf(rows, *open.edge, first), {}});
  }
  AddGroup(rows, {0, first}, members_, inner, least);
}

int Bounder::AddSettled(const Rows& rows, size_t first, int inner, LowerBound* least,
                        std::vector<OpenEdge>* open) {
  const size_t last = frame_.levels - 1;
  for (size_t c = first; c <= last; ++c) {
    for (size_t e = 0; e < frame_.edges[c].size(); ++e) {
      Prepare(rows, frame_.edges[c][e], &terms_[c][e]);
    }
  }
  // The group of the innermost loop above the last level: its innermost dimension is given. Where
  // the chains of a set do not agree whether a group is there, it is not.
  size_t inner_group = last;
  for (; inner_group > first; --inner_group) {
    bool may = false, must = false;
    for (const double* row : rows) {
      may = may || row[RowLayout::MayMove(inner_group - 1)] != 0;
      must = must || row[RowLayout::MustMove(inner_group - 1)] != 0;
    }
    if (may && !must) inner = kAnyDim;
    if (may) break;
  }
  // From the inside out: group g holds the loops of level g.
  open->clear();
  for (size_t end = last; end >= first && end > 0; --end) {
    const Group group = {end - 1, end};
    members_.clear();
    for (size_t c = std::max(end, first); c <= last; ++c) {
      for (size_t e = 0; e < frame_.edges[c].size(); ++e) {
        const Edge& edge = frame_.edges[c][e];
        // The innermost group below c in which a relevant dimension moves; else none.
        const auto concerns = [&](const Group& one) {
          for (size_t d = 0; d < frame_.dims; ++d) {
            if (frame_.tensors[edge.tensor].rank_of[d] >= 0 && Moves(rows, one, d)) return true;
          }
          return false;
        };
        size_t own = c;
        while (own > first && !concerns({own - 1, own})) --own;
        if (own != end) continue;
        if (end == first) {
          open->push_back({&edge, terms_[c][e]});
        } else {
          members_.push_back({&edge, &terms_[c][e], TimesOf(rows, edge, group.to),
                              TimesOf(rows, edge, group.from)});
        }
      }
    }
    if (end > first) AddGroup(rows, group, members_, end == inner_group ? inner : kAnyDim, least);
  }
  return inner_group == first ? inner : kAnyDim;
}

bool Bounder::AddSplit(const Rows& rows, size_t level, const std::vector<OpenEdge>& open,
                       uint64_t moved, int inner, LowerBound* least) {
  if (moved != 0) {
    if (inner == kNoDim) return false;
    if (inner >= 0 && rows[static_cast<size_t>(inner)][RowLayout::MayMove(level)] == 0) {
      return false;
    }
    const Group group = {level, level + 1, true};
    members_.clear();
    for (const OpenEdge& one : open) {
      const auto& tensor = frame_.tensors[one.edge->tensor];
      if ((moved >> one.edge->tensor & 1) == 0) continue;
      bool can = false;
      for (size_t d = 0; d < frame_.dims; ++d) {
        can = can || (tensor.rank_of[d] >= 0 && Moves(rows, group, d));
      }
      if (!can) return false;
      members_.push_back({one.edge, &one.terms, TimesOf(rows, *one.edge, level + 1),
                          TimesOf(rows, *one.edge, level)});
    }
    AddGroup(rows, group, members_, inner, least);
    inner = kAnyDim;
  }
  members_.clear();
  for (const OpenEdge& one : open) {
    if ((moved >> one.edge->tensor & 1) != 0) continue;
    members_.push_back({one.edge, &one.terms, TimesOf(rows, *one.edge, level), {}});
  }
  for (size_t e = 0; e < frame_.edges[level].size(); ++e) {
    const Edge& edge = frame_.edges[level][e];
    Prepare(rows, edge, &terms_[level][e]);
    members_.push_back({&edge, &terms_[level][e], TimesOf(rows, edge, level), {}});
  }
  AddGroup(rows, {0, level}, members_, inner, least);
  return true;
}

bool Bounder::AddSent(const Rows& rows, size_t level, const std::vector<const Edge*>& bypassing,
                      uint64_t moved, int inner, LowerBound* least) {
  members_.clear();
  for (size_t e = 0; e < frame_.edges[level].size(); ++e) {
    const Edge& edge = frame_.edges[level][e];
    if (edge.parent + 1 != level) continue;
    Prepare(rows, edge, &terms_[level][e]);
    members_.push_back({&edge, &terms_[level][e], TimesOf(rows, edge, level), {}});
  }
  bypassing_terms_.resize(std::max(bypassing_terms_.size(), bypassing.size()));
  for (size_t i = 0; i < bypassing.size(); ++i) {
    const Edge& edge = *bypassing[i];
    EdgeTerms* terms = &bypassing_terms_[i];
    MakeRoom(edge, terms);
    Prepare(rows, edge, terms);
    const Times times = TimesOf(rows, edge, level);
    if ((moved >> i & 1) == 0) {
      members_.push_back({&edge, terms, times, {}});
      continue;
    }
    EdgeTraffic words = Once(*terms);
    if (!RaiseBySome(rows, edge, *terms, times, {level, edge.child}, &words)) return false;
    Charge(edge, words, least, port_sum_.data());
  }
  AddGroup(rows, {0, level}, members_, inner, least);
  return true;
}

double Bounder::OffchipInCase(const Rows& rows, const std::vector<const Edge*>& bypassing,
                              size_t moved) {
  LowerBound least;
  members_.clear();
  bypassing_terms_.resize(std::max(bypassing_terms_.size(), bypassing.size()));
  for (size_t e = 0; e < frame_.edges[1].size(); ++e) {
    const Edge& edge = frame_.edges[1][e];
    Prepare(rows, edge, &terms_[1][e]);
    members_.push_back({&edge, &terms_[1][e], TimesOf(rows, edge, 1), {}});
  }
  for (size_t i = 0; i < bypassing.size(); ++i) {
    const Edge& edge = *bypassing[i];
    if ((moved >> i & 1) != 0) {
      least.offchip_words += OffchipMoved(rows, edge);
      continue;
    }
    EdgeTerms* terms = &bypassing_terms_[i];
    MakeRoom(edge, terms);
    Prepare(rows, edge, terms);
    members_.push_back({&edge, terms, TimesOf(rows, edge, 1), {}});
  }
  AddGroup(rows, {0, 1}, members_, kAnyDim, &least);
  return least.offchip_words;
}

// One point per lane and step, without history. A partial sum is read back for every update but the
// first of a word; `first` counts one copy of every word.
Bounder::EdgeTraffic Bounder::ComputeWords(const Rows& rows, const Edge& edge) const {
  const size_t at = layout_.At(frame_.levels);
  const Frame::TensorFrame& tensor = frame_.tensors[edge.tensor];
  EdgeTraffic words = {1, 1, 1};
  for (size_t d = 0; d < frame_.dims; ++d) {
    const double* row = rows[d] + at;
    words.lanes *= row[kTilesLo];
    if (tensor.rank_of[d] >= 0) {
      words.groups *= row[kTilesLo];
      words.first *= row[kTilesHi];
    } else {
      words.groups *= row[RowLayout::Leaders(frame_.levels, edge.parent, frame_.levels)];
    }
  }
  for (const auto& rank : tensor.ranks) {
    double most = 1, product = 1;
    for (const Frame::Term& term : rank) {
      const double between = rows[term.dim][at + RowLayout::Between(frame_.levels, edge.parent)];
      most = std::max(most, between);
      product *= between;
    }
    words.groups /= product / most;
  }
  if (!edge.shares) words.groups = words.lanes;
  return words;
}

void Bounder::AddCompute(const Rows& rows, LowerBound* least) {
  for (const Edge& edge : frame_.edges[frame_.levels]) {
    EdgeTraffic words = ComputeWords(rows, edge);
    // Each further copy saves compute a read of every word, but the copy itself is drained once
    // more: where every lane drains its words but once, the two cancel.
    const bool cancel = edge.output && output_copies_ >= 0;
    words.first *= cancel ? output_copies_ : MostCopies(rows, edge);
    Charge(edge, words, least, port_sum_.data());
  }
}

double Bounder::LeastSteps(const Rows& rows, double lanes_left) const {
  const size_t compute = layout_.At(frame_.levels);
  const size_t leaders = compute + RowLayout::Leaders(frame_.levels, 0, frame_.levels);
  double steps = 1, decided_steps = 1, open_operations = 1;
  for (const double* row : rows) {
    steps *= row[leaders];
    if (row[compute + kLanesLo] == row[compute + kLanesHi]) {
      decided_steps *= row[leaders];
    } else {
      open_operations *= row[compute + kTilesLo];
    }
  }
  const double shared = std::ceil(decided_steps * open_operations / lanes_left * (1 - 1e-12));
  return std::max(steps, shared);
}

void Bounder::End(const Rows& rows, double steps, LowerBound* least) {
  const size_t compute = layout_.At(frame_.levels);
  double operations = 1;
  for (const double* row : rows) operations *= row[compute + kTilesLo];
  least->cycles = std::max(least->cycles, steps);
  for (size_t p = 0; p < frame_.ports.size(); ++p) {
    const Port& port = frame_.ports[p];
    double lanes = 1;
    if (port.level > 0) {
      const size_t at = layout_.At(port.level);
      for (size_t d = 0; d < frame_.dims; ++d) lanes *= rows[d][at + kLanesHi];
      lanes = std::min(lanes, frame_.instances[port.level]);
    }
    // A little less than the truth, because the evaluator forgives rounding errors.
    const double cycles = port_sum_[p] / (lanes * port.words_per_cycle) * (1 - 1e-12);
    least->cycles = std::max(least->cycles, std::ceil(cycles * (1 - 1e-9) - 1e-9));
  }
  least->energy_pj += operations * frame_.compute_pj + least->cycles * frame_.leakage_pj;
}

}  // namespace inlay::exact_search
