#include "inlay/core/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "inlay/base/fields.h"
#include "inlay/core/machine.h"
#include "inlay/core/units.h"

namespace inlay {
namespace {

Dataflow& DataflowOf(Accelerator& accelerator) { return accelerator.array.dataflow; }

}  // namespace

const Structure& StructureOf(const Accelerator*) {
  static constexpr const char* kSize = "a size such as '32 MiB'";
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Accelerator::name>("name", "what the accelerator is called in results",
                                {.required = true, .text = TextForm::kTitle})
          .InResults(),
      KeyOf<&Accelerator::clock_hz>("clock", "turns cycles into seconds (default {})",
                                    {.unit = &kFrequencyUnits})
          .InResults("clock_hz", {.as_whole = true}),
      KeyOf<&Accelerator::arrays>("arrays", "how many arrays work on a layer together (default {})",
                                  {.what = "a number of arrays", .maximum = 1 << 20})
          .InResults(),
      KeyOf<&Accelerator::array>("array", "each of them (default 128 by 128 elements)")
          .InResults("", {.inlined = true}),
      KeyOf<&DataflowOf>("dataflow", "what stays in the elements (default {})"),
      KeyOf<&Accelerator::bits>("bits", "of every element of a tensor (default {})",
                                kWordBitsTraits)
          .InResults(),
      KeyOf<&Accelerator::memory_bytes>("memory", "on chip, for weights and feature maps",
                                        {.required = true, .unit = &kByteUnits, .what = kSize})
          .InResults("memory_bytes"),
      KeyOf<&Accelerator::bytes_per_cycle>(
          "bandwidth", "of the channel to the memory off chip",
          {.required = true,
           .unit = &kChannelRateUnits,
           .what = "a bandwidth such as '450 B/cycle' or '450 GB/s'"})
          .InResults("bytes_per_cycle", {.as_whole = true}),
      KeyOf<&Accelerator::block_bytes>("block",
                                       "most weights that are fetched at a time (default {})",
                                       {.unit = &kByteUnits, .what = kSize})
          .InResults("block_bytes"),
      KeyOf<&Accelerator::window_bytes>(
          "window", "most weights on chip that wait for their turn (default {})",
          {.unit = &kByteUnits, .what = kSize})
          .InResults("window_bytes"),
      KeyOf<&Accelerator::look_ahead_layers>(
          "look_ahead", "how many layers ahead of the running one weights are fetched (default {})",
          {.what = "a number of layers from 0", .minimum = 0})
          .InResults("look_ahead_layers"),
  });
  return Describe<Accelerator, kKeys>("Accelerator", "an accelerator");
}

const Structure& StructureOf(const Arrivals*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Arrivals::per_second>("poisson", "batches come at random, so many on average",
                                   {.required = true, .unit = &kArrivalUnits}),
      KeyOf<&Arrivals::count>("count", "how many batches come (default {})",
                              {.what = "a number of batches", .maximum = 1'000'000}),
      KeyOf<&Arrivals::seed>("seed", "where the random times start (default {})", {.minimum = 0}),
  });
  return DescribeKeys<Arrivals, kKeys>("random arrivals");
}

const Structure& StructureOf(const MixWorkload*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&MixWorkload::network>(
          "network", "a built-in, or a file (ONNX or native) by its path from this one",
          {.required = true, .text = TextForm::kTitle}),
      KeyOf<&MixWorkload::batch>("batch", "inferences that come together (default {})"),
      ByHand("arrivals", "when batches come; without it one, at the start"),
  });
  return DescribeKeys<MixWorkload, kKeys>("a workload");
}

const Structure& StructureOf(const Mix*) {
  static constexpr auto kKeys = std::to_array<Field>({
      KeyOf<&Mix::name>("name", "what the mix is called in results", {.text = TextForm::kTitle}),
      ByHand("accelerator", "what the networks share", {.required = true}),
      ByHand("workloads", "the networks and their batches", {.required = true}),
      ByHand("options", "options of 'inlay batch' that hold unless the command says otherwise"),
  });
  return DescribeKeys<Mix, kKeys>("a mix");
}
namespace {

// Limits far above real workloads: sums of cycles and bytes stay within 64 bits, and a list of the
// slices of a batch fits in memory.
constexpr int64_t kMostInferences = 1'000'000;
constexpr int64_t kMostRequests = 1'000'000;
constexpr int64_t kMostArrays = 1'000'000;
constexpr double kMostCycles = 1e18;

class MixChecker {
 public:
  explicit MixChecker(std::string prefix) : prefix_(std::move(prefix)) {}

  void Check(const Accelerator& a) {
    if (!IsPositive(a.clock_hz)) Add("clock", "the clock must be more than 0");
    AtLeast("arrays", "the number of arrays", a.arrays, 1, kMostArrays);
    AtLeast("array", "the number of rows", a.array.rows, 1, kMostArrays);
    AtLeast("array", "the number of columns", a.array.columns, 1, kMostArrays);
    AtLeast("bits", "the bits of an element", a.bits, 1, 64);
    constexpr int64_t kMostBytes = int64_t{1} << 50;
    AtLeast("memory", "the on-chip memory in bytes", a.memory_bytes, 1, kMostBytes);
    if (!IsPositive(a.bytes_per_cycle)) {
      Add("bandwidth", "the bandwidth must be more than 0",
          "nothing reaches the chip without it; 450 B/cycle is a stack of HBM at 1 GHz");
    }
    AtLeast("block", "the bytes of a weight block", a.block_bytes, 1, kMostBytes);
    AtLeast("window", "the bytes of the weight window", a.window_bytes, 1, kMostBytes);
    AtLeast("look_ahead_layers", "the layers of the weight window", a.look_ahead_layers, 0,
            1'000'000);
  }

  void Check(const MixWorkload& workload, double clock_hz) {
    if (!workload.graph) Add("network", fmt::format("no network '{}'", workload.network));
    AtLeast("batch", "a batch", workload.batch, 1, kMostInferences);
    const Arrivals& arrivals = workload.arrivals;
    if (arrivals.kind == Arrivals::Kind::kPoisson) CheckPoisson(arrivals, clock_hz);
    if (arrivals.kind == Arrivals::Kind::kTrace) CheckTrace(arrivals, clock_hz);
  }

  Faults Take() { return std::move(faults_); }

 private:
  void Add(const std::string& where, std::string message, std::string hint = "") {
    faults_.push_back({prefix_ + where, std::move(message), std::move(hint)});
  }

  void AtLeast(const char* where, const char* what, int64_t value, int64_t least, int64_t most) {
    if (value < least) {
      Add(where, fmt::format("{} is {}", what, value), fmt::format("it is at least {}", least));
    } else if (value > most) {
      Add(where, fmt::format("{} is {}", what, value), fmt::format("it is at most {}", most));
    }
  }

  void CheckPoisson(const Arrivals& arrivals, double clock_hz) {
    AtLeast("arrivals.count", "the number of batches", arrivals.count, 1, kMostRequests);
    if (!IsPositive(arrivals.per_second)) {
      Add("arrivals.poisson", "a rate of arrivals must be more than 0");
    } else if (static_cast<double>(arrivals.count) / arrivals.per_second * clock_hz > kMostCycles) {
      Add("arrivals.poisson", "the batches come later than 64 bits of cycles can say");
    }
  }

  void CheckTrace(const Arrivals& arrivals, double clock_hz) {
    const std::vector<double>& seconds = arrivals.seconds;
    if (seconds.empty()) {
      Add("arrivals.trace", "the trace has no arrival");
      return;
    }
    const bool times = std::all_of(seconds.begin(), seconds.end(),
                                   [](double s) { return std::isfinite(s) && s >= 0; });
    if (!times) {
      Add("arrivals.trace", "an arrival is not a time from 0");
    } else if (!std::is_sorted(seconds.begin(), seconds.end())) {
      Add("arrivals.trace", "the arrivals are not in order", "a batch comes after the one before");
    } else if (seconds.back() * clock_hz > kMostCycles) {
      Add("arrivals.trace", "the last batch comes later than 64 bits of cycles can say");
    }
  }

  std::string prefix_;
  Faults faults_;
};

}  // namespace

Faults Validate(const Accelerator& accelerator) {
  MixChecker checker("");
  checker.Check(accelerator);
  return checker.Take();
}

Faults Validate(const Mix& mix) {
  MixChecker accelerator("accelerator.");
  accelerator.Check(mix.accelerator);
  Faults faults = accelerator.Take();
  if (mix.workloads.empty()) {
    faults.push_back({"workloads", "the mix has no workload", "name at least one network"});
  }
  for (size_t i = 0; i < mix.workloads.size(); ++i) {
    MixChecker workload(fmt::format("workloads[{}].", i));
    workload.Check(mix.workloads[i], mix.accelerator.clock_hz);
    for (Fault& fault : workload.Take()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace inlay
