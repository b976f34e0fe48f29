#pragma once

// Private to io: values that have a field table (base/fields.h) as JSON.

#include <string>

#include "inlay/base/fields.h"
#include "inlay/io/json/json.h"

namespace inlay::io {

Json ToJson(const ValueType& type, const void* value);
template <typename T>
Json ToJson(const T& value) {
  return ToJson(fields::kType<T>, &value);
}

// Reads what `json`, found at `path`, says into a value that was never touched; faults go to the
// reader. Keys that no field has are skipped: they are those of later versions.
void FromJson(const ValueType& type, const Json& json, const std::string& path, JsonReader* reader,
              void* value);
template <typename T>
T FromJson(const Json& json, const std::string& path, JsonReader* reader) {
  T value{};
  FromJson(fields::kType<T>, json, path, reader, &value);
  return value;
}

// The same for its faults alone.
void CheckJson(const ValueType& type, const Json& json, JsonReader* reader);

// JSON Schema (draft 7) of a struct. Structs within it are put into `definitions`, by their names.
Json SchemaOf(const Structure& structure, Json* definitions);

}  // namespace inlay::io
