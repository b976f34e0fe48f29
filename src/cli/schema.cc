#include "inlay/io/json/schema.h"

#include <algorithm>

#include "cli/session.h"
#include "inlay/base/suggest.h"
#include "inlay/io/native/native.h"

namespace inlay::cli {
namespace {

std::vector<std::string> Kinds() {
  std::vector<std::string> kinds = io::SchemaKinds();
  kinds.emplace_back("plan");
  kinds.emplace_back("result");
  return kinds;
}

// Lives as long as the process: records of commands hold views of texts.
const std::string& Details() {
  static const std::string details = [] {
    std::string native;
    for (const std::string& kind : io::SchemaKinds()) {
      if (kind != "all") native += (native.empty() ? "" : ", ") + kind;
    }
    return "KIND is what a native file holds (" + native +
           "), all for a file with any of them, plan for plan.json, or result for result.json of "
           "any command.";
  }();
  return details;
}

ExitCode RunSchema(const Invocation& invocation, Session* session) {
  const std::vector<std::string> kinds = Kinds();
  const std::string& kind = invocation.arguments.front();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    session->Report(
        {MakeError({}, "there is no schema of '" + kind + "'", SuggestionHint(kind, kinds))});
    return kWrongInput;
  }
  if (invocation.options.Flag("typescript")) {
    if (kind != "result") {
      session->Report({MakeError({}, "--typescript: only result.json has types for pages",
                                 "inlay schema result --typescript")});
      return kWrongInput;
    }
    session->Print(io::ResultTypeScript());
    return kDone;
  }
  session->Print(kind == "result" ? io::ResultSchema()
                 : kind == "plan" ? io::PlanSchema()
                                  : io::JsonSchema(kind));
  return kDone;
}

}  // namespace

Command SchemaCommand() {
  return {
      .name = "schema",
      .sentence = "the JSON Schema of a kind of file, for editors that check and complete",
      .usages = {"KIND"},
      .details = Details(),
      .arguments = {{.name = "KIND", .sentence = "what kind of file"}},
      .options = {{.name = "typescript",
                   .sentence = "of result: interfaces of TypeScript instead",
                   .type = OptionType::kFlag}},
      .examples = {{"inlay schema all > inlay.schema.json",
                    "the schema of every native file, for an editor's settings"}},
      .run = RunSchema,
  };
}

}  // namespace inlay::cli
