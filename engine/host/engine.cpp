#include "host/engine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/format.h"
#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/sync/thread_placement.h"
#include "host/loop_metrics.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "plan/problem.h"

namespace millrace::host {
namespace {

StartError from(const base::Error& error) { return {error.to_string()}; }

/// Runs a function on a loop and waits for it.
template <class Function>
void run_on(loop::EventLoop& loop, Function function) {
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

}  // namespace

Engine::~Engine() {
  // Plans go first: they wait for bodies that still run, which may use timers of their loop.
  plans_ = {};
  for (const auto& unit : loops_) {
    // A client closes its sockets, and hands its counts over: only the loop thread may do that.
    run_on(*unit->loop, [&] {
      unit->metrics.reset();
      unit->clients.clear();
    });
    unit->loop->stop();
  }
  if (log_ != nullptr) log_->info("engine_stop", "The engine has stopped");
}

std::expected<std::unique_ptr<Engine>, StartError> Engine::start(const Settings& settings,
                                                                 const Project& project) {
  const base::TimePoint begin = base::steady_clock().now();
  std::unique_ptr<Engine> engine(new Engine);
  engine->id_prefix_ = settings.id_prefix;
  if (!settings.dump_run_trace.empty()) {
    auto dump = TraceDump::open(
        settings.dump_run_trace, settings.trace_file_mb_max * 1'000'000, settings.log);
    if (!dump) return std::unexpected(dump.error());
    engine->dump_ = *std::move(dump);
    engine->tracer_.dump_to(*engine->dump_);
  }
  auto files = project.load_plans(settings);
  if (!files) return std::unexpected(files.error());
  const std::uint32_t loop_count =
      settings.loops != 0 ? settings.loops
                          : choose_loop_count(std::thread::hardware_concurrency(),
                                              uses_network(*files, project.registry()));
  if (auto done = engine->start_threads(settings, loop_count); !done)
    return std::unexpected(done.error());
  for (std::size_t index = 0; index < engine->loops_.size(); ++index) {
    if (auto done = engine->connect(settings, project, index); !done)
      return std::unexpected(done.error());
    engine->bind_metrics(project, *engine->loops_[index], index);
  }
  if (auto done = engine->load_plans(settings, project, *std::move(files)); !done)
    return std::unexpected(done.error());
  for (const auto& unit : engine->loops_) {
    unit->ranker = std::make_unique<rank::Ranker>(
        engine->plans_,
        unit->services,
        rank::RankOptions{.deadline = settings.deadline,
                          .plan_inflight_max = settings.plan_inflight_max,
                          .ids_as_strings = settings.ids_as_strings,
                          .allow_scheduling_overrides = settings.allow_scheduling_overrides});
  }
  engine->log_start(settings, project, begin);
  return engine;
}

void Engine::log_start(const Settings& settings, const Project& project, base::TimePoint begin) {
  log_ = settings.log;
  if (log_ == nullptr) return;
  const std::chrono::duration<double, std::milli> took = base::steady_clock().now() - begin;
  log_->info("engine_start",
             "The engine is ready for requests",
             {{"env", settings.env},
              {"plans", plans_.size()},
              {"loops", loops_.size()},
              {"threads", workers_->thread_count()},
              {"endpoints", project.registry().endpoints().size()},
              {"took_ms", took.count()}});
}

void Engine::bind_metrics(const Project& project, LoopUnit& unit, std::size_t loop_index) {
  base::MetricBinding& binding = unit.metrics.emplace(metrics_);
  const std::string loop = std::to_string(loop_index);
  const loop::LoopCells& cells = unit.loop->cells();
  binding.bind(kLoopWakeups, {loop}, &cells.wakeups);
  binding.bind(kLoopJobs, {loop}, &cells.jobs);
  binding.bind(kLoopTimersFired, {loop}, &cells.timers_fired);
  binding.bind(kLoopBusy, {loop}, &cells.busy_us);
  binding.bind(kLoopLag, {loop}, &cells.turns);
  for (std::size_t index = 0; index < unit.clients.size(); ++index) {
    unit.clients[index]->bind_metrics(binding, project.registry().endpoints()[index].name);
  }
}

std::uint32_t choose_loop_count(std::uint32_t processor_count, bool uses_network) {
  constexpr std::uint32_t kLoopsMax = 8;
  return std::clamp(uses_network ? processor_count / 4 : processor_count, 1U, kLoopsMax);
}

bool uses_network(const std::vector<PlanFile>& files, const plan::Registry& registry) {
  const auto is_remote = [&registry](const plan::ParamValue& value) {
    const auto* const endpoint = std::get_if<plan::EndpointId>(&value);
    return endpoint != nullptr &&
           registry.endpoint(*endpoint).kind != plan::EndpointKind::kEmbedded;
  };
  return std::ranges::any_of(files, [&](const PlanFile& file) {
    return file.plan && std::ranges::any_of((*file.plan)->nodes, [&](const auto& node) {
             return std::ranges::any_of(node.params, is_remote);
           });
  });
}

std::expected<void, StartError> Engine::start_threads(const Settings& settings,
                                                      std::uint32_t loop_count) {
  // The loops have the first processors, the workers the next ones.
  const auto pin_from = settings.pin ? std::optional(loop_count) : std::nullopt;
  auto workers =
      runtime::WorkerPool::create({.compute_threads = settings.cpu_threads,
                                   .callers_help = false,
                                   .enable_inline_execution = settings.inlining,
                                   .enable_continuation_chaining = settings.chaining,
                                   .max_inline_depth = settings.max_inline_depth,
                                   .loop_inline_budget = settings.loop_inline_budget,
                                   .costs = {.inline_threshold = settings.inline_threshold},
                                   .pin_from = pin_from,
                                   .trace = &tracer_.collector()});
  if (!workers) return std::unexpected(from(workers.error()));
  workers_ = *std::move(workers);
  auto admission =
      runtime::Admission::create({.high_water = settings.high_water,
                                  .low_water = std::max<std::int64_t>(settings.high_water / 2, 1),
                                  .inflight_max = settings.inflight_max,
                                  .class_shares = settings.class_shares},
                                 *workers_);
  if (!admission) return std::unexpected(from(admission.error()));
  admission_ = *std::move(admission);
  for (std::uint32_t index = 0; index < loop_count; ++index) {
    auto loop = loop::EventLoop::create(base::format("loop {}", index));
    if (!loop) return std::unexpected(from(loop.error()));
    LoopUnit& unit = *loops_.emplace_back(std::make_unique<LoopUnit>());
    unit.loop = *std::move(loop);
  }
  if (settings.pin) {
    auto deal = base::ProcessorDeal::create();
    if (!deal) return std::unexpected(from(deal.error()));
    for (const auto& unit : loops_) {
      if (auto pinned = unit->loop->pin(*deal); !pinned)
        return std::unexpected(from(pinned.error()));
    }
  }
  return {};
}

std::expected<void, StartError> Engine::connect(const Settings& settings,
                                                const Project& project,
                                                std::size_t loop_index) {
  LoopUnit& unit = *loops_[loop_index];
  const bool is_first = loop_index == 0;
  for (const plan::EndpointInfo& endpoint : project.registry().endpoints()) {
    tasks::EndpointDriver* const driver = project.extensions().find_driver(endpoint.kind);
    if (driver == nullptr) {
      return std::unexpected(StartError{base::format(
          "Endpoint '{}': this program has no client for the kind '{}'; give it another "
          "kind in registry/endpoints.toml",
          endpoint.name,
          plan::to_string(endpoint.kind))});
    }
    if (is_first) endpoint_kinds_.push_back(driver->client_kind());
    auto connected = driver->connect({.endpoint = endpoint, .root = project.root()},
                                     {.loop = *unit.loop, .log = settings.log});
    if (!connected) return std::unexpected(from(connected.error()));
    unit.client_refs.push_back(connected->client.get());
    unit.transports.push_back(std::move(connected->transport));
    unit.clients.push_back(std::move(connected->client));
  }
  unit.services = {.loop = unit.loop.get(),
                   .workers = workers_.get(),
                   .clients = unit.client_refs,
                   .loop_scratch = &unit.scratch,
                   .scratches = &scratches_,
                   .wall_clock = &wall_clock_,
                   .tracer = &tracer_,
                   .admission = admission_.get(),
                   .row_limits = settings.row_limits,
                   .loop_index = loop_index,
                   .loop_count = loops_.size(),
                   .id_prefix = id_prefix_};
  return {};
}

std::expected<void, StartError> Engine::load_plans(const Settings& settings,
                                                   const Project& project,
                                                   std::vector<PlanFile> files) {
  std::string problems;
  bool is_clear = true;
  for (PlanFile& file : files) {
    if (!file.plan) {
      is_clear = is_clear && !file.plan.error().has(plan::ProblemCode::kDuplicatePlan);
      problems += base::format("{}:\n{}", file.path, file.plan.error().to_text());
      continue;
    }
    auto loaded = rank::LoadedPlan::load(*file.plan,
                                         project.registry(),
                                         project.tasks(),
                                         {.node_timeout = settings.node_timeout,
                                          .costs = {.inline_threshold = settings.inline_threshold},
                                          .endpoints = endpoint_kinds_,
                                          .artifact = std::move(file.text)});
    base::Status added =
        loaded ? plans_.add(*std::move(loaded)) : base::Status(std::unexpected(loaded.error()));
    if (!added) problems += base::format("{}: {}\n", file.path, added.error().to_string());
  }
  const bool is_enough =
      is_clear && !settings.plan_name.empty() && plans_.find(settings.plan_name) != nullptr;
  if (!problems.empty() && !is_enough) return std::unexpected(StartError{std::move(problems)});
  if (!problems.empty() && settings.log != nullptr) {
    settings.log->warning("plans_refused",
                          "Plans besides the one that was named are not loaded",
                          {{"problems", problems}});
  }
  if (settings.plan_name.empty()) return {};
  if (auto set = plans_.set_default(settings.plan_name); !set)
    return std::unexpected(StartError{set.error().message()});
  return {};
}

std::expected<void, StartError> Engine::close_trace_dump() {
  if (dump_ == nullptr) return {};
  tracer_.flush();
  return dump_->close();
}

stores::StoreCounters Engine::store_counters() const {
  stores::StoreCounters sum;
  for (const auto& unit : loops_) {
    for (const auto& client : unit->clients) {
      if (client->client_kind() != tasks::ClientKind::kStore) continue;
      const stores::StoreCounters one = static_cast<stores::StoreClient&>(*client).counters();
      sum.commands += one.commands;
      sum.batches += one.batches;
      sum.round_trips += one.round_trips;
    }
  }
  return sum;
}

}  // namespace millrace::host
