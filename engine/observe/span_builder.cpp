#include "observe/span_builder.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "trace/trace_context.h"
#include "trace/trace_spans.h"

namespace millrace::observe {
namespace {

/// Makes the spans of one request.
class SpanBuilder {
 public:
  SpanBuilder(const FinishedRequest& request, std::vector<Span>& spans)
      : request_(request), spans_(spans) {}

  void build() {
    request_.line ? add_line() : add_server();
    if (request_.capture == nullptr) return;
    const trace::RunSpans run = trace::collect_spans(request_.capture->records);
    if (!run.start) return;
    const std::uint64_t run_id = own_id(kRunKey);
    Span& span = add(run_id, request_.span, "run " + request_.plan);
    set_times(span, *run.start, run.end.value_or(request_.end));
    if (run.status != trace::SpanStatus::Ok) span.error = trace::to_string(run.status);
    add_text(span, "rank.plan.name", request_.plan);
    add_text(span, "rank.plan.version", request_.version);
    for (const trace::NodeSpan& node : run.nodes) add_node(node, run_id);
  }

 private:
  static constexpr std::uint64_t kRunKey = 1;
  static constexpr std::uint64_t kNodeKey = std::uint64_t{1} << 32U;
  static constexpr std::uint64_t kCallKey = std::uint64_t{1} << 48U;

  /// Ids within the trace: other processes have spans in it, too, so they hang on the random id of
  /// the server span.
  [[nodiscard]] std::uint64_t own_id(std::uint64_t key) const {
    const std::uint64_t id = trace::mix_bits(request_.span ^ trace::mix_bits(key));
    return id == 0 ? 1 : id;
  }

  Span& add(std::uint64_t id, std::uint64_t parent, std::string name) {
    return spans_.emplace_back(
        Span{.trace = request_.trace.trace, .id = id, .parent = parent, .name = std::move(name)});
  }
  void set_times(Span& span, base::TimePoint start, base::TimePoint end) const {
    const auto wall = [this](base::TimePoint time) {
      return (time.time_since_epoch() + request_.wall_offset).count();
    };
    span.start_ns = wall(start);
    span.end_ns = std::max(wall(end), span.start_ns);
  }
  static void add_text(Span& span, std::string_view name, std::string text) {
    if (!text.empty()) span.attributes.emplace_back(name, std::move(text));
  }
  static void add_number(Span& span, std::string_view name, std::uint64_t number) {
    span.attributes.emplace_back(name, static_cast<std::int64_t>(number));
  }

  void add_line() {
    Span& span = add(request_.span, request_.trace.parent, "batch line");
    add_number(span, "rank.batch.line", *request_.line);
    add_number(span, "rank.batch.line_status", static_cast<std::uint64_t>(request_.status));
    finish_outer(span);
  }
  void add_server() {
    Span& span = add(request_.span, request_.trace.parent, request_.method + " " + request_.route);
    span.kind = SpanKind::kServer;
    add_text(span, "http.request.method", request_.method);
    add_text(span, "http.route", request_.route);
    add_number(span, "http.response.status_code", static_cast<std::uint64_t>(request_.status));
    finish_outer(span);
  }
  /// What the spans of requests and lines have in common.
  void finish_outer(Span& span) const {
    set_times(span, request_.start, request_.end);
    // A caller's mistake is no error of the server.
    if (request_.status >= 500) span.error = request_.error.empty() ? "error" : request_.error;
    add_text(span, "rank.engine_request_id", request_.engine_request_id);
    add_text(span, "error.type", request_.error);
  }

  void add_node(const trace::NodeSpan& node, std::uint64_t run_id) {
    const trace::RunCapture& capture = *request_.capture;
    const bool is_known = capture.topology != nullptr &&
                          node.node_index < capture.topology->nodes.size() &&
                          node.node_index < capture.nodes.size();
    if (!is_known) return;
    const trace::TraceTopology::Node& named = capture.topology->nodes[node.node_index];
    const trace::CapturedNode& more = capture.nodes[node.node_index];
    const std::uint64_t id = own_id(kNodeKey + node.node_index);
    {
      Span& span = add(id, run_id, named.id);
      set_times(span, node.start, node.end.value_or(request_.end));
      if (node.status != trace::SpanStatus::Ok) span.error = trace::to_string(node.status);
      if (node.error) add_text(span, "error.type", std::string(base::to_string(*node.error)));
      add_text(span, "rank.node.id", named.id);
      add_text(span, "rank.node.op", named.op);
      add_number(span, "rank.rows.in", more.rows_in);
      if (more.rows_out) add_number(span, "rank.rows.out", *more.rows_out);
      if (node.inline_depth > 0) add_number(span, "rank.node.inline_depth", node.inline_depth);
      if (node.queue_delay) {
        const auto waited = std::chrono::floor<std::chrono::microseconds>(*node.queue_delay);
        add_number(span, "rank.queue_delay_us", static_cast<std::uint64_t>(waited.count()));
      }
    }
    for (std::size_t call = 0; call < more.calls.size(); ++call) {
      const std::uint64_t key = kCallKey + (std::uint64_t{node.node_index} << 16U) + call;
      add_call(more, more.calls[call], own_id(key), id);
    }
  }

  void add_call(const trace::CapturedNode& node,
                const trace::CapturedCall& call,
                std::uint64_t id,
                std::uint64_t parent) {
    Span& span = add(id, parent, node.endpoint_kind + " " + node.endpoint);
    span.kind = SpanKind::kClient;
    const bool has_ended = call.end != base::TimePoint();
    set_times(span, call.start, has_ended ? call.end : request_.end);
    if (!has_ended) span.error = "cancelled";
    if (has_ended && call.error) {
      span.error = std::string(base::to_string(*call.error));
      add_text(span, "error.type", span.error);
    }
    add_text(span, "db.system.name", node.endpoint_kind);
    add_text(span, "db.namespace", node.endpoint);
    add_number(span, "db.operation.batch.size", call.commands);
    add_number(span, "rank.store.round_trips", call.round_trips);
  }

  const FinishedRequest& request_;
  std::vector<Span>& spans_;
};

}  // namespace

void append_spans(const FinishedRequest& request, std::vector<Span>& spans) {
  SpanBuilder(request, spans).build();
}

std::size_t span_count_of(const FinishedRequest& request) {
  std::size_t count = 1;
  if (request.capture == nullptr) return count;
  ++count;
  for (const trace::CapturedNode& node : request.capture->nodes) count += 1 + node.calls.size();
  return count;
}

}  // namespace millrace::observe
