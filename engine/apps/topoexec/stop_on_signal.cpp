#include "apps/topoexec/stop_on_signal.h"

#include <csignal>
#include <functional>
#include <thread>
#include <utility>

#include <pthread.h>
#include <unistd.h>

#include "base/check.h"
#include "base/sync/mutex.h"
#include "loop/stop.h"

namespace millrace::topoexec {
namespace {

/// Ends the thread that waits; no program sends it to itself for another reason here.
constexpr int kEndSignal = SIGUSR1;

sigset_t signal_set() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, kEndSignal}) sigaddset(&set, signal);
  return set;
}

}  // namespace

StopOnSignal::StopOnSignal(loop::StopSource& source) : source_(source) {
  const sigset_t set = signal_set();
  MR_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  thread_ = std::thread([this] { wait_for_signals(); });
  hangup_thread_ = std::thread([this] { handle_hangups(); });
}

StopOnSignal::~StopOnSignal() {
  pthread_kill(thread_.native_handle(), kEndSignal);
  thread_.join();
  {
    const base::MutexLock lock(mutex_);
    is_ending_ = true;
    changed_.notify_all();
  }
  hangup_thread_.join();
  const sigset_t set = signal_set();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void StopOnSignal::set_on_hangup(std::function<void()> on_hangup) {
  const base::MutexLock lock(mutex_);
  on_hangup_ = std::move(on_hangup);
  while (is_calling_) changed_.wait(mutex_);
}

void StopOnSignal::handle_hangups() {
  while (true) {
    std::function<void()> on_hangup;
    {
      const base::MutexLock lock(mutex_);
      while (!has_hangup_ && !is_ending_) changed_.wait(mutex_);
      if (is_ending_) return;
      has_hangup_ = false;
      is_calling_ = true;
      on_hangup = on_hangup_;
    }
    if (on_hangup) on_hangup();
    const base::MutexLock lock(mutex_);
    is_calling_ = false;
    changed_.notify_all();
  }
}

void StopOnSignal::wait_for_signals() {
  const sigset_t set = signal_set();
  while (true) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (signal == kEndSignal) return;
    if (signal == SIGHUP) {
      const base::MutexLock lock(mutex_);
      has_hangup_ = true;
      changed_.notify_all();
      continue;
    }
    if (source_.stop_requested()) _exit(128 + signal);
    source_.request_stop();
  }
}

}  // namespace millrace::topoexec
