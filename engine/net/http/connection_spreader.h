#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/owned_timer.h"
#include "net/http/http_handler.h"
#include "net/http/http_server.h"
#include "net/listener.h"

namespace millrace::net {

/// Gives each connection that comes in to the loop with the fewest open ones, the first of them if
/// several have as few. Counts the connections of all loops together: beyond `connections_max`, or
/// when the system has no descriptor left, the connection that is idle for the longest time makes
/// room. While none is idle, newcomers wait: one per listener here, all others in the backlog.
///
/// How room is found: the spreader asks the server with the longest idle connection to close it. If
/// none is idle, it asks all servers to say when one becomes idle or closes. Every question gets
/// exactly one answer, and each answer makes it look again.
///
/// Threading: the accepting loop, whose listeners it serves; questions and answers are posted.
/// Lifetime: borrows loops, servers, handlers and listeners. Before it is destroyed, listeners are
/// destroyed and `stop` is called on the accepting loop, then the servers are destroyed on theirs,
/// then all loops stop, the accepting one last.
class ConnectionSpreader {
 public:
  struct Target {
    loop::Loop* loop = nullptr;
    HttpServer* server = nullptr;
  };
  class Port;

  ConnectionSpreader(loop::Loop& accepting, std::size_t connections_max);
  ~ConnectionSpreader();
  ConnectionSpreader(const ConnectionSpreader&) = delete;
  ConnectionSpreader& operator=(const ConnectionSpreader&) = delete;

  /// Adds a server, before anything comes in.
  /// Threading: the thread of `loop`, or any before loops run anything.
  void add_target(loop::Loop& loop, HttpServer& server);
  /// Adds what a listener needs as its acceptor. `handlers` has one for each target.
  [[nodiscard]] Port& add_port(std::vector<HttpHandler*> handlers);

  /// Closes the connections that wait here, and looks at no server from now on.
  /// Threading: the accepting loop.
  void stop();

  /// Open connections of a target, with those that are on their way to it.
  /// Threading: any thread.
  [[nodiscard]] std::size_t open_count(std::size_t target) const;
  [[nodiscard]] std::size_t open_count() const;

 private:
  class Door;

  void on_answer();
  [[nodiscard]] bool try_place(Port& port);
  void look_for_room();
  void on_retry();

  loop::Loop& accepting_;
  const std::size_t connections_max_;
  std::vector<std::unique_ptr<Door>> doors_;
  std::vector<std::unique_ptr<Port>> ports_;
  bool is_stopped_ = false;  // servers may be gone
  loop::OwnedTimer<ConnectionSpreader, &ConnectionSpreader::on_retry> retry_timer_;
};

/// The acceptor of one listener.
/// Threading: the accepting loop.
class ConnectionSpreader::Port final : public Acceptor {
 public:
  /// Says whose acceptor it is, before that accepts.
  void set_listener(Listener& listener) { listener_ = &listener; }
  /// Called after `Listener::close_after_backlog`, when the listener is closed; may be empty.
  std::function<void()> on_closed;
  /// Called when the system refuses to accept, for the log; may be empty.
  std::function<void(const base::Error&)> on_refused;

  void on_incoming(std::unique_ptr<Incoming> incoming) override;
  void on_accept_paused(const base::Error& reason) override;
  void on_listener_closed() override;

 private:
  friend class ConnectionSpreader;
  Port(ConnectionSpreader& spreader, std::vector<HttpHandler*> handlers);

  ConnectionSpreader& spreader_;
  const std::vector<HttpHandler*> handlers_;
  Listener* listener_ = nullptr;
  // At most those that the listener had accepted before it could be paused.
  std::vector<std::unique_ptr<Incoming>> waiting_;
  bool is_starved_ = false;  // the system refused to accept
};

}  // namespace millrace::net
