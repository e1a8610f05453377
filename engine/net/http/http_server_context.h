#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/metrics/metric_cell.h"
#include "base/sync/atomics.h"
#include "base/wall_clock.h"
#include "loop/executor.h"
#include "loop/loop.h"
#include "net/http/gzip.h"
#include "net/http/http_reply_writer.h"
#include "net/http/http_server_settings.h"
#include "net/http/http_wait_list.h"

namespace millrace::net {

class HttpServerConnection;

/// What the server of one loop has done: the loop thread writes, any thread reads.
struct alignas(base::kApartBytes) HttpServerCells {
  base::GaugeCell connections;  ///< open now
  base::CounterCell accepted;
  base::CounterCell requests;  ///< whose head was complete
  base::CounterCell refused;   ///< answered by the connection itself
  base::CounterCell gone;      ///< requests whose client went away
  base::CounterCell bytes_in;
  base::CounterCell bytes_out;
};

/// What the connections of one server share.
/// Threading: loop thread. Lifetime: borrows loop, clock and workers.
class HttpServerContext {
 public:
  static constexpr std::size_t kReadBytes = std::size_t{64} << 10;

  HttpServerContext(loop::Loop& on_loop,
                    const HttpServerSettings& of_server,
                    const base::WallClock& wall,
                    loop::Executor* for_gzip)
      : loop(on_loop), settings(of_server), wall_clock(wall), gzip_workers(for_gzip) {}
  HttpServerContext(const HttpServerContext&) = delete;
  HttpServerContext& operator=(const HttpServerContext&) = delete;
  virtual ~HttpServerContext() = default;

  /// Lets the owner of `link` wait, from `start` on and for as long as `wait` may take. A wait that
  /// it began before ends.
  virtual void wait(HttpWaitLink& link, HttpWait wait, base::TimePoint start) = 0;
  /// Ends the wait, if there is one.
  virtual void stop_waiting(HttpWaitLink& link) = 0;
  /// Calls `HttpServerConnection::resume` in a later step of the loop.
  virtual void schedule(HttpServerConnection& connection) = 0;
  /// The connection is closed: destroys it in a later step of the loop.
  virtual void retire(HttpServerConnection& connection) = 0;

  [[nodiscard]] base::TimePoint now() const { return loop.clock().now(); }
  /// Says that work on requests begins, which may be the first in this turn of the loop.
  void begin_work(base::TimePoint time) {
    if (turn_number_ == loop.turn_number()) return;
    turn_number_ = loop.turn_number();
    turn_begin_ = time;
  }
  /// Whether requests have had their time in this turn; after `begin_work`.
  [[nodiscard]] bool is_turn_spent(base::TimePoint time) const {
    return time - turn_begin_ >= kHttpTurnTime;
  }
  [[nodiscard]] std::string_view date_now() { return date_.at(wall_clock.now()); }

  loop::Loop& loop;
  const HttpServerSettings settings;
  const base::WallClock& wall_clock;
  loop::Executor* const gzip_workers;  // nullptr: the loop compresses all
  /// Whether replies say that the connection closes.
  bool closes_connections = false;
  /// Whether connections without a request are not kept.
  bool closes_idle = false;
  HttpServerCells cells;
  /// Compresses replies on the loop; made when first needed.
  std::optional<GzipDeflater> deflater;
  /// Where bytes arrive; used between `read_space` and the end of `on_read`.
  std::array<char, kReadBytes> read_buffer;

 private:
  HttpDate date_;
  std::uint64_t turn_number_ = 0;  // of the turn that `turn_begin_` belongs to
  base::TimePoint turn_begin_{};   // when requests were first worked on in it
};

}  // namespace millrace::net
