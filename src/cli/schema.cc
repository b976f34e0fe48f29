#include "inlay/io/json/schema.h"

#include <algorithm>
#include <array>

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

// What can be said of results instead of JSON Schema; of two that are asked for, the first.
struct Form {
  const char* option;
  const char* sentence;
  std::string (*text)();
};
constexpr auto kForms = std::to_array<Form>({
    {"typescript", "of result: interfaces of TypeScript instead", io::ResultTypeScript},
    {"markdown", "of result: the reference page of its keys instead", io::ResultMarkdown},
});

std::vector<Option> FormOptions() {
  std::vector<Option> options;
  options.reserve(kForms.size());
  for (const Form& form : kForms) {
    options.push_back({.key = form.option, .sentence = form.sentence, .type = OptionType::kFlag});
  }
  return options;
}

ExitCode RunSchema(const Invocation& invocation, Session* session) {
  const std::vector<std::string> kinds = Kinds();
  const std::string& kind = invocation.arguments.front();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    session->Report(
        {MakeError({}, "there is no schema of '" + kind + "'", SuggestionHint(kind, kinds))});
    return kWrongInput;
  }
  for (const Form& form : kForms) {
    if (!invocation.options.Flag(form.option)) continue;
    if (kind != "result") {
      const std::string option = std::string("--") + form.option;
      session->Report({MakeError({}, option + " is for result", "inlay schema result " + option)});
      return kWrongInput;
    }
    session->Print(form.text());
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
      .options = FormOptions(),
      .examples = {{"inlay schema all > inlay.schema.json",
                    "the schema of every native file, for an editor's settings"}},
      .run = RunSchema,
  };
}

}  // namespace inlay::cli
