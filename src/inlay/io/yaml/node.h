#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/file.h"

namespace inlay::io {

// A YAML value and its place in the file. Anchors, aliases and merge keys are already resolved; no
// mapping has a key twice; nesting and size after expansion are bounded.
class Node {
 public:
  enum class Kind { kNull, kScalar, kSequence, kMapping };

  // Defined where the type is complete: it contains itself.
  Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  Kind kind = Kind::kNull;
  std::shared_ptr<const Source> source;
  int line = 0, column = 0;                    // from 1
  size_t line_start = std::string::npos;       // byte offset of its line; npos: to be counted
  std::string text;                            // scalar: its value
  bool quoted = false;                         // scalar: written in quotes, so never a number
  std::string tag;                             // "!Component" and the like; empty if none
  std::vector<Node> items;                     // sequence
  std::vector<std::pair<Node, Node>> entries;  // mapping, in file order; keys are scalars

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsScalar() const { return kind == Kind::kScalar; }
  bool IsSequence() const { return kind == Kind::kSequence; }
  bool IsMapping() const { return kind == Kind::kMapping; }
  const Node* Find(std::string_view key) const;  // value of a mapping's key, or nullptr

  // The line of the source that the node starts in, without its end. Takes the time of that line,
  // not of all lines before it: a file may have as many errors as lines.
  std::string_view SourceLine() const;

  SourcePlace Place() const;
  // "3:5", line and column; with the file before it where that is another one.
  std::string PlaceSeenFrom(const Node& other) const;

  // A diagnostic at this node, with the line quoted.
  Diagnostic Error(std::string message, std::string hint = "") const;
  Diagnostic Warning(std::string message, std::string hint = "") const;
};

struct YamlLimits {
  int depth = 64;
  size_t nodes = 5'000'000;  // after aliases are expanded
};

// All documents of a stream. Every kind of breakage (syntax, tabs, duplicate keys, bad merges,
// alias bombs, depth) is an error with its place; the YAML library's exceptions stay inside.
Result<std::vector<Node>> ParseYaml(Source source, const YamlLimits& limits = {});

// Scalars, locale-independent, whole text must match. Errors say what was expected.
Result<int64_t> AsInt(const Node& node,
                      std::string_view what);  // decimal, optional sign, overflow checked
Result<double> AsDouble(const Node& node,
                        std::string_view what);  // finite decimal or scientific; no nan, no inf
Result<bool> AsBool(const Node& node,
                    std::string_view what);  // true, false (and yes/no/on/off/True/False)
Result<std::string> AsString(const Node& node, std::string_view what);

}  // namespace inlay::io
