#include "inlay/report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace inlay::report {
namespace {

// Digits with a separator, where the style has one, between groups of three from the right.
std::string GroupDigits(std::string_view digits, const TextStyle& style) {
  if (!style.grouped) return std::string(digits);
  const std::string_view separator = style.unicode ? "\u202f" : ",";
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

struct Prefix {
  int exponent;  // of ten
  const char* unicode;
  const char* ascii;
};
constexpr std::array<Prefix, 13> kPrefixes = {{{-18, "a", "a"},
                                               {-15, "f", "f"},
                                               {-12, "p", "p"},
                                               {-9, "n", "n"},
                                               {-6, "µ", "u"},
                                               {-3, "m", "m"},
                                               {0, "", ""},
                                               {3, "k", "k"},
                                               {6, "M", "M"},
                                               {9, "G", "G"},
                                               {12, "T", "T"},
                                               {15, "P", "P"},
                                               {18, "E", "E"}}};

// "1.156", "11.56", "115.6": four significant digits of a value from 1 up to 1000.
std::string FourDigits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.9995 ? 3 : value < 99.995 ? 2 : 1);
}

}  // namespace

std::string Grouped(int64_t value, const TextStyle& style) {
  const std::string digits = std::to_string(value);
  if (value < 0) return "-" + GroupDigits(digits.substr(1), style);
  return GroupDigits(digits, style);
}

std::string GroupedFixed(double value, int decimals, const TextStyle& style) {
  const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const size_t point = std::min(text.find('.'), text.size());
  return (value < 0 ? "-" : "") + GroupDigits(text.substr(0, point), style) + text.substr(point);
}

std::string Rounded(int64_t value, const TextStyle& style) {
  if (std::abs(value) < 10000) return Grouped(value, style);
  return WithPrefix(static_cast<double>(value), "", style);
}

std::string WithPrefix(double value, std::string_view unit, const TextStyle& style) {
  const auto text = [&](const std::string& number, const char* prefix) {
    const std::string tail = prefix + std::string(unit);
    return tail.empty() ? number : number + " " + tail;
  };
  const double size = std::abs(value);
  if (size == 0 || !std::isfinite(value)) return text(fmt::format("{:g}", value), "");
  for (const Prefix& prefix : kPrefixes) {
    const double scaled = size / std::pow(10.0, prefix.exponent);
    if (scaled >= 999.95 && &prefix != &kPrefixes.back()) continue;
    if (scaled < 0.9995 || scaled >= 999.95) break;  // beyond the prefixes
    return text((value < 0 ? "-" : "") + FourDigits(scaled),
                style.unicode ? prefix.unicode : prefix.ascii);
  }
  return text(fmt::format("{:.3e}", value), "");
}

std::string BytesText(double bytes) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

std::string Percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string GapText(double gap) {
  if (gap > 0 && gap < 0.001) return "less than 0.1 %";
  return Percent(std::ceil(gap * 1000 * (1 - 1e-9)) / 1000);
}

std::string Bar(double share, int columns, const TextStyle& style) {
  constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return "";
  const int parts = style.unicode ? 8 : 1;
  const double steps = std::clamp(share, 0.0, 1.0) * columns * parts;
  const int whole = std::max(1, static_cast<int>(std::lround(steps)));
  std::string bar;
  for (int i = 0; i < whole / parts; ++i) bar += style.unicode ? "█" : "#";
  if (style.unicode) bar += kEighths[static_cast<size_t>(whole % parts)];
  return bar;
}

EnergyUnit UnitFor(double total_pj, const TextStyle& style) {
  if (total_pj < 1e4) return {1, "pJ"};
  if (total_pj < 1e7) return {1e3, "nJ"};
  if (total_pj < 1e10) return {1e6, style.unicode ? "µJ" : "uJ"};
  if (total_pj < 1e13) return {1e9, "mJ"};
  return {1e12, "J"};
}

}  // namespace inlay::report
