#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/codesign/codesign.h"
#include "inlay/codesign/group_message.h"

namespace inlay {

// The answer of a search for the best mapping.
struct MappingSearchResult {
  std::optional<Solution> best;
  // No mapping is better than `best`; without one, none exists (that is better than asked for).
  bool proven = false;
  double lower_bound = 0;  // of the first metric, where it is not proven; 0: none known
};

// What every layer costs on every architecture, as far as it is asked for. Layers of the same
// problem are one row. Safe to use from several threads.
class CostTable {
 public:
  CostTable(const CodesignTask& task, std::vector<ArchitectureChoice> choices,
            const Deadline& deadline);

  size_t rows() const { return rows_.size(); }
  size_t columns() const { return choices_.size(); }
  const std::vector<ArchitectureChoice>& choices() const { return choices_; }
  const Problem& problem(size_t row) const { return *rows_[row].problem; }
  const ArchitectureChoice& choice(size_t column) const { return choices_[column]; }
  const std::vector<FreeAttribute>& free() const { return task_.space.free; }
  double repeat(size_t row) const { return rows_[row].repeat; }
  // Σ over the row's layers of the square of each one's repeats.
  double repeat_squares(size_t row) const { return rows_[row].repeat_squares; }
  const std::vector<size_t>& layers(size_t row) const { return rows_[row].layers; }

  // Makes energies energy + price × cycles, in bounds and costs, so that the least energy is a
  // compromise of both. No other call may run at the same time.
  void SetCyclePrice(double price_pj) { price_pj_ = price_pj; }
  double cycle_price() const { return price_pj_; }

  // Finds the bounds that follow, as far as there is time. No other call may run at the same time.
  void FindLowerBounds();
  // No mapping there has less; 0 where nothing is known (yet).
  double LeastEnergy(size_t row, size_t column) const;
  double LeastCycles(size_t row, size_t column) const;
  double Least(Metric metric, size_t row, size_t column) const;

  // The best mapping there, or, with `better_than` (one value per metric), one that is better or
  // nothing. Nothing once the time is up.
  MappingSearchResult Best(size_t row, size_t column, const Objective& objective,
                           const std::optional<std::vector<double>>& better_than = {});

  // A mapping there that is found quickly, with `perfect` tiles: neither the best nor a proof.
  // None: none was found, or the time is up.
  std::optional<Solution> QuickMapping(size_t row, size_t column, const Objective& objective) const;

  // The cost there of a mapping of the row that a search has found; at the table's price or
  // another.
  Cost CostOf(size_t row, size_t column, const Solution& solution) const {
    return CostAt(price_pj_, row, column, solution);
  }
  Cost CostAt(double price_pj, size_t row, size_t column, const Solution& solution) const;

  const Deadline& deadline() const { return deadline_; }
  bool out_of_time() const { return deadline_.Passed(); }
  // Whether the time was up here or, as far as is known, in another process of the group.
  bool cut_short() const { return out_of_time() || others_late_; }
  // Whether some mapping was not the best, or was not found: the time was up, or the mapspace is
  // too large to be searched.
  bool unproven() const { return unproven_ || cut_short(); }
  int64_t nodes() const { return nodes_; }
  int64_t evaluations() const { return evaluations_; }
  size_t searches() const { return searches_; }  // of a row on a column, once or more often

  // The state that the other processes of the group need from here, and theirs.
  void WriteState(MessageWriter* writer) const;
  void ReadState(MessageReader* reader);
  Faults unsupported() const;  // why the search cannot do it, on the first architecture
  Faults infeasible() const;   // why a layer fits on none, as the last architecture says it

 private:
  struct Row {
    const Problem* problem = nullptr;
    std::vector<size_t> layers;  // of the network
    double repeat = 0, repeat_squares = 0;
  };
  // None where the constraints cannot hold on the architecture.
  std::optional<Space> SpaceOf(size_t row, size_t column) const;
  std::optional<Space> SpaceOf(size_t row, size_t column, Mapspace mapspace) const;
  // The options of one search: no more time than is left for all.
  MapOptions OptionsFor(const Objective& objective) const;

  const CodesignTask& task_;
  std::vector<ArchitectureChoice> choices_;
  const Deadline& deadline_;
  double price_pj_ = 0;  // of a cycle
  std::vector<Row> rows_;
  std::vector<double> energy_, cycles_;  // least, by row and column, without a price
  std::atomic<int64_t> nodes_ = 0, evaluations_ = 0;
  std::atomic<bool> unproven_ = false;
  bool others_late_ = false;
  std::vector<std::atomic<bool>> searched_;  // by row and column
  std::atomic<size_t> searches_ = 0;         // how many of them are
};

}  // namespace inlay
