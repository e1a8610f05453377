#include "rank/run_tracer.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/formats/json_writer.h"
#include "base/result.h"
#include "plan/compiled_plan.h"
#include "plan/param_value.h"
#include "plan/registry/registry.h"
#include "runtime/topology/topology.h"
#include "tasks/task_stats.h"
#include "trace/critical_path.h"
#include "trace/trace.h"
#include "trace/trace_spans.h"

namespace millrace::rank {
namespace {

using base::JsonWriter;
using trace::TraceRecord;

constexpr std::size_t kPendingRecordsMax = std::size_t{256} << 10U;
constexpr std::size_t kBufferRecords = std::size_t{8} << 10U;

double microseconds(base::Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

std::size_t rows_into(const RequestRun& run, std::uint32_t node) {
  std::size_t count = 0;
  for (std::size_t input = 0; input < run.plan().plan().nodes[node].inputs.size(); ++input) {
    const rows::RowSet* const rows = run.input_of(node, input);
    count += rows != nullptr ? rows->size() : 0;
  }
  return count;
}

void write_node(JsonWriter& json,
                const RequestRun& run,
                const trace::NodeSpan& span,
                base::TimePoint start) {
  const plan::CompiledPlan& plan = run.plan().plan();
  const plan::CompiledNode& node = plan.nodes[span.node_index];
  json.begin_object();
  json.member("node", node.id);
  json.member("op", node.task->op);
  if (node.source_ids.size() > 1) {
    json.key("source_nodes");
    json.begin_array();
    for (const std::string& id : node.source_ids) json.value(id);
    json.end_array();
  }
  json.member("start_us", microseconds(span.start - start));
  if (span.end) json.member("end_us", microseconds(*span.end - start));
  json.member("status", trace::to_string(span.status));
  if (span.inline_depth > 0) {
    json.member("inlined_after", plan.nodes[span.inline_parent].id);
    json.member("inline_depth", span.inline_depth);
  } else if (span.queue_delay) {
    json.member("queue_delay_us", microseconds(*span.queue_delay));
  }
  json.member("rows_in", rows_into(run, span.node_index));
  if (const rows::RowSet* const rows = run.rows_of(span.node_index))
    json.member("rows_out", rows->size());
  json.end_object();
}

void write_critical_path(JsonWriter& json,
                         const trace::CriticalPath& path,
                         const plan::CompiledPlan& plan) {
  json.begin_object();
  json.key("steps");
  json.begin_array();
  for (const trace::PathStep& step : path.steps) {
    json.begin_object();
    json.member("node", plan.nodes[step.node_index].id);
    json.member("waiting_us", microseconds(step.waiting));
    json.member("queued_us", microseconds(step.queued));
    json.member("service_us", microseconds(step.service));
    json.end_object();
  }
  json.end_array();
  json.member("final_gap_us", microseconds(path.final_gap));
  json.member("span_us", microseconds(path.span_total));
  json.member("gap_us", microseconds(path.gap_total));
  json.end_object();
}

}  // namespace

trace::TraceTopology trace_topology_of(const plan::CompiledPlan& plan,
                                       const runtime::Topology& topology) {
  trace::TraceTopology names{.plan = plan.name};
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const plan::CompiledNode& compiled = plan.nodes[node];
    std::string id;
    for (const std::string& source : compiled.source_ids) id += (id.empty() ? "" : "+") + source;
    names.nodes.push_back({.id = id.empty() ? compiled.id : id,
                           .op = compiled.task->op,
                           .is_async = compiled.task->kind == plan::TaskKind::kAsync});
    for (const runtime::Edge& edge : topology.dependents(node))
      names.edges.push_back({.producer = node, .consumer = edge.target});
  }
  return names;
}

void write_trace(const RequestRun& run, std::span<const TraceRecord> records, std::string& out) {
  const auto analysis =
      trace::analyse_run(records, trace_topology_of(run.plan().plan(), run.topology()));
  JsonWriter json(out);
  json.begin_object();
  if (!analysis) {
    json.member("error", analysis.error().message());
    return json.end_object();
  }
  const trace::RunSpans spans = trace::collect_spans(records);
  json.member("status", trace::to_string(spans.status));
  json.member("latency_us", microseconds(analysis->latency_path.latency));
  json.key("nodes");
  json.begin_array();
  for (const trace::NodeSpan& span : spans.nodes) write_node(json, run, span, analysis->start);
  json.end_array();
  json.key("critical_path");
  write_critical_path(json, analysis->latency_path, run.plan().plan());
  json.end_object();
}

trace::RunCapture capture_run(const RequestRun& run,
                              const LoadedPlan& plan,
                              std::vector<TraceRecord> records) {
  trace::RunCapture capture{.records = std::move(records)};
  if (plan.trace_lease() != nullptr) capture.topology = plan.trace_lease()->topology();
  const plan::CompiledPlan& compiled = run.plan().plan();
  capture.nodes.resize(compiled.nodes.size());
  for (std::uint32_t index = 0; index < compiled.nodes.size(); ++index) {
    trace::CapturedNode& node = capture.nodes[index];
    for (const plan::ParamValue& value : compiled.nodes[index].params) {
      const auto* const id = std::get_if<plan::EndpointId>(&value);
      if (id == nullptr) continue;
      const plan::EndpointInfo& endpoint = run.plan().registry().endpoint(*id);
      node.endpoint = endpoint.name;
      node.endpoint_kind = plan::to_string(endpoint.kind);
    }
    node.rows_in = rows_into(run, index);
    if (const rows::RowSet* const rows = run.rows_of(index)) node.rows_out = rows->size();
    const tasks::StoreCallLog* const log = run.find_store_calls(index);
    if (log == nullptr) continue;
    for (const tasks::StoreCall& call : log->calls()) {
      node.calls.push_back({.start = call.start,
                            .end = call.end,
                            .commands = call.commands,
                            .round_trips = call.round_trips,
                            .error = call.is_ok ? std::nullopt : std::optional(call.error)});
    }
  }
  return capture;
}

RunTracer::RunTracer()
    : collector_({.buffer_capacity = kBufferRecords, .pending_records_max = kPendingRecordsMax}) {
  collector_.add_sink(*this);
}

void RunTracer::dump_to(trace::TraceSink& sink) {
  collector_.add_sink(sink);
  dumps_ = true;
}

trace::TraceContext RunTracer::make_context(const LoadedPlan& plan, bool wanted) {
  const trace::TraceId id(last_trace_.fetch_add(1, std::memory_order_relaxed) + 1);
  base::MutexLock lock(mutex_);
  auto& lease = plan.trace_lease();
  if (lease == nullptr) {
    lease =
        std::make_shared<const TopologyLease>(collector_,
                                              std::make_shared<const trace::TraceTopology>(
                                                  trace_topology_of(plan.plan(), plan.topology())));
  }
  if (wanted) kept_.try_emplace(id);
  return {id, trace::TraceFlag::All, lease->id()};
}

void RunTracer::consume(const trace::RunTrace& run) {
  base::MutexLock lock(mutex_);
  const auto kept = kept_.find(run.trace_id);
  if (kept == kept_.end()) return;
  kept->second.assign(run.records.begin(), run.records.end());
}

std::vector<TraceRecord> RunTracer::take(trace::TraceId trace_id) {
  // The rings hold all records of the run, because its end is recorded before its answer goes out.
  collector_.collect();
  base::MutexLock lock(mutex_);
  auto kept = kept_.extract(trace_id);
  return kept ? std::move(kept.mapped()) : Records();
}

void RunTracer::forget(trace::TraceId trace_id) {
  {
    base::MutexLock lock(mutex_);
    kept_.erase(trace_id);
  }
  collect_sometimes();
}

void RunTracer::collect_sometimes() {
  const std::uint64_t count = ended_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (count % kCollectEvery == 0) collector_.collect();
}

}  // namespace millrace::rank
