#include "inlay/study/mpi/company.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/study/mpi/mail.h"

namespace inlay::study::mpi {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{1};
constexpr uint64_t kNothing = std::numeric_limits<int64_t>::max();  // given once the search is over

template <typename T>
std::string TextOf(const std::vector<T>& values) {
  std::string text(values.size() * sizeof(T), '\0');
  std::memcpy(text.data(), values.data(), text.size());
  return text;
}
template <typename T>
std::vector<T> ValuesFrom(const std::string& text) {
  INLAY_CHECK(text.size() % sizeof(T) == 0);
  std::vector<T> values(text.size() / sizeof(T));
  std::memcpy(values.data(), text.data(), text.size());
  return values;
}

// All reports as one, each with its length before it.
CompanyReport AsOne(const std::vector<CompanyReport>& reports) {
  CompanyReport joined;
  for (const CompanyReport& report : reports) {
    joined.push_back(static_cast<int64_t>(report.size()));
    joined.insert(joined.end(), report.begin(), report.end());
  }
  return joined;
}
std::vector<CompanyReport> Split(const CompanyReport& joined) {
  std::vector<CompanyReport> reports;
  for (auto at = joined.begin(); at != joined.end();) {
    const int64_t size = *at++;
    reports.emplace_back(at, at + size);
    at += size;
  }
  return reports;
}

// Rank 0: holds the state that all ranks share. A thread answers the messages of the others.
class LeadingCompany final : public Company {
 public:
  explicit LeadingCompany(int size) : size_(size), clerk_([this] { Serve(); }) {}
  ~LeadingCompany() override {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    clerk_.join();
    for (int rank = 1; rank < size_; ++rank) Send(rank, Word::kBye, "");
    EndMail();
  }

  bool Leads() const override { return true; }
  bool Whole() const override {
    const std::scoped_lock lock(mutex_);
    return !broken_;
  }
  size_t Take() override {
    const std::scoped_lock lock(mutex_);
    return taken_++;
  }
  double Least(double value) override {
    const std::scoped_lock lock(mutex_);
    return least_ = std::min(least_, value);
  }
  std::vector<CompanyReport> Meet(CompanyReport report) override {
    std::unique_lock lock(mutex_);
    if (broken_) return {};
    const size_t round = round_;
    reports_[0] = std::move(report);
    met_.wait(lock, [&] { return round_ > round || broken_; });
    return broken_ ? std::vector<CompanyReport>() : last_;
  }

 private:
  // Answers messages until all other ranks have left and this one ends too.
  void Serve() {
    while (true) {
      const auto letter = Poll();
      const std::scoped_lock lock(mutex_);
      if (letter) Answer(*letter);
      EndRound();
      if (over_ && gone_ + 1 == size_) return;
      if (!letter) std::this_thread::sleep_for(kBetweenLooks);
    }
  }

  void Answer(const Letter& letter) {
    switch (letter.word) {
      case Word::kTake:
        return Send(letter.from, Word::kGiven, TextOf<uint64_t>({over_ ? kNothing : taken_++}));
      case Word::kLeast:
        least_ = std::min(least_, ValuesFrom<double>(letter.text).at(0));
        return Send(letter.from, Word::kGiven, TextOf<double>({least_}));
      case Word::kReport:
        reports_[letter.from] = ValuesFrom<int64_t>(letter.text);
        return;
      case Word::kGone:
        ++gone_;
        return;
      default:
        return;
    }
  }

  // Once all ranks have reported: begins the next round, then sends the reports, so that no request
  // that follows them counts for the old round.
  void EndRound() {
    // A rank has left, and others wait for its report.
    if ((gone_ > 0 || over_) && !reports_.empty()) return Break();
    if (reports_.size() < static_cast<size_t>(size_)) return;
    last_.clear();
    for (auto& [rank, report] : reports_) last_.push_back(std::move(report));
    reports_.clear();
    taken_ = 0;
    least_ = std::numeric_limits<double>::infinity();
    ++round_;
    const std::string all = TextOf<int64_t>(AsOne(last_));
    for (int rank = 1; rank < size_; ++rank) Send(rank, Word::kReports, all);
    met_.notify_all();
  }

  // Ends the wait of all ranks that have reported: the round cannot be completed.
  void Break() {
    broken_ = true;
    for (const auto& [rank, report] : reports_) {
      if (rank != 0) Send(rank, Word::kReports, "");
    }
    reports_.clear();
    met_.notify_all();
  }

  const int size_;
  mutable std::mutex mutex_;
  std::condition_variable met_;
  size_t taken_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  std::map<int, CompanyReport> reports_;  // of this round, by rank
  std::vector<CompanyReport> last_;       // of the last round
  size_t round_ = 0;
  int gone_ = 0;
  bool broken_ = false, over_ = false;
  std::thread clerk_;
};

// Any other rank.
class FollowingCompany final : public Company {
 public:
  FollowingCompany() = default;
  ~FollowingCompany() override {
    // MPI_Finalize polls at full load until all ranks call it: so this rank first waits for kBye,
    // while the leader still works.
    Ask(Word::kGone, "", Word::kBye);
    EndMail();
  }

  bool Leads() const override { return false; }
  size_t Take() override {
    return static_cast<size_t>(ValuesFrom<uint64_t>(Ask(Word::kTake, "", Word::kGiven)).at(0));
  }
  double Least(double value) override {
    return ValuesFrom<double>(Ask(Word::kLeast, TextOf<double>({value}), Word::kGiven)).at(0);
  }
  std::vector<CompanyReport> Meet(CompanyReport report) override {
    return Split(ValuesFrom<int64_t>(Ask(Word::kReport, TextOf(report), Word::kReports)));
  }

 private:
  // Sends a request and waits for the answer; one thread at a time.
  std::string Ask(Word word, const std::string& text, Word answer) {
    const std::scoped_lock lock(mutex_);
    Send(0, word, text);
    while (true) {
      auto letter = Poll();
      if (letter && letter->word == answer) return std::move(letter->text);
      if (!letter) std::this_thread::sleep_for(kBetweenLooks);
    }
  }

  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<Company> JoinCompany() {
  BeginMail();
  if (OwnRank() == 0) return std::make_unique<LeadingCompany>(RankCount());
  return std::make_unique<FollowingCompany>();
}

}  // namespace inlay::study::mpi
