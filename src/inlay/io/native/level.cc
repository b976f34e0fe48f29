#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "inlay/io/native/architecture_types.h"
#include "inlay/io/native/free_attribute.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/quantity.h"

namespace inlay::io {
namespace {

constexpr std::string_view kAll = "all";

std::optional<TextError> CheckNameOrAll(std::string_view text) {
  return text == kAll ? std::nullopt : CheckName(text);
}
std::string NameOrAllPattern() { return R"(^(?!(none|for|parallel)$)[^\s,"']+$)"; }

constinit const Type kTensorBits = {.form = Form::kMap,
                                    .what = "a mapping from tensors to bits",
                                    .check = CheckNameOrAll,
                                    .pattern = NameOrAllPattern,
                                    .element = &kWordBits};
constexpr std::array<const Type*, 3> kLevelBitsOptions = {&kWordBits, &kFreeType, &kTensorBits};
constinit const Type kLevelBits = {.form = Form::kEither,
                                   .what = "a number of bits, or a mapping from tensors to bits",
                                   .options = kLevelBitsOptions};

// A capacity, or all that a part may say.
const Type& PartitionType() {
  static const Type capacity =
      QuantityType(kCapacityUnits, "a capacity such as '65536 words' or '128 KiB'");
  static const std::array<const Type*, 3> options = {&capacity, &TypeOf<Partition>(), &kFreeType};
  static const Type part = {
      .form = Form::kEither,
      .what =
          "a capacity such as '65536 words', or a part such as '{capacity: 128 words, kind: "
          "register}'",
      .options = options};
  static const Type type = {.form = Form::kMap,
                            .what = "a mapping from tensors to capacities",
                            .check = CheckName,
                            .pattern = NamePattern,
                            .element = &part};
  return type;
}

bool CountsBytes(const Node& node) {
  const auto quantity = node.IsScalar() ? ParseQuantity(node.text, kLevelBandwidthUnits)
                                        : Parsed<Quantity>(TextFail(0, ""));
  return quantity && quantity->unit->basis != Unit::Basis::kPlain;
}

class LevelBuilder {
 public:
  LevelBuilder(const Node& node, const ArchitectureContext& context, Places* places,
               Diagnostics* diagnostics)
      : node_(node), diagnostics_(diagnostics) {
    level_.name = TextOr(node, "name");
    level_.word_bits = context.word_bits;
    context_.clock_hz = context.clock_hz;
    const std::string where = "levels." + level_.name;
    places->Set(where, node);
    places->SetEntries(where + ".", node);
    for (const auto& [key, value] : node.entries) {
      places->SetEntries(where + "." + key.text + ".", value);
    }
  }

  Level Build() && {
    // A wrong kind is reported already; dram needs no capacity that could be missed as well.
    level_.kind = MemoryKind::kDram;
    ReadWordBits();
    ReadPartitions();
    const Node* energy = node_.Find("energy");
    if (energy != nullptr) level_.energy.emplace();  // given, even if wrongly
    const bool doubled = BoolOr(node_, "double_buffer", false);
    if (doubled) level_.buffering = 2;
    ReadKeys(node_, context_, &level_, diagnostics_);
    if (!level_.capacity_words && node_.Find("capacity") != nullptr && HasErrors(*diagnostics_)) {
      level_.capacity_words = 1;  // reported already; a stand-in, so that it is not missed as well
    }
    CheckBuffering(doubled ? 2 : 1);
    CheckBandwidths();
    CheckClock(node_, StructureOf(&level_), context_.clock_hz, diagnostics_);
    if (energy != nullptr && energy->IsMapping()) CheckEnergy(*energy);
    return std::move(level_);
  }

 private:
  void Add(const Node& node, const std::string& message, const std::string& hint = "") {
    diagnostics_->push_back(node.Error(message, hint));
  }

  // The level's own width first: the others are exceptions to it.
  void ReadWordBits() {
    const Node* bits = node_.Find("word_bits");
    if (bits == nullptr) return;
    if (IsFree(*bits)) return;
    level_.word_bits = AsWordBits(*bits).value_or(level_.word_bits);
    for (const auto& [tensor, value] : bits->entries) {
      const auto width = AsWordBits(value);
      if (!width) continue;
      if (tensor.text == kAll) {
        level_.word_bits = *width;
      } else {
        level_.tensor_bits.push_back({tensor.text, *width});
      }
    }
  }

  // The width of a tensor with a partition is the partition's, not an exception of the level's.
  void ReadPartitions() {
    const Node* partition = node_.Find("partition");
    if (partition == nullptr) return;
    for (const auto& [tensor, value] : partition->entries) {
      level_.partitions.push_back(ReadPart(tensor.text, value));
    }
    if (partition->IsMapping() && partition->entries.empty()) {
      Add(*partition, "a partition needs at least one tensor", "leave it out");
    }
  }

  Partition ReadPart(const std::string& tensor, const Node& value) {
    Partition part{tensor, std::nullopt, level_.word_bits};
    const Node* own_bits = value.Find("word_bits");
    const auto exception =
        std::find_if(level_.tensor_bits.begin(), level_.tensor_bits.end(),
                     [&tensor](const TensorBits& bits) { return bits.tensor == tensor; });
    if (exception != level_.tensor_bits.end()) {
      if (own_bits != nullptr) {
        Add(*own_bits, fmt::format("'{}' has two widths", tensor),
            "give it in the partition or in the level's word_bits");
      }
      part.word_bits = exception->word_bits;
      level_.tensor_bits.erase(exception);
    }
    const UnitContext context = {.word_bits = &part.word_bits};
    part.word_bits = WordBitsOr(value, "word_bits", part.word_bits);
    ReadKeys(value, context, &part, diagnostics_);
    if (!value.IsScalar()) return part;
    const auto words = ParseCount(value.text, kCapacityUnits, context, "capacity");
    if (words) {
      part.capacity_words = *words;
    } else if (!CheckQuantity(value.text, kCapacityUnits)) {
      diagnostics_->push_back(ErrorInside(value, words.error()));
    }
    return part;
  }

  void CheckBuffering(double otherwise) {
    const Node* number = node_.Find("buffering");
    if (number == nullptr) return;
    const bool twice = node_.Find("double_buffer") != nullptr;
    if (!twice && level_.buffering >= 1) return;
    if (twice) {
      Add(*number, fmt::format("'{}' has both 'buffering' and 'double_buffer'", level_.name),
          "give one of them");
    } else {
      Add(*number, "buffering must be a number from 1", "2 means double-buffered");
    }
    level_.buffering = otherwise;
  }

  void CheckBandwidths() {
    const bool one_width =
        std::all_of(level_.tensor_bits.begin(), level_.tensor_bits.end(),
                    [this](const TensorBits& b) { return b.word_bits == level_.word_bits; }) &&
        std::all_of(level_.partitions.begin(), level_.partitions.end(),
                    [this](const Partition& p) { return p.word_bits == level_.word_bits; });
    if (one_width) return;
    for (const Field& key : StructureOf(&level_).fields) {
      const bool is_bandwidth = key.traits.file.unit == &kLevelBandwidthUnits;
      const Node* bandwidth = is_bandwidth ? node_.Find(key.file_key) : nullptr;
      if (bandwidth == nullptr || !CountsBytes(*bandwidth)) continue;
      Add(*bandwidth,
          fmt::format("bytes do not tell how many words '{}' moves: its tensors differ "
                      "in width",
                      level_.name),
          "give the bandwidth in words/cycle");
    }
  }

  void CheckEnergy(const Node& energy) {
    const bool has_write = energy.Find("write") != nullptr;
    const bool has_fill = energy.Find("fill") != nullptr;
    const bool has_update = energy.Find("update") != nullptr;
    if (!has_write && !(has_fill && has_update)) {
      Add(energy, fmt::format("the energies of '{}' do not say what a write costs", level_.name),
          "give 'write', or both 'fill' and 'update'");
    } else if (has_write && has_fill && has_update) {
      Add(*energy.Find("write"), "'write' is not used beside 'fill' and 'update'", "leave it out");
    }
  }

  const Node& node_;
  Diagnostics* diagnostics_;
  Level level_;
  UnitContext context_ = {.word_bits = &level_.word_bits};
};

}  // namespace

const Type& LevelType() {
  return TypeOf<Level>({{"partition", &PartitionType()},
                        {"word_bits", &kLevelBits},
                        {"double_buffer", &kBooleanValue}});
}

Level BuildLevel(const Node& node, const ArchitectureContext& context, Places* places,
                 Diagnostics* diagnostics) {
  return LevelBuilder(node, context, places, diagnostics).Build();
}

void CheckClock(const Node& node, const Structure& keys, const double* clock_hz,
                Diagnostics* diagnostics) {
  if (clock_hz != nullptr) return;
  for (const Field& key : keys.fields) {
    const Node* value = key.traits.file.unit == nullptr ? nullptr : node.Find(key.file_key);
    if (value == nullptr || !value->IsScalar()) continue;
    const auto quantity = ParseQuantity(value->text, *key.traits.file.unit);
    if (!quantity || !NeedsClock(*quantity->unit)) continue;
    diagnostics->push_back(value->Error(
        fmt::format("'{}' tells nothing in cycles: the architecture has no clock", value->text),
        "give it one, such as 'clock: 1 GHz'"));
  }
}

}  // namespace inlay::io
