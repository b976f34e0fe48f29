#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace inlay::study::mpi {

// What is said between the leader, rank 0, and the others.
enum class Word : int {
  kReady,   // to the leader: what was read, as a hash; "" if nothing could be
  kRun,     // from the leader: a point (its index and seconds)
  kDone,    // to the leader: a line of a journal
  kReturn,  // to the leader: the line of a point that was cut short, by somebody who goes home
  kAlive,   // to the leader: every second
  kHome,    // from the leader: there is no more
  kGone,    // to the leader: the last word of everybody
  kBye,     // from the leader: all are through; "lost" if somebody was lost on the way
  // Of a search that all are at (company.cc):
  kTake,     // to the leader: what is next?
  kLeast,    // to the leader: a value; what is the least?
  kGiven,    // from the leader: a number, or the value
  kReport,   // to the leader, at the end of a round
  kReports,  // from the leader: those of all; "" if somebody has left
};

struct Letter {
  int from = 0;
  Word word = Word::kReady;
  std::string text;
};

// Before the first letter and after the last, once in a process, by the same thread. Any thread may
// write and read letters, but one at a time.
void BeginMail();
void EndMail();
int OwnRank();
int RankCount();

void Send(int to, Word word, const std::string& text);
std::optional<Letter> Poll();  // the next letter, if one is there

}  // namespace inlay::study::mpi
