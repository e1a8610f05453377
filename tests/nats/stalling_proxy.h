#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <thread>

#include "base/clock.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"

namespace millrace::live {

/// A network between a program and a server: takes connections on a port of 127.0.0.1 and passes
/// bytes on in both directions. While it stalls it takes connections and passes nothing on, as a
/// network does that has lost its way; when it goes on, connections from before are cut.
/// Threading: not shared; it has a thread of its own.
class StallingProxy {
 public:
  explicit StallingProxy(std::uint16_t server_port);
  ~StallingProxy();
  StallingProxy(const StallingProxy&) = delete;
  StallingProxy& operator=(const StallingProxy&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void stall() { stalls_.store(true); }
  void resume() { stalls_.store(false); }
  /// Waits until so many connections were ever made; false: that took too long.
  [[nodiscard]] bool wait_for_connections(std::size_t count, base::Duration limit)
      MR_EXCLUDES(mutex_);

 private:
  void run() MR_EXCLUDES(mutex_);
  void accept() MR_EXCLUDES(mutex_);
  void pass_on(int from);
  void cut(int one);
  void cut_all();

  const std::uint16_t server_port_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> stalls_{false};
  std::atomic<bool> ends_{false};
  std::map<int, int> peers_;  // of the thread: each socket and its other end

  base::Mutex mutex_;
  std::condition_variable_any changed_;
  std::size_t connection_count_ MR_GUARDED_BY(mutex_) = 0;

  std::thread thread_;
};

}  // namespace millrace::live
