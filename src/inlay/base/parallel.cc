#include "inlay/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

// Debian's TBB is not built for the thread sanitizer, which then reports races that are none.
#ifdef INLAY_PLAIN_THREADS
#include <system_error>
#else
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#endif

namespace inlay {
namespace {

#ifndef INLAY_PLAIN_THREADS
// TBB has as many threads as the machine, and warns on standard error when more are requested: the
// limit is raised to the largest number requested.
void AllowThreads(size_t count) {
  using Limit = tbb::global_control;
  static std::mutex mutex;
  static std::optional<Limit> limit;
  const std::scoped_lock lock(mutex);
  if (Limit::active_value(Limit::max_allowed_parallelism) >= count) return;
  limit.reset();  // of several limits the least holds
  limit.emplace(Limit::max_allowed_parallelism, count);
}

// An arena of so many threads that no other loop uses. They are kept: of every one that is made and
// destroyed TBB 2021 keeps some kilobytes.
class LentArena {
 public:
  explicit LentArena(size_t workers) : workers_(workers) {
    const std::scoped_lock lock(Mutex());
    auto& idle = Idle()[workers];
    if (idle.empty()) {
      arena_ = std::make_unique<tbb::task_arena>(static_cast<int>(workers));
      return;
    }
    arena_ = std::move(idle.back());
    idle.pop_back();
  }
  LentArena(const LentArena&) = delete;
  LentArena& operator=(const LentArena&) = delete;
  ~LentArena() {
    const std::scoped_lock lock(Mutex());
    Idle()[workers_].push_back(std::move(arena_));
  }
  tbb::task_arena* operator->() const { return arena_.get(); }

 private:
  using Arenas = std::map<size_t, std::vector<std::unique_ptr<tbb::task_arena>>>;
  static std::mutex& Mutex() {
    static std::mutex mutex;
    return mutex;
  }
  static Arenas& Idle() {
    static auto& idle = *new Arenas();  // never destroyed: TBB may be gone by then
    return idle;
  }

  size_t workers_;
  std::unique_ptr<tbb::task_arena> arena_;
};
#endif

// Calls work(0) … work(workers − 1), each once, as many at a time as there are threads to be had.
// `work` does not throw, and no call waits for another.
template <typename Work>
void RunWorkers(size_t workers, const Work& work) {
#ifdef INLAY_PLAIN_THREADS
  std::vector<std::jthread> threads;
  try {
    for (size_t i = 1; i < workers; ++i) threads.emplace_back([&work, i] { work(i); });
  } catch (const std::system_error&) {
    // No more threads to be had. Those that there are do all the work.
  }
  work(0);
#else
  AllowThreads(workers);
  // An arena of its own: a thread that waits here for the others does not begin, in between, work
  // of a loop around this one.
  const LentArena arena(workers);
  arena->execute([&] { tbb::parallel_for(size_t{0}, workers, work, tbb::simple_partitioner()); });
#endif
}

// One loop: which thread takes which index, and what went wrong.
class Loop {
 public:
  Loop(size_t count, const ParallelBody& body, const StopFlag* stop)
      : count_(count), body_(body), stop_(stop) {}

  void Work(size_t worker) {
    while (!failed_.load(std::memory_order_relaxed)) {
      const size_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= count_) return;
      if (stop_ != nullptr && stop_->Requested()) {
        left_out_.store(true, std::memory_order_relaxed);
        return;
      }
      try {
        body_(index, worker);
      } catch (...) {
        NoteFailure(index);
      }
    }
  }

  bool Finish() const {
    if (error_) std::rethrow_exception(error_);
    return !left_out_.load(std::memory_order_relaxed);
  }

 private:
  void NoteFailure(size_t index) {
    const std::scoped_lock lock(mutex_);
    if (error_ == nullptr || index < error_index_) {
      error_ = std::current_exception();
      error_index_ = index;
    }
    failed_.store(true, std::memory_order_relaxed);
  }

  const size_t count_;
  const ParallelBody& body_;
  const StopFlag* const stop_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false}, left_out_{false};
  std::mutex mutex_;  // of the two below
  std::exception_ptr error_;
  size_t error_index_ = 0;
};

}  // namespace

int HardwareThreads() {
  cpu_set_t allowed;  // taskset, mpirun or Slurm may have left us some of them only
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

bool ParallelFor(size_t count, int threads, const ParallelBody& body, const StopFlag* stop) {
  Loop loop(count, body, stop);
  const size_t workers = std::min(count, static_cast<size_t>(std::clamp(threads, 1, kMostThreads)));
  if (workers <= 1) {
    loop.Work(0);
  } else {
    RunWorkers(workers, [&loop](size_t worker) { loop.Work(worker); });
  }
  return loop.Finish();
}

}  // namespace inlay
