#include "loop/uv_loop.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <uv.h>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"

#if __has_feature(thread_sanitizer)
#include <array>
#include <atomic>
#include <cstdarg>

#include <dlfcn.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <sys/syscall.h>

// libuv closes descriptors by `syscall`, which ThreadSanitizer does not see: it would take the next
// owner of the number, on another thread, for one that shares the old descriptor, and report a
// race. This function stands before the one of the C library, which it calls; it says what is
// closed.
extern "C" [[clang::disable_sanitizer_instrumentation]] long syscall(long number, ...) noexcept {
  using Function = long (*)(long, ...);
  static std::atomic<Function> found;
  Function next = found.load(std::memory_order_relaxed);
  if (next == nullptr) {
    next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "syscall"));
    found.store(next, std::memory_order_relaxed);
  }
  std::array<long, 6> arguments;
  va_list list;
  va_start(list, number);
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (number == SYS_close) __sanitizer_syscall_pre_close(arguments[0]);
  return next(
      number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
#endif

namespace millrace::loop {
namespace {

base::Status check_uv(int result, const char* call) {
  if (result == 0) return {};
  return base::fail(base::ErrorCode::kResourceExhausted,
                    std::string("Cannot open an event loop, ") + call + ": " + uv_strerror(result));
}

/// libuv aborts the process if its first loop gets an epoll but no pipe besides, so it is tried
/// before whether there are as many descriptors.
base::Status check_descriptors() {
  constexpr std::size_t kNeeded = 3;
  std::vector<int> opened;
  int problem = 0;
  while (opened.size() < kNeeded && problem == 0) {
    const int copy = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) {
      problem = errno;
    } else {
      opened.push_back(copy);
    }
  }
  for (const int copy : opened) close(copy);
  return check_uv(problem == EMFILE ? uv_translate_sys_error(problem) : 0, "dup");
}

}  // namespace

TimerFd::~TimerFd() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Status TimerFd::open() {
  descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  return check_uv(descriptor_ < 0 ? uv_translate_sys_error(errno) : 0, "timerfd_create");
}

void TimerFd::set(base::TimePoint when) {
  // The steady clock counts from the origin of CLOCK_MONOTONIC. Zero would mean "never".
  const base::Duration at = std::max(when.time_since_epoch(), base::Duration(1));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  itimerspec setting{};
  setting.it_value.tv_sec = seconds.count();
  setting.it_value.tv_nsec = (at - seconds).count();
  MR_CHECK(timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &setting, nullptr) == 0, errno);
}

void TimerFd::clear() {
  const itimerspec never{};
  MR_CHECK(timerfd_settime(descriptor_, 0, &never, nullptr) == 0, errno);
}

base::Result<std::unique_ptr<UvLoop>> UvLoop::open() {
  MR_TRY_STATUS(check_descriptors());
  auto uv = std::make_unique<UvLoop>();
  MR_TRY_STATUS(check_uv(uv_loop_init(&uv->loop), "uv_loop_init"));
  uv->loop_is_open = true;
  // Own delays are measured without the time asleep.
  MR_TRY_STATUS(check_uv(uv_loop_configure(&uv->loop, UV_METRICS_IDLE_TIME), "uv_loop_configure"));
  // The callback does nothing: waking the loop is enough, because every turn looks at the inbox.
  MR_TRY_STATUS(check_uv(uv_async_init(&uv->loop, &uv->wake, [](uv_async_t*) {}), "uv_async_init"));
  uv->wake_is_open = true;
  MR_TRY_STATUS(uv->alarm.open());
  MR_TRY_STATUS(
      check_uv(uv_poll_init(&uv->loop, &uv->alarm_poll, uv->alarm.descriptor()), "uv_poll_init"));
  uv->alarm_poll_is_open = true;
  return uv;
}

UvLoop::~UvLoop() {
  if (alarm_poll_is_open) uv_close(reinterpret_cast<uv_handle_t*>(&alarm_poll), nullptr);
  if (wake_is_open) uv_close(reinterpret_cast<uv_handle_t*>(&wake), nullptr);
  if (!loop_is_open) return;
  // A name lookup that runs on a thread of libuv cannot be cancelled, so wait for it. Nobody uses
  // its result.
  while (loop.active_reqs.count > 0) uv_run(&loop, UV_RUN_ONCE);
  uv_run(&loop, UV_RUN_NOWAIT);
  const int result = uv_loop_close(&loop);
  MR_CHECK(result == 0, uv_strerror(result));
}

}  // namespace millrace::loop
