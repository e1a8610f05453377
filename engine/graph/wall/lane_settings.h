#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/sync/thread_settings.h"
#include "graph/format/spec.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

/// What the system is asked to do for a thread of a lane. Without `enforce` that is its name only.
[[nodiscard]] base::ThreadSettings thread_settings(const LaneSpec& lane);
/// What a lane asks for that no system call can give: each as not met.
[[nodiscard]] std::vector<base::ThreadSettingOutcome> unmet_settings(const LaneSpec& lane);

/// Lets the threads of a run begin together: each applies the settings of its lane first. If one is
/// required and was refused, none begins and the run has the error `os_setting`.
/// Threading: any thread. Lifetime: borrows; shared by the threads.
class LaneSettingsGate {
 public:
  explicit LaneSettingsGate(RunTables& tables) : tables_(tables) {}
  LaneSettingsGate(const LaneSettingsGate&) = delete;
  LaneSettingsGate& operator=(const LaneSettingsGate&) = delete;

  /// A thread of a team applies the settings of its lane.
  void enter(std::uint32_t lane, std::uint32_t worker);
  /// The thread of a domain applies the settings of the domain's lanes and waits until the gate is
  /// open. False: it must not begin.
  [[nodiscard]] bool enter_domain(std::size_t domain);
  /// Waits until so many threads have come, calls `on_open` with the lock of the tables held, and
  /// opens. False: a required setting was refused.
  [[nodiscard]] bool open_when(std::size_t thread_count, const std::function<void()>& on_open);
  /// No thread of a domain begins any more.
  void refuse();

 private:
  enum State : std::uint32_t { kShut, kOpen, kRefused };

  void apply(std::uint32_t lane);
  void count_in();

  RunTables& tables_;
  // How many threads have applied their settings; publishes to `open_when` what they wrote.
  std::atomic<std::uint32_t> entered_{0};
  // Publishes what `on_open` wrote to the threads of domains.
  std::atomic<std::uint32_t> state_{kShut};
};

}  // namespace millrace::graph
