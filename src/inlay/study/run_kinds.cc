#include "inlay/study/run_kinds.h"

#include <algorithm>
#include <set>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/mention.h"
#include "inlay/base/suggest.h"

namespace inlay::study {
namespace {

constexpr double kQuick = 0.5;  // seconds

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

const AxisAlias* FindAlias(const RunRecord& run, const std::string& name) {
  for (const AxisAlias& old : run.aliases) {
    if (old.name == name) return &old;
  }
  return nullptr;
}

// "'reorder: true' for 'order: any'".
std::string NewSpelling(const AxisAlias& old) {
  std::string text;
  for (const auto& [before, now] : old.values) {
    text += (text.empty() ? "write '" : ", '") + std::string(old.axis) + ": " + std::string(now) +
            "' for '" + std::string(old.name) + ": " + std::string(before) + "'";
  }
  return text;
}

// Axes that the run does not know, and a warning for those that it knows by another name now.
Diagnostics CheckAxes(const StudyGrid& grid, const RunRecord& run, Diagnostics* warnings) {
  Diagnostics errors;
  for (const StudyAxis& axis : grid.axes) {
    if (std::find(run.axes.begin(), run.axes.end(), axis.name) != run.axes.end()) continue;
    if (const AxisAlias* old = FindAlias(run, axis.name)) {
      const Diagnostic warning =
          MakeWarning({}, "the axis '" + axis.name + "' is '" + std::string(old->axis) + "' now",
                      NewSpelling(*old));
      Append(At(axis.place, {warning}), warnings);
      continue;
    }
    const Diagnostic unknown =
        MakeError({}, "a run of '" + grid.run + "' has no axis '" + axis.name + "'",
                  SuggestionHint(axis.name, run.axes));
    Append(At(axis.place, {unknown}), &errors);
  }
  return errors;
}

// A point of a grid by its places on the axes; errors of its settings.
Result<PreparedPoint> PreparePoint(const StudyPlace& place, Loader* loader) {
  PreparedPoint point{SettingsOf(place), {}};
  std::vector<StudySetting> chosen;
  Diagnostics errors;
  for (size_t i = 0; i < place.settings.size(); ++i) {
    const StudyAxis& axis = place.grid->axes[i];
    auto setting = axis.At(place.settings[i]);
    if (setting) {
      chosen.push_back(*std::move(setting));
    } else {
      Append(std::move(setting.error()), &errors);
    }
  }
  if (!errors.empty()) return Fail(std::move(errors));
  const RunRecord& run = FindRun(place.grid->run);
  Settings settings;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const std::string& name = place.grid->axes[i].name;
    const AxisAlias* old = FindAlias(run, name);
    settings[old == nullptr ? name : std::string(old->axis)] = &chosen[i];
    if (old == nullptr) continue;
    for (const auto& [before, now] : old->values) {
      if (chosen[i].text == before) chosen[i].text = now;
    }
  }
  auto prepared = run.prepare(settings, loader);
  if (!prepared) return Fail(At(place.grid->place, std::move(prepared.error())));
  point.run = *std::move(prepared);
  return point;
}

}  // namespace

Diagnostics At(const SourcePlace& place, Diagnostics errors) {
  for (Diagnostic& error : errors) {
    error.message = Spell(error.message, kSettingSpelling);
    error.hint = Spell(error.hint, kSettingSpelling);
    if (!error.location.file.empty()) continue;
    error.location = place.location;
    error.source_line = place.line;
  }
  return errors;
}

template <typename T, typename Read>
Result<std::shared_ptr<const T>> Loader::Once(const StudySetting& setting, const Read& read) {
  std::shared_ptr<const T>& known = std::get<ByName<T>>(known_)[setting.text];
  if (known) return known;
  Result<T> value = read();
  if (!value) return Fail(At(setting.place, std::move(value.error())));
  known = std::make_shared<const T>(*std::move(value));
  return known;
}

Result<std::shared_ptr<const Network>> Loader::Workload(const StudySetting& setting) {
  if (setting.workload) return setting.workload;
  return Once<Network>(setting, [&] { return io::LoadWorkload(setting.text, &record); });
}

Result<std::shared_ptr<const Graph>> Loader::WorkloadGraph(const StudySetting& setting) {
  if (setting.workload) {
    return Fail(At(setting.place, {MakeError({}, "a plan is made for a graph, not for layers")}));
  }
  return Once<Graph>(setting, [&] { return io::LoadGraph(setting.text, &record); });
}

Result<std::shared_ptr<const FusableWorkload>> Loader::FusableNodesOf(const StudySetting& setting) {
  if (setting.workload) {
    return Fail(At(setting.place, {MakeError({}, "nodes to fuse are a graph's, not layers")}));
  }
  return Once<FusableWorkload>(setting, [&]() -> Result<FusableWorkload> {
    io::LoadRecord own = record;
    auto nodes = io::LoadFusableNodes(setting.text, &own);
    if (!nodes) return Fail(std::move(nodes.error()));
    FusableWorkload workload{*std::move(nodes),
                             std::exchange(own.architecture, record.architecture)};
    record = std::move(own);
    return workload;
  });
}

Result<std::shared_ptr<const Architecture>> Loader::Arch(const StudySetting& setting) {
  if (setting.architecture) return setting.architecture;
  return Once<Architecture>(setting, [&]() -> Result<Architecture> {
    auto inputs = io::LoadAny({setting.text}, &record);
    if (!inputs) return Fail(std::move(inputs.error()));
    if (inputs->architecture) return *std::move(inputs->architecture);
    return Fail(MakeError({}, "'" + setting.text + "' holds no architecture"));
  });
}

Result<std::shared_ptr<const Accelerator>> Loader::AcceleratorOf(const StudySetting& setting) {
  return Once<Accelerator>(setting, [&] { return io::LoadAccelerator(setting.text, &record); });
}

Result<std::shared_ptr<const Mix>> Loader::MixOf(const StudySetting& setting) {
  return Once<Mix>(setting, [&] { return io::LoadMix(setting.text, &record); });
}

Result<std::shared_ptr<const Machine>> Loader::MachineOf(const StudySetting& setting) {
  return Once<Machine>(setting, [&] { return io::LoadMachine(setting.text, &record); });
}

void Loader::Warn(const Diagnostics& warnings) {
  for (const Diagnostic& warning : warnings) {
    if (warned_.insert(Format(warning)).second) record.warnings.push_back(warning);
  }
}

const std::vector<RunRecord>& Runs() {
  static const std::vector<RunRecord> runs = {MapRun(),  MapspaceRun(), EvalRun(), CodesignRun(),
                                              PlanRun(), FuseRun(),     BatchRun()};
  return runs;
}

std::vector<Option> AxisOptions(const Structure& request,
                                const std::vector<std::string_view>& left_out) {
  std::vector<Option> options = OptionsOf(request);
  for (Option& option : OptionsOf<run::CommonRequest>()) options.push_back(std::move(option));
  std::erase_if(options, [&](const Option& option) {
    return !option.in_result || option.key == "dim" || option.key == "set" ||
           std::find(left_out.begin(), left_out.end(), option.key) != left_out.end();
  });
  return options;
}

Diagnostics SetOptions(const Settings& settings, OptionValues* values) {
  Diagnostics errors;
  for (const auto& [axis, setting] : settings) {
    const auto& options = values->options();
    const auto option = std::find_if(options.begin(), options.end(),
                                     [&name = axis](const Option& one) { return one.key == name; });
    if (option == options.end()) continue;
    if (const auto set = values->Set(option->key, setting->text); !set) {
      Append(At(setting->place, set.error()), &errors);
    }
  }
  return errors;
}

run::LayerInputs LayersOf(const Settings& settings, Loader* loader, Diagnostics* errors) {
  run::LayerInputs inputs;
  if (const auto workload = run::ValueOr(Need(settings, "workload"), errors)) {
    const auto network = run::ValueOr(loader->Workload(**workload), errors);
    if (network) inputs.network = **network;
  }
  if (const auto arch = run::ValueOr(Need(settings, "arch"), errors)) {
    const auto architecture = run::ValueOr(loader->Arch(**arch), errors);
    if (architecture) inputs.architecture = **architecture;
  }
  return inputs;
}

std::vector<std::string> AxesOf(std::vector<std::string> others,
                                const std::vector<Option>& options) {
  for (const Option& option : options) others.emplace_back(option.key);
  return others;
}

void AddReasons(const Diagnostics& errors, StudyPoint* point) {
  for (const Diagnostic& error : errors) point->reasons.push_back(error.message);
}

void AddReasons(const Faults& faults, StudyPoint* point, const std::string& layer) {
  const std::string before = layer.empty() ? "" : layer + ": ";
  for (const Fault& fault : faults) point->reasons.push_back(before + fault.message);
}

StudyFigures CostFigures(int64_t operations, const Cost& cost) {
  const auto work = static_cast<double>(operations), cycles = static_cast<double>(cost.cycles);
  StudyFigures figures;
  figures.Set("operations", work);
  figures.Set("energy_pj", cost.energy_pj);
  figures.Set("cycles", cycles);
  figures.Set("edp", cost.energy_pj * cycles);
  figures.Set("offchip_words", static_cast<double>(cost.offchip_words));
  figures.Set("utilization", cost.utilization);
  figures.Set("pj_per_op", cost.energy_pj / work);
  figures.Set("ops_per_cycle", cycles > 0 ? work / cycles : 0);
  return figures;
}

std::optional<double> SecondsOf(const RunLimits& limits, std::optional<double> asked_for) {
  if (!limits.seconds) return asked_for;
  return std::min(asked_for.value_or(*limits.seconds), *limits.seconds);
}

void ApplyLimits(const RunLimits& limits, run::CommonRequest* common) {
  common->threads = limits.threads;
  common->time_limit = SecondsOf(limits, common->time_limit);
}

Result<const StudySetting*> Need(const Settings& settings, const std::string& axis) {
  const auto found = settings.find(axis);
  if (found != settings.end()) return found->second;
  return Fail(MakeError({}, "a grid has no axis '" + axis + "'", "give it one setting at least"));
}

Result<PreparedStudy> PreparedStudy::Make(const Study& study, const Deadline& deadline) {
  PreparedStudy prepared(study);
  Errors errors;
  for (const StudyGrid& grid : study.grids) {
    const Diagnostics unknown =
        CheckAxes(grid, FindRun(grid.run), &prepared.loader_->record.warnings);
    errors.Add(unknown);
    if (!unknown.empty()) continue;
    for (const size_t probe : ProbesOf(grid)) {
      // What is checked quickly is checked whole, however short the limit.
      if (deadline.Passed() && deadline.SecondsSinceStart() > kQuick) {
        return Fail(
            MakeError({}, "the time was up before all settings were checked",
                      "raise " + Mention("time_limit") + ", or cut the study into several"));
      }
      const auto point = PreparePoint(PlaceOf(grid, probe), prepared.loader_.get());
      if (!point) errors.Add(point.error());
    }
  }
  if (!errors.all.empty()) return Fail(std::move(errors.all));
  prepared.record_ = prepared.loader_->record;
  return prepared;
}

PreparedPoint PreparedStudy::At(size_t index) const {
  auto point = PreparePoint(numbers_.PlaceOf(index), loader_.get());
  loader_->record = {};  // what the settings name is known from the checks
  if (point) return *std::move(point);
  const auto run = [errors = std::move(point.error())](const RunLimits&, const StopFlag&,
                                                       StudyPoint* answer) {
    answer->status = PointStatus::kNoAnswer;
    AddReasons(errors, answer);
  };
  return {numbers_.SettingsOf(index), run};
}

}  // namespace inlay::study
