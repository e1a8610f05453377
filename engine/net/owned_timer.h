#pragma once

#include "base/clock.h"
#include "loop/loop.h"

namespace millrace::net {

/// A timer that calls a method of the object it is a member of, and is taken back with it.
/// Threading: loop thread. Lifetime: borrows the loop.
template <class Owner, void (Owner::*kMethod)()>
class OwnedTimer : private loop::Timer {
 public:
  OwnedTimer(loop::Loop& loop, Owner& owner) : Timer(&fired), loop_(loop), owner_(owner) {}
  ~OwnedTimer() { stop(); }

  /// Calls once after `span`, instead of when it was to call before.
  void start(base::Duration span) { start_at(loop_.clock().now() + span); }
  void start_at(base::TimePoint when) { loop_.arm(*this, when); }
  void stop() { (void)loop_.disarm(*this); }

 private:
  static void fired(Timer& timer) {
    // The method may destroy the timer.
    (static_cast<OwnedTimer&>(timer).owner_.*kMethod)();
  }

  loop::Loop& loop_;
  Owner& owner_;
};

}  // namespace millrace::net
