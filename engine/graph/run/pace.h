#pragma once

#include <cstdint>
#include <optional>

#include "graph/body/message.h"
#include "graph/compile/domains.h"
#include "graph/format/words.h"

namespace millrace::graph {

/// When the epochs of a domain begin: arithmetic only, no clock.
/// Threading: not shared.
class Pace {
 public:
  Pace(const DomainPlan& plan, Duration phase, OverrunPolicy policy);

  /// When the next epoch begins, given the end of the last one and, for a domain that waits for
  /// work, the time of the earliest work. Nothing: only input, or `step`, can start one.
  [[nodiscard]] std::optional<Duration> next_start(Duration last_end,
                                                   std::optional<Duration> work) const;
  /// The slot that the next tick stands for; grid and simulated only.
  [[nodiscard]] Duration slot() const { return slot_; }
  /// An epoch that began as `next_start` said has ended; gives how many slots pass without a tick.
  std::uint64_t end(Duration finish);
  [[nodiscard]] PaceType type() const { return type_; }

 private:
  std::uint64_t end_on_grid(Duration finish);

  const PaceType type_;
  const Duration period_;
  const Duration phase_;
  const OverrunPolicy policy_;
  Duration slot_;
  Duration begin_;  // of the next tick; after its slot if it catches up
  bool is_catching_up_ = false;
};

}  // namespace millrace::graph
