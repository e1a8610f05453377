#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "loop/event_loop.h"
#include "loop/loop.h"
#include "runtime/flow.h"
#include "runtime/pool_settings.h"
#include "runtime/run.h"
#include "runtime/worker_pool.h"
#include "scheduler/engine.h"
#include "scheduler/shape.h"
#include "scheduler/workload.h"
#include "trace/trace.h"
#include "trace/trace_collector.h"
#include "trace/trace_context.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"

// Our engine through the public API, with everything a user gets: a stop check before every node,
// error return and exception barrier around every body. One flow serves all slots; each slot is a
// context.
namespace millrace::bench {
namespace {

using runtime::ExecutorConfig;
using runtime::Flow;
using runtime::FlowBuilder;
using runtime::RunOptions;

struct Variant {
  ExecutorConfig config = {};
  bool inside = false;    // runs are started from a body on a worker
  bool deadline = false;  // runs carry a budget that never runs out, as requests do
};

std::string id_of(NodeIndex node) { return "n" + std::to_string(node); }

/// Adds up how long queued nodes waited, over the runs a collector delivers.
/// Threading: as `TraceSink`; read between collections.
class QueueDelays final : public trace::TraceSink {
 public:
  void consume(const trace::RunTrace& run) override {
    for (const trace::TraceRecord& record : run.records) {
      if (record.kind != trace::TraceKind::kQueueDelay) continue;
      total_ns_ += static_cast<double>(record.value);
      ++count_;
    }
  }
  void clear() { *this = {}; }
  [[nodiscard]] std::optional<double> mean_ns() const {
    if (count_ == 0) return std::nullopt;
    return total_ns_ / static_cast<double>(count_);
  }

 private:
  double total_ns_ = 0;
  std::uint64_t count_ = 0;
};

/// Collects the trace events of one engine's workers; only runs that are not timed are traced.
struct Tracing {
  Tracing() { collector.add_sink(delays); }
  QueueDelays delays;
  trace::TraceCollector collector;
};

/// The bodies of one slot: the context of a run in this benchmark.
template <class Body>
struct SlotContext {
  std::vector<Body> bodies;
};

template <class Body>
class MillraceDag final : public PreparedDag {
 public:
  using Context = SlotContext<Body>;

  MillraceDag(runtime::WorkerPool& pool,
              loop::Loop* loop,
              const Variant& variant,
              Tracing& tracing,
              Workload& workload)
      : pool_(pool),
        loop_(loop),
        tracing_(tracing),
        variant_(variant),
        options_(variant.deadline ? RunOptions{.budget = std::chrono::hours(1), .loop = loop}
                                  : RunOptions{}),
        dag_(build(workload)),
        counters_(pool.counters()) {
    for (std::size_t slot = 0; slot < workload.slot_count(); ++slot) {
      auto context = std::make_shared<Context>();
      for (NodeIndex node = 0; node < workload.shape().node_count(); ++node) {
        workload.visit_body(slot, node, [&](auto body) {
          if constexpr (std::is_same_v<decltype(body), Body>) context->bodies.push_back(body);
        });
      }
      contexts_.push_back(std::move(context));
    }
  }

  void run(const Repeat& repeat) override {
    if (!variant_.inside) return repeat_runs(repeat, [&] { run_once({}); });
    enter([&] { repeat_runs(repeat, [&] { run_once({}); }); });
  }

  std::optional<double> trace_queue_delay_ns(std::uint64_t count) override {
    tracing_.delays.clear();
    const auto run_traced = [&] {
      for (std::uint64_t run = 1; run <= count; ++run) {
        run_once(trace::TraceContext(
            trace::TraceId(run), trace::TraceFlag::QueueDelay, trace::TraceTopologyId(0)));
        tracing_.collector.collect();  // before the buffers are full
      }
    };
    if (variant_.inside) {
      enter(run_traced);
    } else {
      run_traced();
    }
    tracing_.collector.flush();
    return tracing_.delays.mean_ns();
  }

  void run_in_flight(std::uint64_t dag_count) override {
    if (slots_.empty()) {
      for (const auto& context : contexts_) {
        auto run = std::make_unique<runtime::Run>(dag_.topology(), dag_.costs());
        slots_.push_back({.owner = this, .context = context, .run = std::move(run)});
      }
    }
    left_.store(static_cast<std::int64_t>(dag_count), std::memory_order_relaxed);
    const std::uint64_t first = std::min<std::uint64_t>(dag_count, slots_.size());
    open_.add(first);
    const auto submit_all = [&] {
      for (std::uint64_t slot = 0; slot < first; ++slot) submit_next(slots_[slot]);
    };
    if (variant_.inside) {
      enter(submit_all);
    } else {
      submit_all();
    }
    pool_.help_until_done(open_);
  }

  [[nodiscard]] Tally tally() const override {
    const runtime::PoolCounters now = pool_.counters();
    const auto executed = static_cast<double>(now.executed - counters_.executed);
    const auto queued = static_cast<double>(now.queued - counters_.queued);
    return {.wakes = static_cast<double>(now.wakes - counters_.wakes),
            .inlined = executed - queued,
            .queued = queued};
  }

 private:
  struct Slot {
    MillraceDag* owner;
    std::shared_ptr<Context> context;
    std::unique_ptr<runtime::Run> run;  // of runs without a deadline, which borrow their context
  };

  static Flow<Context> build(Workload& workload) {
    FlowBuilder<Context> builder;
    const Shape& shape = workload.shape();
    for (NodeIndex node = 0; node < shape.node_count(); ++node) {
      runtime::NodeOptions options;
      for (const NodeIndex producer : shape.producers[node])
        options.after.push_back(id_of(producer));
      if (workload.slot_count() == 1) {
        builder.cpu(id_of(node), bound_body(workload, node), std::move(options));
        continue;
      }
      builder.cpu(
          id_of(node),
          [node](Context& context) -> base::Status {
            context.bodies[node]();
            return {};
          },
          std::move(options));
    }
    base::Result<Flow<Context>> dag = builder.build();
    MR_CHECK(dag.has_value());
    return *std::move(dag);
  }

  /// If there is one slot only, a body may hold its cell itself, as the rivals' bodies do.
  static auto bound_body(Workload& workload, NodeIndex node) {
    std::optional<Body> bound;
    workload.visit_body(0, node, [&](auto body) {
      if constexpr (std::is_same_v<decltype(body), Body>) bound.emplace(body);
    });
    MR_CHECK(bound.has_value());
    return [body = *bound](Context&) -> base::Status {
      body();
      return {};
    };
  }

  void run_once(const trace::TraceContext& trace) {
    base::Status status;
    if (variant_.deadline) {
      RunOptions options = options_;
      options.trace = trace;
      status = dag_.run(pool_, contexts_.front(), options);
    } else {
      status = dag_.run(pool_, *contexts_.front(), {.trace = trace});
    }
    MR_CHECK(status.has_value());
  }

  /// A flow whose only node calls the function that is its context.
  static Flow<std::function<void()>> build_entrance() {
    FlowBuilder<std::function<void()>> builder;
    builder.cpu("enter", [](std::function<void()>& inner) { inner(); });
    auto dag = builder.build();
    MR_CHECK(dag.has_value());
    return *std::move(dag);
  }

  /// Calls `work` in a body on a worker of the pool.
  void enter(std::function<void()> work) { MR_CHECK(entrance_.run(pool_, work).has_value()); }

  void submit_next(Slot& slot) {
    // No runs are left to start, so this slot is done.
    if (left_.fetch_sub(1, std::memory_order_relaxed) <= 0) return open_.done();
    const runtime::RunObserver observer{.on_answer =
                                            [](runtime::Run&, void* data) {
                                              Slot& ended = *static_cast<Slot*>(data);
                                              ended.owner->submit_next(ended);
                                            },
                                        .data = &slot};
    if (!variant_.deadline) return pool_.submit(*slot.run, slot.context.get(), {}, observer);
    MR_CHECK(dag_.submit(pool_, slot.context, options_, observer).has_value());
  }

  runtime::WorkerPool& pool_;
  loop::Loop* const loop_;
  Tracing& tracing_;
  const Variant variant_;
  const RunOptions options_;
  const Flow<Context> dag_;
  const Flow<std::function<void()>> entrance_ = build_entrance();
  const runtime::PoolCounters counters_;
  std::vector<std::shared_ptr<Context>> contexts_;
  std::vector<Slot> slots_;
  std::atomic<std::int64_t> left_{0};
  runtime::WaitGroup open_;
};

class MillraceEngine final : public Engine {
 public:
  explicit MillraceEngine(Variant variant) : variant_(variant) {
    variant.config.trace = &tracing_.collector;
    auto pool = runtime::WorkerPool::create(variant.config);
    MR_CHECK(pool.has_value());
    pool_ = *std::move(pool);
    if (!variant.deadline) return;
    auto loop = loop::EventLoop::create();
    MR_CHECK(loop.has_value());
    loop_ = *std::move(loop);
  }

  std::unique_ptr<PreparedDag> prepare(Workload& workload) override {
    std::unique_ptr<PreparedDag> prepared;
    workload.visit_body(0, 0, [&](auto body) {
      prepared = std::make_unique<MillraceDag<decltype(body)>>(
          *pool_, loop_.get(), variant_, tracing_, workload);
    });
    return prepared;
  }
  [[nodiscard]] bool caller_works() const override { return variant_.config.callers_help; }

 private:
  const Variant variant_;
  Tracing tracing_;  // outlives the pool
  std::unique_ptr<runtime::WorkerPool> pool_;
  std::unique_ptr<loop::EventLoop> loop_;
};

std::unique_ptr<Engine> make(unsigned workers, Variant variant) {
  variant.config.compute_threads = workers;
  return std::make_unique<MillraceEngine>(variant);
}

}  // namespace

std::unique_ptr<Engine> make_millrace_engine(unsigned workers) { return make(workers, {}); }
std::unique_ptr<Engine> make_millrace_inside_engine(unsigned workers) {
  return make(workers, {.inside = true});
}
std::unique_ptr<Engine> make_millrace_noinline_engine(unsigned workers) {
  return make(workers, {.config = {.enable_inline_execution = false}});
}
std::unique_ptr<Engine> make_millrace_nochain_engine(unsigned workers) {
  return make(workers, {.config = {.enable_continuation_chaining = false}});
}
std::unique_ptr<Engine> make_millrace_deadline_engine(unsigned workers) {
  return make(workers, {.deadline = true});
}
std::unique_ptr<Engine> make_millrace_wait_engine(unsigned workers) {
  return make(workers, {.config = {.callers_help = false}});
}

}  // namespace millrace::bench
