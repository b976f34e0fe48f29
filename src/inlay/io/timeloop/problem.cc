#include "inlay/io/timeloop/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/suggest.h"
#include "inlay/io/timeloop/known_shapes.h"

namespace inlay::io::timeloop {
namespace {

struct Coefficient {
  const Node* node = nullptr;
  std::optional<int64_t> value;
};

// Builds a Problem from the two halves of the section; remembers where everything was said.
class ProblemReader {
 public:
  ProblemReader(const Scope& scope, Report* report) : scope_(scope), report_(report) {}

  std::optional<Problem> Read(const Node& section, const Node* shape_beside) {
    const size_t before = report_->errors.size();
    Fields fields(section, "the problem", report_);
    fields.Ignore({"version"});
    if (const Node* name = fields.Take("name"); name != nullptr && name->IsScalar()) {
      problem_.name = name->text;
    }
    const Node* shape = fields.Take("shape");
    const bool has_no_own = shape == nullptr || shape->IsScalar();
    if (has_no_own && shape_beside != nullptr) shape = shape_beside;
    const Node* instance = fields.Take("instance");
    const Node* roles = fields.Take("roles");
    std::optional<Node> known;
    if (shape == nullptr || shape->IsScalar()) {
      const std::string name = shape == nullptr ? std::string(kDefaultShape) : shape->text;
      known = KnownShape(name);
      if (!known) {
        report_->Error(*shape, fmt::format("there is no built-in shape '{}'", name),
                       SuggestionHint(name, KnownShapeNames()));
        return std::nullopt;
      }
      shape = &*known;
    }
    if (!ReadDimensions(*shape)) return std::nullopt;
    if (instance != nullptr) {
      ReadInstance(Fields(*instance, "the instance", report_));
      fields.WarnOfRest();
    } else {
      ReadInstance(std::move(fields));
    }
    ReadTensors(*shape);
    if (roles != nullptr) ReadRoles(*roles);
    if (report_->errors.size() > before) return std::nullopt;
    Check(section);
    if (report_->errors.size() > before) return std::nullopt;
    return std::move(problem_);
  }

 private:
  // False if there are so many that looking at each of them would take too long.
  bool ReadDimensions(const Node& shape) {
    if (shape.IsSequence()) {
      const bool included = shape.SourceLine().find("include_all") != std::string_view::npos;
      report_->Error(
          shape,
          fmt::format("the shape must be a mapping, and is a list of {}", shape.items.size()),
          included ? "include_all() makes a list of what several files hold; include() takes one"
                   : "write 'dimensions: …' and 'data_spaces: …'");
      return false;
    }
    Fields fields(shape, "the shape", report_);
    fields.Ignore({"version"});
    const Node* name = fields.Take("name");
    if (name != nullptr && name->IsScalar()) problem_.name = name->text;
    if (problem_.name.empty()) problem_.name = "problem";
    data_spaces_ = fields.Take("data_spaces");
    if (const Node* flatten = fields.Take("flatten")) {
      report_->Error(*flatten, "flattened dimensions are not supported",
                     "write the dimensions out, without 'flatten'");
    }
    if (const Node* dimensions = fields.Take("dimensions")) {
      if (dimensions->items.size() > kMaxDims) {
        report_->Error(*dimensions, fmt::format("more than {} dimensions", kMaxDims));
        return false;
      }
      for (const std::string& dim : ReadNames(*dimensions, "the dimensions", report_)) {
        problem_.dims.push_back({dim, 0});
      }
    } else {
      report_->Error(shape, "the shape has no 'dimensions'");
    }
    if (const Node* coefficients = fields.Take("coefficients")) ReadCoefficients(*coefficients);
    fields.RefuseRest();
    return true;
  }

  void ReadCoefficients(const Node& list) {
    if (!list.IsSequence()) {
      report_->Error(list, "coefficients must be a list of {name: …, default: …}");
      return;
    }
    for (const Node& item : list.items) {
      Fields fields(item, "a coefficient", report_);
      const Node* name = fields.Take("name");
      const Node* value = fields.Take("default");
      fields.RefuseRest();
      if (name == nullptr || !name->IsScalar()) {
        report_->Error(item, "a coefficient has no name");
        continue;
      }
      Coefficient& coefficient = coefficients_[name->text];
      coefficient.node = &item;
      if (value == nullptr) continue;
      coefficient.value = report_->Take(EvaluateInt(*value, name->text, scope_));
    }
  }

  void ReadInstance(Fields fields) {
    const Node& instance = fields.node();
    place_ = &instance;
    for (DimId d : Ids(problem_.dims)) {
      Dimension& dim = problem_.dims[d];
      const Node* value = fields.Take(Normalise(dim.name));
      if (value == nullptr) {
        ReportNoSize(instance, dim.name);
        continue;
      }
      dim_places_[dim.name] = value;
      if (auto bound = report_->Take(EvaluateInt(*value, dim.name, scope_))) dim.bound = *bound;
    }
    for (auto& [name, coefficient] : coefficients_) {
      const Node* value = fields.Take(Normalise(name));
      if (value != nullptr) coefficient.value = report_->Take(EvaluateInt(*value, name, scope_));
    }
    const Node* densities = fields.Take({"densities", "commonDensity", "common_density"});
    if (densities != nullptr && !IsDense(*densities)) {
      report_->Warn(*densities, "sparsity is not modelled",
                    "counts and energies are those of dense tensors");
    }
    fields.Ignore({"name", "version"});
    fields.WarnOfRest();
  }

  void ReportNoSize(const Node& instance, const std::string& dim) {
    const auto is_it = [&](const auto& entry) {
      return Normalise(entry.first.text) == Normalise(dim);
    };
    const auto empty = std::find_if(instance.entries.begin(), instance.entries.end(), is_it);
    if (empty == instance.entries.end()) {
      report_->Error(instance, fmt::format("dimension '{}' has no size", dim),
                     fmt::format("add '{}: 1' to the instance", dim));
      return;
    }
    const Node& key = empty->first;
    const bool expanded = key.SourceLine().find("{{") != std::string_view::npos;
    report_->Error(key, fmt::format("the size of dimension '{}' is empty", dim),
                   expanded ? "what stands in the braces has an empty value; give it a number"
                            : fmt::format("write a number, such as '{}: 1'", dim));
  }

  // {A: Weights, Z: Outputs}: ours, not Timeloop's.
  void ReadRoles(const Node& roles) {
    if (!roles.IsMapping()) {
      report_->Error(roles, "roles must be a mapping from data spaces to what they are",
                     "such as {A: Weights, B: Inputs, Z: Outputs}");
      return;
    }
    bool turned = false;  // said of the first
    for (const auto& [name, role] : roles.entries) {
      const auto tensor = FindTensor(problem_, name.text);
      const auto text = report_->Take(AsString(role, "a role"));
      if (!tensor && text && FindTensor(problem_, *text)) {
        if (std::exchange(turned, true)) continue;
        report_->Error(name, fmt::format("'{}' is not a data space of the shape", name.text),
                       fmt::format("write the data space first: '{}: {}'", *text, name.text));
      } else if (!tensor) {
        report_->Error(name, fmt::format("'{}' is not a data space of the shape", name.text),
                       SuggestionHint(name.text, TensorNames(problem_)));
      } else if (text) {
        problem_.tensors[*tensor].role = *text;
      }
    }
  }

  // Whether all densities are 1.
  static bool IsDense(const Node& node) {
    if (node.IsScalar()) {
      const auto value = AsDouble(node, "the density");
      return value && *value == 1;
    }
    if (const Node* density = node.Find("density")) return IsDense(*density);
    return node.IsMapping() && std::all_of(node.entries.begin(), node.entries.end(),
                                           [](const auto& entry) { return IsDense(entry.second); });
  }

  void ReadTensors(const Node& shape) {
    if (data_spaces_ == nullptr || !data_spaces_->IsSequence()) {
      report_->Error(shape, "the shape has no list 'data_spaces'");
      return;
    }
    for (const Node& item : data_spaces_->items) {
      Fields fields(item, "a data space", report_);
      fields.Ignore({"ranks"});
      const Node* name = fields.Take("name");
      const Node* projection = fields.Take("projection");
      const Node* read_write = fields.Take("read_write");
      fields.RefuseRest();
      if (name == nullptr || !name->IsScalar() || projection == nullptr) {
        report_->Error(item, "a data space needs a 'name' and a 'projection'");
        continue;
      }
      Tensor tensor;
      tensor.name = name->text;
      tensor_places_[tensor.name] = name;
      tensor.ranks = ReadProjection(*projection);
      if (read_write != nullptr) {
        tensor.is_output = report_->Take(AsBool(*read_write, "read_write")).value_or(false);
      }
      problem_.tensors.push_back(std::move(tensor));
    }
  }

  std::vector<Rank> ReadProjection(const Node& projection) {
    std::vector<Rank> ranks;
    if (!projection.IsSequence()) {
      report_->Error(projection, "a projection must be a list with one entry per rank");
      return ranks;
    }
    for (const Node& item : projection.items) {
      Rank rank;
      if (item.IsSequence()) {
        for (const Node& term : item.items) AddTerm(term, &rank);
      } else {
        AddTerm(item, &rank);
      }
      ranks.push_back(std::move(rank));
    }
    return ranks;
  }

  // A term is "P", [P] or [P, Wstride].
  void AddTerm(const Node& node, Rank* rank) {
    const bool is_list = node.IsSequence();
    if (is_list && (node.items.empty() || node.items.size() > 2)) {
      report_->Error(node,
                     "a term of a projection must be [dimension] or [dimension, coefficient]");
      return;
    }
    const Node& dim_node = is_list ? node.items.front() : node;
    const auto name = report_->Take(AsString(dim_node, "a dimension of a projection"));
    if (!name) return;
    const auto dim = FindDim(problem_, *name);
    if (!dim) {
      report_->Error(
          dim_node, fmt::format("'{}' is not a dimension of the shape", *name),
          coefficients_.contains(*name)
              ? "a coefficient stands beside its dimension: [[R, Wdilation], [P, Wstride]]"
              : SuggestionHint(*name, DimNames(problem_)));
      return;
    }
    const int64_t coefficient =
        is_list && node.items.size() == 2 ? CoefficientOf(node.items[1]) : 1;
    rank->terms.push_back({*dim, coefficient});
  }

  int64_t CoefficientOf(const Node& node) {
    if (const auto literal = AsInt(node, "a coefficient")) return *literal;
    const auto name = report_->Take(AsString(node, "a coefficient"));
    if (!name) return 1;
    const auto found = coefficients_.find(*name);
    if (found == coefficients_.end()) {
      std::vector<std::string> names;
      for (const auto& [known, value] : coefficients_) names.push_back(known);
      report_->Error(node, fmt::format("'{}' is not a coefficient of the shape", *name),
                     SuggestionHint(*name, names));
      return 1;
    }
    if (!found->second.value) {
      report_->Error(*place_,
                     fmt::format("coefficient '{}' has neither a default nor a value", *name));
    }
    return found->second.value.value_or(1);
  }

  // What core finds wrong, at the place where it was said.
  void Check(const Node& section) {
    for (Fault& fault : Validate(problem_)) {
      const Node* at = &section;
      const size_t dot = fault.where.find('.');
      const std::string part = fault.where.substr(0, dot);
      const std::string name = dot == std::string::npos ? "" : fault.where.substr(dot + 1);
      if (part == "dims" && dim_places_.contains(name)) at = dim_places_[name];
      if (part == "tensors" && tensor_places_.contains(name)) at = tensor_places_[name];
      report_->Error(*at, std::move(fault.message), std::move(fault.hint));
    }
  }

  const Scope& scope_;
  Report* report_;
  Problem problem_;
  const Node* data_spaces_ = nullptr;
  const Node* place_ = nullptr;
  std::map<std::string, Coefficient> coefficients_;
  std::map<std::string, const Node*> dim_places_, tensor_places_;
};

}  // namespace

std::optional<Problem> ReadProblem(const Node& section, const Node* shape, const Scope& scope,
                                   Report* report) {
  return ProblemReader(scope, report).Read(section, shape);
}

}  // namespace inlay::io::timeloop
