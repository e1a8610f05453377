#include "server/nats/group_gate.h"

#include <algorithm>

namespace millrace::server {

bool GroupGate::look(base::TimePoint now, const GateLoad& load) {
  const bool is_over = load.was_refusing || load.in_flight >= load.limit;
  const bool is_under = !load.was_refusing && static_cast<double>(load.in_flight) <
                                                  kReturnShare * static_cast<double>(load.limit);
  if (!is_over) over_since_.reset();
  if (is_over && !over_since_) over_since_ = now;
  if (changed_ && now - *changed_ < pause_) return is_joined_;
  const bool leaves = is_joined_ && over_since_ && now - *over_since_ >= kPatience;
  const bool returns = !is_joined_ && is_under;
  if (!leaves && !returns) return is_joined_;
  if (leaves) {
    const bool was_short = changed_ && now - *changed_ < kTurnLeast;
    away_ = was_short ? std::min(2 * away_, kPauseMost) : kPause;
  }
  pause_ = leaves ? away_ : kPause;
  is_joined_ = returns;
  changed_ = now;
  return is_joined_;
}

}  // namespace millrace::server
