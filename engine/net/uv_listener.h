#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/owned_job.h"
#include "net/address.h"
#include "net/descriptor.h"
#include "net/listener.h"
#include "net/listening_socket.h"
#include "net/stream.h"
#include "net/tls_context.h"

namespace millrace::net {

struct UvListenerOptions {
  std::optional<TlsOptions> tls = {};  ///< then every stream is encrypted
  base::Duration handshake_timeout = std::chrono::seconds(5);
  int backlog = kBacklog;  ///< connections that wait to be accepted
};

/// Listens on a TCP address or a unix socket.
///
/// libuv only says when the socket has connections; the listener accepts them itself. So a
/// connection is a plain descriptor until some loop adopts it, which libuv's own accept cannot do.
/// Threading: loop thread.
class UvListener final : public Listener {
 public:
  /// So many connections are accepted before other events of the loop get their turn.
  static constexpr int kAcceptsPerTurnMax = 64;

  /// `address.host` is an IP address; port 0 takes a free one. See `ListeningSocket::open` for what
  /// happens to the path of a unix socket.
  [[nodiscard]] static base::Result<std::unique_ptr<UvListener>> listen(
      loop::EventLoop& loop,
      const Address& address,
      Acceptor& acceptor,
      const UvListenerOptions& options = {});
  /// Takes over a socket that listens already, as a service manager hands it down. On an error the
  /// descriptor is closed.
  [[nodiscard]] static base::Result<std::unique_ptr<UvListener>> inherit(
      loop::EventLoop& loop,
      Descriptor descriptor,
      Acceptor& acceptor,
      const UvListenerOptions& options = {});
  ~UvListener() override;

  [[nodiscard]] const Address& address() const override { return socket_.address(); }
  void pause() override;
  void resume() override;
  void close_after_backlog() override;

  /// Reads the files again, or other ones, for the connections that come from now on. On an error
  /// nothing changes. Only for a listener that was made with TLS.
  [[nodiscard]] base::Status replace_tls(const TlsOptions& options);

 private:
  struct Poll;

  UvListener(loop::EventLoop& loop,
             ListeningSocket socket,
             Acceptor& acceptor,
             const UvListenerOptions& options);
  [[nodiscard]] static base::Result<std::unique_ptr<UvListener>> make(
      loop::EventLoop& loop,
      ListeningSocket socket,
      Acceptor& acceptor,
      const UvListenerOptions& options);
  [[nodiscard]] base::Status start_polling();
  void update_polling();
  void on_readable();
  void on_close_job();
  /// Accepts at most `count_max` connections. False: the acceptor destroyed this listener.
  [[nodiscard]] bool accept_some(int count_max);
  void close();

  loop::EventLoop& loop_;
  Acceptor& acceptor_;
  const UvListenerOptions options_;
  ListeningSocket socket_;
  std::shared_ptr<const TlsContext> tls_;  // owners: this and the incoming connections
  Poll* poll_ = nullptr;                   // nullptr once closed
  bool paused_ = false;
  bool closing_ = false;
  loop::OwnedJob<UvListener, &UvListener::on_close_job> close_job_;
};

}  // namespace millrace::net
