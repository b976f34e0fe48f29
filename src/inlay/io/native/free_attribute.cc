#include "inlay/io/native/free_attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "inlay/core/units.h"
#include "inlay/io/native/quantity.h"

namespace inlay::io {
namespace {

constexpr double kLargestCount = 9007199254740992;  // 2^53: a double holds every smaller one
constexpr std::string_view kExample = "{free: pow2, min: 4, max: 4096}";

// Read by what it is a value of.
constinit const Type kValue = {
    .form = Form::kText, .what = "a value such as 64 or '1 KiB'", .bare_number = true};
constinit const Type kValues = {
    .form = Form::kList, .what = "a list of values", .element = &kValue};
constexpr std::array<std::string_view, 3> kSetWords = {"pow2", "range", "fill"};
constinit const Type kSetWord = {
    .form = Form::kWord, .what = "pow2, range or fill", .words = kSetWords};
constexpr std::array<const Type*, 2> kSetOptions = {&kSetWord, &kValues};
constinit const Type kSet = {.form = Form::kEither,
                             .what = "pow2, range, fill, or a list of values",
                             .options = kSetOptions};
constexpr std::array kFreeKeys = {
    Key{"free",
        "what may be chosen: a list of values; pow2, the powers of two from min to max; range, "
        "from "
        "min to max in steps; fill (at one fan-out): as many lanes as the budget allows",
        &kSet, true},
    Key{"min", "the least; without a unit in words, lanes, words/cycle, pJ", &kValue},
    Key{"max", "the most", &kValue}, Key{"step", "of a range (default 1)", &kValue}};

// The values of one free attribute.
class FreeReader {
 public:
  // `bits`: the width of the words that it counts; none: free too.
  FreeReader(const Node& node, const Attribute& attribute, std::optional<int> bits,
             std::optional<double> clock_hz, Diagnostics* diagnostics)
      : node_(node),
        attribute_(attribute),
        traits_(attribute.key->traits.file),
        bits_(bits),
        clock_hz_(clock_hz),
        diagnostics_(diagnostics) {}

  // Empty for `fill`; nullopt where something is wrong.
  std::optional<std::vector<double>> Read() {
    const Node* set = node_.Find("free");
    if (set == nullptr) return std::nullopt;
    if (set->IsSequence()) return ReadList(*set);
    if (!set->IsScalar()) return std::nullopt;
    if (set->text == kSetWords[0]) return ReadPowers();
    if (set->text == kSetWords[1]) return ReadRange();
    if (set->text == kSetWords[2]) return ReadFill(*set);
    return std::nullopt;  // reported
  }

 private:
  std::nullopt_t Add(const Node& node, const std::string& message, const std::string& hint = "") {
    diagnostics_->push_back(node.Error(message, hint));
    return std::nullopt;
  }

  bool Refuse(std::initializer_list<const char*> keys, std::string_view set) {
    bool found = false;
    for (const char* key : keys) {
      const Node* value = node_.Find(key);
      if (value == nullptr) continue;
      found = true;
      Add(*value, fmt::format("'{}' means nothing beside {}", key, set), "leave it out");
    }
    return found;
  }

  std::optional<std::vector<double>> ReadList(const Node& list) {
    const bool wrong = Refuse({"min", "max", "step"}, "a list of values");
    if (list.items.empty())
      return Add(list, "there is no value to choose from", "list one or more");
    std::vector<std::pair<double, const Node*>> values;
    bool complete = true;
    for (const Node& item : list.items) {
      const auto value = Value(item);
      complete = complete && value;
      if (value) values.emplace_back(*value, &item);
    }
    std::stable_sort(values.begin(), values.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 1; i < values.size(); ++i) {
      if (values[i].first != values[i - 1].first) continue;
      complete = false;
      Add(*values[i].second, fmt::format("'{}' is listed twice", values[i].second->text));
    }
    if (!complete || wrong) return std::nullopt;
    std::vector<double> result;
    result.reserve(values.size());
    for (const auto& [value, item] : values) result.push_back(value);
    return result;
  }

  std::optional<std::pair<double, double>> ReadEnds(std::string_view set) {
    std::array<std::optional<double>, 2> ends;
    const std::array keys = {"min", "max"};
    for (size_t i = 0; i < keys.size(); ++i) {
      const Node* end = node_.Find(keys[i]);
      if (end == nullptr) {
        Add(node_, fmt::format("'{}' needs '{}'", set, keys[i]),
            fmt::format("write '{}'", kExample));
      } else {
        ends[i] = Value(*end);
      }
    }
    if (!ends[0] || !ends[1]) return std::nullopt;
    if (*ends[0] > *ends[1]) {
      return Add(*node_.Find("max"), "'max' is below 'min'", "swap them");
    }
    return std::pair(*ends[0], *ends[1]);
  }

  std::optional<std::vector<double>> ReadPowers() {
    const bool wrong = Refuse({"step"}, "'pow2'");
    const auto ends = ReadEnds("pow2");
    if (!ends || wrong) return std::nullopt;
    std::vector<double> powers = PowersOfTwo(ends->first, ends->second);
    if (powers.empty()) {
      return Add(node_,
                 fmt::format("there is no power of two from {} to {}", ends->first, ends->second),
                 "widen the range");
    }
    return powers;
  }

  std::optional<std::vector<double>> ReadRange() {
    const auto ends = ReadEnds("range");
    const Node* given = node_.Find("step");
    const std::optional<double> step = given == nullptr ? 1 : Value(*given);
    if (!ends || !step) return std::nullopt;
    const double steps = std::floor((ends->second - ends->first) / *step * (1 + 1e-12));
    if (steps >= static_cast<double>(kMostFreeValues)) {
      return Add(node_, fmt::format("the range has more than {} values", kMostFreeValues),
                 "take larger steps, or powers of two");
    }
    std::vector<double> values;
    for (int i = 0; i <= static_cast<int>(steps); ++i) values.push_back(ends->first + i * *step);
    return values;
  }

  std::optional<std::vector<double>> ReadFill(const Node& set) {
    if (Refuse({"min", "max", "step"}, "'fill'")) return std::nullopt;
    if (IsFanout(attribute_)) return std::vector<double>();
    return Add(set, "only a fan-out can take what the budget leaves",
               fmt::format("write '{}'", kExample));
  }

  // In the unit of the attribute, more than 0.
  std::optional<double> Value(const Node& node) {
    if (!node.IsScalar()) return std::nullopt;  // reported
    const auto bare = AsDouble(node, "");
    const auto value = bare ? std::optional<double>(*bare) : WithUnit(node);
    if (!value) return std::nullopt;
    if (*value <= 0) return Add(node, fmt::format("'{}' is not above 0", node.text));
    const auto least = static_cast<double>(traits_.minimum);
    if (!IsCount(attribute_)) {
      if (traits_.unit != nullptr || *value >= least) return value;
      return Add(node, fmt::format("{} must be {}", attribute_.key->file_key, traits_.what));
    }
    if (*value != std::floor(*value)) {
      return Add(node, fmt::format("'{}' is not a whole number", node.text));
    }
    const auto most = static_cast<double>(traits_.maximum);
    if (*value <= std::min(most, kLargestCount)) return value;
    return Add(node, fmt::format("'{}' is too large", node.text));
  }

  std::optional<double> WithUnit(const Node& node) {
    if (traits_.unit == nullptr) {
      return Add(node, fmt::format("expected a number, found '{}'", node.text));
    }
    const UnitFamily& unit = *traits_.unit;
    if (!unit.none.empty() && node.text == unit.none) {
      return Add(node, fmt::format("'{}' cannot be one of the values", unit.none));
    }
    const auto quantity = From(node, ParseQuantity(node.text, unit));
    if (!quantity) return std::nullopt;
    const int bits = bits_.value_or(1);
    const double clock_hz = clock_hz_.value_or(1);
    const UnitContext context = {.word_bits = &bits, .clock_hz = &clock_hz};
    const bool in_bytes = quantity->unit->basis == Unit::Basis::kBytes ||
                          quantity->unit->basis == Unit::Basis::kBytesPerSecond;
    if (in_bytes && !bits_) return BytesOfFreeWords(node);
    if (NeedsClock(*quantity->unit) && !clock_hz_) {
      return Add(
          node,
          fmt::format("'{}' tells nothing in cycles: the architecture has no clock", node.text),
          "give it one, such as 'clock: 1 GHz'");
    }
    if (!IsCount(attribute_)) return ValueOf(*quantity, unit, context);
    const auto words = From(node, CountOf(*quantity, unit, context, "capacity"));
    return words ? std::optional<double>(static_cast<double>(*words)) : std::nullopt;
  }

  template <typename T>
  std::optional<T> From(const Node& node, const Parsed<T>& parsed) {
    if (parsed) return *parsed;
    diagnostics_->push_back(ErrorInside(node, parsed.error()));
    return std::nullopt;
  }

  std::nullopt_t BytesOfFreeWords(const Node& node) {
    return Add(node, "bytes do not tell how many words there are: their width is free",
               "count in words");
  }

  const Node& node_;
  const Attribute& attribute_;
  const KeyTraits& traits_;
  std::optional<int> bits_;
  std::optional<double> clock_hz_;
  Diagnostics* diagnostics_;
};

// What is free in an entry: the name of each after the entry's, and its node.
std::vector<std::pair<std::string, const Node*>> FindFree(const Node& entry) {
  std::vector<std::pair<std::string, const Node*>> found;
  for (const auto& [key, value] : entry.entries) {
    if (IsFree(value)) {
      found.emplace_back(key.text, &value);
      continue;
    }
    for (const auto& [inner_key, inner] : value.entries) {
      const Node* capacity = inner.Find("capacity");
      const Node* node = IsFree(inner) ? &inner : capacity;
      if (node != nullptr && IsFree(*node))
        found.emplace_back(key.text + "." + inner_key.text, node);
    }
  }
  return found;
}

// Where the width of words is free, nothing can be given in bytes, and no part can have a width.
void CheckFreeWidth(const Node& entry, Diagnostics* diagnostics) {
  for (const Field& key : StructureOf(static_cast<const Level*>(nullptr)).fields) {
    const UnitFamily* unit = key.traits.file.unit;
    if (unit != &kCapacityUnits && unit != &kLevelBandwidthUnits) continue;
    const Node* value = entry.Find(key.file_key);
    if (value == nullptr || value->text.find('B') == std::string::npos) continue;
    diagnostics->push_back(value->Error(
        "bytes do not tell how many words there are: their width is free", "count in words"));
  }
  if (const Node* partition = entry.Find("partition")) {
    diagnostics->push_back(partition->Error("the width of a level with partitions cannot be free",
                                            "give each part a width"));
  }
}

// The width of the words that an attribute counts.
int WidthOf(const Architecture& architecture, const Attribute& attribute) {
  const Level& level = architecture.levels[attribute.level];
  for (const Partition& part : level.partitions) {
    if (attribute.part == Attribute::Part::kPartition && part.tensor == attribute.tensor) {
      return part.word_bits;
    }
  }
  return level.word_bits;
}

// Beside 'fill' or 'update', 'write' is the other one.
const Field* EnergyKey(const Node& entry, const Attribute& attribute) {
  const Node* energy = entry.Find("energy");
  if (attribute.object == nullptr || attribute.key->also == nullptr || energy == nullptr) {
    return attribute.key;
  }
  const Structure& table = HeldType(*attribute.object->type).structure();
  if (energy->Find("fill") != nullptr) return FindKey(table, "update");
  return energy->Find("update") != nullptr ? FindKey(table, "fill") : attribute.key;
}

}  // namespace

constinit const Type kFreeType = {
    .form = Form::kObject,
    .what = "a free attribute such as '{free: pow2, min: 4, max: 4096}'",
    .keys = kFreeKeys};

bool IsFree(const Node& value) { return value.Find(kFreeKeys[0].name) != nullptr; }

void ReadFreeAttributes(const Node& entry, const std::string& name, Reading* reading,
                        Places* places, Architecture* architecture,
                        std::vector<FreeAttribute>* free) {
  const Node* width = entry.Find("word_bits");
  const bool free_width = width != nullptr && IsFree(*width);
  if (free_width) CheckFreeWidth(entry, &reading->diagnostics);
  for (const auto& [key, node] : FindFree(entry)) {
    FreeAttribute attribute{fmt::format("{}.{}", name, key), {}, {}};
    auto found = FindAttribute(*architecture, attribute.name);
    if (!found) continue;  // reported: nothing there can be free
    found->key = EnergyKey(entry, *found);
    attribute.attribute = *found;
    places->Set(attribute.name, *node);
    std::optional<std::vector<double>> values;
    if (reading->context->families) {
      const std::optional<int> bits =
          free_width ? std::nullopt : std::optional<int>(WidthOf(*architecture, *found));
      values =
          FreeReader(*node, *found, bits, architecture->clock_hz, &reading->diagnostics).Read();
    } else {
      reading->Add(node->Error(fmt::format("'{}' is free: it has no value yet", attribute.name),
                               "give it one, or let 'inlay codesign --arch FILE' choose it"));
    }
    SetValue(*found, values && !values->empty() ? values->front() : 1, architecture);
    if (!values) continue;
    attribute.values = *std::move(values);
    free->push_back(std::move(attribute));
  }
}

}  // namespace inlay::io
