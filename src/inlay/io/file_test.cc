#include "inlay/io/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "tests/support/test_folder.h"

namespace inlay::io {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

using FileTest = TestFolder;

std::string ErrorOf(const std::string& bytes) {
  const auto source = MakeSource("f", bytes);
  return source ? "" : Format(source.error());
}

TEST_F(FileTest, ReadsTextAndRemembersItsName) {
  const std::string path = Put("a.yaml", "a: 1\nb: é\n");
  const auto source = ReadTextFile(path);
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->name, path);
  EXPECT_EQ(source->text, "a: 1\nb: é\n");
}

TEST_F(FileTest, SaysWhichFileIsMissing) {
  const auto source = ReadTextFile(Path("absent.yaml"));
  ASSERT_FALSE(source.has_value());
  EXPECT_EQ(Format(source.error()), Path("absent.yaml") +
                                        ": error: cannot read the file: No such file or "
                                        "directory\n");
}

TEST_F(FileTest, RefusesFolders) {
  const auto source = ReadTextFile(Path(""));
  ASSERT_FALSE(source.has_value());
  EXPECT_THAT(Format(source.error()), HasSubstr("this is a folder, not a file"));
}

TEST(MakeSourceTest, StripsByteOrderMarkAndCarriageReturns) {
  const auto source = MakeSource("f",
                                 "\xef\xbb\xbf"
                                 "a: 1\r\nb: 2\r\n");
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->text, "a: 1\nb: 2\n");
}

TEST(MakeSourceTest, RefusesWhatIsNotText) {
  EXPECT_THAT(ErrorOf(std::string("ab\nc\0d", 6)),
              HasSubstr("f:2:2: error: byte 0x00 is not text"));
  EXPECT_THAT(ErrorOf("\x7f"), HasSubstr("f:1:1: error: byte 0x7f is not text"));
  EXPECT_THAT(ErrorOf("\xff\xfe"
                      "a"),
              HasSubstr("the file is UTF-16"));
}

TEST(MakeSourceTest, RefusesEveryKindOfBrokenUtf8) {
  for (const char* bad :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xc3("}) {
    EXPECT_THAT(ErrorOf(std::string("x") + bad), HasSubstr("f:1:2: error: byte 0x")) << bad;
  }
  for (const char* good :
       {"\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(ErrorOf(good), "") << good;
  }
}

TEST(LineOfTest, CountsFromOne) {
  const Source source{"f", "one\n\nthree"};
  EXPECT_EQ(LineOf(source, 1), "one");
  EXPECT_EQ(LineOf(source, 2), "");
  EXPECT_EQ(LineOf(source, 3), "three");
  EXPECT_EQ(LineOf(source, 4), "");
  EXPECT_EQ(LineOf(source, 0), "");
}

TEST(ContentHashTest, IsFnv1a) {
  EXPECT_EQ(ContentHash(""), "cbf29ce484222325");
  EXPECT_EQ(ContentHash("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(ContentHash("foobar"), "85944171f73967e8");
}

TEST(TextsAsFiles, StandInForFilesOfTheirNameInTheirThread) {
  EXPECT_FALSE(IsFile("given.yaml"));
  {
    const TextsAsFiles outer({{"given.yaml", "a: 1\n"}, {"folder/result.json", "{}"}});
    EXPECT_TRUE(IsFile("given.yaml"));
    EXPECT_TRUE(IsFolder("folder"));
    EXPECT_FALSE(IsFile("folder"));
    EXPECT_FALSE(IsFolder("fold"));
    ASSERT_TRUE(ReadTextFile("given.yaml"));
    EXPECT_EQ(ReadTextFile("given.yaml")->text, "a: 1\n");
    std::thread([] { EXPECT_FALSE(IsFile("given.yaml")); }).join();
    {
      const TextsAsFiles inner(std::map<std::string, std::string>{{"other.yaml", ""}});
      EXPECT_FALSE(IsFile("given.yaml"));
    }
    EXPECT_TRUE(IsFile("given.yaml"));
  }
  EXPECT_FALSE(IsFile("given.yaml"));
}

TEST(TextsAsFiles, AreCheckedAsFilesAre) {
  const TextsAsFiles texts(
      std::map<std::string, std::string>{{"binary.yaml", std::string("a\0b", 3)}});
  EXPECT_FALSE(ReadTextFile("binary.yaml"));
}

}  // namespace
}  // namespace inlay::io
