#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "inlay/core/fault.h"
#include "inlay/core/graph.h"
#include "inlay/core/operator.h"

namespace inlay {

// What the operators mean: from the shapes of a node's inputs to its output and to the problems
// that it solves. Faults name no place.

// Attributes of a convolution of `spatial` dimensions in one way of writing them: a single entry is
// for all dimensions, what is as good as not given is left out. A fault where the number of entries
// fits neither, or a value is out of range.
tl::expected<OpAttributes, Fault> Canonical(OpAttributes attributes, size_t spatial);

// The shape of the first output; nullopt where operator and inputs do not decide it.
tl::expected<std::optional<Shape>, Fault> OutputShape(Op op, const OpAttributes& attributes,
                                                      const std::vector<Shape>& inputs);

// The problems that a compute node solves; none for other nodes. Attributes are canonical, `output`
// is the shape of the first output. A sum of products of more than two inputs is done pair by pair,
// from the left. Operands are set by index into `inputs`, then `output`.
struct OpWork {
  std::string part, kind;
  Problem problem;
  int64_t repeat = 1;
  std::optional<size_t> input, weight;  // which inputs are "Inputs" and "Weights" of the problem
  bool writes_output = false;           // "Outputs" is the output of the node
};
tl::expected<std::vector<OpWork>, Fault> WorksOf(Op op, const OpAttributes& attributes,
                                                 const std::vector<Shape>& inputs,
                                                 const Shape& output);

// What a recurrent layer does besides its products: it adds them up, takes them through its gates
// and makes its state of them. One operation for each element of each of these functions, as if
// each were an elementwise node; words that all of them together read and write, with the products
// and the state before among them. Saturates.
struct GateWork {
  int64_t operations = 0;
  int64_t words = 0;
};
// Of a node that could be added to a graph; nullopt where it has no gates.
std::optional<GateWork> GatesOf(Op op, const OpAttributes& attributes,
                                const std::vector<Shape>& inputs);

// "[1, 64, 56, 56]"
std::string ToString(const Shape& shape);

// The shape that elements of all shapes are combined to, extents of 1 stretched; nullopt where they
// do not fit.
std::optional<Shape> Broadcast(const std::vector<Shape>& shapes);

}  // namespace inlay
