#include "cli/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "inlay/io/unfinished_file.h"

namespace inlay::cli {
namespace {

namespace fs = std::filesystem;

class SignalsDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    fs::remove(path_);
  }
  void TearDown() override { fs::remove(path_); }

  // Raises signals while a file is unfinished. Ends with 42 if that ends nothing.
  void Raise(const std::vector<int>& signals) const {
    std::signal(SIGPROF, SIG_DFL);  // Google Test has its children ignore it
    const StopFlag* stop = HandleSignals();
    fs::remove(path_);
    const io::UnfinishedFile unfinished(path_, 0600);
    for (const int signal : signals) raise(signal);
    _exit(stop->Requested() ? 42 : 43);
  }

  // Of this test alone: the others may run at the same time. The process that ends has the same
  // name.
  const std::string path_ = testing::TempDir() + "inlay-signals-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".tmp";
};

TEST_F(SignalsDeathTest, TheFirstOneOnlyAsks) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(Raise({signal}), testing::ExitedWithCode(42), "") << signal;
  }
  EXPECT_EXIT(Raise({SIGINT, SIGTERM, SIGHUP}), testing::ExitedWithCode(42), "");
  EXPECT_TRUE(fs::exists(path_));  // its writer goes on
}

TEST_F(SignalsDeathTest, ATerminalMayHangUpTwice) {
  EXPECT_EXIT(Raise({SIGHUP, SIGHUP}), testing::ExitedWithCode(42), "");
}

TEST_F(SignalsDeathTest, TheSecondOneEndsAndLeavesNoHalfFile) {
  EXPECT_EXIT(Raise({SIGINT, SIGINT}), testing::KilledBySignal(SIGINT), "");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SignalsDeathTest, SoDoesTheSecondSigterm) {
  EXPECT_EXIT(Raise({SIGTERM, SIGTERM}), testing::KilledBySignal(SIGTERM), "");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SignalsDeathTest, OthersEndAtOnceAndLeaveNoHalfFile) {
  for (const int signal : {SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO,
                           SIGPWR, SIGABRT, SIGSTKFLT, SIGTRAP, SIGSYS, SIGRTMIN, SIGRTMAX}) {
    EXPECT_EXIT(Raise({signal}), testing::KilledBySignal(signal), "") << signal;
    EXPECT_FALSE(fs::exists(path_)) << signal;
  }
}

TEST_F(SignalsDeathTest, WhatEndsNoProcessDoesNotNow) {
  EXPECT_EXIT(Raise({SIGCHLD, SIGCONT, SIGURG, SIGWINCH}), testing::ExitedWithCode(43), "");
}

TEST_F(SignalsDeathTest, WritesThatFailAreNoSignals) {
  EXPECT_EXIT(Raise({SIGPIPE, SIGXFSZ}), testing::ExitedWithCode(43), "");
}

}  // namespace
}  // namespace inlay::cli
