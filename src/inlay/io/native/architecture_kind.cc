#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "inlay/core/vector_unit.h"
#include "inlay/io/native/architecture_types.h"
#include "inlay/io/native/free_attribute.h"
#include "inlay/io/native/keys.h"

namespace inlay::io {
namespace {

const Type& ArchitectureType() {
  static const std::array<const Type*, 4> entry_options = {
      &LevelType(), &TypeOf<Fanout>(), &TypeOf<VectorUnit>(), &TypeOf<Compute>()};
  static const Type entry = {.form = Form::kEither,
                             .what =
                                 "a level ('name'), a fan-out ('fanout'), a vector unit ('ops') "
                                 "or the compute",
                             .options = entry_options};
  static const Type levels = {
      .form = Form::kList, .what = "a list of levels, outer to inner", .element = &entry};
  static const std::array<const Type*, 2> technology_options = {&kFreeText, &TypeOf<Technology>()};
  static const Type technology = {.form = Form::kEither,
                                  .what = "a technology or the name of one",
                                  .options = technology_options};
  return TypeOf<Architecture>({{"technology", &technology},
                               {"word_bits", &kWordBits},
                               {"levels", &levels},
                               {"constraints", &ConstraintsType()},
                               {"budget", &kBudgetType}});
}

class ArchitectureBuilder {
 public:
  ArchitectureBuilder(const Node& node, Reading* reading)
      : node_(node), reading_(reading), places_(node) {}

  void Build() {
    Diagnostics again;  // the clock first, by which the others are understood
    ReadKeys(node_, {}, &architecture_, &again);
    // A wrong one is reported; a stand-in, so that it is not missed as well.
    if (!architecture_.clock_hz && node_.Find("clock") != nullptr) architecture_.clock_hz = 1e9;
    context_.clock_hz = architecture_.clock_hz ? &*architecture_.clock_hz : nullptr;
    ReadKeys(node_, Units(), &architecture_, &reading_->diagnostics);
    CheckClock(node_, StructureOf(&architecture_), context_.clock_hz, &reading_->diagnostics);
    context_.word_bits = WordBitsOr(node_, "word_bits", context_.word_bits);
    for (const Field& key : StructureOf(&architecture_).fields) {
      const Node* value = key.traits.file.unit == nullptr ? nullptr : node_.Find(key.file_key);
      if (value != nullptr) places_.Set(key.file_key, *value);
    }
    ReadTechnologyRef();
    const Node* levels = node_.Find("levels");
    if (levels == nullptr || !levels->IsSequence()) return;
    places_.Set("levels", *levels);
    for (const Node& entry : levels->items) {
      ReadEntry(entry);
      // What follows compares the names of all levels; Validate would refuse these anyway.
      if (architecture_.levels.size() > kMaxLevels) {
        return Add(*levels, fmt::format("more than {} levels", kMaxLevels), "");
      }
    }
    if (!has_compute_) {
      Add(*levels, "the architecture has no compute", "end the levels with '- {compute: mac}'");
      architecture_.compute.energy_pj = 0;
    }
    if (broken_) return;  // a level is missing: what refers to it cannot be judged
    if (const Node* constraints = node_.Find("constraints")) {
      for (const Node& entry : constraints->items) {
        if (reading_->diagnostics.size() >= kMostErrors) return;
        if (!entry.IsMapping()) continue;
        architecture_.constraints.push_back(
            BuildConstraint(entry, architecture_, &reading_->diagnostics));
      }
    }
    places_.Report(Validate(architecture_), &reading_->diagnostics);
    ReadBudget();
    if (free_.empty() && space_.budget.empty()) {
      if (reading_->KindIsClean()) {
        places_.Warn(Extrapolated(architecture_), &reading_->inputs.warnings);
      }
      reading_->inputs.architecture = std::move(architecture_);
    } else if (reading_->KindIsClean()) {
      FinishFamily();
    }
  }

 private:
  void Add(const Node& node, const std::string& message, const std::string& hint) {
    reading_->Add(node.Error(message, hint));
  }

  UnitContext Units() const { return {.clock_hz = context_.clock_hz}; }

  void ReadBudget() {
    const Node* budget = node_.Find("budget");
    if (budget == nullptr || !budget->IsMapping()) return;
    places_.Set("budget", *budget);
    if (!reading_->context->families) {
      return Add(*budget, "a budget is for an architecture with free attributes",
                 "leave it out, or run 'inlay codesign --arch FILE'");
    }
    space_.budget = BuildBudget(*budget, architecture_, &places_, &reading_->diagnostics);
  }

  // The least and the largest values must be possible; so are those between.
  void FinishFamily() {
    space_.base = architecture_;
    space_.free = free_;
    Faults faults = Validate(space_);
    Architecture largest = architecture_;
    for (const FreeAttribute& free : free_) {
      if (!free.values.empty()) SetValue(free.attribute, free.values.back(), &largest);
    }
    for (Fault& fault : Validate(largest)) faults.push_back(std::move(fault));
    places_.Report(faults, &reading_->diagnostics);
    reading_->inputs.family = std::move(space_);
  }

  void ReadFree(const Node& entry, const std::string& name) {
    ReadFreeAttributes(entry, name, reading_, &places_, &architecture_, &free_);
  }

  // A technology in full, one of the files, or one of the context, in this order.
  void ReadTechnologyRef() {
    const Node* node = node_.Find("technology");
    if (node == nullptr) return;
    architecture_.technology.emplace();  // given, even if wrongly
    if (node->IsMapping()) {
      architecture_.technology =
          BuildTechnology(*node, "technology.", &places_, &reading_->diagnostics);
      return;
    }
    if (!node->IsScalar()) return;
    const std::optional<Technology>& of_files = reading_->inputs.technology;
    if (of_files && of_files->name == node->text) {
      architecture_.technology = of_files;
      return;
    }
    if (!reading_->context->find_technology) {
      return Add(*node, fmt::format("unknown technology '{}'", node->text),
                 "define it in a document 'technology:'");
    }
    auto found = reading_->context->find_technology(node->text, *node);
    if (found) {
      architecture_.technology = *std::move(found);
    } else {
      Append(std::move(found.error()), &reading_->diagnostics);
    }
  }

  void ReadEntry(const Node& entry) {
    const bool is_level = entry.Find("name") != nullptr;
    const bool is_fanout = !is_level && entry.Find("fanout") != nullptr;
    const bool is_vector = !is_level && !is_fanout && entry.Find("ops") != nullptr;
    const bool is_compute =
        !is_level && !is_fanout && !is_vector && entry.Find("compute") != nullptr;
    if (!is_level && !is_fanout && !is_vector && !is_compute) {
      broken_ = true;
      return;
    }
    if (is_vector) {
      ReadVectorUnit(entry);
    } else if (has_compute_) {
      Add(entry, "nothing can stand below the compute", "move it above, or leave it out");
    } else if (is_level) {
      architecture_.levels.push_back(BuildLevel(entry, context_, &places_, &reading_->diagnostics));
      ReadFree(entry, architecture_.levels.back().name);
      last_fanout_ = nullptr;
    } else if (is_fanout) {
      ReadFanout(entry);
    } else {
      ReadCompute(entry);
    }
  }

  void ReadFanout(const Node& entry) {
    if (architecture_.levels.empty()) {
      return Add(entry, "a fan-out cannot stand at the top",
                 "put the level that feeds it above it");
    }
    if (last_fanout_ != nullptr) {
      return Add(entry, fmt::format("two fan-outs below '{}'", architecture_.levels.back().name),
                 "use x and y of one fan-out, or put a level that bypasses all between them");
    }
    last_fanout_ = &entry;
    Fanout fanout;
    ReadKeys(entry, Units(), &fanout, &reading_->diagnostics);
    CheckClock(entry, StructureOf(&fanout), context_.clock_hz, &reading_->diagnostics);
    if (entry.Find("x") == nullptr && entry.Find("y") == nullptr) {
      Add(entry, fmt::format("fan-out '{}' does not say how many lanes it has", fanout.name),
          "give 'x', 'y' or both");
    }
    places_.Set("levels." + fanout.name, entry);
    const std::string name = fanout.name;
    architecture_.levels.back().fanout = std::move(fanout);
    ReadFree(entry, name);
  }

  // Stands where a compute could; all of them at one place.
  void ReadVectorUnit(const Node& entry) {
    if (architecture_.levels.empty()) {
      return Add(entry, "a vector unit cannot stand at the top",
                 "put the level that feeds it above it");
    }
    VectorUnits& vector = architecture_.vector_units;
    const LevelId below(architecture_.levels.size() - 1);
    const bool in_fanout = last_fanout_ != nullptr;
    if (vector.units.empty()) {
      vector.below = below;
      vector.in_fanout = in_fanout;
    } else if (vector.below != below || vector.in_fanout != in_fanout) {
      Add(entry, "the vector units stand at two places",
          "put it behind '" + vector.units.back().name + "'");
    }
    // Faults of keys are reported already; stand-ins, so that they are not missed as well.
    VectorUnit unit{"", {true, {}}, 1, 0};
    ReadKeys(entry, Units(), &unit, &reading_->diagnostics);
    places_.Set("levels." + unit.name, entry);
    places_.SetEntries("levels." + unit.name + ".", entry);
    vector.units.push_back(std::move(unit));
  }

  void ReadCompute(const Node& entry) {
    has_compute_ = true;
    Compute& compute = architecture_.compute;
    compute.word_bits = context_.word_bits;
    if (entry.Find("energy") != nullptr) compute.energy_pj = 0;  // given, even if wrongly
    ReadKeys(entry, {}, &compute, &reading_->diagnostics);
    places_.Set("levels." + compute.name, entry);
    places_.SetEntries("levels." + compute.name + ".", entry);
    ReadFree(entry, compute.name);
  }

  const Node& node_;
  Reading* reading_;
  Places places_;
  Architecture architecture_;
  std::vector<FreeAttribute> free_;
  ArchitectureSpace space_;
  ArchitectureContext context_;
  const Node* last_fanout_ = nullptr;  // below the last level
  bool has_compute_ = false;
  bool broken_ = false;
};

void ReadArchitecture(const Node& node, Reading* reading) {
  if (node.IsMapping()) ArchitectureBuilder(node, reading).Build();
}

}  // namespace

Kind ArchitectureKind() {
  return {"architecture", "the levels of an accelerator's memory, outer to inner",
          &ArchitectureType(), ReadArchitecture};
}

}  // namespace inlay::io
