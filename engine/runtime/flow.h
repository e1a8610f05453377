#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/task.h"
#include "runtime/admission.h"
#include "runtime/flow/body_call.h"
#include "runtime/flow/flow_drawing.h"
#include "runtime/flow/flow_part.h"
#include "runtime/flow/for_each.h"
#include "runtime/flow/future.h"
#include "runtime/flow/replaceable.h"
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

/// Optional settings of a node. A timeout and a fallback belong to `Replaceable`.
struct NodeOptions {
  std::vector<std::string> after = {};
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
  /// bodies that are still running keep the context alive. After an error they may still write to
  /// it, so leave the context alone then; `start` gives it back only if all is well.
  [[nodiscard]] base::Status run(WorkerPool& pool,
                                 std::shared_ptr<Context> context,
                                 const RunOptions& options = {}) const {
    return state_->runs.run_owned(pool, std::move(context), options);
  }
  /// Starts the flow and returns a future of its answer.
  [[nodiscard]] base::Result<Future<Context>> start(WorkerPool& pool,
                                                    std::shared_ptr<Context> context,
                                                    const RunOptions& options = {}) const {
    return start_future(pool, options, context, [&](RunObserver observer) {
      return state_->runs.submit(pool, context, options, observer);
    });
  }
  /// The same, if `admission` allows it now; otherwise fails with kBusy or kDeadlineExceeded.
  [[nodiscard]] base::Result<Future<Context>> try_start(Admission& admission,
                                                        WorkerPool& pool,
                                                        std::shared_ptr<Context> context,
                                                        const RunOptions& options = {}) const {
    return start_future(pool, options, context, [&](RunObserver observer) {
      return state_->runs.try_submit(admission, pool, context, options, observer);
    });
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

  /// The flow as text that Graphviz, or any viewer of Markdown, draws.
  [[nodiscard]] std::string to_dot() const { return runtime::to_dot(*state_->topology); }
  [[nodiscard]] std::string to_mermaid() const { return runtime::to_mermaid(*state_->topology); }

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
/// returns nothing or a `Status`; an exception becomes the error of its node (C6). A node that has
/// a timeout or a fallback is declared by its steps instead, see `Replaceable`. Threading: not
/// shared.
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
    if constexpr (IsReplaceable<Body>::value) {
      IsReplaceable<Body>::template Node<Context>::fill_async(spec, std::move(body));
    } else {
      spec.closure = std::make_shared<const Body>(std::move(body));
      spec.async_body = [](const void* closure, NodeCall call) -> loop::Task<base::Status> {
        return (*static_cast<const Body*>(closure))(AsyncCall<Context>(std::move(call)));
      };
    }
    return add(std::move(spec));
  }
  /// Declares a flow as one node: it runs after `options.after`, and what names `id` in its `after`
  /// runs when all of it is complete. `path` leads from this context to that of `part`: a member,
  /// or a function that gives a reference. The nodes of `part` become nodes of this flow, named
  /// `id/NAME`; `part` may be run alone, be used several times, and be destroyed afterwards.
  template <class Inner, class Path>
  FlowBuilder& flow(const std::string& id,
                    const Flow<Inner>& part,
                    Path path,
                    const PartOptions& options = {}) {
    const auto projection = Projection::make<Context, Inner>(std::move(path));
    for (NodeSpec& spec : nodes_of_part(id, part.topology(), projection, options))
      add(std::move(spec));
    return *this;
  }
  /// Declares a loop over a range, cut into `options.pieces` nodes that run at the same time, named
  /// `id/0`, `id/1`, …; `id` is complete when all are. `range` gives the elements, as a member of
  /// the context or as a function of it; `body` is called with each element, or with the context
  /// and the element, and returns nothing or a `Status`.
  template <class Range, class Body>
  FlowBuilder& for_each(const std::string& id,
                        Range range,
                        Body body,
                        const ForEachOptions& options = {}) {
    if (options.pieces == 0 || options.pieces > kPiecesMax) {
      problems_ +=
          "node '" + id + "': pieces must be between 1 and " + std::to_string(kPiecesMax) + "; ";
      return *this;
    }
    NodeOptions join;
    for (std::uint32_t piece = 0; piece < options.pieces; ++piece) {
      join.after.push_back(id + "/" + std::to_string(piece));
      cpu(join.after.back(),
          ForEachPiece<Context, Range, Body>{.range = range,
                                             .body = body,
                                             .piece = piece,
                                             .piece_count = options.pieces,
                                             .elements_min = options.elements_per_piece_min},
          {.after = options.after, .priority = options.priority, .op = "for_each"});
    }
    join.priority = options.priority;
    join.op = "for_each";
    return cheap(id, [](Context&) {}, std::move(join));
  }

  /// Checks everything and gives the flow, or one error that names every problem.
  [[nodiscard]] base::Result<Flow<Context>> build(const CostSettings& settings = {}) {
    MR_TRY_STATUS(validate(settings));
    if (!problems_.empty()) {
      problems_.resize(problems_.size() - 2);
      return base::fail(base::ErrorCode::kInvalidArgument, std::exchange(problems_, {}), "flow");
    }
    close_inputs_of_replaced(specs_);
    TopologyBuilder builder;
    for (NodeSpec& spec : std::exchange(specs_, {})) builder.add(std::move(spec));
    MR_TRY(std::shared_ptr<const Topology> topology, builder.build());
    MR_TRY_STATUS(check_stand_ins(*topology));
    return Flow<Context>(
        std::make_unique<typename Flow<Context>::State>(std::move(topology), settings));
  }

 private:
  template <class Body>
  static bool invoke(const void* closure, NodeCall& call) {
    const Body& body = *static_cast<const Body*>(closure);
    Context& context = *static_cast<Context*>(call.context());
    return call_body(call, [&] {
      if constexpr (std::invocable<const Body&, Context&, NodeCall&>) {
        return body(context, call);
      } else {
        return body(context);
      }
    });
  }

  template <class Body>
  FlowBuilder& add(NodeKind kind, std::string id, Body body, NodeOptions options) {
    NodeSpec spec = make_spec(kind, std::move(id), std::move(options));
    if constexpr (IsReplaceable<Body>::value) {
      IsReplaceable<Body>::template Node<Context>::fill_cpu(spec, std::move(body));
    } else {
      spec.body = &invoke<Body>;
      spec.closure = std::make_shared<const Body>(std::move(body));
    }
    return add(std::move(spec));
  }
  FlowBuilder& add(NodeSpec spec) {
    specs_.push_back(std::move(spec));
    return *this;
  }
  static NodeSpec make_spec(NodeKind kind, std::string id, NodeOptions options) {
    NodeSpec spec;
    spec.id = std::move(id);
    spec.op = std::move(options.op);
    spec.kind = kind;
    spec.after = std::move(options.after);
    spec.priority = options.priority;
    spec.inline_hint = options.inline_hint;
    spec.cost_estimate = options.cost_estimate;
    spec.cost_per_row = options.cost_per_row;
    return spec;
  }

  std::vector<NodeSpec> specs_;
  std::string problems_;
};

/// Calls `body` with every element of `range`, on the pool and the calling thread, and returns when
/// all calls have returned. `body` returns nothing or a `Status`; the first error ends the loop.
/// Elements are handled at the same time and in no order. Pays for loops above some 50 us, because
/// a flow is built for each call; a loop that runs often belongs into a flow of its own.
template <std::ranges::random_access_range Range, class Body>
[[nodiscard]] base::Status for_each(WorkerPool& pool,
                                    Range&& range,
                                    const Body& body,
                                    const ForEachOptions& options = {}) {
  struct Elements {
    std::ranges::ref_view<std::remove_reference_t<Range>> all;
  };
  if (!options.after.empty()) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "A loop of its own has no nodes to wait for: leave `after` empty");
  }
  FlowBuilder<Elements> builder;
  builder.for_each(
      "for_each",
      &Elements::all,
      [&body](auto&& element) { return std::invoke(body, element); },
      options);
  MR_TRY(const Flow<Elements> loop, builder.build());
  Elements elements{std::ranges::ref_view(range)};
  return loop.run(pool, elements);
}

}  // namespace millrace::runtime
