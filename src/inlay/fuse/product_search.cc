#include "inlay/fuse/product_search.h"

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"

namespace inlay {
namespace {

// Calls with every member, ascending.
template <typename Call>
void ForEachIn(const TensorMask& set, const Call& call) {
  for (size_t t = set._Find_first(); t < set.size(); t = set._Find_next(t)) call(t);
}

void AppendSet(const TensorMask& set, std::vector<int64_t>* key) {
  constexpr size_t kPerPart = 62;
  int64_t part = 0;
  size_t parts = 0;
  ForEachIn(set, [&](size_t t) {
    for (; parts < t / kPerPart; ++parts, part = 0) key->push_back(part);
    part |= int64_t{1} << (t % kPerPart);
  });
  for (; parts * kPerPart < set.size(); ++parts, part = 0) key->push_back(part);
}

}  // namespace

// What is tried at one place, and the best so far.
struct ProductSearch::Trial {
  const Place& place;
  int64_t bits;
  int64_t limit;                                    // only fewer words count
  bool least_room;                                  // ties: with less room
  std::vector<const ProductLoop*> loops;            // that may come next
  std::vector<const ProductLoop*> cut_to_one = {};  // of them: by one loop, if at all
  std::vector<const ProductLoop*> chosen = {};
  std::vector<Step> steps = {};
  Choice best = {};

  // What a tree has to have fewer words than, to be of interest.
  int64_t Limit() const {
    if (best.words == kNone) return limit;
    return least_room ? std::min(limit, best.words + 1) : std::min(limit, best.words);
  }
};

size_t ProductSearch::KeyHash::operator()(const Key& key) const {
  uint64_t hash = 1469598103934665603U;
  for (const int64_t part : key) {
    hash ^= static_cast<uint64_t>(part) + 0x9e3779b97f4a7c15U + (hash << 6U) + (hash >> 2U);
    hash *= 1099511628211U;
  }
  return hash;
}

ProductSearch::ProductSearch(const ProductGraph& graph, ProductRules rules,
                             const Deadline& deadline)
    : graph_(graph), rules_(std::move(rules)), sizes_(rules_.tiles), watch_(deadline) {}

ProductSearch::Answer ProductSearch::Best(size_t first, size_t end, int64_t room_bits,
                                          int64_t limit) {
  const Choice* choice = Solve(RootOf(first, end), room_bits, limit);
  return choice == nullptr ? Answer() : Answer{choice->words, choice->least_bits};
}

ProductSearch::Place ProductSearch::RootOf(size_t first, size_t end) const {
  Place root;
  root.first = first;
  root.end = end;
  root.loops_left = rules_.shared_loops.value_or(-1);
  for (size_t s = graph_.FirstDim(first); s < graph_.FirstDim(end); ++s) {
    root.cuts.push_back({graph_.Dimension(s).bound, 0, false});
  }
  return root;
}

ProductSearch::Key ProductSearch::KeyOf(const Place& place) const {
  const TensorMask& used = graph_.Range(place.first, place.end).tensors;
  const bool shared = place.end - place.first > 1;
  Key key = {static_cast<int64_t>(place.first), static_cast<int64_t>(place.end),
             shared ? place.loops_left : 0, rules_.short_tiles ? place.groups : 0};
  AppendSet(place.held & used, &key);
  AppendSet(place.group & used, &key);
  AppendSet(place.locked & used, &key);
  for (const Cut& cut : place.cuts) {
    key.push_back(cut.size);
    if (!rules_.short_tiles) continue;
    key.push_back(cut.short_tile);
    key.push_back((int64_t{cut.first_group} << 32) + int64_t{cut.last_group} * 2 +
                  (cut.twice ? 1 : 0));
  }
  return key;
}

const ProductSearch::Choice* ProductSearch::Solve(const Place& place, int64_t bits, int64_t limit) {
  if (LeastWords(place) >= limit) return nullptr;
  Known& known = known_[KeyOf(place)];
  for (const Choice& choice : known.choices) {
    const bool is_best = choice.least_bits <= bits && bits <= choice.most_bits;
    if (choice.words >= limit && bits <= choice.most_bits) return nullptr;
    if (is_best) return &choice;
  }
  for (const auto& [most_bits, least_words] : known.limits) {
    if (bits <= most_bits && limit <= least_words) return nullptr;
  }
  ++states_;
  Choice choice = Compute(place, bits, limit);
  if (choice.words == kNone) {
    known.limits.emplace_back(bits, limit);
    return nullptr;
  }
  choice.most_bits = bits;
  known.choices.push_back(std::move(choice));
  return &known.choices.back();
}

ProductSearch::Choice ProductSearch::Compute(const Place& place, int64_t bits, int64_t limit) {
  if (watch_.Passed() || (rules_.most_states && states_ > *rules_.most_states)) stopped_ = true;
  if (stopped_ || !KeepsRows(place)) return {};
  const TensorMask missing = graph_.Range(place.first, place.end).tensors & ~place.held;
  const bool shared = place.end - place.first > 1;
  if (!shared && missing.none()) {
    Choice leaf;
    if (limit > 0) leaf.words = 0;
    return leaf;
  }
  Trial trial{place, bits, limit, rules_.least_room, LoopsAt(place)};
  // What all missing tensors have is cut to 1 at once: no words depend on it. With a limited number
  // of shared loops it may as well stay as it is; other tiles are no use.
  for (size_t i = trial.loops.size(); i-- > 0;) {
    const ProductLoop& loop = *trial.loops[i];
    if (!CutsAllAlike(place, loop, missing)) continue;
    if (shared && rules_.shared_loops) {
      trial.cut_to_one.push_back(&loop);
    } else {
      trial.steps.push_back({&loop, 1});
      trial.loops.erase(trial.loops.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  const size_t subsets = size_t{1} << trial.loops.size();
  for (size_t subset = 0; subset < subsets; ++subset) TryLoops(&trial, subset);
  return std::move(trial.best);
}

// Whether a loop cuts all that is still missing, and has no other cost.
bool ProductSearch::CutsAllAlike(const Place& place, const ProductLoop& loop,
                                 const TensorMask& missing) const {
  if ((missing & ~loop.moves).any()) return false;
  for (const OnlineSoftmax& softmax : graph_.softmaxes()) {
    if (softmax.node < place.first || softmax.node >= place.end) continue;
    const size_t node_dim = loop.dims[softmax.node - place.first];
    if (node_dim == softmax.dim && At(place, node_dim).size == graph_.Dimension(node_dim).bound)
      return false;
  }
  if (place.end - place.first == 1) return true;
  return std::none_of(graph_.tensors().begin(), graph_.tensors().end(),
                      [&place](const ProductTensor& tensor) {
                        return tensor.HasWriterIn(place.first, place.end) && tensor.uses.size() > 2;
                      });
}

// The loops that may come next. Rules 2 to 5 and 9; what rests on dimensions' names alone is known
// from the range.
std::vector<const ProductLoop*> ProductSearch::LoopsAt(const Place& place) const {
  const std::vector<ProductTensor>& tensors = graph_.tensors();
  bool is_locked = false;
  ForEachIn(place.locked, [&](size_t t) { is_locked = is_locked || IsFused(place, t); });
  if (is_locked) return {};
  const auto moves_alike = [&](const ProductLoop& loop, const ProductTensor& tensor) {
    std::optional<std::vector<bool>> moved;
    for (const ProductUse& use : tensor.uses) {
      if (use.node < place.first || use.node >= place.end || use.node == tensor.writer) continue;
      std::vector<bool> ranks;
      for (const auto& node_dim : use.rank_dims) {
        ranks.push_back(node_dim == loop.dims[use.node - place.first]);
      }
      if (moved && *moved != ranks) return false;
      moved = ranks;
    }
    return true;
  };
  std::vector<const ProductLoop*> loops;
  for (const ProductLoop& loop : graph_.Range(place.first, place.end).loops) {
    const int64_t size = At(place, loop.sink_dims.front()).size;
    bool may = size > 1;
    for (const size_t s : loop.sink_dims) may = may && At(place, s).size == size;
    for (const OnlineSoftmax& softmax : graph_.softmaxes()) {
      if (softmax.node < place.first || softmax.node >= place.end) continue;
      if (loop.dims[softmax.node - place.first] == softmax.dim) {
        may = may && softmax.last_reader < place.end;
      }
    }
    if (!may) continue;
    ForEachIn(place.held, [&](size_t t) {
      may = may && (tensors[t].uses.size() < 2 || moves_alike(loop, tensors[t]));
    });
    if (may) loops.push_back(&loop);
  }
  return loops;
}

void ProductSearch::TryLoops(Trial* trial, size_t subset) {
  const Place& place = trial->place;
  trial->chosen.clear();
  for (size_t i = 0; i < trial->loops.size(); ++i) {
    if ((subset >> i & 1U) != 0) trial->chosen.push_back(trial->loops[i]);
  }
  const size_t count = trial->chosen.size() + trial->steps.size();
  if (place.loops_left >= 0 && place.end - place.first > 1 &&
      count > static_cast<size_t>(place.loops_left)) {
    return;
  }
  if (count > 0 && place.group.any()) {
    // A loop that moves all holds right above goes above them; a hold that all loops right below
    // move goes below them.
    TensorMask saving, moved_by_all = place.group;
    ForEachIn(place.group, [&](size_t t) {
      if (MaySave(place, t)) saving.set(t);
    });
    for (const ProductLoop* loop : trial->chosen) {
      if ((place.group & ~loop->moves).none() && saving.none()) return;
      moved_by_all &= loop->moves;
    }
    for (const Step& step : trial->steps) moved_by_all &= step.loop->moves;
    if ((moved_by_all & ~saving).any()) return;
  }
  Place at = place;
  for (const Step& step : trial->steps) ApplyStep(&at, step);
  TrySizes(trial, at, 0);
}

void ProductSearch::ApplyStep(Place* place, const Step& step) {
  const bool shared = place->end - place->first > 1;
  if (shared && place->loops_left > 0) --place->loops_left;
  for (const size_t s : step.loop->dims) {
    Cut& cut = At(place, s);
    const int64_t bound = graph_.Dimension(s).bound;
    const int group = place->groups + 1;
    if (cut.size == bound) {
      cut.first_group = group;
    } else if (rules_.short_tiles) {
      // Inside the last, short tile of the first of two loops the second may turn once.
      cut.short_tile = sizes_.LongestWholeTile(bound, cut.size, step.size, cut.twice);
      cut.twice = true;
    }
    cut.last_group = group;
    cut.size = step.size;
  }
}

void ProductSearch::TrySizes(Trial* trial, const Place& at, size_t next) {
  if (stopped_ || (stopped_ = watch_.Passed())) return;
  if (next < trial->chosen.size()) {
    const ProductLoop& loop = *trial->chosen[next];
    const size_t node_dim = loop.sink_dims.front();
    const int64_t now = At(at, node_dim).size;
    const bool to_one = std::find(trial->cut_to_one.begin(), trial->cut_to_one.end(), &loop) !=
                        trial->cut_to_one.end();
    for (const int64_t size : sizes_.Of(graph_.Dimension(node_dim).bound)) {
      if (to_one && size > 1) continue;
      if (!sizes_.Cuts(graph_.Dimension(node_dim).bound, now, size)) continue;
      Place after = at;
      ApplyStep(&after, {&loop, size});
      if (LeastWords(after) >= trial->Limit()) break;
      trial->steps.push_back({&loop, size});
      TrySizes(trial, after, next + 1);
      trial->steps.pop_back();
      if (stopped_) return;
    }
    return;
  }
  const int64_t bits = trial->bits - VectorBits(trial->place, at);
  if (bits < 0) return;
  TryHolds(trial, at, bits);
  if (at.end - at.first == 1) return;
  if (trial->steps.empty()) {
    // A hold right above a split of which one part only uses it is as good in that part.
    bool parted = true;
    ForEachIn(at.group, [&](size_t t) {
      parted = parted && (graph_.tensors()[t].ReadersIn(at.first, at.end) > 1 || MaySave(at, t));
    });
    if (!parted) return;
  }
  TensorMask candidates;
  ForEachIn(graph_.Range(at.first, at.end).tensors & ~at.held, [&](size_t t) {
    if (IsFused(at, t) && TileBits(at, t) <= bits) candidates.set(t);
  });
  TrySplits(trial, at, bits, candidates, 0, {});
}

bool ProductSearch::BeginsRows(const Place& before, const Place& after,
                               const OnlineSoftmax& softmax) const {
  if (softmax.node < before.first || softmax.node >= before.end) return false;
  const int64_t bound = graph_.Dimension(softmax.dim).bound;
  return At(before, softmax.dim).size == bound && At(after, softmax.dim).size < bound;
}

// Row vectors of softmaxes that are cut here for the first time; the loop that does is inside the
// others.
int64_t ProductSearch::VectorBits(const Place& before, const Place& after) const {
  int64_t bits = 0;
  for (const OnlineSoftmax& softmax : graph_.softmaxes()) {
    if (!BeginsRows(before, after, softmax)) continue;
    int64_t rows = 1;
    for (const size_t s : softmax.other_dims) rows = SaturatingMultiply(rows, At(after, s).size);
    bits = SaturatingAdd(bits, SaturatingMultiply(2 * rules_.vector_bits, rows));
  }
  return bits;
}

// Every group of holds that all the loops right above move.
void ProductSearch::TryHolds(Trial* trial, const Place& after, int64_t bits) {
  if (trial->steps.empty() && after.group.any()) return;
  const bool shared = after.end - after.first > 1;
  const TensorMask missing = graph_.Range(after.first, after.end).tensors & ~after.held;
  const std::vector<const ProductLoop*> loops =
      shared ? LoopsAt(after) : std::vector<const ProductLoop*>();
  struct Candidate {
    size_t tensor;
    int64_t bits, words;
  };
  std::vector<Candidate> candidates;
  ForEachIn(missing, [&](size_t t) {
    bool may = CanBeHeld(after, t);
    for (const Step& step : trial->steps) may = may && step.loop->moves.test(t);
    // What no further loop leaves where it is can as well be held further in, where one node uses
    // it.
    if (may && shared && graph_.tensors()[t].ReadersIn(after.first, after.end) < 2 &&
        !MaySave(after, t)) {
      may = std::any_of(loops.begin(), loops.end(),
                        [t](const ProductLoop* loop) { return !loop->moves.test(t); });
    }
    if (!may) return;
    const int64_t tile = TileBits(after, t);
    if (tile > bits) return;
    candidates.push_back({t, tile, WordsOfHold(after, t, *FirstUse(after, t), false)});
  });
  INLAY_CHECK(candidates.size() < 30);
  for (size_t subset = 1; subset < size_t{1} << candidates.size(); ++subset) {
    if (stopped_ || (stopped_ = watch_.Passed())) return;
    Place next = after;
    next.group.reset();
    if (!trial->steps.empty()) ++next.groups;
    int64_t used = 0, words = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if ((subset >> i & 1U) == 0) continue;
      next.group.set(candidates[i].tensor);
      used = SaturatingAdd(used, candidates[i].bits);
      words = SaturatingAdd(words, candidates[i].words);
    }
    if (used > bits) continue;
    next.held |= next.group;
    if (words >= trial->Limit()) continue;
    const Choice* inside = Solve(next, bits - used, trial->Limit() - words);
    if (inside == nullptr) continue;
    Take(trial, words + inside->words, trial->bits - bits + used + inside->least_bits, next.group,
         {});
  }
}

void ProductSearch::TrySplits(Trial* trial, const Place& after, int64_t bits,
                              const TensorMask& candidates, size_t next, const TensorMask& held) {
  if (stopped_ || (stopped_ = watch_.Passed())) return;
  while (next < candidates.size() && !candidates.test(next)) ++next;
  if (next == candidates.size()) return TrySplit(trial, after, bits, held);
  TensorMask with = held;
  with.set(next);
  TrySplits(trial, after, bits, candidates, next + 1, with);
  TrySplits(trial, after, bits, candidates, next + 1, held);
}

// Fused holds right above a split, with the nodes from the writer to the last that reads them.
std::vector<ProductSearch::LivingTile> ProductSearch::LivingTiles(const Place& place,
                                                                  const TensorMask& held) const {
  std::vector<LivingTile> tiles;
  ForEachIn(held, [&](size_t t) {
    const ProductTensor& tensor = graph_.tensors()[t];
    size_t last = 0;
    for (const ProductUse& use : tensor.uses) {
      if (use.node < place.end) last = std::max(last, use.node);
    }
    tiles.push_back({*tensor.writer, last, TileBits(place, t)});
  });
  return tiles;
}

int64_t ProductSearch::BitsAlive(const std::vector<LivingTile>& tiles, size_t first, size_t end) {
  int64_t bits = 0;
  for (const LivingTile& tile : tiles) {
    if (tile.from < end && tile.to >= first) bits = SaturatingAdd(bits, tile.bits);
  }
  return bits;
}

// The best way to cut the range up, with these fused holds right above the split: parts from the
// last to the first, for words add up and the largest part counts for room.
void ProductSearch::TrySplit(Trial* trial, const Place& after, int64_t bits,
                             const TensorMask& held) {
  const size_t count = after.end - after.first;
  int64_t drained = 0;
  ForEachIn(held, [&](size_t t) {
    if (Drains(after, t) && !rules_.free.test(t)) {
      drained = SaturatingAdd(drained, graph_.tensors()[t].words);
    }
  });
  const std::vector<LivingTile> tiles = LivingTiles(after, held);
  struct Rest {
    int64_t words = kNone, bits = 0;
    size_t end = 0;
  };
  std::vector<Rest> rest(count + 1);
  rest[count].words = 0;
  // What the parts before cost at least.
  std::vector<int64_t> before(count, drained);
  for (size_t i = 1; i < count; ++i) {
    before[i] += LeastWords(ChildOf(after, held, after.first, after.first + i));
  }
  for (size_t i = count; i-- > 0;) {
    for (size_t j = i + 1; j <= count; ++j) {
      if ((i == 0 && j == count) || rest[j].words == kNone) continue;
      int64_t limit = trial->Limit() - before[i];
      if (rest[i].words != kNone) {
        limit = std::min(limit, rest[i].words + (rules_.least_room ? 1 : 0));
      }
      limit -= rest[j].words;
      const size_t first = after.first + i, end = after.first + j;
      const int64_t alive = BitsAlive(tiles, first, end);
      if (alive > bits || limit <= 0) continue;
      const Choice* inside = Solve(ChildOf(after, held, first, end), bits - alive, limit);
      if (inside == nullptr) continue;
      const Rest now{inside->words + rest[j].words,
                     std::max(rest[j].bits, alive + inside->least_bits), j};
      if (std::pair(now.words, now.bits) < std::pair(rest[i].words, rest[i].bits)) rest[i] = now;
    }
  }
  if (rest[0].words == kNone) return;
  std::vector<size_t> ends;
  for (size_t i = 0; i < count; i = rest[i].end) ends.push_back(after.first + rest[i].end);
  Take(trial, SaturatingAdd(drained, rest[0].words), trial->bits - bits + rest[0].bits, held,
       std::move(ends));
}

ProductSearch::Place ProductSearch::ChildOf(const Place& place, const TensorMask& held,
                                            size_t first, size_t end) const {
  Place child;
  child.first = first;
  child.end = end;
  child.loops_left = place.loops_left;
  child.held = place.held | held;
  child.locked = place.locked;
  const size_t skip = graph_.FirstDim(first) - graph_.FirstDim(place.first);
  const size_t dims = graph_.FirstDim(end) - graph_.FirstDim(first);
  child.cuts.assign(place.cuts.begin() + static_cast<std::ptrdiff_t>(skip),
                    place.cuts.begin() + static_cast<std::ptrdiff_t>(skip + dims));
  for (Cut& cut : child.cuts) cut.first_group = cut.last_group = 0;
  for (size_t t = 0; t < graph_.tensors().size(); ++t) {
    const ProductTensor& tensor = graph_.tensors()[t];
    if (tensor.uses.size() <= 2 || !tensor.HasWriterIn(first, end)) continue;
    const size_t readers = tensor.ReadersIn(first, end);
    if (readers == 0 || readers == tensor.ReadersIn(place.first, place.end)) continue;
    for (size_t s = graph_.FirstDim(*tensor.writer); s < graph_.FirstDim(*tensor.writer + 1); ++s) {
      if (At(place, s).size < graph_.Dimension(s).bound) child.locked.set(t);
    }
  }
  return child;
}

void ProductSearch::Take(Trial* trial, int64_t words, int64_t used_bits, const TensorMask& holds,
                         std::vector<size_t> ends) const {
  Choice& best = trial->best;
  if (words >= trial->Limit()) return;
  if (std::pair(words, used_bits) >= std::pair(best.words, best.least_bits)) return;
  best.words = words;
  best.least_bits = used_bits;
  best.steps = trial->steps;
  best.holds = holds;
  best.ends = std::move(ends);
}

int64_t ProductSearch::TripsOf(const Place& place, size_t node_dim) const {
  return CeilDiv(graph_.Dimension(node_dim).bound, At(place, node_dim).size);
}

const ProductUse* ProductSearch::FirstUse(const Place& place, size_t tensor) const {
  for (const ProductUse& use : graph_.tensors()[tensor].uses) {
    if (use.node >= place.first && use.node < place.end) return &use;
  }
  return nullptr;
}

int64_t ProductSearch::TileBits(const Place& place, size_t tensor) const {
  int64_t bits = rules_.word_bits[tensor];
  for (const size_t s : FirstUse(place, tensor)->dims) {
    bits = SaturatingMultiply(bits, At(place, s).size);
  }
  return bits;
}

int64_t ProductSearch::WordsOfHold(const Place& place, size_t tensor, const ProductUse& use,
                                   bool further) const {
  if (rules_.free.test(tensor)) return 0;
  const ProductTensor& of = graph_.tensors()[tensor];
  int64_t words = of.words;
  for (const size_t s : use.others) words = SaturatingMultiply(words, TripsOf(place, s));
  if (rules_.short_tiles) words -= SavedWords(place, of, use, further);
  // Partial sums leave and come back.
  return of.writer == use.node ? SaturatingAdd(words, words - of.words) : words;
}

int64_t ProductSearch::SavedWords(const Place& place, const ProductTensor& of,
                                  const ProductUse& use, bool further) const {
  // Only loops that do not move the tensor and are inside all that cut it first, in this stay; and
  // only where the innermost of the loops that do turns once.
  int first_group = 1, last_group = 0;
  for (const size_t s : use.dims) {
    first_group = std::max(first_group, At(place, s).first_group);
    last_group = std::max(last_group, At(place, s).last_group);
  }
  int64_t trips = 1, kept = 1;
  for (const size_t s : use.others) {
    trips = SaturatingMultiply(trips, TripsOf(place, s));
    if (!further && At(place, s).last_group < first_group) {
      kept = SaturatingMultiply(kept, TripsOf(place, s));
    }
  }
  int64_t most = 0;
  for (const size_t s : use.dims) {
    const Cut& cut = At(place, s);
    const int64_t bound = graph_.Dimension(s).bound;
    int64_t whole = cut.last_group == last_group && last_group > 0 ? cut.short_tile : 0;
    if (further && cut.size < bound && cut.size > 1) whole = std::max(whole, cut.size);
    most = std::max(most, of.words / bound * whole);
  }
  return SaturatingMultiply(trips - kept, most);
}

bool ProductSearch::MaySave(const Place& place, size_t tensor) const {
  return rules_.short_tiles &&
         SavedWords(place, graph_.tensors()[tensor], *FirstUse(place, tensor), false) > 0;
}

int64_t ProductSearch::LeastWords(const Place& place) const {
  int64_t least = 0;
  ForEachIn(graph_.Range(place.first, place.end).tensors & ~place.held, [&](size_t t) {
    if (IsFused(place, t)) {
      if (Drains(place, t) && !rules_.free.test(t)) {
        least = SaturatingAdd(least, graph_.tensors()[t].words);
      }
      return;
    }
    int64_t words = 0;
    for (const ProductUse& use : graph_.tensors()[t].uses) {
      if (use.node < place.first || use.node >= place.end) continue;
      words = std::max(words, WordsOfHold(place, t, use, true));
    }
    least = SaturatingAdd(least, words);
  });
  return least;
}

bool ProductSearch::IsFused(const Place& place, size_t tensor) const {
  const ProductTensor& of = graph_.tensors()[tensor];
  return of.HasWriterIn(place.first, place.end) && of.ReadersIn(place.first, place.end) > 0;
}

// Whether a fused hold here writes off chip what nodes outside need.
bool ProductSearch::Drains(const Place& place, size_t tensor) const {
  const ProductTensor& of = graph_.tensors()[tensor];
  return of.listed || of.ReadersIn(place.first, place.end) + 1 < of.uses.size();
}

// As an input or output hold. All that use the tensor have to be moved alike by the loops above.
bool ProductSearch::CanBeHeld(const Place& place, size_t tensor) const {
  if (IsFused(place, tensor)) return false;
  const ProductUse& first = *FirstUse(place, tensor);
  for (const ProductUse& use : graph_.tensors()[tensor].uses) {
    if (use.node < place.first || use.node >= place.end) continue;
    for (size_t r = 0; r < use.rank_dims.size(); ++r) {
      const auto& a = first.rank_dims[r];
      const auto& b = use.rank_dims[r];
      if ((a ? At(place, *a).size : 1) != (b ? At(place, *b).size : 1)) return false;
    }
  }
  return true;
}

// Whether what a softmax makes step by step can still reach all of its readers.
bool ProductSearch::KeepsRows(const Place& place) const {
  for (const OnlineSoftmax& softmax : graph_.softmaxes()) {
    if (softmax.node < place.first || softmax.node >= place.end) continue;
    const bool cut = At(place, softmax.dim).size < graph_.Dimension(softmax.dim).bound;
    if (cut && !place.held.test(softmax.output) && softmax.last_reader >= place.end) return false;
  }
  return true;
}

FusedTree ProductSearch::TreeOf(size_t first, size_t end, int64_t room_bits) {
  return TreeAt(RootOf(first, end), room_bits);
}

FusedTree ProductSearch::TreeAt(const Place& place, int64_t bits) {
  const Choice* found = Solve(place, bits, kNone);
  INLAY_CHECK(found != nullptr);
  const Choice& choice = *found;
  FusedTree tree;
  const auto put_around = [&tree](auto part) {
    FusedTree around;
    around.part = part;
    around.children.push_back(std::move(tree));
    tree = std::move(around);
  };
  if (choice.holds.none() && choice.ends.empty()) {
    bool online = false;
    for (const OnlineSoftmax& softmax : graph_.softmaxes()) {
      online = online || (softmax.node == place.first &&
                          At(place, softmax.dim).size < graph_.Dimension(softmax.dim).bound);
    }
    tree.part = FusedLeaf{NodeId(place.first), online, std::nullopt};
    return tree;
  }
  Place after = place;
  for (const Step& step : choice.steps) ApplyStep(&after, step);
  bits -= VectorBits(place, after);
  if (choice.ends.empty()) {
    ForEachIn(choice.holds, [&](size_t t) { bits -= TileBits(after, t); });
    Place next = after;
    if (!choice.steps.empty()) ++next.groups;
    next.group = choice.holds;
    next.held |= choice.holds;
    tree = TreeAt(next, bits);
  } else {
    const std::vector<LivingTile> tiles = LivingTiles(after, choice.holds);
    size_t first = place.first;
    for (const size_t end : choice.ends) {
      FusedTree child =
          TreeAt(ChildOf(after, choice.holds, first, end), bits - BitsAlive(tiles, first, end));
      if (child.IsSplit()) {
        for (FusedTree& part : child.children) tree.children.push_back(std::move(part));
      } else {
        tree.children.push_back(std::move(child));
      }
      first = end;
    }
  }
  ForEachIn(choice.holds, [&](size_t t) { put_around(FusedHold{TensorId(t), false}); });
  for (const bool begins : {true, false}) {
    for (const Step& step : choice.steps) {
      const bool does = std::any_of(
          graph_.softmaxes().begin(), graph_.softmaxes().end(), [&](const OnlineSoftmax& softmax) {
            return BeginsRows(place, after, softmax) &&
                   step.loop->dims[softmax.node - place.first] == softmax.dim;
          });
      if (does == begins) put_around(FusedLoop{step.loop->dim, step.size});
    }
  }
  return tree;
}

}  // namespace inlay
