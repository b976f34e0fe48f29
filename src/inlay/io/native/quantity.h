#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "inlay/core/technology.h"
#include "inlay/io/native/text.h"

namespace inlay::io {

// Numbers with units. A number without a unit, or with the unit of something else, is an error
// whose hint lists the units; decimal prefixes are powers of 1000, KiB, MiB and GiB powers of 1024.

// An amount of memory as written: "64 KiB", "65536 words".
struct Capacity {
  Decimal number;
  int64_t unit_bytes = 0;  // 0: the unit is words
};
// "unbounded" is a capacity too: no value.
Parsed<std::optional<Capacity>> ParseCapacity(std::string_view text);

// In words of `word_bits`. An error where it is not a whole number of words, from 1, in 64 bits.
// `what` is the thing in messages: "capacity", "block".
Parsed<int64_t> CapacityWords(const Capacity& capacity, int word_bits,
                              std::string_view what = "capacity");

// Of words of `word_bits`.
double CapacityBits(const Capacity& capacity, int word_bits);

// "16 words/cycle", "16 B/cycle"; more than 0.
struct Bandwidth {
  double per_cycle = 0;
  bool in_bytes = false;
};
Parsed<Bandwidth> ParseBandwidth(std::string_view text);
double BandwidthWords(const Bandwidth& bandwidth, int word_bits);

Parsed<double> ParseEnergyPj(std::string_view text);           // "4.6 pJ"
Parsed<double> ParseAreaUm2(std::string_view text);            // "1239.5 um2"
Parsed<double> ParseLeakagePjPerCycle(std::string_view text);  // "0.1 pJ/cycle"
Parsed<double> ParsePowerPjPerCycle(std::string_view text);    // "100 pJ/cycle"
Parsed<double> ParseFrequencyHz(std::string_view text);        // "1 GHz"; more than 0

// Sums of terms "9.06719e-3 pJ", "9.06719e-3 pJ * words" and "17.88e-3 pJ * sqrt(words)".
Parsed<SizeFunction> ParseEnergyFunction(std::string_view text);
Parsed<SizeFunction> ParseAreaFunction(std::string_view text);

// Regular expressions of the texts above, for the JSON Schema.
std::string CapacityPattern();
std::string BandwidthPattern();
std::string EnergyPattern();
std::string AreaPattern();
std::string LeakagePattern();
std::string PowerPattern();
std::string FrequencyPattern();
std::string EnergyFunctionPattern();
std::string AreaFunctionPattern();

// The texts that read back as the same values.
std::string EnergyText(double pj);
std::string AreaText(double um2);
std::string LeakageText(double pj_per_cycle);
std::string CapacityText(std::optional<int64_t> words);
std::string BandwidthText(double words_per_cycle);
std::string FrequencyText(double hz);
std::string EnergyFunctionText(const SizeFunction& pj);
std::string AreaFunctionText(const SizeFunction& um2);

}  // namespace inlay::io
