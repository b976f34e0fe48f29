#include "tests/support/onnx_writer.h"

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <cctype>

namespace inlay::testing {

struct OnnxWriter::Impl {
  onnx::ModelProto model;
  onnx::GraphProto* graph() { return model.mutable_graph(); }
};

namespace {

void SetInfo(const std::string& name, const OnnxWriter::Names& extents,
             onnx::ValueInfoProto* info) {
  info->set_name(name);
  auto* type = info->mutable_type()->mutable_tensor_type();
  type->set_elem_type(onnx::TensorProto::FLOAT);
  auto* shape = type->mutable_shape();
  for (const std::string& extent : extents) {
    auto* dim = shape->add_dim();
    if (extent == "?") continue;
    const bool number =
        extent[0] == '-' || std::isdigit(static_cast<unsigned char>(extent[0])) != 0;
    if (number) {
      dim->set_dim_value(std::stoll(extent));
    } else {
      dim->set_dim_param(extent);
    }
  }
}

OnnxWriter::Names ToNames(const OnnxWriter::Shape& shape) {
  OnnxWriter::Names names;
  for (const int64_t extent : shape) names.push_back(std::to_string(extent));
  return names;
}

onnx::TensorProto* AddTensor(const std::string& name, const OnnxWriter::Shape& shape, int type,
                             onnx::GraphProto* graph) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  for (const int64_t extent : shape) tensor->add_dims(extent);
  return tensor;
}

void SetAttribute(const OnnxWriter::AttributeValue& value, onnx::AttributeProto* attribute) {
  if (const auto* whole = std::get_if<int64_t>(&value)) {
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(*whole);
  } else if (const auto* list = std::get_if<OnnxWriter::Shape>(&value)) {
    attribute->set_type(onnx::AttributeProto::INTS);
    for (const int64_t item : *list) attribute->add_ints(item);
  } else if (const auto* real = std::get_if<float>(&value)) {
    attribute->set_type(onnx::AttributeProto::FLOAT);
    attribute->set_f(*real);
  } else if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
    attribute->set_type(onnx::AttributeProto::FLOATS);
    for (const float item : *reals) attribute->add_floats(item);
  } else {
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(std::get<std::string>(value));
  }
}

}  // namespace

OnnxWriter::OnnxWriter(int64_t opset) : impl_(std::make_unique<Impl>()) {
  impl_->model.set_ir_version(8);
  impl_->model.add_opset_import()->set_version(opset);
  impl_->graph()->set_name("test");
}

OnnxWriter::~OnnxWriter() = default;

OnnxWriter& OnnxWriter::Symbolic(const std::string& name, const Names& extents) {
  SetInfo(name, extents, impl_->graph()->add_input());
  return *this;
}

OnnxWriter& OnnxWriter::Input(const std::string& name, const Shape& shape) {
  return Symbolic(name, ToNames(shape));
}

OnnxWriter& OnnxWriter::Output(const std::string& name) {
  onnx::ValueInfoProto* info = impl_->graph()->add_output();
  info->set_name(name);
  info->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  return *this;
}

OnnxWriter& OnnxWriter::Value(const std::string& name, const Names& extents) {
  SetInfo(name, extents, impl_->graph()->add_value_info());
  return *this;
}

OnnxWriter& OnnxWriter::Weight(const std::string& name, const Shape& shape) {
  onnx::TensorProto* tensor = AddTensor(name, shape, onnx::TensorProto::FLOAT, impl_->graph());
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  auto* where = tensor->add_external_data();
  where->set_key("location");
  where->set_value("weights.bin");
  return *this;
}

OnnxWriter& OnnxWriter::Whole(const std::string& name, const Shape& shape, const Shape& elements) {
  onnx::TensorProto* tensor = AddTensor(name, shape, onnx::TensorProto::INT64, impl_->graph());
  tensor->set_raw_data(std::string(reinterpret_cast<const char*>(elements.data()),
                                   elements.size() * sizeof(int64_t)));
  return *this;
}

OnnxWriter& OnnxWriter::Real(const std::string& name, const Shape& shape,
                             const std::vector<float>& elements) {
  onnx::TensorProto* tensor = AddTensor(name, shape, onnx::TensorProto::FLOAT, impl_->graph());
  for (const float element : elements) tensor->add_float_data(element);
  return *this;
}

OnnxWriter& OnnxWriter::Node(const std::string& type, const Names& inputs, const Names& outputs,
                             const Attributes& attributes, const std::string& name,
                             const std::string& domain) {
  onnx::NodeProto* node = impl_->graph()->add_node();
  node->set_op_type(type);
  node->set_name(name);
  node->set_domain(domain);
  for (const std::string& input : inputs) node->add_input(input);
  for (const std::string& output : outputs) node->add_output(output);
  for (const auto& [key, value] : attributes) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(key);
    SetAttribute(value, attribute);
  }
  return *this;
}

OnnxWriter& OnnxWriter::Function(const std::string& domain, const std::string& name,
                                 const OnnxWriter& body) {
  onnx::FunctionProto* function = impl_->model.add_functions();
  function->set_domain(domain);
  function->set_name(name);
  const onnx::GraphProto& graph = body.impl_->model.graph();
  for (const auto& input : graph.input()) function->add_input(input.name());
  for (const auto& output : graph.output()) function->add_output(output.name());
  for (const auto& node : graph.node()) *function->add_node() = node;
  return *this;
}

OnnxWriter& OnnxWriter::If(const std::string& condition, const Names& outputs,
                           const OnnxWriter& then_branch, const OnnxWriter& else_branch) {
  Node("If", {condition}, outputs);
  onnx::NodeProto* node = impl_->graph()->mutable_node(impl_->graph()->node_size() - 1);
  for (const auto& [name, branch] :
       {std::pair("then_branch", &then_branch), std::pair("else_branch", &else_branch)}) {
    onnx::AttributeProto* attribute = node->add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::GRAPH);
    *attribute->mutable_g() = branch->impl_->model.graph();
  }
  return *this;
}

std::string OnnxWriter::Bytes() const { return impl_->model.SerializeAsString(); }

std::map<std::string, OnnxWriter::Shape> OnnxWriter::LibraryShapes() const {
  onnx::ModelProto model = impl_->model;
  onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                     onnx::ShapeInferenceOptions(false, 0, true));
  std::map<std::string, Shape> shapes;
  for (const auto* list : {&model.graph().value_info(), &model.graph().output()}) {
    for (const auto& info : *list) {
      if (!info.type().tensor_type().has_shape()) continue;
      Shape shape;
      bool complete = true;
      for (const auto& dim : info.type().tensor_type().shape().dim()) {
        complete = complete && dim.has_dim_value();
        shape.push_back(dim.dim_value());
      }
      if (complete) shapes[info.name()] = shape;
    }
  }
  return shapes;
}

}  // namespace inlay::testing
