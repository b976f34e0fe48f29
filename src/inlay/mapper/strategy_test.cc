#include "inlay/mapper/strategy.h"

#include <gtest/gtest.h>

#include <set>

namespace inlay {
namespace {

TEST(StrategyTest, EveryStrategyHasOneRecord) {
  std::set<Strategy> seen;
  for (const StrategyRecord& record : Strategies()) {
    SCOPED_TRACE(Name(record.strategy));
    EXPECT_TRUE(seen.insert(record.strategy).second);
    EXPECT_FALSE(record.sentence.empty());
    EXPECT_TRUE(record.exact != nullptr || record.thistle != nullptr);
    EXPECT_EQ(&RecordOf(record.strategy), &record);
  }
  for (const Strategy strategy :
       {Strategy::kExact, Strategy::kRandom, Strategy::kDnnopt, Strategy::kGp}) {
    EXPECT_TRUE(seen.contains(strategy)) << Name(strategy);
  }
}

// No strategy searches under Timeloop's counting; dnnopt under none but the exact one.
TEST(StrategyTest, SemanticsWithoutASearchAreRefused) {
  for (const StrategyRecord& record : Strategies()) {
    for (const Semantics semantics :
         {Semantics::kExact, Semantics::kTimeloop, Semantics::kThistle}) {
      SCOPED_TRACE(std::string(Name(record.strategy)) + " under " + Name(semantics));
      MapOptions options;
      options.strategy = record.strategy;
      options.semantics = semantics;
      const bool searches =
          semantics == Semantics::kExact ||
          (semantics == Semantics::kThistle && record.strategy != Strategy::kDnnopt);
      const Faults faults = CheckOptions(options);
      ASSERT_EQ(faults.empty(), searches);
      if (!searches) {
        EXPECT_EQ(faults.front().where, "semantics");
      }
    }
  }
}

TEST(StrategyTest, OnlyTheExactSearchUnderExactSemanticsFindsFronts) {
  for (const StrategyRecord& record : Strategies()) {
    for (const Semantics semantics : {Semantics::kExact, Semantics::kThistle}) {
      SCOPED_TRACE(std::string(Name(record.strategy)) + " under " + Name(semantics));
      MapOptions options;
      options.strategy = record.strategy;
      options.semantics = semantics;
      options.front.emplace();
      const bool finds = record.strategy == Strategy::kExact && semantics == Semantics::kExact;
      EXPECT_EQ(CheckOptions(options).empty(), finds);
    }
  }
}

}  // namespace
}  // namespace inlay
