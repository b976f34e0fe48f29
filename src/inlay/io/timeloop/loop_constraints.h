#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "inlay/core/architecture.h"
#include "inlay/core/problem.h"
#include "inlay/io/timeloop/factors.h"
#include "inlay/io/timeloop/fields.h"

namespace inlay::io::timeloop {

// Reads the constraints of the types 'temporal' and 'spatial' into an architecture: factors,
// permutation, split, remainders, and the short forms of the front end.
class LoopConstraintReader {
 public:
  // `problem` may be null. `layers`: the problems that will be mapped, as far as they are known.
  // `own_reader`: Timeloop reads the file without its front end, so that lists have no effect
  // there.
  LoopConstraintReader(const Problem* problem, std::vector<Problem> layers, bool own_reader,
                       Architecture* architecture, Report* report);

  // What is constrained is the time of the level, or the fan-out below it.
  void Read(bool spatial, LevelId level, Fields* fields);

  // Where a file gives remainders somewhere, loops elsewhere have none.
  void CloseRemainders();

 private:
  // "RS_K": R innermost, then S, then the others in any order; K outermost.
  struct Order {
    std::vector<std::string> first, last;  // both innermost first
  };

  void WarnOfList(const Node& node, const char* key);
  void RefuseTwice(const Node& at, const std::string& where, const char* what);
  void ReadFactorBounds(const Node& node, Constraint* constraint);
  void ReadFactor(const Node& node, const WrittenFactor& factor, Constraint* constraint);
  void ReadDataSpaces(Fields* fields, Constraint* constraint);
  void ReadDefaults(Fields* fields, Constraint* constraint);
  Order ReadOrder(const Node& node);
  void ReadAxes(const Node* permutation, const Node* split, const Fanout& fanout,
                Constraint* constraint);
  void ReadSplit(const Node& node, const Order& order, const Fanout& fanout,
                 Constraint* constraint);
  // What a split says of one problem. `wider`: it is more than Timeloop's.
  struct Sides {
    std::optional<std::vector<std::string>> y;
    std::vector<std::string> not_x, not_y;
    bool wider = false;
    bool operator==(const Sides&) const = default;
  };
  static Sides Divide(const Problem& problem, const Order& order, int64_t split,
                      const Fanout& fanout, const Constraint& constraint);
  static Sides DivideAll(const std::vector<Problem>& layers, const Order& order, int64_t split,
                         const Fanout& fanout, const Constraint& constraint);
  void WarnOfSwitches(Fields* fields);
  void Add(bool spatial, const Level& level, const Node& at, Constraint constraint);
  std::optional<int64_t> TakePositive(const Node& node, const char* key);

  const Problem* problem_;
  std::vector<Problem> layers_;
  bool own_reader_;
  Architecture* architecture_;
  Report* report_;
  std::vector<std::string> dims_;     // of the problem, if it is known
  std::set<std::string> remainders_;  // levels and fan-outs that give them
  std::set<std::tuple<std::string, std::string, Relation>> factors_;  // at, dimension, relation
  std::set<std::pair<std::string, std::string>> said_;                // at, key
};

}  // namespace inlay::io::timeloop
