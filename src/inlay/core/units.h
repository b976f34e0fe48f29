#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "inlay/base/fields.h"

namespace inlay {

// A unit of one quantity: the number in front of `symbol` is multiplied by `scale`.
struct Unit {
  // Where a family has units of two sorts, what tells them apart: bytes beside words, per cycle
  // beside per second, seconds beside cycles.
  enum class Basis : uint8_t { kPlain, kBytes, kPerCycle, kBytesPerSecond, kSeconds };
  std::string_view symbol;
  double scale = 1;
  Basis basis = Basis::kPlain;
};

// What the numbers of a quantity are written in: what a key has as its unit.
struct UnitFamily {
  std::string_view what;     // as messages call it: "a capacity"
  std::string_view example;  // a text that is right; several are parted by "' or '"
  std::span<const Unit> units;
  size_t written = 0;  // the unit, of scale 1, in which values are held and written
  // Not null: the number must be more than 0, and this is the hint where it is not.
  const char* zero_hint = nullptr;
  std::string_view none = {};  // the word for an amount without a limit
  int word_bits = 0;           // of the words that bytes are counted in; 0: by the context

  const Unit& base() const { return units[written]; }
};

// What numbers in units of the other sort depend on. Read where they are needed: the value that
// has them may come to know them while it is read.
struct UnitContext {
  const int* word_bits = nullptr;
  const double* clock_hz = nullptr;
};

// Of levels: in words and cycles. Decimal prefixes are powers of 1000, KiB, MiB and GiB of 1024.
inline constexpr std::array<Unit, 9> kWordUnits = {{{"words"},
                                                    {"word"},
                                                    {"B", 1, Unit::Basis::kBytes},
                                                    {"KiB", 1024, Unit::Basis::kBytes},
                                                    {"MiB", 1048576, Unit::Basis::kBytes},
                                                    {"GiB", 1073741824, Unit::Basis::kBytes},
                                                    {"kB", 1e3, Unit::Basis::kBytes},
                                                    {"MB", 1e6, Unit::Basis::kBytes},
                                                    {"GB", 1e9, Unit::Basis::kBytes}}};
inline constexpr UnitFamily kCapacityUnits = {.what = "a capacity",
                                              .example = "65536 words' or '128 KiB",
                                              .units = kWordUnits,
                                              .none = "unbounded"};

inline constexpr std::array<Unit, 3> kWordRateUnits = {
    {{"words/cycle"}, {"word/cycle"}, {"B/cycle", 1, Unit::Basis::kBytes}}};
inline constexpr UnitFamily kBandwidthUnits = {.what = "a bandwidth",
                                               .example = "16 words/cycle' or '32 B/cycle",
                                               .units = kWordRateUnits,
                                               .zero_hint = "leave it out where there is no limit"};

// Of a level, whose architecture may have a clock.
inline constexpr std::array<Unit, 7> kLevelRateUnits = {
    {{"words/cycle"},
     {"word/cycle"},
     {"B/cycle", 1, Unit::Basis::kBytes},
     {"B/s", 1, Unit::Basis::kBytesPerSecond},
     {"MB/s", 1e6, Unit::Basis::kBytesPerSecond},
     {"GB/s", 1e9, Unit::Basis::kBytesPerSecond},
     {"TB/s", 1e12, Unit::Basis::kBytesPerSecond}}};
inline constexpr UnitFamily kLevelBandwidthUnits = {
    .what = "a bandwidth",
    .example = "16 words/cycle' or '32 B/cycle",
    .units = kLevelRateUnits,
    .zero_hint = "leave it out where there is no limit"};

// Of a machine's unit.
inline constexpr std::array<Unit, 4> kOperationsPerSecondList = {
    {{"GOP/s", 1e9}, {"MOP/s", 1e6}, {"TOP/s", 1e12}, {"OP/s", 1}}};
inline constexpr UnitFamily kOperationsPerSecondUnits = {
    .what = "a rate",
    .example = "200 GOP/s",
    .units = kOperationsPerSecondList,
    .zero_hint = "leave it out where nothing computes them"};

// Of vector units.
inline constexpr std::array<Unit, 2> kOperationRateList = {{{"ops/cycle"}, {"op/cycle"}}};
inline constexpr UnitFamily kOperationRateUnits = {
    .what = "a rate",
    .example = "128 ops/cycle",
    .units = kOperationRateList,
    .zero_hint = "leave out a unit that does nothing"};

inline constexpr std::array<Unit, 6> kCycleUnitList = {{{"cycles"},
                                                        {"cycle"},
                                                        {"ns", 1e-9, Unit::Basis::kSeconds},
                                                        {"us", 1e-6, Unit::Basis::kSeconds},
                                                        {"ms", 1e-3, Unit::Basis::kSeconds},
                                                        {"s", 1, Unit::Basis::kSeconds}}};
inline constexpr UnitFamily kCycleUnits = {
    .what = "a number of cycles", .example = "400 cycles' or '200 ns", .units = kCycleUnitList};

inline constexpr std::array<Unit, 4> kWattUnitList = {
    {{"W", 1}, {"mW", 1e-3}, {"uW", 1e-6}, {"kW", 1e3}}};
inline constexpr UnitFamily kWattUnits = {
    .what = "a power", .example = "15 W", .units = kWattUnitList};

inline constexpr std::array<Unit, 4> kJouleUnits = {
    {{"pJ", 1}, {"fJ", 1e-3}, {"nJ", 1e3}, {"uJ", 1e6}}};
inline constexpr UnitFamily kEnergyUnits = {
    .what = "an energy", .example = "4.6 pJ", .units = kJouleUnits};

inline constexpr std::array<Unit, 2> kSquareMetreUnits = {{{"um2", 1}, {"mm2", 1e6}}};
inline constexpr UnitFamily kAreaUnits = {
    .what = "an area", .example = "1239.5 um2", .units = kSquareMetreUnits};

inline constexpr std::array<Unit, 3> kJoulePerCycleUnits = {
    {{"pJ/cycle", 1}, {"fJ/cycle", 1e-3}, {"nJ/cycle", 1e3}}};
inline constexpr UnitFamily kLeakageUnits = {
    .what = "a leakage", .example = "0.1 pJ/cycle", .units = kJoulePerCycleUnits};
inline constexpr UnitFamily kPowerUnits = {
    .what = "a power", .example = "100 pJ/cycle", .units = kJoulePerCycleUnits};

// Of technologies.
inline constexpr std::array<Unit, 5> kMicrowattUnits = {
    {{"uW", 1}, {"pW", 1e-6}, {"nW", 1e-3}, {"mW", 1e3}, {"W", 1e6}}};
inline constexpr UnitFamily kLeakagePowerUnits = {
    .what = "a power", .example = "3.3 uW", .units = kMicrowattUnits};
inline constexpr std::array<Unit, 3> kJoulePerBitUnits = {
    {{"pJ/bit", 1}, {"fJ/bit", 1e-3}, {"pJ/B", 0.125}}};
inline constexpr UnitFamily kBitEnergyUnits = {
    .what = "an energy per bit", .example = "4 pJ/bit", .units = kJoulePerBitUnits};
inline constexpr std::array<Unit, 2> kJoulePerBitLengthUnits = {
    {{"pJ/bit/mm", 1}, {"fJ/bit/mm", 1e-3}}};
inline constexpr UnitFamily kWireEnergyUnits = {.what = "an energy per bit and length",
                                                .example = "0.1 pJ/bit/mm",
                                                .units = kJoulePerBitLengthUnits};
inline constexpr std::array<Unit, 2> kMetreUnits = {{{"nm", 1}, {"um", 1e3}}};
inline constexpr UnitFamily kLengthUnits = {
    .what = "a size", .example = "45 nm", .units = kMetreUnits, .zero_hint = ""};

inline constexpr std::array<Unit, 4> kHertzUnits = {
    {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}};
inline constexpr UnitFamily kFrequencyUnits = {
    .what = "a frequency", .example = "1 GHz", .units = kHertzUnits, .zero_hint = ""};

// Of machines and accelerators: in bytes and seconds.
inline constexpr UnitFamily kByteUnits = {.what = "a size",
                                          .example = "2 MiB",
                                          .units = std::span(kWordUnits).subspan(2),
                                          .word_bits = 8};

// A multiply-accumulate is two operations on floating-point numbers.
inline constexpr std::array<Unit, 6> kMacRateList = {{{"MAC/s", 1},
                                                      {"GMAC/s", 1e9},
                                                      {"TMAC/s", 1e12},
                                                      {"GFLOP/s", 0.5e9},
                                                      {"TFLOP/s", 0.5e12},
                                                      {"FLOP/s", 0.5}}};
inline constexpr UnitFamily kMacRateUnits = {
    .what = "a peak", .example = "1.5 TMAC/s", .units = kMacRateList, .zero_hint = ""};

inline constexpr std::array<Unit, 3> kJoulePerByteUnits = {
    {{"pJ/B", 1}, {"fJ/B", 1e-3}, {"nJ/B", 1e3}}};
inline constexpr UnitFamily kByteEnergyUnits = {
    .what = "an energy per byte", .example = "20 pJ/B", .units = kJoulePerByteUnits};

inline constexpr std::array<Unit, 9> kByteRateList = {{{"B/cycle", 1, Unit::Basis::kPerCycle},
                                                       {"B/s", 1},
                                                       {"kB/s", 1e3},
                                                       {"MB/s", 1e6},
                                                       {"GB/s", 1e9},
                                                       {"TB/s", 1e12},
                                                       {"KiB/s", 1024},
                                                       {"MiB/s", 1048576},
                                                       {"GiB/s", 1073741824}}};
inline constexpr UnitFamily kByteRateUnits = {.what = "a bandwidth",
                                              .example = "32 GB/s' or '256 B/cycle",
                                              .units = kByteRateList,
                                              .written = 1,
                                              .zero_hint = "leave it out where there is no limit"};
// Where there are no cycles.
inline constexpr UnitFamily kPerSecondRateUnits = {.what = "a bandwidth",
                                                   .example = "819 GB/s",
                                                   .units = std::span(kByteRateList).subspan(1),
                                                   .zero_hint = "leave it out where it is unknown"};
// The same in bytes per cycle, of a channel without which nothing would ever arrive.
inline constexpr UnitFamily kChannelRateUnits = {
    .what = "a bandwidth",
    .example = "32 GB/s' or '256 B/cycle",
    .units = kByteRateList,
    .zero_hint = "write for example '450 B/cycle'; all weights come through it"};

inline constexpr std::array<Unit, 4> kSecondUnits = {
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
inline constexpr UnitFamily kTimeUnits = {
    .what = "a time", .example = "3 ms", .units = kSecondUnits};

inline constexpr std::array<Unit, 3> kPerSecondUnits = {
    {{"/s", 1}, {"/ms", 1e3}, {"/min", 1.0 / 60}}};
inline constexpr UnitFamily kArrivalUnits = {
    .what = "a rate",
    .example = "200 /s",
    .units = kPerSecondUnits,
    .zero_hint = "leave 'arrivals' out for one batch at once"};

// The widest word that files may have, in bits.
inline constexpr int64_t kMostWordBits = 4096;
inline constexpr KeyTraits kWordBitsTraits = {.what = "a number of bits", .maximum = kMostWordBits};
inline constexpr KeyTraits kFreeWordBits = {
    .what = "a number of bits", .maximum = kMostWordBits, .free = true};

}  // namespace inlay
