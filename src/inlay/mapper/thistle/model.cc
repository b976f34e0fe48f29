#include "inlay/mapper/thistle/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "inlay/base/check.h"
#include "inlay/cost/thistle_volume.h"
#include "inlay/mapspace/tilings.h"

namespace inlay::thistle {
namespace {

constexpr LevelId kDram(0), kSram(1), kRegisters(2);

double Beyond(int64_t size, int64_t gap) {
  return static_cast<double>(std::max<int64_t>(size - gap, 0));
}

bool Contains(uint32_t set, FreeIndex f) { return (set >> f & 1) != 0; }

// Can the dimension have a loop outside the registers?
bool CanTile(const Space& space, DimId d, Axis axis) {
  if (space.problem.dims[d].bound <= 1) return false;
  const SlotId spatial(3 + static_cast<size_t>(axis));
  return space.factors[SlotId(0)][d].max > 1 || space.factors[SlotId(3)][d].max > 1 ||
         (space.factors[spatial][d].max > 1 && space.slots[spatial].max_lanes > 1);
}

}  // namespace

Model::Model(const Space& space, const MapOptions& options) : space_(&space) {
  const SlotId x(4), y(5);
  axis_ = space.slots[y].max_lanes > space.slots[x].max_lanes ? Axis::kY : Axis::kX;
  lanes_ = std::max(space.slots[x].max_lanes, space.slots[y].max_lanes);
  FindFree();
  for (const Tensor& tensor : space.problem.tensors) AddTensor(tensor);
  PriceCopies(options);
  FindRooms();
}

void Model::FindFree() {
  const Problem& problem = space_->problem;
  free_of_.assign(problem.dims.size(), -1);
  for (DimId d : Ids(problem.dims)) {
    if (CanTile(*space_, d, axis_)) {
      free_of_[d] = static_cast<int>(free_.size());
      free_.push_back({d, problem.dims[d].bound, {}});
    } else {
      fixed_steps_ *= static_cast<double>(problem.dims[d].bound);
      const auto stop_at_first = [](const Chain&) { return false; };
      possible_ = possible_ && !ForEachChain(*space_, d, stop_at_first);
    }
  }
}

Model::Side Model::SideOf(const Term& term, int64_t gap) {
  Side side;
  side.gap = gap;
  side.bound = space_->problem.dims[term.dim].bound;
  side.is_free = free_of_[term.dim] >= 0;
  side.overlap = Beyond(side.bound, gap);
  if (!side.is_free) return side;
  side.free = static_cast<FreeIndex>(free_of_[term.dim]);
  std::vector<int64_t>& gaps = free_[side.free].gaps;
  side.gap_index = static_cast<size_t>(std::find(gaps.begin(), gaps.end(), gap) - gaps.begin());
  if (side.gap_index == gaps.size()) gaps.push_back(gap);
  INLAY_CHECK(gaps.size() <= kMaxGaps);
  wide_gaps_ = wide_gaps_ || gap > 1;
  return side;
}

void Model::AddPair(const Rank& rank, TensorTerms* terms) {
  const Term& a = rank.terms[0];
  const Term& b = rank.terms[1];
  const int64_t common = std::gcd(a.coefficient, b.coefficient);
  PairRank pair;
  pair.sides = {SideOf(a, b.coefficient / common), SideOf(b, a.coefficient / common)};
  pair.points = static_cast<double>(pair.sides[0].bound) * static_cast<double>(pair.sides[1].bound);
  for (const Side& side : pair.sides) {
    if (side.is_free) terms->paired |= uint32_t{1} << side.free;
  }
  terms->relevant |= terms->paired;
  if (!pair.sides[0].is_free && !pair.sides[1].is_free) {
    const double words = pair.points - pair.sides[0].overlap * pair.sides[1].overlap;
    terms->words *= words;
    terms->tile_fixed *= words;
  } else {
    terms->pairs.push_back(pair);
  }
}

void Model::AddTensor(const Tensor& tensor) {
  TensorTerms terms;
  terms.output = tensor.is_output;
  for (const Rank& rank : tensor.ranks) {
    if (rank.terms.size() == 2) AddPair(rank, &terms);
    if (rank.terms.size() != 1) continue;
    const DimId d = rank.terms[0].dim;
    const auto bound = static_cast<double>(space_->problem.dims[d].bound);
    terms.words *= bound;
    if (free_of_[d] < 0) {
      terms.tile_fixed *= bound;
    } else {
      terms.single.push_back(static_cast<FreeIndex>(free_of_[d]));
      terms.relevant |= uint32_t{1} << free_of_[d];
    }
  }
  for (FreeIndex f = 0; f < free_.size(); ++f) {
    if (!Contains(terms.relevant, f)) terms.irrelevant.push_back(f);
  }
  tensors_.push_back(std::move(terms));
}

void Model::PriceCopies(const MapOptions& options) {
  const Problem& problem = space_->problem;
  const Architecture& architecture = space_->architecture;
  const bool elide = options.accounting == Accounting::kElide;
  const bool offchip = std::find(options.objective.begin(), options.objective.end(),
                                 Metric::kOffchip) != options.objective.end();
  const auto operations = static_cast<double>(Operations(problem));
  IndexedVector<DimId, int64_t> bounds;
  for (const Dimension& dim : problem.dims) bounds.push_back(dim.bound);
  if (!offchip) base_pj_ = operations * ComputeEnergyPj(architecture);
  for (LevelId l : Ids(architecture.levels)) {
    const double leakage = architecture.levels[l].leakage_pj_per_cycle;
    if (!offchip) pj_per_cycle_ += leakage * static_cast<double>(Instances(architecture, l));
  }
  for (TensorId t : Ids(problem.tensors)) {
    const Tensor& tensor = problem.tensors[t];
    TensorTerms& terms = tensors_[t.value()];
    const AccessEnergy dram = EnergyOf(architecture, kDram, tensor.name);
    const AccessEnergy sram = EnergyOf(architecture, kSram, tensor.name);
    const AccessEnergy reg = EnergyOf(architecture, kRegisters, tensor.name);
    std::array<double, 2> in = {dram.read_pj + sram.fill_pj, sram.read_pj + reg.fill_pj};
    std::array<double, 2> out = {dram.update_pj + sram.read_pj, sram.update_pj + reg.read_pj};
    if (offchip) in = out = {1, 0};
    terms.pj = in;
    if (!offchip) base_pj_ += operations * reg.read_pj;
    if (!tensor.is_output) continue;
    if (!offchip) base_pj_ += operations * reg.update_pj;
    const auto first = static_cast<double>(TouchedWords(tensor, bounds));
    for (const Boundary b : {kDramSram, kSramArray}) {
      terms.pj[b] += out[b];
      if (elide) base_pj_ -= first * in[b];
    }
  }
}

void Model::FindRooms() {
  const Problem& problem = space_->problem;
  for (LevelId l : {kSram, kRegisters}) {
    const Level& level = space_->architecture.levels[l];
    const auto usable = [&](int64_t words) {
      return std::floor(static_cast<double>(words) / level.buffering);
    };
    Room shared;
    shared.weights.assign(tensors_.size(), 0);
    for (TensorId t : Ids(problem.tensors)) {
      const std::string& name = problem.tensors[t].name;
      shared.weights[t.value()] = WordBitsOf(level, name);
      for (const Partition& part : level.partitions) {
        if (part.tensor != name || !part.capacity_words) continue;
        Room room{usable(*part.capacity_words), std::vector<double>(tensors_.size(), 0)};
        room.weights[t.value()] = 1;
        rooms_[l.value()].push_back(std::move(room));
      }
    }
    if (!level.partitions.empty() || !level.capacity_words) continue;
    shared.capacity = usable(*level.capacity_words) * level.word_bits;
    rooms_[l.value()].push_back(std::move(shared));
  }
}

Cut Model::CutBy(FreeIndex f, int64_t tile) const {
  const Free& free = free_[f];
  const int64_t full = free.bound / tile, last = free.bound % tile;
  Cut cut;
  cut.pieces = static_cast<double>(full + (last > 0 ? 1 : 0));
  for (size_t g = 0; g < free.gaps.size(); ++g) {
    cut.overlap[g] =
        static_cast<double>(full) * Beyond(tile, free.gaps[g]) + Beyond(last, free.gaps[g]);
  }
  return cut;
}

Cut Model::CutBy(FreeIndex f, int64_t outer, int64_t inner) const {
  const Free& free = free_[f];
  const int64_t full = free.bound / outer, last = free.bound % outer;
  const auto times = static_cast<double>(full);
  Cut cut;
  cut.pieces = static_cast<double>(full * CeilDiv(outer, inner) + CeilDiv(last, inner));
  for (size_t g = 0; g < free.gaps.size(); ++g) {
    const int64_t gap = free.gaps[g];
    const auto of = [&](int64_t range) {
      const int64_t pieces = range / inner;
      return static_cast<double>(pieces) * Beyond(inner, gap) + Beyond(range % inner, gap);
    };
    cut.overlap[g] = times * of(outer) + of(last);
  }
  return cut;
}

void Model::LimitOverlap(FreeIndex f, Cut* cut) const {
  const Free& free = free_[f];
  for (size_t g = 0; g < free.gaps.size(); ++g) {
    if (free.gaps[g] != 1) continue;
    cut->overlap[g] = std::min(cut->overlap[g], static_cast<double>(free.bound) - cut->pieces);
  }
}

double Model::PairWords(const PairRank& pair, uint32_t saved, const Cuts& outside,
                        const Cuts& inside) {
  double overlap = 1;
  for (const Side& side : pair.sides) {
    if (!side.is_free) {
      overlap *= side.overlap;
    } else {
      const Cuts& cuts = Contains(saved, side.free) ? outside : inside;
      overlap *= cuts[side.free].overlap[side.gap_index];
    }
  }
  return pair.points - overlap;
}

double Model::CopiesPj(Boundary boundary, size_t tensor, uint32_t saved, const Cuts& outside,
                       const Cuts& inside) const {
  const TensorTerms& terms = tensors_[tensor];
  double pj = terms.pj[boundary] * terms.words;
  for (const FreeIndex f : terms.irrelevant) {
    pj *= Contains(saved, f) ? outside[f].pieces : inside[f].pieces;
  }
  for (const PairRank& pair : terms.pairs) pj *= PairWords(pair, saved, outside, inside);
  return pj;
}

double Model::LeastPj() const {
  Cuts whole;
  for (FreeIndex f = 0; f < free_.size(); ++f) whole[f] = Whole(f);
  double pj = base_pj_;
  for (const Boundary boundary : {kDramSram, kSramArray}) {
    for (size_t t = 0; t < tensors_.size(); ++t) pj += CopiesPj(boundary, t, 0, whole, whole);
  }
  return pj;
}

double Model::LeastSteps() const {
  double steps = fixed_steps_;
  for (const Free& free : free_) steps *= static_cast<double>(free.bound);
  return std::ceil(steps / static_cast<double>(lanes_));
}

namespace {

// Is no free side of a rank saved?
template <typename Pair>
bool IsInside(const Pair& pair, uint32_t saved) {
  return std::none_of(pair.sides.begin(), pair.sides.end(),
                      [&](const auto& side) { return side.is_free && Contains(saved, side.free); });
}

}  // namespace

double Model::OutsideFactor(size_t tensor, uint32_t saved, const Cuts& outside) const {
  const TensorTerms& terms = tensors_[tensor];
  double factor = terms.pj[kSramArray] * terms.words;
  for (const FreeIndex f : terms.irrelevant) {
    if (Contains(saved, f)) factor *= outside[f].pieces;
  }
  for (const PairRank& pair : terms.pairs) {
    if (IsInside(pair, saved)) continue;
    double overlap = 1;
    for (const Side& side : pair.sides) {
      overlap *= side.is_free && Contains(saved, side.free)
                     ? outside[side.free].overlap[side.gap_index]
                     : Beyond(side.bound, side.gap);
    }
    factor *= pair.points - overlap;
  }
  return factor;
}

double Model::InsideFactor(size_t tensor, uint32_t saved, const Cuts& inside) const {
  const TensorTerms& terms = tensors_[tensor];
  double factor = 1;
  for (const FreeIndex f : terms.irrelevant) {
    if (!Contains(saved, f)) factor *= inside[f].pieces;
  }
  for (const PairRank& pair : terms.pairs) {
    if (IsInside(pair, saved)) factor *= PairWords(pair, 0, inside, inside);
  }
  return factor;
}

bool Model::HasOutsideFactor(size_t tensor, uint32_t saved) const {
  const TensorTerms& terms = tensors_[tensor];
  return std::any_of(terms.irrelevant.begin(), terms.irrelevant.end(),
                     [&](FreeIndex f) { return Contains(saved, f); }) ||
         std::any_of(terms.pairs.begin(), terms.pairs.end(),
                     [&](const PairRank& pair) { return !IsInside(pair, saved); });
}

bool Model::HasInsideFactor(size_t tensor, uint32_t saved) const {
  const TensorTerms& terms = tensors_[tensor];
  return std::any_of(terms.irrelevant.begin(), terms.irrelevant.end(),
                     [&](FreeIndex f) { return !Contains(saved, f); }) ||
         std::any_of(terms.pairs.begin(), terms.pairs.end(),
                     [&](const PairRank& pair) { return IsInside(pair, saved); });
}

double Model::TileWords(const TensorTerms& tensor, const PerFree<int64_t>& sizes) const {
  double words = tensor.tile_fixed;
  for (const FreeIndex f : tensor.single) words *= static_cast<double>(sizes[f]);
  for (const PairRank& pair : tensor.pairs) {
    const auto size = [&](const Side& side) {
      return side.is_free ? sizes[side.free] : side.bound;
    };
    const int64_t a = size(pair.sides[0]), b = size(pair.sides[1]);
    words *= static_cast<double>(a) * static_cast<double>(b) -
             Beyond(a, pair.sides[0].gap) * Beyond(b, pair.sides[1].gap);
  }
  return words;
}

double Model::Used(const Room& room, const PerFree<int64_t>& sizes) const {
  double used = 0;
  for (size_t t = 0; t < tensors_.size(); ++t) {
    if (room.weights[t] > 0) used += room.weights[t] * TileWords(tensors_[t], sizes);
  }
  return used;
}

bool Model::Fits(size_t level, const PerFree<int64_t>& sizes) const {
  return std::all_of(rooms_[level].begin(), rooms_[level].end(),
                     [&](const Room& room) { return Used(room, sizes) <= room.capacity; });
}

bool Model::IsBilinear(FreeIndex a, FreeIndex b) const {
  for (const TensorTerms& tensor : tensors_) {
    for (const PairRank& pair : tensor.pairs) {
      int found = 0;
      for (const Side& side : pair.sides) {
        if (!side.is_free || (side.free != a && side.free != b)) continue;
        if (side.gap > 1) return false;
        ++found;
      }
      if (found > 1) return false;
    }
  }
  return true;
}

void Model::BilinearRooms(size_t level, PerFree<int64_t> sizes, FreeIndex a, FreeIndex b,
                          std::vector<Bilinear>* rooms) const {
  rooms->clear();
  for (const Room& room : rooms_[level]) {
    const auto used = [&](int64_t size_a, int64_t size_b) {
      sizes[a] = size_a;
      sizes[b] = size_b;
      return Used(room, sizes);
    };
    const double u11 = used(1, 1), u21 = used(2, 1), u12 = used(1, 2), u22 = used(2, 2);
    rooms->push_back({{u11, u21 - u11, u12 - u11, u22 - u21 - u12 + u11}, room.capacity});
  }
}

int64_t Model::LargestFitting(size_t level, PerFree<int64_t> sizes, FreeIndex f) const {
  int64_t largest = free_[f].bound;
  const bool linear =
      std::all_of(free_[f].gaps.begin(), free_[f].gaps.end(), [](int64_t gap) { return gap == 1; });
  for (const Room& room : rooms_[level]) {
    sizes[f] = 1;
    const double one = Used(room, sizes);
    if (one > room.capacity) return 0;
    if (linear) {
      sizes[f] = 2;
      const double more = Used(room, sizes) - one;
      if (more <= 0) continue;
      const double count = std::floor((room.capacity - one) / more) + 1;
      if (count < static_cast<double>(largest)) largest = static_cast<int64_t>(count);
      continue;
    }
    int64_t low = 1, high = largest;  // low fits, above high nothing does
    while (low < high) {
      sizes[f] = low + (high - low + 1) / 2;
      (Used(room, sizes) <= room.capacity ? low : high) =
          Used(room, sizes) <= room.capacity ? sizes[f] : sizes[f] - 1;
    }
    largest = low;
  }
  return largest;
}

}  // namespace inlay::thistle
