#include "trace/trace_collector.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/sync/mutex.h"
#include "trace/trace.h"
#include "trace/trace_buffer.h"
#include "trace/trace_order.h"
#include "trace/trace_record.h"
#include "trace/trace_sink.h"

namespace millrace::trace {

TraceBuffer& TraceCollector::add_buffer(std::string name) {
  base::MutexLock lock(registry_mutex_);
  MR_CHECK(tracks_.size() <= std::numeric_limits<std::uint16_t>::max(), tracks_.size());
  tracks_.push_back(
      std::unique_ptr<Track>(new Track{std::move(name), TraceBuffer(options_.buffer_capacity)}));
  return tracks_.back()->buffer;
}

TraceTopologyId TraceCollector::add_topology(TraceTopology topology) {
  auto shared = std::make_shared<const TraceTopology>(std::move(topology));
  base::MutexLock lock(registry_mutex_);
  const TraceTopologyId id(++last_topology_);
  topologies_.emplace(id, std::move(shared));
  return id;
}

void TraceCollector::remove_topology(TraceTopologyId id) {
  base::MutexLock lock(registry_mutex_);
  removed_.push_back(id);
}

void TraceCollector::add_sink(TraceSink& sink) {
  base::MutexLock lock(collect_mutex_);
  for (std::size_t i = 0; i < known_tracks_.size(); ++i) {
    sink.name_track(static_cast<std::uint16_t>(i), known_tracks_[i]->name);
  }
  sinks_.push_back(&sink);
}

void TraceCollector::collect() {
  base::MutexLock lock(collect_mutex_);
  collect_locked();
}

void TraceCollector::flush() {
  base::MutexLock lock(collect_mutex_);
  collect_locked();
  deliver_ended(std::exchange(ended_, {}));
  while (!open_runs_.empty()) deliver(open_runs_.begin()->first, false);
}

TraceStats TraceCollector::stats() const {
  base::MutexLock collect_lock(collect_mutex_);
  TraceStats stats = stats_;
  base::MutexLock lock(registry_mutex_);
  stats.dropped_records = 0;
  stats.topology_count = topologies_.size();
  for (const auto& track : tracks_) stats.dropped_records += track->buffer.dropped_count();
  return stats;
}

void TraceCollector::collect_locked() {
  std::vector<TraceTopologyId> removed;
  {
    base::MutexLock lock(registry_mutex_);
    removed.swap(removed_);
  }
  std::vector<TraceId> over = std::exchange(ended_, {});
  for (const TraceId ended : read_buffers()) over.push_back(ended);
  // Reading a second time completes the runs in `over`. Runs whose end is found only now are
  // delivered by the next call.
  ended_ = read_buffers();
  deliver_ended(over);
  while (pending_records_ > options_.pending_records_max) {
    deliver(open_runs_.begin()->first, false);
  }
  report_drops();
  base::MutexLock lock(registry_mutex_);
  for (const TraceTopologyId id : removed) topologies_.erase(id);
}

void TraceCollector::meet_new_tracks() {
  const std::size_t known_count = known_tracks_.size();
  {
    base::MutexLock lock(registry_mutex_);
    for (std::size_t i = known_count; i < tracks_.size(); ++i) {
      known_tracks_.push_back(tracks_[i].get());
    }
  }
  for (std::size_t i = known_count; i < known_tracks_.size(); ++i) {
    for (TraceSink* sink : sinks_) {
      sink->name_track(static_cast<std::uint16_t>(i), known_tracks_[i]->name);
    }
  }
}

std::vector<TraceId> TraceCollector::read_buffers() {
  meet_new_tracks();
  std::vector<TraceId> ended;
  for (std::size_t i = 0; i < known_tracks_.size(); ++i) {
    scratch_.clear();
    known_tracks_[i]->buffer.drain(scratch_);
    for (TraceRecord& record : scratch_) {
      record.track = static_cast<std::uint16_t>(i);
      take_in(record);
      if (record.kind == TraceKind::kRunEnd) ended.push_back(record.trace_id);
    }
  }
  return ended;
}

void TraceCollector::take_in(const TraceRecord& record) {
  const auto [place, is_new] = sequence_of_.try_emplace(record.trace_id, next_sequence_);
  if (is_new) open_runs_[next_sequence_++].trace_id = record.trace_id;
  open_runs_.at(place->second).records.push_back(record);
  ++pending_records_;
}

std::shared_ptr<const TraceTopology> TraceCollector::topology_of(const OpenRun& run) {
  for (const TraceRecord& record : run.records) {
    if (record.kind != TraceKind::kRunStart && record.kind != TraceKind::kRunEnd) continue;
    base::MutexLock lock(registry_mutex_);
    const auto found = topologies_.find(TraceTopologyId(static_cast<std::uint32_t>(record.value)));
    return found == topologies_.end() ? nullptr : found->second;
  }
  return nullptr;
}

void TraceCollector::deliver_ended(const std::vector<TraceId>& ended) {
  for (const TraceId trace_id : ended) {
    // Not found if the run was already delivered as incomplete to save memory.
    const auto sequence = sequence_of_.find(trace_id);
    if (sequence != sequence_of_.end()) deliver(sequence->second, true);
  }
}

void TraceCollector::deliver(std::uint64_t sequence, bool is_complete) {
  const auto place = open_runs_.find(sequence);
  OpenRun run = std::move(place->second);
  open_runs_.erase(place);
  sequence_of_.erase(run.trace_id);
  pending_records_ -= run.records.size();
  order_run(run.records);
  const RunTrace view{.trace_id = run.trace_id,
                      .records = run.records,
                      .topology = topology_of(run),
                      .is_complete = is_complete};
  for (TraceSink* sink : sinks_) sink->consume(view);
  ++(is_complete ? stats_.complete_runs : stats_.incomplete_runs);
}

void TraceCollector::report_drops() {
  std::uint64_t total = 0;
  for (const Track* track : known_tracks_) total += track->buffer.dropped_count();
  if (total == stats_.dropped_records) return;
  stats_.dropped_records = total;
  for (TraceSink* sink : sinks_) sink->note_dropped(total);
}

}  // namespace millrace::trace
