#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "bench/capacity/timeline.h"

namespace millrace::bench {

class Station;

/// The cores of one machine, which the stations on it share. A station that finds no free core
/// waits its turn and then runs one job, so no station starves another.
/// Threading: not shared.
class Host {
 public:
  explicit Host(std::uint32_t cores) : free_cores_(cores) {}

 private:
  friend class Station;

  std::uint32_t free_cores_;
  std::deque<Station*> waiting_;
};

/// Work for a station: how long it takes, and who is told when it is done.
struct Job {
  double seconds = 0;
  Actor* done = nullptr;
  std::uint64_t word = 0;
};

/// One queue, first in first out, served by a number of threads of one host.
/// Threading: not shared. Lifetime: borrows timeline, host and the actors of its jobs.
class Station final : public Actor {
 public:
  Station(Timeline& timeline, Host& host, std::uint32_t threads)
      : timeline_(timeline), host_(host), threads_(threads) {}

  void submit(const Job& job);
  void on_event(std::uint64_t word) override;
  /// Jobs that wait or run.
  [[nodiscard]] std::size_t job_count() const { return waiting_.size() + running_; }
  /// Sum of the times of all jobs that were started.
  [[nodiscard]] double busy_seconds() const { return busy_seconds_; }

 private:
  void start_all();
  void start_one();
  [[nodiscard]] bool can_run() const { return running_ < threads_ && !waiting_.empty(); }

  Timeline& timeline_;
  Host& host_;
  std::uint32_t threads_;
  std::uint32_t running_ = 0;
  bool waits_for_core_ = false;
  double busy_seconds_ = 0;
  std::deque<Job> waiting_;
  std::vector<Job> slots_;  // jobs that run, by the word of their event
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace millrace::bench
