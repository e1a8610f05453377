#include "apps/rankd/stop_signals.h"

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"

namespace millrace::rankd {
namespace {

// The flag that the handler raises; publishes the flag to the handler.
std::atomic<StopFlag*> raised_by_signals{nullptr};
static_assert(std::atomic<StopFlag*>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

// Calls only what a signal handler may call.
void handle(int signal) {
  const int error = errno;
  StopFlag* const flag = raised_by_signals.load(std::memory_order_acquire);
  if (flag == nullptr || flag->is_raised()) _exit(128 + signal);
  flag->raise();
  errno = error;
}

void set_handler(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM}) MR_CHECK(sigaction(signal, &action, nullptr) == 0);
}

}  // namespace

StopFlag::StopFlag() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

StopFlag::~StopFlag() {
  if (descriptor_ >= 0) close(descriptor_);
}

void StopFlag::raise() noexcept {
  is_raised_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the descriptor is readable anyway.
  static_cast<void>(::write(descriptor_, &one, sizeof one));
}

StopSignals::StopSignals(StopFlag& flag) {
  MR_CHECK(raised_by_signals.exchange(&flag, std::memory_order_acq_rel) == nullptr);
  set_handler(&handle);
}

StopSignals::~StopSignals() {
  set_handler(SIG_DFL);
  raised_by_signals.store(nullptr, std::memory_order_release);
}

}  // namespace millrace::rankd
