#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::nats {

/// One header of a message. Names are compared as NATS does: exactly.
struct Header {
  std::string name;
  std::string value;
};

/// A message that came, or is to be sent.
struct Message {
  std::string subject = {};
  std::string reply = {};  ///< where the answer goes; empty: nobody waits for one
  std::string data = {};
  std::vector<Header> headers = {};
  bool says_no_responders = false;  ///< the server's: nobody listens on the subject

  /// The value of the first header of that name.
  [[nodiscard]] std::optional<std::string_view> find_header(std::string_view name) const {
    for (const Header& header : headers) {
      if (header.name == name) return header.value;
    }
    return std::nullopt;
  }
};

}  // namespace millrace::nats
