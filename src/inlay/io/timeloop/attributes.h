#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "inlay/io/timeloop/components.h"
#include "inlay/io/timeloop/fields.h"

namespace inlay::io::timeloop {

// The attributes of a component, its own before inherited ones, with expressions evaluated.
class Attributes {
 public:
  Attributes(const Component& component, Report* report);
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  // The value of the first synonym that is given.
  const Node* Take(std::initializer_list<std::string_view> synonyms);
  std::optional<int64_t> TakeInt(std::initializer_list<std::string_view> synonyms);
  std::optional<double> TakeNumber(std::initializer_list<std::string_view> synonyms);
  void Ignore(std::initializer_list<std::string_view> keys) { own_.Ignore(keys); }

  // Warns about an attribute that Timeloop would honour and that has no counterpart here, unless it
  // has the value (as a number, or false) at which it does nothing.
  void WarnIfSet(std::string_view key, double neutral);

  // An attribute that was never asked for, and that no expression used, is an error; of a compound
  // component, a warning unless its class has it. So is an error what its class asks for and
  // nothing gives.
  void RefuseRest();

 private:
  void CheckAgainstClass();
  const Node* AttributesOfClass() const;

  const Component& component_;
  Report* report_;
  Node empty_;
  Fields own_;
  std::set<const Node*> used_;
};

}  // namespace inlay::io::timeloop
