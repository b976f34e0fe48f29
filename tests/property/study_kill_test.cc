// kill -9 at random instants: what is resumed comes to what was never interrupted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "inlay/study/journal.h"
#include "tests/support/paths.h"
#include "tests/support/random_case.h"
#include "tests/support/study_files.h"

namespace inlay {
namespace {

namespace fs = std::filesystem;
using testing::CaseCount;
using testing::Pick;
using testing::Random;
using Clock = std::chrono::steady_clock;

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class StudyKillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/study.yaml") << testing::QuickStudyText();
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Starts `inlay study ... -o out`, which continues what is there.
  pid_t Start(const std::string& out) const {
    const std::string study = folder_ + "/study.yaml", path = folder_ + "/" + out;
    const pid_t child = fork();
    if (child != 0) return child;
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    execl(INLAY_BINARY, "inlay", "study", study.c_str(), "-o", path.c_str(), "--resume",
          "--threads", "1", nullptr);
    _exit(127);
  }
  static int Wait(pid_t child) {
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }

  const std::string folder_ = ::testing::TempDir() + "inlay-kill-" + std::to_string(::getpid());
};

TEST_F(StudyKillTest, ResumedIsAsUninterrupted) {
  const auto begin = Clock::now();
  ASSERT_EQ(Wait(Start("whole")), 0);
  const auto length =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count();
  const std::string whole = testing::Unmeasured(TextOf(folder_ + "/whole/result.json"));
  const std::string summary = TextOf(folder_ + "/whole/summary.txt");
  const std::string journal = folder_ + "/out/journal.jsonl";
  Random random(1);
  int64_t killed = 0, midway = 0;
  for (int64_t k = 0; killed < CaseCount(6, 50); ++k) {
    ASSERT_LT(k, 1000) << "the study is over before it can be killed";
    std::string before;
    for (int64_t kills = Pick(random, 1, 3); kills > 0; --kills) {
      const pid_t child = Start("out");
      std::this_thread::sleep_for(std::chrono::microseconds(Pick(random, 0, length)));
      kill(child, SIGKILL);
      killed += WIFSIGNALED(Wait(child)) ? 1 : 0;
      // What was whole before is still there, and only grew.
      const std::string now = TextOf(journal);
      const std::string kept = before.substr(0, before.rfind('\n') + 1);
      EXPECT_EQ(now.substr(0, kept.size()), kept);
      before = now;
    }
    if (!before.empty()) {
      const auto known = study::ReadJournal(journal);
      midway += known && known->points.run() > 0 ? 1 : 0;
    }
    ASSERT_EQ(Wait(Start("out")), 0);
    EXPECT_EQ(testing::Unmeasured(TextOf(folder_ + "/out/result.json")), whole);
    EXPECT_EQ(TextOf(folder_ + "/out/summary.txt"), summary);
    // Each point once, in one line.
    std::set<std::string> points;
    std::ifstream lines(journal);
    for (std::string line; std::getline(lines, line);) {
      const size_t point = line.find("\"point\":");
      if (point != 31) continue;
      EXPECT_TRUE(points.insert(line.substr(point, line.find(',', point) - point)).second) << line;
    }
    EXPECT_EQ(points.size(), study::ReadJournal(journal)->points.run());
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_ + "/out")) {
      files.insert(entry.path().filename().string());
    }
    EXPECT_EQ(files, (std::set<std::string>{"journal.jsonl", "result.json", "summary.txt"}));
    fs::remove_all(folder_ + "/out");
  }
  EXPECT_GT(midway, 0);
}

}  // namespace
}  // namespace inlay
