#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "inlay/core/mix.h"
#include "inlay/io/native/accelerator.h"
#include "inlay/io/native/machine_quantity.h"
#include "inlay/io/native/reading.h"

namespace inlay::io {
namespace {

constexpr int64_t kMostArrivals = 1'000'000;  // of a workload

constinit const Type kRequestRate = {.form = Form::kText,
                                     .what = "a rate such as '200 /s'",
                                     .check = CheckBy<ParsePerSecond>,
                                     .pattern = PerSecondPattern};
constinit const Type kTime = {.form = Form::kText,
                              .what = "a time such as '3 ms'",
                              .check = CheckBy<ParseSeconds>,
                              .pattern = SecondsPattern};
constinit const Type kTimes = {.form = Form::kList, .what = "a list of times", .element = &kTime};
constinit const Type kCount = {
    .form = Form::kInteger, .what = "a number of batches", .minimum = 1, .maximum = kMostArrivals};
constinit const Type kSeed = {
    .form = Form::kInteger, .what = "a whole number from 0", .minimum = 0};
constexpr std::array kPoissonKeys = {
    Key{"poisson", "batches come at random, so many on average", &kRequestRate, true},
    Key{"count", "how many batches come (default 10)", &kCount},
    Key{"seed", "where the random times start (default 1)", &kSeed}};
constinit const Type kPoisson = {
    .form = Form::kObject, .what = "random arrivals", .keys = kPoissonKeys};
constexpr std::array kTraceKeys = {
    Key{"trace", "when each batch comes, the earliest first", &kTimes, true}};
constinit const Type kTrace = {
    .form = Form::kObject, .what = "a trace of arrivals", .keys = kTraceKeys};
constexpr std::array<const Type*, 2> kArrivalOptions = {&kPoisson, &kTrace};
constinit const Type kArrivals = {
    .form = Form::kEither,
    .what = "arrivals such as '{poisson: 200 /s, count: 20}' or '{trace: [0 ms, 3 ms]}'",
    .options = kArrivalOptions};

constexpr std::array kWorkloadKeys = {
    Key{"network", "a built-in, or a file (ONNX or native) by its path from this one", &kTitle,
        true},
    Key{"batch", "inferences that come together (default 1)", &kPositiveInteger},
    Key{"arrivals", "when batches come; without it one, at the start", &kArrivals}};
constinit const Type kWorkload = {
    .form = Form::kObject, .what = "a workload", .keys = kWorkloadKeys};
constinit const Type kWorkloads = {
    .form = Form::kList, .what = "a list of workloads", .element = &kWorkload};
constinit const Type kOptionTexts = {.form = Form::kMap,
                                     .what = "options of 'inlay batch', such as 'deadlock: spill'",
                                     .element = &kFreeText};
constexpr std::array kMixKeys = {
    Key{"name", "what the mix is called in results", &kTitle},
    Key{"accelerator", "what the networks share", &kAcceleratorOrName, true},
    Key{"workloads", "the networks and their batches", &kWorkloads, true},
    Key{"options", "options of 'inlay batch' that hold unless the command says otherwise",
        &kOptionTexts}};
constinit const Type kMix = {.form = Form::kObject, .what = "a mix", .keys = kMixKeys};

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
    mix_.name = TextOr(root_, "name", "mix");
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
    for (const auto& [key, value] : node.entries) places_.Set(where + "." + key.text, value);
    MixWorkload workload;
    if (const Node* network = node.Find("network"); network != nullptr && network->IsScalar()) {
      workload.network = network->text;
      workload.graph = FindGraph(*network);
    }
    workload.batch = PositiveOr(node, "batch", 1);
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
      for (Diagnostic& diagnostic : found.error()) reading_->Add(std::move(diagnostic));
      return nullptr;
    }
    for (Diagnostic& warning : found->warnings) {
      reading_->inputs.warnings.push_back(std::move(warning));
    }
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
    arrivals.per_second = ParsedKey<ParsePerSecond>(node, "poisson").value_or(1);
    arrivals.count = PositiveOr(node, "count", arrivals.count);
    if (const Node* seed = node.Find("seed"); seed != nullptr && seed->IsScalar()) {
      const auto value = AsInt(*seed, "");
      if (value && *value >= 0) arrivals.seed = static_cast<uint64_t>(*value);
    }
    return arrivals;
  }

  void ReadTrace(const Node& trace, std::vector<double>* seconds) {
    if (trace.items.empty()) {
      reading_->Add(trace.Error("a trace needs one time at least", "write 'trace: [0 ms]'"));
    }
    double last = 0;
    for (const Node& item : trace.items) {
      const auto time = item.IsScalar() ? ParseSeconds(item.text) : TextFail(0, "");
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

Kind MixKind() { return {"mix", "several networks on one accelerator", &kMix, ReadMix}; }

}  // namespace inlay::io
