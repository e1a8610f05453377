#include "host/engine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/format.h"
#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/problems/message_text.h"
#include "base/sync/thread_placement.h"
#include "host/loop_call.h"
#include "host/loop_metrics.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "plan/problem.h"

namespace millrace::host {
namespace {

StartError from(const base::Error& error) { return {error.to_string()}; }

}  // namespace

Engine::~Engine() {
  // Plans go first: they wait for bodies that still run, which may use timers of their loop.
  (void)replace_generation(nullptr);
  for (const auto& unit : loops_) {
    // Only the loop thread may hand the counts of its cells over.
    run_on_loop(*unit->loop, [&] { unit->metrics.reset(); });
    unit->loop->stop();
  }
  if (log_ != nullptr) log_->info("engine_stop", "The engine has stopped");
}

std::expected<std::unique_ptr<Engine>, StartError> Engine::start(const Settings& settings,
                                                                 const Project& project) {
  // The caller keeps the project; this pointer owns nothing.
  return start(settings, std::shared_ptr<const Project>(std::shared_ptr<void>(), &project));
}

std::expected<std::unique_ptr<Engine>, StartError> Engine::start(
    const Settings& settings, std::shared_ptr<const Project> project) {
  const base::TimePoint begin = base::steady_clock().now();
  std::unique_ptr<Engine> engine(new Engine);
  engine->settings_ = settings;
  if (!settings.dump_run_trace.empty()) {
    auto dump = TraceDump::open(
        settings.dump_run_trace, settings.trace_file_mb_max * 1'000'000, settings.log);
    if (!dump) return std::unexpected(dump.error());
    engine->dump_ = *std::move(dump);
    engine->tracer_.dump_to(*engine->dump_);
  }
  auto files = project->load_plans(settings);
  if (!files) return std::unexpected(files.error());
  const std::uint32_t loop_count =
      settings.loops != 0 ? settings.loops
                          : choose_loop_count(std::thread::hardware_concurrency(),
                                              uses_network(*files, project->registry()));
  if (auto done = engine->start_threads(settings, loop_count); !done)
    return std::unexpected(done.error());
  for (std::size_t index = 0; index < engine->loops_.size(); ++index)
    engine->bind_metrics(*engine->loops_[index], index);
  auto clients = engine->connect(project, nullptr);
  if (!clients) return std::unexpected(clients.error());
  auto plans = engine->load_plans(**clients, *std::move(files));
  if (!plans) return std::unexpected(plans.error());
  (void)engine->replace_generation(engine->make_generation(*std::move(clients), *std::move(plans)));
  engine->log_start(settings, *project, begin);
  return engine;
}

std::shared_ptr<Generation> Engine::generation() const {
  const base::MutexLock lock(mutex_);
  return generation_;
}

std::shared_ptr<Generation> Engine::replace_generation(std::shared_ptr<Generation> next) {
  const base::MutexLock lock(mutex_);
  return std::exchange(generation_, std::move(next));
}

std::shared_ptr<Generation> Engine::make_generation(std::shared_ptr<EndpointClients> clients,
                                                    rank::PlanSet plans) const {
  return std::make_shared<Generation>(
      std::move(clients),
      std::move(plans),
      rank::RankOptions{.deadline = settings_.deadline,
                        .plan_inflight_max = settings_.plan_inflight_max,
                        .ids_as_strings = settings_.ids_as_strings,
                        .allow_scheduling_overrides = settings_.allow_scheduling_overrides});
}

void Engine::log_start(const Settings& settings, const Project& project, base::TimePoint begin) {
  log_ = settings.log;
  if (log_ == nullptr) return;
  const std::chrono::duration<double, std::milli> took = base::steady_clock().now() - begin;
  log_->info("engine_start",
             "The engine is ready for requests",
             {{"env", settings.env},
              {"plans", plans().size()},
              {"loops", loops_.size()},
              {"threads", workers_->thread_count()},
              {"endpoints", project.registry().endpoints().size()},
              {"took_ms", took.count()}});
}

void Engine::bind_metrics(LoopUnit& unit, std::size_t loop_index) {
  base::MetricBinding& binding = unit.metrics.emplace(metrics_);
  const std::string loop = std::to_string(loop_index);
  const loop::LoopCells& cells = unit.loop->cells();
  binding.bind(kLoopWakeups, {loop}, &cells.wakeups);
  binding.bind(kLoopJobs, {loop}, &cells.jobs);
  binding.bind(kLoopTimersFired, {loop}, &cells.timers_fired);
  binding.bind(kLoopBusy, {loop}, &cells.busy_us);
  binding.bind(kLoopLag, {loop}, &cells.turns);
}

std::uint32_t choose_loop_count(std::uint32_t processor_count, bool uses_network) {
  constexpr std::uint32_t kLoopsMax = 8;
  return std::clamp(uses_network ? processor_count / 4 : processor_count, 1U, kLoopsMax);
}

bool uses_network(const std::vector<PlanFile>& files, const plan::Registry& registry) {
  const auto is_remote = [&registry](const plan::ParamValue& value) {
    const auto* const endpoint = std::get_if<plan::EndpointId>(&value);
    if (endpoint == nullptr) return false;
    const plan::EndpointKind kind = registry.endpoint(*endpoint).kind;
    return kind == plan::EndpointKind::kRedis || kind == plan::EndpointKind::kHttp;
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

std::expected<std::shared_ptr<EndpointClients>, StartError> Engine::connect(
    std::shared_ptr<const Project> project, const EndpointClients* before) {
  EndpointClients::Parts parts{
      .project = std::move(project), .metrics = &metrics_, .log = settings_.log};
  for (const auto& unit : loops_) parts.loops.push_back(unit->loop.get());
  auto clients = EndpointClients::connect(std::move(parts), before);
  if (!clients) return clients;
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    LoopUnit& unit = *loops_[index];
    (*clients)->services(index) = {.loop = unit.loop.get(),
                                   .workers = workers_.get(),
                                   .clients = (*clients)->clients(index),
                                   .loop_scratch = &unit.scratch,
                                   .scratches = &scratches_,
                                   .wall_clock = &wall_clock_,
                                   .tracer = &tracer_,
                                   .admission = admission_.get(),
                                   .row_limits = settings_.row_limits,
                                   .loop_index = index,
                                   .loop_count = loops_.size(),
                                   .id_prefix = settings_.id_prefix,
                                   .named_count = &unit.named_count,
                                   .pins = settings_.pins};
    (*clients)->own_services(index) = (*clients)->services(index);
    (*clients)->own_services(index).admission = nullptr;
  }
  return clients;
}

base::Result<std::unique_ptr<rank::LoadedPlan>> Engine::load(plan::CompiledPlanRef plan,
                                                             std::string artifact,
                                                             const EndpointClients& clients) const {
  return rank::LoadedPlan::load(std::move(plan),
                                clients.project().registry(),
                                clients.project().tasks(),
                                {.node_timeout = settings_.node_timeout,
                                 .costs = {.inline_threshold = settings_.inline_threshold},
                                 .endpoints = clients.kinds(),
                                 .artifact = std::move(artifact)});
}

std::expected<rank::PlanSet, StartError> Engine::load_plans(const EndpointClients& clients,
                                                            std::vector<PlanFile> files) const {
  rank::PlanSet plans;
  std::string problems;
  bool is_clear = true;
  for (PlanFile& file : files) {
    if (!file.plan) {
      is_clear = is_clear && !file.plan.error().has(plan::ProblemCode::kDuplicatePlan);
      problems += base::format("{}:\n{}", file.path, file.plan.error().to_text());
      continue;
    }
    auto loaded = load(*file.plan, std::move(file.text), clients);
    base::Status added =
        loaded ? plans.add(*std::move(loaded)) : base::Status(std::unexpected(loaded.error()));
    if (!added) problems += base::format("{}: {}\n", file.path, added.error().to_string());
  }
  const std::string& wanted = settings_.plan_name;
  const bool is_enough = is_clear && !wanted.empty() && plans.find(wanted) != nullptr;
  if (!problems.empty() && !is_enough) return std::unexpected(StartError{std::move(problems)});
  if (!problems.empty() && settings_.log != nullptr) {
    settings_.log->warning("plans_refused",
                           "Plans besides the one that was named are not loaded",
                           {{"problems", problems}});
  }
  if (wanted.empty()) return plans;
  if (auto set = plans.set_default(wanted); !set)
    return std::unexpected(
        StartError{base::format("{} (plans of {})",
                                set.error().message(),
                                base::printable(clients.project().plan_dir(settings_)))});
  return plans;
}

std::expected<void, StartError> Engine::close_trace_dump() {
  if (dump_ == nullptr) return {};
  tracer_.flush();
  return dump_->close();
}

stores::StoreCounters Engine::store_counters() const {
  return generation()->clients()->store_counters();
}

}  // namespace millrace::host
