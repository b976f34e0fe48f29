#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/io/file.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// A text that was put together from pieces of other texts. Every byte of it has a place in one of
// those, which is where errors are reported.
class AssembledText {
 public:
  // So many bytes of the source from `offset` on, as they stand there.
  void Copy(std::shared_ptr<const Source> source, size_t offset, size_t length);
  // A text that was made of what stands at that offset of the source.
  void Insert(std::string_view text, std::shared_ptr<const Source> source, size_t offset);
  // The same of a value, where the text has a scalar.
  void InsertValue(Node value, std::shared_ptr<const Source> source, size_t offset);

  // The tag of the scalars that stand for values. Pieces must not contain it.
  static constexpr std::string_view kValueTag = "!inserted-value";
  // The value that a scalar with this tag stands for, or null.
  const Node* FindValue(std::string_view scalar) const;

  const std::string& text() const { return text_; }

  struct Place {
    std::shared_ptr<const Source> source;
    int line = 0, column = 0;  // from 1
    size_t line_start = 0;     // byte offset of the line in the source
  };
  Place PlaceOf(size_t offset) const;

 private:
  struct Piece {
    size_t begin = 0;  // in text_
    std::shared_ptr<const Source> source;
    size_t offset = 0;  // in the source
    bool copied = false;
  };

  std::string text_;
  std::vector<Piece> pieces_;  // in order
  std::vector<Node> values_;
  mutable std::map<const Source*, std::vector<size_t>> line_starts_;
};

// ParseYaml of a text that was put together; nodes and errors have the places of its pieces.
Result<std::vector<Node>> ParseYaml(const AssembledText& text, std::string name,
                                    const YamlLimits& limits = {});

}  // namespace inlay::io
