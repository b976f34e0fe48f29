#include "inlay/io/minimalloc/minimalloc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "inlay/base/printable.h"
#include "inlay/io/scalesim/text.h"

namespace inlay::io {
namespace {

using scalesim::EqualsIgnoringCase;
using scalesim::Field;

constexpr size_t kLongestQuoted = 1000;

enum Column { kId, kLower, kUpper, kSize, kAlignment, kOffset, kColumns };
constexpr Column kNeeded[] = {kId, kLower, kUpper, kSize};
constexpr std::string_view kNames[kColumns] = {"id",   "lower",     "upper",
                                               "size", "alignment", "offset"};

struct Alias {
  std::string_view name;
  Column column;
};
constexpr Alias kAliases[] = {
    {"buffer", kId}, {"buffer_id", kId}, {"start", kLower}, {"begin", kLower}, {"end", kUpper}};

std::optional<Column> ColumnNamed(std::string_view name) {
  for (size_t i = 0; i < kColumns; ++i) {
    if (EqualsIgnoringCase(name, kNames[i])) return static_cast<Column>(i);
  }
  for (const Alias& alias : kAliases) {
    if (EqualsIgnoringCase(name, alias.name)) return alias.column;
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {}

  Result<WithWarnings<std::vector<Buffer>>> Read() {
    const std::string_view text = source_.text;
    int line = 0;
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view whole = text.substr(begin, end - begin);
      begin = end + 1;
      // Messages quote no line longer than kLongestQuoted.
      const std::string_view quoted = whole.size() <= kLongestQuoted ? whole : std::string_view();
      const Field field = scalesim::Part({whole, ++line, 1, quoted}, 0);
      if (field.text.empty()) continue;
      if (header_ == 0) {
        ReadHeader(field);
        if (!errors_.empty()) break;  // every row would be wrong
      } else {
        ReadRow(field);
      }
    }
    if (header_ == 0) {
      errors_.push_back(MakeError({source_.name, 1, 1}, "the table is empty", kHeaderHint));
    } else if (faults_ > kMostPrintedErrors) {  // as in a file that is something else
      errors_.pop_back();
      errors_.push_back(MakeError({source_.name, 0, 0}, fmt::format("{} more faults are not shown",
                                                                    faults_ - errors_.size())));
    }
    if (errors_.empty()) CheckTogether();
    if (!errors_.empty()) return Fail(std::move(errors_));
    if (buffers_.empty()) {
      warnings_.push_back(MakeWarning({source_.name, 0, 0}, "the table has no buffers"));
    }
    return WithWarnings<std::vector<Buffer>>{std::move(buffers_), std::move(warnings_)};
  }

 private:
  static constexpr const char* kHeaderHint =
      "the first line names the columns: id,lower,upper,size";

  void ReadHeader(const Field& line) {
    const std::vector<Field> names = scalesim::Split(line, ',');
    header_ = names.size();
    for (size_t i = 0; i < names.size(); ++i) {
      const auto column = ColumnNamed(names[i].text);
      if (!column) {
        if (ignored_.size() < kMostPrintedErrors) ignored_.push_back(names[i]);
      } else if (at_[*column]) {
        Error(names[i], fmt::format("the column {} is there twice", kNames[*column]), "");
      } else {
        at_[*column] = i;
        if (EqualsIgnoringCase(names[i].text, "end")) end_is_inside_ = true;
      }
    }
    std::string missing;
    for (const Column column : kNeeded) {
      if (at_[column]) continue;
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", kNames[column]);
    }
    if (!missing.empty()) Error(line, "the table has no column " + missing, kHeaderHint);
    for (const Field& name : ignored_) {
      warnings_.push_back(scalesim::WarningAt(
          source_, name, fmt::format("the column '{}' is ignored", Short(name.text)),
          "known are id, lower, upper, size, alignment, offset"));
    }
  }

  void ReadRow(const Field& line) {
    const std::vector<Field> row = scalesim::Split(line, ',');
    if (row.size() != header_) {
      Error(line, fmt::format("{} fields, but the table has {} columns", row.size(), header_), "");
      return;
    }
    const size_t faults = faults_;
    Buffer b;
    const Field& id = row[*at_[kId]];
    if (id.text.empty()) Error(line, "the buffer has no id", "");
    const auto [first, is_new] = ids_.emplace(id.text, line.line);
    if (!is_new) {
      Error(id, fmt::format("buffer '{}' occurs again", Short(id.text)),
            fmt::format("the first is in line {}", first->second));
    }
    b.id = std::string(id.text);
    b.lower = Number(row, kLower);
    b.upper = Number(row, kUpper);
    b.size = Number(row, kSize);
    if (at_[kAlignment]) b.alignment = Number(row, kAlignment);
    if (at_[kOffset] && !row[*at_[kOffset]].text.empty()) b.fixed = Number(row, kOffset);
    if (faults_ != faults) return;
    if (end_is_inside_) ++b.upper;  // no overflow: Number allows less than the largest
    for (const Fault& fault : Validate({b})) {
      if (const Field* field = FieldOf(row, fault.where)) Error(*field, fault.message, fault.hint);
    }
    buffers_.push_back(std::move(b));
  }

  // The field that a fault of a single buffer is about ("buffers[0].size"); null for one of the
  // sum, which CheckTogether finds again.
  const Field* FieldOf(const std::vector<Field>& row, std::string_view where) const {
    const size_t dot = where.rfind('.');
    if (dot == std::string_view::npos) return nullptr;
    const auto column = ColumnNamed(where.substr(dot + 1));
    return &row[*at_[column && at_[*column] ? *column : kSize]];
  }

  // 0 where it is none, and the error is noted.
  int64_t Number(const std::vector<Field>& row, Column column) {
    constexpr int64_t kMost = int64_t{1} << 62;
    const Field& field = row[*at_[column]];
    int64_t value = 0;
    const char* end = field.text.data() + field.text.size();
    const auto [rest, error] = std::from_chars(field.text.data(), end, value);
    const std::string what = fmt::format("the {} is '{}'", kNames[column], Short(field.text));
    if (rest != end || error == std::errc::invalid_argument) {
      Error(field, what, "expected a whole number from 0");
    } else if (error == std::errc::result_out_of_range || value > kMost) {
      Error(field, what, "expected at most 2^62");
    } else if (value < 0) {
      Error(field, what, "expected a whole number from 0: nothing is negative");
    } else {
      return value;
    }
    return 0;
  }

  static std::string Short(std::string_view text) {
    constexpr size_t kMost = 40;
    return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
  }

  // Only their sum can be wrong: each for itself was looked at.
  void CheckTogether() {
    for (const Fault& fault : Validate(buffers_)) {
      errors_.push_back(MakeError({source_.name, 0, 0}, fault.message, fault.hint));
    }
  }

  void Error(const Field& at, std::string message, std::string hint) {
    if (++faults_ > kMostPrintedErrors) return;
    errors_.push_back(scalesim::ErrorAt(source_, at, std::move(message), std::move(hint)));
  }

  const Source& source_;
  size_t header_ = 0;  // its columns; 0: not read yet
  std::optional<size_t> at_[kColumns];
  std::vector<Field> ignored_;
  bool end_is_inside_ = false;
  std::unordered_map<std::string_view, int> ids_;  // and their lines
  std::vector<Buffer> buffers_;
  Diagnostics errors_, warnings_;
  size_t faults_ = 0;  // of the header and of rows; the first kMostPrintedErrors are in errors_
};

}  // namespace

Result<WithWarnings<std::vector<Buffer>>> ReadMiniMalloc(const Source& source) {
  return Reader(source).Read();
}

std::string WriteMiniMalloc(const std::vector<Buffer>& buffers,
                            const std::vector<int64_t>& offsets) {
  const bool aligned =
      std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return b.alignment != 1; });
  std::string text =
      aligned ? "id,lower,upper,size,alignment,offset\n" : "id,lower,upper,size,offset\n";
  auto out = std::back_inserter(text);
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& b = buffers[i];
    fmt::format_to(out, "{},{},{},{},", b.id, b.lower, b.upper, b.size);
    if (aligned) fmt::format_to(out, "{},", b.alignment);
    fmt::format_to(out, "{}\n", offsets[i]);
  }
  return text;
}

}  // namespace inlay::io
