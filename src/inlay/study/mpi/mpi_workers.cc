#include "inlay/study/mpi/mpi_workers.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "inlay/base/check.h"
#include "inlay/base/deadline.h"
#include "inlay/io/file.h"
#include "inlay/io/json/study_journal.h"
#include "inlay/study/mpi/messages.h"
#include "inlay/study/mpi/point_runner.h"

namespace inlay::study::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPollInterval{1};
constexpr std::chrono::seconds kAliveInterval{1};  // of kAlive messages
constexpr std::chrono::seconds kSilenceLimit{20};  // after which a rank counts as dead
constexpr const char* kLost = "lost";

struct Order {
  uint64_t index = 0;
  double seconds = -1;  // less than 0: no limit
};
std::string TextOf(const Order& order) {
  std::string text(sizeof order, '\0');
  std::memcpy(text.data(), &order, sizeof order);
  return text;
}
Order OrderFrom(const std::string& text) {
  Order order;
  INLAY_CHECK(text.size() == sizeof order);
  std::memcpy(&order, text.data(), sizeof order);
  return order;
}

std::string Fingerprint(const StudyIdentity& identity) {
  return io::ContentHash(io::WriteJournalLine(identity));
}

// The leader's side of one study.
class Leader {
 public:
  Leader(const Study& study, const PreparedStudy& points, const StudyOptions& options,
         const StopFlag& stop, Journal* journal, const StudyProgressSink& progress)
      : points_(points),
        options_(options),
        stop_(stop),
        journal_(journal),
        progress_(progress),
        deadline_(stop, options.time_limit_seconds),
        answers_(journal != nullptr ? journal->TakePoints() : StudyPoints(OutlineOf(study))),
        due_(answers_, options) {
    state_.points = due_.all();
    state_.done = state_.earlier = due_.all() - due_.left();
  }

  // Runs until every rank below `ranks` has sent kLeft or is dead. `expected`: the fingerprint of
  // the study, which every rank must have read.
  Result<StudyPoints> Run(int ranks, const std::string& expected) {
    for (int rank = 1; rank < ranks; ++rank) last_message_[rank] = Clock::now();
    while (!last_message_.empty() || !runner_.idle() || CanGo()) {
      if (Ends()) EndEarly();
      bool busy = false;
      while (const auto message = Poll()) {
        busy = true;
        Read(*message, expected);
      }
      if (const auto answer = runner_.Take()) {
        busy = true;
        Note(answer->index, answer->point, runner_.stopped());
      }
      if (runner_.idle() && CanGo()) {
        const RunLimits limits = LimitsOfNext();
        const size_t index = TakeNext();
        runner_.Begin(index, points_.At(index), limits);
      }
      if (busy) continue;
      DropSilentRanks();
      std::this_thread::sleep_for(kPollInterval);
    }
    for (int rank = 1; rank < ranks; ++rank) {
      if (!dead_.contains(rank)) Send(rank, MessageKind::kExit, lost() ? kLost : "");
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    return std::move(answers_);
  }

  bool lost() const { return !dead_.empty(); }

 private:
  bool Ends() const { return stop_.Requested() || !errors_.empty(); }
  bool CanGo() const { return Left() > 0 && !Ends() && !deadline_.Passed(); }
  size_t Left() const { return due_.left() + returned_.size(); }

  // Threads and seconds for the next point: the points left share the time left evenly, as many at
  // a time as processes are at work.
  RunLimits LimitsOfNext() const {
    RunLimits limits{options_.threads, std::nullopt};
    if (options_.time_limit_seconds) {
      const double left = *options_.time_limit_seconds - deadline_.SecondsSinceStart();
      const auto processes = static_cast<double>(working_.size() + 1);
      const double share = processes / static_cast<double>(Left());
      limits.seconds = ShareOf(left, share);
    }
    return limits;
  }

  // Takes the next point of those that are due.
  size_t TakeNext() {
    size_t index = 0;
    if (returned_.empty()) {
      index = *due_.Next();
    } else {
      index = returned_.front();
      returned_.pop_front();
    }
    state_.now = Describe(answers_.SettingsOf(index));
    if (progress_) progress_(state_);
    return index;
  }

  void EndEarly() {
    runner_.Stop();
    for (const int rank : std::set<int>(working_)) EndWork(rank);
  }

  // Sends kNoMore once to a rank that has come; it cuts the point that it runs short.
  void EndWork(int rank) {
    if (working_.erase(rank) > 0) Send(rank, MessageKind::kNoMore, "");
  }

  // Counts ranks as dead that were silent for kSilenceLimit, and puts their points back. Only of
  // use where mpirun goes on without a process that died (--enable-recovery).
  void DropSilentRanks() {
    const auto now = Clock::now();
    for (auto rank = last_message_.begin(); rank != last_message_.end();) {
      if (now - rank->second < kSilenceLimit) {
        ++rank;
        continue;
      }
      dead_.insert(rank->first);
      working_.erase(rank->first);
      if (const auto running = running_.find(rank->first); running != running_.end()) {
        returned_.push_front(running->second);
        running_.erase(running);
      }
      rank = last_message_.erase(rank);
    }
  }

  // A message of a rank that counts as dead but was only slow: its point was put back, so what it
  // found is dropped and it gets kNoMore.
  void AnswerDead(const Message& message) {
    if (message.kind == MessageKind::kLeft) return Send(message.from, MessageKind::kExit, kLost);
    if (message.kind != MessageKind::kAlive) Send(message.from, MessageKind::kNoMore, "");
  }

  void Read(const Message& message, const std::string& expected) {
    if (dead_.contains(message.from)) return AnswerDead(message);
    last_message_[message.from] = Clock::now();
    switch (message.kind) {
      case MessageKind::kReady:
        if (message.text != expected) {
          errors_.push_back(MakeError(
              {},
              "process " + std::to_string(message.from) + " of mpirun " +
                  (message.text.empty() ? "cannot read the study" : "has read another study"),
              "all need the same files and the same inlay"));
        }
        working_.insert(message.from);
        return Answer(message);
      case MessageKind::kDone:
      case MessageKind::kReturn: {
        const auto line = io::ReadJournalPoint({"a worker", message.text});
        INLAY_CHECK(line);  // written by WriteJournalLine of the worker
        running_.erase(message.from);
        Note(line->first, line->second, message.kind == MessageKind::kReturn);
        return Answer(message);
      }
      case MessageKind::kLeft:
        last_message_.erase(message.from);
        return;
      default:
        return;
    }
  }

  // Gives the sender, which is idle, its next point, or kNoMore.
  void Answer(const Message& message) {
    if (message.kind == MessageKind::kReturn || !CanGo()) return EndWork(message.from);
    const RunLimits limits = LimitsOfNext();
    const size_t index = TakeNext();
    running_[message.from] = index;
    Send(message.from, MessageKind::kRun, TextOf(Order{index, limits.seconds.value_or(-1)}));
  }

  void Note(size_t index, const StudyPoint& point, bool cut) {
    if (cut) {
      answers_.Put(index, point);
      if (!Ends()) returned_.push_front(index);  // for another rank
      return;
    }
    ++state_.done;
    if (journal_ == nullptr || !errors_.empty()) return answers_.Put(index, point);
    auto added = journal_->Add(index, point, &answers_);
    if (!added) errors_ = std::move(added.error());
  }

  const PreparedStudy& points_;
  const StudyOptions& options_;
  const StopFlag& stop_;
  Journal* journal_;
  const StudyProgressSink& progress_;
  Deadline deadline_;
  StudyPoints answers_;
  DuePoints due_;
  std::deque<size_t> returned_;  // points handed back, or lost with a dead rank
  StudyProgress state_;
  std::set<int> working_;          // ranks that have sent kReady and have not got kNoMore
  std::map<int, size_t> running_;  // by rank: the point that it runs
  std::map<int, Clock::time_point> last_message_;  // by rank, not left: its last message
  std::set<int> dead_;
  Diagnostics errors_;
  PointRunner runner_;
};

class ConnectedWorkers : public MpiWorkers {
 public:
  ConnectedWorkers() {
    InitMpi();
    rank_ = OwnRank();
    size_ = RankCount();
  }
  ~ConnectedWorkers() override {
    if (IsLeader() && !led_) EndAll();
    if (!lost_) FinalizeMpi();  // it would wait for dead ranks
  }

  bool IsLeader() const override { return rank_ == 0; }
  int Size() const override { return size_; }

  Result<StudyResult> Lead(const StudyIdentity& identity, const Study& study,
                           const PreparedStudy& points, const StudyOptions& options,
                           const StopFlag& stop, Journal* journal,
                           const StudyProgressSink& progress) override {
    led_ = true;
    Leader leader(study, points, options, stop, journal, progress);
    auto answers = leader.Run(size_, Fingerprint(identity));
    lost_ = leader.lost();
    if (!answers) return Fail(std::move(answers.error()));
    StudyResult result = Conclude(study, *std::move(answers));
    result.interrupted = stop.Requested();
    return result;
  }

  void Follow(const StudyIdentity* identity, const PreparedStudy* points, int threads,
              const StopFlag& stop) override {
    Send(0, MessageKind::kReady, identity == nullptr ? "" : Fingerprint(*identity));
    PointRunner runner;
    Clock::time_point last_sign = Clock::now();
    for (bool no_more = false; !no_more || !runner.idle();) {
      if (stop.Requested() || no_more) runner.Stop();
      if (Clock::now() - last_sign >= kAliveInterval) {
        Send(0, MessageKind::kAlive, "");
        last_sign = Clock::now();
      }
      const auto message = Poll();
      if (message && message->kind == MessageKind::kNoMore) no_more = true;
      if (message && message->kind == MessageKind::kRun) {
        const Order order = OrderFrom(message->text);
        RunLimits limits{threads, std::nullopt};
        if (order.seconds >= 0) limits.seconds = order.seconds;
        runner.Begin(order.index, points->At(order.index), limits);
      }
      if (const auto answer = runner.Take()) {
        Send(0, runner.stopped() ? MessageKind::kReturn : MessageKind::kDone,
             io::WriteJournalLine(answer->index, answer->point));
      } else if (!message) {
        std::this_thread::sleep_for(kPollInterval);
      }
    }
    Send(0, MessageKind::kLeft, "");
    while (true) {
      const auto message = Poll();
      if (message && message->kind == MessageKind::kExit) {
        lost_ = message->text == kLost;
        return;
      }
      if (!message) std::this_thread::sleep_for(kPollInterval);
    }
  }

 private:
  // Sends every rank kNoMore: there is no study to run.
  void EndAll() const {
    for (int left = 1; left < size_;) {
      const auto message = Poll();
      if (!message) {
        std::this_thread::sleep_for(kPollInterval);
        continue;
      }
      if (message->kind == MessageKind::kReady) Send(message->from, MessageKind::kNoMore, "");
      if (message->kind != MessageKind::kLeft) continue;
      Send(message->from, MessageKind::kExit, "");
      ++left;
    }
  }

  int rank_ = 0, size_ = 1;
  bool led_ = false;
  bool lost_ = false;  // a rank died during the study
};

}  // namespace

bool IsBuiltIn() { return true; }
std::unique_ptr<MpiWorkers> JoinWorkers() { return std::make_unique<ConnectedWorkers>(); }

}  // namespace inlay::study::mpi
