#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inlay::io {

// A scalar that reads back as this text: plain where that is safe, else in double quotes.
std::string Scalar(std::string_view text);

// "{key: value, …}" and "[item, …]" on one line. Keys and items are texts; values of an object are
// YAML already.
class FlowObject {
 public:
  FlowObject& Add(std::string_view key, std::string_view yaml);
  bool empty() const { return inside_.empty(); }
  std::string ToString() const { return "{" + inside_ + "}"; }

 private:
  std::string inside_;
};
std::string FlowList(const std::vector<std::string>& texts);

}  // namespace inlay::io
