#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace millrace::bench {

/// Sends and receives bytes on one connection without parsing them: the cost that an exchange has
/// for every client, server and kernel included. Throws if the connection breaks.
/// Threading: not shared.
class RawExchange {
 public:
  explicit RawExchange(std::uint16_t port);
  ~RawExchange();
  RawExchange(const RawExchange&) = delete;
  RawExchange& operator=(const RawExchange&) = delete;

  /// The bytes of the replies to these commands.
  [[nodiscard]] std::string ask(std::string_view commands);
  /// How long it takes until `reply_bytes` bytes have come back.
  [[nodiscard]] base::Duration time(std::string_view commands, std::size_t reply_bytes);

 private:
  void send(std::string_view bytes) const;
  [[nodiscard]] std::string_view receive();

  int socket_ = -1;
  std::vector<char> buffer_;
};

/// A command in the wire format of the protocol.
[[nodiscard]] std::string command_text(const std::vector<std::string>& words);

}  // namespace millrace::bench
