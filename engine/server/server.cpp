#include "server/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <semaphore>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/format.h"
#include "base/problems/problem_report.h"
#include "base/text_file.h"
#include "host/waiting_call.h"
#include "loop/owned_timer.h"
#include "net/address.h"
#include "observe/process_stats.h"
#include "observe/prometheus_writer.h"
#include "observe/stats_json.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "server/overload/overload_metrics.h"
#include "server/plan_pages.h"

namespace millrace::server {
namespace {

constexpr std::size_t kKeysFileBytesMax = std::size_t{1} << 20;
constexpr base::Duration kWarmUpDeadline = std::chrono::seconds(5);

/// Runs a function on a loop and waits for it.
template <class Function>
void run_on_loop(loop::Loop& loop, Function function) {
  struct Call : loop::Job {
    explicit Call(Function& called)
        : Job([](Job& job) {
            auto& self = static_cast<Call&>(job);
            self.function();
            self.done.release();
          }),
          function(called) {}
    Function& function;
    std::binary_semaphore done{0};
  };
  Call call(function);
  loop.post(call);
  call.done.acquire();
}

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

/// The endpoints that a plan uses, by index.
void add_endpoints(const plan::CompiledPlan& plan, std::set<std::uint32_t>& used) {
  for (const plan::CompiledNode& node : plan.nodes) {
    for (const plan::ParamValue& value : node.params) {
      if (const auto* const endpoint = std::get_if<plan::EndpointId>(&value))
        used.insert(endpoint->index);
    }
  }
}

}  // namespace

/// What one loop has.
struct Server::Unit {
  Unit(Server& server, std::size_t with_index)
      : index(with_index),
        loop(server.engine_->loop(with_index)),
        pulses(*server.pulses_),
        random(std::hash<std::string>{}(server.engine_->ranker(with_index).make_request_id()) +
               with_index),
        beat_timer(loop, *this),
        front({.loop = &loop,
               .ranker = &server.engine_->ranker(with_index),
               .plans = &server.engine_->plans(),
               .registry = &server.project_.registry(),
               .admission = &server.engine_->admission(),
               .limit = server.limit_.get(),
               .keys = server.keys_,
               .readiness = &server.readiness_,
               .pulses = server.pulses_.get(),
               .metrics = &server.engine_->metrics(),
               .log = server.log_,
               .workers = &server.engine_->workers(),
               .random = &random,
               .metrics_page =
                   [&server](std::string_view accept) { return server.metrics_page(accept); },
               .stats_page = [&server] { return server.stats_page(); }},
              server.settings_.front),
        http({.loop = loop, .gzip_workers = &server.engine_->workers()}, server.settings_.http),
        binding(server.engine_->metrics()) {
    const std::string name = std::to_string(with_index);
    const net::HttpServerCells& cells = http.counters();
    binding.bind(kHttpConnections, {name}, &cells.connections);
    binding.bind(kHttpRejected, {"protocol"}, &cells.refused);
    binding.bind(kHttpRejected, {"gone"}, &cells.gone);
    binding.bind(kHttpBytes, {"in"}, &cells.bytes_in);
    binding.bind(kHttpBytes, {"out"}, &cells.bytes_out);
    beat();
  }

  void beat() {
    const base::TimePoint now = loop.clock().now();
    pulses.beat(index, now);
    beat_timer.start_at(now + LoopPulses::kPeriod);
  }

  const std::size_t index;
  loop::EventLoop& loop;
  LoopPulses& pulses;
  base::SplitMix64 random;
  loop::OwnedTimer<Unit, &Unit::beat> beat_timer;
  Front front;
  net::HttpServer http;
  base::MetricBinding binding;  // goes before the cells
};

/// A listener, and whether it has closed by itself.
struct Server::OpenListener {
  std::unique_ptr<net::UvListener> listener;
  std::atomic<bool> is_closed{false};  // publishes nothing else
};

Server::Server(Parts parts, const ServerSettings& settings)
    : project_(parts.project),
      settings_(settings),
      plan_dir_(std::move(parts.plan_dir)),
      log_(parts.log),
      log_sink_(parts.log_sink),
      engine_(std::move(parts.engine)) {}

std::expected<std::unique_ptr<Server>, host::StartError> Server::start(
    Parts parts, const ServerSettings& settings) {
  std::unique_ptr<Server> server(new Server(std::move(parts), settings));
  host::Engine& engine = *server->engine_;
  server->pulses_ = std::make_unique<LoopPulses>(engine.loop_count(), base::steady_clock().now());
  server->one_.set(1);
  server->bind_plans();
  if (auto done = server->read_keys(); !done) return std::unexpected(done.error());
  server->limit_ = make_limit(engine, settings);
  loop::EventLoop& accepting = engine.loop(engine.loop_count() - 1);
  server->spreader_ =
      std::make_unique<net::ConnectionSpreader>(accepting, settings.connections_max);
  for (std::size_t index = 0; index < engine.loop_count(); ++index) {
    run_on_loop(engine.loop(index), [&] {
      auto& unit = server->units_.emplace_back(std::make_unique<Unit>(*server, index));
      server->spreader_->add_target(unit->loop, unit->http);
    });
  }
  for (const std::string& text : settings.listen) {
    if (auto done = server->listen(text, ListenerKind::kMain); !done)
      return std::unexpected(done.error());
  }
  if (!settings.admin.empty()) {
    if (auto done = server->listen(settings.admin, ListenerKind::kAdmin); !done)
      return std::unexpected(done.error());
  }
  server->start_check_ =
      std::make_unique<StartCheck>(server->readiness_, server->make_trials(), StartCheck::Pauses());
  return server;
}

Server::~Server() { close(); }

std::expected<void, host::StartError> Server::read_keys() {
  if (settings_.keys_file.empty()) return {};
  const auto text = base::read_text_file(settings_.keys_file, kKeysFileBytesMax);
  if (!text) return std::unexpected(host::StartError{text.error().to_string()});
  base::ProblemReport report;
  auto keys = AccessKeys::read(*text, settings_.keys_file, keys_.get(), report);
  if (report.has_errors()) return std::unexpected(host::StartError{report.to_text()});
  keys_ = std::make_shared<const AccessKeys>(std::move(keys));
  return {};
}

std::expected<void, host::StartError> Server::reload_keys() {
  if (auto done = read_keys(); !done) return done;
  for (const auto& unit : units_) run_on_loop(unit->loop, [&] { unit->front.set_keys(keys_); });
  return {};
}

void Server::bind_plans() {
  info_ = std::make_unique<base::MetricBinding>(engine_->metrics());
  info_->bind(kBuildInfo, {MILLRACE_VERSION, __VERSION__}, &one_);
  for (const std::string_view name : engine_->plans().names()) {
    const plan::CompiledPlan& plan = engine_->plans().find(name)->plan();
    info_->bind(kPlanInfo, {name, version_of(plan), plan.digest, "active"}, &one_);
  }
}

std::expected<void, host::StartError> Server::listen(const std::string& text, ListenerKind kind) {
  const auto address = net::parse_listen_address(text);
  if (!address) return std::unexpected(host::StartError{address.error().to_string()});
  net::UvListenerOptions options;
  if (kind == ListenerKind::kMain && !settings_.tls_certificate_file.empty()) {
    options.tls = net::TlsOptions{.ca_file = settings_.tls_client_ca_file,
                                  .certificate_file = settings_.tls_certificate_file,
                                  .key_file = settings_.tls_key_file,
                                  .protocol = "http/1.1"};
  }
  auto& open = *listeners_.emplace_back(std::make_unique<OpenListener>());
  std::vector<net::HttpHandler*> handlers;
  for (const auto& unit : units_) handlers.push_back(&unit->front.handler(kind));
  std::expected<void, host::StartError> outcome;
  loop::EventLoop& accepting = engine_->loop(engine_->loop_count() - 1);
  run_on_loop(accepting, [&] {
    net::ConnectionSpreader::Port& port = spreader_->add_port(std::move(handlers));
    auto made = net::UvListener::listen(accepting, *address, port, options);
    if (!made) {
      outcome = std::unexpected(host::StartError{
          base::format("Cannot listen on {}: {}", text, made.error().to_string())});
      return;
    }
    open.listener = *std::move(made);
    port.set_listener(*open.listener);
    port.on_closed = [&open] { open.is_closed.store(true, std::memory_order_relaxed); };
    port.on_refused = [this](const base::Error& error) {
      if (log_ != nullptr)
        log_->warning(
            "accept_failed", "No connection can be accepted", {{"err", error.to_string()}});
    };
    addresses_.push_back(net::to_string(open.listener->address()));
  });
  if (!outcome) return outcome;
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
  std::set<std::uint32_t> used;
  const rank::PlanSet& plans = engine_->plans();
  for (const std::string_view name : plans.names()) add_endpoints(plans.find(name)->plan(), used);
  for (const std::uint32_t index : used) {
    const plan::EndpointInfo& endpoint = project_.registry().endpoints()[index];
    trials.push_back(
        {.name = endpoint.name, .attempt = [this, &endpoint]() -> std::optional<std::string> {
           tasks::EndpointDriver* const driver = project_.extensions().find_driver(endpoint.kind);
           const auto answer = driver->probe({.endpoint = endpoint, .root = project_.root()});
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
  const std::string path = base::format("{}/{}.warmup.jsonl", plan_dir_, plan);
  std::string text;
  if (!plan_dir_.empty() && std::filesystem::exists(path))
    text = host::read_text_file(path).value_or(std::string());
  const auto requests = warm_up_requests(text);
  rank::RequestReader reader({.priority = runtime::Priority::kBackground});
  std::string problem;
  bool has_answer = false;
  for (std::size_t run = 0; run < kWarmUpRuns && !readiness_.is_draining(); ++run) {
    host::WaitingCall call;
    call.run(engine_->ranker(run % engine_->loop_count()),
             reader,
             requests[run % requests.size()],
             {.plan = plan, .deadline = base::steady_clock().now() + kWarmUpDeadline});
    has_answer |= call.ok();
    if (!call.ok()) problem = call.error_message();
  }
  if (has_answer || !settings_.warmup_required) return std::nullopt;
  return base::format("no request of its warm-up was answered: {}", problem);
}

void Server::begin_drain() {
  readiness_.begin_drain();
  for (const auto& unit : units_) run_on_loop(unit->loop, [&] { unit->http.announce_close(); });
}

void Server::stop_accepting() {
  run_on_loop(engine_->loop(engine_->loop_count() - 1), [&] {
    for (const auto& open : listeners_) {
      if (open->listener != nullptr) open->listener->close_after_backlog();
    }
  });
  for (const auto& unit : units_) run_on_loop(unit->loop, [&] { unit->http.close_idle(); });
}

bool Server::is_idle() {
  for (const auto& open : listeners_) {
    if (!open->is_closed.load(std::memory_order_relaxed)) return false;
  }
  bool is_idle = true;
  for (const auto& unit : units_) {
    run_on_loop(unit->loop, [&] {
      // A connection that came with the rest of the queue, and then sent nothing, is idle too.
      unit->http.close_idle();
      is_idle &= unit->http.connection_count() == 0 && unit->front.open_count() == 0;
    });
  }
  return is_idle;
}

void Server::give_up() {
  for (const auto& unit : units_) {
    run_on_loop(unit->loop, [&] {
      unit->front.refuse_all();
      unit->http.close_idle();
    });
  }
}

void Server::close() {
  start_check_.reset();
  if (engine_ == nullptr) return;
  run_on_loop(engine_->loop(engine_->loop_count() - 1), [&] {
    for (const auto& open : listeners_) open->listener.reset();
  });
  for (const auto& unit : units_) run_on_loop(unit->loop, [&] { unit->http.close_all(); });
  // Runs whose client is gone are cancelled; a front must outlive them.
  for (const auto& unit : units_) {
    bool is_open = true;
    while (is_open) run_on_loop(unit->loop, [&] { is_open = unit->front.open_count() != 0; });
  }
  for (auto& unit : units_) {
    loop::Loop& loop = unit->loop;
    run_on_loop(loop, [&] { unit.reset(); });
  }
  units_.clear();
  // Its timer belongs to the accepting loop. What other loops have posted to it has run by then,
  // because jobs run in order.
  run_on_loop(engine_->loop(engine_->loop_count() - 1), [&] { spreader_.reset(); });
  limit_.reset();
  info_.reset();
  engine_.reset();
}

std::string Server::metrics_page(std::string_view accept) const {
  auto metrics = engine_->metrics().snapshot();
  if (log_sink_ != nullptr) {
    const std::uint64_t dropped = log_sink_->dropped_count();
    metrics.push_back(
        {.descriptor = kLogDropped,
         .series = {{.label_values = {},
                     .value = {.count = dropped, .value = static_cast<double>(dropped)}}}});
  }
  add_admission_metrics(engine_->admission().stats(), metrics);
  observe::add_process_metrics(metrics);
  std::string page;
  observe::append_metrics(metrics, observe::format_for(accept), page);
  return page;
}

std::string Server::stats_page() const {
  const runtime::PoolCounters pool = engine_->workers().counters();
  const runtime::AdmissionStats admission = engine_->admission().stats();
  const auto number = [](auto value) { return static_cast<double>(value); };
  const std::array<observe::SchedulerValue, 6> scheduler{{
      {"completed_count", number(pool.executed + pool.executed_on_loops)},
      {"queue_depth", number(engine_->workers().ready_count())},
      {"worker_count", number(engine_->workers().worker_count())},
      {"in_flight_count", number(admission.run_count)},
      {"rejected_count", number(admission.refused)},
      {"starvation_guard_count", number(pool.starvation_guard_count)},
  }};
  return observe::stats_json(engine_->metrics().snapshot(), scheduler);
}

}  // namespace millrace::server
