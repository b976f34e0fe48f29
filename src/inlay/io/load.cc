#include "inlay/io/load.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"
#include "inlay/core/roles.h"
#include "inlay/io/library/library.h"
#include "inlay/io/minimalloc/minimalloc.h"
#include "inlay/io/name_places.h"
#include "inlay/io/native/native.h"
#include "inlay/io/read_files.h"
#include "inlay/io/scalesim/config.h"
#include "inlay/io/timeloop/read.h"

namespace inlay::io {
namespace {

// "./x", "/x", "x.yaml": whatever can only be meant as a path.
bool IsWrittenAsPath(const std::string& argument) {
  const size_t slash = argument.rfind('/');
  const std::string last = slash == std::string::npos ? argument : argument.substr(slash + 1);
  return argument.starts_with(".") || argument.starts_with("/") ||
         last.find('.') != std::string::npos;
}

void Record(const std::string& role, const std::string& name, Source source, LoadRecord* record) {
  record->inputs.push_back({role, name, ContentHash(source.text)});
  record->sources.push_back(std::move(source));
}

Result<Inputs> LoadKnownBuiltin(BuiltinKind kind, const std::string& name, const std::string& role,
                                LoadRecord* record) {
  auto source = BuiltinSource(kind, name.substr(0, name.find('/')));
  if (!source) return Fail(source.error());
  Record(role, name, *std::move(source), record);
  const DecoderValues values = {record->set, std::make_shared<TakenNames>()};
  auto inputs = LoadBuiltin(kind, name, values);
  record->templates.asked.merge(values.taken->All());
  return inputs;
}

// Of several files, one may bring the same warning as another: both include a third.
void Warn(const Diagnostics& warnings, LoadRecord* record) {
  std::set<std::string> known;
  for (const Diagnostic& warning : record->warnings) known.insert(Format(warning));
  for (const Diagnostic& warning : warnings) {
    if (known.insert(Format(warning)).second) record->warnings.push_back(warning);
  }
}

// Adds what templates have met to what is known of others.
void Note(TemplateUse templates, LoadRecord* record) {
  TemplateUse& all = record->templates;
  all.asked.merge(templates.asked);
  all.any = all.any || templates.any;
  for (Source& source : templates.included) {
    const bool known = std::any_of(all.included.begin(), all.included.end(),
                                   [&](const Source& other) { return other.name == source.name; });
    if (known) continue;
    record->inputs.push_back({"include", source.name, ContentHash(source.text)});
    all.included.push_back(std::move(source));
  }
}

// `layers`: as for ReadSources.
Result<Inputs> LoadFiles(const std::vector<std::string>& paths, const std::string& role,
                         LoadRecord* record, const std::vector<Problem>& layers = {}) {
  std::vector<Source> sources;
  Diagnostics errors;
  for (const std::string& path : paths) {
    auto source = ReadInputFile(path);
    if (source) {
      record->inputs.push_back({role, path, ContentHash(source->text)});
      record->sources.push_back(IsModelFile(path) ? Source{path, ""} : *source);
      sources.push_back(*std::move(source));
    } else {
      Append(source.error(), &errors);
    }
  }
  std::vector<ReferredFile> referred;
  TemplateUse templates;
  auto inputs = ReadSources(sources, {.dims = record->dims,
                                      .values = record->set,
                                      .layers = layers,
                                      .templates = &templates,
                                      .referred = &referred});
  for (const auto& [file_role, source] : referred) {
    record->inputs.push_back({file_role, source.name, ContentHash(source.text)});
  }
  Note(std::move(templates), record);
  if (!inputs) Append(inputs.error(), &errors);
  if (!errors.empty()) return Fail(std::move(errors));
  Warn(inputs->warnings, record);
  return inputs;
}

tl::unexpected<Diagnostics> UnknownName(const std::string& name,
                                        const std::vector<BuiltinKind>& kinds) {
  const Fault fault = UnknownBuiltin(kinds, name, true);
  return Fail(MakeError({}, fault.message, fault.hint));
}

// A built-in of one of the kinds, else a file.
Result<Inputs> LoadArgument(const std::string& argument, const std::vector<BuiltinKind>& kinds,
                            const std::string& role, LoadRecord* record,
                            const std::vector<Problem>& layers = {}) {
  for (BuiltinKind kind : kinds) {
    if (IsBuiltin(kind, argument)) return LoadKnownBuiltin(kind, argument, role, record);
  }
  const bool exists = IsFile(argument) || IsFolder(argument);  // LoadFiles reports a folder as one
  if (!exists && !IsWrittenAsPath(argument)) return UnknownName(argument, kinds);
  return LoadFiles({argument}, role, record, layers);
}

// What a file holds that was to hold something else: ", but a machine"; "" if nothing.
std::string ButHolds(const Inputs& inputs) {
  const std::pair<bool, const char*> things[] = {
      {inputs.network || inputs.graph, "a network"},
      {inputs.problem.has_value(), "a problem"},
      {inputs.architecture || inputs.family, "an architecture"},
      {inputs.machine.has_value(), "a machine"},
      {inputs.accelerator.has_value(), "an accelerator"},
      {inputs.mix.has_value(), "a mix"},
      {inputs.technology.has_value(), "a technology"},
      {inputs.study.has_value(), "a study"},
      {static_cast<bool>(inputs.mapping), "a mapping"},
      {inputs.fused.has_value(), "a fused mapping"},
      {static_cast<bool>(inputs.constraints), "constraints"}};
  std::string text;
  for (const auto& [has, what] : things) {
    if (has) text += (text.empty() ? ", but " : " and ") + std::string(what);
  }
  return text;
}

// Of files that hold nothing by themselves.
std::string HintForParts(const Inputs& inputs) {
  if (!inputs.format.starts_with("timeloop") || !ButHolds(inputs).empty()) return "";
  return "anchors ('…_ignore'), components, tables of energies and options are parts of a problem "
         "or an architecture: give the file that includes this one, or both together";
}

bool HoldsLayers(const Inputs& inputs) { return inputs.network || inputs.problem || inputs.graph; }

Network NetworkOf(Inputs inputs) {
  if (inputs.network) return *std::move(inputs.network);
  if (inputs.graph) return LayersOf(*inputs.graph);
  Network network;
  network.name = inputs.problem->name;
  network.layers.push_back({inputs.problem->name, "einsum", *std::move(inputs.problem), 1});
  return network;
}

// Where the slash of "net.yaml/stem" stands, one layer of a file; npos if it is none.
size_t LayerSlash(const std::string& argument) {
  if (IsFile(argument) || IsBuiltin(BuiltinKind::kNetwork, argument)) return std::string::npos;
  // The names of layers may have slashes too.
  for (size_t slash = argument.find('/', 1); slash != std::string::npos;
       slash = argument.find('/', slash + 1)) {
    if (IsFile(argument.substr(0, slash))) return slash;
  }
  return std::string::npos;
}

// Like LoadArgument; also one layer of a file, and then nothing else of it.
Result<Inputs> LoadArgumentOrLayer(const std::string& argument,
                                   const std::vector<BuiltinKind>& kinds, const std::string& role,
                                   LoadRecord* record) {
  const size_t slash = LayerSlash(argument);
  auto inputs = LoadArgument(argument.substr(0, slash), kinds, role, record);
  if (!inputs || slash == std::string::npos) return inputs;
  if (!HoldsLayers(*inputs)) {
    return Fail(MakeError({argument.substr(0, slash), 0, 0}, "this holds no layers"));
  }
  Inputs layer;
  layer.format = inputs->format;
  if (inputs->network || inputs->graph) {
    layer.network = std::move(inputs->network);
    layer.graph = std::move(inputs->graph);
  } else {
    layer.network = NetworkOf(*std::move(inputs));
  }
  return SelectLayer(std::move(layer), argument.substr(slash + 1));
}

// Constraints that wait for an architecture which is not there.
void WarnOfConstraints(const std::string& argument, const Inputs& inputs, LoadRecord* record) {
  if (!inputs.constraints) return;
  record->warnings.push_back(
      MakeWarning({argument, 0, 0}, "constraints without an architecture are not used",
                  "give the architecture together with this file, or this file with " +
                      Mention("constraints")));
}

// An error where constraints of the inputs do not belong to their architecture; else they do.
Result<void> BindConstraints(const Inputs& inputs, Architecture* architecture,
                             Diagnostics* warnings) {
  if (!inputs.constraints) return {};
  auto bound = inputs.constraints(*architecture);
  if (!bound) return Fail(std::move(bound.error()));
  Append(std::move(bound->warnings), warnings);
  for (Constraint& constraint : bound->value) {
    architecture->constraints.push_back(std::move(constraint));
  }
  return {};
}

Result<Network> LoadWorkloadAs(const std::string& role, const std::string& argument,
                               LoadRecord* record) {
  auto inputs = LoadArgumentOrLayer(argument, {BuiltinKind::kNetwork}, role, record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!HoldsLayers(*inputs)) {
    return Fail(MakeError({argument, 0, 0},
                          "this holds neither a problem nor layers" + ButHolds(*inputs),
                          HintForParts(*inputs)));
  }
  if (inputs->architecture) {
    const auto bound = BindConstraints(*inputs, &*inputs->architecture, &record->warnings);
    if (!bound) return Fail(bound.error());
    if (!record->architecture) record->architecture = inputs->architecture;
  } else {
    WarnOfConstraints(argument, *inputs, record);
  }
  if (inputs->graph) record->graphs.push_back(std::make_shared<const Graph>(*inputs->graph));
  Network network = NetworkOf(*std::move(inputs));
  if (network.layers.empty()) {
    return Fail(MakeError({argument, 0, 0}, "no node of this network multiplies anything"));
  }
  for (const Layer& layer : network.layers) record->layers.push_back(layer.problem);
  return network;
}

// Layers of one name are called by the stem of their file, if it has no other, else numbered.
void NameApart(const std::vector<std::string>& stems, std::vector<Layer>* layers) {
  std::map<std::string, int> uses;
  for (const Layer& layer : *layers) ++uses[layer.name];
  std::set<std::string> taken;
  for (size_t i = 0; i < layers->size(); ++i) {
    Layer& layer = (*layers)[i];
    const std::string name = uses[layer.name] > 1 && !stems[i].empty() ? stems[i] : layer.name;
    layer.name = name;
    for (int n = 2; !taken.insert(layer.name).second; ++n) {
      layer.name = name + "-" + std::to_string(n);
    }
    layer.problem.name = layer.name;
  }
}

// "resnet18" of the files of that folder; else the workloads, as far as they are few.
std::string NameOfAll(const std::vector<std::string>& arguments) {
  constexpr size_t kMost = 3;
  const std::filesystem::path folder = std::filesystem::path(arguments.front()).parent_path();
  const bool together =
      !folder.filename().empty() && folder.filename() != "." && folder.filename() != ".." &&
      std::all_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
        return IsFile(argument) && std::filesystem::path(argument).parent_path() == folder;
      });
  if (together) return folder.filename().string();
  std::string name;
  for (size_t i = 0; i < std::min(arguments.size(), kMost); ++i) {
    name += (i == 0 ? "" : " + ") + arguments[i];
  }
  const size_t more = arguments.size() - std::min(arguments.size(), kMost);
  return more == 0 ? name : name + " + " + std::to_string(more) + " more";
}

// The problem of a network of one layer.
Result<Problem> OnlyProblem(Network network, const std::string& argument) {
  if (network.layers.size() == 1) return std::move(network.layers.front().problem);
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  return Fail(MakeError(
      {},
      "'" + argument + "' has " + std::to_string(names.size()) + " layers; a mapping is for one",
      "write " + Mention("problem", argument + "/" + names.front()) + "; 'inlay show " + argument +
          "' lists the layers"));
}

// The three parts of a case, each from its option if there is one, else from the files.
// Whether the second is the first with larger bounds.
bool IsPadded(const Problem& asked_for, Problem padded) {
  if (padded.dims == asked_for.dims || padded.dims.size() != asked_for.dims.size()) return false;
  for (DimId d : Ids(asked_for.dims)) {
    if (padded.dims[d].bound < asked_for.dims[d].bound) return false;
    padded.dims[d].bound = asked_for.dims[d].bound;
  }
  return padded.dims == asked_for.dims && padded.tensors == asked_for.tensors;
}

// Whether a file of Timeloop holds no more than what an architecture needs besides itself.
bool IsPartOfArchitecture(const std::string& path) {
  if (!IsFile(path) || IsModelFile(path)) return false;
  const auto source = ReadInputFile(path);
  return source && HoldsPartOfArchitecture(*source);
}

class CaseLoader {
 public:
  CaseLoader(CaseArguments arguments, LoadRecord* record)
      : arguments_(std::move(arguments)), record_(*record) {
    const bool files = !arguments_.arch.empty() && IsFile(arguments_.arch.front()) &&
                       !IsBuiltin(BuiltinKind::kArchitecture, arguments_.arch.front());
    const auto part = std::stable_partition(
        arguments_.files.begin(), arguments_.files.end(),
        [&](const std::string& path) { return !files || !IsPartOfArchitecture(path); });
    arguments_.arch.insert(arguments_.arch.end(), part, arguments_.files.end());
    arguments_.files.erase(part, arguments_.files.end());
  }

  Result<Case> Load() {
    LoadTheFiles();
    if (files_.fused) return LoadFused();
    // The problem may be beside the mapping, in its file.
    const bool given =
        arguments_.problem || files_.problem || files_.network || !arguments_.mapping;
    auto problem = given ? LoadProblem() : Result<Problem>();
    auto architecture = LoadArchitecture();
    const auto binder = LoadMapping();
    if (!given) problem = LoadProblem();
    if (!problem) Append(problem.error(), &errors_);
    if (!architecture) Append(architecture.error(), &errors_);
    if (!binder) Append(binder.error(), &errors_);
    if (errors_.empty()) {
      const auto bound = BindConstraints(files_, &*architecture, &record_.warnings);
      if (!bound) Append(bound.error(), &errors_);
    }
    if (errors_.empty()) {
      const auto matched = MatchTensorNames(*problem, &*architecture, &record_);
      if (!matched) Append(matched.error(), &errors_);
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    std::optional<Problem> asked_for;
    if (of_mapping_ && IsPadded(*problem, *of_mapping_)) {
      asked_for = std::exchange(*problem, *of_mapping_);
      problem->name = asked_for->name;
    }
    auto mapping = (*binder)(*problem, *architecture);
    if (!mapping) return Fail(std::move(mapping.error()));
    return Case{*problem,     *architecture,  *std::move(mapping), std::move(asked_for),
                std::nullopt, record_.inputs, record_.warnings};
  }

 private:
  void LoadTheFiles() {
    if (arguments_.files.empty()) return;
    const bool one = arguments_.files.size() == 1;
    auto inputs =
        one ? LoadArgument(arguments_.files.front(), {BuiltinKind::kExample}, "case", &record_)
            : LoadFiles(arguments_.files, "case", &record_);
    if (!inputs) Append(inputs.error(), &errors_);
    files_are_readable_ = inputs.has_value();
    if (!inputs) return;
    files_ = *std::move(inputs);
    if (files_.problem) record_.layers.push_back(*files_.problem);
  }

  // What to say when neither an option nor the files give a part; nothing if the files are broken,
  // because the part may be in them.
  tl::unexpected<Diagnostics> Missing(const char* what, const std::string& give) const {
    if (!files_are_readable_) return Fail(Diagnostics{});
    return Fail(MakeError({}, std::string("there is no ") + what,
                          "give " + give + ", or a file that holds one"));
  }

  Result<Case> LoadFused() {
    if (arguments_.problem || arguments_.mapping) {
      errors_.push_back(
          MakeError({}, "the files hold a fused mapping, which has nodes and leaves of its own",
                    "leave out " + Mention("problem") + " and " + Mention("mapping")));
    }
    if (!files_.fused->tree) {
      errors_.push_back(MakeError({arguments_.files.front(), 0, 0}, "the nodes have no 'tree:'",
                                  "write the loops, holds and leaves that map them"));
    }
    auto architecture = LoadArchitecture();
    if (!architecture) Append(architecture.error(), &errors_);
    if (!errors_.empty()) return Fail(std::move(errors_));
    auto tree = files_.fused->tree(*architecture);
    if (!tree) return Fail(std::move(tree.error()));
    Case fused;
    fused.architecture = *std::move(architecture);
    fused.fused = FusedCase{std::move(files_.fused->problem), *std::move(tree)};
    fused.inputs = record_.inputs;
    fused.warnings = record_.warnings;
    return fused;
  }

  Result<Problem> LoadProblem() {
    if (arguments_.problem) {
      auto network = LoadWorkloadAs("problem", *arguments_.problem, &record_);
      if (!network) return Fail(std::move(network.error()));
      return OnlyProblem(*std::move(network), *arguments_.problem);
    }
    if (files_.problem) return *files_.problem;
    if (files_.network) return OnlyProblem(*files_.network, arguments_.files.front());
    if (of_mapping_) return *of_mapping_;
    return Missing("problem", Mention("problem", "WORKLOAD"));
  }

  Result<Architecture> LoadArchitecture() {
    if (!arguments_.arch.empty()) return io::LoadArchitecture(arguments_.arch, &record_);
    if (files_.architecture) return *files_.architecture;
    return Missing("architecture", Mention("arch", "ARCH"));
  }

  Result<MappingBinder> LoadMapping() {
    if (arguments_.mapping) {
      auto inputs = LoadArgument(*arguments_.mapping, {BuiltinKind::kExample}, "mapping", &record_);
      if (!inputs) return Fail(std::move(inputs.error()));
      of_mapping_ = std::move(inputs->problem);
      if (inputs->mapping) return std::move(inputs->mapping);
      return Fail(MakeError({*arguments_.mapping, 0, 0}, "this holds no mapping"));
    }
    if (files_.mapping) return files_.mapping;
    return Missing("mapping", Mention("mapping", "FILE"));
  }

  CaseArguments arguments_;
  LoadRecord& record_;
  Inputs files_;
  std::optional<Problem> of_mapping_;  // beside the mapping, in its file
  bool files_are_readable_ = true;
  Diagnostics errors_;
};

}  // namespace

Result<Network> LoadWorkload(const std::string& argument, LoadRecord* record) {
  return LoadWorkloadAs("workload", argument, record);
}

Result<Network> LoadWorkloads(const std::vector<std::string>& arguments, LoadRecord* record) {
  if (arguments.size() == 1) return LoadWorkload(arguments.front(), record);
  Network all;
  Diagnostics errors;
  std::vector<std::string> stems;  // of the file of each layer
  for (const std::string& argument : arguments) {
    auto network = LoadWorkload(argument, record);
    if (!network) {
      Append(network.error(), &errors);
      continue;
    }
    const std::filesystem::path path(argument);
    stems.resize(all.layers.size() + network->layers.size(),
                 network->layers.size() == 1 ? path.stem().string() : "");
    std::move(network->layers.begin(), network->layers.end(), std::back_inserter(all.layers));
  }
  if (!errors.empty()) return Fail(std::move(errors));
  NameApart(stems, &all.layers);
  all.name = NameOfAll(arguments);
  return all;
}

Result<Graph> LoadGraph(const std::string& argument, LoadRecord* record) {
  auto inputs = LoadArgument(argument, {BuiltinKind::kNetwork}, "network", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->graph) return *std::move(inputs->graph);
  std::string what = "this holds no network" + ButHolds(*inputs);
  if (inputs->network) what = "this is a list of layers, without what they pass to each other";
  if (inputs->problem || IsOneLayer(*inputs)) what = "this is one layer, not a network";
  return Fail(MakeError({argument, 0, 0}, what, GraphHint()));
}

Result<FusableNodes> LoadFusableNodes(const std::string& argument, LoadRecord* record) {
  auto inputs =
      LoadArgument(argument, {BuiltinKind::kExample, BuiltinKind::kNetwork}, "workload", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->architecture && !record->architecture) {
    const auto bound = BindConstraints(*inputs, &*inputs->architecture, &record->warnings);
    if (!bound) return Fail(bound.error());
    record->architecture = std::move(inputs->architecture);
  }
  FusableNodes nodes;
  if (inputs->fused) {
    nodes.fused.problem = std::move(inputs->fused->problem);
    return nodes;
  }
  if (inputs->graph) {
    auto fused = FusedGraphOf(*inputs->graph);
    if (!fused) {
      Diagnostics errors;
      for (const Fault& fault : fused.error()) {
        errors.push_back(MakeError({argument, 0, 0}, fault.message, fault.hint));
      }
      return Fail(std::move(errors));
    }
    nodes.fused = *std::move(fused);
    nodes.graph = std::move(inputs->graph);
    return nodes;
  }
  std::string what = "this holds no nodes to fuse" + ButHolds(*inputs);
  if (inputs->network) what = "this is a list of layers, without what they pass to each other";
  if (inputs->problem || IsOneLayer(*inputs))
    what = "this is one layer, which is fused with nothing";
  return Fail(MakeError({argument, 0, 0}, what,
                        "give a network as a graph ('network:' or ONNX), or nodes as 'fused:', as "
                        "the built-in flash-attention has them"));
}

Result<Machine> LoadMachine(const std::string& argument, LoadRecord* record) {
  constexpr double kClockHz = 1e9;
  auto inputs = LoadArgument(argument, {BuiltinKind::kMachine, BuiltinKind::kArchitecture},
                             "machine", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->machine) return *std::move(inputs->machine);
  if (!inputs->architecture) {
    return Fail(MakeError({argument, 0, 0},
                          "this holds neither a machine nor an architecture" + ButHolds(*inputs)));
  }
  auto machine =
      MachineFrom(*inputs->architecture, inputs->architecture->clock_hz.value_or(kClockHz));
  if (!machine) {
    return Fail(MakeError({argument, 0, 0}, machine.error().message, machine.error().hint));
  }
  return *std::move(machine);
}

Result<Mix> LoadMix(const std::string& argument, LoadRecord* record) {
  auto inputs = LoadArgument(argument, {BuiltinKind::kMix}, "mix", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!inputs->mix) {
    return Fail(MakeError(
        {argument, 0, 0}, "this holds no mix" + ButHolds(*inputs),
        "a mix is a document 'mix:'; " + MentionListOf("mixes") + " lists the built-ins"));
  }
  std::set<std::string> recorded;
  for (const MixWorkload& workload : inputs->mix->workloads) {
    if (!recorded.insert(workload.network).second) continue;
    const auto source = BuiltinSource(BuiltinKind::kNetwork, workload.network);
    if (source) record->inputs.push_back({"network", workload.network, ContentHash(source->text)});
  }
  return *std::move(inputs->mix);
}

Result<Accelerator> LoadAccelerator(const std::string& argument, LoadRecord* record) {
  auto inputs = LoadArgument(argument, {BuiltinKind::kAccelerator}, "accelerator", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->accelerator) return *std::move(inputs->accelerator);
  return Fail(MakeError({argument, 0, 0}, "this holds no accelerator" + ButHolds(*inputs),
                        "an accelerator is a document 'accelerator:'"));
}

namespace {

std::string WorkloadsGoFirst() {
  return "workloads are no part of " + Mention("arch") + "; on a command line they go before it";
}

// Those of several files that hold what `is_meant` by themselves.
template <typename Check>
std::vector<std::string> FilesThat(const Check& is_meant, const std::vector<std::string>& paths,
                                   const LoadRecord& record) {
  std::vector<std::string> found;
  for (const std::string& path : paths) {
    auto source = ReadInputFile(path);
    if (!source) continue;
    const auto inputs = ReadSources({*std::move(source)}, {.values = record.set});
    if (inputs && is_meant(*inputs)) found.push_back(path);
  }
  return found;
}

// Files with layers beside that of an architecture: "--arch arch.yaml layers/*.yaml".
std::vector<std::string> LayersAmong(const std::vector<std::string>& paths,
                                     const LoadRecord& record) {
  if (paths.size() == 1) return {};
  return FilesThat([](const Inputs& inputs) { return HoldsLayers(inputs) && !inputs.architecture; },
                   paths, record);
}

// The architecture takes no notice of a layer beside it, which may be meant as a workload.
void WarnOfLayers(const std::vector<std::string>& paths, LoadRecord* record) {
  for (const std::string& path : LayersAmong(paths, *record)) {
    const bool given = std::any_of(
        record->inputs.begin(), record->inputs.end(),
        [&](const InputRecord& input) { return input.name == path && input.role != "arch"; });
    if (given) continue;
    record->warnings.push_back(
        MakeWarning({path, 0, 0}, "this workload is not used", WorkloadsGoFirst()));
  }
}

}  // namespace

Result<Architecture> LoadArchitecture(const std::vector<std::string>& arguments,
                                      LoadRecord* record) {
  const std::string& first = arguments.front();
  if (arguments.size() > 1) {
    const auto built_in = std::find_if(arguments.begin(), arguments.end(), [](const auto& name) {
      return IsBuiltin(BuiltinKind::kArchitecture, name);
    });
    if (built_in != arguments.end()) {
      return Fail(MakeError({},
                            Mention("arch") + ": '" + *built_in + "' is built in, and stands alone",
                            "give either a built-in architecture or files; " + WorkloadsGoFirst()));
    }
  }
  auto inputs = arguments.size() == 1 ? LoadArgument(first, {BuiltinKind::kArchitecture}, "arch",
                                                     record, record->layers)
                                      : LoadFiles(arguments, "arch", record, record->layers);
  if (!inputs) {
    const std::vector<std::string> layers = LayersAmong(arguments, *record);
    if (layers.size() < 2) return Fail(std::move(inputs.error()));
    return Fail(MakeError({layers.front(), 0, 0},
                          "this and " + std::to_string(layers.size() - 1) +
                              " more of the files given with " + Mention("arch") +
                              " hold workloads, not parts of an architecture",
                          WorkloadsGoFirst()));
  }
  if (!inputs->architecture) {
    if (arguments.size() == 1) {
      return Fail(MakeError({first, 0, 0}, "this holds no architecture" + ButHolds(*inputs)));
    }
    return Fail(MakeError({first, 0, 0},
                          "neither this nor the files beside it hold an architecture",
                          "give the one with 'architecture:' as well"));
  }
  if (HoldsLayers(*inputs)) WarnOfLayers(arguments, record);
  const auto bound = BindConstraints(*inputs, &*inputs->architecture, &record->warnings);
  if (!bound) return Fail(bound.error());
  return *std::move(inputs->architecture);
}

Result<ArchitectureSpace> LoadArchitectureSpace(const std::string& argument, LoadRecord* record) {
  const auto nothing_free = [](const std::string& name) {
    return Fail(MakeError({}, "nothing of the architecture '" + name + "' is free to be chosen",
                          "mark a number in a native file as in 'capacity: {free: pow2, min: 64, "
                          "max: 4096}', or run 'inlay map'"));
  };
  const bool file = !IsBuiltin(BuiltinKind::kArchitecture, argument) && IsFile(argument);
  auto source = file ? ReadInputFile(argument) : Result<Source>();
  if (!source) return Fail(std::move(source.error()));
  const auto format = file ? DetectFormat(*source) : FileFormat::kTimeloop;
  if (!format || *format != FileFormat::kNative) {
    const auto fixed = LoadArchitecture({argument}, record);
    if (!fixed) return Fail(fixed.error());
    return nothing_free(fixed->name);
  }
  Record("arch", argument, *source, record);
  NativeContext context = BuiltinContext();
  context.families = true;
  auto inputs = ReadNative({*std::move(source)}, context);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->family && !inputs->family->free.empty()) return *std::move(inputs->family);
  if (inputs->family) return nothing_free(inputs->family->base.name);
  if (inputs->architecture) return nothing_free(inputs->architecture->name);
  return Fail(MakeError({argument, 0, 0}, "this holds no architecture" + ButHolds(*inputs)));
}

Result<std::vector<Constraint>> LoadConstraints(const std::vector<std::string>& paths,
                                                const Architecture& architecture,
                                                LoadRecord* record) {
  auto inputs = LoadFiles(paths, "constraints", record, record->layers);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!inputs->constraints) {
    const auto with_architecture =
        FilesThat([](const Inputs& one) { return one.architecture.has_value(); }, paths, *record);
    if (paths.size() > 1 && !with_architecture.empty()) {
      return Fail(MakeError({with_architecture.front(), 0, 0},
                            "this holds an architecture, not constraints alone",
                            "give it with " + Mention("arch") + " only"));
    }
    return Fail(MakeError(
        {paths.front(), 0, 0}, "this holds no constraints of its own",
        inputs->architecture ? "those of an architecture come with " + Mention("arch") : ""));
  }
  auto bound = inputs->constraints(architecture);
  if (!bound) return Fail(std::move(bound.error()));
  Warn(bound->warnings, record);
  return std::move(bound->value);
}

Result<SystolicArray> LoadSystolicArray(const std::string& path, LoadRecord* record) {
  auto source = ReadInputFile(path);
  if (!source) return Fail(std::move(source.error()));
  Record("config", path, *source, record);
  auto config = ReadScaleSimConfig(*source, Technology());
  if (!config) return Fail(std::move(config.error()));
  Append(config->warnings, &record->warnings);
  return config->value.array;
}

Result<std::vector<Buffer>> LoadBuffers(const std::string& path, LoadRecord* record) {
  auto source = ReadTextFile(path);
  if (!source) return Fail(std::move(source.error()));
  auto buffers = ReadMiniMalloc(*source);
  record->inputs.push_back({"buffers", path, ContentHash(source->text)});
  if (!buffers) return Fail(std::move(buffers.error()));
  Append(buffers->warnings, &record->warnings);
  return std::move(buffers->value);
}

Result<Study> LoadStudy(const std::string& argument, LoadRecord* record) {
  auto inputs = LoadArgument(argument, {BuiltinKind::kStudy}, "study", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->study) return *std::move(inputs->study);
  return Fail(MakeError(
      {}, "'" + argument + "' holds no study",
      "a study is a document 'study:'; " + MentionListOf("studies") + " lists the built-ins"));
}

Result<Inputs> LoadAny(const std::vector<std::string>& arguments, LoadRecord* record) {
  const std::vector<BuiltinKind> kinds = BuiltinKinds();
  const auto is_builtin = [&](const std::string& argument) {
    return std::any_of(kinds.begin(), kinds.end(),
                       [&](BuiltinKind kind) { return IsBuiltin(kind, argument); });
  };
  const bool one = arguments.size() == 1;
  for (const std::string& argument : arguments) {
    if (one || !is_builtin(argument)) continue;
    return Fail(MakeError({}, "'" + argument + "' is built in; only files can be read together"));
  }
  auto inputs = one ? LoadArgumentOrLayer(arguments.front(), kinds, "input", record)
                    : LoadFiles(arguments, "input", record);
  if (!inputs) return inputs;
  if (ButHolds(*inputs).empty()) {
    return Fail(MakeError({arguments.front(), 0, 0},
                          one ? "this holds nothing that can be shown or converted"
                              : "these files hold nothing that can be shown or converted",
                          HintForParts(*inputs)));
  }
  if (!inputs->architecture) {
    WarnOfConstraints(one ? arguments.front() : "", *inputs, record);
    return inputs;
  }
  const auto bound = BindConstraints(*inputs, &*inputs->architecture, &record->warnings);
  if (!bound) return Fail(bound.error());
  inputs->constraints = nullptr;
  return inputs;
}

bool IsOneLayer(const Inputs& inputs) {
  return inputs.network && inputs.problem && inputs.network->layers.size() == 1 &&
         inputs.network->layers.front().problem == *inputs.problem;
}

bool MatchTensorNames(const std::vector<Layer>& layers, Architecture* architecture,
                      std::vector<Constraint>* constraints, LoadRecord* record,
                      Diagnostics* errors) {
  Architecture whole = *architecture;
  whole.constraints.insert(whole.constraints.end(), constraints->begin(), constraints->end());
  const NamePlaces places = PlacesIn(record->sources);
  struct Warned {
    Diagnostic first;
    size_t more = 0;  // layers
  };
  std::map<std::string, Warned> by_hint;  // what many layers have in common is said once
  std::set<std::string> said;
  for (const Layer& layer : layers) {
    for (Diagnostic& found : CheckRoles(layer.problem, whole, places)) {
      if (!said.insert(found.message).second) continue;
      if (found.severity == Severity::kError) {
        errors->push_back(std::move(found));
      } else if (const auto [same, is_new] = by_hint.emplace(found.hint, Warned{found}); !is_new) {
        ++same->second.more;
      } else {
        SetPlace(PlaceOfTensors(record->sources, layer.problem), &same->second.first);
      }
    }
  }
  for (auto& [hint, warned] : by_hint) {
    if (warned.more > 0) {
      warned.first.message += "; so it is in " + std::to_string(warned.more) +
                              (warned.more == 1 ? " other layer" : " other layers");
    }
    record->warnings.push_back(std::move(warned.first));
  }
  if (!errors->empty() || layers.empty()) return true;
  const Problem& first = layers.front().problem;
  const std::vector<std::string> names = TensorNamesIn(whole);
  const auto meant = [](const Problem& problem, const std::string& name) {
    std::vector<std::string> tensors;
    for (const TensorId t : TensorsMeantBy(problem, name)) {
      tensors.push_back(problem.tensors[t].name);
    }
    return tensors;
  };
  const bool alike = std::all_of(layers.begin(), layers.end(), [&](const Layer& layer) {
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return meant(layer.problem, name) == meant(first, name);
    });
  });
  if (!alike) return false;
  UseNamesOf(first, architecture);
  UseNamesOf(first, constraints);
  return true;
}

Result<void> MatchTensorNames(const Problem& problem, Architecture* architecture,
                              LoadRecord* record) {
  const std::vector<Layer> layers = {{problem.name, "", problem, 1}};
  std::vector<Constraint> none;
  Diagnostics errors;
  MatchTensorNames(layers, architecture, &none, record, &errors);
  if (errors.empty()) return {};
  return Fail(std::move(errors));
}

Diagnostics WarnOfUnusedValues(const LoadRecord& record) {
  Diagnostics warnings;
  const std::vector<std::string> asked(record.templates.asked.begin(),
                                       record.templates.asked.end());
  for (const auto& [name, value] : record.set) {
    if (record.templates.asked.contains(name)) continue;
    warnings.push_back(MakeWarning(
        {}, Mention("set", name) + " has no effect: no file asks for this value",
        record.templates.any || !asked.empty()
            ? SuggestionHint(name, asked)
            : "only Timeloop's files with Jinja2, '{{…}}', and networks with 'decoder:' do"));
    // The keys of a decoder are known, what a template asks for may depend on its values.
    if (!record.templates.any && !asked.empty()) warnings.back().severity = Severity::kError;
  }
  return warnings;
}

Result<Case> LoadCase(const CaseArguments& arguments, LoadRecord* record) {
  LoadRecord own;
  return CaseLoader(arguments, record == nullptr ? &own : record).Load();
}

}  // namespace inlay::io
