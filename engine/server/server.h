#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "base/log/async_log_sink.h"
#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/random.h"
#include "host/engine.h"
#include "host/project.h"
#include "host/settings.h"
#include "net/http/connection_spreader.h"
#include "net/http/http_server.h"
#include "net/uv_listener.h"
#include "server/front.h"
#include "server/overload/limit_controller.h"
#include "server/readiness.h"
#include "server/server_settings.h"
#include "server/start_check.h"

namespace millrace::server {

/// A process that ranks over HTTP: an engine, a front and a server of connections per loop, and the
/// listeners. The last loop accepts.
///
/// How it ends (S47), by whoever owns it: `begin_drain`, a time of full service, `stop_accepting`,
/// wait until `is_idle`, and at the latest `give_up`.
/// Threading: one thread makes, uses and destroys it, outside the loops.
/// Lifetime: borrows project, logger and log sink.
class Server {
 public:
  struct Parts {
    std::unique_ptr<host::Engine> engine;
    const host::Project& project;
    base::Logger* log = nullptr;
    const base::AsyncLogSink* log_sink = nullptr;  ///< whose drops are counted; may be null
    std::string plan_dir = {};                     ///< where files for warm-up are; may be empty
  };
  /// Opens the listeners. On failure nothing is left open.
  [[nodiscard]] static std::expected<std::unique_ptr<Server>, host::StartError> start(
      Parts parts, const ServerSettings& settings);
  /// Closes all connections; requests under way are cancelled and awaited.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Where it listens, with the ports that were taken; that of the admin listener last.
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }
  [[nodiscard]] const Readiness& readiness() const { return readiness_; }

  /// Reads the key file again, if there is one, and uses its keys for all requests that come from
  /// now on. A file with problems changes nothing.
  [[nodiscard]] std::expected<void, host::StartError> reload_keys();

  /// From now on the server is not ready, and replies close their connections.
  void begin_drain();
  /// Accepts what waits, closes the listeners and the idle connections.
  void stop_accepting();
  /// Whether no connection is open and no request under way.
  [[nodiscard]] bool is_idle();
  /// Answers what is still under way with 503 `draining`, and closes all connections.
  void give_up();

 private:
  struct Unit;
  struct OpenListener;

  Server(Parts parts, const ServerSettings& settings);
  [[nodiscard]] std::expected<void, host::StartError> listen(const std::string& text,
                                                             ListenerKind kind);
  [[nodiscard]] std::vector<StartTrial> make_trials();
  [[nodiscard]] std::optional<std::string> warm_up(const std::string& plan);
  [[nodiscard]] std::string metrics_page(std::string_view accept) const;
  [[nodiscard]] std::string stats_page() const;
  [[nodiscard]] std::expected<void, host::StartError> read_keys();
  void bind_plans();
  void close();

  const host::Project& project_;
  const ServerSettings settings_;
  const std::string plan_dir_;
  base::Logger* const log_;
  const base::AsyncLogSink* const log_sink_;
  std::vector<std::string> addresses_;
  std::shared_ptr<const AccessKeys> keys_;  // shared with the fronts and requests under way
  Readiness readiness_;
  std::unique_ptr<LoopPulses> pulses_;
  base::GaugeCell one_;                       // the value of every info metric
  std::vector<std::unique_ptr<Unit>> units_;  // by loop
  std::unique_ptr<net::ConnectionSpreader> spreader_;
  std::unique_ptr<host::Engine> engine_;
  std::unique_ptr<base::MetricBinding> info_;
  std::unique_ptr<LimitController> limit_;  // goes before the engine, after the fronts
  std::vector<std::unique_ptr<OpenListener>> listeners_;
  std::unique_ptr<StartCheck> start_check_;
};

}  // namespace millrace::server
