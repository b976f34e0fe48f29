#pragma once

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace inlay::python {

// An option by its key ("time_limit") and the text that a user would write; "" for a flag.
using OptionTexts = std::vector<std::pair<std::string, std::string>>;

// Runs a command in a thread of its own, without the interpreter's lock; to the command, `texts`
// are files of these names. The calling thread waits, hands lines of progress to `progress` (None,
// or a callable of a text) and looks for signals every 50 ms: what a handler or the callable raises
// stops the command, which then ends with the best so far. Gives a dict:
//   code         as the shell would see it; 130: stopped, see `raised`
//   files        [(name, text)]: result.json first; empty without a result
//   printed      a text that is no result
//   diagnostics  [dict]
//   raised       the exception that stopped it, or None
pybind11::dict Run(const std::string& name, const std::vector<std::string>& arguments,
                   const OptionTexts& options, const std::map<std::string, std::string>& texts,
                   const pybind11::object& progress);

}  // namespace inlay::python
