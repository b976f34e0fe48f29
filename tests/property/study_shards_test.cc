// However the points of a study are divided, and wherever its journal is cut, the same comes out.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "inlay/io/json/study_journal.h"
#include "inlay/io/json/study_result.h"
#include "inlay/study/merge.h"
#include "inlay/study/study.h"
#include "tests/support/random_case.h"
#include "tests/support/study_files.h"

namespace inlay {
namespace {

namespace fs = std::filesystem;
using testing::CaseCount;
using testing::Pick;
using testing::Random;

class StudyShardsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    io::LoadRecord record;
    auto points = study::PrepareStudy(study_, Deadline(StopFlag()), &record);
    ASSERT_TRUE(points) << Format(points.error());
    points_.emplace(*std::move(points));
    identity_ = {{"study", "0", record.inputs, {}}, OutlineOf(study_)};
    whole_ = Text(Run({}, nullptr));
  }
  void TearDown() override { fs::remove_all(folder_); }

  StudyResult Run(const study::StudyOptions& options, study::Journal* journal) {
    const StopFlag stop;
    auto result = study::RunPoints(study_, *points_, options, stop, journal);
    EXPECT_TRUE(result) << (result ? "" : Format(result.error()));
    result->header = identity_.header;
    return *std::move(result);
  }
  // Opens the journal and runs what is missing of the part.
  StudyResult RunPart(const std::string& path, const StudyPart& part) {
    auto journal = study::Journal::Open(path, identity_, part);
    EXPECT_TRUE(journal) << (journal ? "" : Format(journal.error()));
    study::StudyOptions options;
    options.limit = part.limit;
    options.shard = part.shard;
    return Run(options, &*journal);
  }
  static std::string Text(const StudyResult& result) {
    return testing::Unmeasured(io::WriteStudyResult(result).Whole());
  }
  std::string Path(size_t number) const { return folder_ + "/" + std::to_string(number); }

  const Study study_ = testing::ReadStudy(testing::QuickStudyText());
  std::optional<study::PreparedStudy> points_;
  StudyIdentity identity_;
  std::string whole_;
  const std::string folder_ = ::testing::TempDir() + "inlay-shards-" + std::to_string(::getpid());
};

TEST_F(StudyShardsTest, AnyDivisionMergesToTheWhole) {
  Random random(7);
  for (int64_t k = 0; k < CaseCount(6, 60); ++k) {
    const auto count = static_cast<size_t>(Pick(random, 1, 40));
    std::vector<size_t> order(count);
    for (size_t i = 0; i < count; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<study::NamedJournal> journals;
    for (const size_t shard : order) {
      const std::string path = Path(static_cast<size_t>(k) * 100 + shard);
      RunPart(path, {{shard, count}, std::nullopt});
      auto journal = study::ReadJournal(path);
      ASSERT_TRUE(journal);
      journals.push_back({path, *std::move(journal)});
    }
    const auto merge = study::Merge(journals);
    ASSERT_TRUE(merge) << Format(merge.error());
    EXPECT_EQ(merge->missing, 0U);
    EXPECT_EQ(Text(study::ResultOf(merge->journal)), whole_) << count;
    // Without one of them, its points are missed, and no others.
    const size_t lost = order.back();
    journals.pop_back();
    if (journals.empty()) continue;
    const auto partial = study::Merge(journals);
    ASSERT_TRUE(partial);
    size_t missed = 0;
    for (size_t i = lost; i < points_->size(); i += count) ++missed;
    EXPECT_EQ(partial->missing, missed);
    EXPECT_EQ(partial->first_missing.size(), std::min<size_t>(missed, 5));
    for (const size_t point : partial->first_missing) EXPECT_EQ(point % count, lost);
    EXPECT_EQ(partial->missing_shards.size(), missed > 0 ? 1U : 0U);
  }
}

TEST_F(StudyShardsTest, AJournalCutAnywhereIsGoneOnWith) {
  RunPart(Path(0), {});
  std::string text;
  {
    std::ifstream file(Path(0));
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  Random random(3);
  for (int64_t k = 0; k < CaseCount(8, 100); ++k) {
    const auto size = static_cast<size_t>(Pick(random, 0, static_cast<int64_t>(text.size())));
    std::ofstream(Path(1)) << text.substr(0, size);
    EXPECT_EQ(Text(RunPart(Path(1), {})), whole_) << size;
    const auto journal = study::ReadJournal(Path(1));
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->points.run(), points_->size());
    fs::remove(Path(1));
  }
}

TEST_F(StudyShardsTest, ALimitIsGoneOnFrom) {
  RunPart(Path(0), {{}, 5});
  EXPECT_EQ(study::ReadJournal(Path(0))->points.run(), 5U);
  EXPECT_EQ(Text(RunPart(Path(0), {})), whole_);
}

TEST_F(StudyShardsTest, ContradictionsAndStrangersAreRefused) {
  for (size_t i = 0; i < 2; ++i) RunPart(Path(i), {{}, 2});
  study::NamedJournal a{"a", *study::ReadJournal(Path(0))}, b{"b", *study::ReadJournal(Path(1))};
  EXPECT_TRUE(study::Merge({a, b}));
  const auto error = [&] {
    const auto merge = study::Merge({a, b});
    return merge ? "" : Format(merge.error());
  };
  StudyPoint changed = b.journal.points[1];
  changed.figures.Set("edp", 1);
  b.journal.points.Put(1, changed);
  EXPECT_NE(error().find("b: error: point 2 ("), std::string::npos) << error();
  changed = a.journal.points[1];
  changed.timed = true;  // a time limit explains it
  a.journal.points.Put(1, changed);
  EXPECT_EQ(error(), "");
  b.journal.part.limit = 3;
  EXPECT_NE(error().find("it had --limit 3, the other --limit 2"), std::string::npos) << error();
  b.journal.identity.header.version = "9";
  EXPECT_NE(error().find("does not belong to a: it was inlay 0, now it is 9"), std::string::npos)
      << error();
  auto other = identity_;
  other.header.options = {{"time_limit", int64_t{5}}};
  const auto refused = study::Journal::Open(Path(0), other, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(Format(refused.error()).find("the option 'time_limit' was not given"),
            std::string::npos);
}

// A point that a stop cut short is not finished.
TEST_F(StudyShardsTest, WhatIsStoppedIsRunAgain) {
  auto journal = study::Journal::Open(Path(0), identity_, {});
  ASSERT_TRUE(journal);
  StopFlag stop;
  size_t begun = 0;
  const auto result =
      study::RunPoints(study_, *points_, {}, stop, &*journal, [&](const study::StudyProgress&) {
        if (++begun == 4) stop.Request();
      });
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(study::ReadJournal(Path(0))->points.run(), 3U);
  EXPECT_EQ(Text(RunPart(Path(0), {})), whole_);
}

}  // namespace
}  // namespace inlay
