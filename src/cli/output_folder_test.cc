#include "cli/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/synced.h"

namespace inlay::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using namespace std::string_literals;  // NOLINT(google-build-using-namespace)

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::canonical(::testing::TempDir()) / ("inlay-output-" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Path(const std::string& name) const { return (root_ / name).string(); }
  std::string RefusalOf(const std::string& name) const {
    const auto folder = OutputFolder::Claim(Path(name));
    return folder ? "" : Format(folder.error());
  }
  static std::string TextOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path root_;
};

TEST_F(OutputFolderTest, WritesAllFilesAndNothingElse) {
  {
    auto folder = OutputFolder::Claim(Path("a/b"));
    ASSERT_TRUE(folder.has_value()) << Format(folder.error());
    ASSERT_TRUE(folder->Write({{"result.json", "{}\n"s}, {"summary.txt", "fine\n"s}}).has_value());
  }
  EXPECT_EQ(TextOf(Path("a/b/result.json")), "{}\n");
  EXPECT_EQ(TextOf(Path("a/b/summary.txt")), "fine\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("a/b")), {}), 2);
}

TEST_F(OutputFolderTest, AnEmptyFolderIsTakenAndKept) {
  fs::create_directory(Path("empty"));
  { EXPECT_TRUE(OutputFolder::Claim(Path("empty")).has_value()); }
  EXPECT_TRUE(fs::is_empty(Path("empty")));
}

TEST_F(OutputFolderTest, FilesAndFoldersReachTheDisk) {
  const inlay::testing::Synced synced;
  auto folder = OutputFolder::Claim(Path("a/b"));
  ASSERT_TRUE(folder.has_value());
  ASSERT_TRUE(folder->Write({{"result.json", "{}"s}, {"layers/one/map.txt", ""s}}).has_value());
  std::vector<std::string> paths = synced.paths();
  ASSERT_GE(paths.size(), 2U);
  EXPECT_THAT(paths[0], ::testing::StartsWith(Path("a/b/layers/one/map.txt.")));
  EXPECT_THAT(paths[1], ::testing::StartsWith(Path("a/b/result.json.")));
  paths.erase(paths.begin(), paths.begin() + 2);
  EXPECT_THAT(paths, ::testing::IsSupersetOf({Path("a/b/layers/one"), Path("a/b/layers"),
                                              Path("a/b"), Path("a"), root_.string()}));
}

TEST_F(OutputFolderTest, ALockThatIsALinkIsNotFollowed) {
  fs::create_directory(Path("planted"));
  fs::create_symlink(Path("victim"), Path("planted/.inlay-lock"));
  EXPECT_EQ(RefusalOf("planted"), Path("planted/.inlay-lock") +
                                      ": error: this is a link, and a lock never is\n"
                                      "  hint: remove it\n");
  EXPECT_FALSE(fs::exists(Path("victim")));
  std::ofstream(Path("victim")) << "precious";
  EXPECT_NE(RefusalOf("planted"), "");
  EXPECT_EQ(TextOf(Path("victim")), "precious");
}

TEST_F(OutputFolderTest, AFolderThatGotNothingIsTakenAway) {
  { EXPECT_TRUE(OutputFolder::Claim(Path("new")).has_value()); }
  EXPECT_FALSE(fs::exists(Path("new")));
}

TEST_F(OutputFolderTest, WhatHoldsSomethingIsRefused) {
  fs::create_directory(Path("full"));
  std::ofstream(Path("full/thesis.tex")) << "x";
  EXPECT_THAT(RefusalOf("full"), HasSubstr("it holds 'thesis.tex'"));
  std::ofstream(Path("full/result.json")) << "{}";
  EXPECT_THAT(RefusalOf("full"), HasSubstr("the result of another run"));
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("full")), {}), 2);
}

TEST_F(OutputFolderTest, TwoRunsCannotShareAFolder) {
  const auto first = OutputFolder::Claim(Path("shared"));
  ASSERT_TRUE(first.has_value());
  EXPECT_THAT(RefusalOf("shared"), HasSubstr("another run is writing"));
  EXPECT_THAT(RefusalOf("shared"), HasSubstr("another run is writing"));  // the lock survived
}

TEST_F(OutputFolderTest, AFileIsNoFolder) {
  std::ofstream(Path("file")) << "x";
  EXPECT_THAT(RefusalOf("file"), HasSubstr("cannot create this folder"));
  EXPECT_THAT(RefusalOf("file/deeper"), HasSubstr("cannot create this folder"));
}

TEST_F(OutputFolderTest, AFailedWriteLeavesNoFileBehind) {
  auto folder = OutputFolder::Claim(Path("out"));
  ASSERT_TRUE(folder.has_value());
  // "a" cannot be both a file and a folder.
  EXPECT_FALSE(
      folder->Write({{"a/b", "x"s}, {"a", "y"s}, {"layers/c/d", "z"s}, {"e", "w"s}}).has_value());
  EXPECT_EQ(std::distance(fs::directory_iterator(Path("out")), {}), 1) << "more than the lock";
}

TEST_F(OutputFolderTest, FilesMayStandInFoldersBelow) {
  auto folder = OutputFolder::Claim(Path("out"));
  ASSERT_TRUE(folder->Write({{"r", "1"s}, {"layers/a/m", "2"s}, {"layers/b/m", "3"s}}).has_value());
  EXPECT_EQ(TextOf(Path("out/layers/a/m")), "2");
  EXPECT_EQ(TextOf(Path("out/layers/b/m")), "3");
}

}  // namespace
}  // namespace inlay::cli
