#include <array>
#include <string>
#include <vector>

#include "inlay/base/check.h"
#include "inlay/io/native/reading.h"
#include "inlay/io/schema/json_schema.h"

namespace inlay::io {
namespace {

constexpr std::string_view kAllKinds = "all";
constexpr std::array<std::string_view, 1> kFormatWords = {"inlay/1"};
constinit const Type kFormat = {.form = Form::kWord, .what = "the format", .words = kFormatWords};

}  // namespace

std::vector<std::string> SchemaKinds() {
  std::vector<std::string> names;
  for (const Kind& kind : Kinds()) names.emplace_back(kind.name);
  names.emplace_back(kAllKinds);
  return names;
}

std::string JsonSchema(std::string_view kind) {
  std::vector<Key> keys = {{"format", "the format and its version", &kFormat, true},
                           {"description", "one line for people", &kFreeText}};
  std::string_view sentence = "a native document";
  bool known = kind == kAllKinds;
  for (const Kind& k : Kinds()) {
    const bool wanted = k.name == kind;
    if (wanted) sentence = k.sentence;
    known = known || wanted;
    keys.push_back({k.name, k.sentence, k.type, wanted});
  }
  INLAY_CHECK(known);
  const Type document = {.form = Form::kObject, .what = "a document", .keys = keys};
  return ToJsonSchema(document, "Inlay: " + std::string(kind), sentence);
}

}  // namespace inlay::io
