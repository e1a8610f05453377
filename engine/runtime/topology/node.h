#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/strong_id.h"

// What a node is, as its author declares it.

namespace millrace::loop {
template <class T>
class Task;
}  // namespace millrace::loop

namespace millrace::runtime {

class NodeCall;

struct NodeTag;
/// A node's place in its topology: dense, in the order of declaration.
using NodeId = base::StrongId<NodeTag>;

/// Means "no node" wherever nodes are plain indices.
inline constexpr std::uint32_t kNoNode = UINT32_MAX;

/// Where a node runs. Declared by its author, never guessed by the engine.
enum class NodeKind : std::uint8_t {
  kCpu,    ///< a pool worker, unless inlined
  kCheap,  ///< whichever thread completed its last input
  kAsync,  ///< the run's event loop; may suspend
};

enum class Priority : std::uint8_t { kHigh, kNormal, kLow, kBackground };
inline constexpr std::size_t kPriorityCount = 4;

/// The plan's own decision on inlining; it overrides the engine's.
enum class InlineHint : std::uint8_t { kUnset, kNever, kAlways };

/// Calls a body. Returns false if it failed, after `NodeCall::set_error`. Never lets an exception
/// out.
using BodyFunction = bool (*)(const void* closure, NodeCall& call);
/// Starts an asynchronous body. The closure outlives the task.
using AsyncFunction = loop::Task<base::Status> (*)(const void* closure, NodeCall call);

/// Where the value of a body waits until it is committed.
class StagedValue;
/// Makes the place for a node's value, once per run object.
using StagedValueMaker = std::unique_ptr<StagedValue> (*)();

/// What happens to a node that failed, timed out or was given up.
enum class FallbackKind : std::uint8_t {
  kNone,   ///< the error aborts the run
  kValue,  ///< `NodeSpec::fallback_body` supplies a value at once
  kNode,   ///< another node takes its place; that node is lazy (K5)
};

/// One node as it is handed to `TopologyBuilder`.
struct NodeSpec {
  std::string id;
  std::string op = {};  ///< for messages; defaults to the kind's name
  NodeKind kind = NodeKind::kCpu;
  BodyFunction body = nullptr;               ///< for cpu and cheap nodes
  AsyncFunction async_body = nullptr;        ///< for async nodes
  BodyFunction commit = nullptr;             ///< publishes the body's result once it is accepted
  StagedValueMaker make_staged = nullptr;    ///< for bodies that return a value to commit
  BodyFunction fallback_body = nullptr;      ///< for `FallbackKind::kValue`
  std::shared_ptr<const void> closure = {};  ///< what `body` is called with
  std::shared_ptr<const void> fallback_closure = {};  ///< what `fallback_body` is called with
  std::vector<std::string> after = {};  ///< ids of the producers; duplicates count once (K1)
  std::optional<base::Duration> timeout = {};
  std::optional<Priority> priority = {};  ///< unset: that of the run
  InlineHint inline_hint = InlineHint::kUnset;
  base::Duration cost_estimate{};  ///< 0 = unknown
  base::Duration cost_per_row{};   ///< added once per input row (I4)
  /// For cheap nodes: with more input rows than this the node does not run on a loop (C9).
  std::uint32_t cheap_rows_max = UINT32_MAX;
  FallbackKind fallback = FallbackKind::kNone;
  std::string fallback_node = {};              ///< id, for `FallbackKind::kNode`
  std::optional<base::Duration> reserve = {};  ///< overrides the measured reserve of C8
};

}  // namespace millrace::runtime
