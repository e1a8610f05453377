#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "loop/stop.h"
#include "runtime/topology/node.h"

namespace millrace::runtime {

class Run;
class StagedValue;

/// What a body may ask while it runs.
/// Threading: not shared; an async body keeps its own copy. Lifetime: the run outlives the body.
class NodeCall {
 public:
  NodeCall(Run& run, void* context) : run_(&run), context_(context) {}

  /// The context that the run was started with; typed bodies get it as a reference.
  [[nodiscard]] void* context() const { return context_; }
  /// Gives the context away and takes another: for the bodies of a flow that is part of another,
  /// and for bodies that must not touch their context.
  void* exchange_context(void* context) { return std::exchange(context_, context); }
  [[nodiscard]] NodeId node() const { return NodeId(node_); }
  [[nodiscard]] std::string_view node_id() const;
  /// True once the run is over for any reason. On a loop thread, where no timer can fire while the
  /// body runs, it is also true once the body's time is up (C10).
  [[nodiscard]] bool stop_requested() const;
  /// False once the result of the body is no longer needed: the run is over, or the node was given
  /// up because its time ran out (C3, C8, C10). Long bodies ask between chunks of work. Relaxed:
  /// synchronises nothing.
  [[nodiscard]] bool is_wanted() const;
  [[nodiscard]] loop::StopToken stop_token() const;
  /// Time until the run's deadline, or nothing if it has none. Reads the clock.
  [[nodiscard]] std::optional<base::Duration> remaining() const;
  /// Says how many rows the node produced; dependents that cost per row are estimated with it (I4).
  void set_row_count(std::uint32_t row_count) { row_count_ = row_count; }

  /// Where the node's value waits for its commit; only for nodes with `NodeSpec::make_staged`.
  [[nodiscard]] StagedValue& staged() const;
  /// Makes sure that the nodes for which this node stands in no longer read their input.
  void close_replaced_inputs() const;

  /// Records why the body is about to return false.
  void set_error(base::Error error) { error_ = std::move(error); }
  /// Gives the recorded error, or a general one if the body recorded none.
  [[nodiscard]] base::Error take_error() {
    std::optional<base::Error> taken = std::exchange(error_, std::nullopt);
    if (taken) return *std::move(taken);
    return base::Error(base::ErrorCode::kNodeFailed, "The body failed");
  }
  /// Turns the exception being handled into an error; call only inside a catch block (C6).
  void set_error_from_exception();

 private:
  friend class Run;
  friend class Worker;
  friend class LoopScheduler;
  friend class RunSteps;

  /// When the body's time is up, for a body on a loop thread.
  struct TimeLimit {
    const base::Clock* clock = nullptr;
    base::TimePoint when = base::TimePoint::max();

    [[nodiscard]] bool is_over() const { return clock != nullptr && clock->now() >= when; }
  };

  Run* run_;
  void* context_;
  TimeLimit limit_;
  std::uint32_t node_ = kNoNode;
  std::uint32_t row_count_ = 0;
  std::optional<base::Error> error_;
};

}  // namespace millrace::runtime
