#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/fault.h"
#include "inlay/core/technology.h"
#include "inlay/io/inputs.h"
#include "inlay/io/native/native.h"

namespace inlay::io {

// What is built in: the files of the folder library/, by subfolder.
enum class BuiltinKind {
  kArchitecture,
  kNetwork,
  kMachine,
  kAccelerator,
  kMix,
  kTechnology,
  kExample,
  kStudy
};

std::vector<BuiltinKind> BuiltinKinds();
const char* Name(BuiltinKind kind);  // "architecture", …
// Takes the name or its plural, whatever the case.
std::optional<BuiltinKind> BuiltinKindFromName(std::string_view name);

struct Builtin {
  BuiltinKind kind;
  std::string name;         // of the file, without folder and extension
  std::string description;  // one line
};

// In the order people count: toy-9 comes before toy-15.
std::vector<Builtin> ListBuiltins(BuiltinKind kind);
std::vector<std::string> BuiltinNames(BuiltinKind kind);

// The networks that are graphs, and not only lists of layers.
std::vector<std::string> BuiltinGraphNames();

// What to give where a list of layers is not enough, with their names.
std::string GraphHint();

// What is wrong with a name that is no built-in of the first kind, nor of the others that could
// stand there: it is one of another kind, or nearly one of these, or none. `or_file`: a file could
// stand there, too, and there is none.
Fault UnknownBuiltin(const std::vector<BuiltinKind>& kinds, const std::string& name, bool or_file);

// Whether `name` (of a network also "network/layer") could only be meant as a built-in; the layer
// is not looked up.
bool IsBuiltin(BuiltinKind kind, std::string_view name);

// Reads a built-in. "resnet50/conv2_1_3x3" is one layer of a network: the network then has that
// layer only, once, and the problem is its problem. Unknown names are errors with a proposal.
Result<Inputs> LoadBuiltin(BuiltinKind kind, std::string_view name,
                           const DecoderValues& values = {});

// Narrows a network, which there must be, down to one layer, as above. Where there are a list of
// layers and a graph, the list is looked through first.
Result<Inputs> SelectLayer(Inputs inputs, std::string_view layer_name);

// The text of a built-in as it lies in library/.
Result<Source> BuiltinSource(BuiltinKind kind, std::string_view name);

Result<Technology> LoadBuiltinTechnology(std::string_view name);

// Lets native files name what is built in: technologies, architectures, accelerators, networks.
NativeContext BuiltinContext(const DecoderValues& values = {});

// A built-in network as a graph. An error at `where` for names that are none, and for lists of
// layers.
Result<std::shared_ptr<const Graph>> BuiltinGraph(const std::string& name, const Node& where,
                                                  const DecoderValues& values = {});

}  // namespace inlay::io
