#include "trace/chrome_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ios>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/result.h"
#include "trace/trace.h"
#include "trace/trace_context.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"
#include "trace/trace_spans.h"

namespace millrace::trace {
namespace {

// A track and its sub-tracks have consecutive thread numbers: track × kSubTracksPerTrack +
// sub-track.
constexpr std::uint32_t kSubTracksPerTrack = 1000;

/// Writes a time in the format's unit, microseconds, with three decimals, so that no nanosecond is
/// lost.
void append_microseconds(std::string& out, std::int64_t ns) {
  const char* sign = ns < 0 ? "-" : "";
  const std::uint64_t size =
      ns < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  base::format_to(std::back_inserter(out), "{}{}.{:03}", sign, size / 1000, size % 1000);
}

void append_member(std::string& out, std::string_view key, std::string_view value) {
  base::format_to(std::back_inserter(out), ",\"{}\":", key);
  base::append_json_string(out, value);
}

void append_member(std::string& out, std::string_view key, std::uint64_t value) {
  base::format_to(std::back_inserter(out), ",\"{}\":{}", key, value);
}

std::string hex(std::uint64_t id) { return base::format("0x{:016x}", id); }

std::string node_label(std::uint32_t index, const TraceTopology* topology) {
  if (topology != nullptr && index < topology->nodes.size()) return topology->nodes[index].id;
  return base::format("node {}", index);
}

base::TimePoint last_time(const RunTrace& run) {
  base::TimePoint last{};
  for (const TraceRecord& record : run.records) last = std::max(last, record.time());
  return last;
}

}  // namespace

ChromeTraceSink::ChromeTraceSink(std::ostream& out) : out_(out) {
  text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  begin_event('M', "process_name", "__metadata", {}, 0);
  text_ += ",\"args\":{\"name\":\"millrace\"}}";
  write_out();
}

ChromeTraceSink::~ChromeTraceSink() {
  // The result is ignored here: callers who need it call close() themselves.
  static_cast<void>(close());  // NOLINT(bugprone-unused-return-value)
}

void ChromeTraceSink::name_track(std::uint16_t track, std::string_view name) {
  if (is_closed_) return;
  tracks_[track].name = name;
  name_thread(track * kSubTracksPerTrack, name);
  write_out();
}

void ChromeTraceSink::note_dropped(std::uint64_t total) { dropped_ = total; }

void ChromeTraceSink::consume(const RunTrace& run) {
  if (is_closed_) return;
  const RunSpans spans = collect_spans(run.records);
  incomplete_ += run.is_complete ? 0 : 1;
  write_run(spans, run);
  const std::vector<Slice> slices = make_slices(spans, run);
  // A viewer attaches an arrow to the slice that was opened last on its thread. So each slice is
  // followed by its own arrows even where times are equal.
  for (const Slice& slice : slices) {
    write_slice(slice, run);
    for (const std::size_t producer : slice.producers) write_arrow('f', slices[producer], slice);
    for (const std::size_t consumer : slice.consumers) write_arrow('s', slice, slices[consumer]);
  }
  write_out();
}

base::Status ChromeTraceSink::close() {
  if (!is_closed_) {
    is_closed_ = true;
    base::format_to(std::back_inserter(text_),
                    "\n],\"otherData\":{{\"dropped_records\":{},\"incomplete_runs\":{}}}}}\n",
                    dropped_,
                    incomplete_);
    write_out();
    out_.flush();
  }
  if (out_.good()) return {};
  return base::fail(base::ErrorCode::kUnavailable, "Cannot write the trace: the stream failed");
}

void ChromeTraceSink::begin_event(char phase,
                                  std::string_view name,
                                  std::string_view category,
                                  base::TimePoint time,
                                  std::uint32_t thread) {
  text_ += std::exchange(has_events_, true) ? ",\n" : "\n";
  base::format_to(std::back_inserter(text_), "{{\"ph\":\"{}\",\"pid\":1", phase);
  append_member(text_, "tid", thread);
  append_member(text_, "name", name);
  append_member(text_, "cat", category);
  text_ += ",\"ts\":";
  append_microseconds(text_, time.time_since_epoch().count());
}

void ChromeTraceSink::name_thread(std::uint32_t thread, std::string_view name) {
  begin_event('M', "thread_name", "__metadata", {}, thread);
  text_ += ",\"args\":{\"name\":";
  base::append_json_string(text_, name);
  text_ += "}}";
  begin_event('M', "thread_sort_index", "__metadata", {}, thread);
  base::format_to(std::back_inserter(text_), ",\"args\":{{\"sort_index\":{}}}}}", thread);
}

std::uint32_t ChromeTraceSink::place(const NodeSpan& node, base::TimePoint end, bool is_async) {
  const std::uint32_t thread = node.track * kSubTracksPerTrack;
  if (!is_async) return thread;
  Track& track = tracks_[node.track];
  const auto free = std::ranges::find_if(
      track.sub_tracks_free_at, [&node](base::TimePoint time) { return time <= node.start; });
  const auto sub_track = static_cast<std::uint32_t>(free - track.sub_tracks_free_at.begin());
  if (free != track.sub_tracks_free_at.end()) {
    *free = end;
    return thread + sub_track + 1;
  }
  // All sub-tracks are taken: reuse the last one, where slices may then overlap. This bounds the
  // memory.
  if (sub_track + 1 == kSubTracksPerTrack) return thread + sub_track;
  track.sub_tracks_free_at.push_back(end);
  name_thread(thread + sub_track + 1, base::format("{} io {}", track.name, sub_track + 1));
  return thread + sub_track + 1;
}

std::vector<ChromeTraceSink::Slice> ChromeTraceSink::make_slices(const RunSpans& spans,
                                                                 const RunTrace& run) {
  const TraceTopology* topology = run.topology.get();
  const base::TimePoint last = last_time(run);
  std::vector<Slice> slices;
  std::unordered_map<std::uint32_t, std::size_t> slice_of;
  for (const NodeSpan& node : spans.nodes) {
    const bool is_async = topology != nullptr && node.node_index < topology->nodes.size() &&
                          topology->nodes[node.node_index].is_async;
    const base::TimePoint end = node.end.value_or(last);
    slice_of[node.node_index] = slices.size();
    slices.push_back({.span = &node,
                      .end = end,
                      .thread = place(node, end, is_async),
                      .producers = {},
                      .consumers = {}});
  }
  if (topology == nullptr) return slices;
  for (const TraceTopology::Edge edge : topology->edges) {
    const auto producer = slice_of.find(edge.producer);
    const auto consumer = slice_of.find(edge.consumer);
    if (producer == slice_of.end() || consumer == slice_of.end()) continue;
    slices[producer->second].consumers.push_back(consumer->second);
    slices[consumer->second].producers.push_back(producer->second);
  }
  return slices;
}

void ChromeTraceSink::write_run(const RunSpans& spans, const RunTrace& run) {
  if (!spans.start || !spans.end) return;
  const std::string name = run.topology == nullptr || run.topology->plan.empty()
                               ? std::string("run")
                               : run.topology->plan;
  const std::string id = hex(run.trace_id.value());
  begin_event('b', name, "run", *spans.start, 0);
  append_member(text_, "id", id);
  text_ += ",\"args\":{\"trace_id\":";
  base::append_json_string(text_, id);
  append_member(text_, "status", to_string(spans.status));
  append_member(text_, "executed_count", spans.executed_count);
  append_member(text_, "skipped_count", spans.skipped_count);
  append_member(text_, "late_count", spans.late_count);
  text_ += "}}";
  begin_event('e', name, "run", *spans.end, 0);
  append_member(text_, "id", id);
  text_ += "}";
}

void ChromeTraceSink::write_slice(const Slice& slice, const RunTrace& run) {
  const NodeSpan& node = *slice.span;
  const TraceTopology* topology = run.topology.get();
  const std::string label = node_label(node.node_index, topology);
  begin_event('X', label, "node", node.start, slice.thread);
  text_ += ",\"dur\":";
  append_microseconds(text_, (slice.end - node.start).count());
  text_ += ",\"args\":{\"node_id\":";
  base::append_json_string(text_, label);
  append_member(text_, "node_index", node.node_index);
  if (topology != nullptr && node.node_index < topology->nodes.size()) {
    append_member(text_, "op", topology->nodes[node.node_index].op);
  }
  append_member(text_, "status", node.end ? to_string(node.status) : "unfinished");
  if (node.error) append_member(text_, "error", base::to_string(*node.error));
  if (node.queue_delay) {
    const base::Duration delay = std::max(*node.queue_delay, base::Duration(0));
    append_member(text_, "queue_delay_ns", static_cast<std::uint64_t>(delay.count()));
  }
  if (node.inline_depth > 0) {
    append_member(text_, "inline_depth", node.inline_depth);
    append_member(text_, "inline_parent", node_label(node.inline_parent, topology));
  }
  append_member(text_, "span_id", hex(node.span_id.value()));
  append_member(text_, "trace_id", hex(run.trace_id.value()));
  text_ += "}}";
}

void ChromeTraceSink::write_arrow(char phase, const Slice& from, const Slice& to) {
  const bool is_start = phase == 's';
  const Slice& at = is_start ? from : to;
  // An arrow starts one nanosecond before the end of its slice: at the very end the next slice may
  // already be open.
  const base::TimePoint inside = std::max(from.span->start, from.end - base::Duration(1));
  begin_event(phase, "needs", "edge", is_start ? inside : to.span->start, at.thread);
  const std::uint64_t id =
      mix_bits(from.span->span_id.value() ^ mix_bits(to.span->span_id.value()));
  append_member(text_, "id", hex(id));
  text_ += is_start ? "}" : ",\"bp\":\"e\"}";
}

void ChromeTraceSink::write_out() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace millrace::trace
