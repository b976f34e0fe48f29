#include "inlay/io/library/embedded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>

#include "tests/support/paths.h"

namespace inlay::io {
namespace {

namespace fs = std::filesystem;

// What the folder library/ holds now: path relative to it -> text.
std::map<std::string, std::string> LibraryOnDisk() {
  const fs::path root = fs::path(INLAY_SOURCE_DIR) / "library";
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(root).generic_string()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
  return files;
}

TEST(EmbeddedTest, HoldsTheLibraryByteForByte) {
  std::map<std::string, std::string> embedded;
  for (const EmbeddedFile& file : EmbeddedFiles()) embedded.emplace(file.path, file.text);
  EXPECT_FALSE(embedded.empty());
  EXPECT_EQ(embedded, LibraryOnDisk());
}

TEST(EmbeddedTest, IsSortedAndNamesNoPathTwice) {
  const std::span<const EmbeddedFile> files = EmbeddedFiles();
  const auto not_before = [](const EmbeddedFile& a, const EmbeddedFile& b) {
    return !(a.path < b.path);
  };
  EXPECT_EQ(std::adjacent_find(files.begin(), files.end(), not_before), files.end());
}

}  // namespace
}  // namespace inlay::io
