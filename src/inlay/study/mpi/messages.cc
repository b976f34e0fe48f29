#include "inlay/study/mpi/messages.h"

#include <mpi.h>

#include "inlay/base/check.h"

namespace inlay::study::mpi {

void InitMpi() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  INLAY_CHECK(provided >= MPI_THREAD_SERIALIZED);
}

void FinalizeMpi() { MPI_Finalize(); }

int OwnRank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int RankCount() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

void Send(int to, MessageKind kind, const std::string& text) {
  // A point of thousands of layers is a few megabytes: far from what an int counts.
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_CHAR, to, static_cast<int>(kind),
           MPI_COMM_WORLD);
}

std::optional<Message> Poll() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  Message message{status.MPI_SOURCE, static_cast<MessageKind>(status.MPI_TAG),
                  std::string(static_cast<size_t>(size), '\0')};
  MPI_Recv(message.text.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

}  // namespace inlay::study::mpi
