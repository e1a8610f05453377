#include "server/server.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/problems/problem_report.h"
#include "host/loop_call.h"
#include "net/address.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "server/generations/plan_warm_up.h"
#include "server/graphs/graph_routes.h"
#include "server/setting_files.h"

namespace millrace::server {
namespace {

/// The limit of requests under way, with the bounds of S31.
std::unique_ptr<LimitController> make_limit(host::Engine& engine, const ServerSettings& settings) {
  runtime::AdaptiveLimitSettings limits = settings.limit;
  const std::int64_t workers = engine.workers().worker_count();
  limits.least = std::min(std::max<std::int64_t>(4, 2 * workers), limits.most);
  return std::make_unique<LimitController>(
      LimitController::Parts{
          engine.admission(), engine.workers(), engine.workers(), base::steady_clock()},
      limits);
}

}  // namespace

Server::Server(Parts parts, const ServerSettings& settings)
    : host_settings_(std::move(parts.host)),
      extensions_(std::move(parts.extensions)),
      settings_(settings),
      log_(parts.log),
      log_sink_(parts.log_sink),
      graphs_(parts.graphs),
      engine_(std::move(parts.engine)) {
  readiness_.watch_graph(graphs_);
}

std::expected<std::unique_ptr<Server>, host::StartError> Server::start(
    Parts parts, const ServerSettings& settings) {
  std::vector<InheritedSocket> inherited = std::move(parts.inherited);
  ServerSettings own = settings;
  for (const InheritedSocket& socket : inherited)
    own.front.has_admin |= socket.listener == ListenerKind::kAdmin;
  std::unique_ptr<Server> server(new Server(std::move(parts), own));
  host::Engine& engine = *server->engine_;
  server->pulses_ = std::make_unique<LoopPulses>(engine.loop_count(), base::steady_clock().now());
  if (auto done = server->read_keys(); !done) return std::unexpected(done.error());
  server->one_.set(1);
  server->info_ = std::make_unique<base::MetricBinding>(engine.metrics());
  server->info_->bind(kBuildInfo, {MILLRACE_VERSION, __VERSION__}, &server->one_);
  if (auto done = server->start_reloading(); !done) return std::unexpected(done.error());
  if (auto done = server->start_observing(); !done) return std::unexpected(done.error());
  server->limit_ = make_limit(engine, settings);
  server->start_loops();
  if (auto done = server->open_listeners(std::move(inherited)); !done)
    return std::unexpected(done.error());
  if (auto done = server->start_nats(); !done) return std::unexpected(done.error());
  server->start_check_ =
      std::make_unique<StartCheck>(server->readiness_, server->make_trials(), StartCheck::Pauses());
  server->reload_thread_->start();
  return server;
}

Server::~Server() { close(); }

std::expected<void, host::StartError> Server::read_keys() {
  if (settings_.keys_file.empty()) return {};
  base::ProblemReport report;
  auto keys = read_keys_file(settings_.keys_file, keys_.get(), report);
  if (report.has_errors()) return std::unexpected(host::StartError{report.to_text()});
  keys_ = std::make_shared<const AccessKeys>(std::move(keys));
  return {};
}

void Server::start_loops() {
  std::vector<loop::Loop*> loops;
  for (std::size_t index = 0; index < engine_->loop_count(); ++index)
    loops.push_back(&engine_->loop(index));
  loops_ = std::make_unique<ServingLoops>(
      loops,
      settings_.connections_max,
      [](loop::Loop& loop, const std::function<void()>& function) {
        host::run_on_loop(loop, function);
      },
      [this](std::size_t index) { return make_loop(index); });
}

std::unique_ptr<ServingLoop> Server::make_loop(std::size_t index) {
  return std::make_unique<ServingLoop>(ServingLoop::Parts{
      .index = index,
      .seed = std::hash<std::string>{}(engine_->ranker(index).make_request_id()) + index,
      .pulses = pulses_.get(),
      .services = {
          .loop = &engine_->loop(index),
          .admission = &engine_->admission(),
          .limit = limit_.get(),
          .keys = keys_,
          .readiness = &readiness_,
          .metrics = &engine_->metrics(),
          .log = log_,
          .workers = &engine_->workers(),
          .metrics_page =
              [this](std::string_view accept) { return metrics_page(metric_sources(), accept); },
          .stats_page = [this] { return stats_page(metric_sources()); },
          .otlp = export_ != nullptr ? &export_->exporter() : nullptr,
          .slow = slow_.get(),
          .admin = this,
          .graphs = graphs_},
      .front = settings_.front,
      .http = share_of_loop(settings_.http, engine_->loop_count()),
      .retire = [this](std::shared_ptr<void> old) { retirement_->take(std::move(old)); },
      .plans = plans_of(index)});
}

std::expected<void, host::StartError> Server::open_listeners(
    std::vector<InheritedSocket> inherited) {
  for (const ListenerKind kind : {ListenerKind::kMain, ListenerKind::kAdmin}) {
    std::vector<std::string> addresses = settings_.listen;
    if (kind == ListenerKind::kAdmin) {
      addresses.clear();
      if (!settings_.admin.empty()) addresses.push_back(settings_.admin);
    }
    for (InheritedSocket& socket : inherited) {
      if (socket.listener != kind) continue;
      addresses.clear();
      if (auto done = listen("a socket that was handed down", kind, std::move(socket.descriptor));
          !done)
        return done;
    }
    for (const std::string& address : addresses) {
      if (auto done = listen(address, kind); !done) return done;
    }
  }
  return {};
}

std::expected<void, host::StartError> Server::listen(const std::string& text,
                                                     ListenerKind kind,
                                                     net::Descriptor socket) {
  base::Result<net::Address> address = net::Address();
  if (!socket.is_open()) address = net::parse_listen_address(text);
  if (!address) return std::unexpected(host::StartError{address.error().to_string()});
  net::UvListenerOptions options;
  if (kind == ListenerKind::kMain) options.tls = tls_options(settings_);
  loop::EventLoop& accepting = engine_->loop(engine_->loop_count() - 1);
  net::UvListener* opened = nullptr;
  const auto made = loops_->listen(
      kind,
      [&](net::Acceptor& acceptor) -> base::Result<std::unique_ptr<net::Listener>> {
        MR_TRY(auto listener,
               socket.is_open()
                   ? net::UvListener::inherit(accepting, std::move(socket), acceptor, options)
                   : net::UvListener::listen(accepting, *address, acceptor, options));
        opened = listener.get();
        return listener;
      },
      [this](const base::Error& error) {
        if (log_ != nullptr)
          log_->warning(
              "accept_failed", "No connection can be accepted", {{"err", error.to_string()}});
      });
  if (!made) {
    return std::unexpected(
        host::StartError{base::format("Cannot listen on {}: {}", text, made.error().to_string())});
  }
  if (options.tls) tls_listeners_.push_back({opened, *options.tls});
  addresses_.push_back(net::to_string(opened->address()));
  if (log_ != nullptr) {
    log_->info("listening",
               "Requests are accepted",
               {{"address", addresses_.back()},
                {"listener", kind == ListenerKind::kAdmin ? "admin" : "main"}});
  }
  return {};
}

std::vector<StartTrial> Server::make_trials() {
  std::vector<StartTrial> trials;
  const auto generation = engine_->generation();
  const rank::PlanSet& plans = generation->plans();
  for (const std::uint32_t index : endpoints_used(plans)) {
    const std::string& name = generation->registry().endpoints()[index].name;
    trials.push_back({.name = name, .attempt = [this, name]() -> std::optional<std::string> {
                        // The endpoint as it is now: reloads change it.
                        const auto clients = engine_->generation()->clients();
                        const host::Project& project = clients->project();
                        const auto id = project.registry().find_endpoint(name);
                        if (!id) return std::nullopt;
                        const plan::EndpointInfo& endpoint = project.registry().endpoint(*id);
                        tasks::EndpointDriver* const driver =
                            project.extensions().find_driver(endpoint.kind);
                        const auto answer =
                            driver->probe({.endpoint = endpoint, .root = project.root()});
                        if (answer) return std::nullopt;
                        return answer.error().message();
                      }});
  }
  for (const std::string_view name : plans.names()) {
    trials.push_back({.name = std::string(name),
                      .is_plan = true,
                      .attempt = [this, plan = std::string(name)] { return warm_up(plan); }});
  }
  return trials;
}

std::optional<std::string> Server::warm_up(const std::string& plan) {
  const auto generation = engine_->generation();
  // A plan that was unloaded meanwhile is nobody's concern.
  if (generation->plans().find(plan) == nullptr) return std::nullopt;
  const std::string folder = generation->clients()->project().plan_dir(host_settings_);
  auto problem = server::warm_up(*generation->clients(),
                                 generation->plans(),
                                 plan,
                                 warm_up_requests(folder, plan, {}),
                                 [this] { return readiness_.is_draining(); });
  if (!settings_.warmup_required) return std::nullopt;
  return problem;
}

std::expected<void, host::StartError> Server::start_reloading() {
  retirement_ = std::make_unique<Retirement>();
  reloader_ = std::make_unique<PlanReloader>(PlanReloader::Parts{
      .engine = engine_.get(),
      .settings = host_settings_,
      .extensions = extensions_,
      .readiness = &readiness_,
      .log = log_,
      .warmup_required = settings_.warmup_required,
      .allow_upload = settings_.allow_upload,
      .state_file = settings_.state_file,
      .publish = [this](const Publication& publication) { publish(publication); },
      .recall =
          [this](std::string_view plan) {
            return loops_ != nullptr ? loops_->recall(plan) : std::vector<std::string>();
          },
      .retire = [this](std::shared_ptr<void> old) { retirement_->take(std::move(old)); },
      .reload_others = [this] { return reload_others(); },
      .on_bad_canary =
          [this](const std::string& plan, const std::string& digest) {
            reload_thread_->post([plan, digest](PlanReloader& reloader) {
              reloader.end_canary(plan, digest);
              return PlanReloader::Reply();
            });
          }});
  auto watch = open_folder_watch();
  if (!watch) return std::unexpected(host::StartError{watch.error().to_string()});
  reload_thread_ = std::make_unique<ReloadThread>(*reloader_, *std::move(watch));
  return reloader_->begin();
}

LoopPlans Server::plans_of(std::size_t loop) const {
  host::Generation& generation = *published_.generation;
  return {.ranker = &generation.ranker(loop),
          .plans = &generation.plans(),
          .registry = &generation.registry(),
          .versions = published_.versions,
          .canaries = published_.canaries,
          .owner = published_.generation};
}

void Server::publish(const Publication& publication) {
  published_ = publication;
  readiness_.set_needs_graph(reads_graph(*publication.generation));
  // Loops that do not exist yet start with it.
  if (loops_ == nullptr) return;
  loops_->publish([this](std::size_t loop) { return plans_of(loop); });
  nats_.set_plans(publication.generation->plans().names());
}

std::expected<void, host::StartError> Server::start_nats() {
  NatsFront::Parts parts{.admission = &engine_->admission(),
                         .normal_share = host_settings_.class_shares[1],
                         .readiness = &readiness_,
                         .metrics = &engine_->metrics(),
                         .log = log_,
                         .version = MILLRACE_VERSION};
  for (std::size_t index = 0; index < loops_->size(); ++index)
    parts.doors.push_back({&loops_->at(index).loop(), &loops_->at(index).front()});
  if (auto done = nats_.start(std::move(parts), settings_.nats); !done)
    return std::unexpected(host::StartError{done.error().message()});
  nats_.set_plans(published_.generation->plans().names());
  return {};
}

std::vector<std::string> Server::reload_others() {
  std::vector<std::string> problems;
  // A file with problems leaves the keys as they are.
  if (auto done = read_keys(); !done) problems.push_back(done.error().text);
  loops_->set_keys(keys_);
  loops_->call_accepting([&] {
    for (const TlsListener& open : tls_listeners_) {
      if (auto done = open.listener->replace_tls(open.tls); !done)
        problems.push_back("TLS: " + done.error().to_string());
    }
  });
  return problems;
}

void Server::request_reload(std::function<void()> done) {
  reload_thread_->demand_reload([done = std::move(done)](const ReloadThread::Reply&) {
    if (done) done();
  });
}

bool Server::is_live() const { return !pulses_->find_stuck(base::steady_clock().now()); }

void Server::submit(AdminOrder order, std::function<void(AdminDesk::Reply)> done) {
  if (order.action == RouteAction::kReload) return reload_thread_->demand_reload(std::move(done));
  reload_thread_->post(
      [order = std::move(order)](PlanReloader& reloader) -> PlanReloader::Reply {
        switch (order.action) {
          case RouteAction::kRollback:
            return reloader.rollback(order.plan);
          case RouteAction::kPin:
            return reloader.pin(order.plan, order.version);
          case RouteAction::kUnpin:
            return reloader.unpin(order.plan);
          case RouteAction::kCanary:
            return reloader.set_canary(order.plan, order.version, order.percent);
          default:
            return reloader.upload(order.plan, order.artifact, order.is_dry_run);
        }
      },
      std::move(done));
}

void Server::begin_drain() {
  readiness_.begin_drain();
  nats_.begin_drain();
  loops_->announce_close();
}

void Server::close() {
  // Nothing may wait for either of them when fronts wait for what is open.
  start_check_.reset();
  if (reload_thread_ != nullptr) reload_thread_->stop();
  nats_.stop_receiving();
  if (engine_ == nullptr) return;
  loops_.reset();
  nats_.stop();
  limit_.reset();
  export_.reset();
  slow_.reset();
  info_.reset();
  reload_thread_.reset();
  reloader_.reset();
  published_ = {};
  retirement_.reset();
  if (graphs_ != nullptr) graphs_->stop();
  engine_.reset();
}

std::expected<void, host::StartError> Server::start_observing() {
  if (!settings_.otlp.client.address.host.empty()) {
    auto made = TraceExport::start(settings_.otlp);
    if (!made) return std::unexpected(host::StartError{made.error().to_string()});
    export_ = *std::move(made);
  }
  if (settings_.front.slow > base::Duration(0)) {
    auto opened = observe::SlowCapture::open({.folder = settings_.slow_folder}, log_);
    if (!opened) return std::unexpected(host::StartError{opened.error().message()});
    slow_ = *std::move(opened);
  }
  return {};
}

MetricSources Server::metric_sources() const {
  MetricSources sources{.engine = engine_.get(),
                        .log_sink = log_sink_,
                        .otlp = export_ != nullptr ? &export_->exporter() : nullptr,
                        .slow = slow_.get()};
  for (std::size_t index = 0; index < loops_->size(); ++index)
    sources.fronts.push_back(&loops_->at(index).front().metrics());
  return sources;
}

}  // namespace millrace::server
