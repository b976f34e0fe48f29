#include "inlay/io/unfinished.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace inlay::io {
namespace {

namespace fs = std::filesystem;

class UnfinishedTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::remove(path_); }
  void TearDown() override { fs::remove(path_); }
  const std::string path_ = ::testing::TempDir() + "inlay-unfinished-" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name() +
                            ".tmp";
};

TEST_F(UnfinishedTest, IsRemovedWhileItLives) {
  Unfinished unfinished(path_, 0600);
  ASSERT_EQ(unfinished.error(), 0);
  EXPECT_EQ(WriteAll(unfinished.file().get(), "half"), 0);
  EXPECT_TRUE(fs::exists(path_));
  RemoveUnfinished();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(UnfinishedTest, StaysOnceItIsFinished) {
  { const Unfinished finished(path_, 0600); }
  RemoveUnfinished();
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(UnfinishedTest, WhatWasThereBeforeStays) {
  std::ofstream(path_) << "another's";
  const Unfinished unfinished(path_, 0600);
  EXPECT_EQ(unfinished.error(), EEXIST);
  RemoveUnfinished();
  EXPECT_TRUE(fs::exists(path_));
}

}  // namespace
}  // namespace inlay::io
