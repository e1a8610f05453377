#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "memory.h"

namespace millrace::model {

/// A small concurrent program: its shared state as members, made anew for every execution. Threads
/// share nothing but ModelAtomic, Cell, ModelFutex and data that these publish; whatever a thread
/// decides, it decides from what it read there.
class Scenario {
 public:
  /// Whether a thread may call heavy_fence(). If none does, a store that waits in its buffer
  /// concerns nobody else yet, and there is less to explore.
  enum class Fences : std::uint8_t { kOrdinary, kHeavy };

  explicit Scenario(std::size_t thread_count, Fences fences = Fences::kOrdinary)
      : thread_count_(thread_count), fences_(fences) {}
  virtual ~Scenario() = default;
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// The program of thread 0, 1, …
  virtual void run(std::size_t thread) = 0;
  /// Called when all have ended; checks the outcome by require().
  virtual void finish() = 0;

  [[nodiscard]] std::size_t thread_count() const { return thread_count_; }
  [[nodiscard]] bool has_heavy_fences() const { return fences_ == Fences::kHeavy; }

 private:
  const std::size_t thread_count_;
  const Fences fences_;
};

struct Options {
  /// Partial order includes everything that total order and sequential consistency allow.
  StoreOrder store_order = StoreOrder::kPartial;
  /// How often per execution a weak compare-exchange fails, or a futex wait returns, without cause.
  int spurious_max = 1;
  /// Explores a state again each time it is reached, to test that once is enough.
  bool revisit_states = false;
  /// An execution longer than this counts as one that never ends.
  std::size_t steps_max = 2'000;
  /// The search gives up, incomplete, after so many executions.
  std::size_t executions_max = 2'000'000;
};

struct Report {
  std::size_t execution_count = 0;
  std::size_t state_count = 0;
  /// True when every execution was explored.
  bool complete = false;
  /// What went wrong in the last execution and the steps that led there, one per line.
  std::optional<std::string> failure;
};

/// Runs the scenario under every schedule and every order in which its stores can reach memory,
/// until one fails. It fails when a require() does, when plain data is accessed without
/// synchronisation, when no thread can go on, or when an execution does not end.
[[nodiscard]] Report explore(const Options& options,
                             const std::function<std::unique_ptr<Scenario>()>& make_scenario);

/// Fails the execution that is being explored unless `condition` holds.
void require(bool condition, const char* what);

}  // namespace millrace::model
