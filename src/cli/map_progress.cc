#include "cli/map_progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "inlay/report/numbers.h"

namespace inlay::cli {
namespace {

constexpr auto kPause = std::chrono::milliseconds(100);  // between two lines

// Of the terminal, less one: a line that wraps could not be wiped.
size_t Columns() {
  struct winsize size = {};
  const bool known = ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size_t{size.ws_col} - 1 : 79;
}

std::string ClockText(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

}  // namespace

MapProgressLine::MapProgressLine(const Network& network, size_t searches, const MapOptions& options,
                                 const Session& session)
    : network_(network),
      searches_(searches),
      options_(options),
      session_(session),
      style_(StyleOf(2)) {}

void MapProgressLine::Show(const MapProgress& state) {
  if (state.done) ++done_;
  const auto now = Clock::now();
  if (!state.done && now - shown_ < kPause) return;
  shown_ = now;
  session_.ShowProgress(Line(state, std::chrono::duration<double>(now - start_).count()));
}

void MapProgressLine::Finish() {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  session_.ShowProgress(fmt::format("{} of {} layers in {:.2f} s\n", done_, searches_, seconds));
}

std::string MapProgressLine::Line(const MapProgress& state, double seconds) const {
  constexpr int kBarColumns = 8;
  const size_t columns = Columns();
  const double share =
      static_cast<double>(done_) / static_cast<double>(std::max<size_t>(searches_, 1));
  std::string bar = report::Bar(share, kBarColumns, style_);
  bar.append(kBarColumns - std::min<size_t>(DisplayWidth(bar), kBarColumns), ' ');
  std::string line = fmt::format("[{}] {}/{} layers", bar, done_, searches_);
  const auto add = [&](const std::string& text) {
    if (DisplayWidth(line) + 2 + DisplayWidth(text) <= columns) line += "  " + text;
  };
  if (const std::string left = TimeLeft(seconds); !left.empty()) add(left);
  add(network_.layers[state.layer].name);
  if (state.incumbent) {
    add(fmt::format("{} {:.4g}", Name(options_.objective.front()), *state.incumbent));
  }
  const bool bounded = state.bound && *state.bound > 0;
  if (bounded) add(fmt::format("bound {:.4g}", *state.bound));
  if (bounded && state.incumbent && *state.incumbent > 0) {
    add("gap " + report::Percent((*state.incumbent - *state.bound) / *state.incumbent));
  }
  return line;
}

// As long as the layers so far took, on average; never longer than the time limits allow.
std::string MapProgressLine::TimeLeft(double seconds) const {
  const auto open = static_cast<double>(searches_ - std::min(done_, searches_));
  std::optional<double> left;
  if (done_ > 0) left = seconds / static_cast<double>(done_) * open;
  if (options_.time_limit_seconds) {
    const int at_once = std::max(1, std::min(options_.threads, static_cast<int>(open)));
    const double most = *options_.time_limit_seconds * std::ceil(open / at_once);
    left = std::min(left.value_or(most), most);
  }
  return left ? ClockText(*left) + " left" : "";
}

}  // namespace inlay::cli
