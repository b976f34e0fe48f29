#include <algorithm>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/op_work.h"
#include "inlay/io/onnx/operator_rule.h"
#include "inlay/io/onnx/window.h"

namespace inlay::io::onnx {
namespace {

constexpr int64_t kMostWindow = int64_t{1} << 31;

// Entries for every spatial dimension, `otherwise` where the attribute is absent; nullopt where
// their number or one of them is impossible.
std::optional<std::vector<int64_t>> PerDimension(const Call& call, const char* attribute,
                                                 size_t count, int64_t otherwise) {
  std::vector<int64_t> entries = call.Integers(attribute);
  if (entries.empty()) entries.assign(count, otherwise);
  const bool possible = std::all_of(entries.begin(), entries.end(), [&](int64_t entry) {
    return entry >= otherwise && entry < kMostWindow;
  });
  if (entries.size() != count || !possible) return std::nullopt;
  return entries;
}

// Padding so that an output has in / stride words, rounded up.
void PadToSame(const std::vector<int64_t>& in, bool more_before, WindowAttributes* window) {
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t out = CeilDiv(in[i], window->stride[i]);
    const int64_t reach = (window->kernel[i] - 1) * window->dilation[i] + 1;
    const int64_t total = std::max<int64_t>(0, (out - 1) * window->stride[i] + reach - in[i]);
    window->before[i] = more_before ? total - total / 2 : total / 2;
    window->after[i] = total - window->before[i];
  }
}

void Pool(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  const std::vector<int64_t> kernel = call->Integers("kernel_shape");
  const auto window = WindowOf(*call, *x, kernel);
  if (!window) return call->Fail(window.error());
  Shape output(x->begin(), x->begin() + 2);
  const bool ceil = call->Integer("ceil_mode", 0) != 0;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t padded = (*x)[i + 2] + window->before[i] + window->after[i];
    const int64_t reach = (window->kernel[i] - 1) * window->dilation[i] + 1;
    if (reach > padded) return call->Fail("the kernel is larger than the input with its padding");
    const int64_t stride = window->stride[i];
    int64_t extent = (padded - reach) / stride + 1;
    // Rounded up, unless the last window would begin behind the input and its first padding.
    if (ceil && (padded - reach) % stride != 0 &&
        extent * stride < (*x)[i + 2] + window->before[i]) {
      ++extent;
    }
    output.push_back(extent);
  }
  for (size_t i = 0; i < call->output_count(); ++i) call->SetShape(i, output);
}

void GlobalPool(Call* call) {
  const Shape* x = call->ShapeAt(0);
  if (x == nullptr) return;
  if (x->size() < 2) return call->Fail("a pooling needs an input [N, C, ...]");
  Shape output = *x;
  std::fill(output.begin() + 2, output.end(), 1);
  call->SetShape(0, std::move(output));
}

// One output of an operator that core knows the meaning of.
void SetDerived(Call* call, Op op, const OpAttributes& attributes,
                const std::vector<Shape>& inputs) {
  const auto output = OutputShape(op, attributes, inputs);
  if (!output) return call->Fail(output.error().message);
  if (*output) call->SetShape(0, **output);
}

template <size_t kWeights>
void Conv(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const Shape* w = call->ShapeAt(kWeights);
  if (x == nullptr || w == nullptr) return;
  const auto attributes = ConvAttributes(*call, *x, *w);
  if (!attributes) return call->Fail(attributes.error());
  SetDerived(call, Op::kConv, *attributes, {*x, *w});
}

void ConvTranspose(Call* call) {
  const Shape* x = call->ShapeAt(0);
  const Shape* w = call->ShapeAt(1);
  if (x == nullptr || w == nullptr) return;
  if (const std::vector<int64_t> given = call->Integers("output_shape"); !given.empty()) {
    const int64_t groups = call->Integer("group", 1);
    if (w->size() < 2 || x->empty() || given.size() + 2 != x->size()) {
      return call->Fail("output_shape has the wrong number of entries");
    }
    Shape output = {x->front(), CheckedMultiply((*w)[1], groups).value_or(-1)};
    output.insert(output.end(), given.begin(), given.end());
    return call->SetShape(0, std::move(output));
  }
  const auto attributes = ConvAttributes(*call, *x, *w);
  if (!attributes) return call->Fail(attributes.error());
  const auto derived = OutputShape(Op::kConvTranspose, *attributes, {*x, *w});
  if (!derived) return call->Fail(derived.error().message);
  Shape output = **derived;
  const std::string auto_pad = call->Text("auto_pad");
  const auto more = PerDimension(*call, "output_padding", x->size() - 2, 0);
  if (!more) return call->Fail("output_padding must have an entry from 0 per spatial dimension");
  for (size_t i = 0; i < more->size(); ++i) {
    if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
      output[i + 2] = (*x)[i + 2] * (attributes->stride.empty() ? 1 : attributes->stride[i]);
    } else {
      output[i + 2] += (*more)[i];
    }
  }
  call->SetShape(0, std::move(output));
}

}  // namespace

tl::expected<WindowAttributes, std::string> WindowOf(const Call& call, const Shape& x,
                                                     const std::vector<int64_t>& kernel) {
  const size_t spatial = kernel.size();
  const auto wrong = [](const char* message) { return tl::unexpected<std::string>(message); };
  if (spatial == 0 || x.size() != spatial + 2) return wrong("kernel and input have other ranks");
  const auto possible = [](int64_t extent) { return extent >= 1 && extent < kMostWindow; };
  if (!std::all_of(kernel.begin(), kernel.end(), possible) ||
      !std::all_of(x.begin() + 2, x.end(), possible)) {
    return wrong("a spatial extent is 0 or too large");
  }
  const auto stride = PerDimension(call, "strides", spatial, 1);
  const auto dilation = PerDimension(call, "dilations", spatial, 1);
  const auto pads = PerDimension(call, "pads", 2 * spatial, 0);
  if (!stride || !dilation)
    return wrong("strides and dilations need an entry from 1 per dimension");
  if (!pads) return wrong("pads need two entries from 0 per dimension");
  const auto middle = pads->begin() + static_cast<std::ptrdiff_t>(spatial);
  WindowAttributes window{
      kernel, *stride, *dilation, {pads->begin(), middle}, {middle, pads->end()}};
  for (size_t i = 0; i < spatial; ++i) {
    if (Int128{kernel[i] - 1} * (*dilation)[i] >= kMostWindow)
      return wrong("the kernel is too large");
  }
  const std::string auto_pad = call.Text("auto_pad");
  if (auto_pad == "VALID" || auto_pad.starts_with("SAME_")) {
    window.before.assign(spatial, 0);
    window.after.assign(spatial, 0);
  }
  if (auto_pad.starts_with("SAME_")) {
    PadToSame({x.begin() + 2, x.end()}, auto_pad == "SAME_LOWER", &window);
  }
  return window;
}

tl::expected<OpAttributes, std::string> ConvAttributes(const Call& call, const Shape& x,
                                                       const Shape& w) {
  if (w.size() < 3) return tl::unexpected<std::string>("weights need spatial dimensions");
  const auto window = WindowOf(call, x, {w.begin() + 2, w.end()});
  if (!window) return tl::unexpected(window.error());
  OpAttributes attributes;
  attributes.stride = window->stride;
  attributes.dilation = window->dilation;
  attributes.groups = call.Integer("group", 1);
  if (call.type() != "ConvTranspose" || !call.Text("auto_pad").starts_with("SAME_")) {
    attributes.pads_before = window->before;
    attributes.pads_after = window->after;
  }
  auto canonical = Canonical(std::move(attributes), x.size() - 2);
  if (!canonical) return tl::unexpected(canonical.error().message);
  return *std::move(canonical);
}

std::vector<OpRule> WindowRules() {
  return {{"Conv", Op::kConv, Conv<1>},
          {"FusedConv", Op::kConv, Conv<1>},
          {"ConvInteger", Op::kConv, Conv<1>, {0b11}},
          {"QLinearConv", Op::kConv, Conv<3>, {0b100001001}},
          {"ConvTranspose", Op::kConvTranspose, ConvTranspose},
          {"MaxPool", Op::kPool, Pool},
          {"AveragePool", Op::kPool, Pool},
          {"LpPool", Op::kPool, Pool},
          {"GlobalAveragePool", Op::kPool, GlobalPool},
          {"GlobalMaxPool", Op::kPool, GlobalPool},
          {"GlobalLpPool", Op::kPool, GlobalPool}};
}

}  // namespace inlay::io::onnx
