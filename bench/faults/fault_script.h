#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/faults/phase_report.h"
#include "tests/redis/redis_server.h"

namespace millrace::bench {

/// Durations and counts of the script.
struct ScriptTimes {
  base::Duration healthy = std::chrono::seconds(4);
  base::Duration fault = std::chrono::seconds(1);
  base::Duration calm = std::chrono::milliseconds(1500);    ///< after each recovery
  base::Duration deadline = std::chrono::milliseconds(50);  ///< of requests
  int rounds = 3;                                           ///< of each fault
};

/// Causes faults of a server, one kind per phase, and reports when each began and ended.
/// Threading: not shared. Lifetime: borrows the server.
class FaultScript {
 public:
  /// `data_file` is loaded into the server after a restart.
  FaultScript(live::RedisServer& server, std::string data_file, const ScriptTimes& times)
      : server_(server), data_file_(std::move(data_file)), times_(times) {}

  [[nodiscard]] Phase healthy() const;
  /// The server is killed, then started empty and filled again.
  [[nodiscard]] Phase killed();
  /// The server is stopped by SIGSTOP and continued by SIGCONT.
  [[nodiscard]] Phase stopped();
  /// The server is busy again and again: for half a deadline, for one and a half, for two and a
  /// half.
  [[nodiscard]] Phase slow();

 private:
  template <class Fault>
  [[nodiscard]] Phase repeat(std::string name, Fault fault);
  [[nodiscard]] Phase end(Phase phase) const;

  live::RedisServer& server_;
  const std::string data_file_;
  const ScriptTimes times_;
};

}  // namespace millrace::bench
