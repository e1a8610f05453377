#include "graph/format/fields.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/format/field_visitor.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"

namespace millrace::graph {
namespace {

constexpr std::int64_t kCountMax = 1'000'000'000;

void visit_graph_section(FieldVisitor& v, GraphSpec& spec) {
  v.id("name", spec.name, {.about = "name of the graph", .required = true});
  v.choice("kind", spec.kind, {.about = "runnable graphs have an input and an output boundary"});
  v.config("config", spec.config, {.about = "values that all components can read"});
  v.object(
      "tasks",
      [&spec](FieldVisitor& tasks) {
        tasks.integer(
            "workers", spec.tasks.workers, {.about = "threads for tasks", .min = 1, .max = 1024});
        tasks.integer("max_inflight",
                      spec.tasks.max_inflight,
                      {.about = "tasks submitted and not finished", .min = 1, .max = kCountMax});
        tasks.duration("task_budget", spec.tasks.task_budget, {.about = "budget of a task"});
      },
      {.about = "the executor of tasks"});
}

void visit_rate(FieldVisitor& v, LaneSpec& spec) {
  v.duration("period", spec.period, {.about = "time from tick to tick"});
  v.number("hz", spec.hz, {.about = "ticks per second; a positive period wins"});
  v.duration("tick_budget", spec.tick_budget, {.about = "what counts as an overrun (the period)"});
  v.flag("wall_clock_enabled", spec.wall_clock_enabled, {.about = "wait for the wall clock"});
  v.choice("overrun_policy", spec.overrun_policy, {.about = "which slot follows a late tick"});
  v.flag("independent", spec.independent, {.about = "a domain of its own"});
  v.duration("phase", spec.phase, {.about = "time of the first tick"});
}

void visit_os_intents(FieldVisitor& v, LaneSpec& spec) {
  v.text("thread_name", spec.thread_name, {.about = "name of the lane's threads"});
  v.integer("priority",
            spec.priority,
            {.about = "priority for the operating system", .min = -kCountMax, .max = kCountMax});
  v.integers("cpu_affinity", spec.cpu_affinity, {.about = "processors to run on", .max = 4095});
  v.integer("nice_priority", spec.nice_priority, {.about = "nice value", .min = -20, .max = 19});
  v.choice("rt_policy", spec.rt_policy, {.about = "real-time scheduling policy"});
  v.integer("rt_priority", spec.rt_priority, {.about = "real-time priority", .max = 99});
  v.choice("isolation_intent", spec.isolation_intent, {.about = "whether processors are shared"});
  v.choice("enforce", spec.enforce, {.about = "whether the settings above are applied"});
}

void visit_event_source(FieldVisitor& v, EventSourceSpec& spec) {
  v.source(spec.source);
  v.choice("type", spec.type, {.about = "what causes an invocation", .required = true});
  v.texts("inputs", spec.inputs, {.about = "ports whose messages cause it"});
  v.duration("period", spec.period, {.about = "period of a timer"});
}

void visit_trigger(FieldVisitor& v, TriggerSpec& spec) {
  v.source(spec.source);
  v.choice(
      "type", spec.type, {.about = "rule by which messages become invocations", .required = true});
  v.texts("inputs", spec.inputs, {.about = "ports it looks at"});
  v.duration("slop", spec.slop, {.about = "time_sync: largest distance of timestamps"});
  v.integer("batch_size",
            spec.batch_size,
            {.about = "batch: messages per invocation", .min = 1, .max = kCountMax});
  v.duration("batch_window", spec.batch_window, {.about = "batch: longest wait for the rest"});
  v.duration("lateness", spec.lateness, {.about = "watermark: how late a message may be"});
  v.duration("window", spec.window, {.about = "debounce: how long it must be quiet"});
  v.choice("condition", spec.condition, {.about = "condition: what must hold"});
  v.flag("coalesce", spec.coalesce, {.about = "only the newest of each input"});
  v.duration("min_interval", spec.min_interval, {.about = "shortest time between invocations"});
  v.duration("max_latency", spec.max_latency, {.about = "older messages are dropped (0: none)"});
  v.duration(
      "max_silence", spec.max_silence, {.about = "invoke if nothing came for so long (0: never)"});
}

void visit_execution(FieldVisitor& v, ExecutionSpec& spec) {
  v.source(spec.source);
  v.id("lane", spec.lane, {.about = "lane that executes it", .required = true});
  v.flag("reentrant", spec.reentrant, {.about = "whether its invocations may overlap"});
  v.choice("priority", spec.priority, {.about = "class of its invocations"});
  v.duration("budget", spec.budget, {.about = "time an invocation may take (0: any)"});
  v.duration(
      "abandon_after", spec.abandon_after, {.about = "go on without the invocation (0: never)"});
  auto on_error = static_cast<std::uint8_t>(spec.on_error);
  v.word_or_object(
      "on_error",
      on_error,
      words_of(spec.on_error),
      [&spec](FieldVisitor& restart) {
        restart.integer(
            "max", spec.restart.max, {.about = "restarts within the window", .max = kCountMax});
        restart.duration(
            "window", spec.restart.window, {.about = "time in which they are counted"});
        restart.duration("backoff", spec.restart.backoff, {.about = "pause before a restart"});
      },
      {.about = "what an error of the component does"});
  spec.on_error = static_cast<OnError>(on_error);
}

void visit_channel(FieldVisitor& v, ChannelSpec& spec) {
  v.source(spec.source);
  v.choice("mode", spec.mode, {.about = "what the buffer keeps"});
  v.integer("capacity", spec.capacity, {.about = "messages it holds", .max = kCountMax});
  v.choice("overflow", spec.overflow, {.about = "what happens when it is full"});
  v.duration("lifespan", spec.lifespan, {.about = "older messages are dropped (0: none)"});
  v.duration("deadline", spec.deadline, {.about = "older messages are flagged (0: none)"});
  v.integer("max_inflight",
            spec.max_inflight,
            {.about = "async: messages under way (0: any)", .max = kCountMax});
  v.choice("copy_policy", spec.copy_policy, {.about = "how readers share a message"});
  v.choice("readers", spec.readers, {.about = "one reader, or a cursor for each"});
}

void visit_loop_policy(FieldVisitor& v, LoopPolicySpec& spec) {
  v.source(spec.source);
  v.choice("type", spec.type, {.about = "kind of loop", .required = true});
  v.integer("max_iterations",
            spec.max_iterations,
            {.about = "iterations per epoch", .min = 1, .max = kCountMax});
  v.duration("budget", spec.budget, {.about = "time for all iterations (0: any)"});
  v.choice("convergence", spec.convergence, {.about = "when it has converged"});
  v.number("residual_threshold",
           spec.residual_threshold,
           {.about = "solver_iteration: residual that is small enough"});
  v.choice("partial_success",
           spec.partial_success,
           {.about = "what becomes of outputs when it did not converge"});
  v.choice("outputs", spec.outputs, {.about = "outputs of the last iteration or of all"});
}

void visit_part_lists(FieldVisitor& v, SubgraphSpec& spec) {
  v.array("components", spec.components, {.about = "components of the part"});
  v.array("edges", spec.edges, {.about = "edges of the part"});
  v.array("composite_loops", spec.composite_loops, {.about = "composite loops of the part"});
}

template <class Spec>
FieldVisitor::Members append_to(std::vector<Spec>& list, void (*visit)(FieldVisitor&, Spec&)) {
  return [&list, visit](FieldVisitor& v) { visit(v, list.emplace_back()); };
}

}  // namespace

void visit_root(FieldVisitor& v, GraphSpec& spec) {
  v.source(spec.source);
  v.integer("schema_version",
            spec.schema_version,
            {.about = "version of the format: 1", .required = true});
  v.object("graph",
           [&spec](FieldVisitor& graph) { visit_graph_section(graph, spec); },
           {.about = "the graph as a whole", .required = true});
  v.map("lanes",
        [&spec](FieldVisitor& lane, std::string_view id) {
          spec.lanes.emplace_back().id = id;
          visit_lane(lane, spec.lanes.back());
        },
        {.about = "lanes by id", .required = true});
  v.list("components",
         append_to(spec.components, visit_component),
         {.about = "components", .required = true});
  v.list("edges", append_to(spec.edges, visit_edge), {.about = "edges", .required = true});
  v.list(
      "composite_loops", append_to(spec.loops, visit_composite_loop), {.about = "composite loops"});
  v.list("subgraphs",
         append_to(spec.subgraphs, visit_subgraph),
         {.about = "parts whose ids get the prefix '<id>.'"});
  v.list("templates",
         append_to(spec.templates, visit_subgraph),
         {.about = "parts with {{placeholders}}"});
  v.list("template_instances",
         append_to(spec.template_instances, visit_template_instance),
         {.about = "uses of templates"});
}

void visit_lane(FieldVisitor& v, LaneSpec& spec) {
  v.source(spec.source);
  v.readable(spec.is_readable);
  v.choice("type", spec.type, {.about = "how its components are executed", .required = true});
  visit_rate(v, spec);
  v.integer("max_threads", spec.max_threads, {.about = "threads of a pool (0: one)", .max = 1024});
  v.integer("queue_capacity",
            spec.queue_capacity,
            {.about = "invocations that may wait behind the active ones (omitted: any)",
             .max = kCountMax});
  v.choice("overflow", spec.overflow, {.about = "which invocation gives way"});
  v.integer("starvation_guard_every",
            spec.starvation_guard_every,
            {.about = "dispatches until the lowest class has a turn", .min = 1, .max = kCountMax});
  v.integer("abandon_max", spec.abandon_max, {.about = "workers replaced at most", .max = 1024});
  visit_os_intents(v, spec);
}

void visit_component(FieldVisitor& v, ComponentSpec& spec) {
  v.source(spec.source);
  v.readable(spec.is_readable);
  v.id("id", spec.id, {.about = "name of the component", .required = true});
  v.id("type", spec.type, {.about = "registered type", .required = true});
  v.list("event_sources",
         append_to(spec.event_sources, visit_event_source),
         {.about = "what wakes it"});
  v.object("trigger_policy",
           [&spec](FieldVisitor& trigger) { visit_trigger(trigger, spec.trigger.emplace()); },
           {.about = "when it is invoked"});
  v.object("execution",
           [&spec](FieldVisitor& execution) { visit_execution(execution, spec.execution); },
           {.about = "where and how it is invoked", .required = true});
  v.texts("depends_on", spec.depends_on, {.about = "components that start before it"});
  v.object("boundary",
           [&spec](FieldVisitor& boundary) {
             boundary.source(spec.boundary.source);
             boundary.choice("role", spec.boundary.role, {.about = "that of the type"});
             boundary.text("descriptor",
                           spec.boundary.descriptor,
                           {.about = "what goes in or out, for people"});
             boundary.duration("max_age",
                               spec.boundary.max_age,
                               {.about = "outputs: older results are counted (0: none)"});
           },
           {.about = "its place at the edge of the graph"});
  v.config("config", spec.config, {.about = "values as its type asks for"});
}

void visit_edge(FieldVisitor& v, EdgeSpec& spec) {
  v.source(spec.source);
  v.readable(spec.is_readable);
  v.id("id", spec.id, {.about = "name of the edge", .required = true});
  v.choice("kind", spec.kind, {.about = "when data becomes visible", .required = true});
  v.text("from", spec.from, {.about = "component.port that publishes", .required = true});
  v.text("to", spec.to, {.about = "component.port that receives", .required = true});
  v.object("policy",
           [&spec](FieldVisitor& policy) { visit_channel(policy, spec.policy); },
           {.about = "its buffer"});
}

void visit_composite_loop(FieldVisitor& v, CompositeLoopSpec& spec) {
  v.source(spec.source);
  v.readable(spec.is_readable);
  v.id("id", spec.id, {.about = "name of the loop", .required = true});
  v.texts("components",
          spec.components,
          {.about = "members in the order in which they run", .required = true});
  v.object("loop_policy",
           [&spec](FieldVisitor& policy) { visit_loop_policy(policy, spec.policy); },
           {.about = "how it iterates", .required = true});
}

void visit_subgraph(FieldVisitor& v, SubgraphSpec& spec) {
  v.source(spec.source);
  v.id("id", spec.id, {.about = "name of the part", .required = true});
  visit_part_lists(v, spec);
}

void visit_template_instance(FieldVisitor& v, TemplateInstanceSpec& spec) {
  v.source(spec.source);
  v.id("id", spec.id, {.about = "name of the instance", .required = true});
  v.id("template", spec.template_id, {.about = "template to use", .required = true});
  v.config("parameters", spec.parameters, {.about = "a scalar for each placeholder"});
}

}  // namespace millrace::graph
