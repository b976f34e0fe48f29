#include "inlay/io/append_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace inlay::io {
namespace {

class AppendFileTest : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string path_ = ::testing::TempDir() + "inlay-append-" + std::to_string(::getpid());
};

TEST_F(AppendFileTest, GrowsAndGoesOn) {
  {
    auto file = AppendFile::Open(path_, 0);
    ASSERT_TRUE(file) << Format(file.error());
    ASSERT_TRUE(file->Append("one\n"));
    EXPECT_EQ(Text(), "one\n");  // at once, not at the end
    AppendFile moved = *std::move(file);
    ASSERT_TRUE(moved.Append("tw"));
  }
  auto file = AppendFile::Open(path_, 4);
  EXPECT_EQ(Text(), "one\n");
  ASSERT_TRUE(file->Append("two\n"));
  EXPECT_EQ(Text(), "one\ntwo\n");
}

TEST_F(AppendFileTest, SaysWhatCannotBeWritten) {
  const auto file = AppendFile::Open("/nowhere/at/all", 0);
  ASSERT_FALSE(file);
  EXPECT_THAT(Format(file.error()), ::testing::HasSubstr("/nowhere/at/all: error: cannot write"));
}

}  // namespace
}  // namespace inlay::io
