#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <utility>

#include "inlay/base/suggest.h"

namespace inlay::cli {
namespace {

std::string HelpHint(const Command& command) {
  return "'inlay " + std::string(command.name) + " --help' shows what it takes";
}

// What CLI11 keeps of one option until it is checked.
struct RawOption {
  const Option* record = nullptr;
  CLI::Option* parsed = nullptr;
  std::string text;
};

std::deque<RawOption> AddOptions(const Command& command, CLI::App* app) {
  std::deque<RawOption> raw;  // a deque: CLI11 keeps references to the texts
  for (const Option& option : command.options) {
    RawOption& entry = raw.emplace_back();
    entry.record = &option;
    std::string names = FlagOf(option);
    if (option.short_name != 0) names += std::string(",-") + option.short_name;
    entry.parsed = option.type == OptionType::kFlag ? app->add_flag(names)
                                                    : app->add_option(names, entry.text);
  }
  return raw;
}

Diagnostic UnexpectedWord(const Command& command, const std::string& word) {
  if (!word.starts_with("-")) {
    return MakeError({}, "unexpected argument '" + word + "'", HelpHint(command));
  }
  std::vector<std::string> flags = {"--help"};
  for (const Option& option : command.options) flags.push_back(FlagOf(option));
  const std::string flag = word.substr(0, word.find('='));
  const auto near = Suggest(flag, flags);
  return MakeError({}, "inlay " + std::string(command.name) + " has no option '" + flag + "'",
                   near ? "did you mean '" + *near + "'?" : HelpHint(command));
}

// CLI11's words in ours. It reports an option without its value and one given twice as the same
// error, "--name: …".
Diagnostic FromException(const Command& command, const CLI::ParseError& error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = message.find("missing") != std::string::npos;
    message = message.substr(0, message.find(':')) +
              (missing ? " needs a value" : " is given more than once");
  }
  return MakeError({}, message, HelpHint(command));
}

// CLI11 lets a flag have a value (--json=no); we do not.
bool HasValue(const CLI::Option& flag) {
  return std::any_of(flag.results().begin(), flag.results().end(),
                     [](const std::string& result) { return result != "true"; });
}

void CheckArguments(const Command& command, const std::vector<std::string>& given,
                    Diagnostics* errors) {
  const bool open_ended = !command.arguments.empty() && command.arguments.back().repeated;
  if (!open_ended && given.size() > command.arguments.size()) {
    errors->push_back(UnexpectedWord(command, given[command.arguments.size()]));
  }
  for (size_t i = given.size(); i < command.arguments.size(); ++i) {
    if (!command.arguments[i].required) continue;
    errors->push_back(MakeError({},
                                "inlay " + std::string(command.name) + " needs " +
                                    std::string(command.arguments[i].name) + ": " +
                                    std::string(command.arguments[i].sentence),
                                HelpHint(command)));
  }
}

}  // namespace

Result<Invocation> ParseInvocation(const Command& command, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::string> arguments;
  app.add_option("ARGUMENTS", arguments);
  std::deque<RawOption> raw = AddOptions(command, &app);
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    return Fail(FromException(command, error));
  }
  Diagnostics errors;
  for (const std::string& word : app.remaining()) {
    if (word != "--")
      errors.push_back(UnexpectedWord(command, word));  // CLI11 leaves the mark there
  }
  CheckArguments(command, arguments, &errors);
  Invocation invocation{std::move(arguments), OptionValues(command.options)};
  for (const RawOption& option : raw) {
    if (option.parsed->count() == 0) continue;
    if (option.record->type == OptionType::kFlag && HasValue(*option.parsed)) {
      errors.push_back(MakeError({}, FlagOf(*option.record) + " takes no value"));
    }
    auto set = invocation.options.Set(option.record->name, option.text);
    if (!set) errors.insert(errors.end(), set.error().begin(), set.error().end());
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return invocation;
}

}  // namespace inlay::cli
