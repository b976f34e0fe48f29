#include <algorithm>
#include <utility>

#include "cli/deliver.h"
#include "cli/session.h"
#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "inlay/io/json/show.h"
#include "inlay/io/library/library.h"

namespace inlay::cli {
namespace {

std::string Summary(const std::vector<io::ListedBuiltin>& builtins, const TextStyle& style) {
  Table table({{"kind", Align::kLeft}, {"name", Align::kLeft}, {"what it is", Align::kLeft}});
  std::string previous;
  for (const io::ListedBuiltin& builtin : builtins) {
    table.AddRow({builtin.kind == previous ? "" : builtin.kind,
                  {builtin.name, Tone::kBold},
                  builtin.sentence});
    previous = builtin.kind;
  }
  return table.Render(style);
}

ExitCode RunList(const Invocation& invocation, Session* session) {
  std::vector<io::BuiltinKind> kinds = io::BuiltinKinds();
  if (!invocation.arguments.empty()) {
    const std::string& word = invocation.arguments.front();
    const auto kind = io::BuiltinKindFromName(word);
    if (!kind) {
      std::vector<std::string> names(kinds.size());
      std::transform(kinds.begin(), kinds.end(), names.begin(),
                     [](io::BuiltinKind known) { return io::Name(known); });
      session->Report({MakeError({}, "there are no built-ins of kind '" + word + "'",
                                 SuggestionHint(word, names))});
      return kWrongInput;
    }
    kinds = {*kind};
  }
  auto folder = ClaimOutput(invocation.options, session);
  if (!folder) return kWrongInput;
  io::ListResult result;
  result.header = {"list", std::string(kVersion), {}, invocation.options.ForResult()};
  for (io::BuiltinKind kind : kinds) {
    for (io::Builtin& builtin : io::ListBuiltins(kind)) {
      result.builtins.push_back(
          {io::Name(kind), std::move(builtin.name), std::move(builtin.description)});
    }
  }
  const auto summary = [&](const TextStyle& style) { return Summary(result.builtins, style); };
  return Deliver({io::WriteListResult(result), summary, {}}, &*folder, session);
}

}  // namespace

Command ListCommand() {
  return {
      .name = "list",
      .sentence = "what is built in",
      .usages = {"[KIND] [OPTIONS]"},
      .details = "",
      .arguments = {{.name = "KIND",
                     .sentence = "only architectures, networks, technologies or examples",
                     .required = false}},
      .options = {OutputFolderOption(), JsonOption(), AsciiOption(), QuietOption()},
      .examples = {{"inlay list networks", "the built-in networks"}},
      .run = RunList,
  };
}

}  // namespace inlay::cli
