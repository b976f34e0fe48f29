#include "mlir/planning.h"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/io/load.h"
#include "inlay/run/plan.h"
#include "inlay/scratchpad/unit_assignment.h"

namespace inlay::plugin {

struct Planner::State {
  Machine machine;
  run::PlanRequest request;
};

namespace {

PlanError PlanErrorOf(const std::exception& fault) {
  return {{}, {}, {}, fault.what(), "this is a fault of Inlay's; please report it"};
}

// As options of a pass are written: time-limit=60s.
std::string PassOption(std::string_view key, std::string_view value) {
  const std::string name = FlagOf(key).substr(2);
  return value.empty() ? name : name + "=" + std::string(value);
}

std::string SpellForPass(const std::string& sentence) {
  return Spell(sentence, {PassOption, kShellSpelling.list_of});
}

std::vector<PlanError> PlanErrorsOf(const Diagnostics& errors) {
  std::vector<PlanError> plan_errors;
  for (const Diagnostic& error : errors) {
    plan_errors.push_back(
        {error.location, {}, {}, SpellForPass(error.message), SpellForPass(error.hint)});
  }
  return plan_errors;
}

void Append(std::vector<PlanError> more, std::vector<PlanError>* all) {
  std::move(more.begin(), more.end(), std::back_inserter(*all));
}

// What the user wrote besides the machine.
run::PlanRequest ReadOptions(const PlanRequest& given, std::vector<PlanError>* plan_errors) {
  std::vector<Option> options = OptionsOf<run::PlanRequest>();
  for (Option& option : OptionsOf<run::CommonRequest>()) options.push_back(std::move(option));
  OptionValues values(std::move(options));
  const std::pair<const char*, const std::string*> texts[] = {{"strategy", &given.strategy},
                                                              {"objective", &given.objective},
                                                              {"bits", &given.bits},
                                                              {"time_limit", &given.time_limit}};
  for (const auto& [key, text] : texts) {
    if (text->empty()) continue;
    if (const auto set = values.Set(key, *text); !set) {
      Append(PlanErrorsOf(set.error()), plan_errors);
    }
  }
  return run::RequestFrom<run::PlanRequest>(values);
}

// The graph of a function: inputs, weights, then what the nodes write, with a view wherever a node
// sees a tensor in another way.
class GraphMaker {
 public:
  GraphMaker(const FunctionNetwork& function, std::optional<int> bits)
      : function_(function), bits_(bits), value_of_(function.tensors.size()) {
    graph_.name = function.name;
  }

  void Make() {
    for (const ValueRole role : {ValueRole::kInput, ValueRole::kWeight}) {
      for (size_t t = 0; t < function_.tensors.size(); ++t) {
        if (function_.tensors[t].role == role) AddGiven(t);
      }
    }
    for (size_t n = 0; n < function_.nodes.size(); ++n) AddNode(n);
    for (size_t t = 0; t < function_.tensors.size(); ++t) {
      if (function_.tensors[t].needed_after && value_of_[t])
        graph_.outputs.push_back(*value_of_[t]);
    }
  }

  const Graph& graph() const { return graph_; }
  const IndexedVector<ValueId, int>& value_bits() const { return value_bits_; }
  std::vector<PlanError>& plan_errors() { return plan_errors_; }

  // The node that a node of the graph stands for, and the value that holds a tensor.
  std::optional<size_t> NodeNamed(const std::string& name) const {
    for (size_t n = 0; n < function_.nodes.size(); ++n) {
      if (function_.nodes[n].name == name) return n;
    }
    return std::nullopt;
  }
  std::optional<size_t> TensorNamed(const std::string& name) const {
    for (size_t t = 0; t < function_.tensors.size(); ++t) {
      if (function_.tensors[t].name == name) return t;
    }
    return std::nullopt;
  }
  ValueId ValueOf(size_t tensor) const { return *value_of_[tensor]; }

 private:
  void AddBits(int bits) { value_bits_.push_back(bits_.value_or(bits)); }

  void AddGiven(size_t t) {
    const FunctionTensor& tensor = function_.tensors[t];
    value_of_[t] = ValueId(graph_.values.size());
    graph_.values.push_back({tensor.name, tensor.shape, tensor.role, {}});
    AddBits(tensor.bits);
  }

  ValueId Seen(const TensorUse& use) {
    INLAY_CHECK(value_of_[use.tensor].has_value());
    const ValueId value = *value_of_[use.tensor];
    const bool as_it_is =
        graph_.values[value].shape == use.shape && function_.tensors[use.tensor].bits == use.bits;
    if (as_it_is) return value;
    const auto [found, is_new] =
        views_.try_emplace({use.tensor, use.shape, use.bits}, graph_.values.size());
    if (!is_new) return found->second;
    const std::string name =
        graph_.values[value].name + " view " + std::to_string(graph_.values.size());
    const auto added = inlay::AddNode({name, Op::kView, {}, {value}, {{name, use.shape}}}, &graph_);
    INLAY_CHECK(added.has_value());
    AddBits(use.bits);
    return found->second;
  }

  void AddNode(size_t n) {
    const FunctionNode& node = function_.nodes[n];
    NodeSpec spec{node.name, node.op, node.attributes, {}, {}};
    for (const TensorUse& use : node.reads) {
      if (!value_of_[use.tensor]) return;  // its node has a plan_error already
      spec.inputs.push_back(Seen(use));
    }
    const size_t first = graph_.values.size();
    for (const TensorUse& use : node.writes) {
      spec.outputs.push_back({function_.tensors[use.tensor].name, use.shape});
    }
    if (const auto added = inlay::AddNode(std::move(spec), &graph_); !added) {
      plan_errors_.push_back({{}, n, {}, added.error().message, added.error().hint});
      return;
    }
    for (size_t i = 0; i < node.writes.size(); ++i) {
      value_of_[node.writes[i].tensor] = ValueId(first + i);
      AddBits(node.writes[i].bits);
    }
  }

  const FunctionNetwork& function_;
  std::optional<int> bits_;
  Graph graph_;
  IndexedVector<ValueId, int> value_bits_;
  std::vector<std::optional<ValueId>> value_of_;  // by tensor
  std::map<std::tuple<size_t, Shape, int>, ValueId> views_;
  std::vector<PlanError> plan_errors_;
};

std::vector<PlanError> PlanErrorsOf(const Faults& faults, const GraphMaker& maker) {
  const auto part = [](const std::string& where, std::string_view kind) {
    return where.rfind(kind, 0) == 0 ? where.substr(kind.size()) : std::string();
  };
  std::vector<PlanError> plan_errors;
  for (const Fault& fault : faults) {
    plan_errors.push_back({{},
                           maker.NodeNamed(part(fault.where, "nodes.")),
                           maker.TensorNamed(part(fault.where, "values.")),
                           SpellForPass(fault.message),
                           SpellForPass(fault.hint)});
  }
  return plan_errors;
}

// A unit that reaches no memory, for the nodes that run outside.
UnitId AddOutside(PlanProblem* problem) {
  std::string name = "outside";
  while (FindUnit(problem->machine, name)) name += "'";
  problem->machine.units.push_back({name, 1.0, std::nullopt});
  problem->workspace_pad = WorkspacePads(problem->machine);
  return UnitId(problem->machine.units.size() - 1);
}

// What a graph does not say of its nodes.
void AddWhatNodesDo(const FunctionNetwork& function, const GraphMaker& maker,
                    PlanProblem* problem) {
  std::optional<UnitId> outside;
  size_t n = 0;  // views, which take no step, are not among the function's nodes
  for (PlanNode& node : problem->nodes) {
    const FunctionNode& from = function.nodes[n++];
    INLAY_CHECK(node.name == from.name);
    if (from.outside) {
      if (!outside) outside = AddOutside(problem);
      node.unit = *outside;
    }
    const PlanTensor& written = problem->tensors[maker.ValueOf(from.writes.front().tensor)];
    for (const size_t t : from.updates) {
      const ValueId tensor = maker.ValueOf(t);
      const PlanTensor& updated = problem->tensors[tensor];
      std::vector<ValueId>& listed = node.in_place;
      const bool fits = updated.produced && updated.bytes == written.bytes;
      if (fits && std::find(listed.begin(), listed.end(), tensor) == listed.end()) {
        listed.push_back(tensor);
      }
    }
  }
}

FunctionPlan PlanOrThrow(const FunctionNetwork& function, const Machine& machine,
                         const run::PlanRequest& request, std::optional<int> bits) {
  GraphMaker maker(function, bits);
  maker.Make();
  if (!maker.plan_errors().empty()) return {std::move(maker.plan_errors()), {}};
  const std::optional<double>& seconds = request.common.time_limit;
  PlanSettings settings;
  settings.value_bits = maker.value_bits();
  settings.bits = *std::max_element(settings.value_bits.begin(), settings.value_bits.end());
  if (seconds) settings.table_seconds = *seconds * kTableShare;
  const StopFlag stop;
  const Deadline deadline(stop, seconds);
  auto problem = MakePlanProblem(maker.graph(), machine, settings, stop);
  if (!problem) return {PlanErrorsOf(problem.error(), maker), {}};
  AddWhatNodesDo(function, maker, &*problem);
  auto solved = run::Solve(*problem, request.options, deadline);
  if (!solved) {
    std::vector<PlanError> plan_errors = PlanErrorsOf(solved.error(), maker);
    if (plan_errors.empty()) {
      plan_errors.push_back({{}, {}, {}, run::kNoPlanInTime, "give a longer time-limit"});
    }
    return {std::move(plan_errors), {}};
  }
  FunctionPlan plan{{}, std::move(solved->result)};
  plan.result.plan.network = function.name;
  plan.result.plan.bits = settings.bits;
  return plan;
}

}  // namespace

Planner::Planner(const PlanRequest& request) noexcept {
  try {
    state_ = std::make_unique<State>();
    if (request.machine.empty()) {
      plan_errors_.push_back({{},
                              {},
                              {},
                              "there is no machine",
                              "give machine=MACHINE: a built-in ('inlay list machine' lists them) "
                              "or a file"});
    } else {
      io::LoadRecord record;
      auto machine = io::LoadMachine(request.machine, &record);
      if (!machine) Append(PlanErrorsOf(machine.error()), &plan_errors_);
      if (machine) state_->machine = *std::move(machine);
    }
    state_->request = ReadOptions(request, &plan_errors_);
    if (!request.bits.empty()) bits_ = BitsOfAll(state_->request.bits);
    if (state_->request.bits.size() != 1 || state_->request.bits.front().first != kAllValues) {
      plan_errors_.push_back({{},
                              {},
                              {},
                              "bits: a function has no groups of tensors",
                              "give one number, for every element"});
    }
    for (const Scratchpad& pad : state_->machine.pads) memories_.push_back(pad.name);
  } catch (const std::exception& fault) {
    plan_errors_.push_back(PlanErrorOf(fault));
  }
}

Planner::~Planner() = default;

FunctionPlan Planner::Plan(const FunctionNetwork& function) const noexcept {
  try {
    return PlanOrThrow(function, state_->machine, state_->request, bits_);
  } catch (const std::exception& fault) {
    return {{PlanErrorOf(fault)}, {}};
  }
}

}  // namespace inlay::plugin
