#include "inlay/io/native/machine_quantity.h"

#include <fmt/format.h>

#include <array>

#include "inlay/io/native/quantity.h"
#include "inlay/io/native/units.h"

namespace inlay::io {
namespace {

constexpr std::array<Unit, 7> kSizeUnits = {{{"B", 1},
                                             {"KiB", 1024},
                                             {"MiB", 1048576},
                                             {"GiB", 1073741824},
                                             {"kB", 1e3},
                                             {"MB", 1e6},
                                             {"GB", 1e9}}};
constexpr UnitFamily kSize = {"a size", "2 MiB", kSizeUnits};

// A multiply-accumulate is two operations on floating-point numbers.
constexpr std::array<Unit, 6> kMacRateUnits = {{{"MAC/s", 1},
                                                {"GMAC/s", 1e9},
                                                {"TMAC/s", 1e12},
                                                {"GFLOP/s", 0.5e9},
                                                {"TFLOP/s", 0.5e12},
                                                {"FLOP/s", 0.5}}};
constexpr UnitFamily kMacRate = {"a peak", "1.5 TMAC/s", kMacRateUnits};

constexpr std::array<Unit, 3> kEnergyUnits = {{{"pJ/B", 1}, {"fJ/B", 1e-3}, {"nJ/B", 1e3}}};
constexpr UnitFamily kEnergy = {"an energy per byte", "20 pJ/B", kEnergyUnits};

constexpr std::string_view kPerCycle = "B/cycle";
constexpr std::array<Unit, 9> kRateUnits = {{{kPerCycle, 1},
                                             {"B/s", 1},
                                             {"kB/s", 1e3},
                                             {"MB/s", 1e6},
                                             {"GB/s", 1e9},
                                             {"TB/s", 1e12},
                                             {"KiB/s", 1024},
                                             {"MiB/s", 1048576},
                                             {"GiB/s", 1073741824}}};
constexpr UnitFamily kRate = {"a bandwidth", "32 GB/s' or '256 B/cycle", kRateUnits};

constexpr std::array<Unit, 4> kTimeUnits = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
constexpr UnitFamily kTime = {"a time", "3 ms", kTimeUnits};

constexpr std::array<Unit, 3> kPerTimeUnits = {{{"/s", 1}, {"/ms", 1e3}, {"/min", 1.0 / 60}}};
constexpr UnitFamily kPerTime = {"a rate", "200 /s", kPerTimeUnits};

std::string Anchored(const UnitFamily& family) {
  return fmt::format(R"(^\s*{}\s*$)", QuantityPattern(family));
}

}  // namespace

Parsed<int64_t> ParseByteSize(std::string_view text) {
  const auto quantity = ParseQuantity(text, kSize);
  if (!quantity) return tl::unexpected(quantity.error());
  const Capacity capacity{quantity->number, static_cast<int64_t>(quantity->unit->scale)};
  return CapacityWords(capacity, 8, "size");
}

Parsed<double> ParseMacRate(std::string_view text) {
  const auto quantity = ParseQuantity(text, kMacRate);
  if (!quantity) return tl::unexpected(quantity.error());
  if (quantity->value() <= 0) return TextFail(0, "a peak must be more than 0");
  return quantity->value();
}

Parsed<double> ParseEnergyPerByte(std::string_view text) {
  const auto quantity = ParseQuantity(text, kEnergy);
  if (!quantity) return tl::unexpected(quantity.error());
  return quantity->value();
}

Parsed<ByteRate> ParseByteRate(std::string_view text) {
  const auto quantity = ParseQuantity(text, kRate);
  if (!quantity) return tl::unexpected(quantity.error());
  if (quantity->value() <= 0) {
    return TextFail(0, "a bandwidth must be more than 0", "leave it out where there is no limit");
  }
  return ByteRate{quantity->value(), quantity->unit->symbol == kPerCycle};
}

Parsed<double> ParseSeconds(std::string_view text) {
  const auto quantity = ParseQuantity(text, kTime);
  if (!quantity) return tl::unexpected(quantity.error());
  return quantity->value();
}

Parsed<double> ParsePerSecond(std::string_view text) {
  const auto quantity = ParseQuantity(text, kPerTime);
  if (!quantity) return tl::unexpected(quantity.error());
  if (quantity->value() <= 0) {
    return TextFail(0, "a rate must be more than 0", "leave 'arrivals' out for one batch at once");
  }
  return quantity->value();
}

std::string ByteSizePattern() { return Anchored(kSize); }
std::string MacRatePattern() { return Anchored(kMacRate); }
std::string EnergyPerBytePattern() { return Anchored(kEnergy); }
std::string ByteRatePattern() { return Anchored(kRate); }
std::string SecondsPattern() { return Anchored(kTime); }
std::string PerSecondPattern() { return Anchored(kPerTime); }

std::string ByteSizeText(int64_t bytes) {
  constexpr int64_t kMi = 1048576, kKi = 1024;
  if (bytes % kMi == 0) return fmt::format("{} MiB", bytes / kMi);
  if (bytes % kKi == 0) return fmt::format("{} KiB", bytes / kKi);
  return fmt::format("{} B", bytes);
}
std::string MacRateText(double macs_per_second) { return ToText(macs_per_second) + " MAC/s"; }
std::string EnergyPerByteText(double pj) { return ToText(pj) + " pJ/B"; }
std::string ByteRateText(double bytes_per_second) { return ToText(bytes_per_second) + " B/s"; }
std::string BytesPerCycleText(double bytes_per_cycle) {
  return ToText(bytes_per_cycle) + " B/cycle";
}
std::string SecondsText(double seconds) { return ToText(seconds) + " s"; }
std::string PerSecondText(double per_second) { return ToText(per_second) + " /s"; }

}  // namespace inlay::io
