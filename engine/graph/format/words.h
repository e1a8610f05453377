#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

// The enumerations of the file format with the words that a file uses for them, in order.

namespace millrace::graph {

#define MR_GRAPH_WORDS(Enum, ...)                                            \
  [[nodiscard]] constexpr std::span<const std::string_view> words_of(Enum) { \
    constexpr static std::string_view kWords[] = {__VA_ARGS__};              \
    return kWords;                                                           \
  }                                                                          \
  [[nodiscard]] constexpr std::string_view to_string(Enum value) {           \
    return words_of(value)[static_cast<std::size_t>(value)];                 \
  }                                                                          \
  static_assert(sizeof(Enum) == 1)

enum class GraphKind : std::uint8_t { kRunnable, kInternalTest };
MR_GRAPH_WORDS(GraphKind, "runnable", "internal_test");

enum class LaneType : std::uint8_t {
  kEventLoop,
  kFixedRate,
  kThreadPool,
  kIsolatedThread,
  kManualStep
};
MR_GRAPH_WORDS(
    LaneType, "event_loop", "fixed_rate", "thread_pool", "isolated_thread", "manual_step");

enum class OverrunPolicy : std::uint8_t { kDropTick, kSkipNext, kCatchUpOnce };
MR_GRAPH_WORDS(OverrunPolicy, "drop_tick", "skip_next", "catch_up_once");

enum class LaneOverflow : std::uint8_t {
  kOverwrite,
  kDropOldest,
  kDropNewest,
  kReject,
  kRejectNew,
  kBlock,
  kFailFast
};
MR_GRAPH_WORDS(LaneOverflow,
               "overwrite",
               "drop_oldest",
               "drop_newest",
               "reject",
               "reject_new",
               "block",
               "fail_fast");

enum class RtPolicy : std::uint8_t { kNone, kFifo, kRr };
MR_GRAPH_WORDS(RtPolicy, "none", "fifo", "rr");

enum class IsolationIntent : std::uint8_t { kNone, kShared, kDedicated };
MR_GRAPH_WORDS(IsolationIntent, "none", "shared", "dedicated");

enum class Enforce : std::uint8_t { kOff, kBestEffort, kRequire };
MR_GRAPH_WORDS(Enforce, "off", "best_effort", "require");

enum class BoundaryRole : std::uint8_t { kNone, kInput, kOutput };
MR_GRAPH_WORDS(BoundaryRole, "none", "input", "output");

/// Class of a component; lower values go first.
enum class PriorityClass : std::uint8_t { kHigh, kNormal, kLow, kBackground };
MR_GRAPH_WORDS(PriorityClass, "high", "normal", "low", "background");

enum class OnError : std::uint8_t { kFailFast, kContinue, kIsolate, kRestart };
MR_GRAPH_WORDS(OnError, "fail_fast", "continue", "isolate", "restart");

enum class SourceType : std::uint8_t {
  kManual,
  kMessage,
  kTimer,
  kRequest,
  kTaskReady,
  kFutureReady
};
MR_GRAPH_WORDS(SourceType, "manual", "message", "timer", "request", "task_ready", "future_ready");

enum class TriggerType : std::uint8_t {
  kManual,
  kAnyInput,
  kOnEvent,
  kRequest,
  kTaskReady,
  kFutureReady,
  kAllInputs,
  kTimeSync,
  kBatch,
  kWatermark,
  kDebounce,
  kRateLimit,
  kCondition
};
MR_GRAPH_WORDS(TriggerType,
               "manual",
               "any_input",
               "on_event",
               "request",
               "task_ready",
               "future_ready",
               "all_inputs",
               "time_sync",
               "batch",
               "watermark",
               "debounce",
               "rate_limit",
               "condition");

enum class Condition : std::uint8_t { kAllInputsReady, kAnyInputReady, kEventTimestampPresent };
MR_GRAPH_WORDS(Condition, "all_inputs_ready", "any_input_ready", "event_timestamp_present");

enum class EdgeKind : std::uint8_t { kImmediate, kDelay, kState, kAsync };
MR_GRAPH_WORDS(EdgeKind, "immediate", "delay", "state", "async");

enum class ChannelMode : std::uint8_t {
  kLatest,
  kQueue,
  kRingBuffer,
  kLatched,
  kBarrier,
  kPreviousTick
};
MR_GRAPH_WORDS(
    ChannelMode, "latest", "queue", "ring_buffer", "latched", "barrier", "previous_tick");

enum class EdgeOverflow : std::uint8_t {
  kOverwrite,
  kDropOldest,
  kDropNewest,
  kReject,
  kBlock,
  kFailFast
};
MR_GRAPH_WORDS(
    EdgeOverflow, "overwrite", "drop_oldest", "drop_newest", "reject", "block", "fail_fast");

enum class CopyPolicy : std::uint8_t { kCopy, kSharedView, kMoveOnly };
MR_GRAPH_WORDS(CopyPolicy, "copy", "shared_view", "move_only");

enum class Readers : std::uint8_t { kSingle, kMulti };
MR_GRAPH_WORDS(Readers, "single", "multi");

enum class CompositeLoopType : std::uint8_t {
  kFixedPoint,
  kSolverIteration,
  kTransaction,
  kCoalescedEvent
};
MR_GRAPH_WORDS(
    CompositeLoopType, "fixed_point", "solver_iteration", "transaction", "coalesced_event");

enum class Convergence : std::uint8_t { kNone, kSinglePass, kStableState };
MR_GRAPH_WORDS(Convergence, "none", "single_pass", "stable_state");

enum class PartialSuccess : std::uint8_t { kCommitOutputs, kDiscardOutputs, kFailRun };
MR_GRAPH_WORDS(PartialSuccess, "commit_outputs", "discard_outputs", "fail_run");

enum class LoopOutputs : std::uint8_t { kFinal, kAll };
MR_GRAPH_WORDS(LoopOutputs, "final", "all");

/// When the epochs of a domain begin.
enum class PaceType : std::uint8_t { kReady, kSimulated, kGrid, kManual };
MR_GRAPH_WORDS(PaceType, "ready", "simulated", "grid", "manual");

#undef MR_GRAPH_WORDS

}  // namespace millrace::graph
