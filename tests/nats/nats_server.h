#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include <sys/types.h>

#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "redis_server.h"

namespace millrace::live {

/// A real nats-server in its own folder, on a free port of 127.0.0.1. Throws if it cannot be
/// started.
/// Threading: not shared. Lifetime: its destructor ends the server.
class NatsServer {
 public:
  struct Options {
    bool jetstream = false;         ///< with a store in the folder
    std::string store_limits = {};  ///< of JetStream, such as `max_file: 1MB`
    bool tls = false;               ///< with certificates of its own, see `file`
    bool has_operator = false;  ///< takes users with credentials only, see `make_credentials.py`
    std::string config = {};    ///< further lines of its configuration
  };

  NatsServer() : NatsServer(Options{}) {}
  explicit NatsServer(Options options);
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const {
    return (options_.tls ? "tls://localhost:" : "nats://127.0.0.1:") + std::to_string(port_);
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return folder_.path() + "/" + name;
  }

  void kill();    ///< SIGKILL
  void start();   ///< again, on the same port and store
  void pause();   ///< SIGSTOP
  void resume();  ///< SIGCONT
  /// The last that the server has said.
  [[nodiscard]] std::string last_words() const MR_EXCLUDES(mutex_);

 private:
  /// Reads what the server says, until it ends: one whose log nobody takes is ended by its next
  /// line (SIGPIPE).
  void listen(int log) MR_EXCLUDES(mutex_);

  const Options options_;
  TempFolder folder_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
  std::thread listener_;
  mutable base::Mutex mutex_;
  std::string words_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::live
