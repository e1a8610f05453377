#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "loop/task.h"
#include "runtime/admission.h"
#include "runtime/node_call.h"
#include "runtime/run_pool.h"
#include "runtime/topology/cost_model.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"
#include "runtime/topology/topology_builder.h"
#include "runtime/worker_pool.h"

// The typed interface of the scheduler: a flow of lambdas over a context that you define. One flow
// serves any number of runs at the same time, each with its own context.

namespace millrace::runtime {

/// Optional settings of a node.
struct NodeOptions {
  std::vector<std::string> after = {};
  std::optional<base::Duration> timeout = {};
  std::optional<Priority> priority = {};
  InlineHint inline_hint = InlineHint::kUnset;
  base::Duration cost_estimate{};
  base::Duration cost_per_row{};
  std::string op = {};
};

/// The argument of an asynchronous body. A coroutine outlives its call, so this is passed by value.
template <class Context>
class AsyncCall {
 public:
  explicit AsyncCall(NodeCall call) : call_(std::move(call)) {}
  /// Lives until the run is released.
  [[nodiscard]] Context& context() const { return *static_cast<Context*>(call_.context()); }
  [[nodiscard]] loop::StopToken stop_token() const { return call_.stop_token(); }
  [[nodiscard]] NodeCall& call() { return call_; }

 private:
  NodeCall call_;
};

template <class Context>
class FlowBuilder;

/// A checked flow, ready to run.
/// Threading: any thread. Lifetime: outlives its runs.
template <class Context>
class Flow {
 public:
  /// Executes the flow on `context`; the calling thread helps. Returns when all bodies have
  /// returned.
  [[nodiscard]] base::Status run(WorkerPool& pool,
                                 Context& context,
                                 const RunOptions& options = {}) const {
    return state_->runs.run(pool, &context, options);
  }
  /// The same, but may have a deadline: the answer then comes at the deadline at the latest, and
  /// bodies that are still running keep the context alive.
  [[nodiscard]] base::Status run(WorkerPool& pool,
                                 std::shared_ptr<Context> context,
                                 const RunOptions& options = {}) const {
    return state_->runs.run_owned(pool, std::move(context), options);
  }
  /// Starts the flow and returns; `observer.on_answer` is called once.
  [[nodiscard]] base::Result<RunHandle> submit(WorkerPool& pool,
                                               std::shared_ptr<Context> context,
                                               const RunOptions& options = {},
                                               RunObserver observer = {}) const {
    return state_->runs.submit(pool, std::move(context), options, observer);
  }

  /// The same, if `admission` allows it now; otherwise fails with kBusy or kDeadlineExceeded.
  [[nodiscard]] base::Result<RunHandle> try_submit(Admission& admission,
                                                   WorkerPool& pool,
                                                   std::shared_ptr<Context> context,
                                                   const RunOptions& options = {},
                                                   RunObserver observer = {}) const {
    return state_->runs.try_submit(admission, pool, std::move(context), options, observer);
  }

  [[nodiscard]] const Topology& topology() const { return *state_->topology; }
  [[nodiscard]] CostModel& costs() const { return state_->costs; }
  [[nodiscard]] const RunPool& runs() const { return state_->runs; }

 private:
  friend class FlowBuilder<Context>;
  struct State {
    State(std::shared_ptr<const Topology> flat, const CostSettings& settings)
        : topology(std::move(flat)), costs(*topology, settings), runs(*topology, costs) {}
    std::shared_ptr<const Topology> topology;
    CostModel costs;
    RunPool runs;
  };
  explicit Flow(std::unique_ptr<State> state) : state_(std::move(state)) {}
  std::unique_ptr<State> state_;
};

/// Collects the nodes of a flow. A body is called as `body(context)` or `body(context, call)` and
/// returns nothing or a `Status`; an exception becomes the error of its node (C6).
/// Threading: not shared.
template <class Context>
class FlowBuilder {
 public:
  /// Declares a node that runs on a worker.
  template <class Body>
  FlowBuilder& cpu(std::string id, Body body, NodeOptions options = {}) {
    return add(NodeKind::kCpu, std::move(id), std::move(body), std::move(options));
  }
  /// Declares a node so cheap that it runs on whichever thread completed its last input.
  template <class Body>
  FlowBuilder& cheap(std::string id, Body body, NodeOptions options = {}) {
    return add(NodeKind::kCheap, std::move(id), std::move(body), std::move(options));
  }
  /// Declares a node that runs on the loop and may suspend: `Task<Status>
  /// body(AsyncCall<Context>)`.
  template <class Body>
  FlowBuilder& async(std::string id, Body body, NodeOptions options = {}) {
    NodeSpec spec = make_spec(NodeKind::kAsync, std::move(id), std::move(options));
    spec.closure = std::make_shared<const Body>(std::move(body));
    spec.async_body = [](const void* closure, NodeCall call) -> loop::Task<base::Status> {
      return (*static_cast<const Body*>(closure))(AsyncCall<Context>(std::move(call)));
    };
    builder_.add(std::move(spec));
    return *this;
  }
  /// Gives the node declared last a value to use instead when it fails, times out or is given up.
  template <class Body>
  FlowBuilder& or_else(Body body) {
    builder_.set_fallback_value(&invoke<Body>, std::make_shared<const Body>(std::move(body)));
    return *this;
  }
  /// Gives the node declared last another node to use instead; that node runs only if it is needed
  /// (K5).
  FlowBuilder& or_else_node(std::string id) {
    builder_.set_fallback_node(std::move(id));
    return *this;
  }

  /// Checks everything and gives the flow, or one error that names every problem.
  [[nodiscard]] base::Result<Flow<Context>> build(const CostSettings& settings = {}) {
    MR_TRY_STATUS(validate(settings));
    MR_TRY(std::shared_ptr<const Topology> topology, builder_.build());
    return Flow<Context>(
        std::make_unique<typename Flow<Context>::State>(std::move(topology), settings));
  }

 private:
  template <class Body>
  static bool invoke(const void* closure, NodeCall& call) {
    const Body& body = *static_cast<const Body*>(closure);
    Context& context = *static_cast<Context*>(call.context());
    try {
      if constexpr (std::invocable<const Body&, Context&, NodeCall&>) {
        return finish(call, [&] { return body(context, call); });
      } else {
        return finish(call, [&] { return body(context); });
      }
    } catch (...) {
      call.set_error_from_exception();
      return false;
    }
  }
  template <class Call>
  static bool finish(NodeCall& call, Call body) {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return true;
    } else {
      base::Status status = body();
      if (status) return true;
      call.set_error(std::move(status.error()));
      return false;
    }
  }

  template <class Body>
  FlowBuilder& add(NodeKind kind, std::string id, Body body, NodeOptions options) {
    NodeSpec spec = make_spec(kind, std::move(id), std::move(options));
    spec.body = &invoke<Body>;
    spec.closure = std::make_shared<const Body>(std::move(body));
    builder_.add(std::move(spec));
    return *this;
  }
  static NodeSpec make_spec(NodeKind kind, std::string id, NodeOptions options) {
    NodeSpec spec;
    spec.id = std::move(id);
    spec.op = std::move(options.op);
    spec.kind = kind;
    spec.after = std::move(options.after);
    spec.timeout = options.timeout;
    spec.priority = options.priority;
    spec.inline_hint = options.inline_hint;
    spec.cost_estimate = options.cost_estimate;
    spec.cost_per_row = options.cost_per_row;
    return spec;
  }

  TopologyBuilder builder_;
};

}  // namespace millrace::runtime
