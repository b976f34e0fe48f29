#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/core/machine.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

constinit const Type kNameList = {
    .form = Form::kList, .what = "a list of names", .element = &kNameText};
constinit const Type kMoves = {
    .form = Form::kList, .what = "a list of pairs of memories", .element = &kNameList};

// A mapping from names that the user chooses.
Type NamedParts(std::string_view what, const Type& part) {
  return {.form = Form::kMap,
          .what = what,
          .check = CheckName,
          .pattern = NamePattern,
          .element = &part};
}

const Type& UnitType() {
  static constexpr std::array<std::string_view, 2> kPeakOrArch = {"peak", "arch"};
  static const Type type = [] {
    Type unit = TypeOf<ComputeUnit>({{"arch", &kTitle}});
    unit.exactly_one = kPeakOrArch;
    return unit;
  }();
  return type;
}

const Type& MachineType() {
  static const Type units = NamedParts("a mapping from names to units", UnitType());
  static const Type pads = NamedParts("a mapping from names to memories",
                                      TypeOf<Scratchpad>({{"reached_by", &kNameList}}));
  return TypeOf<Machine>(
      {{"units", &units}, {"memories", &pads}, {"dma", &TypeOf<Dma>({{"moves", &kMoves}})}});
}

class MachineReader {
 public:
  MachineReader(const Node& root, Reading* reading)
      : root_(root), places_(root), reading_(reading) {}

  void Read() {
    ReadKeys(root_, context_, &machine_, &reading_->diagnostics);
    ForEach("units", [this](const Node& key, const Node& value) { AddUnit(key, value); });
    ForEach("memories", [this](const Node& key, const Node& value) { AddPad(key, value); });
    if (const Node* offchip = root_.Find("offchip")) places_.Set("offchip", *offchip);
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
      places_.SetEntries(where + ".", part);
      add(name, part);
    }
  }

  void AddUnit(const Node& key, const Node& value) {
    ComputeUnit unit;
    unit.name = key.text;
    ReadKeys(value, context_, &unit, &reading_->diagnostics);
    if (const Node* arch = value.Find("arch"); arch != nullptr && arch->IsScalar()) {
      unit.architecture = FindNamed(*arch, "architecture", reading_->context->find_architecture,
                                    &Inputs::architecture, reading_);
    }
    machine_.units.push_back(std::move(unit));
  }

  void AddPad(const Node& key, const Node& value) {
    Scratchpad pad;
    pad.name = key.text;
    ReadKeys(value, context_, &pad, &reading_->diagnostics);
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
    ReadKeys(*dma, context_, &machine_.dma, &reading_->diagnostics);
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
  UnitContext context_ = {.clock_hz = &machine_.clock_hz};
};

void ReadMachine(const Node& node, Reading* reading) {
  if (node.IsMapping()) MachineReader(node, reading).Read();
}

}  // namespace

Kind MachineKind() {
  return {"machine", "an accelerator's scratchpads and off-chip memory", &MachineType(),
          ReadMachine};
}

}  // namespace inlay::io
