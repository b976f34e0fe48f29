#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace inlay {

// What one process has found, as numbers (see company_report.h).
using CompanyReport = std::vector<int64_t>;

// Processes that search the same table together. All of them go through the same rounds. In a round
// each piece of work is taken by one process, and all processes share the least value found.
class Company {
 public:
  Company() = default;
  Company(const Company&) = delete;
  Company& operator=(const Company&) = delete;
  virtual ~Company() = default;

  virtual bool Leads() const = 0;  // one of them does: it has the answer in the end

  // The next number, counted from 0, that no process has taken in this round. Thread-safe.
  virtual size_t Take() = 0;
  // Reports a value and returns the least of all processes in this round. Thread-safe.
  virtual double Least(double value) = 0;
  // Ends the round and returns the reports of all processes, in the same order for all. Empty if a
  // process has left, and the search cannot go on.
  virtual std::vector<CompanyReport> Meet(CompanyReport report) = 0;
  virtual bool Whole() const { return true; }  // no process has left before the end
};

// One process by itself.
class Alone final : public Company {
 public:
  bool Leads() const override { return true; }
  size_t Take() override { return taken_++; }
  double Least(double value) override {
    const std::scoped_lock lock(mutex_);
    return least_ = std::min(least_, value);
  }
  std::vector<CompanyReport> Meet(CompanyReport report) override {
    taken_ = 0;
    least_ = std::numeric_limits<double>::infinity();
    return {std::move(report)};
  }

 private:
  std::atomic<size_t> taken_ = 0;
  std::mutex mutex_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace inlay
