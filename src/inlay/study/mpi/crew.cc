#include "inlay/study/mpi/crew.h"

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
#include "inlay/study/mpi/hand.h"
#include "inlay/study/mpi/mail.h"

namespace inlay::study::mpi {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenLooks{1};
constexpr std::chrono::seconds kBetweenSigns{1};  // of kAlive messages
constexpr std::chrono::seconds kSilence{20};      // after which a rank counts as dead
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

  // Runs until every rank below `ranks` has sent kGone or is dead. `expected`: the fingerprint of
  // the study, which every rank must have read.
  Result<StudyPoints> Run(int ranks, const std::string& expected) {
    for (int rank = 1; rank < ranks; ++rank) heard_[rank] = Clock::now();
    while (!heard_.empty() || !hand_.idle() || CanGo()) {
      if (Ends()) EndEarly();
      bool busy = false;
      while (const auto letter = Poll()) {
        busy = true;
        Read(*letter, expected);
      }
      if (const auto answer = hand_.Take()) {
        busy = true;
        Note(answer->index, answer->point, hand_.stopped());
      }
      if (hand_.idle() && CanGo()) {
        const RunLimits limits = LimitsOfNext();
        const size_t index = TakeNext();
        hand_.Begin(index, points_.At(index), limits);
      }
      if (busy) continue;
      LoseTheSilent();
      std::this_thread::sleep_for(kBetweenLooks);
    }
    for (int rank = 1; rank < ranks; ++rank) {
      if (!dead_.contains(rank)) Send(rank, Word::kBye, lost() ? kLost : "");
    }
    if (!errors_.empty()) return Fail(std::move(errors_));
    return std::move(answers_);
  }

  bool lost() const { return !dead_.empty(); }

 private:
  bool Ends() const { return stop_.Requested() || !errors_.empty(); }
  bool CanGo() const { return Left() > 0 && !Ends() && !deadline_.Passed(); }
  size_t Left() const { return due_.left() + again_.size(); }

  // Threads and seconds for the next point: the points left share the time left evenly, as many at
  // a time as processes are at work.
  RunLimits LimitsOfNext() const {
    RunLimits limits{options_.threads, std::nullopt};
    if (options_.time_limit_seconds) {
      const double left = *options_.time_limit_seconds - deadline_.SecondsSinceStart();
      const auto hands = static_cast<double>(at_work_.size() + 1);
      const double share = hands / static_cast<double>(Left());
      limits.seconds = ShareOf(left, share);
    }
    return limits;
  }

  // Takes the next point of those that are due.
  size_t TakeNext() {
    size_t index = 0;
    if (again_.empty()) {
      index = *due_.Next();
    } else {
      index = again_.front();
      again_.pop_front();
    }
    state_.now = Describe(answers_.SettingsOf(index));
    if (progress_) progress_(state_);
    return index;
  }

  void EndEarly() {
    hand_.Stop();
    for (const int rank : std::set<int>(at_work_)) GoHome(rank);
  }

  // Sends kHome once to a rank that has come; it cuts the point that it runs short.
  void GoHome(int rank) {
    if (at_work_.erase(rank) > 0) Send(rank, Word::kHome, "");
  }

  // Counts ranks as dead that were silent for kSilence, and puts their points back. Only of use
  // where mpirun goes on without a process that died (--enable-recovery).
  void LoseTheSilent() {
    const auto now = Clock::now();
    for (auto rank = heard_.begin(); rank != heard_.end();) {
      if (now - rank->second < kSilence) {
        ++rank;
        continue;
      }
      dead_.insert(rank->first);
      at_work_.erase(rank->first);
      if (const auto running = running_.find(rank->first); running != running_.end()) {
        again_.push_front(running->second);
        running_.erase(running);
      }
      rank = heard_.erase(rank);
    }
  }

  // A message of a rank that counts as dead but was only slow: its point was put back, so what it
  // found is dropped and it is sent home.
  void Dismiss(const Letter& letter) {
    if (letter.word == Word::kGone) return Send(letter.from, Word::kBye, kLost);
    if (letter.word != Word::kAlive) Send(letter.from, Word::kHome, "");
  }

  void Read(const Letter& letter, const std::string& expected) {
    if (dead_.contains(letter.from)) return Dismiss(letter);
    heard_[letter.from] = Clock::now();
    switch (letter.word) {
      case Word::kReady:
        if (letter.text != expected) {
          errors_.push_back(MakeError(
              {},
              "process " + std::to_string(letter.from) + " of mpirun " +
                  (letter.text.empty() ? "cannot read the study" : "has read another study"),
              "all need the same files and the same inlay"));
        }
        at_work_.insert(letter.from);
        return Answer(letter);
      case Word::kDone:
      case Word::kReturn: {
        const auto line = io::ReadJournalPoint({"a worker", letter.text});
        INLAY_CHECK(line);  // written by WriteJournalLine of the worker
        running_.erase(letter.from);
        Note(line->first, line->second, letter.word == Word::kReturn);
        return Answer(letter);
      }
      case Word::kGone:
        heard_.erase(letter.from);
        return;
      default:
        return;
    }
  }

  // Gives the sender, which is idle, its next point, or sends it home.
  void Answer(const Letter& letter) {
    if (letter.word == Word::kReturn || !CanGo()) return GoHome(letter.from);
    const RunLimits limits = LimitsOfNext();
    const size_t index = TakeNext();
    running_[letter.from] = index;
    Send(letter.from, Word::kRun, TextOf(Order{index, limits.seconds.value_or(-1)}));
  }

  void Note(size_t index, const StudyPoint& point, bool cut) {
    if (cut) {
      answers_.Put(index, point);
      if (!Ends()) again_.push_front(index);  // for another rank
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
  std::deque<size_t> again_;  // points handed back, or lost with a dead rank
  StudyProgress state_;
  std::set<int> at_work_;                   // ranks that have sent kReady and were not sent home
  std::map<int, size_t> running_;           // by rank: the point that it runs
  std::map<int, Clock::time_point> heard_;  // by rank, not gone: its last message
  std::set<int> dead_;
  Diagnostics errors_;
  Hand hand_;
};

class MpiCrew : public Crew {
 public:
  MpiCrew() {
    BeginMail();
    rank_ = OwnRank();
    size_ = RankCount();
  }
  ~MpiCrew() override {
    if (Leads() && !led_) SendHome();
    if (!lost_) EndMail();  // it would wait for dead ranks
  }

  bool Leads() const override { return rank_ == 0; }
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
    Send(0, Word::kReady, identity == nullptr ? "" : Fingerprint(*identity));
    Hand hand;
    Clock::time_point told = Clock::now();
    for (bool home = false; !home || !hand.idle();) {
      if (stop.Requested() || home) hand.Stop();
      if (Clock::now() - told >= kBetweenSigns) {
        Send(0, Word::kAlive, "");
        told = Clock::now();
      }
      const auto letter = Poll();
      if (letter && letter->word == Word::kHome) home = true;
      if (letter && letter->word == Word::kRun) {
        const Order order = OrderFrom(letter->text);
        RunLimits limits{threads, std::nullopt};
        if (order.seconds >= 0) limits.seconds = order.seconds;
        hand.Begin(order.index, points->At(order.index), limits);
      }
      if (const auto answer = hand.Take()) {
        Send(0, hand.stopped() ? Word::kReturn : Word::kDone,
             io::WriteJournalLine(answer->index, answer->point));
      } else if (!letter) {
        std::this_thread::sleep_for(kBetweenLooks);
      }
    }
    Send(0, Word::kGone, "");
    while (true) {
      const auto letter = Poll();
      if (letter && letter->word == Word::kBye) {
        lost_ = letter->text == kLost;
        return;
      }
      if (!letter) std::this_thread::sleep_for(kBetweenLooks);
    }
  }

 private:
  // Sends every rank home: there is no study to run.
  void SendHome() const {
    for (int gone = 1; gone < size_;) {
      const auto letter = Poll();
      if (!letter) {
        std::this_thread::sleep_for(kBetweenLooks);
        continue;
      }
      if (letter->word == Word::kReady) Send(letter->from, Word::kHome, "");
      if (letter->word != Word::kGone) continue;
      Send(letter->from, Word::kBye, "");
      ++gone;
    }
  }

  int rank_ = 0, size_ = 1;
  bool led_ = false;
  bool lost_ = false;  // a rank died during the study
};

}  // namespace

bool IsBuiltIn() { return true; }
std::unique_ptr<Crew> Join() { return std::make_unique<MpiCrew>(); }

}  // namespace inlay::study::mpi
