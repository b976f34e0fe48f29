#include "inlay/io/unfinished_file.h"

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
  UnfinishedFile unfinished(path_, 0600);
  ASSERT_EQ(unfinished.error(), 0);
  EXPECT_EQ(WriteAll(unfinished.file().get(), "half"), 0);
  EXPECT_TRUE(fs::exists(path_));
  RemoveUnfinishedFiles();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(UnfinishedTest, StaysOnceItIsFinished) {
  { const UnfinishedFile finished(path_, 0600); }
  RemoveUnfinishedFiles();
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(UnfinishedTest, WhatWasThereBeforeStays) {
  std::ofstream(path_) << "another's";
  const UnfinishedFile unfinished(path_, 0600);
  EXPECT_EQ(unfinished.error(), EEXIST);
  RemoveUnfinishedFiles();
  EXPECT_TRUE(fs::exists(path_));
}

}  // namespace
}  // namespace inlay::io
