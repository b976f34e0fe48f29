#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/base/option_fields.h"
#include "inlay/base/result.h"
#include "inlay/base/stop.h"
#include "inlay/batch/remap_table.h"
#include "inlay/core/study.h"
#include "inlay/core/study_result.h"
#include "inlay/io/load.h"
#include "inlay/run/layers.h"

namespace inlay::study {

// What a point may use while it runs.
struct RunLimits {
  int threads = 1;
  std::optional<double> seconds;  // for all of the point; none: no limit
};

// One point, checked and ready; running it fills in everything but its settings.
using RunPoint = std::function<void(const RunLimits&, const StopFlag&, StudyPoint*)>;

// Axis → setting, of one point.
using Settings = std::map<std::string, const StudySetting*>;

// Nodes to fuse, and the architecture that stands beside them in their file.
struct FusableWorkload {
  io::FusableNodes nodes;
  std::optional<Architecture> architecture;
};

// Finds what settings name. Everything is read once; what was read is recorded for the result.
class Loader {
 public:
  Result<std::shared_ptr<const Network>> Workload(const StudySetting& setting);
  Result<std::shared_ptr<const Graph>> WorkloadGraph(const StudySetting& setting);
  Result<std::shared_ptr<const FusableWorkload>> FusableNodesOf(const StudySetting& setting);
  Result<std::shared_ptr<const Architecture>> Arch(const StudySetting& setting);
  Result<std::shared_ptr<const Accelerator>> AcceleratorOf(const StudySetting& setting);
  Result<std::shared_ptr<const Mix>> MixOf(const StudySetting& setting);
  Result<std::shared_ptr<const Machine>> MachineOf(const StudySetting& setting);
  // Adds each warning once.
  void Warn(const Diagnostics& warnings);
  io::LoadRecord record;
  // Fronts of layers that points have in common.
  const std::shared_ptr<batch::RemapTables> remaps = std::make_shared<batch::RemapTables>();

 private:
  template <typename T>
  using ByName = std::map<std::string, std::shared_ptr<const T>>;
  // What the setting names, which `read` gives when it is asked for the first time.
  template <typename T, typename Read>
  Result<std::shared_ptr<const T>> Once(const StudySetting& setting, const Read& read);

  std::tuple<ByName<Network>, ByName<Graph>, ByName<FusableWorkload>, ByName<Architecture>,
             ByName<Accelerator>, ByName<Mix>, ByName<Machine>>
      known_;
  std::set<std::string> warned_;  // as text
};

// An axis by an old name, which is still read, with a warning.
struct AxisAlias {
  std::string_view name, axis;
  std::vector<std::pair<std::string_view, std::string_view>> values;  // old and new
};

// A command whose calls a study can be made of. A new one is a file and a row in the table.
struct RunRecord {
  std::string_view name;
  std::vector<std::string> axes;  // all that it knows
  // `settings` has no axis that is not in `axes`. All errors of all settings at once: a setting is
  // checked besides the first of every other axis, which may be wrong, too.
  Result<RunPoint> (*prepare)(const Settings& settings, Loader* loader);
  std::vector<AxisAlias> aliases = {};
};
const std::vector<RunRecord>& Runs();

RunRecord MapRun();
RunRecord MapspaceRun();
RunRecord EvalRun();
RunRecord CodesignRun();
RunRecord PlanRun();
RunRecord FuseRun();
RunRecord BatchRun();

struct PreparedPoint {
  StudyFilter settings;
  RunPoint run;
};

// The points of a study, each made ready when its turn comes. Not for several threads at once.
class PreparedStudy {
 public:
  // Finds and checks what the settings name: every setting, not every combination (ProbesOf). The
  // study outlives it. Errors of settings, each once; one error if the deadline passes before all
  // are checked.
  static Result<PreparedStudy> Make(const Study& study, const Deadline& deadline);

  size_t size() const { return numbers_.size(); }
  // A combination of settings that contradict each other has no answer.
  PreparedPoint At(size_t index) const;
  const io::LoadRecord& record() const { return record_; }

 private:
  explicit PreparedStudy(const Study& study) : numbers_(study) {}

  StudyNumbers numbers_;
  std::unique_ptr<Loader> loader_ = std::make_unique<Loader>();
  io::LoadRecord record_;
};

// Errors with options named as a study names them, and with the place of the part of the study that
// they are about where they have none of their own.
Diagnostics At(const SourcePlace& place, Diagnostics errors);

// Options of a request, and those that every request has, as axes: all that results record, which
// leaves out files and threads; without those of `left_out`.
std::vector<Option> AxisOptions(const Structure& request,
                                const std::vector<std::string_view>& left_out = {});

// The values that the settings give to options of the same names; axes without an option are
// skipped. Errors at the places of the settings.
Diagnostics SetOptions(const Settings& settings, OptionValues* values);

// The request that the settings of a point make.
template <typename Request>
Request ReadRequest(const Settings& settings, std::vector<Option> options, Diagnostics* errors) {
  OptionValues values(std::move(options));
  Append(SetOptions(settings, &values), errors);
  return run::RequestFrom<Request>(values);
}

// The settings of 'workload' and 'arch', which must be given.
run::LayerInputs LayersOf(const Settings& settings, Loader* loader, Diagnostics* errors);

// Axes that are no options, and those that are.
std::vector<std::string> AxesOf(std::vector<std::string> others,
                                const std::vector<Option>& options);

// Why the point, or a layer of it, has no answer.
void AddReasons(const Diagnostics& errors, StudyPoint* point);
void AddReasons(const Faults& faults, StudyPoint* point, const std::string& layer = "");

// What a mapping of so many operations costs.
StudyFigures CostFigures(int64_t operations, const Cost& cost);

// What a point may take, of what was asked for and what its study has left.
std::optional<double> SecondsOf(const RunLimits& limits, std::optional<double> asked_for);
void ApplyLimits(const RunLimits& limits, run::CommonRequest* common);

// The setting of an axis, which must be given; an error that says so otherwise.
Result<const StudySetting*> Need(const Settings& settings, const std::string& axis);

}  // namespace inlay::study
