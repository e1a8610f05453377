#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/faults/phase_report.h"
#include "tests/redis/redis_server.h"

namespace millrace::bench {

/// How long things last.
struct ScriptTimes {
  base::Duration healthy = std::chrono::seconds(4);
  base::Duration fault = std::chrono::seconds(1);
  base::Duration calm = std::chrono::milliseconds(1500);    ///< after each recovery
  base::Duration deadline = std::chrono::milliseconds(50);  ///< of requests
  int rounds = 3;                                           ///< of each fault
};

/// Puts a server into trouble, one kind per phase, and says when that was.
/// Threading: not shared. Lifetime: borrows the server.
class FaultScript {
 public:
  /// `data_file` is what the server is given after a restart.
  FaultScript(live::RedisServer& server, std::string data_file, const ScriptTimes& times)
      : server_(server), data_file_(std::move(data_file)), times_(times) {}

  [[nodiscard]] Phase healthy() const;
  /// Killed, later started empty and filled again.
  [[nodiscard]] Phase killed();
  /// SIGSTOP, later SIGCONT.
  [[nodiscard]] Phase stopped();
  /// Busy for some time again and again: half a deadline, one and a half, two and a half.
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
