#include "cli/deliver_result.h"

#include <utility>

#include "inlay/base/printable.h"

namespace inlay::cli {

ExitCode ReportFailure(const run::Failure& failure, Session* session) {
  session->Report(failure.errors);
  switch (failure.kind) {
    case run::Failure::Kind::kWrongInput:
      return kWrongInput;
    case run::Failure::Kind::kNoAnswer:
      return kNoAnswer;
    case run::Failure::Kind::kStopped:
      return kInterrupted;
  }
  return kOurFault;
}

std::optional<std::optional<OutputFolder>> ClaimOutput(const OptionValues& options,
                                                       Session* session,
                                                       const std::vector<std::string>& known) {
  if (!options.Has("output")) return std::optional<OutputFolder>();
  auto folder = OutputFolder::Claim(options.Text("output"), known);
  if (!folder) {
    session->Report(folder.error());
    return std::nullopt;
  }
  return std::optional<OutputFolder>(std::move(*folder));
}

std::string SummaryOf(const Delivery& delivery, const TextStyle& style) {
  TextStyle plain = style;
  plain.colour = false;
  const std::string text = delivery.summary(plain);
  std::string printable = PrintableLines(text);
  // Colours are control characters and could not be distinguished from those in a name.
  return style.colour && printable == text ? delivery.summary(style) : printable;
}

std::vector<OutputFile> FilesOf(const Delivery& delivery) {
  std::vector<OutputFile> files = {
      {"result.json", delivery.json},
      {"summary.txt", SummaryOf(delivery, Session::FileStyle()) + delivery.remarks}};
  files.insert(files.end(), delivery.files.begin(), delivery.files.end());
  return files;
}

ExitCode Deliver(const Delivery& delivery, std::optional<OutputFolder>* folder, Session* session) {
  if (session->Stopped() && !delivery.even_if_stopped) return kInterrupted;
  if (folder->has_value()) {
    if (const auto written = (*folder)->Write(FilesOf(delivery)); !written) {
      session->Report(written.error());
      return kWrongInput;
    }
  }
  session->Take(delivery);
  return kDone;
}

}  // namespace inlay::cli
