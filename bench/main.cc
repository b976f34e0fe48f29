// Runs the registered benchmarks and prints one figure per line: name, value, unit; with --json one
// object per line. All of Google Benchmark's own flags work too.
//
// A benchmark's figure is its rate if it sets one (SetItemsProcessed; its label then names the
// unit, "evaluations/s"), every counter it sets, and its time per iteration if it sets neither.
// Counters with a label are one row of a table: all on one line, the label last; with --json still
// one object each.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Run = benchmark::BenchmarkReporter::Run;

struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
};

// Without what only tunes the measurement (min_time, repeats, real_time): names stay stable.
std::string NameOf(const Run& run) {
  std::string name = run.run_name.function_name;
  if (!run.run_name.args.empty()) name += "/" + run.run_name.args;
  if (!run.run_name.threads.empty()) name += "/" + run.run_name.threads;
  if (!run.aggregate_name.empty()) name += "/" + run.aggregate_name;
  return name;
}

std::vector<Figure> FiguresOf(const Run& run) {
  std::vector<Figure> figures;
  for (const auto& [counter, value] : run.counters) {
    if (counter == "items_per_second") {
      figures.push_back({NameOf(run), value.value,
                         run.report_label.empty() ? std::string("items/s") : run.report_label});
    } else if (counter == "bytes_per_second") {
      figures.push_back({NameOf(run), value.value, "bytes/s"});
    } else {
      figures.push_back({NameOf(run) + "/" + counter, value.value, counter});
    }
  }
  if (figures.empty()) {
    figures.push_back({NameOf(run), run.GetAdjustedRealTime(),
                       std::string(benchmark::GetTimeUnitString(run.time_unit))});
  }
  return figures;
}

// For people: 1,234,568 or 82.78.
std::string Readable(double value) {
  if (value < 1000) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (std::size_t end = digits.size(); end > 3;) {
    end -= 3;
    digits.insert(end, ",");
  }
  return digits;
}

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

class FigureReporter : public benchmark::BenchmarkReporter {
 public:
  explicit FigureReporter(bool json) : json_(json) {}

  bool failed() const { return failed_; }

  bool ReportContext(const Context& context) override {
    name_width_ = std::max(name_width_, context.name_field_width);
    return true;
  }

  // Line by line, as results come: a long table shows that it is alive.
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred) {
        fmt::print(stderr, "{}: {}\n", NameOf(run), run.error_message);
        failed_ = true;
        continue;
      }
      const std::vector<Figure> figures = FiguresOf(run);
      const bool is_row = !run.report_label.empty() && run.counters.count("items_per_second") == 0;
      if (is_row && !json_) {
        PrintRow(run, figures);
      } else {
        for (const Figure& figure : figures) Print(figure);
      }
    }
    std::fflush(stdout);
  }

 private:
  void PrintRow(const Run& run, const std::vector<Figure>& figures) const {
    fmt::print("{:<{}}", NameOf(run), name_width_);
    for (const Figure& figure : figures) {
      fmt::print("  {:>13} {}", Readable(figure.value), figure.unit);
    }
    fmt::print("  {}\n", run.report_label);
  }

  void Print(const Figure& figure) const {
    if (json_) {
      fmt::print("{{\"name\":{},\"value\":{},\"unit\":{}}}\n", JsonString(figure.name),
                 figure.value, JsonString(figure.unit));
    } else {
      fmt::print("{:<{}}  {:>15}  {}\n", figure.name, name_width_, Readable(figure.value),
                 figure.unit);
    }
  }

  bool json_;
  bool failed_ = false;
  std::size_t name_width_ = 40;
};

// Takes --json out of the arguments; the rest is Google Benchmark's.
bool TakeJsonFlag(int* argc, char** argv) {
  char** end = std::remove_if(argv + 1, argv + *argc,
                              [](const char* arg) { return std::string_view(arg) == "--json"; });
  const bool found = end != argv + *argc;
  *argc = static_cast<int>(end - argv);
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  FigureReporter reporter(TakeJsonFlag(&argc, argv));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  if (benchmark::RunSpecifiedBenchmarks(&reporter) == 0) return 1;
  return reporter.failed() ? 1 : 0;
}
