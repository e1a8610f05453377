#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log/log.h"
#include "base/metrics/metric_binding.h"
#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "base/sync/thread_annotations.h"
#include "base/wall_clock.h"
#include "host/endpoint_clients.h"
#include "host/generation.h"
#include "host/project.h"
#include "host/settings.h"
#include "host/trace_dump.h"
#include "loop/event_loop.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "rank/ranker.h"
#include "rank/run_tracer.h"
#include "rank/services.h"
#include "runtime/admission.h"
#include "runtime/worker_pool.h"
#include "stores/store_client.h"
#include "tasks/scratch_pool.h"
#include "trace/trace_collector.h"

namespace millrace::host {

/// Series of the registry of a host. A server has others beside it, and all together are bounded.
inline constexpr std::size_t kSeriesMax = 11'900;

/// One event loop and what all generations share on it.
struct LoopUnit {
  std::unique_ptr<loop::EventLoop> loop;
  tasks::TaskScratch scratch;
  std::atomic<std::uint64_t> named_count{0};  // of the requests that got an id; publishes nothing
  // Of the loop; released on it before it goes.
  std::optional<base::MetricBinding> metrics;
};

/// Gives the number of event loops for a machine of so many processors. Data in the process is read
/// on the loops, so there is one for each processor, up to 8. Endpoints on the network leave a loop
/// waiting most of the time, and each loop has connections of its own and shares no reads with
/// others, so there is one for four processors.
[[nodiscard]] std::uint32_t choose_loop_count(std::uint32_t processor_count, bool uses_network);

/// Whether one of the plans reads an endpoint that is not in the process.
[[nodiscard]] bool uses_network(const std::vector<PlanFile>& files, const plan::Registry& registry);

/// Everything that answers requests: threads, and the generation of clients and plans that it
/// started with or that has replaced it.
/// Threading: built and destroyed by one thread; `loop`, `metrics`, `generation` and `connect` from
/// any; `plans`, `ranker` and `store_counters` from any as long as nobody replaces the generation.
/// Lifetime: borrows the logger of the settings.
class Engine {
 public:
  /// Loads all plans of the project; every problem of every plan is in the error. If the settings
  /// name a plan and that one is good, the problems of others are only logged.
  [[nodiscard]] static std::expected<std::unique_ptr<Engine>, StartError> start(
      const Settings& settings, const Project& project);
  /// The same with a project that the engine's generations own.
  [[nodiscard]] static std::expected<std::unique_ptr<Engine>, StartError> start(
      const Settings& settings, std::shared_ptr<const Project> project);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] rank::PlanSet& plans() { return generation()->plans(); }
  [[nodiscard]] std::size_t loop_count() const { return loops_.size(); }
  [[nodiscard]] rank::Ranker& ranker(std::size_t loop) { return generation()->ranker(loop); }

  // To exchange plans while the engine runs: connect, load, make a generation, replace.

  /// The generation in use. Owners: the engine, and whoever uses it now.
  [[nodiscard]] std::shared_ptr<Generation> generation() const MR_EXCLUDES(mutex_);
  /// Makes the clients of a project that was read again. Those of endpoints that did not change are
  /// taken over from `before`, which may be null.
  [[nodiscard]] std::expected<std::shared_ptr<EndpointClients>, StartError> connect(
      std::shared_ptr<const Project> project, const EndpointClients* before);
  /// Makes a compiled plan ready to run with these clients.
  [[nodiscard]] base::Result<std::unique_ptr<rank::LoadedPlan>> load(
      plan::CompiledPlanRef plan, std::string artifact, const EndpointClients& clients) const;
  [[nodiscard]] std::shared_ptr<Generation> make_generation(
      std::shared_ptr<EndpointClients> clients, rank::PlanSet plans) const;
  /// Gives the one that was in use.
  [[nodiscard]] std::shared_ptr<Generation> replace_generation(std::shared_ptr<Generation> next)
      MR_EXCLUDES(mutex_);
  [[nodiscard]] loop::EventLoop& loop(std::size_t loop) { return *loops_[loop]->loop; }
  [[nodiscard]] runtime::WorkerPool& workers() { return *workers_; }
  [[nodiscard]] const runtime::WorkerPool& workers() const { return *workers_; }
  /// Decides for all loops whether a request may start.
  [[nodiscard]] const runtime::Admission& admission() const { return *admission_; }
  [[nodiscard]] runtime::Admission& admission() { return *admission_; }
  /// Writes the rest of the trace dump and closes it, if there is one. No request may be under way.
  [[nodiscard]] std::expected<void, StartError> close_trace_dump();
  /// The metrics of the process: those of loops and endpoints, and what others bind to it.
  [[nodiscard]] base::MetricsRegistry& metrics() { return metrics_; }
  [[nodiscard]] const base::MetricsRegistry& metrics() const { return metrics_; }
  /// What became of the records of traces.
  [[nodiscard]] trace::TraceStats trace_stats() const { return tracer_.collector().stats(); }
  /// The sum of the counters of all store clients.
  [[nodiscard]] stores::StoreCounters store_counters() const;

 private:
  Engine() = default;
  [[nodiscard]] std::expected<void, StartError> start_threads(const Settings& settings,
                                                              std::uint32_t loop_count);
  [[nodiscard]] std::expected<rank::PlanSet, StartError> load_plans(
      const EndpointClients& clients, std::vector<PlanFile> files) const;

  void bind_metrics(LoopUnit& unit, std::size_t loop_index);
  void log_start(const Settings& settings, const Project& project, base::TimePoint begin);

  Settings settings_;  // constant once started
  // Destroyed from the last to the first: plans wait for bodies that still run, and these need the
  // threads, the clients and the admission.
  base::SystemWallClock wall_clock_;
  base::MetricsRegistry metrics_{{.series_max = kSeriesMax}};
  base::Logger* log_ = nullptr;  // set when the engine has started
  std::unique_ptr<TraceDump> dump_;
  rank::RunTracer tracer_;
  tasks::ScratchPool scratches_;
  std::unique_ptr<runtime::WorkerPool> workers_;
  std::unique_ptr<runtime::Admission> admission_;
  std::vector<std::unique_ptr<LoopUnit>> loops_;
  mutable base::Mutex mutex_;
  std::shared_ptr<Generation> generation_ MR_GUARDED_BY(mutex_);
};

}  // namespace millrace::host
