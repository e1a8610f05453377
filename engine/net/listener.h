#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/stream.h"

namespace millrace::net {

/// A connection that a peer has made and that is no stream yet. It belongs to no loop, so it may be
/// handed to another thread. Destroying it closes the connection, unless it was adopted.
/// Threading: one thread at a time.
class Incoming {
 public:
  Incoming() = default;
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;
  virtual ~Incoming() = default;

  /// Makes it a stream of `loop`, which calls `on_connected` first, like a stream that was opened
  /// from here. Once. An accepted socket needs an EventLoop; a fake takes any loop.
  /// Threading: thread of `loop`.
  [[nodiscard]] virtual std::unique_ptr<Stream> adopt(loop::Loop& loop,
                                                      StreamListener& listener) = 0;
  /// Who has connected, for messages.
  [[nodiscard]] virtual const std::string& peer() const = 0;
};

/// Who gets the connections of a listener. Each call may destroy the listener.
/// Threading: loop thread. Never called inside a method of the listener.
class Acceptor {
 public:
  virtual ~Acceptor() = default;
  virtual void on_incoming(std::unique_ptr<Incoming> incoming) = 0;
  /// The system has no descriptor or memory left for another connection. The listener has paused
  /// itself; those who connect wait in its backlog until `resume`.
  virtual void on_accept_paused(const base::Error& reason) = 0;
  /// Called last, after `close_after_backlog`: the listener is closed.
  virtual void on_listener_closed() = 0;
};

/// Waits for connections.
/// Threading: loop thread.
/// Lifetime: borrows loop and acceptor; destroyed on the loop thread before the loop stops.
/// Destroying it refuses those who wait in the backlog.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  /// Where it listens, with the port that was taken.
  [[nodiscard]] virtual const Address& address() const = 0;

  /// Stops accepting until `resume`: whoever connects meanwhile waits in the backlog.
  virtual void pause() = 0;
  virtual void resume() = 0;

  /// Accepts what waits in the backlog, even while paused, then closes and calls
  /// `on_listener_closed`.
  virtual void close_after_backlog() = 0;
};

}  // namespace millrace::net
