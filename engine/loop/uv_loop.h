#pragma once

#include <memory>

#include <uv.h>

#include "base/clock.h"
#include "base/result.h"
#include "loop/timer_queue.h"

// Internal: for the code that opens sockets on an event loop. Not part of the public interface.

namespace millrace::loop {

/// An alarm that makes a file descriptor readable, to the precision of the kernel's timers.
/// Threading: any thread; the queue that owns it serialises the calls.
class TimerFd final : public Alarm {
 public:
  TimerFd() = default;
  ~TimerFd() override;
  TimerFd(const TimerFd&) = delete;
  TimerFd& operator=(const TimerFd&) = delete;

  [[nodiscard]] base::Status open();
  [[nodiscard]] int descriptor() const { return descriptor_; }

  void set(base::TimePoint when) override;
  void clear() override;

 private:
  int descriptor_ = -1;
};

/// The libuv side of an `EventLoop`: the loop and the two handles that end its sleep.
/// Threading: the owner opens and closes it while the loop thread does not run. In between it is
/// the loop thread's, but any thread may call `uv_async_send(&wake)` and use `alarm`.
struct UvLoop {
  UvLoop() = default;
  /// Closes what is open. The handles of other modules must be closed already.
  ~UvLoop();
  UvLoop(const UvLoop&) = delete;
  UvLoop& operator=(const UvLoop&) = delete;

  [[nodiscard]] static base::Result<std::unique_ptr<UvLoop>> open();

  uv_loop_t loop{};
  uv_async_t wake{};
  uv_poll_t alarm_poll{};
  TimerFd alarm;
  bool loop_is_open = false;
  bool wake_is_open = false;
  bool alarm_poll_is_open = false;
};

}  // namespace millrace::loop
