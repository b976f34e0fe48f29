#include "inlay/study/mpi/mpi_search_group.h"

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
#include "inlay/study/mpi/messages.h"

namespace inlay::study::mpi {
namespace {

constexpr std::chrono::milliseconds kPollInterval{1};
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
GroupMessage Joined(const std::vector<GroupMessage>& reports) {
  GroupMessage joined;
  for (const GroupMessage& report : reports) {
    joined.push_back(static_cast<int64_t>(report.size()));
    joined.insert(joined.end(), report.begin(), report.end());
  }
  return joined;
}
std::vector<GroupMessage> Split(const GroupMessage& joined) {
  std::vector<GroupMessage> reports;
  for (auto at = joined.begin(); at != joined.end();) {
    const int64_t size = *at++;
    reports.emplace_back(at, at + size);
    at += size;
  }
  return reports;
}

// Rank 0: holds the state that all ranks share. A thread answers the messages of the others.
class LeaderGroup final : public SearchGroup {
 public:
  explicit LeaderGroup(int size) : size_(size), server_([this] { Serve(); }) {}
  ~LeaderGroup() override {
    {
      const std::scoped_lock lock(mutex_);
      over_ = true;
    }
    server_.join();
    for (int rank = 1; rank < size_; ++rank) Send(rank, MessageKind::kExit, "");
    FinalizeMpi();
  }

  bool IsLeader() const override { return true; }
  bool IsWhole() const override {
    const std::scoped_lock lock(mutex_);
    return !broken_;
  }
  size_t TakeNext() override {
    const std::scoped_lock lock(mutex_);
    return taken_++;
  }
  double ShareMinimum(double value) override {
    const std::scoped_lock lock(mutex_);
    return least_ = std::min(least_, value);
  }
  std::vector<GroupMessage> Exchange(GroupMessage report) override {
    std::unique_lock lock(mutex_);
    if (broken_) return {};
    const size_t round = round_;
    reports_[0] = std::move(report);
    met_.wait(lock, [&] { return round_ > round || broken_; });
    return broken_ ? std::vector<GroupMessage>() : last_;
  }

 private:
  // Answers messages until all other ranks have left and this one ends too.
  void Serve() {
    while (true) {
      const auto message = Poll();
      const std::scoped_lock lock(mutex_);
      if (message) Answer(*message);
      EndRound();
      if (over_ && left_ + 1 == size_) return;
      if (!message) std::this_thread::sleep_for(kPollInterval);
    }
  }

  void Answer(const Message& message) {
    switch (message.kind) {
      case MessageKind::kTake:
        return Send(message.from, MessageKind::kGiven,
                    TextOf<uint64_t>({over_ ? kNothing : taken_++}));
      case MessageKind::kLeast:
        least_ = std::min(least_, ValuesFrom<double>(message.text).at(0));
        return Send(message.from, MessageKind::kGiven, TextOf<double>({least_}));
      case MessageKind::kReport:
        reports_[message.from] = ValuesFrom<int64_t>(message.text);
        return;
      case MessageKind::kLeft:
        ++left_;
        return;
      default:
        return;
    }
  }

  // Once all ranks have reported: begins the next round, then sends the reports, so that no request
  // that follows them counts for the old round.
  void EndRound() {
    // A rank has left, and others wait for its report.
    if ((left_ > 0 || over_) && !reports_.empty()) return Break();
    if (reports_.size() < static_cast<size_t>(size_)) return;
    last_.clear();
    for (auto& [rank, report] : reports_) last_.push_back(std::move(report));
    reports_.clear();
    taken_ = 0;
    least_ = std::numeric_limits<double>::infinity();
    ++round_;
    const std::string all = TextOf<int64_t>(Joined(last_));
    for (int rank = 1; rank < size_; ++rank) Send(rank, MessageKind::kReports, all);
    met_.notify_all();
  }

  // Ends the wait of all ranks that have reported: the round cannot be completed.
  void Break() {
    broken_ = true;
    for (const auto& [rank, report] : reports_) {
      if (rank != 0) Send(rank, MessageKind::kReports, "");
    }
    reports_.clear();
    met_.notify_all();
  }

  const int size_;
  mutable std::mutex mutex_;
  std::condition_variable met_;
  size_t taken_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  std::map<int, GroupMessage> reports_;  // of this round, by rank
  std::vector<GroupMessage> last_;       // of the last round
  size_t round_ = 0;
  int left_ = 0;
  bool broken_ = false, over_ = false;
  std::thread server_;
};

// Any other rank.
class FollowerGroup final : public SearchGroup {
 public:
  FollowerGroup() = default;
  ~FollowerGroup() override {
    // MPI_Finalize polls at full load until all ranks call it: so this rank first waits for kExit,
    // while the leader still works.
    Ask(MessageKind::kLeft, "", MessageKind::kExit);
    FinalizeMpi();
  }

  bool IsLeader() const override { return false; }
  size_t TakeNext() override {
    return static_cast<size_t>(
        ValuesFrom<uint64_t>(Ask(MessageKind::kTake, "", MessageKind::kGiven)).at(0));
  }
  double ShareMinimum(double value) override {
    return ValuesFrom<double>(
               Ask(MessageKind::kLeast, TextOf<double>({value}), MessageKind::kGiven))
        .at(0);
  }
  std::vector<GroupMessage> Exchange(GroupMessage report) override {
    return Split(
        ValuesFrom<int64_t>(Ask(MessageKind::kReport, TextOf(report), MessageKind::kReports)));
  }

 private:
  // Sends a request and waits for the answer; one thread at a time.
  std::string Ask(MessageKind kind, const std::string& text, MessageKind answer) {
    const std::scoped_lock lock(mutex_);
    Send(0, kind, text);
    while (true) {
      auto message = Poll();
      if (message && message->kind == answer) return std::move(message->text);
      if (!message) std::this_thread::sleep_for(kPollInterval);
    }
  }

  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<SearchGroup> JoinSearchGroup() {
  InitMpi();
  if (OwnRank() == 0) return std::make_unique<LeaderGroup>(RankCount());
  return std::make_unique<FollowerGroup>();
}

}  // namespace inlay::study::mpi
