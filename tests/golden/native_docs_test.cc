// docs/reference/native-format.md: its examples are read, and its tables are the reader's own keys.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "inlay/io/file.h"
#include "inlay/io/library/library.h"
#include "inlay/io/native/reading.h"
#include "inlay/io/write_file.h"
#include "tests/support/paths.h"

namespace inlay::io {
namespace {

const std::string kPage = INLAY_SOURCE_DIR "/docs/reference/native-format.md";
constexpr std::string_view kBegin =
    "<!-- keys: generated from the declarations that the reader checks files by -->\n";
constexpr std::string_view kEnd = "<!-- end of keys -->\n";

std::string Page() { return ReadTextFile(kPage).value().text; }

std::vector<std::string> Examples(const std::string& page) {
  constexpr std::string_view kFence = "```yaml\n";
  std::vector<std::string> examples;
  for (size_t at = page.find(kFence); at != std::string::npos; at = page.find(kFence, at)) {
    at += kFence.size();
    examples.push_back(page.substr(at, page.find("```", at) - at));
  }
  return examples;
}

// A table for every object below a type, each once.
void AddTables(const Type& type, const std::string& path, std::set<const Type*>* done,
               std::string* text) {
  if (!type.recursive_name.empty() && !done->insert(&type).second) return;
  if (type.element != nullptr) AddTables(*type.element, path, done, text);
  for (const Type* option : type.options) AddTables(*option, path, done, text);
  if (type.form != Form::kObject || !done->insert(&type).second) return;
  *text += fmt::format("### {}: {}\n\n| key | value | meaning |\n|---|---|---|\n", path, type.what);
  for (const Key& key : type.keys) {
    const std::string mark = key.required ? "**" : "";
    *text +=
        fmt::format("| {0}`{1}`{0} | {2} | {3} |\n", mark, key.name, key.type->what, key.sentence);
  }
  *text += "\n";
  for (const Key& key : type.keys) {
    AddTables(*key.type, path + "." + std::string(key.name), done, text);
  }
}

TEST(NativeDocsTest, EveryExampleIsRead) {
  NativeContext context = BuiltinContext();
  context.families = true;
  context.find_technology = [](const std::string& name, const Node&) -> Result<Technology> {
    Technology technology;
    technology.name = name;
    return technology;
  };
  const std::vector<std::string> examples = Examples(Page());
  EXPECT_GE(examples.size(), 8U);
  for (const std::string& example : examples) {
    const auto inputs = ReadNative({{"native-format.md", example}}, context);
    EXPECT_TRUE(inputs) << example << Format(inputs.error());
  }
}

// INLAY_UPDATE_DOCS=1 writes the tables into the page.
TEST(NativeDocsTest, TablesAreTheReadersKeys) {
  std::string tables = "\n";
  std::set<const Type*> done;
  for (const Kind& kind : Kinds()) {
    AddTables(*kind.type, std::string(kind.name), &done, &tables);
  }
  const std::string page = Page();
  const size_t begin = page.find(kBegin) + kBegin.size();
  const size_t end = page.find(kEnd);
  ASSERT_LE(begin, end);
  if (std::getenv("INLAY_UPDATE_DOCS") != nullptr) {
    ASSERT_TRUE(WriteFile(kPage, page.substr(0, begin) + tables + page.substr(end)).has_value());
    return;
  }
  EXPECT_EQ(page.substr(begin, end - begin), tables)
      << "to update the page: INLAY_UPDATE_DOCS=1 golden_tests --gtest_filter='NativeDocs*'";
}

}  // namespace
}  // namespace inlay::io
