#include <algorithm>
#include <cstdlib>

#include "inlay/batch/sim/state.h"

namespace inlay::batch::sim {
namespace {

void Notify(const State& state, size_t workload, std::string_view what, const Piece& piece) {
  if (state.observer != nullptr) {
    state.observer->SubBatch(state.now, workload, what, piece.layer, piece.n);
  }
}

// Bytes that come into memory when a piece starts its layer.
int64_t Entering(WorkloadState* w, const Piece& piece) {
  const LayerRow& row = w->table->Row(piece.n);
  return row.added[piece.layer] + (piece.spilled ? row.held[piece.layer] : w->piece_off);
}

// The piece starts its layer, whatever the banker says of it; `rest` is paused before it. Only the
// workload's own state changes.
bool SafeAfter(State* state, size_t workload, const Piece& piece, int64_t rest) {
  if (state->rules.on_deadlock != OnDeadlock::kAvoid || state->rules.unlimited_maps) return true;
  WorkloadState& w = state->workloads[workload];
  const Piece before = w.piece;
  const int64_t entering = Entering(&w, piece);
  if (rest > 0) w.paused.push_back({rest, piece.layer, piece.spilled});
  SetPiece(&w, piece);
  w.phase = Phase::kRunning;
  w.maps += entering;
  const bool safe = IsSafe(state);
  w.maps -= entering;
  w.phase = Phase::kBlocked;
  SetPiece(&w, before);
  if (rest > 0) w.paused.pop_back();
  return safe;
}

void Start(State* state, size_t workload, int64_t n) {
  WorkloadState& w = state->workloads[workload];
  const int64_t rest = w.piece.n - n;
  if (rest > 0) {
    ForgetNextLeg(state, workload);
    w.paused.push_back({rest, w.piece.layer, w.piece.spilled});
    ++state->version;
    ++state->outcome.splits;
    state->outcome.deepest_stack =
        std::max(state->outcome.deepest_stack, static_cast<int64_t>(w.paused.size()));
    Notify(*state, workload, "split", w.paused.back());
  }
  SetPiece(&w, {n, w.piece.layer, w.piece.spilled});
  const int64_t entering = Entering(&w, w.piece);
  int64_t inputs = w.piece.layer == 0 ? n * w.layers->front().live_bytes : 0;
  const int64_t back = w.piece.spilled ? w.row->held[w.piece.layer] : w.piece_off;
  if (state->rules.free_spills) {
    state->outcome.fetched_bytes += back;
  } else {
    inputs += back;
  }
  w.piece.spilled = false;
  w.piece_off = 0;
  w.maps += entering;
  state->memory.AddMaps(entering);
  w.phase = Phase::kRunning;
  if (state->observer != nullptr) {
    state->observer->Layer(state->now, workload, w.piece.layer, n, true);
  }
  BeginLayer(state, workload, inputs);
}

// The most inferences of the current piece for which there is room.
int64_t Fit(State* state, WorkloadState* w) {
  const int64_t room = state->memory.Room();
  const Piece& piece = w->piece;
  if (Entering(w, piece) <= room) return piece.n;
  if (piece.n == 1) return 0;
  const int64_t one = Entering(w, {1, piece.layer, piece.spilled});
  const int64_t each = Entering(w, {2, piece.layer, piece.spilled}) - one;
  if (one > room) return 0;
  return std::min(piece.n - 1, 1 + (each == 0 ? piece.n : (room - one) / each));
}

// R8: the piece paused last comes up to the current one, if that fits; true if it now is current or
// they are one.
bool Merge(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (!state->rules.merge || w.paused.empty() || w.piece.spilled) return false;
  const Piece a = w.piece, b = w.paused.back();
  const int64_t room = state->memory.Room();
  const LayerRow& both = w.table->Row(a.n + b.n);
  const LayerRow& row = w.table->Row(b.n);
  if (a.layer == b.layer) {
    if (b.spilled || both.added[a.layer] > room) return false;
    ForgetNextLeg(state, workload);
    w.paused.pop_back();
    SetPiece(&w, {a.n + b.n, a.layer, false});
    ++state->outcome.merges;
    ++state->version;
    Notify(*state, workload, "merge", w.piece);
    return true;
  }
  const int64_t held = HeldBy(&w, b);
  const int64_t on_the_way = row.Peak(b.layer, a.layer) - held;
  const int64_t together = both.added[a.layer] - (held - row.held[a.layer]);
  if (std::max(on_the_way, together) > room) return false;
  w.paused.pop_back();
  w.waiting.push_back(a);
  SetPiece(&w, b);
  if (state->rules.on_deadlock == OnDeadlock::kAvoid && !state->rules.unlimited_maps &&
      !IsSafe(state)) {
    w.waiting.pop_back();
    w.paused.push_back(b);
    SetPiece(&w, a);
    return false;
  }
  SetPiece(&w, a);  // whose blocks they are
  ForgetFetched(state, workload);
  SetPiece(&w, b);
  NextLegBegins(state, workload);
  ++state->version;
  Notify(*state, workload, "resume", b);
  return true;
}

// The largest part of `most` inferences that the banker lets start; 0 if none.
int64_t SafePart(State* state, size_t workload, int64_t most) {
  const Piece& piece = state->workloads[workload].piece;
  const auto safe = [&](int64_t n) {
    return SafeAfter(state, workload, {n, piece.layer, piece.spilled}, piece.n - n);
  };
  if (safe(most)) return most;
  int64_t low = 0, high = most;  // low is safe or 0, high is not
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (safe(middle) ? low : high) = middle;
  }
  return low;
}

bool TryStartSplit(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  while (Merge(state, workload)) {
  }
  const auto others = static_cast<int64_t>(w.paused.size() + w.waiting.size());
  const bool divisible =
      state->may_split && (others < state->rules.cascade_depth || state->any_depth);
  const int64_t stamp = 2 * state->version + (divisible ? 1 : 0);
  if (w.refused_at == stamp) return false;
  const int64_t fit = Fit(state, &w);
  if (fit == 0 || (fit < w.piece.n && !divisible)) return false;
  int64_t n = fit;
  if (divisible) {
    n = SafePart(state, workload, fit);
  } else if (!SafeAfter(state, workload, w.piece, 0)) {
    n = 0;
  }
  if (n == 0) {
    w.refused_at = stamp;
    return false;
  }
  Start(state, workload, n);
  return true;
}

bool TryStart(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  if (state->splits) return TryStartSplit(state, workload);
  if (Entering(&w, w.piece) > state->memory.Room() || w.refused_at == state->version) return false;
  if (!SafeAfter(state, workload, w.piece, 0)) {
    w.refused_at = state->version;
    return false;
  }
  Start(state, workload, w.piece.n);
  return true;
}

// Blocked workloads, the one that waits longest first.
void ListBlocked(State* state) {
  state->order.clear();
  for (size_t i = 0; i < state->workloads.size(); ++i) {
    if (state->workloads[i].phase == Phase::kBlocked) state->order.push_back(i);
  }
  std::sort(state->order.begin(), state->order.end(), [&](size_t a, size_t b) {
    return state->workloads[a].blocked_since < state->workloads[b].blocked_since;
  });
}

bool StartSerial(State* state) {
  if (state->active == state->workloads.size()) {
    int64_t first = kNever;
    for (size_t i = 0; i < state->workloads.size(); ++i) {
      const WorkloadState& w = state->workloads[i];
      if (w.phase == Phase::kIdle || w.task->requests[w.request].arrival >= first) continue;
      first = w.task->requests[w.request].arrival;
      state->active = i;
    }
    if (state->active == state->workloads.size()) return false;
  }
  return state->workloads[state->active].phase == Phase::kBlocked && TryStart(state, state->active);
}

// One layer at a time: the one after which fetching and computing are closest.
bool StartInterleaved(State* state) {
  for (const WorkloadState& w : state->workloads) {
    if (IsRunning(w)) return false;
  }
  ListBlocked(state);
  const auto change = [&](size_t i) {
    const WorkloadState& w = state->workloads[i];
    const int64_t bytes = (*w.layers)[w.piece.layer].weight_bytes;
    return w.row->cycles[w.piece.layer] - FetchCycles(*state, bytes);
  };
  std::sort(state->order.begin(), state->order.end(), [&](size_t a, size_t b) {
    const int64_t of_a = std::abs(state->balance + change(a));
    const int64_t of_b = std::abs(state->balance + change(b));
    return of_a != of_b ? of_a < of_b : a < b;
  });
  for (const size_t i : state->order) {
    const int64_t by = change(i);
    if (!TryStart(state, i)) continue;
    state->balance += by;
    return true;
  }
  return false;
}

}  // namespace

bool StartAnyLayer(State* state) {
  ListBlocked(state);
  for (size_t i = 0; i < state->order.size(); ++i) {
    if (TryStart(state, state->order[i])) return true;
  }
  return false;
}

bool StartLayers(State* state) {
  if (state->rules.advance == Advance::kSerial) return StartSerial(state);
  if (state->rules.advance == Advance::kInterleave) return StartInterleaved(state);
  ListBlocked(state);
  bool started = false;
  for (size_t i = 0; i < state->order.size(); ++i) {
    const bool starts = TryStart(state, state->order[i]);
    started = started || starts;
    if (!starts && !state->rules.bypass) break;
  }
  return started;
}

int64_t WantedBytes(State* state, size_t workload) {
  WorkloadState& w = state->workloads[workload];
  return Entering(&w, {state->splits ? 1 : w.piece.n, w.piece.layer, w.piece.spilled});
}

}  // namespace inlay::batch::sim
