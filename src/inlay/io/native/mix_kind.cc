#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "inlay/core/mix.h"
#include "inlay/io/native/accelerator.h"
#include "inlay/io/native/keys.h"
#include "inlay/io/native/quantity.h"

namespace inlay::io {
namespace {

const Type kTime = QuantityType(kTimeUnits, "a time such as '3 ms'");
constinit const Type kTimes = {.form = Form::kList, .what = "a list of times", .element = &kTime};
constexpr std::array kTraceKeys = {
    Key{"trace", "when each batch comes, the earliest first", &kTimes, true}};
constinit const Type kTrace = {
    .form = Form::kObject, .what = "a trace of arrivals", .keys = kTraceKeys};
constinit const Type kOptionTexts = {.form = Form::kMap,
                                     .what = "options of 'inlay batch', such as 'deadlock: spill'",
                                     .element = &kFreeText};

const Type& MixType() {
  static const std::array<const Type*, 2> arrival_options = {&TypeOf<Arrivals>(), &kTrace};
  static const Type arrivals = {
      .form = Form::kEither,
      .what = "arrivals such as '{poisson: 200 /s, count: 20}' or '{trace: [0 ms, 3 ms]}'",
      .options = arrival_options};
  static const Type workloads = {.form = Form::kList,
                                 .what = "a list of workloads",
                                 .element = &TypeOf<MixWorkload>({{"arrivals", &arrivals}})};
  return TypeOf<Mix>({{"accelerator", &AcceleratorOrNameType()},
                      {"workloads", &workloads},
                      {"options", &kOptionTexts}});
}

// How many images a graph takes at once: what its inputs, if they are images, and its outputs all
// begin with; else 1.
int64_t ImagesOf(const Graph& graph) {
  std::set<int64_t> first;
  for (const Value& value : graph.values) {
    if (value.role != ValueRole::kInput) continue;
    if (value.shape.size() != 4) return 1;
    first.insert(value.shape[0]);
  }
  for (const ValueId output : graph.outputs) {
    const Shape& shape = graph.values[output].shape;
    first.insert(shape.empty() ? 1 : shape[0]);
  }
  return first.size() == 1 ? *first.begin() : 1;
}

class MixReader {
 public:
  MixReader(const Node& root, Reading* reading) : root_(root), places_(root), reading_(reading) {}

  void Read() {
    mix_.name = "mix";
    ReadKeys(root_, {}, &mix_, &reading_->diagnostics);
    if (const Node* node = root_.Find("accelerator")) {
      places_.Set("accelerator", *node);
      auto accelerator = BuildAccelerator(*node, "accelerator.", &places_, reading_);
      if (accelerator) mix_.accelerator = *std::move(accelerator);
    }
    if (const Node* list = root_.Find("workloads"); list != nullptr && list->IsSequence()) {
      places_.Set("workloads", *list);
      if (list->items.empty()) {
        reading_->Add(list->Error("a mix needs a workload at least",
                                  "write 'workloads: [{network: resnet50, batch: 4}]'"));
      }
      for (const Node& item : list->items) AddWorkload(item);
    }
    if (const Node* options = root_.Find("options"); options != nullptr && options->IsMapping()) {
      for (const auto& [key, value] : options->entries) {
        mix_.options.push_back({key.text, value.text, value.Place()});
      }
    }
    if (!reading_->KindIsClean()) return;
    places_.Report(Validate(mix_), &reading_->diagnostics);
    reading_->inputs.mix = std::move(mix_);
  }

 private:
  void AddWorkload(const Node& node) {
    if (!node.IsMapping()) return;
    const std::string where = fmt::format("workloads[{}]", mix_.workloads.size());
    places_.Set(where, node);
    places_.SetEntries(where + ".", node);
    MixWorkload workload;
    ReadKeys(node, {}, &workload, &reading_->diagnostics);
    if (const Node* network = node.Find("network"); network != nullptr && network->IsScalar()) {
      workload.graph = FindGraph(*network);
    }
    if (const Node* arrivals = node.Find("arrivals"); arrivals != nullptr) {
      workload.arrivals = ReadArrivals(*arrivals);
    }
    mix_.workloads.push_back(std::move(workload));
  }

  // Null where there is none, which has been said.
  std::shared_ptr<const Graph> FindGraph(const Node& name) {
    auto& known = graphs_[name.text];
    if (known) return known;
    const std::optional<Graph>& own = reading_->inputs.graph;
    if (own && own->name == name.text) {
      known = std::make_shared<const Graph>(*own);
      WarnOfImages(name, *known);
      return known;
    }
    if (!reading_->context->find_graph) {
      reading_->Add(name.Error(fmt::format("there is no network '{}'", name.text)));
      return nullptr;
    }
    auto found = reading_->context->find_graph(name.text, name);
    if (!found) {
      Append(std::move(found.error()), &reading_->diagnostics);
      return nullptr;
    }
    Append(std::move(found->warnings), &reading_->inputs.warnings);
    known = std::move(found->value);
    WarnOfImages(name, *known);
    return known;
  }

  void WarnOfImages(const Node& name, const Graph& graph) {
    const int64_t images = ImagesOf(graph);
    if (images == 1) return;
    reading_->inputs.warnings.push_back(name.Warning(
        fmt::format("one inference of '{}' is of {} images: its inputs and outputs begin with that",
                    name.text, images),
        fmt::format("'batch: N' stands for {} N images here; for batches of images, give the model "
                    "with a first dimension of 1",
                    images)));
  }

  Arrivals ReadArrivals(const Node& node) {
    Arrivals arrivals;
    if (const Node* trace = node.Find("trace"); trace != nullptr && trace->IsSequence()) {
      arrivals.kind = Arrivals::Kind::kTrace;
      ReadTrace(*trace, &arrivals.seconds);
      return arrivals;
    }
    arrivals.kind = Arrivals::Kind::kPoisson;
    ReadKeys(node, {}, &arrivals, &reading_->diagnostics);
    return arrivals;
  }

  void ReadTrace(const Node& trace, std::vector<double>* seconds) {
    if (trace.items.empty()) {
      reading_->Add(trace.Error("a trace needs one time at least", "write 'trace: [0 ms]'"));
    }
    double last = 0;
    for (const Node& item : trace.items) {
      const auto time = item.IsScalar() ? ParseValue(item.text, kTimeUnits) : TextFail(0, "");
      if (!time) continue;  // said already
      if (*time < last) {
        reading_->Add(item.Error(fmt::format("'{}' is before the time in front of it", item.text),
                                 "write the times in the order in which batches come"));
        return;
      }
      last = *time;
      seconds->push_back(*time);
    }
  }

  const Node& root_;
  Places places_;
  Reading* reading_;
  Mix mix_;
  std::map<std::string, std::shared_ptr<const Graph>> graphs_;
};

void ReadMix(const Node& node, Reading* reading) {
  if (node.IsMapping()) MixReader(node, reading).Read();
}

}  // namespace

Kind MixKind() { return {"mix", "several networks on one accelerator", &MixType(), ReadMix}; }

}  // namespace inlay::io
