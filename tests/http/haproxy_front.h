#pragma once

#include <cstddef>
#include <string>

#include <sys/types.h>

#include "net/address.h"

namespace millrace::http_tests {

/// A real HAProxy on loopback that passes requests on to one server, all over the same few
/// connections: bytes that both read differently would end up in the answer of somebody else.
/// Threading: the thread of the test. Lifetime: its destructor ends the process.
class HaproxyFront {
 public:
  explicit HaproxyFront(const net::Address& server);
  ~HaproxyFront();
  HaproxyFront(const HaproxyFront&) = delete;
  HaproxyFront& operator=(const HaproxyFront&) = delete;

  /// Sends bytes and the end of input on a connection of its own; gives all that comes back. The
  /// end of input follows only once `answer_count` answers have begun: HAProxy drops the second of
  /// two requests sent together if it learns of the end while it still answers the first.
  [[nodiscard]] std::string ask(const std::string& bytes, std::size_t answer_count = 0) const;

 private:
  net::Address address_;
  std::string folder_;
  pid_t pid_ = -1;
};

}  // namespace millrace::http_tests
