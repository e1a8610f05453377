#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "memory.h"

namespace millrace::model {

/// A small concurrent program. Its shared state is its members, made anew for every execution.
/// Threads share only ModelAtomic, Cell, ModelFutex and data that these publish, and every decision
/// of a thread depends only on what it read there.
class Scenario {
 public:
  /// Whether a thread may call heavy_fence(). If none does, other threads cannot notice a store
  /// that waits in its buffer, and there is less to explore.
  enum class Fences : std::uint8_t { kOrdinary, kHeavy };

  explicit Scenario(std::size_t thread_count, Fences fences = Fences::kOrdinary)
      : thread_count_(thread_count), fences_(fences) {}
  virtual ~Scenario() = default;
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;

  /// The program of thread 0, 1, …
  virtual void run(std::size_t thread) = 0;
  /// Called when all threads have ended; checks the outcome with require().
  virtual void finish() = 0;

  [[nodiscard]] std::size_t thread_count() const { return thread_count_; }
  [[nodiscard]] bool has_heavy_fences() const { return fences_ == Fences::kHeavy; }

 private:
  const std::size_t thread_count_;
  const Fences fences_;
};

struct Options {
  /// Partial order allows everything that total order and sequential consistency allow.
  StoreOrder store_order = StoreOrder::kPartial;
  /// How often per execution a weak compare-exchange fails, or a futex wait returns, without a
  /// reason.
  int spurious_max = 1;
  /// If true, explores a state each time it is reached; used to test that once is enough.
  bool revisit_states = false;
  /// An execution longer than this counts as one that never ends.
  std::size_t steps_max = 2'000;
  /// The search stops, incomplete, after this many executions.
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
/// until one execution fails. An execution fails if a require() does, if plain data is accessed
/// without synchronisation, if no thread can continue, or if the execution does not end.
[[nodiscard]] Report explore(const Options& options,
                             const std::function<std::unique_ptr<Scenario>()>& make_scenario);

/// Fails the execution that is being explored unless `condition` holds.
void require(bool condition, const char* what);

}  // namespace millrace::model
