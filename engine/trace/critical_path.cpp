#include "trace/critical_path.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/result.h"
#include "trace/trace_record.h"
#include "trace/trace_spans.h"

namespace millrace::trace {
namespace {

constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

std::unexpected<base::Error> broken(const std::string& message) {
  return base::fail(base::ErrorCode::kInvalidArgument, "Cannot analyse trace: " + message);
}

/// Finds the longest chains of one run. "Place" is an index into `RunAnalysis::nodes`.
class Analysis {
 public:
  Analysis(const RunSpans& spans, const TraceTopology& topology)
      : spans_(spans), topology_(topology), place_of_(topology.nodes.size(), kNoPlace) {}

  base::Result<RunAnalysis> analyse() {
    MR_TRY_STATUS(take_nodes());
    MR_TRY_STATUS(take_edges());
    MR_TRY_STATUS(find_ready_times());
    MR_TRY_STATUS(sort_places());
    run_.latency_path = find_path(PathMeasure::kLatency);
    run_.service_path = find_path(PathMeasure::kService);
    return std::move(run_);
  }

 private:
  base::Status take_nodes();
  base::Status take_edges();
  base::Status find_ready_times();
  base::Status sort_places();
  [[nodiscard]] CriticalPath find_path(PathMeasure measure) const;
  [[nodiscard]] CriticalPath lay_out(const std::vector<std::size_t>& places,
                                     PathMeasure measure) const;

  [[nodiscard]] const std::string& name(std::size_t place) const {
    return topology_.nodes[run_.nodes[place].node_index].id;
  }
  [[nodiscard]] base::Duration length(std::size_t place, PathMeasure measure) const {
    const TimedNode& node = run_.nodes[place];
    return node.end - (measure == PathMeasure::kLatency ? node.ready : node.start);
  }

  const RunSpans& spans_;
  const TraceTopology& topology_;
  RunAnalysis run_;
  std::vector<std::size_t> place_of_;                // by node index
  std::vector<std::vector<std::size_t>> producers_;  // by place; only those that ran
  std::vector<std::vector<std::size_t>> consumers_;
  std::vector<bool> has_absent_producer_;  // by place; true for sources too
  std::vector<std::size_t> order_;         // places, producers first
};

base::Status Analysis::take_nodes() {
  if (!spans_.start) return broken("RunStart is missing");
  if (!spans_.end) return broken("RunEnd is missing");
  run_.trace_id = spans_.trace_id;
  run_.status = spans_.status;
  run_.start = *spans_.start;
  run_.end = *spans_.end;
  for (const NodeSpan& span : spans_.nodes) {
    if (span.node_index >= topology_.nodes.size()) {
      return broken(base::format("no such node: {}", span.node_index));
    }
    const std::string& id = topology_.nodes[span.node_index].id;
    if (place_of_[span.node_index] != kNoPlace) return broken("node ran twice: " + id);
    if (!span.end) return broken("NodeEnd is missing: " + id);
    if (*span.end < span.start) return broken("node ends before it starts: " + id);
    if (*span.end > run_.end) return broken("node ends after its run: " + id);
    place_of_[span.node_index] = run_.nodes.size();
    run_.nodes.push_back({.node_index = span.node_index,
                          .status = span.status,
                          .ready = run_.start,
                          .start = span.start,
                          .end = *span.end});
  }
  return {};
}

base::Status Analysis::take_edges() {
  producers_.resize(run_.nodes.size());
  consumers_.resize(run_.nodes.size());
  has_absent_producer_.assign(run_.nodes.size(), false);
  const auto join = [this](std::size_t producer, std::size_t consumer) {
    producers_[consumer].push_back(producer);
    consumers_[producer].push_back(consumer);
  };
  for (const TraceTopology::Edge edge : topology_.edges) {
    if (std::max(edge.producer, edge.consumer) >= topology_.nodes.size()) {
      return broken(base::format("no such edge: {} to {}", edge.producer, edge.consumer));
    }
    const std::size_t producer = place_of_[edge.producer];
    const std::size_t consumer = place_of_[edge.consumer];
    if (consumer == kNoPlace) continue;
    if (producer == kNoPlace) {
      has_absent_producer_[consumer] = true;
    } else {
      join(producer, consumer);
    }
  }
  for (std::size_t place = 0; place < run_.nodes.size(); ++place) {
    if (producers_[place].empty()) has_absent_producer_[place] = true;
    // A node started on demand depends on the node that started it, although there is no edge
    // between them.
    const NodeSpan& span = spans_.nodes[place];
    if (span.inline_depth == 0 || span.inline_parent >= topology_.nodes.size()) continue;
    const std::size_t parent = place_of_[span.inline_parent];
    if (parent != kNoPlace &&
        std::ranges::find(producers_[place], parent) == producers_[place].end()) {
      join(parent, place);
    }
  }
  return {};
}

base::Status Analysis::find_ready_times() {
  for (std::size_t place = 0; place < run_.nodes.size(); ++place) {
    TimedNode& node = run_.nodes[place];
    const NodeSpan& span = spans_.nodes[place];
    for (const std::size_t producer : producers_[place]) {
      node.ready = std::max(node.ready, run_.nodes[producer].end);
    }
    if (has_absent_producer_[place] && span.queue_delay) {
      node.ready = std::max(node.ready, node.start - *span.queue_delay);
    }
    if (node.ready > node.start) return broken("node starts before its inputs: " + name(place));
  }
  return {};
}

base::Status Analysis::sort_places() {
  std::vector<std::size_t> missing(run_.nodes.size());
  for (std::size_t place = 0; place < missing.size(); ++place) {
    missing[place] = producers_[place].size();
    if (missing[place] == 0) order_.push_back(place);
  }
  for (std::size_t next = 0; next < order_.size(); ++next) {
    for (const std::size_t consumer : consumers_[order_[next]]) {
      if (--missing[consumer] == 0) order_.push_back(consumer);
    }
  }
  if (order_.size() < run_.nodes.size()) return broken("the edges form a cycle");
  return {};
}

CriticalPath Analysis::find_path(PathMeasure measure) const {
  std::vector<base::Duration> longest(run_.nodes.size());
  std::vector<std::size_t> before(run_.nodes.size(), kNoPlace);
  std::size_t last = kNoPlace;
  for (const std::size_t place : order_) {
    for (const std::size_t producer : producers_[place]) {
      // Of equally long chains, take the producer that ended last: it made the node ready.
      if (before[place] == kNoPlace ||
          std::pair(longest[producer], run_.nodes[producer].end) >
              std::pair(longest[before[place]], run_.nodes[before[place]].end)) {
        before[place] = producer;
      }
    }
    const base::Duration so_far =
        before[place] == kNoPlace ? base::Duration(0) : longest[before[place]];
    longest[place] = so_far + length(place, measure);
    if (last == kNoPlace || longest[place] > longest[last]) last = place;
  }
  std::vector<std::size_t> places;
  for (std::size_t place = last; place != kNoPlace; place = before[place]) places.push_back(place);
  std::ranges::reverse(places);
  return lay_out(places, measure);
}

CriticalPath Analysis::lay_out(const std::vector<std::size_t>& places, PathMeasure measure) const {
  CriticalPath path;
  path.measure = measure;
  path.latency = run_.end - run_.start;
  base::TimePoint reached = run_.start;
  for (const std::size_t place : places) {
    const TimedNode& node = run_.nodes[place];
    path.steps.push_back({.node_index = node.node_index,
                          .status = node.status,
                          .start = node.start,
                          .waiting = node.ready - reached,
                          .queued = node.start - node.ready,
                          .service = node.end - node.start});
    path.span_total += length(place, measure);
    path.gap_total += node.end - reached - length(place, measure);
    reached = node.end;
  }
  path.final_gap = run_.end - reached;
  path.gap_total += path.final_gap;
  return path;
}

}  // namespace

base::Result<RunAnalysis> analyse_run(std::span<const TraceRecord> records,
                                      const TraceTopology& topology) {
  const RunSpans spans = collect_spans(records);
  return Analysis(spans, topology).analyse();
}

}  // namespace millrace::trace
