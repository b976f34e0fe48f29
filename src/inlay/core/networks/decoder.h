#pragma once

#include <cstdint>
#include <optional>
#include <tl/expected.hpp>

#include "inlay/base/enum_names.h"
#include "inlay/base/structure.h"
#include "inlay/core/fault.h"
#include "inlay/core/graph.h"

namespace inlay {

enum class DecoderPhase : uint8_t {
  kPrefill,  // of a prompt, all tokens at once
  kDecode,   // the step after
};
template <>
inline constexpr auto kNames<DecoderPhase> = std::to_array<EnumName<DecoderPhase>>(
    {{DecoderPhase::kPrefill, "prefill"}, {DecoderPhase::kDecode, "decode"}});

// A language model of pre-norm blocks: RMS norm, attention whose key heads serve several query
// heads each, rotary embedding, and a gated feed-forward. What is run of it at once are `tokens`
// new tokens of each of `batch` sequences, behind `context` whose keys and values are there.
struct Decoder {
  int64_t width = 0;
  int64_t heads = 0;
  std::optional<int64_t> kv_heads;  // none: as many as heads
  std::optional<int64_t> head_dim;  // none: width / heads
  int64_t feed_forward = 0;
  int64_t layers = 1;
  std::optional<int64_t> vocabulary;  // none: the blocks alone
  bool tied = false;
  bool qkv_bias = false;
  DecoderPhase phase = DecoderPhase::kPrefill;
  std::optional<int64_t> tokens, context;  // none: what is usual in the phase
  int64_t batch = 1;
  bool operator==(const Decoder&) const = default;
};
const Structure& StructureOf(const Decoder*);

// What a run of it computes; docs/reference/native-format.md lists the nodes. `where` of faults is
// a key of the table, or empty for sizes that 64 bits do not hold. The graph has no name.
tl::expected<Graph, Faults> GraphOf(const Decoder& decoder);

}  // namespace inlay
