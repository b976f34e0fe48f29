#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/result.h"
#include "inlay/core/architecture.h"
#include "inlay/core/budget.h"
#include "inlay/core/fused_mapping.h"
#include "inlay/core/graph.h"
#include "inlay/core/machine.h"
#include "inlay/core/mapping.h"
#include "inlay/core/mix.h"
#include "inlay/core/network.h"
#include "inlay/core/problem.h"
#include "inlay/core/technology.h"
#include "inlay/io/decoder_values.h"
#include "inlay/io/file.h"
#include "inlay/io/inputs.h"
#include "inlay/io/yaml/node.h"

namespace inlay::io {

// Inlay's own YAML format, "inlay/1". See docs/reference/native-format.md.

// The text of what a file names; `where` is the name's place in it.
using FindSource = std::function<Result<Source>(const std::string& name, const Node& where)>;

// What lies outside the files.
struct NativeContext {
  // The technology that an architecture names and the files do not hold. `where` is the name's
  // place in the file. Empty: there are none.
  std::function<Result<Technology>(const std::string& name, const Node& where)> find_technology;
  // The text of the architecture that a variant in a study is like, or a unit of a machine has: a
  // built-in's, or a file's by its path from the one that names it.
  // Empty: there are none.
  FindSource find_architecture;
  // The same of the accelerator that a mix names or is like. Empty: there are none.
  FindSource find_accelerator;
  // The network that a workload of a mix names: a built-in, or a file beside the mix. Empty: there
  // are none.
  std::function<Result<WithWarnings<std::shared_ptr<const Graph>>>(const std::string& name,
                                                                   const Node& where)>
      find_graph;
  // For the decoders among the networks.
  DecoderValues decoder_values;
  // Whether an architecture may have free attributes and a budget; the inputs then hold a family
  // instead of it. If not, each of them is an error.
  bool families = false;
};

// Reads files, of one or more documents each, into one set of inputs. A kind (problem,
// architecture, …) may occur once in the set. On failure, all errors of all files, in order.
Result<Inputs> ReadNative(std::vector<Source> files, const NativeContext& context = {});

// Whether a text says that it is in the native format, whatever version. Never fails.
bool LooksLikeNative(const Source& source);

// The kinds that JsonSchema knows; the last is "all", a document with any of them.
std::vector<std::string> SchemaKinds();

// The JSON Schema of documents that hold `kind`, one of SchemaKinds().
std::string JsonSchema(std::string_view kind);

// Writers. The text is one document; reading it gives the same value again. Values are valid.
std::string WriteNative(const Problem& problem);
std::string WriteNative(const Technology& technology);
std::string WriteNative(const Network& network);
std::string WriteNative(const Graph& graph);
// A unit's architecture is written as its name only; the reader must find it by that.
std::string WriteNative(const Machine& machine);
std::string WriteNative(const Accelerator& accelerator);
// The accelerator in full, the networks by their names; the reader must find them by those.
std::string WriteNative(const Mix& mix);
// The technology is written as its name where the context finds an equal one by that name, else in
// full.
std::string WriteNative(const Architecture& architecture, const NativeContext& context = {});
std::string WriteNative(const Problem& problem, const Architecture& architecture,
                        const Mapping& mapping);
// The lines of a mapping, outer to inner, without list markers or quotes.
std::vector<std::string> MappingLines(const Problem& problem, const Architecture& architecture,
                                      const Mapping& mapping);
// A tree with its problem, and the lines of it as the file has them, each with its indentation.
std::string WriteNative(const FusedProblem& problem, const Architecture& architecture,
                        const FusedTree& tree);
std::vector<std::string> FusedTreeLines(const FusedProblem& problem,
                                        const Architecture& architecture, const FusedTree& tree);
// The tree that such lines say. Errors are at lines of `name`, the first of which is line 1.
Result<FusedTree> ReadFusedTreeLines(const std::vector<std::string>& lines,
                                     const FusedProblem& problem, const Architecture& architecture,
                                     const std::string& name);

// Sets a key of an accelerator to a text as files have it ("memory", "20 MiB"); of an array to
// "128x128". The key is one of AcceleratorKeys(). Errors have no place.
std::vector<std::string> AcceleratorKeys();
Result<void> SetAcceleratorKey(std::string_view key, std::string_view text,
                               Accelerator* accelerator);

// What a budget of one resource says, as in a file: "2.4 mm2", "128 KiB".
tl::expected<double, Fault> ParseBudget(Resource resource, std::string_view text,
                                        const Architecture& architecture);

// The name by which native files call the fan-out below a level: its own, or one made up from the
// level's where it has none.
std::string FanoutName(const Architecture& architecture, LevelId level);

}  // namespace inlay::io
