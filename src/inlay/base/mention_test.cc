#include "inlay/base/mention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "inlay/base/diagnostic.h"

namespace inlay {
namespace {

TEST(MentionTest, IsSpelledAsItsReadersWrite) {
  const std::string sentence = "give " + Mention("time_limit", "60s") + " or leave out " +
                               Mention("seed") + "; " + MentionListOf("mixes") + " lists them";
  EXPECT_EQ(Spell(sentence),
            "give --time-limit 60s or leave out --seed; 'inlay list mixes' lists them");
  EXPECT_EQ(Spell(sentence, kSettingSpelling),
            "give time_limit: 60s or leave out seed; 'inlay list mixes' lists them");
}

TEST(MentionTest, ValuesWithBlanksAreQuoted) {
  EXPECT_EQ(Spell(Mention("memory", "20 MiB")), "--memory \"20 MiB\"");
}

TEST(MentionTest, OtherTextStaysAsItIs) {
  for (const std::string text : {"", "--seed", "a 'b' c=d", "\x05\x1f"})
    EXPECT_EQ(Spell(text), text);
}

// What is cut anywhere leaves no mark behind.
TEST(MentionTest, MarksThatAreCutEndWithTheText) {
  const std::string whole = Mention("seed", "7");
  for (size_t size = 1; size <= whole.size(); ++size) {
    const std::string spelt = Spell(whole.substr(0, size));
    EXPECT_EQ(spelt.find_first_of(std::string("\x01\x02\x03\x04")), std::string::npos) << size;
    EXPECT_THAT(spelt, testing::StartsWith("--"));
  }
}

TEST(MentionTest, DiagnosticsArePrintedWithFlags) {
  EXPECT_EQ(Format(MakeError({}, Mention("seed") + ": no", "add " + Mention("strategy", "exact"))),
            "error: --seed: no\n  hint: add --strategy exact\n");
}

}  // namespace
}  // namespace inlay
