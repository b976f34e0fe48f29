#include "inlay/io/timeloop/components.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "inlay/base/checked_arithmetic.h"

namespace inlay::io::timeloop {
namespace {

template <size_t N>
bool ContainsOneOf(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

std::optional<int64_t> ParseCount(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// A positive attribute; nothing if it is absent or wrong.
std::optional<int64_t> ReadCount(const Component& component, std::string_view key, Report* report) {
  if (component.attributes == nullptr) return std::nullopt;
  for (const auto& [name, value] : component.attributes->entries) {
    if (Normalise(name.text) != key || value.IsNull()) continue;
    const auto count = report->Take(EvaluateInt(value, key, component.scope));
    if (count && *count < 1) {
      report->Error(value, fmt::format("{} must be at least 1, found {}", key, *count));
      return std::nullopt;
    }
    return count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<RangedName> ParseRangedName(std::string_view text) {
  RangedName result;
  const size_t open = text.find('[');
  result.name = text.substr(0, open);
  if (open == std::string_view::npos) return result;
  const std::string_view range = text.substr(open + 1);
  const size_t dots = range.find("..");
  if (result.name.empty() || dots == std::string_view::npos || !range.ends_with(']')) {
    return std::nullopt;
  }
  const auto first = ParseCount(range.substr(0, dots));
  const auto last = ParseCount(range.substr(dots + 2, range.size() - dots - 3));
  if (!first || !last || *last < *first || *last == INT64_MAX) return std::nullopt;
  result.count = *last - *first + 1;
  return result;
}

ClassKind ClassifyClass(std::string_view class_name) {
  constexpr std::array<std::string_view, 5> kStorage = {"DRAM", "SRAM", "regfile", "smartbuffer",
                                                        "storage"};
  constexpr std::array<std::string_view, 2> kCompute = {"mac", "compute"};
  constexpr std::array<std::string_view, 6> kNetworks = {
      "XY_NoC", "Legacy", "ReductionTree", "SimpleMulticast", "wire", "Wire"};
  if (ContainsOneOf(class_name, kStorage)) return ClassKind::kStorage;
  if (ContainsOneOf(class_name, kCompute)) return ClassKind::kCompute;
  if (ContainsOneOf(class_name, kNetworks)) return ClassKind::kNetwork;
  if (class_name.find("nothing") != std::string_view::npos) return ClassKind::kNothing;
  return ClassKind::kUnknown;
}

bool IsLoweredContainer(const Component& component) {
  return component.class_name == "dummy_storage" && component.name.starts_with("inter_") &&
         component.name.ends_with("_spatial");
}

void WarnOfSparse(const Node* sparse, Report* report) {
  if (sparse == nullptr || sparse->IsNull()) return;
  report->Warn(*sparse, "sparse optimisations are not modelled",
               "counts and energies are those of dense tensors");
}

void ReportUnknownClass(const Node& at, std::string_view class_name, Report* report) {
  report->Error(at, fmt::format("'{}' is no class that Timeloop knows", class_name),
                "the name of a storage class contains DRAM, SRAM, regfile, smartbuffer or storage, "
                "that of a compute class mac or compute");
}

void FindDefinition(const ComponentContext& context, Component* component) {
  for (const std::string* name : {&component->subclass_name, &component->class_name}) {
    const auto found = context.compound_classes.find(*name);
    if (found == context.compound_classes.end()) continue;
    component->definition = found->second;
    return;
  }
  component->takes_any_attribute = !component->subclass_name.empty();
}

void ResolveMesh(Component* component, std::optional<int64_t> implied, Report* report) {
  const size_t before = report->errors.size();
  const auto instances = ReadCount(*component, "instances", report);
  const auto x = ReadCount(*component, "meshX", report);
  const auto y = ReadCount(*component, "meshY", report);
  const auto total = instances ? instances : implied;
  const auto disagree = [&](std::string_view how) {
    report->Error(*component->node, fmt::format("the {} instances of '{}' do not agree with {}",
                                                *total, component->name, how));
  };
  if (x && y) {
    component->mesh_x = *x;
    component->mesh_y = *y;
    if (total && CheckedMultiply(*x, *y) != total) {
      disagree(fmt::format("meshX × meshY = {} × {}", *x, *y));
    }
  } else if (x || y) {
    const int64_t given = x ? *x : *y;
    if (total && *total % given != 0)
      disagree(fmt::format("{} = {}", x ? "meshX" : "meshY", given));
    const int64_t other = total ? std::max<int64_t>(*total / given, 1) : 1;
    component->mesh_x = x ? given : other;
    component->mesh_y = x ? other : given;
  } else if (total) {
    component->mesh_x = *total;
  } else if (report->errors.size() == before) {
    report->Error(*component->node,
                  fmt::format("'{}' does not say how many there are", component->name),
                  "give 'instances', or 'meshX' and 'meshY'");
  }
}

}  // namespace inlay::io::timeloop
