#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <sys/types.h>

#include "base/error.h"
#include "base/result.h"
#include "net/address.h"
#include "net/descriptor.h"

namespace millrace::net {

/// Connections that wait to be accepted; the kernel may allow fewer.
inline constexpr int kBacklog = 1024;

/// A socket that listens, without an event loop: it never blocks.
/// Threading: one thread at a time.
class ListeningSocket {
 public:
  /// Rights of a unix socket: its owner and its group may connect.
  static constexpr mode_t kUnixMode = 0660;

  /// `address.host` is an IP address; port 0 takes a free one. If the path of a unix socket exists
  /// and nobody listens there, it is replaced; if somebody does, or it is no socket, that is an
  /// error. Destroying the socket removes its path.
  [[nodiscard]] static base::Result<ListeningSocket> open(const Address& address,
                                                          int backlog = kBacklog);
  /// Takes over a stream socket that listens already. Its path, if it has one, is left alone.
  [[nodiscard]] static base::Result<ListeningSocket> inherit(Descriptor descriptor);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket() { close(); }

  struct Accepted {
    Descriptor descriptor;
    std::string peer;  ///< its address, for messages
  };
  enum class Nothing : std::uint8_t {
    kNoneWaits,   ///< the backlog is empty
    kTryAgain,    ///< one connection failed before it was accepted; others may wait
    kNoResource,  ///< no descriptor or memory is left; `last_error` says which
  };
  /// Accepts one connection, whose descriptor does not block.
  [[nodiscard]] std::variant<Accepted, Nothing> accept();
  [[nodiscard]] base::Error last_error() const;

  void close();
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  /// Where it listens, with the port that was taken.
  [[nodiscard]] const Address& address() const { return address_; }

 private:
  struct PathOwner {
    dev_t device;
    ino_t inode;
  };

  ListeningSocket(Descriptor descriptor, Address address);
  [[nodiscard]] base::Status bind_unix();
  [[nodiscard]] base::Status bind_ip();
  [[nodiscard]] base::Status read_address();

  Descriptor descriptor_;
  Address address_;
  int last_errno_ = 0;
  // Which file the path was when we made it, so that no other server's socket is removed.
  std::optional<PathOwner> own_path_;
};

}  // namespace millrace::net
