#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace millrace::bench {

/// A program that takes part in a measurement, on all processors.
/// Threading: not shared. Lifetime: its destructor kills the program.
class BusProcess {
 public:
  /// Starts it; all that it prints goes to the file.
  [[nodiscard]] static base::Result<std::unique_ptr<BusProcess>> start(
      std::vector<std::string> words, const std::string& log_file);
  ~BusProcess();
  BusProcess(const BusProcess&) = delete;
  BusProcess& operator=(const BusProcess&) = delete;

  /// CPU time of all its threads so far, user and kernel, in seconds.
  [[nodiscard]] double cpu_seconds() const;
  [[nodiscard]] bool has_ended();

 private:
  explicit BusProcess(pid_t process) : process_(process) {}
  const pid_t process_;
  bool has_ended_ = false;
};

/// A real nats-server on a free port of loopback.
struct BusServer {
  std::unique_ptr<BusProcess> process;
  std::string url;
  /// `folder` gets its log and the store of JetStream.
  [[nodiscard]] static base::Result<BusServer> start(const std::string& folder);
};

/// Waits a moment, between two looks at something.
void wait_a_moment();

[[nodiscard]] std::string rankd_program();
/// A responder of `echo_main.cpp` with these words behind the address.
[[nodiscard]] base::Result<std::unique_ptr<BusProcess>> start_echo(const BusServer& server,
                                                                   std::vector<std::string> words,
                                                                   const std::string& folder);

}  // namespace millrace::bench
