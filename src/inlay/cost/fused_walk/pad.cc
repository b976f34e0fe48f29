#include "inlay/cost/fused_walk/pad.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::fused_walk {
namespace {

Words KeysOf(const std::map<Coordinates, Word>& held) {
  Words words;
  for (const auto& [word, value] : held) words.insert(words.end(), word);
  return words;
}

}  // namespace

Pad::Pad(const FusedProblem& problem, const Places& places, OffChip* offchip, Counter* counter)
    : problem_(problem),
      places_(places),
      offchip_(*offchip),
      counter_(*counter),
      holds_(places.size()) {}

const FusedNode& Pad::NodeAt(size_t leaf) const {
  return problem_.nodes[places_[leaf].tree->leaf()->node];
}

// Fused holds right above a split take room from the child with the writer to the last with a
// reader, and lose their words then.
void Pad::DivideRoom(size_t split, size_t child) {
  const std::vector<size_t>& above = places_[split].above;
  for (auto p = above.rbegin(); p != above.rend(); ++p) {
    const FusedHold* hold = places_[*p].tree->hold();
    if (hold == nullptr) return;
    if (places_[*p].kind != HoldKind::kFused || hold->retain) continue;
    bool written = false;  // in this child or an earlier one
    bool read = false;     // in this child or a later one
    for (const size_t other : places_[split].children) {
      const bool has_writer = places_[other].range.contains(*WriterOf(problem_, hold->tensor));
      written = written || (other <= child && has_writer);
      const bool has_reader = !places_.ReadersIn(other, hold->tensor).empty();
      read = read || (other >= child && has_reader);
    }
    holds_[*p].takes_room = written && read;
    if (!read) holds_[*p].words.clear();
  }
}

void Pad::Enter(size_t place, const Box& tile) {
  Held& held = holds_[place];
  const FusedHold& hold = *places_[place].tree->hold();
  const Words words = WordsOf(tile);
  held.largest_tile_words = std::max(held.largest_tile_words, static_cast<int64_t>(words.size()));
  switch (places_[place].kind) {
    case HoldKind::kInput:
      EnterInput(&held, hold.tensor, words);
      break;
    case HoldKind::kOutput:
      EnterOutput(&held, hold.tensor, words);
      break;
    case HoldKind::kFused:
      EnterFused(&held, hold.retain, tile);
      break;
  }
  held.tile = tile;
}

void Pad::EnterInput(Held* held, TensorId tensor, const Words& words) {
  const Words before = KeysOf(held->words);
  for (const Coordinates& word : Minus(before, words)) held->words.erase(word);
  const Words entering = Minus(words, before);
  for (const Coordinates& word : entering) held->words[word] = offchip_.Read(tensor, word);
  held->entered_words += static_cast<int64_t>(entering.size());
  counter_.Enter(tensor, static_cast<int64_t>(entering.size()));
}

// Sums that are begun and not finished come back; all others begin at zero.
void Pad::EnterOutput(Held* held, TensorId tensor, const Words& words) {
  const Words before = KeysOf(held->words);
  Leave(held, tensor, Minus(before, words));
  int64_t back = 0;
  const Words entering = Minus(words, before);
  for (const Coordinates& word : entering) {
    const Word sum = offchip_.Read(tensor, word);
    const bool begun = sum.steps > 0 && !offchip_.IsFinished(tensor, sum);
    held->words[word] = begun ? sum : Word();
    back += begun ? 1 : 0;
  }
  held->entered_words += static_cast<int64_t>(entering.size());
  counter_.Enter(tensor, back);
}

void Pad::EnterFused(Held* held, bool retain, const Box& tile) {
  if (!retain) held->words.clear();  // all of it is computed, again and again
  held->lacking = MissingWords(retain ? held->tile : std::nullopt, tile);
  held->computed.clear();
  const Words words = WordsOf(tile);
  for (const Coordinates& word : Minus(KeysOf(held->words), words)) held->words.erase(word);
  for (const Coordinates& word : held->lacking) held->words[word] = Word();
}

void Pad::Leave(Held* held, TensorId tensor, const Words& words) {
  for (const Coordinates& word : words) {
    offchip_.Write(tensor, word, held->words.at(word));
    held->words.erase(word);
  }
  counter_.Leave(tensor, static_cast<int64_t>(words.size()));
}

void Pad::EndPart(size_t place) {
  for (size_t p = place; p < places_[place].end; ++p) {
    const FusedHold* hold = places_[p].tree->hold();
    if (hold == nullptr) continue;
    Held& held = holds_[p];
    if (places_[p].kind == HoldKind::kOutput) Leave(&held, hold->tensor, KeysOf(held.words));
    held.words.clear();
    held.tile.reset();
    held.lacking.clear();
    held.computed.clear();
  }
}

int64_t Pad::RoomAbove(size_t place) const {
  int64_t words = 0;
  for (const size_t p : places_[place].above) {
    const Held& held = holds_[p];
    if (held.tile && held.takes_room) words = SaturatingAdd(words, WordsIn(*held.tile));
  }
  return words;
}

Word& Pad::At(size_t leaf, TensorId tensor, const Coordinates& word) {
  const auto hold = places_.HoldAbove(leaf, tensor);
  if (!hold) {
    throw Stopped{
        {"tree",
         fmt::format("no hold of '{}' is above '{}'", problem_.tensors[tensor], NodeAt(leaf).name),
         "hold every tensor of a node above it"}};
  }
  const auto found = holds_[*hold].words.find(word);
  if (found != holds_[*hold].words.end()) return found->second;
  throw Stopped{{"tree",
                 fmt::format("{} is not in the pad when '{}' uses it",
                             NameOf(problem_, tensor, word), NodeAt(leaf).name),
                 ""}};
}

// Words that were finished are computed again; those that are begun are gone on with.
void Pad::BeginSums(size_t leaf, const Words& words) {
  const TensorId tensor = OutputOf(NodeAt(leaf)).tensor;
  int64_t begun = 0;
  for (const Coordinates& word : words) {
    Word& sum = At(leaf, tensor, word);
    if (offchip_.IsFinished(tensor, sum)) sum = Word();
    begun += sum.steps > 0 ? 1 : 0;
  }
  counter_.ContinueSums(tensor, begun);
}

void Pad::FinishSums(size_t leaf, const Words& words) {
  const TensorId tensor = OutputOf(NodeAt(leaf)).tensor;
  const size_t hold = *places_.HoldAbove(leaf, tensor);
  Held& held = holds_[hold];
  held.computed.insert(words.begin(), words.end());
  int64_t finished = 0;
  const bool drains = IsNeededOffChip(hold, tensor);
  for (const Coordinates& word : words) {
    const Word& sum = held.words.at(word);
    if (!offchip_.IsFinished(tensor, sum)) continue;
    ++finished;
    if (drains) offchip_.Write(tensor, word, sum);
  }
  if (places_[hold].kind != HoldKind::kFused) return;
  held.entered_words += finished;
  if (drains) counter_.Leave(tensor, finished);
}

// Of a fused hold; what others hold goes off chip when it leaves.
bool Pad::IsNeededOffChip(size_t hold, TensorId tensor) const {
  if (places_[hold].kind != HoldKind::kFused) return false;
  return IsListedOutput(problem_, tensor) ||
         places_.ReadersIn(hold, tensor).size() < ReadersOf(problem_, tensor).size();
}

}  // namespace inlay::fused_walk
