#include "inlay/report/mapspace.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "inlay/base/printable.h"
#include "inlay/report/headline.h"

namespace inlay::report {
namespace {

// Digits beyond which a number is shown by its size.
constexpr size_t kMostDigits = 15;

// "123456", or "1.23e+28" for a number with more than kMostDigits digits.
std::string Digits(const std::string& number) {
  if (number.size() <= kMostDigits) return number;
  return fmt::format("{}.{}e+{}", number[0], number.substr(1, 2), number.size() - 1);
}

// A mean of orders "35/6" is shown as "5.833"; the JSON has it exactly.
std::string Orders(const std::string& orders) {
  const size_t slash = orders.find('/');
  if (slash == std::string::npos) return Digits(orders);
  const double mean = std::strtod(orders.substr(0, slash).c_str(), nullptr) /
                      std::strtod(orders.substr(slash + 1).c_str(), nullptr);
  return fmt::format("{:.6g}", mean);
}

}  // namespace

std::string MapspaceSummary(const std::string& workload, const std::string& architecture,
                            const MapspaceResult& result, const TextStyle& style) {
  std::string out = Title({workload}, style);
  out += fmt::format(" on {}, mapspace {}\n", PrintableName(architecture), result.mapspace);
  Table table({{"layer", Align::kLeft},
               {"repeat", Align::kRight},
               {"mappings", Align::kRight},
               {"tilings", Align::kRight},
               {"orders", Align::kRight},
               {"bypass", Align::kRight}});
  for (const MapspaceLayer& layer : result.layers) {
    table.AddRow({layer.name, layer.repeat == 1 ? "" : std::to_string(layer.repeat),
                  Digits(layer.size.size), Digits(layer.size.tilings), Orders(layer.size.orders),
                  Digits(layer.size.bypass)});
  }
  out += table.Render(style);
  return out + Paint(style.unicode
                         ? "mappings = tilings × orders × bypass, within the fan-outs and "
                           "constraints, capacities not looked at; orders is a mean\n"
                         : "mappings = tilings x orders x bypass, within the fan-outs and "
                           "constraints, capacities not looked at; orders is a mean\n",
                     Tone::kDim, style);
}

}  // namespace inlay::report
