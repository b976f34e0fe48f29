#include "cli/emit_program.h"

#include <fmt/format.h>

#include <utility>

#include "cli/session.h"
#include "inlay/base/mention.h"
#include "inlay/emit/emit_c.h"

namespace inlay::cli {
namespace {

constexpr const char* kFileName = "kernel.c";

}  // namespace

Option EmitOption() {
  return {.key = "emit",
          .sentence =
              "a program that does what the mapping says, with every copy of a tile between "
              "levels, compares what it computes with the plain loops, and counts the words "
              "(exact semantics): kernel.c in the folder of --output; without it, on "
              "standard output instead of the summary",
          .type = OptionType::kChoice,
          .choices = {"c"}};
}

bool EmitsProgram(const OptionValues& options) { return options.Has("emit"); }

bool CanEmit(const OptionValues& options, size_t programs, Session* session) {
  // Python takes programs as files of the result.
  if (!EmitsProgram(options) || options.Has("output") || !session->OwnsProcess()) return true;
  if (programs <= 1 && !options.Flag("json")) return true;
  session->Report({MakeError(
      {},
      programs > 1 ? fmt::format("{} programs cannot go to standard output together", programs)
                   : fmt::format("{} and {} cannot both go to standard output",
                                 Mention("emit", options.Text("emit")), Mention("json")),
      "write them into a folder: " + Mention("output", "DIR"))});
  return false;
}

bool CanEmit(const OptionValues& options, const FusedProblem& problem, Session* session) {
  const auto fault = EmitsProgram(options) ? CannotEmit(problem) : std::nullopt;
  if (fault) session->Report(run::ErrorsOf({*fault}));
  return !fault;
}

OutputFile ProgramFile(std::string text) { return {kFileName, std::move(text)}; }

void PrintProgram(const std::optional<OutputFolder>& folder, Delivery* delivery) {
  if (folder) return;
  for (const OutputFile& file : delivery->files) {
    if (file.name != kFileName) continue;
    delivery->instead_of_summary = file.text;
    return;
  }
}

}  // namespace inlay::cli
