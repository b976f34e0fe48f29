#include "inlay/io/load.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/library/library.h"
#include "inlay/io/minimalloc/minimalloc.h"
#include "inlay/io/native/native.h"
#include "inlay/io/read_files.h"
#include "inlay/io/scalesim/config.h"

namespace inlay::io {
namespace {

namespace fs = std::filesystem;

bool IsFile(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

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
  return LoadBuiltin(kind, name);
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
      errors.insert(errors.end(), source.error().begin(), source.error().end());
    }
  }
  std::vector<ReferredFile> referred;
  auto inputs = ReadSources(sources, record->dims, &referred, layers);
  for (const auto& [file_role, source] : referred) {
    record->inputs.push_back({file_role, source.name, ContentHash(source.text)});
  }
  if (!inputs) errors.insert(errors.end(), inputs.error().begin(), inputs.error().end());
  if (!errors.empty()) return Fail(std::move(errors));
  record->warnings.insert(record->warnings.end(), inputs->warnings.begin(), inputs->warnings.end());
  return inputs;
}

tl::unexpected<Diagnostics> UnknownName(const std::string& name,
                                        const std::vector<BuiltinKind>& kinds) {
  std::vector<std::string> names;
  std::string what;
  for (BuiltinKind kind : kinds) {
    for (std::string& builtin : BuiltinNames(kind)) names.push_back(std::move(builtin));
    if (kinds.size() == 1) what = " " + std::string(Name(kind));
  }
  const std::string hint = SuggestionHint(name.substr(0, name.find('/')), names);
  return Fail(
      MakeError({}, "there is neither a built-in" + what + " nor a file '" + name + "'", hint));
}

// A built-in of one of the kinds, else a file.
Result<Inputs> LoadArgument(const std::string& argument, const std::vector<BuiltinKind>& kinds,
                            const std::string& role, LoadRecord* record,
                            const std::vector<Problem>& layers = {}) {
  for (BuiltinKind kind : kinds) {
    if (IsBuiltin(kind, argument)) return LoadKnownBuiltin(kind, argument, role, record);
  }
  std::error_code ignored;  // LoadFiles reports a folder as one
  const bool exists = fs::exists(argument, ignored);
  if (!exists && !IsWrittenAsPath(argument)) return UnknownName(argument, kinds);
  return LoadFiles({argument}, role, record, layers);
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
  record->warnings.push_back(MakeWarning(
      {argument, 0, 0}, "constraints without an architecture are not used",
      "give the architecture together with this file, or this file with --constraints"));
}

Result<Network> LoadWorkloadAs(const std::string& role, const std::string& argument,
                               LoadRecord* record) {
  auto inputs = LoadArgumentOrLayer(argument, {BuiltinKind::kNetwork}, role, record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!HoldsLayers(*inputs)) {
    return Fail(MakeError({argument, 0, 0}, "this holds neither a problem nor layers"));
  }
  WarnOfConstraints(argument, *inputs, record);
  Network network = NetworkOf(*std::move(inputs));
  if (network.layers.empty()) {
    return Fail(MakeError({argument, 0, 0}, "no node of this network multiplies anything"));
  }
  for (const Layer& layer : network.layers) record->layers.push_back(layer.problem);
  return network;
}

// The problem of a network of one layer.
Result<Problem> OnlyProblem(Network network, const std::string& argument) {
  if (network.layers.size() == 1) return std::move(network.layers.front().problem);
  std::vector<std::string> names;
  for (const Layer& layer : network.layers) names.push_back(layer.name);
  return Fail(MakeError(
      {},
      "'" + argument + "' has " + std::to_string(names.size()) + " layers; a mapping is for one",
      "write --problem " + argument + "/" + names.front() + "; 'inlay show " + argument +
          "' lists the layers"));
}

void Append(const Diagnostics& from, Diagnostics* to) {
  to->insert(to->end(), from.begin(), from.end());
}

// An error where constraints of the inputs do not belong to their architecture; else they do.
Result<void> BindConstraints(const Inputs& inputs, Architecture* architecture,
                             Diagnostics* warnings) {
  if (!inputs.constraints) return {};
  auto bound = inputs.constraints(*architecture);
  if (!bound) return Fail(std::move(bound.error()));
  Append(bound->warnings, warnings);
  for (Constraint& constraint : bound->value) {
    architecture->constraints.push_back(std::move(constraint));
  }
  return {};
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

class CaseLoader {
 public:
  explicit CaseLoader(const CaseArguments& arguments) : arguments_(arguments) {
    record_.dims = arguments.dims;
  }

  Result<Case> Load() {
    LoadTheFiles();
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
    if (errors_.empty()) errors_ = CheckTensorNames(*problem, *architecture);
    if (!errors_.empty()) return Fail(std::move(errors_));
    std::optional<Problem> asked_for;
    if (of_mapping_ && IsPadded(*problem, *of_mapping_)) {
      asked_for = std::exchange(*problem, *of_mapping_);
      problem->name = asked_for->name;
    }
    auto mapping = (*binder)(*problem, *architecture);
    if (!mapping) return Fail(std::move(mapping.error()));
    return Case{*problem,
                *architecture,
                *std::move(mapping),
                std::move(asked_for),
                std::move(record_.inputs),
                std::move(record_.warnings)};
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
  tl::unexpected<Diagnostics> Missing(const char* what, const char* hint) const {
    if (!files_are_readable_) return Fail(Diagnostics{});
    return Fail(MakeError({}, std::string("there is no ") + what, hint));
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
    return Missing("problem", "give --problem WORKLOAD, or a file that holds one");
  }

  Result<Architecture> LoadArchitecture() {
    if (arguments_.arch) return io::LoadArchitecture(*arguments_.arch, &record_);
    if (files_.architecture) return *files_.architecture;
    return Missing("architecture", "give --arch ARCH, or a file that holds one");
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
    return Missing("mapping", "give --mapping FILE, or a file that holds one");
  }

  const CaseArguments& arguments_;
  LoadRecord record_;
  Inputs files_;
  std::optional<Problem> of_mapping_;  // beside the mapping, in its file
  bool files_are_readable_ = true;
  Diagnostics errors_;
};

}  // namespace

Result<Network> LoadWorkload(const std::string& argument, LoadRecord* record) {
  return LoadWorkloadAs("workload", argument, record);
}

Result<Graph> LoadGraph(const std::string& argument, LoadRecord* record) {
  auto inputs = LoadArgument(argument, {BuiltinKind::kNetwork}, "network", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->graph) return *std::move(inputs->graph);
  const bool layers = inputs->network.has_value() || inputs->problem.has_value();
  return Fail(MakeError({argument, 0, 0},
                        layers ? "this is a list of layers, without what they pass to each other"
                               : "this holds no network",
                        "give an ONNX model, or a native file with 'network:'"));
}

Result<Machine> LoadMachine(const std::string& argument, LoadRecord* record) {
  constexpr double kClockHz = 1e9;
  auto inputs = LoadArgument(argument, {BuiltinKind::kMachine, BuiltinKind::kArchitecture},
                             "machine", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->machine) return *std::move(inputs->machine);
  if (!inputs->architecture) {
    return Fail(MakeError({argument, 0, 0}, "this holds neither a machine nor an architecture"));
  }
  auto machine = MachineFrom(*inputs->architecture, kClockHz);
  if (!machine) {
    return Fail(MakeError({argument, 0, 0}, machine.error().message, machine.error().hint));
  }
  return *std::move(machine);
}

Result<Mix> LoadMix(const std::string& argument, LoadRecord* record) {
  auto inputs = LoadArgument(argument, {BuiltinKind::kMix}, "mix", record);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!inputs->mix) {
    return Fail(MakeError({argument, 0, 0}, "this holds no mix",
                          "a mix is a document 'mix:'; 'inlay list mixes' lists the built-ins"));
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
  return Fail(MakeError({argument, 0, 0}, "this holds no accelerator",
                        "an accelerator is a document 'accelerator:'"));
}

Result<Architecture> LoadArchitecture(const std::string& argument, LoadRecord* record) {
  auto inputs =
      LoadArgument(argument, {BuiltinKind::kArchitecture}, "arch", record, record->layers);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->architecture) return *std::move(inputs->architecture);
  return Fail(MakeError({argument, 0, 0}, "this holds no architecture"));
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
    const auto fixed = LoadArchitecture(argument, record);
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
  return Fail(MakeError({argument, 0, 0}, "this holds no architecture"));
}

Result<std::vector<Constraint>> LoadConstraints(const std::string& path,
                                                const Architecture& architecture,
                                                LoadRecord* record) {
  auto inputs = LoadFiles({path}, "constraints", record, record->layers);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!inputs->constraints) {
    return Fail(MakeError({path, 0, 0}, "this holds no constraints of its own",
                          inputs->architecture ? "those of an architecture come with --arch" : ""));
  }
  auto bound = inputs->constraints(architecture);
  if (!bound) return Fail(std::move(bound.error()));
  Append(bound->warnings, &record->warnings);
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
  return Fail(
      MakeError({}, "'" + argument + "' holds no study",
                "a study is a document 'study:'; 'inlay list studies' lists the built-ins"));
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

Diagnostics CheckTensorNames(const Problem& problem, const Architecture& architecture) {
  std::set<std::string> named;
  for (const Level& level : architecture.levels) {
    for (const auto* set : {&level.keep, &level.bypass}) {
      if (*set) named.insert((*set)->names.begin(), (*set)->names.end());
    }
    for (const Partition& part : level.partitions) named.insert(part.tensor);
    for (const TensorBits& exception : level.tensor_bits) named.insert(exception.tensor);
  }
  const auto list = [](const auto& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  const bool all_known = std::all_of(named.begin(), named.end(), [&](const std::string& name) {
    return FindTensor(problem, name).has_value();
  });
  if (all_known) return {};
  return {MakeError({},
                    "architecture '" + architecture.name + "' is for tensors " + list(named) +
                        "; problem '" + problem.name + "' has " + list(TensorNames(problem)),
                    "give the tensors of the problem the names that the architecture uses")};
}

Result<Case> LoadCase(const CaseArguments& arguments) { return CaseLoader(arguments).Load(); }

}  // namespace inlay::io
