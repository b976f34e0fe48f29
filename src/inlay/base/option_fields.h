#pragma once

#include <vector>

#include "inlay/base/diagnostic.h"
#include "inlay/base/fields.h"
#include "inlay/base/options.h"

namespace inlay {

// The options of a command as the table of fields of its request. The type of a member says what is
// written for it:
//   bool                       a flag, which changes it from its default
//   integer, double            a whole number; a double is that divided by the field's scale
//   double with `duration`     a time: 500ms, 60s, 5min; 0 leaves the field as it is
//   std::string                a text
//   enum                       one of its names
//   std::vector of an enum     names, separated by commas; of texts: of its choices, and without
//                              choices any texts, once for each
//   map of integers            NAME=N, once for every name; with `alone`, N or NAME=N,NAME=N
//   map of texts               NAME=VALUE, once for every name
// An optional is the same without a default.
std::vector<Option> OptionsOf(const Structure& structure);

// Puts values that were set or have a default into the fields of `owner`, which has that structure
// and was not touched before.
void SetFields(const OptionValues& values, const Structure& structure, void* owner);

// An error for every option that was set although another one leaves it without effect
// (OptionTraits::only_with_key), in the order of the table.
Diagnostics CheckEffects(const OptionValues& values, const Structure& structure);

// What results record: ForResult without options that have no effect.
std::vector<std::pair<std::string, OptionValue>> EffectiveOptions(const OptionValues& values,
                                                                  const Structure& structure);

template <typename Struct>
std::vector<Option> OptionsOf() {
  return OptionsOf(StructureOf(static_cast<const Struct*>(nullptr)));
}
template <typename Struct>
Struct StructFrom(const OptionValues& values) {
  Struct filled;
  SetFields(values, StructureOf(&filled), &filled);
  return filled;
}

}  // namespace inlay
