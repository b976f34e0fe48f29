#include "cli/completion.h"

#include <array>
#include <optional>
#include <utility>

#include "inlay/base/suggest.h"
#include "inlay/io/library/library.h"
#include "inlay/io/native/native.h"

namespace inlay::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr std::array<Shell, 3> kShells = {
    {{"bash", BashCompletion}, {"zsh", ZshCompletion}, {"fish", FishCompletion}}};

// The kind of built-in that a word of help stands for: "MACHINE", "ARCH...", "technology".
std::optional<io::BuiltinKind> KindOf(std::string_view word) {
  if (word.ends_with("...")) word.remove_suffix(3);
  if (word == "ARCH") return io::BuiltinKind::kArchitecture;
  if (word == "WORKLOAD") return io::BuiltinKind::kNetwork;
  if (word == "CASE") return io::BuiltinKind::kExample;
  return io::BuiltinKindFromName(word);
}

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const io::BuiltinKind kind : io::BuiltinKinds()) names.emplace_back(io::Name(kind));
  return names;
}

}  // namespace

Result<std::string> CompletionScript(std::string_view shell) {
  std::vector<std::string> names;
  for (const Shell& known : kShells) {
    if (known.name == shell) return known.script();
    names.emplace_back(known.name);
  }
  return Fail(MakeError({}, "--completion: unknown shell '" + std::string(shell) + "'",
                        SuggestionHint(shell, names)));
}

std::string ShellNames() {
  std::string names;
  for (const Shell& known : kShells) {
    names += (names.empty() ? "" : " ") + std::string(known.name);
  }
  return names;
}

Completion CompletionOf(const Option& option) {
  Completion completion;
  if (!option.choices.empty()) {
    completion.words = {option.choices.begin(), option.choices.end()};
    completion.list = option.type == OptionType::kChoices;
  } else if (option.type == OptionType::kText || option.type == OptionType::kTexts) {
    const auto kind = KindOf(option.value_name);
    const auto named = kind ? kind : KindOf(option.key);
    if (named) completion.words = io::BuiltinNames(*named);
    completion.folders = option.value_name == "DIR";
    completion.files = !completion.folders;
  }
  return completion;
}

Completion CompletionOf(const Command& command, const Argument& argument) {
  if (command.name == "list") return {.words = KindNames()};
  if (command.name == "schema") return {.words = io::SchemaKinds()};
  Completion completion;
  completion.files = true;
  if (const auto kind = KindOf(argument.name)) {
    completion.words = io::BuiltinNames(*kind);
  } else if (command.name == "show" || command.name == "convert") {  // anything
    for (const io::BuiltinKind each : io::BuiltinKinds()) {
      for (std::string& name : io::BuiltinNames(each)) completion.words.push_back(std::move(name));
    }
  }
  return completion;
}

std::string Escaped(std::string_view text, std::string_view characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace inlay::cli
