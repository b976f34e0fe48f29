#include "inlay/io/timeloop/attributes.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

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

// The names in a text: those that an expression asks for.
void CollectNames(std::string_view text, std::set<std::string, std::less<>>* names) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && (IsNameStart(text[at]) || (at > begin && IsDigit(text[at])))) ++at;
    if (at > begin) names->emplace(text.substr(begin, at - begin));
    if (at == begin) ++at;
  }
}

// The names in all values at and below a node.
void CollectNames(const Node& node, std::set<std::string, std::less<>>* names) {
  if (node.IsScalar()) CollectNames(node.text, names);
  for (const Node& item : node.items) CollectNames(item, names);
  for (const auto& [key, value] : node.entries) CollectNames(value, names);
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
  if (component_.definition != nullptr) return CheckAgainstClass();
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

const Node* Attributes::AttributesOfClass() const {
  const Node* attributes = component_.definition->Find("attributes");
  return attributes != nullptr && attributes->IsMapping() ? attributes : nullptr;
}

void Attributes::CheckAgainstClass() {
  constexpr std::string_view kAskedFor = "must_specify";
  const std::string& name_of_class = component_.definition->Find("name")->text;
  std::vector<std::string> known = own_.known();
  std::set<std::string, std::less<>> used;  // by expressions, of the class and of the component
  CollectNames(*component_.definition, &used);
  if (component_.attributes != nullptr) CollectNames(*component_.attributes, &used);
  std::vector<const Node*> asked_for;
  if (const Node* attributes = AttributesOfClass()) {
    for (const auto& [key, value] : attributes->entries) {
      known.push_back(Normalise(key.text));
      used.insert(known.back());
      if (value.IsScalar() && value.text == kAskedFor) asked_for.push_back(&key);
    }
  }
  std::vector<std::string> strange;
  for (const auto& [name, value] : own_.Rest()) {
    const std::string key = Normalise(name->text);
    if (used_.contains(value) || used.contains(key)) continue;
    const auto near = Suggest(key, known);
    strange.push_back(name->text);
    report_->Warn(*name,
                  fmt::format("attribute '{}' of '{}' is not used", name->text, component_.name),
                  near ? fmt::format("did you mean '{}'?", *near)
                       : fmt::format("class '{}' has no such attribute", name_of_class));
  }
  for (const Node* key : asked_for) {
    const Node* given = component_.scope.Find(Normalise(key->text));
    if (given != nullptr && !given->IsNull() && given->text != kAskedFor) continue;
    const auto near = Suggest(key->text, strange);
    report_->Error(*component_.node,
                   fmt::format("'{}' has no '{}', which its class '{}' asks for", component_.name,
                               key->text, name_of_class),
                   near ? fmt::format("did you mean it by '{}'?", *near)
                        : "give it in the attributes of the component or of what is around it, or "
                          "in 'variables'");
  }
}

}  // namespace inlay::io::timeloop
