#include "inlay/io/name_places.h"

#include "inlay/io/read_files.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {
namespace {

using Matcher = std::function<const Node*(const Node& parent)>;

// Of the nodes below this one, itself first, the first in which the matcher finds something.
const Node* FindBelow(const Node& node, const Matcher& match) {
  if (const Node* found = match(node)) return found;
  for (const Node& item : node.items) {
    if (const Node* found = FindBelow(item, match)) return found;
  }
  for (const auto& [key, value] : node.entries) {
    if (const Node* found = FindBelow(value, match)) return found;
  }
  return nullptr;
}

SourcePlace FindIn(const std::vector<Source>& sources, const Matcher& match) {
  for (const Source& source : sources) {
    if (!IsFile(source.name) || IsModelFile(source.name)) continue;
    const auto documents = ParseYaml(source);
    if (!documents) continue;
    for (const Node& document : *documents) {
      if (const Node* found = FindBelow(document, match)) return found->Place();
    }
  }
  return {};
}

}  // namespace

NamePlaces PlacesIn(const std::vector<Source>& sources) {
  return {[&sources](const std::string& tensor, const std::string& role) {
            return FindIn(sources, [&](const Node& parent) -> const Node* {
              const Node* roles = parent.Find("roles");
              const Node* found = roles == nullptr ? nullptr : roles->Find(tensor);
              return found != nullptr && found->text == role ? found : nullptr;
            });
          },
          // In a list, or before a colon.
          [&sources](const std::string& name) {
            return FindIn(sources, [&](const Node& parent) -> const Node* {
              for (const Node& item : parent.items) {
                if (item.IsScalar() && item.text == name) return &item;
              }
              for (const auto& [key, value] : parent.entries) {
                if (key.text == name) return &key;
              }
              return nullptr;
            });
          }};
}

}  // namespace inlay::io
