#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "net/descriptor.h"
#include "server/route_table.h"

// What systemd and its like want to know, and what they hand down (S48): the protocol of sd_notify
// and LISTEN_FDS, by hand.

namespace millrace::server {

/// Tells a service manager how the process is.
/// Threading: any thread.
class ServiceManager {
 public:
  /// Without a socket nobody is told. A path that begins with `@` is in the abstract namespace.
  explicit ServiceManager(std::string socket_path = {},
                          std::optional<base::Duration> watchdog = {});
  /// From `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`, which are then unset, so that no
  /// child process takes them for its own.
  [[nodiscard]] static ServiceManager from_environment();

  [[nodiscard]] bool is_present() const { return !socket_path_.empty(); }
  /// How often it wants to hear of the process; half of the time after which it would end it.
  [[nodiscard]] const std::optional<base::Duration>& watchdog_pause() const {
    return watchdog_pause_;
  }

  void tell_ready() const { send("READY=1\n"); }
  void tell_reloading(base::TimePoint now) const;
  void tell_stopping() const { send("STOPPING=1\n"); }
  void tell_alive() const { send("WATCHDOG=1\n"); }

 private:
  void send(std::string_view state) const;

  std::string socket_path_;
  std::optional<base::Duration> watchdog_pause_;
};

/// A listening socket that was handed down.
struct InheritedSocket {
  net::Descriptor descriptor;
  ListenerKind listener = ListenerKind::kMain;
};

/// The variables of the protocol, as texts; nullptr: not set.
struct ListenVariables {
  const char* pid = nullptr;    ///< `LISTEN_PID`
  const char* count = nullptr;  ///< `LISTEN_FDS`
  const char* names = nullptr;  ///< `LISTEN_FDNAMES`, separated by colons
};

/// Says for each descriptor from 3 on which listener it is: the one named `admin`, else `main`.
/// Empty if the variables are not for this process.
[[nodiscard]] std::vector<ListenerKind> read_listen_variables(const ListenVariables& variables,
                                                              long own_pid);
/// Takes over what the environment names, and unsets the variables.
[[nodiscard]] std::vector<InheritedSocket> take_inherited_sockets();

}  // namespace millrace::server
