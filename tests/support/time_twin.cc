#include "tests/support/time_twin.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/base/checked_arithmetic.h"
#include "inlay/cost/walker.h"

namespace inlay::testing {
namespace {

using Step = std::vector<int64_t>;  // indices of temporal loops, outer to inner

enum class Side { kRead, kWrite };

// Words through ports: of a level, of one tensor's partition or of all tensors.
struct PortUse {
  size_t level = 0;
  int tensor = -1;
  Side side = Side::kRead;
  double words = 0;
};
using Uses = std::vector<PortUse>;

struct NestLoop {
  Loop loop;
  size_t level = 0;
  int64_t trips = 1;
};

class Machine {
 public:
  Machine(const Problem& problem, const Architecture& architecture, const Mapping& mapping)
      : problem_(problem), architecture_(architecture), mapping_(mapping) {
    std::vector<int64_t> range;
    for (const Dimension& dim : problem.dims) range.push_back(dim.bound);
    for (LevelId l : Ids(mapping.levels)) {
      for (const auto* loops : {&mapping.levels[l].temporal, &mapping.levels[l].spatial}) {
        for (const Loop& loop : *loops) {
          int64_t& of_dim = range[loop.dim.value()];
          nest_.push_back({loop, l.value(), CeilDiv(of_dim, loop.step)});
          of_dim = loop.step;
        }
      }
    }
    levels_ = mapping.levels.size();
    ListSteps();
    WalkOptions options;
    options.words = [this](const WalkedWords& words) {
      const auto key = std::tuple(words.inner.value(), words.tensor.value(), words.step);
      if (words.last) {
        last_[{words.inner.value(), words.tensor.value()}] = words;
      } else {
        moved_[key] = words;
      }
    };
    INLAY_CHECK(Walk(problem, architecture, mapping, options).has_value());
    for (size_t l = 0; l < levels_; ++l) engines_.push_back(EngineOf(l));
  }

  double Run(double dynamic_pj) {
    double now = architecture_.launch_cycles + WaitOf(levels_);
    for (size_t l = 0; l < levels_; ++l) {
      if (LevelAt(l).overlap == Overlap::kStream) now += WaitOf(l);
    }
    const double begin = now;
    for (Engine& engine : engines_) engine.free = begin;
    for (size_t s = 0; s < steps_.size(); ++s) now = Work(s, Exchange(s, now));
    now = DrainLast(now);
    double end = now;
    for (const Engine& engine : engines_) end = std::max(end, engine.free);
    for (const auto& [port, free] : port_free_) end = std::max(end, free);
    if (architecture_.power_limit_w) {
      const double watts = *architecture_.power_limit_w - architecture_.idle_w;
      const double cycles = dynamic_pj * 1e-12 / watts * *architecture_.clock_hz;
      end = std::max(end, architecture_.launch_cycles + cycles);
    }
    return end;
  }

 private:
  struct Fed {
    size_t tensor = 0, feeder = 0;
    bool output = false;
    size_t loops = 0;  // temporal ones down to the innermost that moves the tile
  };
  struct Engine {
    bool there = false;
    std::vector<Fed> fed;
    double free = 0;                // when it has done all that it was given
    size_t next = 0;                // the exchange that is loaded next
    double loaded = 0;              // when the latest load is there
    std::vector<size_t> exchanges;  // the steps at which tiles change
  };

  const Level& LevelAt(size_t l) const { return architecture_.levels[LevelId(l)]; }
  bool Keeps(size_t l, size_t t) const {
    return mapping_.levels[LevelId(l)].keep.contains(TensorId(t));
  }

  // Steps of lane 0: index tuples of all temporal loops at which its clipped range is not empty.
  void ListSteps() {
    Step indices(nest_.size(), 0);
    for (;;) {
      if (IsValid(indices)) {
        Step step;
        for (size_t i = 0; i < nest_.size(); ++i) {
          if (nest_[i].loop.axis == Axis::kTime) step.push_back(indices[i]);
        }
        steps_.push_back(std::move(step));
      }
      size_t i = nest_.size();
      while (i > 0) {
        const bool time = nest_[i - 1].loop.axis == Axis::kTime;
        if (time && ++indices[i - 1] < nest_[i - 1].trips) break;
        indices[--i] = 0;
      }
      if (i == 0) return;
    }
  }

  bool IsValid(const Step& indices) const {
    std::vector<int64_t> size;
    for (const Dimension& dim : problem_.dims) size.push_back(dim.bound);
    for (size_t i = 0; i < nest_.size(); ++i) {
      int64_t& of_dim = size[nest_[i].loop.dim.value()];
      const int64_t start = indices[i] * nest_[i].loop.step;
      if (start >= of_dim) return false;
      of_dim = std::min(nest_[i].loop.step, of_dim - start);
    }
    return true;
  }

  bool Moves(const NestLoop& loop, size_t t) const {
    for (const Rank& rank : problem_.tensors[TensorId(t)].ranks) {
      for (const Term& term : rank.terms) {
        if (term.coefficient != 0 && term.dim == loop.loop.dim) return loop.trips > 1;
      }
    }
    return false;
  }

  size_t TimeLoopsAbove(size_t l) const {
    size_t count = 0;
    for (const NestLoop& loop : nest_) {
      count += loop.level < l && loop.loop.axis == Axis::kTime ? 1U : 0U;
    }
    return count;
  }

  std::optional<size_t> FeederOf(size_t l, size_t t) const {
    for (size_t f = l; f-- > 0;) {
      if (Keeps(f, t)) return f;
    }
    return std::nullopt;
  }

  double WaitOf(size_t l) const {
    double longest = 0;
    for (TensorId t : Ids(problem_.tensors)) {
      if (problem_.tensors[t].is_output || (l < levels_ && !Keeps(l, t.value()))) continue;
      const auto feeder = FeederOf(l, t.value());
      if (!feeder) continue;
      double wait = LevelAt(*feeder).latency_cycles;
      for (size_t k = *feeder; k < l; ++k) wait += LevelAt(k).fanout.skew_cycles;
      longest = std::max(longest, wait);
    }
    return longest;
  }

  Engine EngineOf(size_t l) const {
    Engine engine;
    engine.there = LevelAt(l).transfer_cycles > 0 || LevelAt(l).overlap != Overlap::kStream;
    for (TensorId t : Ids(problem_.tensors)) {
      const auto feeder = FeederOf(l, t.value());
      if (!Keeps(l, t.value()) || !feeder) continue;
      Fed fed{t.value(), *feeder, problem_.tensors[t].is_output, 0};
      size_t at = 0;
      for (const NestLoop& loop : nest_) {
        if (loop.level >= l || loop.loop.axis != Axis::kTime) continue;
        ++at;
        if (Moves(loop, t.value())) fed.loops = at;
      }
      engine.fed.push_back(fed);
    }
    engine.there = engine.there && !engine.fed.empty();
    for (size_t s = 0; s < steps_.size(); ++s) {
      const bool any = std::any_of(engine.fed.begin(), engine.fed.end(),
                                   [&](const Fed& fed) { return Changes(fed, s); });
      if (any) engine.exchanges.push_back(s);
    }
    return engine;
  }

  // Whether a tile is another one than at the step before.
  bool Changes(const Fed& fed, size_t s) const {
    if (s == 0) return true;
    const auto loops = static_cast<std::ptrdiff_t>(fed.loops);
    return !std::equal(steps_[s].begin(), steps_[s].begin() + loops, steps_[s - 1].begin());
  }

  // What the walker has counted of a tensor into a level at a step; null: nothing.
  const WalkedWords* WordsAt(size_t l, size_t t, size_t s) const {
    const auto above = static_cast<std::ptrdiff_t>(TimeLoopsAbove(l));
    if (s > 0 && l < levels_ &&
        std::equal(steps_[s].begin(), steps_[s].begin() + above, steps_[s - 1].begin())) {
      return nullptr;  // a step within one of the loops above the level
    }
    const auto found = moved_.find({l, t, Step(steps_[s].begin(), steps_[s].begin() + above)});
    return found == moved_.end() ? nullptr : &found->second;
  }

  int PartOf(size_t l, size_t t) const {
    return LevelAt(l).partitions.empty() ? -1 : static_cast<int>(t);
  }

  // Inward or outward, between a level (or compute) and its feeder.
  void AddUses(const WalkedWords& words, bool inward, Uses* uses) const {
    const size_t outer = words.outer.value(), inner = words.inner.value();
    const size_t t = words.tensor.value();
    const auto add = [&](size_t l, Side side, int64_t count) {
      uses->push_back({l, PartOf(l, t), side, static_cast<double>(count)});
    };
    add(outer, inward ? Side::kRead : Side::kWrite, inward ? words.reads : words.updates);
    if (inner == levels_) return;
    add(inner, inward ? Side::kWrite : Side::kRead, inward ? words.fills : words.drains);
  }

  // Through all ports at a time, each after what it was given before. When the last is through.
  double Pass(const Uses& uses, double from) {
    std::map<std::tuple<size_t, int, int>, double> busy;
    for (const PortUse& use : uses) {
      const Level& level = LevelAt(use.level);
      const auto& own = use.side == Side::kRead ? level.read_bandwidth : level.write_bandwidth;
      const int side = use.side == Side::kRead ? 0 : 1;
      if (own) busy[{use.level, use.tensor, side}] += use.words / *own;
      if (level.shared_bandwidth) {
        busy[{use.level, use.tensor, 2}] += use.words / *level.shared_bandwidth;
      }
    }
    double end = from;
    for (const auto& [port, cycles] : busy) {
      double& free = port_free_[port];
      free = std::max(free, from) + cycles;
      end = std::max(end, free);
    }
    return end;
  }

  // The loads of a level's exchange at a step, from `from` on.
  double Load(size_t l, size_t s, double from) {
    Engine& engine = engines_[l];
    const bool waits = LevelAt(l).overlap != Overlap::kStream;
    double start = std::max(from, engine.free);
    bool asks = false;
    Uses uses;
    for (const Fed& fed : engine.fed) {
      if (!Changes(fed, s)) continue;
      if (!fed.output) start += LevelAt(l).transfer_cycles;
      asks = asks || !fed.output;
      if (const WalkedWords* words = WordsAt(l, fed.tensor, s)) AddUses(*words, true, &uses);
    }
    if (asks && waits) start += WaitOf(l);
    engine.free = Pass(uses, start);
    return engine.free;
  }

  // The outputs that make room at a step, or are left at the end.
  double Drain(size_t l, std::optional<size_t> s, double from) {
    Engine& engine = engines_[l];
    double start = std::max(from, engine.free);
    Uses uses;
    bool any = false;
    for (const Fed& fed : engine.fed) {
      if (!fed.output || (s && (*s == 0 || !Changes(fed, *s)))) continue;
      any = true;
      start += LevelAt(l).transfer_cycles;
      const WalkedWords* words = nullptr;
      if (s) {
        words = WordsAt(l, fed.tensor, *s);
      } else if (const auto found = last_.find({l, fed.tensor}); found != last_.end()) {
        words = &found->second;
      }
      if (words != nullptr) AddUses(*words, false, &uses);
    }
    if (!any) return from;
    engine.free = Pass(uses, start);
    return engine.free;
  }

  bool ExchangesAt(size_t l, size_t s) const {
    const auto& all = engines_[l].exchanges;
    return engines_[l].there && std::binary_search(all.begin(), all.end(), s);
  }

  // What has to happen before a step begins; work so far has ended at `now`.
  double Exchange(size_t s, double now) {
    // Outputs go out from the inside; where work waits, everything inside has to be done.
    double out = now;
    for (size_t l = levels_; l-- > 0;) {
      if (!ExchangesAt(l, s)) continue;
      const bool none = LevelAt(l).overlap == Overlap::kNone;
      if (none) now = std::max({now, out, InsideDone(l)});
      out = Drain(l, s, std::max(out, now));
      if (none) now = out;
    }
    // Tiles come in from the outside.
    for (size_t l = 0; l < levels_; ++l) {
      if (!ExchangesAt(l, s)) continue;
      Engine& engine = engines_[l];
      switch (LevelAt(l).overlap) {
        case Overlap::kStream:
          Load(l, s, now);
          break;
        case Overlap::kNone:
          now = std::max(now, InsideDone(l));
          now = Load(l, s, now);
          break;
        case Overlap::kDouble: {
          const auto at = static_cast<size_t>(
              std::lower_bound(engine.exchanges.begin(), engine.exchanges.end(), s) -
              engine.exchanges.begin());
          if (engine.next <= at) {
            engine.loaded = Load(l, s, now);
            engine.next = at + 1;
          }
          now = std::max(now, engine.loaded);
          Prefetch(l, at + 1, now);
          break;
        }
      }
    }
    return now;
  }

  // The next tile into the other buffer, which is empty, if the levels outside have the tile.
  void Prefetch(size_t l, size_t exchange, double now) {
    Engine& engine = engines_[l];
    if (exchange >= engine.exchanges.size()) return;
    const size_t s = engine.exchanges[exchange];
    double from = now;
    for (size_t outer = 0; outer < l; ++outer) {
      if (!ExchangesAt(outer, s)) continue;
      if (LevelAt(outer).overlap == Overlap::kNone) return;
      const Engine& of_outer = engines_[outer];
      if (LevelAt(outer).overlap == Overlap::kDouble) {
        if (of_outer.next == 0 || of_outer.exchanges[of_outer.next - 1] < s) return;
        from = std::max(from, of_outer.loaded);
      }
    }
    engine.loaded = Load(l, s, from);
    engine.next = exchange + 1;
  }

  double InsideDone(size_t l) const {
    double done = 0;
    for (size_t inner = l + 1; inner < levels_; ++inner) {
      done = std::max(done, engines_[inner].free);
    }
    return done;
  }

  // A step of the array, with the operands that it takes and the words that stream to it.
  double Work(size_t s, double now) {
    Uses uses;
    for (size_t t = 0; t < problem_.tensors.size(); ++t) {
      for (size_t l = 0; l <= levels_; ++l) {
        if (l < levels_ && (engines_[l].there || !Keeps(l, t))) continue;
        const WalkedWords* words = WordsAt(l, t, s);
        if (words == nullptr) continue;
        AddUses(*words, true, &uses);
        AddUses(*words, false, &uses);
      }
    }
    return std::max(now + 1, Pass(uses, now));
  }

  double DrainLast(double now) {
    double out = now;
    for (size_t l = levels_; l-- > 0;) {
      if (engines_[l].there) {
        out = Drain(l, std::nullopt, std::max(out, InsideDone(l)));
        continue;
      }
      Uses uses;
      for (const Fed& fed : engines_[l].fed) {
        const auto found = last_.find({l, fed.tensor});
        if (found != last_.end()) AddUses(found->second, false, &uses);
      }
      out = Pass(uses, out);
    }
    return std::max(now, out);
  }

  const Problem& problem_;
  const Architecture& architecture_;
  const Mapping& mapping_;
  size_t levels_ = 0;
  std::vector<NestLoop> nest_;
  std::vector<Step> steps_;
  std::map<std::tuple<size_t, size_t, Step>, WalkedWords> moved_;
  std::map<std::pair<size_t, size_t>, WalkedWords> last_;
  std::vector<Engine> engines_;
  std::map<std::tuple<size_t, int, int>, double> port_free_;
};

}  // namespace

double TwinCycles(const Problem& problem, const Architecture& architecture, const Mapping& mapping,
                  double dynamic_pj) {
  return Machine(problem, architecture, mapping).Run(dynamic_pj);
}

}  // namespace inlay::testing
