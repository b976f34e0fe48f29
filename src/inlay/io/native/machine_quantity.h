#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inlay/io/native/text.h"

namespace inlay::io {

// Numbers with units as in quantity.h, of machines: in bytes and seconds, not in words and cycles.

Parsed<int64_t> ParseByteSize(std::string_view text);      // "2 MiB"; a whole number from 1
Parsed<double> ParseMacRate(std::string_view text);        // MAC/s of "1.5 TMAC/s", "3 TFLOP/s"
Parsed<double> ParseEnergyPerByte(std::string_view text);  // pJ of "20 pJ/B"

// "32 GB/s", or by the clock "256 B/cycle"; more than 0.
struct ByteRate {
  double bytes = 0;
  bool per_cycle = false;
};
Parsed<ByteRate> ParseByteRate(std::string_view text);

Parsed<double> ParseSeconds(std::string_view text);    // "3 ms"
Parsed<double> ParsePerSecond(std::string_view text);  // "200 /s"; more than 0

// Regular expressions of the texts above, for the JSON Schema.
std::string ByteSizePattern();
std::string MacRatePattern();
std::string EnergyPerBytePattern();
std::string ByteRatePattern();
std::string SecondsPattern();
std::string PerSecondPattern();

// The texts that read back as the same values.
std::string ByteSizeText(int64_t bytes);
std::string MacRateText(double macs_per_second);
std::string EnergyPerByteText(double pj);
std::string ByteRateText(double bytes_per_second);
std::string BytesPerCycleText(double bytes_per_cycle);
std::string SecondsText(double seconds);
std::string PerSecondText(double per_second);

}  // namespace inlay::io
