#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/wall_clock.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "loop/owned_job.h"
#include "loop/owned_timer.h"
#include "net/http/http_handler.h"
#include "net/http/http_server_context.h"
#include "net/http/http_server_settings.h"
#include "net/http/http_wait_list.h"
#include "net/listener.h"

namespace millrace::net {

/// Who wants to know what becomes of the connections of a server. Must not call the server.
/// Threading: loop thread of the server.
class HttpServerWatcher {
 public:
  virtual ~HttpServerWatcher() = default;
  /// A connection is closed and counts no longer.
  virtual void on_connection_closed() = 0;
  /// A connection waits for its next request.
  virtual void on_connection_idle() = 0;
};

/// Serves HTTP/1.1 on one loop: the connections there, their limits and timeouts. What the requests
/// mean is the business of an `HttpHandler`.
///
/// Closed connections are destroyed by a job of the loop, so that a connection may close itself
/// wherever it is.
/// Threading: loop thread, unless it says otherwise. Destroyed on the loop thread, or when the loop
/// runs no more.
/// Lifetime: borrows loop, clock, workers, watcher and handlers.
class HttpServer final : private HttpServerContext {
 public:
  struct Parts {
    loop::Loop& loop;
    const base::WallClock& wall_clock = base::system_wall_clock();
    loop::Executor* gzip_workers = nullptr;  ///< compress large replies; the loop does it if absent
  };
  explicit HttpServer(const Parts& parts, const HttpServerSettings& settings = {});
  /// Closes all connections; requests under way are gone.
  ~HttpServer() override;

  /// Nullptr for nobody.
  void set_watcher(HttpServerWatcher* watcher) { watcher_ = watcher; }

  /// Serves a connection; `handler` answers its requests.
  void take(std::unique_ptr<Incoming> incoming, HttpHandler& handler);

  [[nodiscard]] std::size_t connection_count() const { return connections_.size(); }
  [[nodiscard]] std::size_t idle_count() const { return list(HttpWait::kIdle).size(); }
  [[nodiscard]] const HttpServerCells& counters() const { return cells; }
  /// When the connection that is idle for the longest time became so; nothing if none is idle. One
  /// that was just taken is not: it has the time for a head to begin its first request.
  /// Threading: any thread; it may have changed since.
  [[nodiscard]] std::optional<base::TimePoint> find_longest_idle() const;

  /// Closes the connection that is idle for the longest time. False if none is idle.
  [[nodiscard]] bool try_close_longest_idle();
  /// From now on every reply says `Connection: close`.
  void announce_close() { closes_connections = true; }
  /// Closes the idle connections and `announce_close`: those that are left end with their reply.
  /// Connections that have not asked yet, and those that are taken later, must begin their request
  /// within the time for a head.
  void close_idle();
  /// Closes all connections; requests under way are gone.
  void close_all();

 private:
  void wait(HttpWaitLink& link, HttpWait wait, base::TimePoint start) override;
  void stop_waiting(HttpWaitLink& link) override;
  void schedule(HttpServerConnection& connection) override;
  void retire(HttpServerConnection& connection) override;
  void on_timer();
  void on_job();
  /// Lets connections go on whose bytes wait, for as long as this turn of the loop allows.
  void resume_scheduled();
  [[nodiscard]] base::Duration timeout_of(HttpWait wait) const;
  [[nodiscard]] HttpWaitList& list(HttpWait wait) { return lists_[static_cast<std::size_t>(wait)]; }
  [[nodiscard]] const HttpWaitList& list(HttpWait wait) const {
    return lists_[static_cast<std::size_t>(wait)];
  }
  /// Ends the wait of the first in the list.
  void end_first_wait(HttpWait wait);
  void limit_reading();
  void publish_longest_idle();
  void arm(base::TimePoint when);

  HttpServerWatcher* watcher_ = nullptr;
  std::array<HttpWaitList, kHttpWaitCount> lists_;
  std::vector<std::unique_ptr<HttpServerConnection>> connections_;
  std::vector<std::unique_ptr<HttpServerConnection>> retired_;
  std::vector<HttpServerConnection*> scheduled_;
  std::vector<HttpServerConnection*> resumed_;  // used by `resume_scheduled`; kept for its memory
  std::optional<base::TimePoint> armed_at_;
  // Publishes the start of the longest idle time, in nanoseconds, to whoever spreads connections;
  // nothing else is read by it.
  std::atomic<std::int64_t> longest_idle_;
  loop::OwnedTimer<HttpServer, &HttpServer::on_timer> timer_;
  loop::OwnedJob<HttpServer, &HttpServer::on_job> job_;
};

}  // namespace millrace::net
