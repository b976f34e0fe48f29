#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inlay/base/check.h"

namespace inlay::cli {
namespace {

constexpr size_t kColumns = 100;

// Breaks a text at blanks into lines of at most kColumns, each after `indent` blanks. A newline in
// the text starts a line; an empty line stays.
std::string Fold(std::string_view text, size_t indent) {
  std::string out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    while (indent + line.size() > kColumns) {
      const size_t cut = line.rfind(' ', kColumns - indent);
      if (cut == std::string_view::npos || cut == 0) break;
      out += std::string(indent, ' ') + std::string(line.substr(0, cut)) + "\n";
      line.remove_prefix(cut + 1);
    }
    out += (line.empty() ? "" : std::string(indent, ' ')) + std::string(line) + "\n";
  }
  return out;
}

// The explanations below each other.
std::string Definitions(const Entries& entries) {
  constexpr size_t kWidestTerm = 26;
  size_t width = 0;
  for (const auto& [term, text] : entries) {
    if (term.size() <= kWidestTerm) width = std::max(width, term.size());
  }
  const size_t indent = width + 4;
  std::string out;
  for (const auto& [term, text] : entries) {
    const std::string folded = Fold(text, indent);
    INLAY_CHECK(folded.size() > indent);  // every record has a sentence
    const bool too_long = term.size() > width;
    out +=
        fmt::format("  {}{}{}", term, too_long ? "\n" : std::string(width - term.size() + 2, ' '),
                    too_long ? folded : folded.substr(indent));
  }
  return out;
}

Entries ArgumentEntries(const Command& command) {
  Entries entries;
  for (const Argument& argument : command.arguments) {
    entries.emplace_back(std::string(argument.name) + (argument.repeated ? "..." : ""),
                         argument.sentence);
  }
  return entries;
}

Entries OptionEntries(const Command& command) {
  Entries entries;
  for (const Option& option : command.options) {
    entries.emplace_back(UsageOf(option), OptionText(option));
  }
  return entries;
}

// "0 done; 1 no …"
std::string ExitCodeSentence() {
  std::string text;
  for (const auto& [code, meaning] : ExitCodeTexts()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", code, meaning);
  }
  return "Exit codes: " + text + ".";
}

// What holds for every command.
constexpr std::string_view kSignalsAndFiles =
    "Ctrl-C, SIGTERM and a terminal that hangs up (SIGHUP) end a command with the best so far; a "
    "second Ctrl-C or SIGTERM ends it at once. What is written replaces a file as a whole, keeps "
    "its "
    "permissions, and is on the disk when the command says that it is done. A file that is named "
    "is written through links, which stay; devices, pipes, sockets and open descriptors are "
    "written in place.";

}  // namespace

std::string SentenceOf(std::string_view text) {
  std::string sentence(text);
  if (!sentence.empty() && sentence[0] >= 'a' && sentence[0] <= 'z') {
    sentence[0] = static_cast<char>(sentence[0] - 'a' + 'A');
  }
  return sentence + ".";
}

std::string OptionText(const Option& option) {
  std::string text(option.sentence);
  if (!option.default_text.empty()) text += " [" + std::string(option.default_text) + "]";
  return text;
}

Entries OverviewOptions() {
  return {{"--help", "this page; after a command, what the command takes, as 'inlay help COMMAND'"},
          {"--version", "the version"},
          {"--completion SHELL",
           "a script that completes commands, options and values in bash, zsh or fish"}};
}

Entries ExitCodeTexts() {
  return {{"0", "done"},
          {"1", "no feasible answer (the reason is printed)"},
          {"2", "wrong input"},
          {"3", "a fault of Inlay"},
          {"130", "interrupted"}};
}

std::string OverviewHelp() {
  std::string out =
      "inlay fits neural networks into the on-chip memories of accelerators.\n\n"
      "Usage: inlay COMMAND [ARGUMENTS] [OPTIONS]\n\nCommands:\n";
  Entries entries;
  for (const Command& command : Commands()) entries.emplace_back(command.name, command.sentence);
  out += Definitions(entries);
  out += "\nOptions:\n";
  out += Definitions(OverviewOptions());
  out += "\n" + Fold(ExitCodeSentence(), 0);
  out += "\nExample:\n  inlay eval --help\n";
  return out;
}

std::string CommandHelp(const Command& command) {
  const std::string name(command.name);
  std::string out = "inlay " + name + ": " + std::string(command.sentence) + "\n\n";
  const char* lead = "Usage: ";
  for (std::string_view usage : command.usages) {
    out += lead + ("inlay " + name) + " " + std::string(usage) + "\n";
    lead = "       ";
  }
  if (!command.details.empty()) out += "\n" + Fold(command.details, 0);
  if (!command.arguments.empty()) out += "\nArguments:\n" + Definitions(ArgumentEntries(command));
  if (!command.options.empty()) out += "\nOptions:\n" + Definitions(OptionEntries(command));
  out += command.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
  for (const Example& example : command.examples) {
    out += Fold("# " + std::string(example.sentence), 2);
    out += "  " + std::string(example.command) + "\n";
  }
  return out;
}

std::string ReferencePage() {
  std::string out =
      "# Commands\n\n"
      "<!-- Generated by `inlay --help-markdown`; a test compares. Do not edit. -->\n\n" +
      ExitCodeSentence() + "\n\n" + std::string(kSignalsAndFiles) + "\n";
  const auto rows = [&](const char* what, const Entries& entries) {
    if (entries.empty()) return;
    out += fmt::format("\n| {} | |\n|---|---|\n", what);
    for (const auto& [term, text] : entries) {
      std::string escaped;
      for (char c : term) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
      out += fmt::format("| `{}` | {} |\n", escaped, text);
    }
  };
  for (const Command& command : Commands()) {
    out += fmt::format("\n## inlay {}\n\n{}\n\n```\n", command.name, SentenceOf(command.sentence));
    for (std::string_view usage : command.usages) {
      out += fmt::format("inlay {} {}\n", command.name, usage);
    }
    out += "```\n";
    if (!command.details.empty()) out += "\n" + std::string(command.details) + "\n";
    rows("argument", ArgumentEntries(command));
    rows("option", OptionEntries(command));
    for (const Example& example : command.examples) {
      out += fmt::format("\n{}\n\n```\n{}\n```\n", SentenceOf(example.sentence), example.command);
    }
  }
  return out;
}

}  // namespace inlay::cli
