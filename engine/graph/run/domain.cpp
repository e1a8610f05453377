#include "graph/run/domain.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/metrics/metric_cell.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/domains.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/channel.h"
#include "graph/run/commit.h"
#include "graph/run/epoch_report.h"
#include "graph/run/loop_runner.h"
#include "graph/run/pool_batch.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

/// The lane whose period is the cadence of the domain; kNoIndex if it has none.
std::uint32_t find_cadence_lane(const CompiledGraph& graph, const DomainPlan& plan) {
  for (const std::uint32_t lane : plan.lanes) {
    const LaneSpec& spec = graph.lanes[lane];
    if (spec.type != LaneType::kFixedRate) continue;
    if (plan.pace == PaceType::kGrid && !spec.wall_clock_enabled) continue;
    if (lane_period(spec) == plan.period) return lane;
  }
  return kNoIndex;
}

Pace make_pace(const CompiledGraph& graph, const DomainPlan& plan) {
  const std::uint32_t lane = find_cadence_lane(graph, plan);
  if (lane == kNoIndex) return {plan, Duration::zero(), OverrunPolicy::kDropTick};
  return {plan, graph.lanes[lane].phase, graph.lanes[lane].overrun_policy};
}

double to_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

void raise_gauge(base::GaugeCell& gauge, double value) {
  if (value > gauge.value()) gauge.set(value);
}

}  // namespace

Domain::Domain(RunTables& tables, BodyServices& services, Lifecycle& lifecycle, std::uint32_t index)
    : tables_(tables),
      run_(tables.domains[index]),
      bodies_(tables, services, lifecycle),
      committer_(tables, run_),
      pace_(make_pace(tables.graph, tables.graph.domains[index])),
      report_(tables, run_, find_cadence_lane(tables.graph, tables.graph.domains[index])) {
  add_places();
}

void Domain::add_places() {
  const CompiledGraph& graph = tables_.graph;
  std::vector<std::int32_t> batch_of_lane(graph.lanes.size(), -1);
  for (std::uint32_t r = 0; r < graph.regions.size(); ++r) {
    const CompiledRegion& region = graph.regions[r];
    if (region.domain != run_.index) continue;
    const bool is_new_stage = places_.empty() || graph.regions[r].stage != places_.back().stage;
    if (is_new_stage) {
      const auto first = static_cast<std::uint32_t>(places_.size());
      stages_.push_back({.first = first, .last = first});
    }
    Place& place = places_.emplace_back();
    place.component = graph.members(region).front();
    place.stage = region.stage;
    ++stages_.back().last;
    if (region.is_loop) {
      place.loop = std::make_unique<LoopRunner>(tables_, run_, bodies_, r);
    } else if (graph.lanes[graph.components[place.component].lane].type == LaneType::kThreadPool) {
      const std::uint32_t lane = graph.components[place.component].lane;
      if (batch_of_lane[lane] < 0) {
        batch_of_lane[lane] = static_cast<std::int32_t>(batches_.size());
        batches_.push_back(std::make_unique<PoolBatch>(tables_, run_, bodies_, lane));
      }
      place.batch = batch_of_lane[lane];
      stages_.back().has_pool = true;
    }
    for (const std::uint32_t member : graph.members(region)) {
      const Trigger& trigger = *tables_.components[member].trigger;
      if (trigger.is_manual()) manual_.push_back(member);
      if (trigger.has_time_rule()) timed_.push_back(member);
    }
  }
  // From here on a place's `stage` is the index into `stages_`.
  for (std::uint32_t s = 0; s < stages_.size(); ++s) {
    for (std::uint32_t p = stages_[s].first; p < stages_[s].last; ++p) places_[p].stage = s;
  }
}

void Domain::begin(Duration at) {
  // Not before the first epoch: by then the threads of the run have started.
  if (sites_.empty()) add_sites();
  if (pace_.type() == PaceType::kManual && steps_allowed_ > 0) --steps_allowed_;
  ++run_.epoch;
  run_.boundary = run_.now = at;
  state_ = DomainState::kBusy;
  report_.begin();
  next_place_ = 0;
  stage_index_ = kNoStage;
  if (cross_boundary()) return walk();
  state_ = DomainState::kFailed;
  end_epoch();
}

bool Domain::cross_boundary() {
  if (tables_.settings.journal != nullptr) tables_.settings.journal->begin(tables_, run_);
  run_.state = tables_.states.snapshot();
  run_.arrival = std::max(run_.arrival, run_.epoch << kArrivalEpochShift);
  for (const ArrivalItem& item : run_.arrivals) {
    Channel& channel = item.edge == kNoIndex ? *tables_.components[item.component].injected
                                             : *tables_.channels[item.edge];
    if (channel.show(item.number, run_.arrival) == 0) continue;
    const std::uint32_t consumer =
        item.edge == kNoIndex ? item.component : tables_.graph.edges[item.edge].to;
    run_.mark(tables_.position[consumer]);
    if (item.edge == kNoIndex) continue;
    tables_.trace(
        run_, {.name = GraphEventName::kChannelCommit, .channel = item.edge, .first = item.number});
  }
  run_.arrivals.clear();
  for (const std::uint32_t component : run_.returned) run_.mark(tables_.position[component]);
  run_.returned.clear();
  mark_what_time_makes_ready();
  return down_.empty() || bring_back_what_is_down();
}

void Domain::mark_what_time_makes_ready() {
  for (const std::uint32_t component : manual_) {
    const bool is_finished = tables_.components[component].trigger->is_finished();
    if (!is_finished && !tables_.waits_for_line(component)) {
      run_.mark(tables_.position[component]);
    }
  }
  for (const std::uint32_t component : timed_) run_.mark(tables_.position[component]);
}

bool Domain::bring_back_what_is_down() {
  bool is_good = true;
  std::erase_if(down_, [this, &is_good](std::uint32_t component) {
    ComponentRun& run = tables_.components[component];
    if (!is_good || *run.down_until > run_.now) return false;
    is_good = bodies_.bring_back(component, run_);
    run_.mark(tables_.position[component]);
    return true;
  });
  return is_good;
}

void Domain::walk() {
  while (true) {
    if (stage_index_ == kNoStage) {
      std::uint32_t place = run_.next_marked(next_place_);
      const Ran ran = run_lone_places(place);
      if (place >= places_.size()) break;
      stage_index_ = places_[place].stage;
      const bool is_good =
          ran == Ran::kNot ? run_stage(stages_[stage_index_], place) : ran == Ran::kSome;
      if (!is_good) {
        state_ = DomainState::kFailed;
        return end_epoch();
      }
    }
    const bool is_committed = commit_stage();
    if (!run_.given.empty()) hand_over();
    if (!is_committed) {
      if (state_ == DomainState::kFailed) end_epoch();
      return;
    }
    next_place_ = stages_[stage_index_].last;
    stage_index_ = kNoStage;
  }
  end_epoch();
}

void Domain::hand_over() {
  tables_.hand_over(run_);
  RunJournal* const journal = tables_.settings.journal;
  if (journal != nullptr && !tables_.settings.virtual_time) journal->hand_over(tables_, run_);
}

void Domain::begin_stage() {
  records_.clear();
  commits_.clear();
  failures_.clear();
  next_commit_ = next_record_ = 0;
  progress_ = {};
}

bool Domain::run_stage(const Stage& stage, std::uint32_t first_marked) {
  begin_stage();
  is_direct_ = !stage.has_pool;
  const Duration begin = run_.now;
  bool is_good = !stage.has_pool || collect_batches(stage);
  if (!is_good) return false;
  for (const auto& batch : batches_) {
    if (stage.has_pool && !batch->is_empty()) batch->offer(begin);
  }
  is_good = run_here(stage, first_marked);
  if (stage.has_pool) {
    is_good = finish_batches(begin) && is_good;
    sort_by_place(commits_);
  }
  if (!staged_.empty()) end_staging(is_good);
  if (!is_good) fail_stage();
  return is_good;
}

void Domain::sort_by_place(std::vector<CommitItem>& items) {
  // What one lane collects is in order; only several kinds of lanes have to be mixed.
  if (std::ranges::is_sorted(items, {}, &CommitItem::place)) return;
  for (std::uint32_t i = 0; i < items.size(); ++i) items[i].order = i;
  std::ranges::sort(
      items, {}, [](const CommitItem& item) { return std::pair(item.place, item.order); });
}

bool Domain::collect_batches(const Stage& stage) {
  for (const auto& batch : batches_) batch->clear();
  for (std::uint32_t place = stage.first; place < stage.last; ++place) {
    if (places_[place].batch < 0 || !run_.is_marked(place)) continue;
    run_.unmark(place);
    const std::size_t first = records_.size();
    collect(places_[place].component);
    if (records_.size() == first) continue;
    commits_.push_back({.place = place, .first = first, .count = records_.size() - first});
    batches_[static_cast<std::size_t>(places_[place].batch)]->add(records_, first);
  }
  // If one lane has no room for its own, nothing of the stage is admitted anywhere.
  const bool have_room = std::ranges::all_of(
      batches_, [](auto& batch) { return batch->is_empty() || batch->decide(); });
  if (!have_room) return false;
  for (const auto& batch : batches_) {
    if (!batch->is_empty()) batch->admit();
  }
  return true;
}

bool Domain::run_here(const Stage& stage, std::uint32_t first_marked) {
  std::uint32_t place = first_marked;
  while (place < stage.last) {
    if (places_[place].batch < 0 && run_.is_marked(place)) {
      run_.unmark(place);
      if (!(places_[place].loop ? run_loop(place) : run_component(place))) return false;
    }
    if (++place < stage.last) place = run_.next_marked(place);
  }
  return true;
}

bool Domain::run_loop(std::uint32_t place) {
  LoopRunner& loop = *places_[place].loop;
  is_direct_ = false;
  notes_ = {};
  const bool is_good = loop.run(notes_);
  report_notes(places_[place].component);
  const std::uint32_t region = tables_.graph.components[places_[place].component].region;
  for (const std::uint32_t member : tables_.graph.members(tables_.graph.regions[region])) {
    look(tables_.components[member], member);
  }
  commits_.push_back({.place = place, .loop = &loop});
  if (is_good) return true;
  failures_.push_back(commits_.back());
  return false;
}

bool Domain::finish_batches(Duration begin) {
  Duration end = run_.now;
  for (const auto& batch : batches_) {
    if (!batch->is_empty()) end = std::max(end, batch->finish(begin));
  }
  run_.now = end;
  bool is_good = true;
  for (const CommitItem& item : commits_) {
    if (item.loop != nullptr || places_[item.place].batch < 0) continue;
    is_good = settle_pooled(item) && is_good;
  }
  return is_good;
}

bool Domain::settle_pooled(const CommitItem& item) {
  const BodySite& site = sites_[item.place];
  bool is_good = true;
  std::uint64_t run_count = 0;
  const InvocationRecord* last = nullptr;
  for (std::size_t i = item.first; i < item.first + item.count; ++i) {
    InvocationRecord& record = records_[i];
    if (!record.has_run) continue;
    ++run_count;
    last = &record;
    if (bodies_.judge(record, site, run_)) continue;
    failures_.push_back({.place = item.place, .first = i, .count = 1});
    is_good = false;
  }
  if (last != nullptr) bodies_.count(site, run_count, *last);
  return is_good;
}

void Domain::collect(std::uint32_t component) {
  ComponentRun& run = tables_.components[component];
  if (run.is_isolated) [[unlikely]] {
    run.trigger->discard_all();
    return;
  }
  if (run.down_until) [[unlikely]]
    return look(run, component);
  // What waits for it is looked at again when its abandoned invocation has returned.
  if (tables_.is_stuck(component)) [[unlikely]]
    return;
  run.trigger->collect({.now = run_.now, .boundary = run_.boundary}, records_, notes_);
  if (!notes_.stale_edges.empty() || !notes_.late_edges.empty() || notes_.is_silent) [[unlikely]] {
    report_notes(component);
  }
}

void Domain::look(ComponentRun& run, std::uint32_t component) {
  if (!run.down_until) return;
  if (std::ranges::find(down_, component) == down_.end()) down_.push_back(component);
}

void Domain::report_notes(std::uint32_t component) {
  for (const std::uint32_t edge : notes_.stale_edges) {
    tables_.report({.kind = HealthKind::kChannelStaleDrop, .channel = edge}, run_);
  }
  for (const std::uint32_t edge : notes_.late_edges) {
    tables_.report({.kind = HealthKind::kChannelDeadlineMiss, .channel = edge}, run_);
  }
  if (notes_.is_silent) {
    tables_.report({.kind = HealthKind::kSilence, .component = component}, run_);
  }
  notes_ = {};
}

void Domain::fail_stage() {
  if (failures_.empty()) return;
  sort_by_place(failures_);
  const CommitItem& first = failures_.front();
  const InvocationRecord* record =
      first.loop != nullptr ? first.loop->failed() : &records_[first.first];
  if (record != nullptr) bodies_.fail_run(*record);
}

bool Domain::commit_stage() {
  for (; next_commit_ < commits_.size(); ++next_commit_) {
    const CommitOutcome outcome = commit_item(commits_[next_commit_]);
    if (outcome == CommitOutcome::kDone) [[likely]]
      continue;
    state_ = outcome == CommitOutcome::kBlocked ? DomainState::kBlocked : DomainState::kFailed;
    blocked_since_ = run_.now;
    return false;
  }
  return true;
}

CommitOutcome Domain::commit_item(const CommitItem& item) {
  if (item.loop != nullptr) return commit_loop(*item.loop);
  while (next_record_ < item.count) {
    if (!progress_.has_begun) {
      next_record_ +=
          committer_.commit_plain(records_, item.first + next_record_, item.count - next_record_);
      if (next_record_ == item.count) break;
    }
    const CommitOutcome outcome = commit_record(records_[item.first + next_record_]);
    if (outcome != CommitOutcome::kDone) return outcome;
    ++next_record_;
  }
  next_record_ = 0;
  return CommitOutcome::kDone;
}

CommitOutcome Domain::commit_record(InvocationRecord& record) {
  if (!record.has_run) {
    const std::size_t lost = record.is_rejected ? 0 : record.messages.size();
    tables_.metrics.triggers[record.component].isolated_drop_count.add(lost);
    return CommitOutcome::kDone;
  }
  ComponentRun& run = tables_.components[record.component];
  if (run.down_until) look(run, record.component);
  if (record.error) {
    committer_.discard(record);
    return CommitOutcome::kDone;
  }
  const CommitOutcome outcome = committer_.commit(record, progress_);
  if (outcome == CommitOutcome::kDone) progress_ = {};
  return outcome;
}

CommitOutcome Domain::commit_loop(LoopRunner& loop) {
  const std::vector<InvocationRecord*>& results = loop.results();
  const bool has_begun = next_record_ > 0 || progress_.has_begun;
  if (loop.is_transaction() && !has_begun && !committer_.admit_all(results)) {
    loop.discard(committer_);
    if (!tables_.errors.empty()) return CommitOutcome::kFailed;
  }
  for (; next_record_ < results.size(); ++next_record_) {
    const CommitOutcome outcome = committer_.commit(*results[next_record_], progress_);
    if (outcome != CommitOutcome::kDone) return outcome;
    progress_ = {};
  }
  next_record_ = 0;
  return CommitOutcome::kDone;
}

void Domain::resume(Duration at) {
  const Duration waited = at - blocked_since_;
  const std::uint32_t producer = tables_.graph.edges[progress_.blocking_edge].from;
  LaneCells& cells = tables_.metrics.lanes[tables_.graph.components[producer].lane];
  raise_gauge(cells.blocked_duration_ms, to_ms(waited));
  run_.now = std::max(run_.now, at);
  RunJournal* const journal = tables_.settings.journal;
  if (journal != nullptr && !tables_.settings.virtual_time) journal->resume(tables_, run_);
  state_ = DomainState::kBusy;
  walk();
}

std::optional<Duration> Domain::unblock_time() const {
  const Channel& channel = *tables_.channels[progress_.blocking_edge];
  if (channel.refuses()) return std::nullopt;
  return std::max(blocked_since_, channel.last_take());
}

void Domain::end_epoch() {
  const Duration slot = pace_.slot();
  const std::uint64_t skipped = pace_.end(run_.now);
  report_.end({.slot = slot,
               .last_end = last_end_,
               .skipped = skipped,
               .is_on_grid = pace_.type() == PaceType::kGrid});
}

void Domain::leave() {
  if (tables_.settings.journal != nullptr) tables_.settings.journal->end(tables_, run_);
  run_.state.reset();
  committer_.leave();
  last_end_ = run_.now;
  state_ = DomainState::kIdle;
}

bool Domain::can_run(std::uint32_t component) const {
  return tables_.can_be_called(component) && !tables_.waits_for_line(component);
}

std::optional<Duration> Domain::work_time(Duration now) const {
  if (!run_.arrivals.empty() || !run_.returned.empty()) return now;
  for (const std::uint32_t component : manual_) {
    const ComponentRun& run = tables_.components[component];
    if (!run.trigger->is_finished() && can_run(component)) return now;
  }
  std::optional<Duration> earliest;
  const auto consider = [&earliest](std::optional<Duration> time) {
    if (time && (!earliest || *time < *earliest)) earliest = time;
  };
  for (const std::uint32_t component : timed_) {
    if (can_run(component)) consider(tables_.components[component].trigger->next_time());
  }
  for (const std::uint32_t component : down_) consider(tables_.components[component].down_until);
  return earliest;
}

std::optional<Duration> Domain::next_start(Duration now) const {
  if (pace_.type() == PaceType::kManual) {
    if (steps_allowed_ == 0) return std::nullopt;
    return std::max(last_end_, now);
  }
  if (pace_.type() != PaceType::kReady) return pace_.next_start(last_end_, std::nullopt);
  return pace_.next_start(last_end_, work_time(now));
}

bool Domain::is_idle() const {
  return state_ == DomainState::kIdle && !work_time(Duration::zero());
}

}  // namespace millrace::graph
