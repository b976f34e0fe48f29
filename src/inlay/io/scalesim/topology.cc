#include "inlay/io/scalesim/topology.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inlay/base/checked_arithmetic.h"
#include "inlay/core/shapes.h"
#include "inlay/io/scalesim/text.h"

namespace inlay::io {
namespace {

using scalesim::AsWholeNumber;
using scalesim::EqualsIgnoringCase;
using scalesim::Field;

constexpr const char* kConvColumns[] = {"layer name",        "ifmap height", "ifmap width",
                                        "filter height",     "filter width", "channels",
                                        "number of filters", "stride"};
constexpr const char* kGemmColumns[] = {"layer name", "M", "N", "K"};

constexpr size_t kMostReported = 200;  // different faults

// "a/b/resnet.csv" → "resnet"
std::string BaseName(std::string_view path) {
  path.remove_prefix(std::min(path.size(), path.find_last_of("/\\") + 1));
  const size_t dot = path.rfind('.');
  return std::string(path.substr(0, dot == 0 ? std::string_view::npos : dot));
}

class TopologyReader {
 public:
  TopologyReader(const Source& source, ScaleSimTopology kind) : source_(source), kind_(kind) {}

  Result<WithWarnings<Network>> Read() {
    network_.name = BaseName(source_.name);
    bool header = true;
    for (const Field& line : scalesim::LinesOf(source_)) {
      const std::vector<Field> row = FieldsOf(line);
      if (std::exchange(header, false)) {
        ReadHeader(line, row);
      } else if (!row.empty()) {
        ReadRow(line, row);
      }
    }
    if (network_.layers.empty() && !HasErrors(diagnostics_)) {
      diagnostics_.push_back(MakeError({source_.name, 0, 0}, "the topology has no layers",
                                       "the first line is a header and is skipped"));
    }
    ReportEachOnce();
    if (HasErrors(diagnostics_)) return Fail(std::move(diagnostics_));
    return WithWarnings<Network>{std::move(network_), std::move(diagnostics_)};
  }

 private:
  // The fields of a row without its comment and without the empty ones at its end. Tabs separate
  // where there is no comma: spreadsheets save tables so.
  static std::vector<Field> FieldsOf(const Field& line) {
    const Field row = Part(line, 0, line.text.find('#'));
    const bool commas = row.text.find(',') != std::string_view::npos;
    std::vector<Field> fields = scalesim::Split(row, commas ? ',' : '\t');
    while (!fields.empty() && fields.back().text.empty()) fields.pop_back();
    return fields;
  }

  // What is said of several rows is said of the first, with the number of the others.
  void ReportEachOnce() {
    std::map<std::string, size_t> first;  // by message, into `reported`
    Diagnostics reported;
    std::vector<size_t> times;
    size_t left_out = 0;
    for (Diagnostic& diagnostic : diagnostics_) {
      const auto found = first.find(diagnostic.message);
      if (found != first.end()) {
        ++times[found->second];
      } else if (reported.size() >= kMostReported) {
        ++left_out;
      } else {
        first.emplace(diagnostic.message, reported.size());
        reported.push_back(std::move(diagnostic));
        times.push_back(1);
      }
    }
    for (size_t i = 0; i < reported.size(); ++i) {
      if (times[i] == 1) continue;
      reported[i].message += " (and " + std::to_string(times[i] - 1) + " more)";
    }
    if (left_out > 0) {
      const std::string rest = std::to_string(left_out) + " more faults are not shown";
      reported.push_back(errors_ > 0 ? MakeError({source_.name, 0, 0}, rest, "")
                                     : MakeWarning({source_.name, 0, 0}, rest, ""));
    }
    diagnostics_ = std::move(reported);
  }

  // SCALE-Sim skips the first line whatever it holds.
  void ReadHeader(const Field& line, std::vector<Field> row) {
    if (row.size() < 4) return;
    if (AsWholeNumber(row[1].text) && AsWholeNumber(row[2].text)) {
      Warn(line, "the first line is taken for the header and skipped, but holds numbers",
           "put a line of column names before it");
    }
    for (size_t i = 1; i < row.size(); ++i) {
      const bool batch =
          EqualsIgnoringCase(row[i].text, "batch size") || EqualsIgnoringCase(row[i].text, "batch");
      if (batch) batch_column_ = i;
    }
    if (batch_column_) Erase(*batch_column_, &row);
    header_ = row.size();
    if (row.size() < 4) return;
    if (kind_ != ScaleSimTopology::kDetect) return;
    if (EqualsIgnoringCase(row[1].text, "M") && EqualsIgnoringCase(row[2].text, "N") &&
        EqualsIgnoringCase(row[3].text, "K")) {
      kind_ = ScaleSimTopology::kGemm;
    } else if (row.size() >= std::size(kConvColumns)) {
      kind_ = ScaleSimTopology::kConv;
    }
  }

  void ReadRow(const Field& line, std::vector<Field> row) {
    if (row.size() == 1) {
      Warn(line, "a row that holds a name only is skipped", "");
      return;
    }
    const size_t errors = errors_;
    const int64_t batch = TakeBatch(&row);
    if (kind_ == ScaleSimTopology::kDetect) {
      kind_ =
          row.size() < std::size(kConvColumns) ? ScaleSimTopology::kGemm : ScaleSimTopology::kConv;
    }
    const bool gemm = kind_ == ScaleSimTopology::kGemm;
    const size_t columns = gemm ? std::size(kGemmColumns) : std::size(kConvColumns);
    const char* const* names = gemm ? kGemmColumns : kConvColumns;
    if (row.size() < columns) {
      Error(line,
            "a " + std::string(gemm ? "matrix" : "convolution") + " needs " +
                std::to_string(columns) + " fields, found " + std::to_string(row.size()),
            "the next one is the " + std::string(names[row.size()]));
      return;
    }
    if (HasOneFieldTooMany(row, names, columns)) return;
    std::vector<int64_t> values;
    for (size_t i = 1; i < columns; ++i) {
      const auto value = AsWholeNumber(row[i].text);
      if (!value || *value < 1) {
        Error(row[i], "the " + std::string(names[i]) + " is '" + std::string(row[i].text) + "'",
              "expected a whole number from 1");
      }
      values.push_back(value.value_or(1));
    }
    if (row[0].text.empty()) Error(line, "the layer has no name", "");
    const int64_t products = ReadExtraFields(row, columns, gemm);
    if (errors_ != errors) return;
    if (gemm) {
      AddGemm(row[0], values, products, batch);
    } else {
      AddConv(row, values, batch);
    }
  }

  bool IsBeyondHeader(size_t fields, size_t columns) const {
    return header_ >= columns && fields > header_;
  }

  // A comma too many moves all fields behind it: of these, only the first wrong one is reported.
  bool HasOneFieldTooMany(const std::vector<Field>& row, const char* const* names, size_t columns) {
    if (!IsBeyondHeader(row.size(), columns)) return false;
    for (size_t i = 1; i < columns; ++i) {
      const auto value = AsWholeNumber(row[i].text);
      if (value && *value >= 1) continue;
      Error(row[i],
            "the row has more fields than the header, and the " + std::string(names[i]) + " is '" +
                std::string(row[i].text) + "'",
            "is there a comma too many?");
      return true;
    }
    return false;
  }

  static void Erase(size_t column, std::vector<Field>* row) {
    row->erase(row->begin() + static_cast<std::ptrdiff_t>(column));
  }

  // Of a column that only some topologies have, so that its place is what the header says.
  int64_t TakeBatch(std::vector<Field>* row) {
    if (!batch_column_ || *batch_column_ >= row->size()) return 1;
    const Field field = (*row)[*batch_column_];
    Erase(*batch_column_, row);
    if (field.text.empty()) return 1;
    const auto batch = AsWholeNumber(field.text);
    if (batch && *batch >= 1) return *batch;
    Error(field, "the batch size is '" + std::string(field.text) + "'",
          "expected a whole number from 1");
    return 1;
  }

  // What follows the columns that are always there: the sparsity, or how many products a matrix
  // layer has. Returns the latter.
  int64_t ReadExtraFields(const std::vector<Field>& row, size_t columns, bool gemm) {
    if (row.size() <= columns) return 1;
    const Field& extra = row[columns];
    if (row.size() > columns + 1) {
      const size_t read = columns + 1 + (batch_column_ && *batch_column_ <= columns + 1 ? 1 : 0);
      Warn(row[columns + 1], "fields after column " + std::to_string(read) + " are ignored", "");
    }
    if (extra.text.empty()) return 1;
    const auto products = AsWholeNumber(extra.text);
    if (gemm && products && *products >= 1) return *products;
    const std::vector<Field> ratio = scalesim::Split(extra, ':');
    const auto n = AsWholeNumber(ratio.front().text), m = AsWholeNumber(ratio.back().text);
    if (ratio.size() != 2 || !n || !m || *n < 1 || *n > *m) {
      const bool beyond = ratio.size() != 2 && IsBeyondHeader(row.size(), columns);
      Error(extra,
            beyond ? "'" + std::string(extra.text) + "' is beyond the columns of the header"
                   : "the sparsity is '" + std::string(extra.text) + "'",
            std::string(beyond ? "take it out; the sparsity, which may stand here, is "
                               : "expected ") +
                "N:M, N of every M weights being non-zero, with 1 <= N <= M");
    } else if (*n != *m) {
      Warn(extra, "the sparsity " + std::string(extra.text) + " is ignored: the layer is dense",
           "");
    }
    return 1;
  }

  // A batch has as many times the rows, all with the same columns.
  void AddGemm(const Field& name, const std::vector<int64_t>& v, int64_t products, int64_t batch) {
    const auto rows = CheckedMultiply(v[0], batch);
    if (!rows) return Error(name, "the batch has more rows than fit into 64 bits", "");
    Add(name, products > 1 ? "matmul" : "gemm",
        MakeGemm("", {.g = products, .p = *rows, .k = v[1], .c = v[2]}));
  }

  void AddConv(const std::vector<Field>& row, const std::vector<int64_t>& v, int64_t batch) {
    const int64_t height = v[0], width = v[1], r = v[2], s = v[3], channels = v[4];
    const int64_t filters = v[5], stride = v[6];
    bool fits = true;
    const auto check = [&](const Field& at, const char* what, int64_t filter, int64_t ifmap) {
      if (filter <= ifmap) return;
      fits = false;
      Error(at,
            std::string("the filter ") + what + " " + std::to_string(filter) +
                " is larger than the ifmap's " + std::to_string(ifmap),
            "the ifmap includes its padding");
    };
    check(row[3], "height", r, height);
    check(row[4], "width", s, width);
    if (!fits) return;
    const bool depthwise = row[0].text.find("DP") != std::string_view::npos;
    Add(row[0], depthwise && channels > 1 && filters == 1 ? "depthwise" : "conv",
        MakeConv("", {.n = batch,
                      .g = depthwise ? channels : 1,
                      .k = filters,
                      .c = depthwise ? 1 : channels,
                      .p = CeilDiv(height - r, stride) + 1,
                      .q = CeilDiv(width - s, stride) + 1,
                      .r = r,
                      .s = s,
                      .stride_h = stride,
                      .stride_w = stride}));
  }

  void Add(const Field& field, const char* kind, Problem problem) {
    std::string name(field.text);
    // Names hold no '#' of their own: it starts a comment.
    if (const int copy = ++copies_[name]; copy > 1) {
      name += "#" + std::to_string(copy);
      Warn(field,
           "layer '" + std::string(field.text) + "' occurs again and is named '" + name + "'", "");
    }
    problem.name = name;
    for (const Fault& fault : Validate(problem)) Error(field, fault.message, fault.hint);
    network_.layers.push_back({name, kind, std::move(problem), 1});
  }

  void Error(const Field& at, std::string message, std::string hint) {
    ++errors_;
    diagnostics_.push_back(scalesim::ErrorAt(source_, at, std::move(message), std::move(hint)));
  }
  void Warn(const Field& at, std::string message, std::string hint) {
    diagnostics_.push_back(scalesim::WarningAt(source_, at, std::move(message), std::move(hint)));
  }

  const Source& source_;
  ScaleSimTopology kind_;
  Network network_;
  std::optional<size_t> batch_column_;
  size_t header_ = 0;  // columns, without that of the batch
  std::map<std::string, int> copies_;
  Diagnostics diagnostics_;
  size_t errors_ = 0;
};

}  // namespace

Result<WithWarnings<Network>> ReadScaleSimTopology(const Source& source, ScaleSimTopology kind) {
  return TopologyReader(source, kind).Read();
}

}  // namespace inlay::io
