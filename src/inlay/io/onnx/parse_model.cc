// Beside annotate.cc the only file that sees ONNX's and protobuf's types.
#define ONNX_ML 1  // as Debian builds the library
#define ONNX_NAMESPACE onnx
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/graph.h"
#include "inlay/io/onnx/model.h"

namespace inlay::io::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data is little-endian");

// A name that can be printed and written to a file; broken bytes become '?'.
std::string Text(const std::string& bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[i]);
    const size_t length = lead < 0x80   ? 1
                          : lead < 0xc2 ? 0
                          : lead < 0xe0 ? 2
                          : lead < 0xf0 ? 3
                          : lead < 0xf5 ? 4
                                        : 0;
    bool whole = length > 0 && i + length <= bytes.size();
    for (size_t k = 1; whole && k < length; ++k) {
      whole = (static_cast<unsigned char>(bytes[i + k]) & 0xc0) == 0x80;
    }
    // Overlong forms, surrogates and what lies above U+10FFFF.
    if (whole && length > 2) {
      const auto second = static_cast<unsigned char>(bytes[i + 1]);
      whole = !(lead == 0xe0 && second < 0xa0) && !(lead == 0xed && second > 0x9f) &&
              !(lead == 0xf0 && second < 0x90) && !(lead == 0xf4 && second > 0x8f);
    }
    text += whole ? bytes.substr(i, length) : "?";
    i += whole ? length : 1;
  }
  return text;
}

std::vector<std::string> Texts(const google::protobuf::RepeatedPtrField<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) texts.push_back(Text(name));
  return texts;
}

template <typename T>
std::optional<std::vector<double>> FromRaw(const std::string& raw, size_t count) {
  if (raw.size() != count * sizeof(T)) return std::nullopt;
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

template <typename Field>
std::optional<std::vector<double>> FromField(const Field& field, size_t count) {
  if (static_cast<size_t>(field.size()) != count) return std::nullopt;
  std::vector<double> values;
  for (const auto value : field) values.push_back(static_cast<double>(value));
  return values;
}

template <typename T, typename Field>
std::optional<std::vector<double>> FromEither(const ::onnx::TensorProto& tensor, const Field& field,
                                              size_t count) {
  return tensor.has_raw_data() ? FromRaw<T>(tensor.raw_data(), count) : FromField(field, count);
}

// nullopt where they are not in the file, are too many, or are of a type that shapes are not made
// of.
std::optional<Elements> ElementsOf(const ::onnx::TensorProto& tensor, const Shape& shape) {
  using Proto = ::onnx::TensorProto;
  const auto words = WordsOf(shape);
  if (!words || *words > kMostElements || tensor.data_location() == Proto::EXTERNAL) {
    return std::nullopt;
  }
  const auto count = static_cast<size_t>(*words);
  std::optional<std::vector<double>> values;
  bool whole = true;
  switch (tensor.data_type()) {
    case Proto::INT64:
      values = FromEither<int64_t>(tensor, tensor.int64_data(), count);
      break;
    case Proto::INT32:
      values = FromEither<int32_t>(tensor, tensor.int32_data(), count);
      break;
    case Proto::BOOL:
    case Proto::UINT8:
      values = FromEither<uint8_t>(tensor, tensor.int32_data(), count);
      break;
    case Proto::INT8:
      values = FromEither<int8_t>(tensor, tensor.int32_data(), count);
      break;
    case Proto::FLOAT:
      values = FromEither<float>(tensor, tensor.float_data(), count);
      whole = false;
      break;
    case Proto::DOUBLE:
      values = FromEither<double>(tensor, tensor.double_data(), count);
      whole = false;
      break;
    default:
      break;
  }
  if (!values) return std::nullopt;
  const bool finite = std::all_of(values->begin(), values->end(),
                                  [](double value) { return std::isfinite(value); });
  if (!finite) return std::nullopt;
  return Elements{whole, *std::move(values)};
}

// Goes through the messages and collects what is wrong with them.
class Converter {
 public:
  explicit Converter(const std::string& file) : file_(file) {}

  Result<Model> Convert(const ::onnx::ModelProto& proto) {
    Model model;
    for (const auto& opset : proto.opset_import()) {
      model.opsets[Text(opset.domain() == "ai.onnx" ? "" : opset.domain())] = opset.version();
    }
    model.graph = GraphFrom(proto.graph());
    for (const auto& function : proto.functions()) {
      Function converted{Text(function.domain()),
                         Text(function.name()),
                         Texts(function.input()),
                         Texts(function.output()),
                         {}};
      for (const auto& node : function.node()) converted.nodes.push_back(NodeFrom(node));
      model.functions.push_back(std::move(converted));
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    return model;
  }

 private:
  void Error(std::string message, std::string hint = "") {
    constexpr size_t kMostErrors = 20;
    if (errors_.size() >= kMostErrors) return;
    errors_.push_back(MakeError({file_, 0, 0}, std::move(message), std::move(hint)));
  }

  TensorData TensorFrom(const ::onnx::TensorProto& proto) {
    TensorData tensor{Text(proto.name()), {proto.dims().begin(), proto.dims().end()}, {}};
    CheckShape(tensor);
    tensor.elements = ElementsOf(proto, tensor.shape);
    return tensor;
  }

  void CheckShape(TensorData& tensor) {
    const bool negative = std::any_of(tensor.shape.begin(), tensor.shape.end(),
                                      [](int64_t extent) { return extent < 0; });
    if (negative) {
      Error(fmt::format("constant '{}' has a negative extent", tensor.name));
    } else if (!WordsOf(tensor.shape)) {
      Error(fmt::format("constant '{}' has more words than 64 bits can count", tensor.name));
    } else {
      return;
    }
    tensor.shape.clear();
  }

  static ValueInfo InfoFrom(const ::onnx::ValueInfoProto& proto) {
    ValueInfo info{Text(proto.name()), {}};
    if (!proto.type().has_tensor_type() || !proto.type().tensor_type().has_shape()) return info;
    info.shape.emplace();
    for (const auto& dim : proto.type().tensor_type().shape().dim()) {
      const bool known = dim.value_case() == ::onnx::TensorShapeProto_Dimension::kDimValue;
      info.shape->push_back({known ? dim.dim_value() : -1, Text(dim.dim_param())});
    }
    return info;
  }

  Attribute AttributeFrom(const ::onnx::AttributeProto& proto) {
    Attribute attribute;
    attribute.name = Text(proto.name());
    attribute.refers_to = Text(proto.ref_attr_name());
    if (proto.has_i()) attribute.integer = proto.i();
    attribute.text = Text(proto.s());
    attribute.integers = {proto.ints().begin(), proto.ints().end()};
    attribute.reals = {proto.floats().begin(), proto.floats().end()};
    if (proto.has_f()) attribute.reals.push_back(static_cast<double>(proto.f()));
    if (proto.has_t()) attribute.tensor = TensorFrom(proto.t());
    if (proto.has_g()) attribute.graph = std::make_shared<ModelGraph>(GraphFrom(proto.g()));
    return attribute;
  }

  ModelNode NodeFrom(const ::onnx::NodeProto& proto) {
    ModelNode node{Text(proto.name()),    Text(proto.domain() == "ai.onnx" ? "" : proto.domain()),
                   Text(proto.op_type()), Texts(proto.input()),
                   Texts(proto.output()), {}};
    for (const auto& attribute : proto.attribute()) {
      node.attributes.push_back(AttributeFrom(attribute));
    }
    return node;
  }

  ModelGraph GraphFrom(const ::onnx::GraphProto& proto) {
    ModelGraph graph;
    for (const auto& node : proto.node()) graph.nodes.push_back(NodeFrom(node));
    for (const auto& tensor : proto.initializer()) graph.constants.push_back(TensorFrom(tensor));
    for (const auto& sparse : proto.sparse_initializer()) {
      graph.constants.push_back(
          {Text(sparse.values().name()), {sparse.dims().begin(), sparse.dims().end()}, {}});
      CheckShape(graph.constants.back());
    }
    for (const auto& info : proto.input()) graph.inputs.push_back(InfoFrom(info));
    for (const auto& info : proto.output()) graph.outputs.push_back(InfoFrom(info));
    for (const auto& info : proto.value_info()) graph.values.push_back(InfoFrom(info));
    return graph;
  }

  const std::string& file_;
  Diagnostics errors_;
};

}  // namespace

const Attribute* ModelNode::Find(std::string_view attribute) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == attribute; });
  return found == attributes.end() ? nullptr : &*found;
}

Result<Model> ParseModel(const std::string& file, std::string_view bytes) {
  constexpr size_t kLargest = size_t{1} << 31;  // protobuf's own limit
  if (bytes.empty()) return Fail(MakeError({file, 0, 0}, "the file is empty"));
  if (bytes.size() >= kLargest) {
    return Fail(MakeError({file, 0, 0}, "the file is larger than 2 GiB",
                          "store the weights as external data; they are not needed here"));
  }
  const google::protobuf::LogSilencer silence;  // a library does not print
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  ::onnx::ModelProto proto;
  if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return Fail(MakeError({file, 0, 0}, "this is no ONNX model, or it is cut off",
                          "an .onnx file is a ModelProto message; export or copy it again"));
  }
  if (!proto.has_graph()) {
    return Fail(MakeError({file, 0, 0}, "this is no ONNX model: it holds no graph",
                          "an .onnx file is a ModelProto message"));
  }
  constexpr int64_t kFirstWithOpset = 3;
  if (proto.opset_import_size() == 0 && proto.ir_version() >= kFirstWithOpset) {
    return Fail(MakeError({file, 0, 0}, "the model does not say its opset; it may be cut off",
                          "export or copy it again"));
  }
  return Converter(file).Convert(proto);
}

}  // namespace inlay::io::onnx
