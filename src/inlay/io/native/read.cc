#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/native/reading.h"
#include "inlay/io/yaml/parse_past_repeats.h"

namespace inlay::io {
namespace {

constexpr std::string_view kFormat = "inlay/1";
constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kDescriptionKey = "description";  // one line for people

void CheckFormat(const Node& document, Diagnostics* diagnostics) {
  const Node* format = document.Find(kFormatKey);
  if (format == nullptr) {
    diagnostics->push_back(document.Error("the document does not say its format",
                                          fmt::format("start it with 'format: {}'", kFormat)));
  } else if (!format->IsScalar() || format->text != kFormat) {
    diagnostics->push_back(format->Error(format->IsScalar()
                                             ? fmt::format("unknown format '{}'", format->text)
                                             : "the format must be a single value",
                                         fmt::format("this version reads '{}'", kFormat)));
  }
}

// Collects the values of each kind, over all documents of all files.
class Collector {
 public:
  explicit Collector(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  void Add(Source source) {
    Diagnostics repeated;
    auto documents = ParseYamlPastRepeats(&repeated, std::move(source));
    Append(std::move(repeated), diagnostics_);
    if (!documents) {
      Append(documents.error(), diagnostics_);
      return;
    }
    for (Node& document : *documents) {
      if (!document.IsNull()) AddDocument(std::move(document));
    }
  }

  struct Value {
    Node key, value;
  };
  // The value of a kind, or nullptr.
  const Value* Find(std::string_view kind) const {
    const auto found = values_.find(kind);
    return found == values_.end() ? nullptr : &found->second;
  }

 private:
  void AddDocument(Node&& document) {
    if (!document.IsMapping()) {
      diagnostics_->push_back(document.Error("a native document is a mapping",
                                             fmt::format("start it with 'format: {}'", kFormat)));
      return;
    }
    CheckFormat(document, diagnostics_);
    size_t kinds = 0;
    for (auto& [key, value] : document.entries) {
      if (key.text == kFormatKey) continue;
      if (key.text == kDescriptionKey) {
        Check(key, value, kFreeText, diagnostics_);
        continue;
      }
      ++kinds;
      AddValue(std::move(key), std::move(value));
    }
    if (kinds > 0) return;
    diagnostics_->push_back(document.Error("the document holds nothing but its format",
                                           SuggestionHint("", KindNames())));
  }

  void AddValue(Node key, Node value) {
    const auto kinds = Kinds();
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&key](const Kind& k) { return k.name == key.text; });
    if (kind == kinds.end()) {
      std::vector<std::string> names = KindNames();
      names.emplace_back(kDescriptionKey);
      diagnostics_->push_back(key.Error(fmt::format("unknown key '{}' in a document", key.text),
                                        SuggestionHint(key.text, names)));
      return;
    }
    const auto first = values_.find(key.text);
    if (first == values_.end()) {
      std::string name = key.text;
      values_.emplace(std::move(name), Value{std::move(key), std::move(value)});
      return;
    }
    const Node& before = first->second.key;
    Node& list = first->second.value;
    if (kind->adds_up && list.IsSequence() && value.IsSequence() && before.source != key.source) {
      std::move(value.items.begin(), value.items.end(), std::back_inserter(list.items));
      return;
    }
    const bool same_place = before.source != key.source &&
                            before.source->name == key.source->name && before.line == key.line &&
                            before.column == key.column;
    if (same_place) {
      if (!twice_.insert(key.source->name).second) return;
      diagnostics_->push_back(
          MakeError({key.source->name, 0, 0}, "this file is given twice", "give each file once"));
      return;
    }
    diagnostics_->push_back(key.Error(
        fmt::format("a second '{}'", key.text),
        fmt::format("the first is at {}:{}; give one of them, or run them one after the other",
                    before.source->name, before.line)));
  }

  static std::vector<std::string> KindNames() {
    std::vector<std::string> names;
    for (const Kind& kind : Kinds()) names.emplace_back(kind.name);
    return names;
  }

  Diagnostics* diagnostics_;
  std::map<std::string, Value, std::less<>> values_;
  std::set<std::string> twice_;  // files that were given so
};

}  // namespace

Result<Inputs> ReadNative(std::vector<Source> files, const NativeContext& context) {
  Reading reading;
  reading.context = &context;
  reading.inputs.format = "native";
  Collector collector(&reading.diagnostics);
  std::vector<std::string> names;
  for (Source& file : files) {
    names.push_back(file.name);
    collector.Add(std::move(file));
  }
  bool empty = true;
  for (const Kind& kind : Kinds()) {
    const Collector::Value* found = collector.Find(kind.name);
    if (found == nullptr) continue;
    empty = false;
    reading.kind_start = reading.diagnostics.size();
    Check(found->key, found->value, *kind.type, &reading.diagnostics);
    if (reading.diagnostics.size() < kMostErrors) kind.read(found->value, &reading);
  }
  if (empty && reading.diagnostics.empty()) {
    reading.Add(MakeError({names.empty() ? "" : names.front(), 0, 0}, "the file is empty",
                          fmt::format("start it with 'format: {}'", kFormat)));
  }
  if (reading.diagnostics.empty()) return std::move(reading.inputs);
  SortByPlace(names, &reading.diagnostics);
  return Fail(std::move(reading.diagnostics));
}

bool LooksLikeNative(const Source& source) {
  // The key "format" at the start of a line or inside a flow mapping, and "inlay" with a version or
  // nothing after it. (Results say "inlay/result/1".)
  constexpr std::string_view kInlay = "inlay";
  const std::string_view text = source.text;
  const auto skip = [text](size_t at) {
    return std::min(text.find_first_not_of(" \"'", at), text.size());
  };
  for (size_t at = text.find(kFormatKey); at != std::string_view::npos;
       at = text.find(kFormatKey, at + 1)) {
    const size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \"'", at - 1);
    if (before != std::string_view::npos &&
        std::string_view("\n{,").find(text[before]) == std::string_view::npos)
      continue;
    size_t after = skip(at + kFormatKey.size());
    if (!text.substr(after).starts_with(':')) continue;
    after = skip(after + 1);
    if (!text.substr(after).starts_with(kInlay)) continue;
    const std::string_view rest = text.substr(after + kInlay.size());
    if (rest.empty() || std::string_view("\n \"',}").find(rest[0]) != std::string_view::npos)
      return true;
    if (rest.size() > 1 && rest[0] == '/' && rest[1] >= '0' && rest[1] <= '9') return true;
  }
  return false;
}

}  // namespace inlay::io
