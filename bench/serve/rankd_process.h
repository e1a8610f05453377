#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace millrace::bench {

/// The processors of a measurement: the client has the last one, the servers have the others.
struct Placement {
  std::vector<int> client;
  std::vector<int> servers;
};
/// On a machine with one processor all share it.
[[nodiscard]] Placement placement();

/// How `rankd` is to be started.
struct RankdOptions {
  std::vector<std::string> arguments = {};
  std::vector<std::string> environment = {};  ///< NAME=VALUE, besides that of this process
  std::string log_file = "/dev/null";         ///< gets its stderr
  bool on_all_processors = false;             ///< not only on those of servers
};

/// The program `rankd serve` as a process, on the processors of servers.
/// Threading: not shared.
class RankdProcess {
 public:
  /// Starts it on free ports of loopback, one for admin routes too, and waits until it is ready.
  [[nodiscard]] static base::Result<std::unique_ptr<RankdProcess>> serve(RankdOptions options);
  ~RankdProcess();
  RankdProcess(const RankdProcess&) = delete;
  RankdProcess& operator=(const RankdProcess&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint16_t admin_port() const { return admin_port_; }
  /// CPU time of all its threads so far, user and kernel, in seconds.
  [[nodiscard]] double cpu_seconds() const;
  [[nodiscard]] double resident_bytes() const;
  /// The text of `GET /metrics`.
  [[nodiscard]] base::Result<std::string> metrics() const;

 private:
  explicit RankdProcess(pid_t process) : process_(process) {}
  [[nodiscard]] base::Status await_ready(const std::string& log_file);

  const pid_t process_;
  std::uint16_t port_ = 0;
  std::uint16_t admin_port_ = 0;
};

/// Runs `rankd` to its end and gives what it printed. Fails unless it exits with 0.
[[nodiscard]] base::Result<std::string> run_rankd(const RankdOptions& options);

/// The sum of the values of a metric over its series whose labels contain `labels`.
[[nodiscard]] std::optional<double> metric_of(std::string_view metrics,
                                              std::string_view name,
                                              std::string_view labels = "");

}  // namespace millrace::bench
