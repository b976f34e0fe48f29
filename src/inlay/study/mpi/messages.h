#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace inlay::study::mpi {

// Kinds of messages between the leader, rank 0, and the other ranks.
enum class MessageKind : int {
  kReady,   // to the leader: the hash of the study as read here; "" if it cannot be read
  kRun,     // from the leader: a point (its index and seconds)
  kDone,    // to the leader: a finished point, as a line of a journal
  kReturn,  // to the leader: the line of a point that was cut short; the sender takes no more
  kAlive,   // to the leader: every second
  kNoMore,  // from the leader: there are no more points
  kLeft,    // to the leader: the last message of a rank
  kExit,    // from the leader: all ranks are done; "lost" if a rank died during the study
  // Of a search that all ranks share (mpi_search_group.cc):
  kTake,     // to the leader: asks for the next number
  kLeast,    // to the leader: a value; asks for the least of the round
  kGiven,    // from the leader: that number or value
  kReport,   // to the leader, at the end of a round
  kReports,  // from the leader: the reports of all ranks; "" if a rank has left
};

struct Message {
  int from = 0;
  MessageKind kind = MessageKind::kReady;
  std::string text;
};

// MPI_Init and MPI_Finalize: once in a process each, by the same thread. Between them any thread
// may send and receive messages, but one at a time.
void InitMpi();
void FinalizeMpi();
int OwnRank();
int RankCount();

void Send(int to, MessageKind kind, const std::string& text);
std::optional<Message> Poll();  // the next message, if one has arrived

}  // namespace inlay::study::mpi
