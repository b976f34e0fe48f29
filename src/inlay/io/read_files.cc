#include "inlay/io/read_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/library/library.h"
#include "inlay/io/native/native.h"
#include "inlay/io/onnx/onnx.h"
#include "inlay/io/scalesim/scalesim.h"
#include "inlay/io/timeloop/read.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {
namespace {

// SCALE-Sim says nothing about energy.
constexpr const char* kScaleSimTechnology = "thistle-45nm";

// ".yaml" of "a/b.YAML"; "" without one.
std::string ExtensionOf(const std::string& name) {
  const size_t slash = name.rfind('/');
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return "";
  std::string extension = name.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Diagnostic At(const Source& source, std::string message, std::string hint) {
  return MakeError({source.name, 0, 0}, std::move(message), std::move(hint));
}

constexpr const char* kNativeHint = "a native file begins with 'format: inlay/1'";

// Whether a document without 'format' has the parts of a native one all the same.
bool LooksLikeForgottenFormat(const Node& document) {
  const auto has = [&](const char* part, const char* key) {
    const Node* node = document.Find(part);
    return node != nullptr && node->IsMapping() && node->Find(key) != nullptr;
  };
  const auto list_of = [&](const char* part, const char* key) {
    const Node* list = document.Find(part);
    return list != nullptr && list->IsSequence() && !list->items.empty() &&
           list->items.front().Find(key) != nullptr;
  };
  const Node* mapping = document.Find("mapping");
  const bool lines = mapping != nullptr && mapping->IsSequence() && !mapping->items.empty() &&
                     mapping->items.front().IsScalar();
  return lines || has("problem", "dims") || has("problem", "tensors") ||
         has("architecture", "levels") || list_of("constraints", "at") || has("network", "nodes") ||
         has("network", "decoder") || has("machine", "units") || has("accelerator", "memory") ||
         has("mix", "workloads") || has("fused", "nodes") || document.Find("layers") != nullptr ||
         document.Find("technology") != nullptr || document.Find("study") != nullptr;
}

Result<FileFormat> DetectYaml(const Source& source) {
  if (timeloop::IsTemplate(source)) return FileFormat::kTimeloop;
  const auto documents = ParseYaml(source);
  if (!documents) return Fail(documents.error());
  for (const Node& document : *documents) {
    if (!document.IsMapping() || !LooksLikeForgottenFormat(document)) continue;
    return Fail(document.Error("the line 'format: inlay/1' is missing", kNativeHint));
  }
  if (LooksLikeTimeloop(*documents)) return FileFormat::kTimeloop;
  return Fail(At(
      source, "cannot tell what format this file is in",
      std::string(kNativeHint) + "; Timeloop's have problem, architecture, mapping, ERT or ART"));
}

// Moves what a reader found into the whole.
class Merger {
 public:
  void Add(Result<Inputs> inputs) {
    if (!inputs) {
      Append(inputs.error(), &errors_);
      return;
    }
    whole_.format += (whole_.format.empty() ? "" : " and ") + inputs->format;
    Take("problem", &whole_.problem, &inputs->problem);
    Take("architecture", &whole_.architecture, &inputs->architecture);
    Take("list of layer", &whole_.network, &inputs->network);
    Take("network", &whole_.graph, &inputs->graph);
    Take("machine", &whole_.machine, &inputs->machine);
    Take("accelerator", &whole_.accelerator, &inputs->accelerator);
    Take("mix", &whole_.mix, &inputs->mix);
    Take("technology", &whole_.technology, &inputs->technology);
    Take("study", &whole_.study, &inputs->study);
    Take("mapping", &whole_.mapping, &inputs->mapping);
    Take("fused mapping", &whole_.fused, &inputs->fused);
    Take("set of constraint", &whole_.constraints, &inputs->constraints);
    Append(inputs->warnings, &whole_.warnings);
  }

  // The problems found so far.
  std::vector<Problem> Layers() const {
    std::vector<Problem> layers;
    if (whole_.problem) layers.push_back(*whole_.problem);
    if (!whole_.network) return layers;
    for (const Layer& layer : whole_.network->layers) layers.push_back(layer.problem);
    return layers;
  }

  Result<Inputs> Finish() {
    if (!errors_.empty()) return Fail(std::move(errors_));
    return std::move(whole_);
  }

 private:
  template <typename Part>
  void Take(const char* what, Part* to, Part* from) {
    if (!*from) return;
    if (*to) {
      errors_.push_back(
          MakeError({}, "the files hold two " + std::string(what) + "s, in different formats"));
    }
    *to = std::move(*from);
  }

  Inputs whole_;
  Diagnostics errors_;
};

Result<Inputs> ReadModels(const std::vector<Source>& sources, const DimValues& dims) {
  if (sources.size() > 1) {
    return Fail(At(sources[1], "a second ONNX model", "give one of them"));
  }
  auto graph = ReadOnnx(sources.front().name, sources.front().text, dims);
  if (!graph) return Fail(std::move(graph.error()));
  Inputs inputs;
  inputs.format = "onnx";
  inputs.graph = std::move(graph->value);
  inputs.warnings = std::move(graph->warnings);
  return inputs;
}

Result<Inputs> ReadFormat(FileFormat format, std::vector<Source> sources,
                          const NativeContext& native, const ReadContext& context) {
  switch (format) {
    case FileFormat::kNative:
      return ReadNative(std::move(sources), native);
    case FileFormat::kTimeloop:
      return ReadTimeloop(sources, context.layers, context.values, context.templates);
    case FileFormat::kOnnx:
      return ReadModels(sources, context.dims);
    case FileFormat::kScaleSim:
      break;
  }
  const auto technology = LoadBuiltinTechnology(kScaleSimTechnology);
  if (!technology) return Fail(technology.error());
  return ReadScaleSim(sources, *technology);
}

using FoundGraph = WithWarnings<std::shared_ptr<const Graph>>;

// The network in a file; its own errors stand in it, all others at the name of the file.
Result<FoundGraph> GraphOfFile(const Source& source, const Node& name, const DimValues& dims,
                               const DecoderValues& values) {
  const auto format = DetectFormat(source);
  if (!format) return Fail(format.error());
  // A mix in that file could name this one again.
  NativeContext context = BuiltinContext(values);
  context.find_graph = nullptr;
  auto inputs = ReadFormat(*format, {source}, context, {.dims = dims});
  if (!inputs) return Fail(std::move(inputs.error()));
  if (inputs->graph) {
    return FoundGraph{std::make_shared<const Graph>(*std::move(inputs->graph)),
                      std::move(inputs->warnings)};
  }
  const bool layers = inputs->network.has_value() || inputs->problem.has_value();
  return Fail(
      name.Error("'" + name.text + "' " +
                     (layers ? "is a list of layers, without what they pass to each other"
                             : "holds no network"),
                 "name a built-in network, an ONNX model, or a native file with 'network:'"));
}

// From the file that names it.
std::string PathOf(const std::string& text, const Node& name) {
  namespace fs = std::filesystem;
  const fs::path folder = name.source == nullptr ? "" : fs::path(name.source->name).parent_path();
  return (folder / text).string();
}

// The texts of the files that a call of ReadSources met by their names. Variants of studies ask for
// them again, from any thread and long after the call: each is read once.
struct NamedFiles {
  std::mutex mutex;
  std::map<std::string, Source> texts;
  std::vector<ReferredFile>* referred = nullptr;  // null when the call is over

  Result<Source> Read(const std::string& path, const char* role) {
    const std::lock_guard lock(mutex);
    const auto known = texts.find(path);
    if (known != texts.end()) return known->second;
    auto source = ReadTextFile(path);
    if (!source) return source;
    if (referred != nullptr) referred->push_back({role, *source});
    return texts.emplace(path, *std::move(source)).first->second;
  }
};

FindSource BuiltinOrFile(BuiltinKind kind, const FindSource& builtin,
                         const std::shared_ptr<NamedFiles>& files) {
  return [=](const std::string& text, const Node& name) -> Result<Source> {
    const std::string path = PathOf(text, name);
    const bool is_file = !IsBuiltin(kind, text) && IsFile(path);
    return is_file ? files->Read(path, Name(kind)) : builtin(text, name);
  };
}

// What native files may name: built-ins, and what is in files, by paths from where they are named.
NativeContext FileContext(const DimValues& dims, const DecoderValues& values,
                          std::vector<ReferredFile>* referred,
                          const std::shared_ptr<NamedFiles>& files) {
  NativeContext context = BuiltinContext(values);
  context.find_architecture =
      BuiltinOrFile(BuiltinKind::kArchitecture, context.find_architecture, files);
  context.find_accelerator =
      BuiltinOrFile(BuiltinKind::kAccelerator, context.find_accelerator, files);
  context.find_graph = [dims, values, referred](const std::string& text,
                                                const Node& name) -> Result<FoundGraph> {
    if (IsBuiltin(BuiltinKind::kNetwork, text) && text.find('/') == std::string::npos) {
      auto graph = BuiltinGraph(text, name, values);
      if (!graph) return Fail(std::move(graph.error()));
      return FoundGraph{*std::move(graph), {}};
    }
    const std::string path = PathOf(text, name);
    if (!IsFile(path) && !IsFolder(path)) {
      const Fault fault = UnknownBuiltin({BuiltinKind::kNetwork}, text, true);
      return Fail(name.Error(fault.message, fault.hint));
    }
    auto source = ReadInputFile(path);
    if (!source) return Fail(std::move(source.error()));
    if (referred != nullptr) referred->push_back({Name(BuiltinKind::kNetwork), *source});
    return GraphOfFile(*source, name, dims, values);
  };
  return context;
}

}  // namespace

Result<FileFormat> DetectFormat(const Source& source) {
  if (IsModelFile(source.name)) return FileFormat::kOnnx;
  if (source.text.find_first_not_of(" \t\n") == std::string::npos) {
    return Fail(At(source, "the file is empty", ""));
  }
  if (LooksLikeNative(source)) return FileFormat::kNative;
  const std::string extension = ExtensionOf(source.name);
  if (extension == ".csv" || LooksLikeScaleSimConfig(source)) return FileFormat::kScaleSim;
  if (extension == ".cfg") {
    return Fail(At(source, "this is neither SCALE-Sim's cfg nor YAML",
                   "Timeloop's old libconfig files are not read; write them as YAML"));
  }
  return DetectYaml(source);
}

Result<Inputs> ReadSources(const std::vector<Source>& sources, const ReadContext& given) {
  Merger merger;
  ReadContext context = given;
  const auto files = std::make_shared<NamedFiles>();
  files->referred = context.referred;
  const DecoderValues values = {given.values, std::make_shared<TakenNames>()};
  const NativeContext native = FileContext(context.dims, values, context.referred, files);
  std::array<std::vector<Source>, 4> by_format;
  for (const Source& source : sources) {
    const auto format = DetectFormat(source);
    if (format) {
      by_format[static_cast<size_t>(*format)].push_back(source);
    } else {
      merger.Add(Fail(format.error()));
    }
  }
  for (FileFormat format :
       {FileFormat::kNative, FileFormat::kTimeloop, FileFormat::kScaleSim, FileFormat::kOnnx}) {
    std::vector<Source>& group = by_format[static_cast<size_t>(format)];
    if (group.empty()) continue;
    if (context.layers.empty()) context.layers = merger.Layers();
    merger.Add(ReadFormat(format, std::move(group), native, context));
  }
  if (context.templates != nullptr) context.templates->asked.merge(values.taken->All());
  const std::lock_guard lock(files->mutex);
  files->referred = nullptr;
  return merger.Finish();
}

bool IsModelFile(const std::string& path) { return ExtensionOf(path) == ".onnx"; }

Result<Source> ReadInputFile(const std::string& path) {
  return IsModelFile(path) ? ReadBinaryFile(path) : ReadTextFile(path);
}

}  // namespace inlay::io
