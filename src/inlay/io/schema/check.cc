#include "inlay/io/schema/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "inlay/base/suggest.h"

namespace inlay::io {
namespace {

std::string_view KindName(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "empty";
    case Node::Kind::kScalar:
      return "a single value";
    case Node::Kind::kSequence:
      return "a list";
    case Node::Kind::kMapping:
      return "a mapping";
  }
  return "";
}

Node::Kind KindOf(const Type& type) {
  switch (type.form) {
    case Form::kList:
      return Node::Kind::kSequence;
    case Form::kMap:
    case Form::kObject:
      return Node::Kind::kMapping;
    default:
      return Node::Kind::kScalar;
  }
}

std::string Quoted(std::string_view name) { return fmt::format("'{}'", name); }

class Checker {
 public:
  explicit Checker(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  void CheckEntry(const Node& key, const Node& value, const Type& type) {
    if (!value.IsNull()) return Check(value, type, Quoted(key.text));
    // An empty value's own place is somewhere behind it.
    Add(key.Error(fmt::format("'{}' has no value", key.text),
                  fmt::format("expected {}", type.what)));
  }

 private:
  void Check(const Node& node, const Type& type, std::string_view name) {
    if (Full()) return;
    if (!node.tag.empty()) {
      Add(node.Error(fmt::format("unexpected tag '{}'", node.tag), "native files use no tags"));
    }
    if (type.form == Form::kEither) return CheckEither(node, type, name);
    if (node.kind != KindOf(type)) return WrongKind(node, type, name);
    switch (type.form) {
      case Form::kText:
        return CheckText(node, type);
      case Form::kInteger:
        return CheckInteger(node, type, name);
      case Form::kNumber:
        return AddFrom(AsDouble(node, name));
      case Form::kBoolean:
        return AddFrom(AsBool(node, name));
      case Form::kWord:
        return CheckWord(node, type, name);
      case Form::kList:
        for (const Node& item : node.items) {
          Check(item, *type.element, fmt::format("an entry of {}", name));
        }
        return;
      case Form::kMap:
        return CheckMap(node, type);
      case Form::kObject:
        return CheckObject(node, type);
      case Form::kEither:
        return;
    }
  }

  bool Full() const { return diagnostics_->size() >= kMostErrors; }
  void Add(Diagnostic diagnostic) {
    if (!Full()) diagnostics_->push_back(std::move(diagnostic));
  }

  template <typename T>
  void AddFrom(const Result<T>& result) {
    if (result) return;
    for (const Diagnostic& diagnostic : result.error()) Add(diagnostic);
  }

  void WrongKind(const Node& node, const Type& type, std::string_view name) {
    if (node.IsNull()) {
      return Add(
          node.Error(fmt::format("{} has no value", name), fmt::format("expected {}", type.what)));
    }
    Add(node.Error(fmt::format("{} must be {}, found {}", name, type.what, KindName(node))));
  }

  void CheckText(const Node& node, const Type& type) {
    std::optional<TextError> error;
    if (type.check != nullptr) error = type.check(node.text);
    if (type.unit != nullptr) error = type.check_unit(node.text, *type.unit);
    if (error) Add(ErrorInside(node, *error));
  }

  void CheckInteger(const Node& node, const Type& type, std::string_view name) {
    const auto value = AsInt(node, name);
    if (!value) return AddFrom(value);
    if (*value < type.minimum) {
      Add(node.Error(fmt::format("{} must be at least {}, found {}", name, type.minimum, *value)));
    } else if (*value > type.maximum) {
      Add(node.Error(fmt::format("{} must be at most {}, found {}", name, type.maximum, *value)));
    }
  }

  void CheckWord(const Node& node, const Type& type, std::string_view name) {
    if (std::find(type.words.begin(), type.words.end(), node.text) != type.words.end()) return;
    const auto near = Suggest(node.text, {type.words.begin(), type.words.end()});
    Add(node.Error(fmt::format("{} must be {}, found '{}'", name, JoinOr(type.words), node.text),
                   near ? fmt::format("did you mean '{}'?", *near) : std::string()));
  }

  void CheckMap(const Node& node, const Type& type) {
    for (const auto& [key, value] : node.entries) {
      if (Full()) return;  // before an error is made only to be dropped
      if (type.check != nullptr) {
        if (const auto error = type.check(key.text)) Add(ErrorInside(key, *error));
      }
      CheckEntry(key, value, *type.element);
    }
  }

  void CheckObject(const Node& node, const Type& type) {
    for (const auto& [key, value] : node.entries) {
      if (Full()) return;
      const auto known = std::find_if(type.keys.begin(), type.keys.end(),
                                      [&name = key.text](const Key& k) { return k.name == name; });
      if (known != type.keys.end()) {
        CheckEntry(key, value, *known->type);
        continue;
      }
      std::vector<std::string> names;
      for (const Key& k : type.keys) names.emplace_back(k.name);
      Add(key.Error(fmt::format("unknown key '{}' in {}", key.text, type.what),
                    SuggestionHint(key.text, names)));
    }
    for (const Key& key : type.keys) {
      if (!key.required || node.Find(key.name) != nullptr) continue;
      Add(node.Error(fmt::format("{} needs the key '{}'", type.what, key.name),
                     fmt::format("'{}': {}", key.name, key.sentence)));
    }
    CheckExactlyOne(node, type);
  }

  void CheckExactlyOne(const Node& node, const Type& type) {
    if (type.exactly_one.empty()) return;
    const Node* first = nullptr;
    for (const auto& [key, value] : node.entries) {
      if (std::find(type.exactly_one.begin(), type.exactly_one.end(), key.text) ==
          type.exactly_one.end()) {
        continue;
      }
      if (first != nullptr) {
        Add(key.Error(fmt::format("{} has both '{}' and '{}'", type.what, first->text, key.text),
                      "give one of them"));
      }
      first = &key;
    }
    if (first != nullptr) return;
    Add(node.Error(
        fmt::format("{} needs one of the keys {}", type.what, JoinOr(type.exactly_one))));
  }

  void CheckEither(const Node& node, const Type& type, std::string_view name) {
    std::vector<std::string_view> first_keys;
    const Type* only = nullptr;
    for (const Type* option : type.options) {
      if (KindOf(*option) != node.kind) continue;
      only = option;
      if (option->form != Form::kObject) break;
      if (node.Find(option->keys.front().name) != nullptr) {
        return Check(node, *option, name);
      }
      first_keys.push_back(option->keys.front().name);
    }
    if (only == nullptr) return WrongKind(node, type, name);
    if (first_keys.size() <= 1) return Check(node, *only, name);
    Add(node.Error(fmt::format("{} must be {}", name, type.what),
                   fmt::format("it needs one of the keys {}", JoinOr(first_keys))));
  }

  Diagnostics* diagnostics_;
};

}  // namespace

void Check(const Node& key, const Node& value, const Type& type, Diagnostics* diagnostics) {
  Checker(diagnostics).CheckEntry(key, value, type);
}

Diagnostic ErrorInside(const Node& scalar, const TextError& error) {
  Diagnostic diagnostic = scalar.Error(error.message, error.hint);
  if (scalar.source == nullptr || scalar.column < 1 || error.offset > scalar.text.size()) {
    return diagnostic;
  }
  const std::string_view line = scalar.SourceLine();
  const size_t start = static_cast<size_t>(scalar.column) - 1 + (scalar.quoted ? 1 : 0);
  if (start <= line.size() && line.substr(start).starts_with(scalar.text.substr(0, error.offset))) {
    diagnostic.location.column = static_cast<int>(start + error.offset) + 1;
  }
  return diagnostic;
}

}  // namespace inlay::io
