#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "inlay/io/native/architecture_types.h"
#include "inlay/io/native/free_attribute.h"
#include "inlay/io/native/quantity.h"
#include "inlay/io/native/text.h"

namespace inlay::io {
namespace {

constexpr std::array<std::string_view, 4> kMulticastWords = {"tile", "none", "true", "false"};
constinit const Type kMulticast = {
    .form = Form::kWord, .what = "tile or none (true or false)", .words = kMulticastWords};
constexpr std::array<const Type*, 2> kLanesOptions = {&kPositiveInteger, &kFreeType};
constinit const Type kLanes = {
    .form = Form::kEither, .what = "a whole number from 1", .options = kLanesOptions};
constexpr std::array kFanoutKeys = {
    Key{"fanout", "the name of the array below the level above", &kNameText, true},
    Key{"x", "lanes along x (default 1)", &kLanes}, Key{"y", "lanes along y (default 1)", &kLanes},
    Key{"multicast",
        "tile (or true): lanes that need the same tile share one read; none (or false): every lane "
        "reads for itself (default tile)",
        &kMulticast},
    Key{"reduce", "whether sums of several lanes are added on their way out (default true)",
        &kBooleanValue}};
constinit const Type kFanout = {.form = Form::kObject, .what = "a fan-out", .keys = kFanoutKeys};

constexpr Type kEnergy = {.form = Form::kText,
                          .what = "an energy such as '2.2 pJ'",
                          .check = CheckBy<ParseEnergyPj>,
                          .pattern = EnergyPattern};
constexpr std::array<const Type*, 2> kEnergyOptions = {&kEnergy, &kFreeType};
constinit const Type kEnergyOrFree = {
    .form = Form::kEither, .what = kEnergy.what, .options = kEnergyOptions};
constexpr std::array<const Type*, 2> kBitsOptions = {&kWordBits, &kFreeType};
constinit const Type kBitsOrFree = {
    .form = Form::kEither, .what = "a number of bits", .options = kBitsOptions};
constexpr std::array kComputeKeys = {
    Key{"compute", "the name of the multiply-accumulate units", &kNameText, true},
    Key{"word_bits", "their width (default: the architecture's)", &kBitsOrFree},
    Key{"energy", "of one operation; by the technology if left out", &kEnergyOrFree}};
constinit const Type kCompute = {
    .form = Form::kObject, .what = "the compute", .keys = kComputeKeys};

constexpr std::array<const Type*, 3> kEntryOptions = {&kLevelType, &kFanout, &kCompute};
constinit const Type kEntry = {.form = Form::kEither,
                               .what = "a level ('name'), a fan-out ('fanout') or the compute",
                               .options = kEntryOptions};
constinit const Type kLevels = {
    .form = Form::kList, .what = "a list of levels, outer to inner", .element = &kEntry};
constexpr std::array<const Type*, 2> kTechnologyOptions = {&kFreeText, &kTechnologyType};
constinit const Type kTechnologyRef = {.form = Form::kEither,
                                       .what = "a technology or the name of one",
                                       .options = kTechnologyOptions};

constexpr std::array kArchitectureKeys = {
    Key{"name", "what the architecture is called in results", &kFreeText},
    Key{"technology", "the name of a technology, or a technology in full", &kTechnologyRef},
    Key{"word_bits", "the width of a word where a level does not say otherwise (default 16)",
        &kWordBits},
    Key{"levels",
        "outer to inner: levels, fan-outs below the level that feeds them, the compute last",
        &kLevels, true},
    Key{"constraints", "limits on the mappings that a search may try", &kConstraintsType},
    Key{"budget", "what an architecture may take whose free attributes are to be chosen",
        &kBudgetType}};
constinit const Type kArchitectureType = {
    .form = Form::kObject, .what = "an architecture", .keys = kArchitectureKeys};

class ArchitectureBuilder {
 public:
  ArchitectureBuilder(const Node& node, Reading* reading)
      : node_(node), reading_(reading), places_(node) {}

  void Build() {
    architecture_.name = TextOr(node_, "name");
    word_bits_ = WordBitsOr(node_, "word_bits", word_bits_);
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
      reading_->inputs.architecture = std::move(architecture_);
    } else if (reading_->KindIsClean()) {
      FinishFamily();
    }
  }

 private:
  void Add(const Node& node, const std::string& message, const std::string& hint) {
    reading_->Add(node.Error(message, hint));
  }

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
      architecture_.technology = BuildTechnology(*node, "technology.", &places_);
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
      for (const Diagnostic& diagnostic : found.error()) reading_->Add(diagnostic);
    }
  }

  void ReadEntry(const Node& entry) {
    const bool is_level = entry.Find("name") != nullptr;
    const bool is_fanout = !is_level && entry.Find("fanout") != nullptr;
    const bool is_compute = !is_level && !is_fanout && entry.Find("compute") != nullptr;
    if (!is_level && !is_fanout && !is_compute) {
      broken_ = true;
      return;
    }
    if (has_compute_) {
      Add(entry, "nothing can stand below the compute", "move it above, or leave it out");
    } else if (is_level) {
      architecture_.levels.push_back(
          BuildLevel(entry, word_bits_, &places_, &reading_->diagnostics));
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
    fanout.name = TextOr(entry, "fanout");
    fanout.x = PositiveOr(entry, "x", 1);
    fanout.y = PositiveOr(entry, "y", 1);
    if (entry.Find("x") == nullptr && entry.Find("y") == nullptr) {
      Add(entry, fmt::format("fan-out '{}' does not say how many lanes it has", fanout.name),
          "give 'x', 'y' or both");
    }
    const std::string multicast = TextOr(entry, "multicast");
    if (multicast == "none" || multicast == "false") fanout.multicast = Multicast::kNone;
    fanout.reduce = BoolOr(entry, "reduce", true);
    places_.Set("levels." + fanout.name, entry);
    const std::string name = fanout.name;
    architecture_.levels.back().fanout = std::move(fanout);
    ReadFree(entry, name);
  }

  void ReadCompute(const Node& entry) {
    has_compute_ = true;
    architecture_.compute.name = TextOr(entry, "compute");
    architecture_.compute.word_bits = WordBitsOr(entry, "word_bits", word_bits_);
    if (entry.Find("energy") != nullptr) {
      architecture_.compute.energy_pj = ParsedKey<ParseEnergyPj>(entry, "energy").value_or(0);
    }
    places_.Set("levels." + architecture_.compute.name, entry);
    ReadFree(entry, architecture_.compute.name);
  }

  const Node& node_;
  Reading* reading_;
  Places places_;
  Architecture architecture_;
  std::vector<FreeAttribute> free_;
  ArchitectureSpace space_;
  int word_bits_ = 16;
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
          &kArchitectureType, ReadArchitecture};
}

}  // namespace inlay::io
