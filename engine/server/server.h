#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/log/async_log_sink.h"
#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metric_cell.h"
#include "base/random.h"
#include "host/engine.h"
#include "host/extensions.h"
#include "host/settings.h"
#include "net/uv_listener.h"
#include "observe/slow_capture.h"
#include "server/admin_desk.h"
#include "server/generations/plan_reloader.h"
#include "server/generations/reload_thread.h"
#include "server/generations/retirement.h"
#include "server/graphs/graph_desk.h"
#include "server/nats/nats_front.h"
#include "server/observation/metric_pages.h"
#include "server/observation/trace_export.h"
#include "server/overload/limit_controller.h"
#include "server/readiness.h"
#include "server/server_settings.h"
#include "server/service_notice.h"
#include "server/serving/serving_loops.h"
#include "server/start_check.h"

namespace millrace::server {

/// A process that ranks over HTTP: an engine, a front and a server of connections per loop, and the
/// listeners. The last loop accepts.
///
/// How it ends (S47), by whoever owns it: `begin_drain`, a time of full service, `stop_accepting`,
/// wait until `is_idle`, and at the latest `give_up`.
/// Threading: one thread makes, uses and destroys it, outside the loops.
/// Lifetime: borrows logger, log sink and the desk of the graph.
class Server final : private AdminDesk {
 public:
  struct Parts {
    std::unique_ptr<host::Engine> engine;
    host::Settings host;                           ///< what the engine was started with
    std::function<host::Extensions()> extensions;  ///< for later readings of the registry
    base::Logger* log = nullptr;
    const base::AsyncLogSink* log_sink = nullptr;  ///< whose drops are counted; may be null
    GraphDesk* graphs = nullptr;                   ///< of the graph beside the plans; may be null
    /// Sockets that listen already. Those of a kind replace the addresses of that kind.
    std::vector<InheritedSocket> inherited = {};
  };
  /// Opens the listeners. On failure nothing is left open.
  [[nodiscard]] static std::expected<std::unique_ptr<Server>, host::StartError> start(
      Parts parts, const ServerSettings& settings);
  /// Closes all connections; requests under way are cancelled and awaited.
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Where it listens, with the ports that were taken; that of the admin listener last.
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }
  [[nodiscard]] const Readiness& readiness() const { return readiness_; }

  /// Reads plans, registry, data, keys and TLS files again, soon. `done`, if there is one, is
  /// called on another thread when that is over, whatever came of it.
  void request_reload(std::function<void()> done = {});
  /// Whether every event loop turns.
  [[nodiscard]] bool is_live() const;

  /// From now on the server is not ready, and replies close their connections.
  void begin_drain();
  /// Accepts what waits, closes the listeners and the idle connections.
  void stop_accepting() { loops_->stop_accepting(); }
  /// Whether no connection is open and no request under way.
  [[nodiscard]] bool is_idle() { return nats_.is_idle() && loops_->is_idle(); }
  /// Answers what is still under way with 503 `draining`, and closes all connections.
  void give_up() { loops_->give_up(); }

 private:
  struct TlsListener {
    net::UvListener* listener = nullptr;
    net::TlsOptions tls;
  };

  Server(Parts parts, const ServerSettings& settings);
  void start_loops();
  [[nodiscard]] std::unique_ptr<ServingLoop> make_loop(std::size_t index);
  /// What a loop is to use of the generation that was published last.
  [[nodiscard]] LoopPlans plans_of(std::size_t loop) const;
  /// Opens all listeners.
  [[nodiscard]] std::expected<void, host::StartError> open_listeners(
      std::vector<InheritedSocket> inherited);
  /// Listens at an address, or on a socket that listens already.
  [[nodiscard]] std::expected<void, host::StartError> listen(const std::string& text,
                                                             ListenerKind kind,
                                                             net::Descriptor socket = {});
  [[nodiscard]] std::vector<StartTrial> make_trials();
  [[nodiscard]] std::optional<std::string> warm_up(const std::string& plan);
  /// Starts what sends traces away and what keeps those of slow requests, as far as asked for.
  [[nodiscard]] std::expected<void, host::StartError> start_observing();
  [[nodiscard]] MetricSources metric_sources() const;
  [[nodiscard]] std::expected<void, host::StartError> read_keys();
  [[nodiscard]] std::expected<void, host::StartError> start_reloading();
  [[nodiscard]] std::expected<void, host::StartError> start_nats();
  void publish(const Publication& publication);
  /// Reads keys and TLS files again; gives what is wrong with them.
  [[nodiscard]] std::vector<std::string> reload_others();
  void submit(AdminOrder order, std::function<void(AdminDesk::Reply)> done) override;
  void close();

  const host::Settings host_settings_;
  const std::function<host::Extensions()> extensions_;
  const ServerSettings settings_;
  base::Logger* const log_;
  const base::AsyncLogSink* const log_sink_;
  GraphDesk* const graphs_;
  std::vector<std::string> addresses_;
  std::shared_ptr<const AccessKeys> keys_;  // shared with the fronts and requests under way
  Readiness readiness_;
  std::unique_ptr<LoopPulses> pulses_;
  std::unique_ptr<host::Engine> engine_;
  std::unique_ptr<Retirement> retirement_;
  std::unique_ptr<PlanReloader> reloader_;
  std::unique_ptr<ReloadThread> reload_thread_;
  Publication published_;  // what units start with; later the reload thread's
  base::GaugeCell one_;    // the value of every info metric
  std::unique_ptr<base::MetricBinding> info_;
  // Both go after the fronts.
  std::unique_ptr<TraceExport> export_;         // nullptr: no trace is exported
  std::unique_ptr<observe::SlowCapture> slow_;  // nullptr: slow requests are not kept
  std::unique_ptr<LimitController> limit_;      // goes before the engine, after the fronts
  std::unique_ptr<ServingLoops> loops_;
  std::vector<TlsListener> tls_listeners_;  // of `loops_`
  NatsFront nats_;
  std::unique_ptr<StartCheck> start_check_;
};

}  // namespace millrace::server
