#include "python/run.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "cli/command.h"
#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/io/file.h"
#include "python/recording_session.h"

namespace py = pybind11;

namespace inlay::python {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr auto kPause = std::chrono::milliseconds(50);  // between two looks at signals

const cli::Command& FindCommand(const std::string& name) {
  const auto& all = cli::Commands();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const cli::Command& command) { return command.name == name; });
  INLAY_CHECK(found != all.end());  // Python's functions are made of this table
  return *found;
}

// Reports internal errors as the command line does.
cli::ExitCode RunGuarded(const cli::Command& command, const cli::Invocation& invocation,
                         const Texts& texts, RecordingSession* session) {
  try {
    const io::TextsAsFiles files(texts);
    return command.run(invocation, session);
  } catch (const std::bad_alloc&) {
    session->output().diagnostics = {MakeError({}, "out of memory", "try a smaller problem")};
  } catch (const std::exception& error) {
    session->output().diagnostics = {
        MakeError({}, "internal error: " + std::string(error.what()),
                  "this is a fault of Inlay, not of your input; please report it with this "
                  "message, the call and its input files")};
  }
  return cli::kOurFault;
}

// A command at work in a thread of its own, which the destructor waits for.
class Worker {
 public:
  Worker(const cli::Command& command, const cli::Invocation& invocation, const Texts& texts,
         RecordingSession* session)
      : thread_([this, &command, &invocation, &texts, session] {
          const cli::ExitCode code = RunGuarded(command, invocation, texts, session);
          const std::lock_guard lock(mutex_);
          code_ = code;
          done_.notify_all();
        }) {}

  // The code once the command has ended; nullopt after kPause. Without the interpreter's lock.
  std::optional<cli::ExitCode> Wait() {
    const py::gil_scoped_release release;
    std::unique_lock lock(mutex_);
    done_.wait_for(lock, kPause, [this] { return code_.has_value(); });
    return code_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<cli::ExitCode> code_;
  std::jthread thread_;  // the last, so that the others outlive it
};

// Calls what the user gave; what goes wrong there, or a signal's handler raises, is the value.
py::object Listen(const RecordingSession& session, const py::object& progress) {
  try {
    const auto line = session.NextProgress();
    if (line && !progress.is_none()) progress(*line);
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  } catch (py::error_already_set& error) {
    return error.value();
  }
  return py::none();
}

// An option as a keyword: strategy=exact, set={"tokens": 256}.
std::string Keyword(std::string_view key, std::string_view value) {
  std::string text(key);
  if (value.empty()) return text;
  const size_t sign = value.find('=');
  if (sign != std::string_view::npos) {
    text.append("={\"").append(value.substr(0, sign)).append("\": ");
    return text.append(value.substr(sign + 1)).append("}");
  }
  return text.append("=").append(value);
}

std::string ListCall(std::string_view kind) { return "inlay.list(\"" + std::string(kind) + "\")"; }

constexpr Spelling kPythonSpelling = {Keyword, ListCall};

py::dict DictOf(Diagnostic diagnostic) {
  diagnostic.message = Spell(diagnostic.message, kPythonSpelling);
  diagnostic.hint = Spell(diagnostic.hint, kPythonSpelling);
  py::dict dict;
  dict["severity"] = diagnostic.severity == Severity::kError ? "error" : "warning";
  dict["file"] = diagnostic.location.file;
  dict["line"] = diagnostic.location.line;
  dict["column"] = diagnostic.location.column;
  dict["message"] = diagnostic.message;
  dict["hint"] = diagnostic.hint;
  dict["text"] = Format(diagnostic);
  return dict;
}

py::dict Outcome(cli::ExitCode code, const RecordedOutput& output, const py::object& raised) {
  py::list files, diagnostics;
  for (const auto& [name, text] : output.files) files.append(py::make_tuple(name, text));
  for (const Diagnostic& diagnostic : output.diagnostics) diagnostics.append(DictOf(diagnostic));
  py::dict outcome;
  outcome["code"] = static_cast<int>(raised.is_none() ? code : cli::kInterrupted);
  outcome["files"] = files;
  outcome["printed"] = output.printed;
  outcome["diagnostics"] = diagnostics;
  outcome["raised"] = raised;
  return outcome;
}

}  // namespace

py::dict Run(const std::string& name, const std::vector<std::string>& arguments,
             const OptionTexts& options, const Texts& texts, const py::object& progress) {
  const cli::Command& command = FindCommand(name);
  cli::Invocation invocation{arguments, OptionValues(command.options)};
  StopFlag stop;
  RecordingSession session(&stop);
  for (const auto& [option, text] : options) {
    if (const auto set = invocation.options.Set(option, text); !set) session.Report(set.error());
  }
  if (!session.output().diagnostics.empty()) {
    return Outcome(cli::kWrongInput, session.output(), py::none());
  }
  std::optional<cli::ExitCode> code;
  py::object raised = py::none();
  {
    Worker worker(command, invocation, texts, &session);
    while (!code) {
      code = worker.Wait();
      if (!raised.is_none()) continue;  // it is about to end
      raised = Listen(session, progress);
      if (!raised.is_none()) stop.Request();
    }
  }
  return Outcome(*code, session.output(), raised);
}

}  // namespace inlay::python
