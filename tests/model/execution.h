#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "choice_tree.h"
#include "explorer.h"
#include "fiber_team.h"
#include "memory.h"

namespace millrace::model {

/// One execution of a scenario. The model's atomics call it, and before every operation that other
/// threads could notice it chooses which thread goes next.
/// Threading: fibers of one thread; `current()` is the running one's.
class Execution {
 public:
  Execution(const Options& options, ChoiceTree& choices, FiberTeam& fibers);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// The execution that the model's atomics belong to.
  [[nodiscard]] static Execution& current();

  /// Runs all threads to their end. Operations after that act at once, as the outside.
  void run(Scenario& scenario);
  void fail(const std::string& what);
  [[nodiscard]] std::size_t running_thread() const { return running_; }
  /// Empty if nothing has gone wrong.
  [[nodiscard]] const std::string& failure() const { return failure_; }

  // The operations, each made by the running thread.
  void create(Location& location, std::uint64_t value);
  [[nodiscard]] std::uint64_t load(const Location& location, std::memory_order order);
  void store(Location& location, std::uint64_t value, std::memory_order order);
  std::uint64_t exchange(Location& location, std::uint64_t value, std::memory_order order);
  struct CompareExchange {
    std::uint64_t expected;
    std::uint64_t desired;
    std::memory_order success;
    std::memory_order failure;
    bool weak;
  };
  struct Found {
    std::uint64_t value;
    bool exchanged;
  };
  Found compare_exchange(Location& location, const CompareExchange& how);
  void fence_seq_cst();
  /// Makes every other thread pass a full fence, one after the other.
  void heavy_fence();
  /// Returns only when memory has changed since the last call.
  void pause();
  [[nodiscard]] bool futex_wait(const Location& location,
                                std::uint64_t expected,
                                bool can_time_out);
  void futex_wake_one(const Location& location);

  // Accesses to plain data; a race fails the execution.
  void read_plain(AccessRecord& record);
  void write_plain(AccessRecord& record);

 private:
  static constexpr std::uint64_t kNeverPaused = ~std::uint64_t{0};
  enum class Wake : std::uint8_t { kAsleep, kWoken, kTimedOut, kSpurious };

  struct Thread {
    bool started = false;
    bool finished = false;
    // What must have reached memory before the thread can continue.
    Drain drain = Drain::kNothing;
    const Location* drain_location = nullptr;
    std::size_t drain_thread = 0;  // Whose stores: the thread itself, except in heavy_fence().
    bool spinning = false;
    std::uint64_t version_at_pause = kNeverPaused;
    const Location* asleep_on = nullptr;
    bool can_time_out = false;
    Wake wake = Wake::kAsleep;
  };

  struct Option {
    enum class Kind : std::uint8_t { kRun, kFlush, kTimeOut, kSpuriousWake } kind;
    std::size_t thread;
    std::size_t store_index = 0;
  };

  void run_thread(Scenario& scenario, std::size_t thread);
  // Lets other threads run first, if they are chosen. Returns when it is the running thread's turn
  // and the stores it waits for have reached memory.
  void wait_turn(Drain drain, const Location* location = nullptr);
  void take_turns();
  [[nodiscard]] std::size_t choose(std::size_t option_count, std::uint64_t purpose);
  void collect_options();
  [[nodiscard]] bool can_run(std::size_t thread) const;
  void apply(const Option& option);
  [[nodiscard]] bool choose_spurious();
  [[nodiscard]] std::uint64_t state() const;
  [[nodiscard]] bool all_finished() const;
  void trace(const char* operation, const Location* location = nullptr, std::uint64_t value = 0) {
    trace_.push_back({running_, operation, location != nullptr ? location->id : 0, value});
  }

  const Options& options_;
  ChoiceTree& choices_;
  FiberTeam& fibers_;
  Memory memory_;
  std::array<Thread, kThreadCountMax + 1> threads_;  // Index 0 is the outside: see kThreadCountMax.
  std::size_t thread_count_ = 0;
  bool has_heavy_fences_ = false;
  std::size_t running_ = 0;
  std::vector<Option> option_list_;
  std::size_t step_count_ = 0;
  int spurious_left_;
  std::string failure_;
  struct TraceLine {
    std::size_t thread;
    const char* operation;
    std::uint64_t location;
    std::uint64_t value;
  };
  std::vector<TraceLine> trace_;
};

}  // namespace millrace::model
