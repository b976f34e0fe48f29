#include "inlay/scratchpad/milp/prove.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "inlay/scratchpad/milp/solver.h"

namespace inlay::milp {
namespace {

constexpr double kIntegral = 1e-6;
constexpr int kTried = 8;         // columns whose children are tried before one is chosen
constexpr int kTrustedAfter = 4;  // known children, after which a column is not tried
constexpr int kCutRounds = 3;     // at a node
constexpr int64_t kBasisBytes = int64_t{1} << 28;  // of all open nodes together

struct Fixed {
  int column = 0;
  double value = 0;
};

// A part of the answers: some columns are fixed.
struct Node {
  double bound = -kInfinity;
  std::vector<Fixed> fixed;
  std::shared_ptr<const Relaxation::Basis> basis;  // of the node above
};

// What fixing a column has cost so far, for a whole unit.
struct History {
  double sum[2] = {0, 0};
  int count[2] = {0, 0};
};

class Prover {
 public:
  Prover(const Milp& milp, const ProofOptions& options, const ProofHooks& hooks,
         const Deadline& deadline)
      : milp_(milp),
        hooks_(hooks),
        deadline_(deadline),
        cutoff_(options.cutoff),
        relaxation_(milp),
        history_(milp.columns.size()) {
    const auto bytes = static_cast<int64_t>(milp.columns.size() + milp.rows.size()) / 2 + 64;
    node_limit_ = std::min(options.node_limit, kBasisBytes / bytes * 16);
    open_limit_ = static_cast<size_t>(kBasisBytes / bytes);
  }

  Proof Run() {
    Push({});
    while (!open_.empty() && !ended_ && open_.front().bound < cutoff_ && HasBudget()) {
      Dive(Pop());
    }
    Proof proof;
    proof.nodes = nodes_;
    proof.bound = std::min(cutoff_, left_);
    if (!open_.empty()) proof.bound = std::min(proof.bound, open_.front().bound);
    return proof;
  }

 private:
  static bool IsDearer(const Node& a, const Node& b) { return a.bound > b.bound; }
  void Push(Node node) {
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end(), IsDearer);
  }
  Node Pop() {
    std::pop_heap(open_.begin(), open_.end(), IsDearer);
    Node node = std::move(open_.back());
    open_.pop_back();
    return node;
  }
  bool HasBudget() const {
    return !deadline_.Passed() && nodes_ < node_limit_ && open_.size() < open_limit_;
  }

  void Fix(const std::vector<Fixed>& fixed) {
    for (const Fixed& old : fixed_) {
      const Column& column = milp_.columns[static_cast<size_t>(old.column)];
      relaxation_.SetBounds(old.column, column.lower, column.upper);
    }
    for (const Fixed& now : fixed) relaxation_.SetBounds(now.column, now.value, now.value);
    fixed_ = fixed;
  }

  // Goes down from the node, leaving the other children behind, until nothing below is open.
  void Dive(Node node) {
    for (;;) {
      if (!HasBudget()) return Push(std::move(node));
      ++nodes_;
      Fix(node.fixed);
      if (node.basis) relaxation_.Restore(*node.basis);
      const double above = node.bound;
      const auto status = SolveWithCuts(&node.bound);
      if (node.bound >= cutoff_) return Learn(node, above);
      if (status == Relaxation::Status::kStopped && deadline_.Passed()) {
        return Push(std::move(node));
      }
      const int column = status == Relaxation::Status::kOptimal ? Choose(node) : kNothing;
      if (column == kNothing) return Leave(node, status == Relaxation::Status::kOptimal);
      Learn(node, above);
      Descend(column, &node);
    }
  }

  // One child is the node that follows, the other waits.
  void Descend(int column, Node* node) {
    const double value = relaxation_.values()[static_cast<size_t>(column)];
    node->basis = relaxation_.SaveBasis();
    last_ = {column, value, node->bound};
    Node other = *node;
    const double first = value >= 0.5 ? 1 : 0;
    node->fixed.push_back({column, first});
    other.fixed.push_back({column, 1 - first});
    Push(std::move(other));
  }

  Relaxation::Status SolveWithCuts(double* bound) {
    for (int round = 0;; ++round) {
      const auto status = relaxation_.Solve(deadline_);
      *bound = std::max(*bound, relaxation_.Bound());
      if (status != Relaxation::Status::kOptimal || *bound >= cutoff_ || round == kCutRounds ||
          !hooks_.cuts) {
        return status;
      }
      const std::vector<Row> cuts = hooks_.cuts(relaxation_.values());
      if (cuts.empty()) return status;
      relaxation_.Add(cuts);
    }
  }

  // Integral, or not to be solved.
  void Leave(const Node& node, bool integral) {
    if (integral) {
      if (const std::optional<double> cutoff = hooks_.found(relaxation_.values())) {
        cutoff_ = std::min(cutoff_, *cutoff);
      } else {
        ended_ = true;
      }
    }
    if (node.bound < cutoff_) left_ = std::min(left_, node.bound);
  }

  void Learn(const Node& node, double above) {
    if (node.fixed.empty() || node.fixed.back().column != last_.column) return;
    const size_t way = node.fixed.back().value > 0.5 ? 1 : 0;
    const double distance = way == 1 ? 1 - last_.value : last_.value;
    if (distance < kIntegral) return;
    Note(last_.column, way, std::min(node.bound, cutoff_) - above, distance);
  }
  void Note(int column, size_t way, double rise, double distance) {
    History& history = history_[static_cast<size_t>(column)];
    history.sum[way] += std::max(0.0, rise) / distance;
    ++history.count[way];
  }

  // The fractional column whose children rise most; kNothing: all are integral.
  static constexpr int kNothing = -1;
  int Choose(const Node& node) {
    struct Candidate {
      int column = 0;
      double value = 0;
    };
    std::vector<Candidate> candidates;
    const std::vector<double>& values = relaxation_.values();
    for (size_t j = 0; j < values.size(); ++j) {
      if (!milp_.columns[j].integer) continue;
      const double away = std::abs(values[j] - std::round(values[j]));
      if (away > kIntegral) candidates.push_back({static_cast<int>(j), values[j]});
    }
    if (candidates.empty()) return kNothing;
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       return Score(a.column, a.value) > Score(b.column, b.value);
                     });
    const size_t tried = std::min<size_t>(candidates.size(), kTried);
    for (size_t k = 0; k < tried; ++k) Try(candidates[k].column, candidates[k].value, node.bound);
    return std::max_element(candidates.begin(), candidates.begin() + static_cast<int64_t>(tried),
                            [&](const Candidate& a, const Candidate& b) {
                              return Score(a.column, a.value) < Score(b.column, b.value);
                            })
        ->column;
  }

  void Try(int column, double value, double bound) {
    const History& history = history_[static_cast<size_t>(column)];
    if (std::min(history.count[0], history.count[1]) >= kTrustedAfter) return;
    const auto [down, up] = relaxation_.TryChildren(column);
    Note(column, 0, std::min(down, cutoff_) - bound, value);
    Note(column, 1, std::min(up, cutoff_) - bound, 1 - value);
  }

  double Score(int column, double value) const {
    const History& history = history_[static_cast<size_t>(column)];
    const double away[2] = {value, 1 - value};
    double score = 1;
    for (size_t way = 0; way < 2; ++way) {
      const double unit =
          history.count[way] > 0 ? history.sum[way] / static_cast<double>(history.count[way]) : 1;
      score *= std::max(1e-6, unit * away[way]);
    }
    return score;
  }

  const Milp& milp_;
  const ProofHooks& hooks_;
  const Deadline& deadline_;
  double cutoff_;
  Relaxation relaxation_;
  std::vector<History> history_;
  int64_t node_limit_ = 0;
  size_t open_limit_ = 0;
  std::vector<Node> open_;    // a heap, the least bound on top
  std::vector<Fixed> fixed_;  // in the relaxation
  double left_ = kInfinity;   // the least bound of the leaves that could not be closed
  bool ended_ = false;
  int64_t nodes_ = 0;
  struct {
    int column = kNothing;
    double value = 0, bound = 0;
  } last_;  // where the node above was divided
};

}  // namespace

Proof ProveBound(const Milp& milp, const ProofOptions& options, const ProofHooks& hooks,
                 const Deadline& deadline) {
  return Prover(milp, options, hooks, deadline).Run();
}

}  // namespace inlay::milp
