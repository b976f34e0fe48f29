#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output_folder.h"
#include "cli/session.h"
#include "inlay/run/common.h"

namespace inlay::cli {

// What a command has found out.
struct Delivery {
  LongText json;
  std::function<std::string(const TextStyle& style)> summary;
  std::vector<OutputFile> files;  // besides result.json and summary.txt
  bool even_if_stopped = false;   // the result says that it is the best so far
  std::string remarks = {};       // printed on standard error already; the end of summary.txt
  std::optional<LongText> instead_of_summary = {};  // on a terminal
};

// What is wrong with values that were set for nothing; warnings go to the record.
inline Diagnostics TakeUnusedValues(io::LoadRecord* record) {
  Diagnostics unused = io::WarnOfUnusedValues(*record);
  if (HasErrors(unused)) return unused;
  Append(std::move(unused), &record->warnings);
  return {};
}

// The inputs of a request, with their warnings reported; none: what is wrong with them was
// reported.
template <typename Request>
auto LoadInputs(Request* request, Session* session) {
  auto inputs = Load(request);
  Diagnostics unused = inputs ? TakeUnusedValues(&inputs->record) : Diagnostics();
  if (!unused.empty()) inputs = Fail(std::move(unused));
  session->Report(inputs ? inputs->record.warnings : inputs.error());
  return inputs;
}

// The same where the time limit is that of the whole command: it includes the reading.
template <typename Request>
auto LoadWithinLimit(Request* request, Session* session) {
  const auto start = std::chrono::steady_clock::now();
  auto inputs = LoadInputs(request, session);
  const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
  constexpr double kLeast = 1e-3;
  if (auto& limit = request->common.time_limit) {
    *limit = std::max(*limit - reading.count(), std::min(*limit, kLeast));
  }
  return inputs;
}

// Reports why there is no result.
ExitCode ReportFailure(const run::Failure& failure, Session* session);

// The folder of -o, if it was given, claimed before the work starts; it may hold the files of
// `known`. nullopt: refused, and said so.
std::optional<std::optional<OutputFolder>> ClaimOutput(const OptionValues& options,
                                                       Session* session,
                                                       const std::vector<std::string>& known = {});

// The summary without control characters but for our colours, whatever names are in it.
std::string SummaryOf(const Delivery& delivery, const TextStyle& style);

// What the folder of -o holds in the end.
std::vector<OutputFile> FilesOf(const Delivery& delivery);

// Writes the folder, then gives the session what was found out.
ExitCode Deliver(const Delivery& delivery, std::optional<OutputFolder>* folder, Session* session);

}  // namespace inlay::cli
