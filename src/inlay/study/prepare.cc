#include "inlay/study/prepare.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/suggest.h"
#include "inlay/core/study_journal.h"

namespace inlay::study {
namespace {

// Collects errors; the same sentence once.
class Errors {
 public:
  void Add(const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) {
      if (seen_.insert(Format(diagnostic)).second) all.push_back(diagnostic);
    }
  }
  Diagnostics all;

 private:
  std::set<std::string> seen_;
};

const RunRecord& FindRun(const std::string& name) {
  for (const RunRecord& run : Runs()) {
    if (run.name == name) return run;
  }
  FailCheck("a run that the table has", __FILE__, __LINE__);
}

// Axes that the run does not know.
Diagnostics CheckAxes(const StudyGrid& grid, const RunRecord& run) {
  Diagnostics errors;
  for (const StudyAxis& axis : grid.axes) {
    if (std::find(run.axes.begin(), run.axes.end(), axis.name) != run.axes.end()) continue;
    const Diagnostic unknown =
        MakeError({}, "a run of '" + grid.run + "' has no axis '" + axis.name + "'",
                  SuggestionHint(axis.name, run.axes));
    for (Diagnostic& error : At(axis.place, {unknown})) errors.push_back(std::move(error));
  }
  return errors;
}

// For pointers to what somebody else owns.
std::shared_ptr<const void> Unowned() { return nullptr; }

}  // namespace

Diagnostics At(const SourcePlace& place, Diagnostics errors) {
  for (Diagnostic& error : errors) {
    if (!error.location.file.empty()) continue;
    error.location = place.location;
    error.source_line = place.line;
  }
  return errors;
}

Result<std::shared_ptr<const Network>> Loader::Workload(const StudySetting& setting) {
  // A value in full is the study's, which outlives its points.
  if (setting.workload) return std::shared_ptr<const Network>(Unowned(), &*setting.workload);
  auto& known = networks_[setting.text];
  if (known) return known;
  auto network = io::LoadWorkload(setting.text, &record);
  if (!network) return Fail(At(setting.place, std::move(network.error())));
  known = std::make_shared<const Network>(*std::move(network));
  return known;
}

Result<std::shared_ptr<const Graph>> Loader::WorkloadGraph(const StudySetting& setting) {
  if (setting.workload) {
    return Fail(At(setting.place, {MakeError({}, "a plan is made for a graph, not for layers")}));
  }
  auto& known = graphs_[setting.text];
  if (known) return known;
  auto graph = io::LoadGraph(setting.text, &record);
  if (!graph) return Fail(At(setting.place, std::move(graph.error())));
  known = std::make_shared<const Graph>(*std::move(graph));
  return known;
}

Result<std::shared_ptr<const Architecture>> Loader::Arch(const StudySetting& setting) {
  if (setting.architecture) {
    return std::shared_ptr<const Architecture>(Unowned(), &*setting.architecture);
  }
  auto& known = architectures_[setting.text];
  if (known) return known;
  auto inputs = io::LoadAny({setting.text}, &record);
  if (!inputs) return Fail(At(setting.place, std::move(inputs.error())));
  if (!inputs->architecture) {
    return Fail(At(setting.place, {MakeError({}, "'" + setting.text + "' holds no architecture")}));
  }
  known = std::make_shared<const Architecture>(*std::move(inputs->architecture));
  return known;
}

Result<std::shared_ptr<const Accelerator>> Loader::AcceleratorOf(const StudySetting& setting) {
  auto& known = accelerators_[setting.text];
  if (known) return known;
  auto accelerator = io::LoadAccelerator(setting.text, &record);
  if (!accelerator) return Fail(At(setting.place, std::move(accelerator.error())));
  known = std::make_shared<const Accelerator>(*std::move(accelerator));
  return known;
}

Result<std::shared_ptr<const Mix>> Loader::MixOf(const StudySetting& setting) {
  auto& known = mixes_[setting.text];
  if (known) return known;
  auto mix = io::LoadMix(setting.text, &record);
  if (!mix) return Fail(At(setting.place, std::move(mix.error())));
  known = std::make_shared<const Mix>(*std::move(mix));
  return known;
}

const std::vector<RunRecord>& Runs() {
  static const std::vector<RunRecord> runs = {MapRun(),      MapspaceRun(), EvalRun(),
                                              CodesignRun(), PlanRun(),     BatchRun()};
  return runs;
}

Option TimeLimitRecord(std::string_view sentence) {
  return {.name = "time-limit",
          .sentence = sentence,
          .type = OptionType::kDuration,
          .value_name = "TIME"};
}

Option ThreadsRecord() {
  return {.name = "threads",
          .sentence = "how many threads to use",
          .type = OptionType::kInteger,
          .value_name = "N",
          .min = 1};
}

Diagnostics SetOptions(const Settings& settings, const std::vector<Option>& options,
                       OptionValues* values) {
  Diagnostics errors;
  for (const auto& [axis, setting] : settings) {
    const auto option =
        std::find_if(options.begin(), options.end(),
                     [&name = axis](const Option& one) { return KeyOf(one) == name; });
    if (option == options.end()) continue;
    if (const auto set = values->Set(option->name, setting->text); !set) {
      for (Diagnostic& error : At(setting->place, set.error())) errors.push_back(std::move(error));
    }
  }
  return errors;
}

Result<const StudySetting*> Need(const Settings& settings, const std::string& axis) {
  const auto found = settings.find(axis);
  if (found != settings.end()) return found->second;
  return Fail(MakeError({}, "a grid has no axis '" + axis + "'", "give it one setting at least"));
}

Result<std::vector<PreparedPoint>> Prepare(const Study& study, Loader* loader) {
  std::vector<PreparedPoint> points;
  Errors errors;
  for (const StudyGrid& grid : study.grids) {
    const RunRecord& run = FindRun(grid.run);
    if (const Diagnostics unknown = CheckAxes(grid, run); !unknown.empty()) {
      errors.Add(unknown);
      continue;
    }
    ForEachPoint(grid, [&](const std::vector<size_t>& index) {
      PreparedPoint point;
      Settings settings;
      for (size_t i = 0; i < grid.axes.size(); ++i) {
        const StudySetting& setting = grid.axes[i].settings[index[i]];
        settings[grid.axes[i].name] = &setting;
        point.settings.emplace_back(grid.axes[i].name, setting.label);
      }
      auto prepared = run.prepare(settings, loader);
      if (!prepared) return errors.Add(At(grid.place, std::move(prepared.error())));
      point.run = *std::move(prepared);
      points.push_back(std::move(point));
    });
  }
  if (!errors.all.empty()) return Fail(std::move(errors.all));
  return points;
}

}  // namespace inlay::study
