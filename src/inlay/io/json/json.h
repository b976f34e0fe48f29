#pragma once

// Private to io: the JSON library's types, reading and writing texts of JSON.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "inlay/base/long_text.h"
#include "inlay/base/result.h"
#include "inlay/io/file.h"

namespace inlay::io {

using Json = nlohmann::ordered_json;  // keys stay in the order in which they were written

// A whole number without point, where it is one; results of divisions stay readable that way.
Json Compact(double value);

// On one line. Names of files and of nodes may hold anything: U+FFFD stands for bytes that are not
// UTF-8.
std::string DumpLine(const Json& json);
// Two blanks per depth, short lists of scalars on one line, a newline at the end.
std::string Dump(const Json& json);
// The same of an object that has an empty list at `key`, with what `items` puts there instead: as
// if objects, one after the other, had been in the list.
using ItemSink = std::function<void(const Json& item)>;
void DumpWithList(const Json& json, const std::string& key,
                  const std::function<void(const ItemSink& put)>& items, const TextSink& put);

// "levels[0]" and "cycles" → "levels[0].cycles".
std::string JoinPath(const std::string& path, const char* key);

// Takes a document apart. Every fault is noted with the path to it ("levels[0].cycles"); what is
// missing reads as an empty value, so that one pass finds all faults.
class JsonReader {
 public:
  explicit JsonReader(const Source& source) : source_(source) {}

  void Fault(const std::string& path, const std::string& message);
  const Json& Member(const Json& object, const std::string& path, const char* key);
  int64_t Int(const Json& object, const std::string& path, const char* key);
  std::string Text(const Json& object, const std::string& path, const char* key);
  // The array or object of that key, or an empty one.
  const Json& Array(const Json& object, const std::string& path, const char* key);
  const Json& Object(const Json& object, const std::string& path, const char* key);

  const Diagnostics& errors() const { return errors_; }

 private:
  const Source& source_;
  Diagnostics errors_;
};

// The document, or a syntax error with its line and column.
Result<Json> ParseJson(const Source& source);

}  // namespace inlay::io
