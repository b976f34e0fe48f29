#include "inlay/io/timeloop/attributes.h"

#include <fmt/format.h>

#include "inlay/base/suggest.h"

namespace inlay::io::timeloop {
namespace {

// A class of Accelergy's own, as opposed to a compound that users define ("smartbuffer_RF").
bool IsPrimitiveClass(std::string_view class_name) {
  for (const std::string_view name :
       {"", "DRAM", "SRAM", "regfile", "storage", "mac", "intmac", "fpmac", "compute"}) {
    if (class_name == name) return true;
  }
  return false;
}

}  // namespace

Attributes::Attributes(const Component& component, Report* report)
    : component_(component),
      report_(report),
      own_(component.attributes == nullptr ? empty_ : *component.attributes,
           fmt::format("the attributes of '{}'", component.name), report) {
  own_.Ignore({"name", "class", "attributes", "instances", "meshX", "meshY"});
}

const Node* Attributes::Take(std::initializer_list<std::string_view> synonyms) {
  if (const Node* own = own_.Take(synonyms)) return own;
  for (auto mapping = component_.inherited.rbegin(); mapping != component_.inherited.rend();
       ++mapping) {
    for (const auto& [key, value] : (*mapping)->entries) {
      for (const std::string_view synonym : synonyms) {
        if (Normalise(key.text) == synonym && !value.IsNull()) return &value;
      }
    }
  }
  return nullptr;
}

std::optional<int64_t> Attributes::TakeInt(std::initializer_list<std::string_view> synonyms) {
  const Node* node = Take(synonyms);
  if (node == nullptr) return std::nullopt;
  return report_->Take(EvaluateInt(*node, *synonyms.begin(), component_.scope, &used_));
}

std::optional<double> Attributes::TakeNumber(std::initializer_list<std::string_view> synonyms) {
  const Node* node = Take(synonyms);
  if (node == nullptr) return std::nullopt;
  return report_->Take(EvaluateNumber(*node, *synonyms.begin(), component_.scope, &used_));
}

void Attributes::WarnIfSet(std::string_view key, double neutral) {
  const Node* node = own_.Take(key);
  if (node == nullptr || (node->IsMapping() && node->entries.empty())) return;
  if (node->IsScalar()) {
    if (const auto truth = AsBool(*node, key); truth && *truth == (neutral != 0)) return;
    const auto value = EvaluateNumber(*node, key, component_.scope, &used_);
    if (value && *value == neutral) return;
  }
  report_->Warn(*node, fmt::format("'{}' of '{}' is not modelled", key, component_.name));
}

void Attributes::RefuseRest() {
  if (component_.takes_any_attribute) return;
  const bool is_primitive = IsPrimitiveClass(component_.class_name);
  for (const auto& [name, value] : own_.Rest()) {
    if (used_.contains(value)) continue;
    const auto near = Suggest(Normalise(name->text), own_.known());
    const std::string message =
        fmt::format("'{}' has no attribute '{}'", component_.name, name->text);
    if (is_primitive) {
      report_->Error(*name, message, near ? fmt::format("did you mean '{}'?", *near) : "");
    } else {
      report_->Warn(*name,
                    fmt::format("attribute '{}' of '{}' is not used", name->text, component_.name),
                    fmt::format("{}give the file with the compound components if it is one of "
                                "theirs",
                                near ? fmt::format("did you mean '{}'? Else ", *near) : ""));
    }
  }
}

}  // namespace inlay::io::timeloop
