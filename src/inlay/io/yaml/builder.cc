#include "inlay/io/yaml/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "inlay/io/yaml/merge.h"

namespace inlay::io {
namespace {

// The most faults collected for one file; bounds the work of quoting lines.
constexpr size_t kMostFaults = 100;

constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

}  // namespace

Builder::Builder(std::shared_ptr<const Source> source, const YamlLimits& limits,
                 const AssembledText* assembled)
    : source_(std::move(source)), limits_(limits), assembled_(assembled) {}

Node Builder::NodeAt(const YAML::Mark& mark) const {
  const auto position = static_cast<size_t>(std::max(mark.pos, 0));
  Node node;
  if (assembled_ != nullptr) {
    const AssembledText::Place place = assembled_->PlaceOf(position);
    node.source = place.source == nullptr ? source_ : place.source;
    node.line = place.line;
    node.column = place.column;
    node.line_start = place.line_start;
  } else {
    node.source = source_;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    node.line_start = position - std::min(position, static_cast<size_t>(std::max(mark.column, 0)));
  }
  return node;
}

Diagnostic Builder::At(const YAML::Mark& mark, std::string message, std::string hint) const {
  return NodeAt(mark).Error(std::move(message), std::move(hint));
}

void Builder::Report(Diagnostic fault) {
  faults_.push_back(std::move(fault));
  if (faults_.size() >= kMostFaults) throw ParseStopped();
}

void Builder::Stop(Diagnostic fault) {
  faults_.push_back(std::move(fault));
  throw ParseStopped();
}

void Builder::CountIn(size_t nodes, const Node& where) {
  nodes_ += nodes;
  if (nodes_ > limits_.nodes) {
    Stop(where.Error(fmt::format("more than {} values, aliases expanded", limits_.nodes),
                     "split the file"));
  }
}

// A second document must be announced by a line "---", or follow a line "...". The parser takes
// anything that follows a complete value for the next document.
bool Builder::StartsDocument(const YAML::Mark& mark) const {
  const std::string_view text = source_->text;
  const size_t start = std::min(text.size(), static_cast<size_t>(std::max(mark.pos, 0)));
  if (mark.column == 0 && text.substr(start).starts_with("---")) return true;
  const std::string_view between = text.substr(position_, start - std::min(start, position_));
  return between.find("\n...") != std::string_view::npos;
}

void Builder::OnDocumentStart(const YAML::Mark& mark) {
  if (!documents_.empty() && !StartsDocument(mark)) {
    Stop(At(mark, "not valid YAML: text after the end of the value",
            "check the indentation; a further document starts with a line '---'"));
  }
  anchors_.clear();
}

Node Builder::NewNode(const YAML::Mark& mark, Node::Kind kind, const std::string& tag) {
  position_ = static_cast<size_t>(std::max(mark.pos, 0));
  Node node = NodeAt(mark);
  node.kind = kind;
  if (tag.starts_with(kStandardTag)) {
    node.quoted = kind == Node::Kind::kScalar && tag.ends_with(":str");
  } else if (tag == "!") {
    node.quoted = kind == Node::Kind::kScalar;
  } else if (tag != "?") {
    node.tag = tag;
  }
  CountIn(1, node);
  return node;
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  // The parser also makes up a value for a key without a colon, at the place of the key.
  if (!open_.empty() && open_.back().key) {
    const Node& key = *open_.back().key;
    const Node here = NodeAt(mark);
    if (key.IsScalar() && key.source == here.source && key.line == here.line &&
        key.column == here.column) {
      missing_colon_ = key.Error(fmt::format("not valid YAML: no ':' after '{}'", key.text),
                                 "write 'key: value'");
    }
  }
  last_scalar_.reset();
  Finish(NewNode(mark, Node::Kind::kNull, "?"), anchor);
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
  Node node = NewNode(mark, Node::Kind::kScalar, tag);
  if (assembled_ != nullptr && value.find(AssembledText::kValueTag) != std::string::npos) {
    Report(node.Error("an included value stands in the middle of a text",
                      "write {{include(…)}} alone, as the whole value of a key"));
  }
  const bool stands_for_value = assembled_ != nullptr && tag == AssembledText::kValueTag;
  const Node* inserted = stands_for_value ? assembled_->FindValue(value) : nullptr;
  if (inserted != nullptr) return PlaceValue(*inserted, anchor, mark);
  if (stands_for_value) {
    Report(node.Error("text follows an included value in its line",
                      "write {{include(…)}} alone, as the whole value of a key"));
  }
  last_scalar_ = node;
  node.text = value;
  Finish(std::move(node), anchor);
}

void Builder::PlaceValue(const Node& value, YAML::anchor_t anchor, const YAML::Mark& mark) {
  last_scalar_.reset();
  CountIn(CountNodes(value), value);
  if (static_cast<int>(open_.size()) + HeightOf(value) > limits_.depth) {
    Stop(At(mark, fmt::format("nested more than {} levels deep", limits_.depth)));
  }
  Finish(value, anchor);
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  last_scalar_.reset();
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) {
    Stop(At(mark, "an alias inside the value that it stands for"));
  }
  const Anchored& anchored = found->second;
  CountIn(anchored.count, NewNode(mark, Node::Kind::kNull, "?"));
  if (static_cast<int>(open_.size()) + anchored.height > limits_.depth) {
    Stop(At(mark, fmt::format("nested more than {} levels deep", limits_.depth)));
  }
  Place(anchored.node);
}

void Builder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                              YAML::EmitterStyle::value /*style*/) {
  Open(NewNode(mark, Node::Kind::kSequence, tag), anchor);
}

void Builder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) {
  Open(NewNode(mark, Node::Kind::kMapping, tag), anchor);
}

void Builder::Open(Node node, YAML::anchor_t anchor) {
  last_scalar_.reset();
  if (static_cast<int>(open_.size()) >= limits_.depth) {
    Stop(node.Error(fmt::format("nested more than {} levels deep", limits_.depth)));
  }
  open_.push_back({std::move(node), anchor, std::nullopt});
}

void Builder::EndCollection() {
  OpenCollection closed = std::move(open_.back());
  open_.pop_back();
  if (closed.node.IsMapping()) CloseMapping(&closed.node);
  Finish(std::move(closed.node), closed.anchor);
}

void Builder::CloseMapping(Node* mapping) {
  std::unordered_map<std::string_view, const Node*> seen;
  std::vector<size_t> repeated;
  for (size_t i = 0; i < mapping->entries.size(); ++i) {
    const Node& key = mapping->entries[i].first;
    if (IsMergeKey(key)) continue;
    const auto [first, is_new] = seen.try_emplace(key.text, &key);
    if (is_new) continue;
    repeated.push_back(i);
    ++repeated_keys_;
    Report(key.Error(fmt::format("key '{}' is given twice; the first is at {}", key.text,
                                 first->second->PlaceSeenFrom(key)),
                     "remove one of them"));
  }
  while (!repeated.empty()) {
    mapping->entries.erase(mapping->entries.begin() + static_cast<std::ptrdiff_t>(repeated.back()));
    repeated.pop_back();
  }
  const bool merges = std::any_of(mapping->entries.begin(), mapping->entries.end(),
                                  [](const auto& entry) { return IsMergeKey(entry.first); });
  if (!merges) return;
  Diagnostics faults;
  ResolveMerge(mapping, &faults);
  for (Diagnostic& fault : faults) Report(std::move(fault));
  CountIn(CountNodes(*mapping), *mapping);
}

void Builder::Finish(Node node, YAML::anchor_t anchor) {
  if (anchor != YAML::NullAnchor) {
    const size_t count = CountNodes(node);
    CountIn(count, node);  // the copy that is kept for aliases
    const int height = HeightOf(node);
    anchors_[anchor] = {node, count, height};
  }
  Place(std::move(node));
}

void Builder::Place(Node node) {
  if (open_.empty()) {
    documents_.push_back(std::move(node));
    return;
  }
  OpenCollection& parent = open_.back();
  if (parent.node.IsSequence()) {
    parent.node.items.push_back(std::move(node));
  } else if (!parent.key) {
    if (!node.IsScalar()) Report(node.Error("a key of a mapping must be plain text"));
    parent.key = std::move(node);
  } else {
    if (parent.key->IsScalar()) {
      parent.node.entries.emplace_back(std::move(*parent.key), std::move(node));
    }
    parent.key.reset();
  }
}

void Builder::CheckEnd() {
  if (missing_colon_) Report(*missing_colon_);
  if (!last_scalar_) return;
  std::string_view rest = source_->text;
  rest.remove_prefix(std::min(rest.size(), position_));
  // The mark is before the anchor and the tag, if there are any.
  while (rest.starts_with('&') || rest.starts_with('!')) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_of(" \n\t")));
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \n\t")));
  }
  const char quote = rest.empty() ? ' ' : rest.front();
  if (quote != '"' && quote != '\'') return;
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '\\' && quote == '"') {
      ++i;
    } else if (rest[i] == quote) {
      if (quote == '"' || i + 1 >= rest.size() || rest[i + 1] != quote) return;
      ++i;
    }
  }
  Report(last_scalar_->Error(fmt::format("not valid YAML: no closing {}", quote)));
}

}  // namespace inlay::io
