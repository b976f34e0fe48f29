#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "inlay/core/units.h"
#include "inlay/io/native/reading.h"
#include "inlay/io/native/yaml_text.h"

namespace inlay::io {

// What native files make of the fields that have a key there (base/fields.h).

// The type of a number with a unit; `what` where messages do not call it by the family's example.
Type QuantityType(const UnitFamily& unit, std::string_view what);

// The type of a key that its kind reads by itself.
struct ByHandType {
  std::string_view key;
  const Type* type = nullptr;
};

// The type of an object with the keys of a table. Made at the first call, with the types of all
// keys that are read by hand, and kept.
const Type& TypeOf(const Structure& table, std::span<const ByHandType> by_hand = {});
template <typename T>
const Type& TypeOf(std::initializer_list<ByHandType> by_hand = {}) {
  return TypeOf(StructureOf(static_cast<const T*>(nullptr)),
                std::span(by_hand.begin(), by_hand.size()));
}

// Reads the keys that a node has into the owner of the table, in the order of the table. What Check
// reported, what is free and what is read by hand is left as it was; what is wrong in this context
// is reported.
void ReadKeys(const Node& node, const Structure& table, const UnitContext& context, void* owner,
              Diagnostics* diagnostics);
template <typename T>
void ReadKeys(const Node& node, const UnitContext& context, T* owner, Diagnostics* diagnostics) {
  ReadKeys(node, StructureOf(static_cast<const T*>(nullptr)), context, owner, diagnostics);
}

// What a file says after a key that its kind writes by itself; empty: not even the key. nullopt:
// the table says it.
using ByHandText = std::function<std::optional<std::string>(std::string_view key)>;

// An object on one line, or the keys of a table behind what the object has already.
FlowObject FlowText(const Structure& table, const void* owner, const ByHandText& by_hand = {},
                    FlowObject object = {});
template <typename T>
FlowObject FlowText(const T& owner, const ByHandText& by_hand = {}, FlowObject object = {}) {
  return FlowText(StructureOf(&owner), &owner, by_hand, std::move(object));
}
// Every key but the name on a line of its own. What is written by hand may begin with a new line.
std::string BlockText(const Structure& table, const void* owner, std::string_view indent,
                      const ByHandText& by_hand = {});
template <typename T>
std::string BlockText(const T& owner, std::string_view indent, const ByHandText& by_hand = {}) {
  return BlockText(StructureOf(&owner), &owner, indent, by_hand);
}

}  // namespace inlay::io
