// Several searches that share their work come to what one comes to by itself.
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <limits>
#include <thread>
#include <vector>

#include "inlay/codesign/codesign.h"
#include "inlay/codesign/search_group.h"
#include "tests/property/codesign_case.h"

namespace inlay {
namespace {

using testing::Random;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The state of a group whose processes are threads of one process.
struct Table {
  explicit Table(size_t members) : reports(members) {}
  std::mutex mutex;
  std::condition_variable met;
  size_t taken = 0, round = 0, reported = 0;
  double least = kInfinity;
  std::vector<GroupMessage> reports, last;
};

class Member final : public SearchGroup {
 public:
  Member(Table* table, size_t number) : table_(*table), number_(number) {}

  bool IsLeader() const override { return number_ == 0; }
  size_t TakeNext() override {
    std::this_thread::yield();  // so that others get their turn
    const std::scoped_lock lock(table_.mutex);
    return table_.taken++;
  }
  double ShareMinimum(double value) override {
    const std::scoped_lock lock(table_.mutex);
    return table_.least = std::min(table_.least, value);
  }
  std::vector<GroupMessage> Exchange(GroupMessage report) override {
    std::unique_lock lock(table_.mutex);
    const size_t round = table_.round;
    table_.reports[number_] = std::move(report);
    if (++table_.reported == table_.reports.size()) {
      table_.last = table_.reports;
      table_.taken = table_.reported = 0;
      table_.least = kInfinity;
      ++table_.round;
      table_.met.notify_all();
    }
    table_.met.wait(lock, [&] { return table_.round > round; });
    return table_.last;
  }

 private:
  Table& table_;
  size_t number_;
};

// Each member has its own stop flag.
CodesignAnswer TogetherOn(const CodesignTask& task, const std::vector<StopFlag>& stops) {
  const size_t members = stops.size();
  Table table(members);
  CodesignAnswer answer;
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < members; ++i) {
    threads.emplace_back([&, i] {
      Member member(&table, i);
      CodesignAnswer own = Codesign(task, stops[i], {}, &member);
      if (i == 0) answer = std::move(own);
    });
  }
  threads.clear();
  return answer;
}

void ExpectSame(const CodesignAnswer& together, const CodesignAnswer& alone) {
  ASSERT_EQ(together.certificate.has_value(), alone.certificate.has_value());
  EXPECT_EQ(together.infeasible.empty(), alone.infeasible.empty());
  if (alone.certificate) {
    EXPECT_EQ(*together.certificate, *alone.certificate);
  }
  ASSERT_EQ(together.designs.size(), alone.designs.size());
  for (size_t i = 0; i < alone.designs.size(); ++i) {
    const Design &a = together.designs[i], &b = alone.designs[i];
    EXPECT_EQ(a.choice.values, b.choice.values);
    EXPECT_EQ(a.energy_pj, b.energy_pj);
    EXPECT_EQ(a.cycles, b.cycles);
    ASSERT_EQ(a.layers.size(), b.layers.size());
    for (size_t l = 0; l < b.layers.size(); ++l) {
      EXPECT_EQ(a.layers[l].solution.mapping, b.layers[l].solution.mapping);
      EXPECT_EQ(a.layers[l].solution.cost.energy_pj, b.layers[l].solution.cost.energy_pj);
      EXPECT_EQ(a.layers[l].solution.cost.padded_operations,
                b.layers[l].solution.cost.padded_operations);
    }
  }
}

TEST(CodesignSearchGroup, ComesToTheSame) {
  Random random(29);
  const std::array<Scope, 5> scopes = {Scope::kLayer, Scope::kNetwork, Scope::kDominant,
                                       Scope::kPareto, Scope::kHetero};
  for (int64_t i = 0; i < testing::CaseCount(60, 600); ++i) {
    CodesignTask task = testing::RandomCodesignTask(random);
    if (testing::Chance(random, 0.3)) task.options.semantics = Semantics::kExact;
    if (testing::Chance(random, 0.2)) task.mapspace = Mapspace::kPadded;
    task.scope = scopes[static_cast<size_t>(i) % scopes.size()];
    const std::vector<Objective> objectives = {
        {Metric::kEnergy}, {Metric::kDelay}, {Metric::kEnergy, Metric::kDelay}};
    task.options.objective = objectives[static_cast<size_t>(testing::Pick(random, 0, 2))];
    if (testing::Chance(random, 0.4)) task.options.objective = {Metric::kEdp};
    task.options.threads = static_cast<int>(testing::Pick(random, 1, 2));
    const auto members = static_cast<size_t>(testing::Pick(random, 1, 4));
    SCOPED_TRACE(i);
    SCOPED_TRACE(Name(task.scope));
    ExpectSame(TogetherOn(task, std::vector<StopFlag>(members)), Codesign(task, StopFlag()));
  }
}

// A process that is stopped leaves its work to the others. A result that is marked as proven is the
// best; any other is marked as interrupted.
TEST(CodesignSearchGroup, SomeAreStoppedBeforeTheyBegin) {
  Random random(31);
  for (int64_t i = 0; i < testing::CaseCount(40, 400); ++i) {
    CodesignTask task = testing::RandomCodesignTask(random);
    task.scope =
        std::array{Scope::kLayer, Scope::kNetwork, Scope::kDominant}[static_cast<size_t>(i) % 3];
    std::vector<StopFlag> stops(3);
    bool all = true;
    for (StopFlag& stop : stops) {
      const bool stopped = testing::Chance(random, 0.6);
      if (stopped) stop.Request();
      all = all && stopped;
    }
    const CodesignAnswer answer = TogetherOn(task, stops);
    const CodesignAnswer alone = Codesign(task, StopFlag());
    const bool proven =
        answer.certificate && answer.certificate->status == CertificateStatus::kOptimal;
    EXPECT_FALSE(all && proven);
    if (proven) {
      EXPECT_EQ(answer.certificate->objective, alone.certificate->objective);
    } else if (!answer.interrupted && task.scope != Scope::kDominant) {
      EXPECT_EQ(answer.infeasible.empty(), alone.infeasible.empty());
      EXPECT_FALSE(alone.certificate.has_value());
    }
    if (answer.certificate && alone.certificate) {
      EXPECT_LE(answer.certificate->lower_bound, alone.certificate->objective * (1 + 1e-9));
    }
  }
}

}  // namespace
}  // namespace inlay
