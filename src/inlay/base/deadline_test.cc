#include "inlay/base/deadline.h"

#include <gtest/gtest.h>

#include <thread>

namespace inlay {
namespace {

TEST(DeadlineTest, WithoutLimitOnlyTheFlagEndsIt) {
  StopFlag stop;
  const Deadline deadline(stop, std::nullopt);
  EXPECT_FALSE(deadline.Passed());
  EXPECT_FALSE(deadline.Stopped());
  stop.Request();
  EXPECT_TRUE(deadline.Passed());
  EXPECT_TRUE(deadline.Stopped());
}

TEST(DeadlineTest, TimePasses) {
  const StopFlag stop;
  const Deadline deadline(stop, 0.02);
  EXPECT_FALSE(deadline.Passed());
  while (deadline.SecondsSinceStart() < 0.02) std::this_thread::yield();
  EXPECT_TRUE(deadline.Passed());
  EXPECT_FALSE(deadline.Stopped());
}

TEST(DeadlineTest, NoTimeAtAll) {
  const StopFlag stop;
  EXPECT_TRUE(Deadline(stop, 0.0).Passed());
}

TEST(DeadlineTest, TheLongestTimeDoesNotWrapAround) {
  const StopFlag stop;
  EXPECT_FALSE(Deadline(stop, 1e300).Passed());
  EXPECT_FALSE(Deadline(stop, 9.99e8).Passed());
}

TEST(DeadlineTest, LooksCanBeTheLimit) {
  const StopFlag stop;
  const Deadline deadline(stop, Deadline::Looks{3});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(deadline.Passed());
  EXPECT_TRUE(deadline.Passed());
  EXPECT_TRUE(deadline.Passed());
}

TEST(DeadlineTest, APartPassesEarlierOrWithTheWhole) {
  StopFlag stop;
  const Deadline whole(stop, Deadline::Looks{4});
  const Deadline half(whole, 0.5), all(whole, 2);
  EXPECT_FALSE(half.Passed());  // a quarter has gone
  EXPECT_TRUE(half.Passed());
  EXPECT_FALSE(whole.Passed());
  EXPECT_FALSE(all.Passed());
  EXPECT_TRUE(all.Passed());
  const Deadline endless(stop);
  const Deadline part(endless, 0.5);
  EXPECT_FALSE(part.Passed());
  stop.Request();
  EXPECT_TRUE(part.Passed());
}

TEST(DeadlineWatchTest, LooksAtTheFirstCallAndThenNowAndThen) {
  StopFlag stop;
  const Deadline deadline(stop);
  DeadlineWatch watch(deadline, 3);
  EXPECT_FALSE(watch.Passed());
  stop.Request();
  for (int call = 1; call < 8; ++call) EXPECT_FALSE(watch.Passed()) << call;
  EXPECT_TRUE(watch.Passed());
  EXPECT_TRUE(watch.Passed());
  EXPECT_TRUE(DeadlineWatch(deadline).Passed());
}

}  // namespace
}  // namespace inlay
