#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace millrace::bench {

/// What both servers answer to every request, with its length in the head.
[[nodiscard]] const std::string& reply_body();

/// A server under measurement: one thread that serves loopback.
/// Threading: the thread that made it.
class Served {
 public:
  virtual ~Served() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  /// The id of its thread.
  [[nodiscard]] virtual pid_t thread() const = 0;
};

/// Puts the thread of a server where servers belong.
void place_served(const Served& server);

/// CPU time that a thread of this process has used, user and kernel, in seconds.
[[nodiscard]] double cpu_seconds(pid_t thread);

}  // namespace millrace::bench
