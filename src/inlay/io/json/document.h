#pragma once

#include <string>
#include <vector>

#include "inlay/base/fields.h"
#include "inlay/base/result.h"
#include "inlay/io/file.h"

namespace inlay::io {

// JSON documents of values that have a field table (base/fields.h): results and plans.

std::string WriteJson(const ValueType& type, const void* value);
template <typename T>
std::string WriteJson(const T& value) {
  return WriteJson(fields::kType<T>, &value);
}
// One value is an object, several are a list.
template <typename T>
std::string WriteOneOrSeveral(const std::vector<T>& values) {
  return values.size() == 1 ? WriteJson(values.front()) : WriteJson(values);
}

// Fills a value that was never touched. All faults at once, each with its place. Keys that no field
// has are skipped: a later version wrote them.
Result<void> ReadJson(const ValueType& type, const Source& source, void* value);
template <typename T>
Result<T> ReadJson(const Source& source) {
  T value{};
  if (auto read = ReadJson(fields::kType<T>, source, &value); !read) return Fail(read.error());
  return value;
}

}  // namespace inlay::io
