#pragma once

#include "base/clock.h"
#include "loop/loop.h"

namespace millrace::loop {

/// A timer that is a member of `Owner` and calls one of its methods when it fires. Destroying the
/// owner disarms it.
/// Threading: loop thread. Lifetime: borrows the loop.
template <class Owner, void (Owner::*kMethod)()>
class OwnedTimer : private Timer {
 public:
  OwnedTimer(Loop& loop, Owner& owner) : Timer(&fired), loop_(loop), owner_(owner) {}
  ~OwnedTimer() { stop(); }

  /// Calls the method once after `span`. A time set before no longer counts.
  void start(base::Duration span) { start_at(loop_.clock().now() + span); }
  /// Calls the method once at `when`. A time set before no longer counts.
  void start_at(base::TimePoint when) { loop_.arm(*this, when); }
  /// Does nothing when the timer is not armed.
  void stop() { (void)loop_.disarm(*this); }

 private:
  static void fired(Timer& timer) {
    // The method may destroy the owner and this timer with it.
    (static_cast<OwnedTimer&>(timer).owner_.*kMethod)();
  }

  Loop& loop_;
  Owner& owner_;
};

}  // namespace millrace::loop
