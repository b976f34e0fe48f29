// The extension module inlay._inlay: the table of commands, and how to run one. The package's
// functions are made of it in src/python/inlay.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output_folder.h"
#include "inlay/base/suggest.h"
#include "inlay/base/version.h"
#include "python/run.h"

namespace py = pybind11;

namespace inlay::python {
namespace {

const char* TypeName(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "flag";
    case OptionType::kInteger:
      return "integer";
    case OptionType::kText:
      return "text";
    case OptionType::kChoice:
      return "choice";
    case OptionType::kChoices:
      return "choices";
    case OptionType::kDuration:
      return "duration";
    case OptionType::kAssignments:
      return "assignments";
    case OptionType::kNumbers:
      return "numbers";
    case OptionType::kSettings:
      return "settings";
    case OptionType::kTexts:
      return "texts";
  }
  return "";
}

// Not how a command line prints, and not what a command would not heed.
bool IsKeyword(const cli::Command& command, const Option& option) {
  constexpr std::array<std::string_view, 3> kPrinting = {"json", "quiet", "ascii"};
  if (std::find(kPrinting.begin(), kPrinting.end(), option.key) != kPrinting.end()) return false;
  if (option.key == "time_limit") return !command.common_options.time_limit.empty();
  if (option.key == "threads") return command.common_options.threads;
  if (option.key == "seed") return command.common_options.seed;
  if (option.key == "dim" || option.key == "set") return command.common_options.dims;
  return true;
}

py::dict DictOf(const Option& option) {
  py::dict dict;
  dict["key"] = option.key;
  dict["sentence"] = option.sentence;
  dict["type"] = TypeName(option.type);
  dict["choices"] = option.choices;
  dict["default"] = option.default_text;
  return dict;
}

py::dict DictOf(const cli::Command& command) {
  py::list arguments, options;
  for (const cli::Argument& argument : command.arguments) {
    py::dict dict;
    dict["name"] = argument.name;
    dict["sentence"] = argument.sentence;
    dict["required"] = argument.required;
    dict["repeated"] = argument.repeated && !argument.is_list;
    dict["list"] = argument.is_list;
    arguments.append(dict);
  }
  for (const Option& option : command.options) {
    if (IsKeyword(command, option)) options.append(DictOf(option));
  }
  py::dict dict;
  dict["name"] = command.name;
  dict["sentence"] = command.sentence;
  dict["details"] = command.details;
  dict["arguments"] = arguments;
  dict["options"] = options;
  return dict;
}

py::list CommandDicts() {
  py::list all;
  for (const cli::Command& command : cli::Commands()) all.append(DictOf(command));
  return all;
}

// "" or what is wrong with the folder.
std::string Save(const std::string& folder,
                 const std::vector<std::pair<std::string, std::string>>& files) {
  auto claimed = cli::OutputFolder::Claim(folder);
  if (!claimed) return Format(claimed.error());
  std::vector<cli::OutputFile> all;
  all.reserve(files.size());
  for (const auto& [name, text] : files) all.push_back({name, text});
  const auto written = claimed->Write(all);
  return written ? "" : Format(written.error());
}

}  // namespace
}  // namespace inlay::python

PYBIND11_MODULE(_inlay, m) {
  m.doc() = "What the package inlay is made of; not for use by itself.";
  m.attr("version") = std::string(inlay::kVersion);
  m.def("commands", &inlay::python::CommandDicts);
  m.def("run", &inlay::python::Run, py::arg("command"), py::arg("arguments"), py::arg("options"),
        py::arg("texts"), py::arg("progress"));
  m.def("save", &inlay::python::Save, py::arg("folder"), py::arg("files"));
  m.def(
      "suggestion_hint",
      [](const std::string& word, const std::vector<std::string>& names) {
        return inlay::SuggestionHint(word, names);
      },
      py::arg("word"), py::arg("names"));
}
