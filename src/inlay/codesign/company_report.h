#pragma once

#include <bit>
#include <cstddef>
#include <utility>

#include "inlay/codesign/company.h"
#include "inlay/core/map_result.h"

namespace inlay {

// Writes what a member of a company has found out, to be read in the same order by another.
class ReportWriter {
 public:
  void Number(int64_t number) { report_.push_back(number); }
  void Real(double value) { Number(std::bit_cast<int64_t>(value)); }
  void Mapped(const Solution& solution);  // without its cost
  CompanyReport Finish() { return std::move(report_); }

 private:
  CompanyReport report_;
};

class ReportReader {
 public:
  explicit ReportReader(const CompanyReport& report) : report_(report) {}

  bool AtEnd() const { return at_ == report_.size(); }
  int64_t Number();
  double Real() { return std::bit_cast<double>(Number()); }
  size_t Count() { return static_cast<size_t>(Number()); }
  // Of this problem, or of one that is padded from it; what it costs is not known.
  Solution Mapped(const Problem& problem);

 private:
  const CompanyReport& report_;
  size_t at_ = 0;
};

}  // namespace inlay
