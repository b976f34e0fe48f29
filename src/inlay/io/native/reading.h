#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/io/native/native.h"
#include "inlay/io/schema/check.h"
#include "inlay/io/schema/type.h"

namespace inlay::io {

// Where the parts of a value came from, by the names that core's Validate gives them ("dims.K",
// "levels.GLB.capacity").
class Places {
 public:
  explicit Places(const Node& root) : root_(&root) {}

  void Set(const std::string& where, const Node& node) { nodes_[where] = &node; }
  // The values of a mapping, by their keys behind the prefix.
  void SetEntries(const std::string& prefix, const Node& node) {
    for (const auto& [key, value] : node.entries) Set(prefix + key.text, value);
  }

  // The place of the longest known part of `where` ("levels.GLB" for "levels.GLB.energy"); the root
  // if none is known.
  const Node& Find(std::string_view where) const;

  // Turns faults into errors at their places.
  void Report(const Faults& faults, Diagnostics* diagnostics) const;
  void Warn(const Faults& faults, Diagnostics* diagnostics) const;

 private:
  const Node* root_;
  std::unordered_map<std::string, const Node*> nodes_;
};

// By file in the order given, then by line and column; errors of the same place stay in the order
// they were found.
void SortByPlace(const std::vector<std::string>& files, Diagnostics* diagnostics);

// One call of ReadNative under way.
struct Reading {
  const NativeContext* context = nullptr;
  Inputs inputs;
  Diagnostics diagnostics;

  // Errors from here on belong to the kind that is being read.
  size_t kind_start = 0;

  void Add(Diagnostic diagnostic) { diagnostics.push_back(std::move(diagnostic)); }
  bool KindIsClean() const { return diagnostics.size() == kind_start; }
};

// One kind of thing that a native document holds under a top-level key of the same name.
struct Kind {
  std::string_view name;
  std::string_view sentence;
  const Type* type = nullptr;
  // Builds the value from a node that Check has gone over. Skips silently over what Check reported,
  // with a harmless value in its place so that nothing is reported twice.
  void (*read)(const Node& node, Reading* reading) = nullptr;
  bool adds_up = false;  // a list, which several files may have a part of
};

// Every kind, in the order they are read: what is referred to comes first. A new kind is a file
// that defines its Kind, a declaration below and a line in kinds.cc.
std::span<const Kind> Kinds();

Kind TechnologyKind();
Kind ProblemKind();
Kind ArchitectureKind();
Kind ConstraintsKind();
Kind MappingKind();
Kind FusedKind();
Kind LayersKind();
Kind NetworkKind();
Kind MachineKind();
Kind AcceleratorKind();
Kind MixKind();
Kind StudyKind();

// Types that several kinds use.
extern const Type kFreeText;  // any scalar
extern const Type kTitle;     // any scalar but an empty one
std::optional<TextError> CheckTitleText(std::string_view text);
std::string TitleTextPattern();
extern const Type kNameText;  // of a level, fan-out or tensor
extern const Type kDimensionText;
extern const Type kPositiveInteger;
extern const Type kWordBits;
extern const Type kBooleanValue;
extern const Type kEinsumType;  // a problem without a name

// The values of such types. `prefix` is put in front of what the places are called ("layers.fc.");
// BuildProblem reports names that it cannot resolve, and returns nullopt if there are any.
std::optional<Problem> BuildProblem(const Node& node, std::string name, const std::string& prefix,
                                    Places* places, Diagnostics* diagnostics);
Technology BuildTechnology(const Node& node, const std::string& prefix, Places* places,
                           Diagnostics* diagnostics);

// Values that Check has gone over; the default where the key is missing or its value wrong.
std::string TextOr(const Node& node, std::string_view key, std::string_view otherwise = "");
int64_t PositiveOr(const Node& node, std::string_view key, int64_t otherwise);  // from 1
bool BoolOr(const Node& node, std::string_view key, bool otherwise);
int WordBitsOr(const Node& node, std::string_view key, int otherwise);
std::optional<int64_t> AsPositive(const Node& value);
std::optional<int> AsWordBits(const Node& value);
std::vector<std::string> ScalarTexts(const Node& list);

// All values in a file that another file names. It may name technologies itself, but no other
// file, which could name this one again.
std::optional<Inputs> ReadNamed(const Node& name, const char* kind, const FindSource& find,
                                Reading* reading);

// The architecture, say, that a file names: that of the same files if it is called so, else what
// `find` finds. nullopt: what is wrong has been reported. `kind` is what messages call it.
template <typename T>
std::optional<T> FindNamed(const Node& name, const char* kind, const FindSource& find,
                           std::optional<T> Inputs::*member, Reading* reading) {
  const std::optional<T>& own = reading->inputs.*member;
  if (own && own->name == name.text) return own;
  auto found = ReadNamed(name, kind, find, reading);
  if (found && !(*found.*member)) {
    reading->Add(name.Error("'" + name.text + "' holds no " + kind));
  }
  return found ? std::move(*found.*member) : std::nullopt;
}

// The value of a key's text by one of the parsers; nullopt where it is missing or wrong.
template <auto Parse>
auto ParsedKey(const Node& node, std::string_view key) {
  using Value = typename decltype(Parse(std::string_view()))::value_type;
  const Node* value = node.Find(key);
  if (value == nullptr || !value->IsScalar()) return std::optional<Value>();
  auto parsed = Parse(value->text);
  return parsed ? std::optional<Value>(*std::move(parsed)) : std::optional<Value>();
}

}  // namespace inlay::io
