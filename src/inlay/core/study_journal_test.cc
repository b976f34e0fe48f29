#include "inlay/core/study_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inlay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Of settings that only their builder knows.
StudyAxis Axis(const std::string& name, const std::vector<std::string>& labels) {
  StudyAxis axis(name);
  for (const std::string& label : labels) {
    StudyEntry entry = StudyEntry::Text(label);
    entry.build = [](const std::vector<size_t>&, const std::string& of) -> Result<StudySetting> {
      return StudySetting{of, "text of " + of};
    };
    axis.Add(std::move(entry));
  }
  return axis;
}

TEST(StudyShardTest, IsWrittenFromOne) {
  EXPECT_EQ(StudyShardFromText("1/1"), (StudyShard{0, 1}));
  EXPECT_EQ(StudyShardFromText("4/4"), (StudyShard{3, 4}));
  EXPECT_EQ(TextOf(StudyShard{3, 4}), "4/4");
  for (const char* text : {"", "x", "1", "/", "0/4", "5/4", "1/0", "-1/4", "1/-4", "+1/4", "1/4x",
                           "1 /4", "1/4/4", "1.5/4", "99999999999999999999/99999999999999999999"}) {
    EXPECT_EQ(StudyShardFromText(text), std::nullopt) << text;
  }
}

// Every point belongs to one shard.
TEST(StudyShardTest, DealsOut) {
  for (size_t count = 1; count < 9; ++count) {
    for (size_t point = 0; point < 40; ++point) {
      size_t holders = 0;
      for (size_t index = 0; index < count; ++index) {
        holders += static_cast<size_t>(StudyShard{index, count}.Holds(point));
      }
      EXPECT_EQ(holders, 1U);
    }
  }
}

TEST(StudyJournalTest, PointsComeInOrder) {
  Study study;
  study.grids = {{"map", {Axis("a", {"1", "2"}), Axis("b", {"x", "y", "z"})}, "", {}},
                 {"map", {Axis("a", {"1", "2"}), Axis("b", {"x", "y", "z"})}, "b", {}}};
  std::vector<std::string> order;
  const StudyNumbers numbers(study);
  for (size_t i = 0; i < numbers.size(); ++i) order.push_back(Describe(numbers.SettingsOf(i)));
  EXPECT_THAT(order,
              ElementsAre("1, x", "1, y", "1, z", "2, x", "2, y", "2, z", "1, x", "2, y", "1, z"));
}

StudyIdentity Identity() {
  StudyIdentity identity;
  identity.header = {"study", "1.0", {{"study", "s.yaml", "aa"}, {"arch", "e", "bb"}}, {}};
  identity.outline.name = "s";
  identity.outline.grids = {{"map", {Axis("a", {"1", "2"})}, "", {}}};
  identity.outline = OutlineOf(identity.outline);
  return identity;
}

TEST(StudyJournalTest, AnOutlineHasLabelsAlone) {
  const StudyIdentity identity = Identity();
  const StudyAxis& axis = identity.outline.grids[0].axes[0];
  EXPECT_EQ(Axis("a", {"1", "2"}).At(1)->text, "text of 2");
  EXPECT_EQ(axis.At(1)->text, "2");
  EXPECT_EQ(axis, Axis("a", {"1", "2"}));
}

TEST(StudyJournalTest, SaysWhatDiffers) {
  const StudyIdentity before = Identity();
  EXPECT_THAT(DifferencesOf(before, Identity()), IsEmpty());
  StudyIdentity now = Identity();
  now.header.inputs[0].name = "../s.yaml";  // read from elsewhere
  EXPECT_THAT(DifferencesOf(before, now), IsEmpty());
  now.header.version = "2.0";
  now.header.inputs[1].hash = "cc";
  now.header.options = {{"time_limit", int64_t{1000}}};
  now.outline.name = "t";
  EXPECT_THAT(DifferencesOf(before, now),
              ElementsAre("it was the study 's', now it is 't'", "it was inlay 1.0, now it is 2.0",
                          "the option 'time_limit' was not given, now it is '1000'",
                          "the content of 'e' (arch) has changed"));
  now = Identity();
  now.header.inputs.pop_back();
  EXPECT_THAT(DifferencesOf(before, now), ElementsAre("it was made of 2 inputs, now there are 1"));
  now = Identity();
  now.outline.grids[0].axes[0] = Axis("a", {"1"});
  EXPECT_THAT(DifferencesOf(before, now), ElementsAre(HasSubstr("its grids")));
}

TEST(StudyJournalTest, TheSameAnswerWhateverWasMeasured) {
  StudyPoint a, b;
  a.batch = b.batch = BatchFigures{{BatchPolicyResult{}}, 1, 2, 3};
  b.seconds = 7;
  b.batch->policies[0].seconds = 8;
  EXPECT_TRUE(SameAnswer(a, b));
  b.batch->policies[0].splits = 1;
  EXPECT_FALSE(SameAnswer(a, b));
  b = a;
  b.figures.Set("edp", 1);
  EXPECT_FALSE(SameAnswer(a, b));
}

}  // namespace
}  // namespace inlay
