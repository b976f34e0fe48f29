#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/core/machine.h"
#include "inlay/io/native/machine_quantity.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

constinit const Type kClock = {.form = Form::kText,
                               .what = "a frequency such as '1 GHz'",
                               .check = CheckBy<ParseFrequencyHz>,
                               .pattern = FrequencyPattern};
constinit const Type kPeak = {.form = Form::kText,
                              .what = "a peak such as '1.5 TMAC/s' or '3 TFLOP/s'",
                              .check = CheckBy<ParseMacRate>,
                              .pattern = MacRatePattern};
constinit const Type kSize = {.form = Form::kText,
                              .what = "a size such as '2 MiB'",
                              .check = CheckBy<ParseByteSize>,
                              .pattern = ByteSizePattern};
constinit const Type kRate = {.form = Form::kText,
                              .what = "a bandwidth such as '32 GB/s' or '256 B/cycle'",
                              .check = CheckBy<ParseByteRate>,
                              .pattern = ByteRatePattern};
constinit const Type kEnergy = {.form = Form::kText,
                                .what = "an energy per byte such as '20 pJ/B'",
                                .check = CheckBy<ParseEnergyPerByte>,
                                .pattern = EnergyPerBytePattern};

constexpr std::array<std::string_view, 2> kPeakOrArch = {"peak", "arch"};
constexpr std::array kUnitKeys = {
    Key{"peak", "the rate of a unit that reads every operand once", &kPeak},
    Key{"arch",
        "a built-in architecture, or the one in the same files, by its name: the mapper "
        "says how often it reads",
        &kTitle}};
constinit const Type kUnit = {
    .form = Form::kObject, .what = "a unit", .keys = kUnitKeys, .exactly_one = kPeakOrArch};
constinit const Type kUnits = {.form = Form::kMap,
                               .what = "a mapping from names to units",
                               .check = CheckName,
                               .pattern = NamePattern,
                               .element = &kUnit};
constinit const Type kNameList = {
    .form = Form::kList, .what = "a list of names", .element = &kNameText};

constexpr Key kBandwidthKey = {"bandwidth", "bytes moved in or out; unlimited if left out", &kRate};
constexpr Key kEnergyKey = {"energy", "of moving a byte in or out (default 0)", &kEnergy};
constexpr std::array kPadKeys = {
    Key{"size", "how much it holds", &kSize, true}, kBandwidthKey, kEnergyKey,
    Key{"alignment", "every address is a multiple of it (default 1 B)", &kSize},
    Key{"reached_by", "the units that read and write it; all if left out", &kNameList}};
constinit const Type kPad = {.form = Form::kObject, .what = "a memory", .keys = kPadKeys};
constinit const Type kPads = {.form = Form::kMap,
                              .what = "a mapping from names to memories",
                              .check = CheckName,
                              .pattern = NamePattern,
                              .element = &kPad};

constexpr std::array kOffChipKeys = {kBandwidthKey, kEnergyKey};
constinit const Type kOffChip = {
    .form = Form::kObject, .what = "the off-chip memory", .keys = kOffChipKeys};

constinit const Type kMoves = {
    .form = Form::kList, .what = "a list of pairs of memories", .element = &kNameList};
constexpr std::array kDmaKeys = {
    Key{"engines", "transfers at a time (default 1)", &kPositiveInteger},
    Key{"moves", "pairs of memories between which data can be moved, both ways", &kMoves}};
constinit const Type kDma = {.form = Form::kObject, .what = "the DMA", .keys = kDmaKeys};

constexpr std::array kMachineKeys = {
    Key{"name", "what the machine is called in results", &kTitle, true},
    Key{"clock", "turns figures per cycle into seconds (default 1 GHz)", &kClock},
    Key{"units", "what computes", &kUnits, true},
    Key{"memories", "the scratchpads", &kPads, true},
    Key{"offchip", "the memory that holds everything", &kOffChip, true},
    Key{"dma", "who moves data; off-chip transfers are always possible", &kDma}};
constinit const Type kMachine = {.form = Form::kObject, .what = "a machine", .keys = kMachineKeys};

class MachineReader {
 public:
  MachineReader(const Node& root, Reading* reading)
      : root_(root), places_(root), reading_(reading) {}

  void Read() {
    machine_.name = TextOr(root_, "name");
    machine_.clock_hz = ParsedKey<ParseFrequencyHz>(root_, "clock").value_or(1e9);
    ForEach("units", [this](const Node& key, const Node& value) { AddUnit(key, value); });
    ForEach("memories", [this](const Node& key, const Node& value) { AddPad(key, value); });
    if (const Node* offchip = root_.Find("offchip"); offchip != nullptr) {
      places_.Set("offchip", *offchip);
      machine_.offchip = {RateOf(*offchip), EnergyOf(*offchip)};
    }
    AddDma();
    if (!reading_->KindIsClean()) return;
    places_.Report(Validate(machine_), &reading_->diagnostics);
    reading_->inputs.machine = std::move(machine_);
  }

 private:
  // Every part of the map under a key, its places noted as "key.part" and "key.part.…".
  template <typename Add>
  void ForEach(const std::string& key, Add add) {
    const Node* map = root_.Find(key);
    if (map == nullptr || !map->IsMapping()) return;
    for (const auto& [name, part] : map->entries) {
      const std::string where = key + "." + name.text;
      places_.Set(where, part);
      for (const auto& [inner, value] : part.entries) places_.Set(where + "." + inner.text, value);
      add(name, part);
    }
  }

  std::optional<double> RateOf(const Node& node) const {
    const auto rate = ParsedKey<ParseByteRate>(node, "bandwidth");
    if (!rate) return std::nullopt;
    return rate->per_cycle ? rate->bytes * machine_.clock_hz : rate->bytes;
  }
  static double EnergyOf(const Node& node) {
    return ParsedKey<ParseEnergyPerByte>(node, "energy").value_or(0);
  }

  void AddUnit(const Node& key, const Node& value) {
    ComputeUnit unit{key.text, ParsedKey<ParseMacRate>(value, "peak").value_or(0), {}};
    if (const Node* arch = value.Find("arch"); arch != nullptr && arch->IsScalar()) {
      unit.architecture = FindArchitecture(*arch);
    }
    machine_.units.push_back(std::move(unit));
  }

  std::optional<Architecture> FindArchitecture(const Node& name) {
    const std::optional<Architecture>& own = reading_->inputs.architecture;
    if (own && own->name == name.text) return own;
    if (!reading_->context->find_architecture) {
      reading_->Add(name.Error(fmt::format("there is no architecture '{}'", name.text)));
      return std::nullopt;
    }
    auto source = reading_->context->find_architecture(name.text, name);
    auto inputs = source ? ReadNative({*std::move(source)}, *reading_->context)
                         : Fail(std::move(source.error()));
    if (!inputs) {
      for (Diagnostic& diagnostic : inputs.error()) reading_->Add(std::move(diagnostic));
      return std::nullopt;
    }
    return std::move(inputs->architecture);
  }

  void AddPad(const Node& key, const Node& value) {
    Scratchpad pad{key.text,
                   ParsedKey<ParseByteSize>(value, "size").value_or(1),
                   ParsedKey<ParseByteSize>(value, "alignment").value_or(1),
                   RateOf(value),
                   EnergyOf(value),
                   {}};
    const Node* reached_by = value.Find("reached_by");
    if (reached_by == nullptr) {
      for (const UnitId unit : Ids(machine_.units)) pad.reached_by.push_back(unit);
    } else {
      for (const Node& name : reached_by->items) {
        const auto unit = FindUnit(machine_, name.text);
        if (unit) pad.reached_by.push_back(*unit);
        if (!unit) Unknown(name, "unit", machine_.units);
      }
      std::sort(pad.reached_by.begin(), pad.reached_by.end());
    }
    machine_.pads.push_back(std::move(pad));
  }

  template <typename Parts>
  void Unknown(const Node& name, const char* what, const Parts& parts) {
    std::vector<std::string> names;
    for (const auto& part : parts) names.push_back(part.name);
    reading_->Add(name.Error(fmt::format("there is no {} '{}'", what, name.text),
                             SuggestionHint(name.text, names)));
  }

  void AddDma() {
    const Node* dma = root_.Find("dma");
    if (dma == nullptr || !dma->IsMapping()) return;
    places_.Set("dma", *dma);
    machine_.dma.engines = PositiveOr(*dma, "engines", 1);
    const Node* moves = dma->Find("moves");
    if (moves == nullptr || !moves->IsSequence()) return;
    places_.Set("dma.moves", *moves);
    for (const Node& move : moves->items) {
      if (!move.IsSequence()) continue;
      if (move.items.size() != 2) {
        reading_->Add(
            move.Error(fmt::format("a move is between 2 memories, found {}", move.items.size()),
                       "write [[pad0, pad1], [pad1, pad2]]"));
        continue;
      }
      std::array<std::optional<PadId>, 2> ends;
      for (size_t i = 0; i < ends.size(); ++i) {
        ends[i] = FindPad(machine_, move.items[i].text);
        if (!ends[i]) Unknown(move.items[i], "memory", machine_.pads);
      }
      if (ends[0] && ends[1]) machine_.dma.moves.emplace_back(*ends[0], *ends[1]);
    }
  }

  const Node& root_;
  Places places_;
  Reading* reading_;
  Machine machine_;
};

void ReadMachine(const Node& node, Reading* reading) {
  if (node.IsMapping()) MachineReader(node, reading).Read();
}

}  // namespace

Kind MachineKind() {
  return {"machine", "an accelerator's scratchpads and off-chip memory", &kMachine, ReadMachine};
}

}  // namespace inlay::io
