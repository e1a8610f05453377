#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "net/address.h"
#include "net/stream.h"
#include "net/tls_context.h"

namespace millrace::net {

template <class Owner>
class UvHandle;
class UvListener;
class UvStream;

/// A connection that a peer has made and nobody has taken yet; dropping it closes it.
/// Threading: loop thread.
class Incoming {
 public:
  Incoming(loop::EventLoop& loop,
           UvHandle<UvStream>& handle,
           std::shared_ptr<const TlsContext> tls);
  ~Incoming();
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;

  /// Makes it a stream, which calls `on_connected` first, as one that was opened from here. Once.
  [[nodiscard]] std::unique_ptr<Stream> take(StreamListener& listener);

 private:
  loop::EventLoop& loop_;
  UvHandle<UvStream>* handle_;
  std::shared_ptr<const TlsContext> tls_;
};

/// Who gets the connections of a listener.
class Acceptor {
 public:
  virtual ~Acceptor() = default;
  /// Threading: loop thread. May destroy the listener.
  virtual void on_incoming(Incoming& incoming) = 0;
};

/// Listens on a TCP address or a unix socket.
/// Threading: loop thread.
/// Lifetime: borrows loop and acceptor; destroyed on the loop thread before the loop stops.
class UvListener {
 public:
  static constexpr int kBacklog = 128;
  static constexpr base::Duration kHandshakeTimeout = std::chrono::seconds(10);

  /// `address.host` is an IP address; port 0 takes a free one. A unix path must not exist; libuv
  /// removes it again. With `tls` every stream is encrypted.
  [[nodiscard]] static base::Result<std::unique_ptr<UvListener>> listen(
      loop::EventLoop& loop,
      const Address& address,
      Acceptor& acceptor,
      const std::optional<TlsOptions>& tls = {});
  ~UvListener();
  UvListener(const UvListener&) = delete;
  UvListener& operator=(const UvListener&) = delete;

  /// Where it listens, with the port that was taken.
  [[nodiscard]] const Address& address() const { return address_; }

  /// What libuv calls.
  void on_connection(int status);

 private:
  UvListener(loop::EventLoop& loop, Address address, Acceptor& acceptor);
  [[nodiscard]] int open();
  [[nodiscard]] int bind_tcp();

  loop::EventLoop& loop_;
  Acceptor& acceptor_;
  Address address_;
  UvHandle<UvListener>* handle_ = nullptr;
  std::shared_ptr<const TlsContext> tls_;
};

}  // namespace millrace::net
