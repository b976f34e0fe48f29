#include "inlay/io/append_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
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
    auto file = AppendFile::Open(path_, 0, "one");
    ASSERT_TRUE(file) << Format(file.error());
    ASSERT_TRUE(file->Append("one\n"));
    EXPECT_EQ(Text(), "one\n");  // at once, not at the end
    AppendFile moved = *std::move(file);
    ASSERT_TRUE(moved.Append("tw"));
  }
  auto file = AppendFile::Open(path_, 4, "one");
  EXPECT_EQ(Text(), "one\n");
  ASSERT_TRUE(file->Append("two\n"));
  EXPECT_EQ(Text(), "one\ntwo\n");
}

TEST_F(AppendFileTest, CutsHalfALineOfItsOwn) {
  for (const char* half : {"", "{\"ch", "{\"check\":1, and so"}) {
    std::ofstream(path_) << half;
    ASSERT_TRUE(AppendFile::Open(path_, 0, "{\"check\":"));
    EXPECT_EQ(Text(), "");
  }
}

TEST_F(AppendFileTest, LeavesWhatIsAnothers) {
  std::ofstream(path_) << "precious";
  const auto file = AppendFile::Open(path_, 0, "{\"check\":");
  ASSERT_FALSE(file);
  EXPECT_EQ(Format(file.error()), path_ +
                                      ": error: this file was not written by inlay, and stays as "
                                      "it is\n  hint: remove it, or choose another folder\n");
  EXPECT_EQ(Text(), "precious");
}

TEST_F(AppendFileTest, LeavesWhatALinkLeadsTo) {
  std::ofstream(path_) << "one\n";
  const std::string link = path_ + ".link";
  std::filesystem::create_symlink(path_, link);
  const auto file = AppendFile::Open(link, 0, "one");
  std::filesystem::remove(link);
  ASSERT_FALSE(file);
  EXPECT_THAT(Format(file.error()), ::testing::HasSubstr(".link: error: this is a link"));
  EXPECT_EQ(Text(), "one\n");
}

TEST_F(AppendFileTest, RefusesPipes) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const auto file = AppendFile::Open(path_, 0, "one");
  ASSERT_FALSE(file);
  EXPECT_THAT(Format(file.error()), ::testing::HasSubstr("error: this is no regular file"));
}

TEST_F(AppendFileTest, SaysWhatCannotBeWritten) {
  const auto file = AppendFile::Open("/nowhere/at/all", 0, "");
  ASSERT_FALSE(file);
  EXPECT_THAT(Format(file.error()), ::testing::HasSubstr("/nowhere/at/all: error: cannot write"));
}

}  // namespace
}  // namespace inlay::io
