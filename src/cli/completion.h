#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "inlay/base/result.h"

namespace inlay::cli {

// A script that completes commands, options and their values, made of the commands' records.
// `shell` is one of ShellNames(); others are an error.
Result<std::string> CompletionScript(std::string_view shell);
std::string ShellNames();  // with blanks between them

// What can follow an option or stand for an argument.
struct Completion {
  std::vector<std::string> words;  // choices, or the names of built-ins; no blanks or quotes
  bool files = false;
  bool folders = false;
  bool list = false;  // several of the words, separated by commas
};
Completion CompletionOf(const Option& option);
Completion CompletionOf(const Command& command, const Argument& argument);

// `text` with a backslash before each of `characters`.
std::string Escaped(std::string_view text, std::string_view characters);

// One file each.
std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace inlay::cli
