#include "cli/program.h"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/long_search.h"
#include "cli/man.h"
#include "cli/parse_command_line.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "inlay/io/descriptor.h"

namespace inlay::cli {
namespace {

ExitCode UnknownCommand(const std::string& word, Session* session) {
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.emplace_back(command.name);
  const bool flag = word.starts_with("-");
  session->Report({MakeError(
      {},
      flag ? "unknown option '" + word + "' before any command" : "unknown command '" + word + "'",
      flag ? "'inlay --help' lists the commands; options come after them"
           : SuggestionHint(word, names))});
  return kWrongInput;
}

bool AsksForHelp(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

ExitCode RunCommand(const Command& command, const std::vector<std::string>& words,
                    TerminalSession* session) {
  if (AsksForHelp(words)) {
    session->Print(CommandHelp(command));
    return kDone;
  }
  auto invocation = ParseInvocation(command, words);
  if (!invocation) {
    session->Report(invocation.error());
    return kWrongInput;
  }
  session->Configure(command, invocation->options);
  std::optional<LongSearchNote> note;
  if (!command.common_options.time_limit.empty()) {
    note.emplace([session, &command] {
      session->Remark("inlay " + std::string(command.name) +
                      " --quiet: this has taken more than a minute and goes on; Ctrl-C ends it, "
                      "--time-limit limits it");
    });
  }
  return command.run(*invocation, session);
}

// What --help, --version and the like print; nullopt for a command.
std::optional<Result<std::string>> TextInsteadOfCommand(const std::vector<std::string>& words) {
  const std::string& first = words.front();
  if (first == "--help" || first == "-h") return OverviewHelp();
  if (first == "--version") return "inlay " + std::string(kVersion) + "\n";
  if (first == "--completion") return CompletionScript(words.size() > 1 ? words[1] : "");
  // For those who build: the reference page and the manual.
  if (first == "--help-markdown") return ReferencePage();
  if (first == "--help-man") return ManPage();
  return std::nullopt;
}

const Command* FindCommand(const std::string& name) {
  for (const Command& command : Commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

// "inlay help", "inlay help map", "inlay help study merge": as with --help.
ExitCode Help(const std::vector<std::string>& words, Session* session) {
  if (words.empty() || words.front().starts_with("-")) {
    session->Print(OverviewHelp());
    return kDone;
  }
  const Command* command = FindCommand(words.front());
  if (command == nullptr) return UnknownCommand(words.front(), session);
  session->Print(CommandHelp(*command));
  return kDone;
}

ExitCode Dispatch(const std::vector<std::string>& words, TerminalSession* session) {
  if (words.empty()) {
    session->Report({MakeError({}, "no command was given", "'inlay --help' lists them")});
    return kWrongInput;
  }
  const std::string& first = words.front();
  if (first == "help") return Help({words.begin() + 1, words.end()}, session);
  if (const auto text = TextInsteadOfCommand(words)) {
    if (!*text) session->Report(text->error());
    if (!*text) return kWrongInput;
    session->Print(**text);
    return kDone;
  }
  if (const Command* command = FindCommand(first)) {
    return RunCommand(*command, {words.begin() + 1, words.end()}, session);
  }
  return UnknownCommand(first, session);
}

// Said even after Ctrl-C, when what is wrong with inputs no longer matters.
ExitCode OurFault(const std::string& what) {
  io::WriteAll(
      2, Format(MakeError({}, "internal error: " + what,
                          "this is a fault of Inlay, not of your input; please report it with "
                          "this message, the command and its input files")));
  return kOurFault;
}

}  // namespace

int RunProgram(const std::vector<std::string>& words) {
  const StopFlag* stop = HandleSignals();
  TerminalSession session(stop);
  ExitCode code = kDone;
  try {
    code = Dispatch(words, &session);
  } catch (const std::bad_alloc&) {
    session.Report({MakeError({}, "out of memory", "try a smaller problem")});
    return kOurFault;
  } catch (const std::exception& error) {
    return OurFault(error.what());
  }
  if (stop->Requested()) {
    TerminalSession::ReportInterrupt();
    return kInterrupted;
  }
  return code == kDone && session.output_failed() ? kWrongInput : code;
}

}  // namespace inlay::cli
