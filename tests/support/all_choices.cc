#include "tests/support/all_choices.h"

#include "inlay/scratchpad/step_cost.h"

namespace inlay::testing {
namespace {

// All choices for one tensor.
class TensorLister {
 public:
  TensorLister(const PlanProblem& problem, const std::vector<size_t>& order, ValueId tensor,
               const TensorLife& life)
      : problem_(problem), order_(order), tensor_(tensor), life_(life) {}

  std::vector<TensorChoice> List() {
    if (!life_.written && life_.reads.empty()) return {TensorChoice()};
    if (problem_.weights_stay && problem_.tensors[tensor_].weight) {
      for (const PadId pad : Ids(problem_.machine.pads)) {
        TensorChoice choice;
        choice.stays_in = pad;
        choice.reads.assign(life_.reads.size(), {ReadChoice::Way::kKept, pad, 0});
        bool reached = true;
        for (const TensorUse& use : life_.reads) reached &= UnitReaches(use.step, pad);
        if (reached) found_.push_back(choice);
      }
    }
    TensorChoice choice;
    if (!life_.written) {
      Extend(choice, std::nullopt, -1);
      return found_;
    }
    choice.written_back_at = life_.written->step;
    Extend(choice, std::nullopt, life_.written->step);
    for (const PadId pad : Ids(problem_.machine.pads)) {
      if (!UnitReaches(life_.written->step, pad)) continue;
      choice.written_into = pad;
      choice.written_back_at = life_.written->step;
      Extend(choice, pad, life_.written->step);
      choice.written_back_at.reset();
      Extend(choice, pad, life_.written->step);
    }
    return found_;
  }

 private:
  bool UnitReaches(int64_t step, PadId pad) const {
    return Reaches(problem_.machine, problem_.nodes[order_[static_cast<size_t>(step)]].unit, pad);
  }
  bool Connected(PadId a, PadId b) const {
    for (const auto& [x, y] : problem_.machine.dma.moves) {
      if ((x == a && y == b) || (x == b && y == a)) return true;
    }
    return false;
  }

  // `at` is the pad that it lies in since the use before, in step `last`.
  void Extend(TensorChoice& choice, std::optional<PadId> at, int64_t last) {
    const bool is_inside = life_.written && !choice.written_back_at;
    if (choice.reads.size() == life_.reads.size()) {
      if (!is_inside || !problem_.tensors[tensor_].needed_after) found_.push_back(choice);
      for (int64_t t = last + 1; is_inside && t < static_cast<int64_t>(order_.size()); ++t) {
        choice.written_back_at = t;
        found_.push_back(choice);
        choice.written_back_at.reset();
      }
      return;
    }
    const int64_t now = life_.reads[choice.reads.size()].step;
    Arrive(choice, at, last, now);
    for (int64_t t = last + 1; is_inside && at && t <= now; ++t) {
      choice.written_back_at = t;
      Arrive(choice, at, last, now);
      choice.written_back_at.reset();
    }
  }

  // Every way to the next read.
  void Arrive(TensorChoice& choice, std::optional<PadId> at, int64_t last, int64_t now) {
    const auto go = [&](ReadChoice read, std::optional<PadId> pad) {
      choice.reads.push_back(read);
      Extend(choice, pad, now);
      choice.reads.pop_back();
    };
    const auto off_chip_before = [&](int64_t step) {
      return !life_.written || (choice.written_back_at && *choice.written_back_at < step);
    };
    if (off_chip_before(now)) go({}, std::nullopt);
    for (const PadId pad : Ids(problem_.machine.pads)) {
      if (!UnitReaches(now, pad)) continue;
      if (at == pad) go({ReadChoice::Way::kKept, pad, 0}, pad);
      if (off_chip_before(now)) go({ReadChoice::Way::kFetched, pad, 0}, pad);
      for (int64_t step = last + 1; step < now; ++step) {
        if (off_chip_before(step)) go({ReadChoice::Way::kPrefetched, pad, step}, pad);
        if (at && Connected(*at, pad)) go({ReadChoice::Way::kMoved, pad, step}, pad);
      }
    }
  }

  const PlanProblem& problem_;
  const std::vector<size_t>& order_;
  ValueId tensor_;
  const TensorLife& life_;
  std::vector<TensorChoice> found_;
};

class ChoicesWalker {
 public:
  ChoicesWalker(const PlanProblem& problem, const std::vector<size_t>& order,
                const std::function<void(const Choices&)>& visit)
      : problem_(problem), lives_(LivesOf(problem, order)), visit_(visit) {
    choices_.order = order;
    choices_.tilings.resize(order.size());
    choices_.in_place.resize(order.size());
    choices_.tensors.resize(problem.tensors.size());
    for (const ValueId tensor : Ids(problem.tensors)) {
      lists_.push_back(ChoicesForTensor(problem, order, tensor));
    }
  }

  double Count() const {
    double count = 1;
    for (const auto& list : lists_) count *= static_cast<double>(list.size());
    for (const PlanNode& node : problem_.nodes) count *= static_cast<double>(node.tilings.size());
    return count;
  }

  void WalkTensor(size_t tensor) {
    if (tensor == lists_.size()) {
      WalkStep(0);
      return;
    }
    for (const TensorChoice& choice : lists_[tensor]) {
      choices_.tensors[ValueId(tensor)] = choice;
      WalkTensor(tensor + 1);
    }
  }

 private:
  void WalkStep(size_t step) {
    if (step == choices_.order.size()) {
      visit_(choices_);
      return;
    }
    const PlanNode& node = problem_.nodes[choices_.order[step]];
    for (size_t i = 0; i < node.tilings.size(); ++i) {
      choices_.tilings[step] = i;
      choices_.in_place[step] = std::nullopt;
      WalkStep(step + 1);
      for (const ValueId under : node.in_place) {
        if (!CanShare(step, node, under)) continue;
        choices_.in_place[step] = under;
        WalkStep(step + 1);
      }
    }
  }

  bool CanShare(size_t step, const PlanNode& node, ValueId under) const {
    const auto now = static_cast<int64_t>(step);
    if (lives_[under].reads.back().step != now) return false;
    if (choices_.tensors[under].written_back_at >= now) return false;
    const ReadChoice& read = choices_.tensors[under].reads.back();
    const std::optional<PadId> pad =
        choices_.tensors[node.operands[FirstWritten(node)].tensor].written_into;
    return pad && read.way != ReadChoice::Way::kStreamed && read.pad == *pad;
  }

  const PlanProblem& problem_;
  IndexedVector<ValueId, TensorLife> lives_;
  const std::function<void(const Choices&)>& visit_;
  std::vector<std::vector<TensorChoice>> lists_;
  Choices choices_;
};

}  // namespace

std::vector<TensorChoice> ChoicesForTensor(const PlanProblem& problem,
                                           const std::vector<size_t>& order, ValueId tensor) {
  return TensorLister(problem, order, tensor, LivesOf(problem, order)[tensor]).List();
}

bool ForEachChoices(const PlanProblem& problem, const std::vector<size_t>& order, double most,
                    const std::function<void(const Choices&)>& visit) {
  ChoicesWalker walker(problem, order, visit);
  if (walker.Count() > most) return false;
  walker.WalkTensor(0);
  return true;
}

}  // namespace inlay::testing
