#pragma once

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io::timeloop {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// What a name in an expression may stand for: the entries of some mappings, the nearest first. The
// mappings outlive the scope.
class Scope {
 public:
  void Push(const Node& mapping);  // nearer than everything pushed before
  const Node* Find(std::string_view name) const;
  // The mapping's value as it is: own, or inherited. Looks only at what was pushed.
  const std::vector<const Node*>& mappings() const { return mappings_; }

 private:
  std::vector<const Node*> mappings_;
};

// A number, or an expression over names in the scope: + - * / // % ** ( ), min, max, ceil, floor,
// round, abs, int, sqrt, log2. Names that were looked up are added to `used` if it is given.
Result<double> EvaluateNumber(const Node& node, std::string_view what, const Scope& scope,
                              std::set<const Node*>* used = nullptr);

// The same where only a whole number will do.
Result<int64_t> EvaluateInt(const Node& node, std::string_view what, const Scope& scope,
                            std::set<const Node*>* used = nullptr);

}  // namespace inlay::io::timeloop
