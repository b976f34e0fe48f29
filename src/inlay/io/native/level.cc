#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "inlay/io/native/architecture_types.h"
#include "inlay/io/native/free_attribute.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

constexpr std::string_view kAll = "all";

std::optional<TextError> CheckNameOrAll(std::string_view text) {
  return text == kAll ? std::nullopt : CheckName(text);
}
std::string NameOrAllPattern() { return R"(^(?!(none|for|parallel)$)[^\s,"']+$)"; }

std::optional<TextError> CheckAll(std::string_view text) {
  if (text == kAll) return std::nullopt;
  return TextError{0, fmt::format("expected a list of tensors or 'all', found '{}'", text),
                   fmt::format("write '[{}]'", text)};
}
std::string AllPattern() { return "^all$"; }

constexpr std::array<std::string_view, 3> kKindWords = {"dram", "sram", "register"};
constinit const Type kMemoryKind = {
    .form = Form::kWord, .what = "dram, sram or register", .words = kKindWords};
constexpr Type kCapacity = {.form = Form::kText,
                            .what = "a capacity such as '65536 words' or '128 KiB'",
                            .check = CheckBy<ParseCapacity>,
                            .pattern = CapacityPattern};
constexpr Type kBandwidth = {.form = Form::kText,
                             .what = "a bandwidth such as '16 words/cycle'",
                             .check = CheckBy<ParseBandwidth>,
                             .pattern = BandwidthPattern};
constexpr Type kEnergy = {.form = Form::kText,
                          .what = "an energy such as '4.6 pJ'",
                          .check = CheckBy<ParseEnergyPj>,
                          .pattern = EnergyPattern};
constexpr Type kLeakage = {.form = Form::kText,
                           .what = "a leakage such as '0.1 pJ/cycle'",
                           .check = CheckBy<ParseLeakagePjPerCycle>,
                           .pattern = LeakagePattern};
constexpr Type kBuffering = {.form = Form::kNumber, .what = "a number from 1"};

// The same, or free.
constexpr std::array<const Type*, 2> kCapacityOptions = {&kCapacity, &kFreeType};
constinit const Type kCapacityOrFree = {
    .form = Form::kEither, .what = kCapacity.what, .options = kCapacityOptions};
constexpr std::array<const Type*, 2> kBandwidthOptions = {&kBandwidth, &kFreeType};
constinit const Type kBandwidthOrFree = {
    .form = Form::kEither, .what = kBandwidth.what, .options = kBandwidthOptions};
constexpr std::array<const Type*, 2> kEnergyOptions = {&kEnergy, &kFreeType};
constinit const Type kEnergyOrFree = {
    .form = Form::kEither, .what = kEnergy.what, .options = kEnergyOptions};
constexpr std::array<const Type*, 2> kLeakageOptions = {&kLeakage, &kFreeType};
constinit const Type kLeakageOrFree = {
    .form = Form::kEither, .what = kLeakage.what, .options = kLeakageOptions};
constexpr std::array<const Type*, 2> kBufferingOptions = {&kBuffering, &kFreeType};
constinit const Type kBufferingOrFree = {
    .form = Form::kEither, .what = kBuffering.what, .options = kBufferingOptions};
constexpr std::array kPartKeys = {
    Key{"capacity", "how much the tensor has to itself", &kCapacityOrFree, true},
    Key{"word_bits", "the width of its words, where it is not the level's", &kWordBits},
    Key{"kind", "the kind of its memory, where it is not the level's", &kMemoryKind}};
constinit const Type kPart = {.form = Form::kObject,
                              .what = "a part such as '{capacity: 128 words, kind: register}'",
                              .keys = kPartKeys};
constexpr std::array<const Type*, 3> kPartOptions = {&kCapacity, &kPart, &kFreeType};
constinit const Type kCapacityOrPart = {
    .form = Form::kEither,
    .what =
        "a capacity such as '65536 words', or a part such as '{capacity: 128 words, kind: "
        "register}'",
    .options = kPartOptions};
constinit const Type kPartition = {.form = Form::kMap,
                                   .what = "a mapping from tensors to capacities",
                                   .check = CheckName,
                                   .pattern = NamePattern,
                                   .element = &kCapacityOrPart};
constinit const Type kTensorBits = {.form = Form::kMap,
                                    .what = "a mapping from tensors to bits",
                                    .check = CheckNameOrAll,
                                    .pattern = NameOrAllPattern,
                                    .element = &kWordBits};
constexpr std::array<const Type*, 3> kLevelBitsOptions = {&kWordBits, &kFreeType, &kTensorBits};
constinit const Type kLevelBits = {.form = Form::kEither,
                                   .what = "a number of bits, or a mapping from tensors to bits",
                                   .options = kLevelBitsOptions};
constexpr std::array kEnergyKeys = {
    Key{"read", "of a block read", &kEnergyOrFree, true},
    Key{"write", "of a block written, from either side", &kEnergyOrFree},
    Key{"fill", "of a block written from the outer side, where it differs", &kEnergyOrFree},
    Key{"update", "of a block written from the inner side, where it differs", &kEnergyOrFree}};
constinit const Type kEnergies = {.form = Form::kObject,
                                  .what = "energies such as '{read: 4.6 pJ, write: 4.6 pJ}'",
                                  .keys = kEnergyKeys};
constinit const Type kTensorList = {
    .form = Form::kList, .what = "a list of tensors", .element = &kNameText};
constinit const Type kAllTensors = {
    .form = Form::kText, .what = "'all'", .check = CheckAll, .pattern = AllPattern};
constexpr std::array<const Type*, 2> kTensorSetOptions = {&kTensorList, &kAllTensors};
constinit const Type kTensorSet = {
    .form = Form::kEither, .what = "a list of tensors, or 'all'", .options = kTensorSetOptions};

constexpr std::array kLevelKeys = {
    Key{"name", "the name of the level", &kNameText, true},
    Key{"kind", "the kind of memory, which selects the technology's figures", &kMemoryKind, true},
    Key{"capacity", "how much one instance holds, shared by all tensors; unbounded if left out",
        &kCapacityOrFree},
    Key{"partition", "instead of a capacity: how much each tensor has to itself", &kPartition},
    Key{"word_bits",
        "the width of a word; a mapping gives tensors of other widths ('all': the rest)",
        &kLevelBits},
    Key{"block", "how much one access moves (default: 1 word)", &kCapacityOrFree},
    Key{"double_buffer", "whether only half of the capacity can be used by a tile", &kBooleanValue},
    Key{"buffering", "instead of double_buffer: the capacity is divided by this number",
        &kBufferingOrFree},
    Key{"read_bandwidth", "per instance; unlimited if left out", &kBandwidthOrFree},
    Key{"write_bandwidth", "per instance; unlimited if left out", &kBandwidthOrFree},
    Key{"shared_bandwidth", "of reads and writes together, per instance", &kBandwidthOrFree},
    Key{"energy", "of one access; by the technology if left out", &kEnergies},
    Key{"leakage", "of one instance, whether it works or not", &kLeakageOrFree},
    Key{"keep", "the tensors that the level must hold", &kTensorSet},
    Key{"bypass", "the tensors that it must not hold; without either key it keeps all",
        &kTensorSet}};

std::optional<MemoryKind> KindOf(std::string_view word) {
  if (word == kKindWords[0]) return MemoryKind::kDram;
  if (word == kKindWords[1]) return MemoryKind::kSram;
  if (word == kKindWords[2]) return MemoryKind::kRegister;
  return std::nullopt;
}

class LevelBuilder {
 public:
  LevelBuilder(const Node& node, int default_word_bits, Places* places, Diagnostics* diagnostics)
      : node_(node), diagnostics_(diagnostics) {
    level_.name = TextOr(node, "name");
    level_.word_bits = default_word_bits;
    const std::string where = "levels." + level_.name;
    places->Set(where, node);
    for (const auto& [key, value] : node.entries) {
      places->Set(where + "." + key.text, value);
      for (const auto& [inner_key, inner] : value.entries) {
        places->Set(where + "." + key.text + "." + inner_key.text, inner);
      }
    }
  }

  Level Build() && {
    // A wrong kind is reported already; dram needs no capacity that could be missed as well.
    level_.kind = KindOf(TextOr(node_, "kind")).value_or(MemoryKind::kDram);
    ReadWordBits();
    ReadPartitions();
    level_.capacity_words = Words("capacity", level_.word_bits);
    if (!level_.capacity_words && node_.Find("capacity") != nullptr && HasErrors(*diagnostics_)) {
      level_.capacity_words = 1;  // reported already; a stand-in, so that it is not missed as well
    }
    level_.block_words = Words("block", level_.word_bits).value_or(1);
    ReadBuffering();
    level_.read_bandwidth = ReadBandwidth("read_bandwidth");
    level_.write_bandwidth = ReadBandwidth("write_bandwidth");
    level_.shared_bandwidth = ReadBandwidth("shared_bandwidth");
    ReadEnergy();
    level_.leakage_pj_per_cycle = ParsedKey<ParseLeakagePjPerCycle>(node_, "leakage").value_or(0);
    level_.keep = ReadTensors("keep");
    level_.bypass = ReadTensors("bypass");
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
    part.word_bits = WordBitsOr(value, "word_bits", part.word_bits);
    part.kind = KindOf(TextOr(value, "kind"));
    const Node* capacity = value.IsMapping() ? value.Find("capacity") : &value;
    if (capacity != nullptr) part.capacity_words = WordsOf(*capacity, part.word_bits, "capacity");
    return part;
  }

  std::optional<int64_t> Words(std::string_view key, int word_bits) {
    const Node* value = node_.Find(key);
    return value == nullptr ? std::nullopt : WordsOf(*value, word_bits, key);
  }

  std::optional<int64_t> WordsOf(const Node& value, int word_bits, std::string_view what) {
    if (!value.IsScalar()) return std::nullopt;
    const auto capacity = ParseCapacity(value.text);
    if (!capacity || !capacity->has_value()) return std::nullopt;
    const auto words = CapacityWords(**capacity, word_bits, what);
    if (words) return *words;
    diagnostics_->push_back(ErrorInside(value, words.error()));
    return std::nullopt;
  }

  void ReadBuffering() {
    const Node* number = node_.Find("buffering");
    const Node* twice = node_.Find("double_buffer");
    if (BoolOr(node_, "double_buffer", false)) level_.buffering = 2;
    if (number == nullptr) return;
    if (twice != nullptr) {
      Add(*number, fmt::format("'{}' has both 'buffering' and 'double_buffer'", level_.name),
          "give one of them");
    } else if (number->IsMapping()) {
      return;  // free
    } else if (const auto value = AsDouble(*number, "buffering")) {
      if (*value >= 1) {
        level_.buffering = *value;
      } else {
        Add(*number, "buffering must be a number from 1", "2 means double-buffered");
      }
    }
  }

  std::optional<double> ReadBandwidth(std::string_view key) {
    const auto bandwidth = ParsedKey<ParseBandwidth>(node_, key);
    if (!bandwidth) return std::nullopt;
    const bool one_width =
        std::all_of(level_.tensor_bits.begin(), level_.tensor_bits.end(),
                    [this](const TensorBits& b) { return b.word_bits == level_.word_bits; }) &&
        std::all_of(level_.partitions.begin(), level_.partitions.end(),
                    [this](const Partition& p) { return p.word_bits == level_.word_bits; });
    if (bandwidth->in_bytes && !one_width) {
      Add(*node_.Find(key),
          fmt::format("bytes per cycle do not tell how many words '{}' moves: its tensors differ "
                      "in width",
                      level_.name),
          "give the bandwidth in words/cycle");
    }
    return BandwidthWords(*bandwidth, level_.word_bits);
  }

  void ReadEnergy() {
    const Node* energy = node_.Find("energy");
    if (energy == nullptr) return;
    level_.energy.emplace();  // given, even if wrongly
    if (!energy->IsMapping()) return;
    const bool has_write = energy->Find("write") != nullptr;
    const bool has_fill = energy->Find("fill") != nullptr;
    const bool has_update = energy->Find("update") != nullptr;
    if (!has_write && !(has_fill && has_update)) {
      Add(*energy, fmt::format("the energies of '{}' do not say what a write costs", level_.name),
          "give 'write', or both 'fill' and 'update'");
    } else if (has_write && has_fill && has_update) {
      Add(*energy->Find("write"), "'write' is not used beside 'fill' and 'update'", "leave it out");
    }
    const double write = ParsedKey<ParseEnergyPj>(*energy, "write").value_or(0);
    level_.energy->read_pj = ParsedKey<ParseEnergyPj>(*energy, "read").value_or(0);
    level_.energy->fill_pj = ParsedKey<ParseEnergyPj>(*energy, "fill").value_or(write);
    level_.energy->update_pj = ParsedKey<ParseEnergyPj>(*energy, "update").value_or(write);
  }

  std::optional<TensorNameSet> ReadTensors(std::string_view key) {
    const Node* value = node_.Find(key);
    if (value == nullptr) return std::nullopt;
    return TensorNameSet{value->IsScalar(), ScalarTexts(*value)};
  }

  const Node& node_;
  Diagnostics* diagnostics_;
  Level level_;
};

}  // namespace

constinit const Type kLevelType = {.form = Form::kObject, .what = "a level", .keys = kLevelKeys};

Level BuildLevel(const Node& node, int default_word_bits, Places* places,
                 Diagnostics* diagnostics) {
  return LevelBuilder(node, default_word_bits, places, diagnostics).Build();
}

}  // namespace inlay::io
