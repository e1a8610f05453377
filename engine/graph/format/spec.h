#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/formats/json_document.h"
#include "graph/format/words.h"

// A graph file as plain structs, with the defaults of the format and nothing else filled in.
// `source` is the object in the document that a struct was read from, for the places of messages;
// it borrows the document of the `GraphFile`. What is not `is_readable` has a field that could not
// be read, and holds a default there.

namespace millrace::graph {

using base::Duration;

struct TasksSpec {
  std::int64_t workers = 1;
  std::int64_t max_inflight = 64;
  Duration task_budget{};
};

struct LaneSpec {
  std::optional<base::JsonValue> source = {};
  bool is_readable = true;
  std::string id = {};
  LaneType type = LaneType::kEventLoop;
  Duration period{};
  double hz = 0;
  Duration tick_budget{};
  bool wall_clock_enabled = false;
  OverrunPolicy overrun_policy = OverrunPolicy::kDropTick;
  bool independent = false;
  Duration phase{};
  std::int64_t max_threads = 0;
  std::optional<std::int64_t> queue_capacity = {};
  LaneOverflow overflow = LaneOverflow::kReject;
  std::int64_t starvation_guard_every = 64;
  std::int64_t abandon_max = 4;
  std::string thread_name = {};
  std::int64_t priority = 0;
  std::vector<std::int64_t> cpu_affinity = {};
  std::int64_t nice_priority = 0;
  RtPolicy rt_policy = RtPolicy::kNone;
  std::int64_t rt_priority = 0;
  IsolationIntent isolation_intent = IsolationIntent::kNone;
  Enforce enforce = Enforce::kOff;
};

struct EventSourceSpec {
  std::optional<base::JsonValue> source = {};
  SourceType type = SourceType::kMessage;
  std::vector<std::string> inputs = {};
  Duration period{};
};

struct TriggerSpec {
  std::optional<base::JsonValue> source = {};
  TriggerType type = TriggerType::kAnyInput;
  std::vector<std::string> inputs = {};
  Duration slop{};
  std::int64_t batch_size = 0;
  Duration batch_window{};
  Duration lateness{};
  Duration window{};
  Condition condition = Condition::kAnyInputReady;
  bool coalesce = false;
  Duration min_interval{};
  Duration max_latency{};
  Duration max_silence{};
};

struct RestartSpec {
  std::int64_t max = 3;
  Duration window{};
  Duration backoff{};
};

struct ExecutionSpec {
  std::optional<base::JsonValue> source = {};
  std::string lane = {};
  bool reentrant = false;
  PriorityClass priority = PriorityClass::kNormal;
  Duration budget{};
  Duration abandon_after{};
  OnError on_error = OnError::kFailFast;
  RestartSpec restart = {};
};

struct BoundarySpec {
  std::optional<base::JsonValue> source = {};
  BoundaryRole role = BoundaryRole::kNone;
  std::string descriptor = {};
  Duration max_age{};
};

struct ComponentSpec {
  std::optional<base::JsonValue> source = {};
  bool is_readable = true;
  std::string id = {};
  std::string type = {};
  std::vector<EventSourceSpec> event_sources = {};
  std::optional<TriggerSpec> trigger = {};
  ExecutionSpec execution = {};
  std::vector<std::string> depends_on = {};
  BoundarySpec boundary = {};
  std::optional<base::JsonValue> config = {};
};

struct ChannelSpec {
  std::optional<base::JsonValue> source = {};
  ChannelMode mode = ChannelMode::kLatest;
  std::int64_t capacity = 1;
  EdgeOverflow overflow = EdgeOverflow::kOverwrite;
  Duration lifespan{};
  Duration deadline{};
  std::int64_t max_inflight = 0;
  CopyPolicy copy_policy = CopyPolicy::kSharedView;
  Readers readers = Readers::kSingle;
};

struct EdgeSpec {
  std::optional<base::JsonValue> source = {};
  bool is_readable = true;
  std::string id = {};
  EdgeKind kind = EdgeKind::kImmediate;
  std::string from = {};
  std::string to = {};
  ChannelSpec policy = {};
};

struct LoopPolicySpec {
  std::optional<base::JsonValue> source = {};
  CompositeLoopType type = CompositeLoopType::kFixedPoint;
  std::int64_t max_iterations = 1;
  Duration budget{};
  Convergence convergence = Convergence::kNone;
  std::optional<double> residual_threshold = {};
  std::optional<PartialSuccess> partial_success = {};
  LoopOutputs outputs = LoopOutputs::kFinal;
};

struct CompositeLoopSpec {
  std::optional<base::JsonValue> source = {};
  bool is_readable = true;
  std::string id = {};
  std::vector<std::string> components = {};
  LoopPolicySpec policy = {};
};

/// A part whose components, edges and loops take the prefix `<id>.`.
struct SubgraphSpec {
  std::optional<base::JsonValue> source = {};
  std::string id = {};
  std::optional<base::JsonValue> components = {};
  std::optional<base::JsonValue> edges = {};
  std::optional<base::JsonValue> composite_loops = {};
};

/// A part whose scalars may contain `{{name}}`; it exists only where an instance asks for it.
using TemplateSpec = SubgraphSpec;

struct TemplateInstanceSpec {
  std::optional<base::JsonValue> source = {};
  std::string id = {};
  std::string template_id = {};
  std::optional<base::JsonValue> parameters = {};
};

struct GraphSpec {
  std::optional<base::JsonValue> source = {};
  std::int64_t schema_version = 1;
  std::string name = {};
  GraphKind kind = GraphKind::kRunnable;
  std::optional<base::JsonValue> config = {};
  TasksSpec tasks = {};
  std::vector<LaneSpec> lanes = {};
  std::vector<ComponentSpec> components = {};
  std::vector<EdgeSpec> edges = {};
  std::vector<CompositeLoopSpec> loops = {};
  std::vector<SubgraphSpec> subgraphs = {};
  std::vector<TemplateSpec> templates = {};
  std::vector<TemplateInstanceSpec> template_instances = {};
};

}  // namespace millrace::graph
