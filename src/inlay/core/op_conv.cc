#include "inlay/core/op_conv.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/shapes.h"

namespace inlay {
namespace {

constexpr int64_t kMostWindow = int64_t{1} << 31;  // strides, dilations and pads stay below

// A convolution with every attribute written out.
struct Window {
  int64_t batch = 1, groups = 1, channels = 1, filters = 1;  // both per group
  std::vector<int64_t> in, kernel, stride, dilation, pads;   // pads: before and after together
};

int64_t EntryOf(const std::vector<int64_t>& entries, size_t i, int64_t otherwise) {
  return entries.empty() ? otherwise : entries[i];
}

// `filters_at` is where the weights have the filters of a group: [K, C, …] or, transposed, [C, K].
tl::expected<Window, Fault> WindowOf(const OpAttributes& attributes,
                                     const std::vector<Shape>& inputs, bool transposed) {
  if (inputs.size() < 2) return FailWhole("a convolution needs an input and weights");
  const Shape& x = inputs[0];
  const Shape& w = inputs[1];
  if (x.size() < 3 || x.size() > 5 || w.size() != x.size()) {
    return FailWhole(fmt::format("a convolution of {} with weights {}", ToString(x), ToString(w)),
                     "expected [N, C, H, W] and [K, C, R, S], with one, two or three spatial "
                     "dimensions");
  }
  for (const Shape* shape : {&x, &w}) {
    if (std::find(shape->begin(), shape->end(), 0) != shape->end()) {
      return FailWhole(fmt::format("a convolution with an empty tensor {}", ToString(*shape)));
    }
  }
  Window window;
  window.batch = x[0];
  window.groups = attributes.groups;
  const int64_t g = attributes.groups;
  const int64_t in_channels = transposed ? w[0] : CheckedMultiply(w[1], g).value_or(-1);
  if (in_channels != x[1]) {
    return FailWhole(fmt::format("the input has {} channels, the weights {} are for {}", x[1],
                                 ToString(w), in_channels));
  }
  if (g > w[0] || w[0] % g != 0) {
    return FailWhole(fmt::format("{} groups do not divide the {} channels", g, w[0]));
  }
  window.channels = transposed ? w[0] / g : w[1];
  window.filters = transposed ? w[1] : w[0] / g;
  for (size_t i = 0; i + 2 < x.size(); ++i) {
    window.in.push_back(x[i + 2]);
    window.kernel.push_back(w[i + 2]);
    window.stride.push_back(EntryOf(attributes.stride, i, 1));
    window.dilation.push_back(EntryOf(attributes.dilation, i, 1));
    window.pads.push_back(EntryOf(attributes.pads_before, i, 0) +
                          EntryOf(attributes.pads_after, i, 0));
    if (x[i + 2] >= kMostWindow || w[i + 2] >= kMostWindow) {
      return FailWhole(fmt::format("a spatial extent of {} is too large", ToString(x)));
    }
  }
  return window;
}

// Iterations along the spatial dimensions of input and kernel, missing ones 1. In front stand the
// missing ones, so that one dimension is Q and S.
struct Spatial {
  std::vector<int64_t> out, kernel, stride, dilation;
};

void AddDepth(const Spatial& spatial, Problem* problem) {
  const DimId o(problem->dims.size()), t(problem->dims.size() + 1);
  problem->dims.push_back({"O", spatial.out[0]});
  problem->dims.push_back({"T", spatial.kernel[0]});
  for (Tensor& tensor : problem->tensors) {
    Rank rank;
    if (tensor.name == "Weights") rank.terms = {{t, 1}};
    if (tensor.name == "Inputs") rank.terms = {{o, spatial.stride[0]}, {t, spatial.dilation[0]}};
    if (tensor.name == "Outputs") rank.terms = {{o, 1}};
    tensor.ranks.insert(tensor.ranks.end() - 2, std::move(rank));
  }
}

OpWork MakeWork(const Window& window, int64_t filters, Spatial spatial) {
  for (auto* entries : {&spatial.out, &spatial.kernel, &spatial.stride, &spatial.dilation}) {
    while (entries->size() < 2) entries->insert(entries->begin(), 1);
  }
  const size_t h = spatial.out.size() - 2, w = h + 1;
  const ConvShape shape = {window.batch,      window.groups,       filters,
                           window.channels,   spatial.out[h],      spatial.out[w],
                           spatial.kernel[h], spatial.kernel[w],   spatial.stride[h],
                           spatial.stride[w], spatial.dilation[h], spatial.dilation[w]};
  OpWork work;
  const bool depthwise = window.groups > 1 && filters == 1 && window.channels == 1;
  work.kind = depthwise ? "depthwise" : "conv";
  work.problem = MakeConv("", shape);
  if (h > 0) AddDepth(spatial, &work.problem);
  work.input = 0;
  work.weight = 1;
  work.writes_output = true;
  return work;
}

}  // namespace

tl::expected<OpAttributes, Fault> Canonical(OpAttributes attributes, size_t spatial) {
  struct Part {
    const char* name;
    std::vector<int64_t>* entries;
    int64_t least;  // and what it is where nothing is said
  };
  const Part parts[] = {{"stride", &attributes.stride, 1},
                        {"dilation", &attributes.dilation, 1},
                        {"pads", &attributes.pads_before, 0},
                        {"pads", &attributes.pads_after, 0}};
  for (const auto& [name, entries, least] : parts) {
    if (entries->size() == 1) entries->assign(spatial, entries->front());
    if (!entries->empty() && entries->size() != spatial) {
      return FailWhole(fmt::format("{} has {} entries for {} spatial dimensions", name,
                                   entries->size(), spatial));
    }
    for (const int64_t entry : *entries) {
      if (entry >= least && entry < kMostWindow) continue;
      return FailWhole(
          fmt::format("{} must be from {} to {}, found {}", name, least, kMostWindow - 1, entry));
    }
    const auto is_least = [least = least](int64_t entry) { return entry == least; };
    if (std::all_of(entries->begin(), entries->end(), is_least)) entries->clear();
  }
  if (attributes.groups < 1) return FailWhole("groups must be at least 1");
  return attributes;
}

tl::expected<Shape, Fault> ConvOutput(const OpAttributes& attributes,
                                      const std::vector<Shape>& inputs) {
  const auto window = WindowOf(attributes, inputs, false);
  if (!window) return tl::unexpected(window.error());
  Shape output = {window->batch, inputs[1][0]};
  for (size_t i = 0; i < window->in.size(); ++i) {
    const int64_t padded = window->in[i] + window->pads[i];
    const Int128 reach = Int128{window->dilation[i]} * (window->kernel[i] - 1) + 1;
    if (reach > padded) {
      return FailWhole(fmt::format("the kernel {} is larger than the input {} with its padding",
                                   ToString(inputs[1]), ToString(inputs[0])));
    }
    output.push_back((padded - static_cast<int64_t>(reach)) / window->stride[i] + 1);
  }
  return output;
}

tl::expected<Shape, Fault> ConvTransposeOutput(const OpAttributes& attributes,
                                               const std::vector<Shape>& inputs) {
  const auto window = WindowOf(attributes, inputs, true);
  if (!window) return tl::unexpected(window.error());
  Shape output = {window->batch, window->filters * window->groups};
  for (size_t i = 0; i < window->in.size(); ++i) {
    const Int128 extent = Int128{window->in[i] - 1} * window->stride[i] - window->pads[i] +
                          Int128{window->dilation[i]} * (window->kernel[i] - 1) + 1;
    if (extent < 1 || extent >= kMostWindow) {
      return FailWhole(fmt::format("a transposed convolution of {} with weights {} has no output",
                                   ToString(inputs[0]), ToString(inputs[1])),
                       "its padding takes more than there is");
    }
    output.push_back(static_cast<int64_t>(extent));
  }
  return output;
}

tl::expected<OpWork, Fault> ConvWork(const OpAttributes& attributes,
                                     const std::vector<Shape>& inputs, const Shape& output) {
  const auto window = WindowOf(attributes, inputs, false);
  if (!window) return tl::unexpected(window.error());
  const Shape out(output.begin() + 2, output.end());
  return MakeWork(*window, window->filters,
                  {out, window->kernel, window->stride, window->dilation});
}

// Every word of the input meets every weight once. Where strides divide the kernel and the output
// is no larger than the input stretched, the outputs between two strides are like further filters
// of a plain convolution whose kernel is as many times smaller. Elsewhere the products are written
// one by one, [K × kernel] words for every word of the input, to be added afterwards: so many
// multiplications there are, but more words of output than the node has.
tl::expected<OpWork, Fault> ConvTransposeWork(const OpAttributes& attributes,
                                              const std::vector<Shape>& inputs,
                                              const Shape& output) {
  const auto window = WindowOf(attributes, inputs, true);
  if (!window) return tl::unexpected(window.error());
  if (output.size() != inputs[0].size()) {
    return FailWhole(fmt::format("a transposed convolution of {} gives {}", ToString(inputs[0]),
                                 ToString(output)));
  }
  const size_t spatial = window->in.size();
  bool phases = true;
  Int128 phase_filters = window->filters, product_filters = window->filters;
  Spatial by_phase, by_product;
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t stride = window->stride[i], kernel = window->kernel[i];
    const int64_t steps = CeilDiv(output[i + 2], stride);
    phases = phases && kernel % stride == 0 && window->dilation[i] == 1 && steps <= window->in[i];
    phase_filters *= stride;
    product_filters *= kernel;
    by_phase.out.push_back(steps);
    by_phase.kernel.push_back(std::max<int64_t>(1, kernel / stride));
    by_product.out.push_back(window->in[i]);
    if (product_filters > std::numeric_limits<int64_t>::max()) {
      return FailWhole("the weights have more words than 64 bits can count");
    }
  }
  by_product.kernel.assign(spatial, 1);
  for (Spatial* form : {&by_phase, &by_product}) {
    form->stride.assign(spatial, 1);
    form->dilation.assign(spatial, 1);
  }
  if (phases) return MakeWork(*window, static_cast<int64_t>(phase_filters), by_phase);
  return MakeWork(*window, static_cast<int64_t>(product_filters), by_product);
}

}  // namespace inlay
