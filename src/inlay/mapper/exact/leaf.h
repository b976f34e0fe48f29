#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "inlay/base/deadline.h"
#include "inlay/core/map_result.h"
#include "inlay/cost/exact.h"
#include "inlay/mapper/exact/chain_tree.h"
#include "inlay/mapper/exact/orders.h"

namespace inlay::exact_search {

// Evaluates complete tilings in every order that can differ in cost.
class LeafEvaluator {
 public:
  LeafEvaluator(const Space& space, const KeepCase& keep_case, const RowLayout& layout,
                bool skip_orders);

  // The nodes are of the trees' last stage; `inner` as OrderLister takes it. `visit` sees each
  // mapping that fits, with its cost; `action_of`, if there is one, is asked before. False if
  // stopped.
  using Visit = std::function<void(const Solution&)>;
  enum class Action { kEvaluate, kSkip, kEnd };
  using ActionOf = std::function<Action(const Mapping&)>;
  bool Run(const std::vector<ChainTree>& trees, const std::vector<uint32_t>& nodes, int inner,
           DeadlineWatch* watch, const Visit& visit, const ActionOf& action_of = {});

  int64_t evaluations() const { return evaluations_; }

 private:
  void Unroll(const std::vector<const Chain*>& chains);
  ExactModel& ModelFor(const Problem& problem);

  const Space& space_;
  const KeepCase& keep_case_;
  const RowLayout& layout_;
  OrderLister orders_;
  int64_t evaluations_ = 0;
  std::map<std::vector<int64_t>, std::unique_ptr<ExactModel>> models_;  // by padded bounds
  Solution solution_;
};

}  // namespace inlay::exact_search
