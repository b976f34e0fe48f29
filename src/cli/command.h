#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inlay/base/options.h"

namespace inlay::cli {

class Session;

// What the shell sees. Scripts rely on these numbers.
enum ExitCode : int {
  kDone = 0,
  kNoAnswer = 1,    // no feasible answer, a mapping that does not fit, a problem too large to walk
  kWrongInput = 2,  // the user's input is wrong
  kOurFault = 3,
  kInterrupted = 130,
};

// A value that is written without a flag.
struct Argument {
  std::string_view name;      // "WORKLOAD"
  std::string_view sentence;  // what it is; lower-case, without a full stop
  bool required = true;
  bool repeated = false;  // takes all that follow; only the last argument may
  bool is_list = false;   // repeated, and means one thing: in Python it is one that may be a list
};

struct Example {
  std::string_view command;
  std::string_view sentence;  // what it does; lower-case, without a full stop
};

// What a user typed after the command's name, checked against its record.
struct Invocation {
  std::vector<std::string> arguments;
  OptionValues options;
};

// Which of the options that every command accepts have an effect on it.
struct CommonOptionUse {
  std::string_view time_limit = {};        // what it limits, a sentence; empty: no effect
  std::string_view usual_time_limit = {};  // where none is given; empty: none
  bool threads = false;
  bool seed = false;
  bool dims = false;  // reads networks: those with symbolic dimensions, and templates of Timeloop
};

// A subcommand: everything that parsing, --help and the reference page know about it.
struct Command {
  std::string_view name;
  std::string_view sentence;             // lower-case, without a full stop
  std::vector<std::string_view> usages;  // after "inlay NAME"
  std::string_view details;              // paragraphs for --help; may be empty
  std::vector<Argument> arguments;
  std::vector<Option> options;
  std::vector<Example> examples;
  CommonOptionUse common_options = {};
  ExitCode (*run)(const Invocation& invocation, Session* session) = nullptr;
};

// The table of all commands, in the order in which help lists them, with the common options.
const std::vector<Command>& Commands();

// One file each: eval.cc, walk.cc, …
Command EvalCommand();
Command WalkCommand();
Command SystolicCommand();
Command MapCommand();
Command MapspaceCommand();
Command CodesignCommand();
Command PlanCommand();
Command FuseCommand();
Command AllocCommand();
Command BatchCommand();
Command StudyCommand();
Command ReportCommand();
Command ConvertCommand();
Command SchemaCommand();
Command ListCommand();
Command ShowCommand();

// Options that mean the same everywhere.
Option JsonOption();
Option QuietOption();
Option AsciiOption();
Option OutputFolderOption();
Option OutputFolderOption(std::string_view sentence);  // for a command that writes more
// -o, --json, --ascii and --quiet, at the end of a command's options.
void AddOutputOptions(Option folder, std::vector<Option>* options);
Option OutputFolderWithMappingOption();
Option OutputFolderWithMappingsOption();  // of one layer or of many
// What every command accepts, so that one line of options fits all of them.
std::vector<Option> CommonOptions(const CommonOptionUse& use);

}  // namespace inlay::cli
