#pragma once

#include <cstddef>
#include <optional>

#include "inlay/codesign/company.h"
#include "inlay/codesign/table.h"

namespace inlay {

// A row's best mapping and the column it is on.
struct PlacedRow {
  size_t column = 0;
  Solution solution;
  std::optional<double> relaxed = {};  // kGp
};

// Writes what a member of a company has found out, to be read in the same order by another that has
// the same table.
class ReportWriter {
 public:
  void Number(int64_t number) { report_.push_back(number); }
  void Real(double value);
  void Placed(const std::optional<PlacedRow>& placed);  // without `relaxed`
  CompanyReport Finish() { return std::move(report_); }

 private:
  CompanyReport report_;
};

class ReportReader {
 public:
  ReportReader(const CostTable& table, const CompanyReport& report)
      : table_(table), report_(report) {}

  bool AtEnd() const { return at_ == report_.size(); }
  int64_t Number();
  double Real();
  size_t Count() { return static_cast<size_t>(Number()); }
  // What it costs is computed again.
  std::optional<PlacedRow> Placed(size_t row);

 private:
  const CostTable& table_;
  const CompanyReport& report_;
  size_t at_ = 0;
};

}  // namespace inlay
