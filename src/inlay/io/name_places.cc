#include "inlay/io/name_places.h"

#include <algorithm>

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

SourcePlace FindIn(const std::vector<Node>& documents, const Matcher& match) {
  for (const Node& document : documents) {
    if (const Node* found = FindBelow(document, match)) return found->Place();
  }
  return {};
}

SourcePlace FindIn(const std::vector<Source>& sources, const Matcher& match) {
  for (const Source& source : sources) {
    if (!IsFile(source.name) || IsModelFile(source.name)) continue;
    const auto documents = ParseYaml(source);
    if (!documents) continue;
    SourcePlace found = FindIn(*documents, match);
    if (!found.location.file.empty()) return found;
  }
  return {};
}

// What names the tensors: keys of native files, names of Timeloop's.
std::vector<const Node*> TensorsBelow(const Node& parent) {
  std::vector<const Node*> names;
  if (const Node* tensors = parent.Find("tensors")) {
    for (const auto& [key, value] : tensors->entries) names.push_back(&key);
  }
  for (const char* key : {"data_spaces", "data-spaces"}) {
    const Node* spaces = parent.Find(key);
    if (spaces == nullptr) continue;
    for (const Node& space : spaces->items) {
      if (const Node* name = space.Find("name")) names.push_back(name);
    }
  }
  return names;
}

Matcher NamesTensorsOf(const Problem& problem) {
  return [&problem](const Node& parent) -> const Node* {
    const std::vector<const Node*> names = TensorsBelow(parent);
    const bool same = std::equal(
        names.begin(), names.end(), problem.tensors.begin(), problem.tensors.end(),
        [](const Node* name, const Tensor& tensor) { return name->text == tensor.name; });
    return same && !names.empty() ? names.front() : nullptr;
  };
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

SourcePlace PlaceOfTensors(const std::vector<Source>& sources, const Problem& problem) {
  return FindIn(sources, NamesTensorsOf(problem));
}

SourcePlace PlaceOfTensors(const std::vector<Node>& documents, const Problem& problem) {
  return FindIn(documents, NamesTensorsOf(problem));
}

void SetPlace(const SourcePlace& place, Diagnostic* diagnostic) {
  diagnostic->location = place.location;
  diagnostic->source_line = place.line;
}

}  // namespace inlay::io
