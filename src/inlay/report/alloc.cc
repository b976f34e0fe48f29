#include "inlay/report/alloc.h"

#include <fmt/format.h>

#include <algorithm>

#include "inlay/report/headline.h"
#include "inlay/report/numbers.h"

namespace inlay::report {
namespace {

constexpr size_t kMostRows = 30, kMostIds = 8;

std::string Addresses(const AllocResult& result, const TextStyle& style) {
  if (result.buffers.empty()) return "";
  if (result.buffers.size() > kMostRows) {
    return Paint("-o DIR writes the addresses, --json prints them\n", Tone::kDim, style);
  }
  Table table({{"buffer", Align::kLeft},
               {"lower", Align::kRight},
               {"upper", Align::kRight},
               {"size", Align::kRight},
               {"offset", Align::kRight}});
  for (size_t i = 0; i < result.buffers.size(); ++i) {
    const Buffer& b = result.buffers[i];
    table.AddRow({b.id, Grouped(b.lower, style), Grouped(b.upper, style), Grouped(b.size, style),
                  Grouped(result.offsets[i].second, style)});
  }
  return table.Render(style);
}

// "b1 (4), b2 (6) and 3 more"
std::string NamesOf(const AllocResult& result, const std::vector<std::string>& ids) {
  std::string text;
  for (size_t k = 0; k < std::min(ids.size(), kMostIds); ++k) {
    const auto buffer = std::find_if(result.buffers.begin(), result.buffers.end(),
                                     [&](const Buffer& b) { return b.id == ids[k]; });
    text += fmt::format("{}{} ({})", k == 0 ? "" : ", ", ids[k], buffer->size);
  }
  if (ids.size() > kMostIds) text += fmt::format(" and {} more", ids.size() - kMostIds);
  return text;
}

}  // namespace

std::string AllocSummary(const std::string& name, const AllocResult& result,
                         const TextStyle& style) {
  std::string out = Title({name}, style);
  out += fmt::format(": {} buffers, ", Grouped(static_cast<int64_t>(result.buffers.size()), style));
  if (result.capacity_given) {
    out += fmt::format("capacity {}\n", Grouped(*result.capacity, style));
  } else {
    out += "the least capacity\n";
  }
  const auto line = [&](const char* what, const std::string& value) {
    out += fmt::format("{:<13} {}\n", what, value);
  };
  const bool placed = result.status == "placed";
  line("status", result.status);
  line("peak load",
       fmt::format("{} in [{}, {})", Grouped(result.peak_load.bytes, style),
                   Grouped(result.peak_load.lower, style), Grouped(result.peak_load.upper, style)));
  line("lower bound", Grouped(result.lower_bound, style));
  if (placed) {
    std::string height = Grouped(*result.height, style);
    if (result.height == result.lower_bound) {
      height += ", the least possible";
    } else {
      const double above = static_cast<double>(*result.height - result.lower_bound) /
                           static_cast<double>(result.lower_bound);
      height += fmt::format(", {:.2f} % above the lower bound", 100 * above);
    }
    line("highest end", height);
    out += Addresses(result, style);
  }
  if (result.interrupted) out += "interrupted: this is the best that was found until then\n";
  return out;
}

std::string AllocReason(const AllocResult& result) {
  if (result.status == "placed") return "";
  if (result.status == "timeout" && result.capacity_given && result.too_large > 0) {
    return fmt::format(
        "first-fit in many orders found no placement into {}; {} buffers at a stretch are too many "
        "for the exact search, so there is no proof that there is none",
        *result.capacity, result.too_large);
  }
  if (result.status == "timeout") {
    return result.capacity_given ? fmt::format(
                                       "no placement into {} was found in time, nor a proof that "
                                       "there is none",
                                       *result.capacity)
                                 : "no placement was found in time";
  }
  if (!result.fixed_fault.empty()) return "of the fixed addresses, " + result.fixed_fault;
  const int64_t capacity = result.capacity.value_or(0);
  std::string text = fmt::format("the buffers do not fit into {}: ", capacity);
  for (const Buffer& b : result.buffers) {
    if (!b.fixed || !TakesRoom(b) || *b.fixed + b.size <= capacity) continue;
    return text +
           fmt::format("'{}' is fixed at {} and ends at {}", b.id, *b.fixed, *b.fixed + b.size);
  }
  if (const AllocPeak& peak = result.peak_load; peak.bytes > capacity) {
    text += fmt::format("those that live in [{}, {}) need {}, {} too many", peak.lower, peak.upper,
                        peak.bytes, peak.bytes - capacity);
    if (result.cause) text += "; too many are " + NamesOf(result, result.cause->buffers);
    return text;
  }
  text += fmt::format("no more than {} are ever in use, but it is proven that no placement exists",
                      result.peak_load.bytes);
  if (result.cause) {
    text += fmt::format("; in [{}, {}) these do not go together: {}", result.cause->lower,
                        result.cause->upper, NamesOf(result, result.cause->buffers));
  }
  return text;
}

std::string AllocHint(const AllocResult& result) {
  if (result.status == "timeout") return "give more time with --time-limit, or more capacity";
  if (!result.fixed_fault.empty()) return "leave the offset of one of them empty";
  return fmt::format("at least {} are needed; without --capacity the least is looked for",
                     result.lower_bound);
}

}  // namespace inlay::report
