#include "inlay/io/yaml/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace inlay::io {
namespace {

using Entry = std::pair<Node, Node>;

constexpr std::string_view kDeepMerge = "<<<";

// Each source is compared with all keys of the mapping, so their number is bounded.
constexpr size_t kMostSources = 100;

void MergeInto(Node* target, const Node& from, bool deep);

// Adds the entries of `from` at position `at` of `target`; returns the position after them.
size_t MergeEntries(std::vector<Entry>* target, size_t at, const Node& from, bool deep) {
  std::unordered_map<std::string_view, Node*> known;
  for (auto& [name, value] : *target) known.emplace(name.text, &value);
  std::vector<Entry> added;
  for (const Entry& entry : from.entries) {
    const auto existing = known.find(entry.first.text);
    if (existing == known.end()) {
      added.push_back(entry);
    } else if (deep && existing->second->tag != "!nomerge") {
      MergeInto(existing->second, entry.second, deep);
    }
  }
  target->insert(target->begin() + static_cast<std::ptrdiff_t>(at), added.begin(), added.end());
  return at + added.size();
}

void MergeInto(Node* target, const Node& from, bool deep) {
  if (target->IsMapping() && from.IsMapping()) {
    MergeEntries(&target->entries, target->entries.size(), from, deep);
  } else if (target->IsSequence() && from.IsSequence()) {
    target->items.insert(target->items.end(), from.items.begin(), from.items.end());
  }
}

// The mappings that a merge key refers to, nearest first.
std::vector<const Node*> Sources(const Node& value, Diagnostics* faults) {
  std::vector<const Node*> sources;
  const auto add = [&](const Node& node) {
    if (node.IsMapping()) {
      sources.push_back(&node);
    } else {
      faults->push_back(node.Error("a merge key must refer to a mapping or a list of mappings",
                                   "write '<<: *anchor' or '<<: [*one, *other]'"));
    }
  };
  if (value.items.size() > kMostSources) {
    faults->push_back(value.Error(fmt::format("more than {} mappings are merged", kMostSources)));
  } else if (value.IsSequence()) {
    for (const Node& item : value.items) add(item);
  } else {
    add(value);
  }
  return sources;
}

}  // namespace

bool IsMergeKey(const Node& key) {
  return key.IsScalar() && !key.quoted && (key.text == "<<" || key.text == kDeepMerge);
}

void ResolveMerge(Node* mapping, Diagnostics* faults) {
  std::vector<Entry>& entries = mapping->entries;
  const auto is_merge = [](const Entry& entry) { return IsMergeKey(entry.first); };
  const auto first = std::find_if(entries.begin(), entries.end(), is_merge);
  if (first == entries.end()) return;
  const auto second = std::find_if(first + 1, entries.end(), is_merge);
  if (second != entries.end()) {
    faults->push_back(second->first.Error(fmt::format("a second merge key; the first is at {}",
                                                      first->first.PlaceSeenFrom(second->first)),
                                          "list all sources under one: '<<: [*one, *other]'"));
    std::erase_if(entries, is_merge);
    return;
  }
  const Entry merge = std::move(*first);
  auto at = static_cast<size_t>(first - entries.begin());
  entries.erase(first);
  for (const Node* source : Sources(merge.second, faults)) {
    at = MergeEntries(&entries, at, *source, merge.first.text == kDeepMerge);
  }
}

size_t CountNodes(const Node& node) {
  size_t count = 1;
  for (const Node& item : node.items) count += CountNodes(item);
  for (const auto& [key, value] : node.entries) count += 1 + CountNodes(value);
  return count;
}

int HeightOf(const Node& node) {
  if (!node.IsSequence() && !node.IsMapping()) return 0;
  int below = 0;
  for (const Node& item : node.items) below = std::max(below, HeightOf(item));
  for (const auto& [key, value] : node.entries) below = std::max(below, HeightOf(value));
  return below + 1;
}

}  // namespace inlay::io
