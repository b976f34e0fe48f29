#pragma once

// Private to io: a struct that has a field table (base/fields.h) as an object of JSON, for texts
// that describe it: the types of the report page, the reference page.

#include <memory>
#include <string>
#include <vector>

#include "inlay/base/fields.h"

namespace inlay::io {

// The struct whose fields an inlined field stands for.
const Structure& InlinedIn(const Field& field);

// What the documents say of a field, without the default of files.
std::string SentenceOf(const Field& field);

// Whether every document has the key, as null at least, if it has the owner.
bool IsRequired(const Field& field);

// The objects that a field stands in, from the owner's inwards: "control", "LB". Mostly none.
std::vector<std::string> GroupsOf(const Field& field);

struct ObjectType {
  struct Property {
    std::string key;
    const Field* field = nullptr;  // null: only what the group holds
    bool optional = true;          // it can be missing
    std::unique_ptr<ObjectType> group;
  };
  std::vector<const Structure*> bases;  // all of whose keys stand in it, too
  std::vector<Property> properties;     // in the order of the tables
  // The structs that these name, each once, in the same order; of groups, those of the whole.
  std::vector<const Structure*> mentioned;
};

ObjectType ObjectTypeOf(const Structure& structure);

// The same without the first field, by whose text the items of a list are grouped.
ObjectType GroupedItemOf(const Structure& structure);

}  // namespace inlay::io
