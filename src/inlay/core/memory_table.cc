#include "inlay/core/memory_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "inlay/base/check.h"

namespace inlay {
namespace {

constexpr size_t kFigures = 4;
using Values = std::array<double, kFigures>;

using Rows = std::span<const KnownMemory>;

Values ValuesOf(const KnownMemory& row) {
  return {row.read_pj, row.write_pj, row.leakage_uw, row.area_um2};
}

// `share` of the way from a to b: on the straight line between their logarithms, where they have
// some.
Values Between(const Values& a, const Values& b, double share) {
  Values between;
  for (size_t i = 0; i < kFigures; ++i) {
    between[i] = a[i] > 0 && b[i] > 0
                     ? std::exp(std::log(a[i]) * (1 - share) + std::log(b[i]) * share)
                     : std::max(a[i] * (1 - share) + b[i] * share, 0.0);
  }
  return between;
}

Values Scaled(Values values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

double CapacityBits(const KnownMemory& row) { return 8 * static_cast<double>(row.capacity_bytes); }

// The rows of one width, by capacity.
Values AtCapacity(Rows rows, double capacity_bits) {
  if (rows.size() == 1) return ValuesOf(rows.front());
  const auto above = std::upper_bound(
      rows.begin() + 1, rows.end() - 1, capacity_bits,
      [](double bits, const KnownMemory& row) { return bits < CapacityBits(row); });
  const KnownMemory& small = *(above - 1);
  const KnownMemory& large = *above;
  if (capacity_bits == CapacityBits(small)) return ValuesOf(small);
  if (capacity_bits == CapacityBits(large)) return ValuesOf(large);
  const double share = std::log(capacity_bits / CapacityBits(small)) /
                       std::log(CapacityBits(large) / CapacityBits(small));
  const Values a = ValuesOf(small);
  const Values b = ValuesOf(large);
  Values values = Between(a, b, share);
  for (size_t i = 0; i < kFigures; ++i) {
    if (share < 0 && b[i] < a[i]) values[i] = a[i];
    if (share > 1 && b[i] < a[i]) values[i] = b[i];
  }
  return values;
}

// The rows with such ports, and of those the rows of each width.
Rows WithPorts(const KnownMemories& table, MemoryPorts ports) {
  const auto first = std::find_if(table.begin(), table.end(),
                                  [ports](const KnownMemory& row) { return row.ports == ports; });
  const auto last = std::find_if(first, table.end(),
                                 [ports](const KnownMemory& row) { return row.ports != ports; });
  return {first, last};
}
Rows FirstWidth(Rows rows) {
  const auto last = std::find_if(rows.begin(), rows.end(), [&rows](const KnownMemory& row) {
    return row.width_bits != rows.front().width_bits;
  });
  return {rows.begin(), last};
}

// The widths next to an access: the widest that is not wider, and the narrowest that is. Beyond the
// table there is only one of them.
struct Widths {
  Rows narrow, wide;
};
Widths WidthsAround(Rows rows, double access_bits) {
  Widths widths;
  while (!rows.empty()) {
    const Rows next = FirstWidth(rows);
    rows = rows.subspan(next.size());
    if (next.front().width_bits > access_bits) {
      widths.wide = next;
      break;
    }
    widths.narrow = next;
  }
  return widths;
}

double WidthOf(Rows rows) { return rows.front().width_bits; }

Values ValuesAt(Rows rows, const MemorySize& size) {
  const auto [narrow, wide] = WidthsAround(rows, size.access_bits);
  if (narrow.empty()) return AtCapacity(wide, size.capacity_bits);
  const double times = size.access_bits / WidthOf(narrow);
  if (wide.empty()) {
    return Scaled(AtCapacity(narrow, size.capacity_bits / times), times);
  }
  const Values low = AtCapacity(narrow, size.capacity_bits);
  if (times == 1) return low;
  return Between(low, AtCapacity(wide, size.capacity_bits),
                 std::log(times) / std::log(WidthOf(wide) / WidthOf(narrow)));
}

double SixDigits(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::scientific, 5);
  double rounded = value;
  std::from_chars(text.data(), end.ptr, rounded);
  return rounded;
}

bool Spans(Rows rows, double capacity_bits) {
  return !rows.empty() && CapacityBits(rows.front()) <= capacity_bits &&
         capacity_bits <= CapacityBits(rows.back());
}

std::string BinaryText(int64_t bytes) {
  constexpr std::array<std::pair<int64_t, const char*>, 3> kUnits = {
      {{int64_t{1} << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}}};
  for (const auto& [scale, unit] : kUnits) {
    if (bytes >= scale && bytes % scale == 0) return fmt::format("{} {}", bytes / scale, unit);
  }
  return fmt::format("{} B", bytes);
}

// The coefficients, of the functions in `chosen`, with the least sum of squares of (value - 1);
// nullopt where that has no single or no non-negative answer.
using Coefficients = std::array<double, 3>;
std::optional<Coefficients> LeastSquares(const std::vector<Coefficients>& samples,
                                         unsigned chosen) {
  std::array<std::array<double, 4>, 3> matrix = {};
  for (const Coefficients& sample : samples) {
    for (size_t i = 0; i < 3; ++i) {
      if ((chosen >> i & 1U) == 0) continue;
      for (size_t j = 0; j < 3; ++j) {
        if ((chosen >> j & 1U) != 0) matrix[i][j] += sample[i] * sample[j];
      }
      matrix[i][3] += sample[i];
    }
  }
  for (size_t i = 0; i < 3; ++i) {
    if ((chosen >> i & 1U) == 0) matrix[i][i] = 1;  // its coefficient is 0
  }
  for (size_t i = 0; i < 3; ++i) {
    if (!(matrix[i][i] > 0)) return std::nullopt;
    for (size_t j = i + 1; j < 3; ++j) {
      const double factor = matrix[j][i] / matrix[i][i];
      for (size_t k = i; k < 4; ++k) matrix[j][k] -= factor * matrix[i][k];
    }
  }
  Coefficients found = {};
  for (size_t i = 3; i-- > 0;) {
    found[i] = matrix[i][3];
    for (size_t k = i + 1; k < 3; ++k) found[i] -= matrix[i][k] * found[k];
    found[i] /= matrix[i][i];
    if (!(found[i] >= 0)) return std::nullopt;
  }
  return found;
}

}  // namespace

bool InTableOrder(const KnownMemory& a, const KnownMemory& b) {
  return std::tuple(a.ports, a.width_bits, a.capacity_bytes) <
         std::tuple(b.ports, b.width_bits, b.capacity_bytes);
}

bool HasPorts(const KnownMemories& table, MemoryPorts ports) {
  return !WithPorts(table, ports).empty();
}

MemoryFigures FiguresOf(const KnownMemories& table, const MemorySize& size) {
  const Rows rows = WithPorts(table, size.ports);
  INLAY_CHECK(!rows.empty());
  Values values = ValuesAt(rows, size);
  for (double& value : values) value = SixDigits(value);
  return {values[0], values[1], values[2], values[3]};
}

bool Covers(const KnownMemories& table, const MemorySize& size) {
  const Rows rows = WithPorts(table, size.ports);
  if (rows.empty()) return false;
  const auto [narrow, wide] = WidthsAround(rows, size.access_bits);
  if (narrow.empty()) return Spans(wide, size.capacity_bits);
  const double times = size.access_bits / WidthOf(narrow);
  if (times == 1) return Spans(narrow, size.capacity_bits);
  if (wide.empty()) return Spans(narrow, size.capacity_bits / times);
  return Spans(narrow, size.capacity_bits) && Spans(wide, size.capacity_bits);
}

std::string RangeText(const KnownMemories& table, MemoryPorts ports) {
  const Rows rows = WithPorts(table, ports);
  const auto by_capacity = [](const KnownMemory& a, const KnownMemory& b) {
    return a.capacity_bytes < b.capacity_bytes;
  };
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), by_capacity);
  return fmt::format("{} to {}, accesses of {} to {} bits", BinaryText(least->capacity_bytes),
                     BinaryText(most->capacity_bytes), rows.front().width_bits,
                     rows.back().width_bits);
}

SizeFunction FormulaNear(const KnownMemories& table, MemoryFigure figure, MemorySize size,
                         int word_bits) {
  std::vector<Coefficients> samples;  // of the functions 1, words and √words over the figure
  for (const KnownMemory& row : WithPorts(table, size.ports)) {
    size.capacity_bits = CapacityBits(row);
    if (size.capacity_bits < size.access_bits) continue;
    const MemoryFigures figures = FiguresOf(table, size);
    const double value = figure == MemoryFigure::kRead    ? figures.read_pj
                         : figure == MemoryFigure::kWrite ? figures.write_pj
                                                          : figures.area_um2;
    const double words = size.capacity_bits / word_bits;
    if (value > 0) samples.push_back({1 / value, words / value, std::sqrt(words) / value});
  }
  SizeFunction best;
  auto least = static_cast<double>(samples.size());  // of the function 0
  for (unsigned chosen = 1; chosen < 8; ++chosen) {
    const auto found = LeastSquares(samples, chosen);
    if (!found) continue;
    double squares = 0;
    for (const Coefficients& sample : samples) {
      double error = -1;
      for (size_t i = 0; i < 3; ++i) error += (*found)[i] * sample[i];
      squares += error * error;
    }
    if (squares >= least) continue;
    least = squares;
    best = {(*found)[0], (*found)[1], (*found)[2]};
  }
  return best;
}

}  // namespace inlay
