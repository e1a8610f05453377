#include "trace/trace_validate.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "trace/trace.h"
#include "trace/trace_record.h"

namespace millrace::trace {
namespace {

/// The events of one span id; the pointers keep the last of each kind.
struct SpanEvents {
  std::uint32_t node_index = TraceRecord::kNoNode;
  int start_count = 0;
  int end_count = 0;
  int error_count = 0;
  int delay_count = 0;
  int inlined_count = 0;
  const TraceRecord* start = nullptr;
  const TraceRecord* end = nullptr;
  const TraceRecord* delay = nullptr;
  const TraceRecord* inlined = nullptr;
};

class TraceChecker {
 public:
  TraceChecker(std::span<const TraceRecord> records, const TraceFacts& facts)
      : records_(records), facts_(facts) {}

  std::vector<TraceViolation> check() {
    read();
    check_run();
    for (const SpanEvents& span : spans_) {
      check_index(span);
      if (!wants(TraceFlag::NodeSpan)) continue;
      check_pair(span);
      check_error(span);
      check_path(span);
    }
    if (wants(TraceFlag::InlineDetail)) {
      for (const SpanEvents& span : spans_) {
        if (span.inlined != nullptr) check_inlined(span);
      }
    }
    check_totals();
    return std::move(violations_);
  }

 private:
  [[nodiscard]] bool wants(TraceFlag flag) const { return has_flag(facts_.flags, flag); }
  [[nodiscard]] bool is_source(std::uint32_t node) const {
    const auto place = std::ranges::lower_bound(edges_, std::pair(node, std::uint32_t{0}));
    return place == edges_.end() || place->first != node;
  }
  [[nodiscard]] bool is_lazy(std::uint32_t node) const {
    return node < facts_.lazy_nodes.size() && facts_.lazy_nodes[node];
  }

  template <class... Values>
  void expect(bool holds,
              const char* statement,
              base::format_string<const Values&...> text,
              const Values&... values) {
    if (holds) return;
    violations_.push_back({statement, base::format(text, values...)});
  }

  void read();
  void check_run();
  void check_index(const SpanEvents& span);
  void check_pair(const SpanEvents& span);
  void check_error(const SpanEvents& span);
  void check_path(const SpanEvents& span);
  void check_wait(const SpanEvents& span, std::int64_t queued_ns);
  void check_inlined(const SpanEvents& span);
  void check_inline_parent(const SpanEvents& span);
  void check_totals();

  std::span<const TraceRecord> records_;
  const TraceFacts& facts_;
  std::vector<SpanEvents> spans_;  // in order of first appearance, so that reports are stable
  std::unordered_map<std::uint32_t, std::int64_t> node_end_ns_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // (consumer, producer), sorted
  const TraceRecord* run_start_ = nullptr;
  const TraceRecord* run_end_ = nullptr;
  std::vector<TraceViolation> violations_;
};

void TraceChecker::read() {
  std::unordered_map<SpanId, std::size_t> place_of;
  for (const TraceRecord& record : records_) {
    if (record.kind == TraceKind::kRunStart || record.kind == TraceKind::kRunEnd) continue;
    const auto [place, is_new] = place_of.try_emplace(record.span_id, spans_.size());
    if (is_new) spans_.push_back({.node_index = record.node_index});
    SpanEvents& span = spans_[place->second];
    expect(span.node_index == record.node_index,
           "T2",
           "Span {:016x} belongs to two nodes: {} and {}",
           record.span_id.value(),
           span.node_index,
           record.node_index);
    switch (record.kind) {
      case TraceKind::kNodeStart:
        ++span.start_count;
        span.start = &record;
        break;
      case TraceKind::kNodeEnd:
        ++span.end_count;
        span.end = &record;
        node_end_ns_[record.node_index] = record.time_ns;
        break;
      case TraceKind::kNodeError:
        ++span.error_count;
        break;
      case TraceKind::kQueueDelay:
        ++span.delay_count;
        span.delay = &record;
        break;
      default:
        ++span.inlined_count;
        span.inlined = &record;
        break;
    }
  }
  if (facts_.topology == nullptr) return;
  for (const TraceTopology::Edge edge : facts_.topology->edges) {
    edges_.emplace_back(edge.consumer, edge.producer);
  }
  std::ranges::sort(edges_);
}

void TraceChecker::check_run() {
  std::size_t start_count = 0;
  std::size_t end_count = 0;
  for (const TraceRecord& record : records_) {
    expect(record.trace_id == records_.front().trace_id,
           "T3",
           "Two runs are mixed: traces {:016x} and {:016x}",
           records_.front().trace_id.value(),
           record.trace_id.value());
    if (record.kind == TraceKind::kRunStart) {
      ++start_count;
      run_start_ = &record;
    } else if (record.kind == TraceKind::kRunEnd) {
      ++end_count;
      run_end_ = &record;
    }
  }
  expect(end_count == 1, "T3", "RunEnd must occur once; occurred {} times", end_count);
  if (wants(TraceFlag::RunStart)) {
    expect(start_count == 1, "T3", "RunStart must occur once; occurred {} times", start_count);
    expect(run_start_ == records_.data(), "T3", "RunStart is not the first event");
  }
  if (run_end_ == nullptr) return;
  expect(run_end_ == &records_.back(),
         "T3",
         "RunEnd is not last: {} events follow",
         &records_.back() - run_end_);
  for (const TraceRecord& record : records_) {
    expect(record.time_ns <= run_end_->time_ns,
           "T3",
           "An event of node {} is {} ns later than RunEnd",
           record.node_index,
           record.time_ns - run_end_->time_ns);
  }
}

void TraceChecker::check_index(const SpanEvents& span) {
  if (facts_.topology == nullptr) return;
  expect(
      span.node_index < facts_.topology->nodes.size(), "T3", "No such node: {}", span.node_index);
}

void TraceChecker::check_pair(const SpanEvents& span) {
  expect(span.start_count == 1,
         "T3",
         "Node {} has {} NodeStart in one span",
         span.node_index,
         span.start_count);
  expect(span.end_count == span.start_count,
         "T3",
         "Node {} has {} NodeStart but {} NodeEnd",
         span.node_index,
         span.start_count,
         span.end_count);
  if (span.end == nullptr) return;
  expect(span.end->status != SpanStatus::Skipped,
         "T3",
         "Node {} has a NodeEnd with status skipped; such nodes are a count in RunEnd",
         span.node_index);
  if (span.start == nullptr) return;
  expect(span.start < span.end && span.start->time_ns <= span.end->time_ns,
         "T3",
         "Node {} ends before it starts",
         span.node_index);
}

void TraceChecker::check_error(const SpanEvents& span) {
  if (!wants(TraceFlag::NodeError) || span.end == nullptr) return;
  expect(
      span.error_count <= 1, "T3", "Node {} has {} NodeError", span.node_index, span.error_count);
  if (span.end->status == SpanStatus::Error) {
    expect(span.error_count > 0, "T3", "Node {} failed without NodeError", span.node_index);
  } else if (span.end->status == SpanStatus::Ok) {
    expect(span.error_count == 0, "T3", "Node {} is ok but has NodeError", span.node_index);
  }
}

void TraceChecker::check_path(const SpanEvents& span) {
  const int path_count = span.delay_count + span.inlined_count;
  expect(path_count <= 1,
         "T1",
         "Node {} has {} QueueDelay and {} NodeInlined",
         span.node_index,
         span.delay_count,
         span.inlined_count);
  if (wants(TraceFlag::QueueDelay) && wants(TraceFlag::InlineDetail) && span.start_count > 0) {
    expect(path_count > 0, "T1", "Node {} was neither queued nor inlined", span.node_index);
  }
  expect(path_count == 0 || span.start_count > 0,
         span.inlined_count > 0 ? "T2" : "T1",
         "Node {} has QueueDelay or NodeInlined but no NodeStart in that span",
         span.node_index);
  if (span.delay == nullptr) return;
  const auto delay_ns = static_cast<std::int64_t>(span.delay->value);
  expect(delay_ns >= 0, "T1", "Node {} has a negative QueueDelay: {}", span.node_index, delay_ns);
  if (run_start_ == nullptr) return;
  expect(span.delay->time_ns - delay_ns >= run_start_->time_ns,
         "T1",
         "Node {} was queued before its run started",
         span.node_index);
  if (facts_.has_exact_waits && facts_.topology != nullptr && wants(TraceFlag::NodeSpan))
    check_wait(span, span.delay->time_ns - delay_ns);
}

void TraceChecker::check_wait(const SpanEvents& span, std::int64_t queued_ns) {
  std::int64_t ready_ns = run_start_->time_ns;
  const auto first = std::ranges::lower_bound(edges_, std::pair(span.node_index, std::uint32_t{0}));
  for (auto edge = first; edge != edges_.end() && edge->first == span.node_index; ++edge) {
    const auto end = node_end_ns_.find(edge->second);
    if (end != node_end_ns_.end()) ready_ns = std::max(ready_ns, end->second);
  }
  expect(queued_ns == ready_ns,
         "T1",
         "Node {} was queued at {} ns, but ready at {} ns",
         span.node_index,
         queued_ns,
         ready_ns);
}

void TraceChecker::check_inlined(const SpanEvents& span) {
  const std::uint32_t node = span.node_index;
  expect(facts_.is_inlining_enabled, "I1", "Node {} was inlined with inlining off", node);
  expect(span.inlined->depth >= 1, "T2", "Node {} was inlined at depth 0", node);
  expect(span.inlined->parent != node, "T2", "Node {} is its own inline parent", node);
  check_inline_parent(span);
  if (facts_.topology == nullptr || node >= facts_.topology->nodes.size() || is_lazy(node)) return;
  expect(!facts_.topology->nodes[node].is_async, "I1", "Async node {} was inlined", node);
  expect(!is_source(node), "I1", "Source {} was inlined", node);
}

void TraceChecker::check_inline_parent(const SpanEvents& span) {
  const std::uint32_t node = span.node_index;
  const std::uint32_t parent = span.inlined->parent;
  if (facts_.topology != nullptr && !is_source(node) && !is_lazy(node)) {
    expect(std::ranges::binary_search(edges_, std::pair(node, parent)),
           "T2",
           "Node {} names inline parent {}, which is none of its producers",
           node,
           parent);
  }
  if (!wants(TraceFlag::NodeSpan)) return;
  const auto parent_end = node_end_ns_.find(parent);
  expect(parent_end != node_end_ns_.end() && parent_end->second <= span.inlined->time_ns,
         "T2",
         "Node {} was inlined before its parent {} ended",
         node,
         parent);
}

void TraceChecker::check_totals() {
  if (run_end_ == nullptr) return;
  const std::uint64_t executed = run_end_->node_index;
  const std::uint64_t skipped = run_end_->parent;
  std::uint64_t started = 0;
  std::uint64_t queued = 0;
  std::uint64_t inlined = 0;
  for (const SpanEvents& span : spans_) {
    started += static_cast<std::uint64_t>(span.start_count);
    queued += static_cast<std::uint64_t>(span.delay_count);
    inlined += static_cast<std::uint64_t>(span.inlined_count);
  }
  if (wants(TraceFlag::NodeSpan)) {
    expect(started == executed,
           "T3",
           "RunEnd counts {} executed nodes, {} started",
           executed,
           started);
  }
  if (wants(TraceFlag::QueueDelay) && wants(TraceFlag::InlineDetail)) {
    expect(queued + inlined == executed,
           "T1",
           "{} queued + {} inlined is not {} executed",
           queued,
           inlined,
           executed);
  }
  if (facts_.topology == nullptr) return;
  const std::uint64_t node_count = facts_.topology->nodes.size();
  const auto lazy_count = static_cast<std::uint64_t>(std::ranges::count(facts_.lazy_nodes, true));
  const bool may_lack = facts_.may_give_up && run_end_->status == SpanStatus::Ok;
  const bool adds_up = executed + skipped <= node_count &&
                       (may_lack || executed + skipped + lazy_count >= node_count);
  expect(adds_up,
         "T3",
         "RunEnd: {} executed + {} skipped do not make {} nodes, {} of them lazy",
         executed,
         skipped,
         node_count,
         lazy_count);
}

}  // namespace

std::vector<TraceViolation> validate_trace(std::span<const TraceRecord> records,
                                           const TraceFacts& facts) {
  if (records.empty()) {
    if (facts.flags == TraceFlag::None) return {};
    return {{"T3", "The trace is empty: not even RunEnd"}};
  }
  return TraceChecker(records, facts).check();
}

}  // namespace millrace::trace
