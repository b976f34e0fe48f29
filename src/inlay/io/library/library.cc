#include "inlay/io/library/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <utility>

#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"
#include "inlay/io/library/embedded.h"

namespace inlay::io {
namespace {

struct KindEntry {
  BuiltinKind kind;
  const char* name;
  const char* folder;  // the plural
  const char* use;     // where such a name is written; {} is the option
  const char* option = "";
};
constexpr std::array kKinds = {
    KindEntry{BuiltinKind::kArchitecture, "architecture", "architectures",
              "is given as {} of 'inlay map'", "arch"},
    KindEntry{BuiltinKind::kNetwork, "network", "networks",
              "is what 'inlay map' and 'inlay plan' work on"},
    KindEntry{BuiltinKind::kMachine, "machine", "machines", "is given as {} of 'inlay plan'",
              "machine"},
    KindEntry{BuiltinKind::kAccelerator, "accelerator", "accelerators",
              "is what a mix runs on: 'accelerator:' in its file"},
    KindEntry{BuiltinKind::kMix, "mix", "mixes", "is what 'inlay batch' simulates"},
    KindEntry{BuiltinKind::kTechnology, "technology", "technologies",
              "prices an architecture: 'technology:' in its file, {} of 'inlay codesign'",
              "technology"},
    KindEntry{BuiltinKind::kExample, "example", "examples", "is what 'inlay eval' takes"},
    KindEntry{BuiltinKind::kStudy, "study", "studies", "is what 'inlay study' runs"},
};
constexpr std::string_view kExtension = ".yaml";
constexpr std::string_view kDescription = "description: ";

const KindEntry& EntryOf(BuiltinKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [kind](const KindEntry& entry) { return entry.kind == kind; });
}

// The name of a file of this kind, or "" for other files.
std::string_view NameOf(const EmbeddedFile& file, BuiltinKind kind) {
  std::string_view path = file.path;
  const std::string folder = std::string(EntryOf(kind).folder) + "/";
  if (!path.starts_with(folder) || !path.ends_with(kExtension)) return "";
  path.remove_prefix(folder.size());
  path.remove_suffix(kExtension.size());
  return path;
}

const EmbeddedFile* FindFile(BuiltinKind kind, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (NameOf(file, kind) == name) return &file;
  }
  return nullptr;
}

// Our own files say it on a line of its own; listing them needs no YAML.
std::string DescriptionOf(std::string_view text) {
  const size_t at = text.find("\n" + std::string(kDescription));
  if (at == std::string_view::npos) return "";
  const size_t begin = at + 1 + kDescription.size();
  return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Numbers inside the names compare by value.
bool ComesBefore(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    const auto digits = [](std::string_view text) {
      return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) -
                                 text.begin());
    };
    const size_t m = digits(a), n = digits(b);
    if (m > 0 && n > 0) {
      if (m != n) return m < n;  // no name starts a number with 0
      const int order = a.substr(0, m).compare(b.substr(0, n));
      if (order != 0) return order < 0;
      a.remove_prefix(m);
      b.remove_prefix(n);
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  return a.size() < b.size();
}

Diagnostic ErrorAt(const Node& where, const Fault& fault) {
  return where.Error(fault.message, fault.hint);
}

std::string WithArticle(const std::string& noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

// Each once, in order.
std::vector<std::string> NamesOf(const Network& network) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Layer& layer : network.layers) {
    if (known.insert(layer.name).second) names.push_back(layer.name);
  }
  return names;
}

// The layers that begin with the word, a few of them; "" if there are none.
std::string LayersThatBegin(const std::string& word, const std::vector<std::string>& names) {
  constexpr size_t kMost = 4;
  std::string list;
  size_t found = 0;
  for (const std::string& name : names) {
    if (word.empty() || !name.starts_with(word)) continue;
    if (++found <= kMost) list += (found == 1 ? "'" : ", '") + name + "'";
  }
  if (found == 0) return "";
  return "did you mean " + list + (found > kMost ? ", ...?" : "?");
}

// A list of layers and a graph call the same layers by different names; a hint has those of one.
std::string LayerHint(const std::string& word, const std::vector<Network>& schemes) {
  for (const Network& scheme : schemes) {
    if (std::string hint = LayersThatBegin(word, NamesOf(scheme)); !hint.empty()) return hint;
  }
  for (const Network& scheme : schemes) {
    const auto names = NamesOf(scheme);
    if (Suggest(word, names)) return SuggestionHint(word, names);
  }
  return SuggestionHint(word, NamesOf(schemes.front()));
}

}  // namespace

Result<Inputs> SelectLayer(Inputs inputs, std::string_view layer_name) {
  std::vector<Network> schemes;
  if (inputs.network) schemes.push_back(*std::move(inputs.network));
  if (inputs.graph) schemes.push_back(LayersOf(*inputs.graph));
  const std::string name =
      schemes.front().name.empty() ? schemes.back().name : schemes.front().name;
  for (Network& scheme : schemes) {
    const auto found = std::find_if(scheme.layers.begin(), scheme.layers.end(),
                                    [&](const Layer& layer) { return layer.name == layer_name; });
    if (found == scheme.layers.end()) continue;
    Layer layer = std::move(*found);
    layer.repeat = 1;
    inputs.problem = layer.problem;
    inputs.graph.reset();
    inputs.network = Network{name, {std::move(layer)}};
    return inputs;
  }
  const std::string layer(layer_name);
  return Fail(MakeError({},
                        (name.empty() ? "this network" : name) + " has no layer '" + layer + "'",
                        LayerHint(layer, schemes)));
}

std::vector<BuiltinKind> BuiltinKinds() {
  std::vector<BuiltinKind> kinds;
  kinds.reserve(kKinds.size());
  for (const KindEntry& entry : kKinds) kinds.push_back(entry.kind);
  return kinds;
}

const char* Name(BuiltinKind kind) { return EntryOf(kind).name; }

std::optional<BuiltinKind> BuiltinKindFromName(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const KindEntry& entry : kKinds) {
    if (lower == entry.name || lower == entry.folder) return entry.kind;
  }
  return std::nullopt;
}

std::vector<Builtin> ListBuiltins(BuiltinKind kind) {
  std::vector<Builtin> builtins;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    const std::string_view name = NameOf(file, kind);
    if (name.empty()) continue;
    builtins.push_back({kind, std::string(name), DescriptionOf(file.text)});
  }
  std::sort(builtins.begin(), builtins.end(),
            [](const Builtin& a, const Builtin& b) { return ComesBefore(a.name, b.name); });
  return builtins;
}

std::vector<std::string> BuiltinNames(BuiltinKind kind) {
  std::vector<std::string> names;
  for (const Builtin& builtin : ListBuiltins(kind)) names.push_back(builtin.name);
  return names;
}

std::vector<std::string> BuiltinGraphNames() {
  std::vector<std::string> names;
  for (std::string& name : BuiltinNames(BuiltinKind::kNetwork)) {
    // Our own files have the key of a document at the beginning of a line.
    const std::string_view text = FindFile(BuiltinKind::kNetwork, name)->text;
    if (text.find("\nnetwork:") != std::string_view::npos) names.push_back(std::move(name));
  }
  return names;
}

Fault UnknownBuiltin(const std::vector<BuiltinKind>& kinds, const std::string& name, bool or_file) {
  const KindEntry& wanted = EntryOf(kinds.front());
  for (const KindEntry& entry : kKinds) {
    const bool may_stand_here = std::find(kinds.begin(), kinds.end(), entry.kind) != kinds.end();
    if (may_stand_here || !IsBuiltin(entry.kind, name)) continue;
    return {"",
            "'" + name + "' is " + WithArticle(entry.name) + ", not " + WithArticle(wanted.name),
            WithArticle(entry.name) + " " +
                fmt::format(fmt::runtime(entry.use), Mention(entry.option)) + "; " +
                MentionListOf(wanted.name) + " lists the " + wanted.folder};
  }
  // Of a place for anything no kind is named, and no list of names is complete.
  const bool any = kinds.size() == kKinds.size();
  const std::string word = name.substr(0, name.find('/'));
  std::string hint;
  for (const BuiltinKind kind : kinds) {
    if (hint.empty() && Suggest(word, BuiltinNames(kind))) {
      hint = SuggestionHint(word, BuiltinNames(kind));
    }
  }
  if (hint.empty()) {
    hint = any ? "'inlay list' lists the built-ins"
               : SuggestionHint(word, BuiltinNames(kinds.front()));
  }
  const std::string what = any ? "built-in" : std::string("built-in ") + wanted.name;
  const std::string message =
      or_file ? "there is neither a " + what + " nor a file '" : "there is no " + what + " '";
  return {"", message + name + "'", hint};
}

bool IsBuiltin(BuiltinKind kind, std::string_view name) {
  if (kind == BuiltinKind::kNetwork) name = name.substr(0, name.find('/'));
  return FindFile(kind, name) != nullptr;
}

Result<Source> BuiltinSource(BuiltinKind kind, std::string_view name) {
  const EmbeddedFile* file = FindFile(kind, name);
  if (file == nullptr) {
    const Fault fault = UnknownBuiltin({kind}, std::string(name), false);
    return Fail(MakeError({}, fault.message, fault.hint));
  }
  return Source{"library/" + std::string(file->path), std::string(file->text)};
}

Result<Inputs> LoadBuiltin(BuiltinKind kind, std::string_view name, const DecoderValues& values) {
  std::optional<std::string_view> layer;
  if (const size_t slash = name.find('/');
      kind == BuiltinKind::kNetwork && slash != std::string_view::npos) {
    layer = name.substr(slash + 1);
    name = name.substr(0, slash);
  }
  auto source = BuiltinSource(kind, name);
  if (!source) return Fail(std::move(source.error()));
  // A technology refers to nothing; leaving the context out keeps files from going in circles.
  auto inputs =
      ReadNative({*std::move(source)},
                 kind == BuiltinKind::kTechnology ? NativeContext() : BuiltinContext(values));
  if (!inputs || !layer) return inputs;
  return SelectLayer(*std::move(inputs), *layer);
}

Result<Technology> LoadBuiltinTechnology(std::string_view name) {
  auto inputs = LoadBuiltin(BuiltinKind::kTechnology, name);
  if (!inputs) return Fail(std::move(inputs.error()));
  return *std::move(inputs->technology);
}

std::string GraphHint() {
  std::string names;
  for (const std::string& name : BuiltinGraphNames()) names += (names.empty() ? "" : ", ") + name;
  return "give a network that is a graph: a built-in (" + names +
         "), an ONNX model, or a native file with 'network:'";
}

Result<std::shared_ptr<const Graph>> BuiltinGraph(const std::string& name, const Node& where,
                                                  const DecoderValues& values) {
  if (name.find('/') != std::string::npos || !IsBuiltin(BuiltinKind::kNetwork, name)) {
    return Fail(ErrorAt(where, UnknownBuiltin({BuiltinKind::kNetwork}, name, false)));
  }
  auto inputs = LoadBuiltin(BuiltinKind::kNetwork, name, values);
  if (!inputs) return Fail(std::move(inputs.error()));
  if (!inputs->graph) {
    return Fail(where.Error(
        "'" + name + "' is a list of layers, without what they pass to each other", GraphHint()));
  }
  return std::make_shared<const Graph>(*std::move(inputs->graph));
}

NativeContext BuiltinContext(const DecoderValues& values) {
  // The text of what a file names, or an error at the name.
  const auto text_of = [](BuiltinKind kind) {
    return [kind](const std::string& name, const Node& where) -> Result<Source> {
      if (IsBuiltin(kind, name)) return BuiltinSource(kind, name);
      return Fail(ErrorAt(where, UnknownBuiltin({kind}, name, false)));
    };
  };
  NativeContext context;
  context.decoder_values = values;
  context.find_technology = [](const std::string& name, const Node& where) -> Result<Technology> {
    if (!IsBuiltin(BuiltinKind::kTechnology, name)) {
      return Fail(ErrorAt(where, UnknownBuiltin({BuiltinKind::kTechnology}, name, false)));
    }
    return LoadBuiltinTechnology(name);
  };
  context.find_architecture = text_of(BuiltinKind::kArchitecture);
  context.find_accelerator = text_of(BuiltinKind::kAccelerator);
  context.find_graph =
      [values](const std::string& name,
               const Node& where) -> Result<WithWarnings<std::shared_ptr<const Graph>>> {
    auto graph = BuiltinGraph(name, where, values);
    if (!graph) return Fail(std::move(graph.error()));
    return WithWarnings<std::shared_ptr<const Graph>>{*std::move(graph), {}};
  };
  return context;
}

}  // namespace inlay::io
