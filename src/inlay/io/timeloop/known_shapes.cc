#include "inlay/io/timeloop/known_shapes.h"

#include <array>

#include "inlay/base/check.h"
#include "inlay/io/timeloop/fields.h"

namespace inlay::io::timeloop {
namespace {

struct Shape {
  std::string_view name;
  std::string_view yaml;
};

constexpr std::array<Shape, 2> kShapes = {{
    {"cnn_layer", R"(
name: cnn_layer
dimensions: [R, S, P, Q, C, K, N]
coefficients:
- {name: Wstride, default: 1}
- {name: Hstride, default: 1}
- {name: Wdilation, default: 1}
- {name: Hdilation, default: 1}
data_spaces:
- {name: Weights, projection: [C, K, R, S]}
- name: Inputs
  projection: [N, C, [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]
- {name: Outputs, projection: [N, K, Q, P], read_write: true}
)"},
    {"gemm_ABZ", R"(
name: gemm_ABZ
dimensions: [M, N, K]
data_spaces:
- {name: A, projection: [M, K]}
- {name: B, projection: [N, K]}
- {name: Z, projection: [M, N], read_write: true}
)"},
}};

}  // namespace

std::optional<Node> KnownShape(std::string_view name) {
  std::string wanted = Normalise(name);
  if (wanted.ends_with(".yaml")) wanted.resize(wanted.size() - 5);
  for (const Shape& shape : kShapes) {
    if (shape.name != wanted) continue;
    auto documents = ParseYaml({"built-in shape " + wanted, std::string(shape.yaml)});
    INLAY_CHECK(documents.has_value() && documents->size() == 1);
    return std::move(documents->front());
  }
  return std::nullopt;
}

std::vector<std::string> KnownShapeNames() {
  std::vector<std::string> names;
  names.reserve(kShapes.size());
  for (const Shape& shape : kShapes) names.emplace_back(shape.name);
  return names;
}

}  // namespace inlay::io::timeloop
