#include "cli/parse_command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <map>
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
  std::vector<std::string> texts;  // one, but for assignments
};

std::deque<RawOption> AddOptions(const Command& command, CLI::App* app) {
  std::deque<RawOption> raw;  // a deque: CLI11 keeps references to the texts
  for (const Option& option : command.options) {
    RawOption& entry = raw.emplace_back();
    entry.record = &option;
    std::string names = FlagOf(option);
    if (option.short_name != 0) names += std::string(",-") + option.short_name;
    if (option.type == OptionType::kFlag) {
      entry.parsed = app->add_flag(names);
      continue;
    }
    // One word each time, but for options that take all words that follow.
    entry.parsed = app->add_option(names, entry.texts)->allow_extra_args(option.takes_words);
  }
  return raw;
}

// The option that a word names, "--arch" or "-q"; none: it names none.
RawOption* OptionOf(std::string_view word, std::deque<RawOption>* raw) {
  for (RawOption& option : *raw) {
    const char short_name = option.record->short_name;
    const bool is_short = short_name != 0 && word == std::string("-") + short_name;
    if (is_short || word == FlagOf(*option.record)) return &option;
  }
  return nullptr;
}

// CLI11 takes the word behind an option for its value, even where it is another option.
Diagnostics OptionsWithoutValue(const Command& command, const std::vector<std::string>& words,
                                std::deque<RawOption>* raw) {
  Diagnostics errors;
  for (size_t i = 0; i + 1 < words.size() && words[i] != "--"; ++i) {
    const RawOption* option = OptionOf(words[i], raw);
    if (option == nullptr || option->record->type == OptionType::kFlag) continue;
    const std::string& next = words[i + 1];
    if (OptionOf(next.substr(0, next.find('=')), raw) == nullptr) continue;
    errors.push_back(MakeError({}, FlagOf(*option->record) + " needs a value, found '" + next + "'",
                               "write " + UsageOf(*option->record) + "; " + HelpHint(command)));
  }
  return errors;
}

// "--arch a.yaml b.yaml WORKLOAD": where a command's only argument is missing, it is the last word
// behind an option that takes all that follow, the last such one that has another word.
void GiveBackArgument(const Command& command, const std::vector<std::string>& words,
                      std::deque<RawOption>* raw, std::vector<std::string>* arguments) {
  if (!arguments->empty() || command.arguments.size() != 1) return;
  if (!command.arguments.front().required) return;
  std::map<RawOption*, size_t> counts;  // words of each option so far
  RawOption* option = nullptr;          // whose words these are
  RawOption* latest = nullptr;
  size_t here = 0, at = 0;  // how many words it has here; the place of the latest one in its texts
  for (const std::string& word : words) {
    if (word == "--") break;
    if (word.size() > 1 && word.starts_with("-")) {
      const size_t sign = std::min(word.find('='), word.size());
      option = OptionOf(word.substr(0, sign), raw);
      here = sign < word.size() ? 1 : 0;
      if (option != nullptr) counts[option] += here;
    } else if (option != nullptr && option->record->takes_words) {
      const size_t count = ++counts[option];
      if (++here < 2) continue;
      latest = option;
      at = count - 1;
    } else if (option != nullptr) {
      ++counts[option];
      option = nullptr;  // it takes one word only
    }
  }
  if (latest == nullptr || at >= latest->texts.size()) return;
  const auto word = latest->texts.begin() + static_cast<std::ptrdiff_t>(at);
  arguments->push_back(std::move(*word));
  latest->texts.erase(word);
}

Diagnostic UnexpectedWord(const Command& command, const std::string& word) {
  if (!word.starts_with("-")) {
    std::string hint = HelpHint(command);
    if (command.arguments.size() == 1) {
      const Argument& only = command.arguments.front();
      hint = "it takes one " + std::string(only.name) + ", " + std::string(only.sentence) + "; " +
             hint;
    }
    return MakeError({}, "unexpected argument '" + word + "'", hint);
  }
  std::vector<std::string> flags = {"--help"};
  for (const Option& option : command.options) flags.push_back(FlagOf(option));
  const std::string flag = word.substr(0, word.find('='));
  const auto near = Suggest(flag, flags);
  return MakeError({}, "inlay " + std::string(command.name) + " has no option '" + flag + "'",
                   near ? "did you mean '" + *near + "'?" : HelpHint(command));
}

// CLI11's words in ours. The only mismatch left to it is an option without its value,
// "--name: …".
Diagnostic FromException(const Command& command, const CLI::ParseError& error) {
  std::string message = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    message = message.substr(0, message.find(':')) + " needs a value";
  }
  return MakeError({}, message, HelpHint(command));
}

// CLI11 lets a flag have a value (--json=no); we do not.
bool HasValue(const CLI::Option& flag) {
  return std::any_of(flag.results().begin(), flag.results().end(),
                     [](const std::string& result) { return result != "true"; });
}

void SetOption(const Option& record, const CLI::Option& parsed,
               const std::vector<std::string>& texts, const std::string& hint, OptionValues* values,
               Diagnostics* errors) {
  if (record.type == OptionType::kFlag) {
    if (HasValue(parsed)) errors->push_back(MakeError({}, FlagOf(record) + " takes no value"));
    (void)values->Set(record.key, "");  // cannot fail
    return;
  }
  if (!AddsUp(record.type) && texts.size() > 1) {
    errors->push_back(MakeError({}, FlagOf(record) + " is given more than once", hint));
    return;
  }
  for (const std::string& text : texts) {
    auto set = values->Set(record.key, text);
    if (!set) Append(set.error(), errors);
  }
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
  Diagnostics errors = OptionsWithoutValue(command, words, &raw);
  if (!errors.empty()) return Fail(std::move(errors));
  for (const std::string& word : app.remaining()) {
    if (word != "--")
      errors.push_back(UnexpectedWord(command, word));  // CLI11 leaves the mark there
  }
  GiveBackArgument(command, words, &raw, &arguments);
  CheckArguments(command, arguments, &errors);
  Invocation invocation{std::move(arguments), OptionValues(command.options)};
  for (const RawOption& option : raw) {
    if (option.parsed->count() == 0) continue;
    SetOption(*option.record, *option.parsed, option.texts, HelpHint(command), &invocation.options,
              &errors);
  }
  if (!errors.empty()) return Fail(std::move(errors));
  return invocation;
}

}  // namespace inlay::cli
