#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inlay/study/study.h"

namespace inlay::study::mpi {

// Processes that mpirun started together. Rank 0 leads: it deals out the points, one at a time to
// each idle process, keeps the journal and delivers the result; it also runs points itself. The
// figures of a point do not depend on the process that runs it.
class MpiWorkers {
 public:
  MpiWorkers(const MpiWorkers&) = delete;
  MpiWorkers& operator=(const MpiWorkers&) = delete;
  virtual ~MpiWorkers() = default;  // waits for the others, to which the leader has sent kNoMore

  virtual bool IsLeader() const = 0;
  virtual int Size() const = 0;

  // For the leader: as RunPoints. An error too if others have read something else than `identity`.
  // A worker that gets a stop signal of its own returns its point to the leader; the others
  // continue, also after a worker has died if mpirun permits.
  virtual Result<StudyResult> Lead(const StudyIdentity& identity, const Study& study,
                                   const PreparedStudy& points, const StudyOptions& options,
                                   const StopFlag& stop, Journal* journal,
                                   const StudyProgressSink& progress) = 0;

  // For the others: runs the points that the leader sends until there are no more. Both pointers
  // are null where the files of the study cannot be read here; the leader then reports an error.
  virtual void Follow(const StudyIdentity* identity, const PreparedStudy* points, int threads,
                      const StopFlag& stop) = 0;

 protected:
  MpiWorkers() = default;
};

// Whether this program was built with MPI (cmake --preset mpi).
bool IsBuiltIn();

// Joins the others that mpirun has started; at most once in a process. Null if it was built without
// MPI.
std::unique_ptr<MpiWorkers> JoinWorkers();

}  // namespace inlay::study::mpi
