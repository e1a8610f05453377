#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/clock.h"

namespace millrace::server {

/// How much is under way when the gate is asked.
struct GateLoad {
  std::int64_t in_flight = 0;
  std::int64_t limit = 0;     ///< what requests of the class `normal` may have in flight
  bool was_refusing = false;  ///< requests were refused as `busy` since the last look
};

/// Decides whether a process is a member of its queue groups (NAT5). A queue group picks its
/// members at random and blind to load, so a process that is full must leave, or every n-th request
/// fails.
///
/// clang-format off
///           at or over the limit for 100 ms
///   joined ─────────────────────────────────► left
///          ◄─────────────────────────────────
///            under 80 % and nothing refused        at most one change per 250 ms
/// clang-format on
///
/// A member that is full again as soon as it is back cannot do its share: half of the time in the
/// group would bring a slow process a third of all requests, most of which it refuses. So each such
/// turn doubles the time until it comes back, up to a second; a turn that lasted starts anew.
/// Threading: not shared.
class GroupGate {
 public:
  static constexpr base::Duration kPatience = std::chrono::milliseconds(100);
  static constexpr base::Duration kPause = std::chrono::milliseconds(250);
  /// The longest time until it comes back.
  static constexpr base::Duration kPauseMost = std::chrono::milliseconds(1000);
  /// A turn in the group that was shorter than this was none.
  static constexpr base::Duration kTurnLeast = 2 * kPause;
  static constexpr double kReturnShare = 0.8;
  /// How often the gate is to be asked while it could change.
  static constexpr base::Duration kLookPeriod = std::chrono::milliseconds(20);

  /// Looks at the load; gives whether the process should be a member now.
  bool look(base::TimePoint now, const GateLoad& load);
  [[nodiscard]] bool is_joined() const { return is_joined_; }
  /// Whether time alone may change the answer, so that it has to be asked soon again.
  [[nodiscard]] bool is_restless() const { return !is_joined_ || over_since_.has_value(); }

 private:
  bool is_joined_ = true;
  std::optional<base::TimePoint> over_since_;
  std::optional<base::TimePoint> changed_;
  base::Duration away_ = kPause;   // how long it stays away when it leaves, at least
  base::Duration pause_ = kPause;  // until the next change, at least
};

}  // namespace millrace::server
