#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stalling_proxy.h"

namespace millrace::live {

/// A network that can be cut: until it is mended every packet is lost, and nobody is told.
///
/// Where the test may have a network namespace of its own, the first network moves the program into
/// one, with nothing but loopback, and cuts with nftables. Elsewhere a proxy swallows the bytes;
/// then new connections are taken and stay silent, instead of not being made.
/// Threading: not shared; made before the program has other threads or sockets.
class Network {
 public:
  Network();

  /// What cuts it, for the log of a test.
  [[nodiscard]] std::string how() const;
  /// Where programs beyond the network find a server.
  [[nodiscard]] std::uint16_t port_of(std::uint16_t server_port);
  void cut();
  void mend();

 private:
  bool has_namespace_ = false;
  std::uint16_t server_port_ = 0;
  std::unique_ptr<StallingProxy> proxy_;
};

}  // namespace millrace::live
