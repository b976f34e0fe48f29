// Arbitrary bytes to the strict YAML reader, and its scalars to every conversion.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "inlay/io/yaml/node.h"

namespace {

void Touch(const inlay::io::Node& node) {
  (void)inlay::io::AsInt(node, "x");
  (void)inlay::io::AsDouble(node, "x");
  (void)inlay::io::AsBool(node, "x");
  (void)inlay::Format(node.Error("x"));
  for (const auto& item : node.items) Touch(item);
  for (const auto& [key, value] : node.entries) {
    Touch(key);
    Touch(value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(data, data + size);
  const auto documents =
      inlay::io::ParseYaml({"fuzz", std::move(bytes)}, {.depth = 16, .nodes = 10000});
  if (documents) {
    for (const auto& document : *documents) Touch(document);
  } else {
    (void)inlay::Format(documents.error());
  }
  return 0;
}
