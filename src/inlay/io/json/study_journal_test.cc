#include "inlay/io/json/study_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace inlay::io {
namespace {

using ::testing::HasSubstr;

// With something in every field.
StudyJournal Example() {
  StudyJournal journal;
  StudyIdentity& identity = journal.identity;
  identity.header = {"study",
                     "1.0",
                     {{"study", "s.yaml", "0123"}, {"arch", "eyeriss", "4567"}},
                     {{"time_limit", int64_t{1500}}}};
  identity.outline.name = "a \"name\"\nof two lines";
  identity.outline.grids = {
      {"map", {StudyAxis::OfTexts("arch", {"x", "ÿ"}), StudyAxis::OfTexts("seed", {"1"})}, "", {}},
      {"batch", {StudyAxis::OfTexts("number", {"1", "2"})}, "number", {}}};
  identity.outline.figure = StudyFigure{"arch", "edp", {"seed"}, true};
  StudyClaim claim;
  claim.what = "w";
  claim.of = {{"arch", "x"}};
  claim.against = {{"arch", "ÿ"}};
  claim.over = StudyClaim::Over::kLayers;
  claim.show = StudyClaim::Show::kRatio;
  claim.take = StudyClaim::Take::kMax;
  claim.note = "n";
  claim.reach = 0.1 + 0.2;
  claim.along = "seed";
  identity.outline.claims = {claim, StudyClaim{}};
  journal.part = {{1, 3}, 2};
  journal.points = StudyPoints(identity.outline);
  StudyPoint point;
  point.settings = {{"arch", "ÿ"}, {"seed", "1"}};
  point.status = PointStatus::kCut;
  point.timed = true;
  point.proof =
      StudyCertificate{CertificateStatus::kBounded, 1.0 / 3, {Metric::kEnergy, Metric::kEdp}};
  point.figures.Set("edp", 1e300 / 7);
  point.figures.Set("cycles", 9007199254740993.0);
  point.figures.Set("zero", 0);
  point.figures.Set("endless", std::numeric_limits<double>::infinity());
  point.figures.Set("less", -std::numeric_limits<double>::infinity());
  point.figures.texts = {{"edp", "123456789012345678901234567890"}};
  StudyFigures of_layer;
  of_layer.Set("tiny", std::numeric_limits<double>::denorm_min());
  point.layers = {{"l", 3, of_layer, StudyCertificate{}}, {"m", 1, {}, {}}};
  point.reasons = {"because", ""};
  point.seconds = 0.1;
  journal.points.Put(1, point);
  StudyPoint batch;
  batch.settings = {{"number", "1"}};
  batch.status = PointStatus::kDone;
  BatchPolicyResult policy;
  policy.name = "lazy";
  policy.deadlocked = true;
  policy.holders = {"a holds b"};
  policy.makespan_cycles = 7;
  policy.throughput_per_s = 1.0 / 3;
  policy.latency = LatencyFigures{1, 2, 3, 4, 5.5};
  policy.by_workload = {{1, 2, 3, 4, 5}};
  policy.plan = {"p"};
  batch.batch = BatchFigures{{policy}, 1, 2, 3};
  journal.points.Put(2, batch);
  return journal;
}

JournalText MustRead(const std::string& text) {
  auto journal = ReadStudyJournal({"j", text});
  EXPECT_TRUE(journal) << (journal ? "" : Format(journal.error()));
  return journal ? *std::move(journal) : JournalText{};
}

std::string ErrorOf(const std::string& text) {
  const auto journal = ReadStudyJournal({"j", text});
  return journal ? "" : Format(journal.error());
}

TEST(StudyJournalJsonTest, NothingIsLost) {
  const StudyJournal journal = Example();
  const std::string text = WriteStudyJournal(journal).Whole();
  const JournalText read = MustRead(text);
  ASSERT_TRUE(read.journal);
  EXPECT_EQ(read.whole, text.size());
  EXPECT_EQ(read.journal->identity.header, journal.identity.header);
  EXPECT_EQ(read.journal->identity.outline, journal.identity.outline);
  EXPECT_EQ(read.journal->part, journal.part);
  ASSERT_EQ(read.journal->points.run(), journal.points.run());
  journal.points.ForEachRun([&](size_t index, const StudyPoint& point) {
    EXPECT_TRUE(SameAnswer(read.journal->points[index], point)) << index;
    EXPECT_EQ(read.journal->points[index].seconds, point.seconds);
  });
  EXPECT_EQ(WriteStudyJournal(*read.journal).Whole(), text);
}

TEST(StudyJournalJsonTest, NotANumberStaysOne) {
  StudyJournal journal = Example();
  StudyPoint strange = journal.points[1];
  strange.figures.Set("nan", std::nan(""));
  journal.points.Put(1, strange);
  const JournalText read = MustRead(WriteStudyJournal(journal).Whole());
  EXPECT_TRUE(std::isnan(*read.journal->points[1].figures.Find("nan")));
}

// A process that is killed while it writes a line loses that line and no other.
TEST(StudyJournalJsonTest, CutAnywhere) {
  const StudyJournal journal = Example();
  const std::string text = WriteStudyJournal(journal).Whole();
  for (size_t size = 0; size <= text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const JournalText read = MustRead(cut);
    const size_t end = cut.rfind('\n');
    EXPECT_EQ(read.whole, end == std::string::npos ? 0 : end + 1);
    EXPECT_EQ(read.journal.has_value(), read.whole > 0);
  }
}

// No byte can change unnoticed, but in what is cut off.
TEST(StudyJournalJsonTest, ChangedAnywhere) {
  const StudyJournal journal = Example();
  const std::string text = WriteStudyJournal(journal).Whole();
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    EXPECT_THAT(ErrorOf(changed), HasSubstr("j:")) << i;
  }
}

TEST(StudyJournalJsonTest, ErrorsNameTheLine) {
  const StudyJournal journal = Example();
  const std::string identity = WriteJournalLine(journal.identity);
  const StudyPoint point = journal.points[1];
  EXPECT_THAT(ErrorOf("{}\n"), HasSubstr("j:1: error: this line of the journal is not as it was"));
  EXPECT_THAT(ErrorOf(identity + "\n"), HasSubstr("j:2: error: "));
  EXPECT_THAT(ErrorOf(identity + WriteJournalLine(0, point)),
              HasSubstr("j:2: error: the study has no point 1 of ÿ, 1"));
  EXPECT_THAT(ErrorOf(identity + WriteJournalLine(99, point)), HasSubstr("no point 100"));
  StudyPoint other = journal.points[2];
  other.reasons = {"another"};
  EXPECT_THAT(
      ErrorOf(identity + WriteJournalLine(2, journal.points[2]) + WriteJournalLine(2, other)),
      HasSubstr("j:3: error: point 3 is there twice"));
  EXPECT_EQ(ErrorOf(identity + WriteJournalLine(2, other) + WriteJournalLine(2, other)), "");
  EXPECT_THAT(ErrorOf(WriteJournalLine(1, point)), HasSubstr("j:1:1: error: format: missing"));
}

TEST(StudyJournalJsonTest, ALineCanBeSentAlone) {
  const StudyJournal journal = Example();
  const auto read = ReadJournalPoint({"l", WriteJournalLine(1, journal.points[1])});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->first, 1U);
  EXPECT_TRUE(SameAnswer(read->second, journal.points[1]));
}

// As many labels as can be listed are; more are written as what they are put together of.
TEST(StudyJournalJsonTest, LongAxesStayShort) {
  StudyIdentity identity;
  identity.outline.name = "s";
  StudyEntry seeds;
  seeds.choices.emplace_back().values.AddRange(1, 100'000);
  StudyEntry arrays{"toy", {{"x", {}}, {"y", {}}}};
  arrays.choices[0].values.Add("a b");
  arrays.choices[0].values.AddRange(-3, 40'000);
  arrays.choices[1].values.AddRange(7, 8);
  StudyAxis seed("seed"), arch("arch");
  seed.Add(seeds);
  arch.Add(arrays);
  arch.Add(StudyEntry::Text("eyeriss"));
  identity.outline.grids = {{"map", {seed, arch}, "", {}}};
  const std::string line = WriteJournalLine(identity);
  EXPECT_LT(line.size(), 1000U);
  const JournalText read = MustRead(line);
  ASSERT_TRUE(read.journal);
  EXPECT_EQ(read.journal->identity.outline, identity.outline);
  EXPECT_EQ(read.journal->points.SettingsOf(80'010 + 3),
            (StudyFilter{{"seed", "2"}, {"arch", "toy x=-3 y=7"}}));
}

}  // namespace
}  // namespace inlay::io
