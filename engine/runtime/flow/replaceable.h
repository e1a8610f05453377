#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/task.h"
#include "runtime/flow/body_call.h"
#include "runtime/flow/staged_value.h"
#include "runtime/node_call.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {

/// The body needs nothing of the context.
struct NoInput {};
/// An error of the node is an error of the run.
struct NoFallback {};

/// The steps of a node that may be replaced: given up at its timeout, or for its fallback. A body
/// that was given up still runs while others use the context, so it never gets to see the context.
/// It works on a copy of its input and returns a value, which is committed only if it came in time.
///
///   builder.cpu("friends", Replaceable{.input = &Request::viewer,       // copied, before the body
///                                      .body = load_friends,            // Result<Friends>(Viewer)
///                                      .commit = &Request::friends,     // if the value is in time
///                                      .or_else = Friends{},            // if it is not
///                                      .timeout = 10ms});
///
/// - `input`: a member of the context, or a function of `const Context&` whose result is copied. It
///   must hold no pointer or view into the context.
/// - `body`: a function of the input; it may take a `NodeCall` as well, by reference in cpu and
///   cheap nodes, by value in async ones. Gives `T` or `Result<T>`; in async nodes a `Task` of it.
/// - `commit`: a member of the context, or a function of `Context&` and the value.
/// - `or_else`: a value for `commit`, or a function of `Context&`. Takes the place of a body that
///   failed, timed out or was given up.
/// - `or_else_node`: another node that takes its place; it runs only if it is needed (K5).
template <class Body, class Commit, class Input = NoInput, class OrElse = NoFallback>
struct Replaceable {
  Input input = {};
  Body body;
  Commit commit;
  OrElse or_else = {};
  std::string or_else_node = {};
  std::optional<base::Duration> timeout = {};
};

/// The value inside what a body gives.
template <class T>
struct StagedType {
  using type = T;
};
template <class T>
struct StagedType<base::Result<T>> {
  using type = T;
};
template <class T>
struct StagedType<loop::Task<T>> : StagedType<T> {};

/// Turns the steps of a replaceable node into the functions that a topology calls.
template <class Context, class Body, class Commit, class Input, class OrElse>
class ReplaceableNode {
 public:
  using Steps = Replaceable<Body, Commit, Input, OrElse>;

  static void fill_cpu(NodeSpec& spec, Steps steps) {
    spec.body = &run;
    fill<NodeCall&>(spec, std::move(steps));
  }
  static void fill_async(NodeSpec& spec, Steps steps) {
    spec.async_body = &run_async;
    fill<NodeCall>(spec, std::move(steps));
  }

 private:
  static constexpr bool kHasInput = !std::same_as<Input, NoInput>;
  static constexpr bool kHasFallback = !std::same_as<OrElse, NoFallback>;

  template <class Call>
  static void fill(NodeSpec& spec, Steps&& steps) {
    using Value = ValueOf<Call>;
    static_assert(!std::is_void_v<Value>, "A replaceable body returns the value to commit");
    spec.timeout = steps.timeout;
    spec.make_staged = &TypedStagedValue<Value>::make;
    spec.commit = &commit<Value>;
    if (!steps.or_else_node.empty()) {
      spec.fallback = FallbackKind::kNode;
      spec.fallback_node = steps.or_else_node;
    }
    const auto closure = std::make_shared<const Steps>(std::move(steps));
    if constexpr (kHasFallback) {
      spec.fallback = FallbackKind::kValue;
      spec.fallback_body = &fall_back<Value>;
      spec.fallback_closure = closure;
    }
    spec.closure = closure;
  }

  // --- Input.
  static auto copy_input(const Steps& steps, const NodeCall& call) {
    if constexpr (kHasInput) {
      const Context& context = *static_cast<const Context*>(call.context());
      return std::decay_t<std::invoke_result_t<const Input&, const Context&>>(
          std::invoke(steps.input, context));
    } else {
      return NoInput{};
    }
  }
  using Copied = decltype(copy_input(std::declval<const Steps&>(), std::declval<NodeCall&>()));

  static base::Result<Copied> read_input(const Steps& steps, const NodeCall& call) {
    struct Reading {
      StagedValue& staged;
      ~Reading() { staged.end_reading(); }
    };
    if (!call.staged().try_begin_reading())
      return base::fail(base::ErrorCode::kTimeout, "The node was given up before it began");
    const Reading reading{call.staged()};
    return copy_input(steps, call);
  }

  // --- Body.
  template <class Call>
  static auto call_steps(const Body& body, Copied&& input, Call call) {
    if constexpr (kHasInput && std::invocable<const Body&, Copied, Call>) {
      return std::invoke(body, std::move(input), static_cast<Call>(call));
    } else if constexpr (kHasInput) {
      return std::invoke(body, std::move(input));
    } else if constexpr (std::invocable<const Body&, Call>) {
      return std::invoke(body, static_cast<Call>(call));
    } else {
      return std::invoke(body);
    }
  }
  template <class Call>
  using ValueOf = typename StagedType<decltype(call_steps<Call>(
      std::declval<const Body&>(), std::declval<Copied>(), std::declval<Call>()))>::type;

  template <class Value, class Outcome>
  static base::Status stage(const NodeCall& call, Outcome outcome) {
    auto& staged = static_cast<TypedStagedValue<Value>&>(call.staged());
    if constexpr (std::same_as<Outcome, base::Result<Value>>) {
      if (!outcome) return std::unexpected(std::move(outcome.error()));
      staged.put(*std::move(outcome));
    } else {
      staged.put(std::move(outcome));
    }
    return {};
  }
  static bool run(const void* closure, NodeCall& call) {
    const Steps& steps = *static_cast<const Steps*>(closure);
    return call_body(call, [&]() -> base::Status {
      MR_TRY(Copied input, read_input(steps, call));
      const ContextScope without_context(call, nullptr);
      return stage<ValueOf<NodeCall&>>(call,
                                       call_steps<NodeCall&>(steps.body, std::move(input), call));
    });
  }
  static loop::Task<base::Status> run_async(const void* closure, NodeCall call) {
    const Steps& steps = *static_cast<const Steps*>(closure);
    MR_CO_TRY(Copied input, read_input(steps, call));
    call.exchange_context(nullptr);
    auto task = call_steps<NodeCall>(steps.body, std::move(input), call);
    auto outcome = co_await std::move(task);
    co_return stage<ValueOf<NodeCall>>(call, std::move(outcome));
  }

  // --- Commit and fallback. They run only for the side that won the node.
  template <class Value>
  static auto commit_value(const Steps& steps, NodeCall& call, Value value) {
    Context& context = *static_cast<Context*>(call.context());
    if constexpr (std::is_member_object_pointer_v<Commit>) {
      context.*steps.commit = std::move(value);
    } else {
      return std::invoke(steps.commit, context, std::move(value));
    }
  }
  template <class Value>
  static bool commit(const void* closure, NodeCall& call) {
    const Steps& steps = *static_cast<const Steps*>(closure);
    return call_body(call, [&] {
      auto& staged = static_cast<TypedStagedValue<Value>&>(call.staged());
      return commit_value<Value>(steps, call, staged.take());
    });
  }
  template <class Value>
  static bool fall_back(const void* closure, NodeCall& call) {
    const Steps& steps = *static_cast<const Steps*>(closure);
    call.staged().close_input();
    return call_body(call, [&] {
      if constexpr (std::invocable<const OrElse&, Context&>) {
        return steps.or_else(*static_cast<Context*>(call.context()));
      } else {
        return commit_value<Value>(steps, call, Value(steps.or_else));
      }
    });
  }
};

/// Says whether a body is made of the steps of a replaceable node, and if so, of which.
template <class Body>
struct IsReplaceable : std::false_type {};
template <class Body, class Commit, class Input, class OrElse>
struct IsReplaceable<Replaceable<Body, Commit, Input, OrElse>> : std::true_type {
  template <class Context>
  using Node = ReplaceableNode<Context, Body, Commit, Input, OrElse>;
};

/// Makes the nodes that stand in for others (`or_else_node`) wait until those no longer read their
/// input.
void close_inputs_of_replaced(std::span<NodeSpec> specs);

/// A node that stands in for another must run only for that: one that runs anyway may be done
/// before the other is given up, and could not wait for it.
[[nodiscard]] base::Status check_stand_ins(const Topology& topology);

}  // namespace millrace::runtime
