#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace inlay::testing {

// Writes ONNX models for tests, by ONNX's own library.
class OnnxWriter {
 public:
  using Shape = std::vector<int64_t>;
  using Names = std::vector<std::string>;
  using AttributeValue = std::variant<int64_t, Shape, float, std::vector<float>, std::string>;
  using Attributes = std::vector<std::pair<std::string, AttributeValue>>;

  explicit OnnxWriter(int64_t opset = 17);
  OnnxWriter(const OnnxWriter&) = delete;
  OnnxWriter& operator=(const OnnxWriter&) = delete;
  ~OnnxWriter();

  // An extent is a number, a name, or "?" for one that has neither.
  OnnxWriter& Symbolic(const std::string& name, const Names& extents);  // an input
  OnnxWriter& Input(const std::string& name, const Shape& shape);
  OnnxWriter& Output(const std::string& name);
  OnnxWriter& Value(const std::string& name, const Names& extents);  // value_info
  OnnxWriter& Weight(const std::string& name, const Shape& shape);   // its data is not there
  OnnxWriter& Whole(const std::string& name, const Shape& shape, const Shape& elements);
  OnnxWriter& Real(const std::string& name, const Shape& shape, const std::vector<float>& elements);
  OnnxWriter& Node(const std::string& type, const Names& inputs, const Names& outputs,
                   const Attributes& attributes = {}, const std::string& name = "",
                   const std::string& domain = "");
  // A function of the model, whose body is that of another writer: its inputs, outputs and nodes.
  OnnxWriter& Function(const std::string& domain, const std::string& name, const OnnxWriter& body);
  // An If with the graphs of two writers.
  OnnxWriter& If(const std::string& condition, const Names& outputs, const OnnxWriter& then_branch,
                 const OnnxWriter& else_branch);

  std::string Bytes() const;

  // Shapes by the library's own inference, of all values for which it finds every extent.
  std::map<std::string, Shape> LibraryShapes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace inlay::testing
