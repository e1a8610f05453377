#include "reference_world.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/format/words.h"
#include "reference_pool.h"

namespace millrace::graph_reference {
namespace {

using graph::EdgeKind;
using graph::EdgeOverflow;
using graph::LaneType;
using graph::OnError;
using graph::OverrunPolicy;
using graph::PaceType;
using graph::TriggerType;

}  // namespace

World::World(const graph::GraphSpec& spec) : plan(make_plan(spec)) {
  for (const PlannedComponent& component : plan.components) {
    components.push_back({.body = Body(*component.spec)});
  }
  for (const PlannedEdge& edge : plan.edges) channels.push_back({.edge = edge.spec});
  domains.resize(plan.domains.size());
  for (std::size_t i = 0; i < domains.size(); ++i) {
    domains[i].next = plan.domains[i].phase;
    domains[i].slot = plan.domains[i].phase;
  }
  task_workers_.resize(static_cast<std::size_t>(std::max<std::int64_t>(spec.tasks.workers, 1)));
}

void World::count(const std::string& name, const std::string& label, double value) {
  outcome.metrics["runtime." + name + "{" + label + "}"] += value;
}

void World::count_most(const std::string& name, const std::string& label, double value) {
  double& most = outcome.metrics["runtime." + name + "{" + label + "}"];
  most = std::max(most, value);
}

void World::fail(std::size_t component, const std::string& code) {
  if (!failure) failure = {plan.components[component].spec->id, code};
}

Ports World::ports_of(std::size_t component) {
  Ports ports;
  for (const std::string& input : plan.components[component].trigger.inputs) {
    ports.emplace_back();
    for (const std::size_t edge : plan.components[component].in) {
      if (plan.edges[edge].to_port == input) ports.back().push_back(&channels[edge]);
    }
  }
  return ports;
}

void World::run_epoch(std::size_t domain, Duration begin) {
  DomainState& state = domains[domain];
  ++state.epoch;
  state.is_busy = true;
  state.begin = begin;
  state.end = begin;
  show_arrived(domain);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const bool is_due = components[i].down_until && *components[i].down_until <= begin;
    if (plan.components[i].domain != domain || !is_due) continue;
    components[i].down_until.reset();
    count("component.restart_count", plan.components[i].spec->id, 1);
  }
  for (const auto& stage : plan.domains[domain].stages) {
    run_stage(domain, stage);
    if (failure) return;
  }
}

/// What has left becomes visible in the order of leaving, behind all that was visible before.
void World::show_arrived(std::size_t domain) {
  std::vector<Message*> all;
  for (std::size_t edge = 0; edge < channels.size(); ++edge) {
    if (plan.components[plan.edges[edge].to].domain != domain) continue;
    for (Message& message : channels[edge].arrived) all.push_back(&message);
  }
  std::ranges::sort(all, {}, &Message::arrival);
  for (Message* message : all) message->arrival = ++arrival_count_;
  for (std::size_t edge = 0; edge < channels.size(); ++edge) {
    if (plan.components[plan.edges[edge].to].domain == domain) channels[edge].show();
  }
}

bool World::is_on_pool(const PlannedRegion& region) const {
  if (region.loop) return false;  // a loop owns its members, whatever their lanes
  const std::size_t lane = plan.components[region.members.front()].lane;
  return plan.spec->lanes[lane].type == LaneType::kThreadPool;
}

/// G57: pool work and the regions of this thread run side by side from the begin of the stage; all
/// commits follow at its end, in region order.
void World::run_stage(std::size_t domain, const std::vector<std::size_t>& regions) {
  const Duration begin = domains[domain].end;
  Duration pools_end = begin;
  Duration thread_end = begin;
  std::vector<Done> done = run_pools(regions, pools_end);
  if (failure && failure->code == "lane_overflow") return;
  for (Done& one : run_on_thread(domain, regions, thread_end)) done.push_back(std::move(one));
  domains[domain].end = std::max(pools_end, thread_end);
  if (failure) return;
  for (const std::size_t index : regions) {
    const PlannedRegion& region = plan.regions[index];
    for (const Done& one : done) {
      if (std::ranges::find(region.members, one.component) == region.members.end()) continue;
      commit(one, region.loop ? Part::kOutsideLoop : Part::kAll);
    }
  }
}

std::vector<Done> World::run_pools(const std::vector<std::size_t>& regions, Duration& end) {
  const Duration begin = end;
  // The invocations of all lanes are collected before any of them runs.
  std::map<std::size_t, std::vector<PoolItem>> items_of;
  std::map<std::size_t, std::vector<Firing>> firings_of;
  for (const std::size_t region : regions) {
    if (!is_on_pool(plan.regions[region])) continue;
    const std::size_t component = plan.regions[region].members.front();
    const auto& execution = plan.components[component].spec->execution;
    const std::size_t lane = plan.components[component].lane;
    for (Firing& firing : collect(component, begin)) {
      items_of[lane].push_back({component, execution.reentrant, execution.priority});
      firings_of[lane].push_back(std::move(firing));
    }
  }
  // None of them runs if a lane has no room for its own.
  std::map<std::size_t, PoolBatch> batches;
  for (const auto& [lane, items] : items_of) {
    batches[lane] = make_batch(plan.spec->lanes[lane], items, dispatch_counts_[lane]);
    if (!batches[lane].has_overflowed) continue;
    failure = {.component = "", .code = "lane_overflow"};
    return {};
  }
  std::vector<Done> all;
  for (const auto& [lane, batch] : batches) {
    const graph::LaneSpec& spec = plan.spec->lanes[lane];
    const std::vector<PoolItem>& items = items_of[lane];
    const std::vector<Firing>& firings = firings_of[lane];
    for (const std::size_t item : batch.rejected) {
      count("scheduler.rejected_count", spec.id, 1);
      const bool is_low = items[item].priority >= graph::PriorityClass::kLow;
      if (is_low) count("scheduler.low_priority_rejected_count", spec.id, 1);
    }
    count_most("scheduler.active_count", spec.id, static_cast<double>(batch.width));
    count_most("scheduler.in_flight_count", spec.id, static_cast<double>(batch.admitted_count));
    count_most(
        "scheduler.queue_depth", spec.id, static_cast<double>(batch.admitted_count - batch.width));
    count("scheduler.starvation_guard_count", spec.id, static_cast<double>(batch.guard_count));
    std::vector<std::optional<Done>> done(items.size());
    const auto run = [&](std::size_t item, Duration at) {
      done[item] = execute(items[item].component, firings[item], at);
      return done[item]->end - at;
    };
    end = std::max(end, play_batch(spec, items, batch.order, begin, run));
    for (std::optional<Done>& one : done) {
      if (one) all.push_back(std::move(*one));
    }
  }
  return all;
}

std::vector<Done> World::run_on_thread(std::size_t domain,
                                       const std::vector<std::size_t>& regions,
                                       Duration& time) {
  std::vector<Done> all;
  const std::optional<Failure> of_pools = std::exchange(failure, std::nullopt);
  for (const std::size_t index : regions) {
    const PlannedRegion& region = plan.regions[index];
    if (is_on_pool(region)) continue;
    if (region.loop) {
      for (Done& one : run_loop(index, time)) all.push_back(std::move(one));
    } else {
      for (const Firing& firing : collect(region.members.front(), time)) {
        all.push_back(execute(region.members.front(), firing, time));
        time = all.back().end;
        if (failure) break;
      }
    }
    if (failure) break;
  }
  if (!failure) failure = of_pools;
  if (!of_pools || !failure) return all;
  // Of several errors the first in region order is the one that is reported.
  for (const std::size_t index : regions) {
    for (const std::size_t member : plan.regions[index].members) {
      const std::string& id = plan.components[member].spec->id;
      if (id != failure->component && id != of_pools->component) continue;
      if (id == of_pools->component) failure = of_pools;
      return all;
    }
  }
  domains[domain].end = time;
  return all;
}

void World::discard_input(std::size_t component) {
  for (const auto& port : ports_of(component)) {
    for (Channel* channel : port) {
      components[component].trigger.counts.isolated += static_cast<std::int64_t>(std::erase_if(
          channel->visible,
          [channel](const Message& message) { return channel->may_deliver(message); }));
    }
  }
}

std::vector<Firing> World::collect(std::size_t component, Duration now) {
  ComponentState& state = components[component];
  const PlannedComponent& planned = plan.components[component];
  if (state.is_isolated) {
    discard_input(component);
    return {};
  }
  if (state.down_until) return {};  // a new instance begins at a boundary
  std::vector<Firing> firings;
  if (planned.trigger.is_injected) {
    for (const std::string& value : state.injected) firings.push_back({Message{.value = value}});
    state.injected.clear();
  } else if (planned.trigger.is_timer) {
    const Duration boundary = domains[planned.domain].begin;
    const bool is_due =
        !state.is_finished && collect_timer(planned.trigger, state.trigger, boundary);
    if (is_due) firings.emplace_back();
  } else if (planned.trigger.type == TriggerType::kManual) {
    if (!state.is_finished) firings.emplace_back();
  } else {
    PlannedTrigger trigger = planned.trigger;
    if (planned.loop &&
        plan.spec->loops[*planned.loop].policy.type == graph::CompositeLoopType::kCoalescedEvent) {
      trigger.rule.coalesce = true;
    }
    firings = collect_firings(trigger, state.trigger, ports_of(component), now);
  }
  count("trigger.ready_count", planned.spec->id, static_cast<double>(firings.size()));
  return firings;
}

Done World::execute(std::size_t component, const Firing& firing, Duration begin) {
  ComponentState& state = components[component];
  const PlannedComponent& planned = plan.components[component];
  const graph::ExecutionSpec& execution = planned.spec->execution;
  const std::string& id = planned.spec->id;
  const std::string& lane = execution.lane;
  Done done{.component = component, .result = state.body.call(firing)};
  done.end = begin + done.result.spent;
  const Message* earliest = nullptr;
  for (const Message& message : firing) {
    if (message.is_used || message.id.empty()) continue;
    if (earliest == nullptr || message.arrival < earliest->arrival) earliest = &message;
  }
  done.correlation =
      earliest != nullptr ? earliest->correlation : id + "#" + std::to_string(++state.root_count);
  count("component.execution_count", id, 1);
  count("scheduler.completed_count", lane, 1);
  count("scheduler.priority_" + std::string(to_string(execution.priority)) + "_count", lane, 1);
  if (execution.budget > Duration::zero() && done.result.spent > execution.budget) {
    count("component.budget_overrun_count", id, 1);
  }
  const std::int64_t epoch = domains[planned.domain].epoch;
  outcome.executions.push_back({id, epoch, begin, done.result.spent});
  for (std::size_t i = 0; i < done.result.printed.size(); ++i) {
    done.lines.push_back(
        {id, epoch, begin, done.result.printed[i], firing[i].correlation, firing[i].id});
  }
  if (done.result.has_failed) {
    handle_failure(component, done);
    return done;
  }
  if (done.result.is_finished) state.is_finished = true;
  submit_tasks(component, done);
  for (const auto& [key, value] : done.result.written) {
    const std::string table = state.body.table();
    const auto owner = owners_.emplace(std::pair(table, key), component).first;
    if (owner->second == component) domains[planned.domain].writes.push_back({table, key, value});
  }
  return done;
}

/// G46, G47.
void World::handle_failure(std::size_t component, Done& done) {
  ComponentState& state = components[component];
  const graph::ComponentSpec& spec = *plan.components[component].spec;
  const graph::ExecutionSpec& execution = spec.execution;
  count("component.error_count", spec.id, 1);
  done.is_discarded = true;
  if (execution.on_error == OnError::kFailFast) fail(component, "component_execute");
  if (execution.on_error == OnError::kIsolate) state.is_isolated = true;
  if (execution.on_error != OnError::kRestart) return;
  state.failures.push_back(done.end);
  const auto recent = std::ranges::count_if(
      state.failures, [&](Duration at) { return done.end - at <= execution.restart.window; });
  if (recent > execution.restart.max) return fail(component, "component_execute");
  state.body = Body(spec);
  state.is_finished = false;
  state.down_until = done.end + execution.restart.backoff;
}

void World::submit_tasks(std::size_t component, const Done& done) {
  const bool has_way_back = std::ranges::any_of(
      plan.components[component].out,
      [this](std::size_t edge) { return plan.edges[edge].spec->kind == EdgeKind::kAsync; });
  if (!has_way_back) return;
  for (const std::string& value : done.result.tasks) {
    Duration& worker = *std::ranges::min_element(task_workers_);
    worker = std::max(worker, done.end) + components[component].body.task_delay();
    tasks.push_back({worker, component, {.value = value, .correlation = done.correlation}});
    tasks.back().message.published = worker;
  }
}

/// G56: a result arrives on the async edges of the port.
void World::deliver(const TaskResult& task) {
  std::vector<std::size_t> edges;
  bool is_refused = false;
  for (const std::size_t edge : plan.components[task.component].out) {
    if (plan.edges[edge].spec->kind != EdgeKind::kAsync) continue;
    edges.push_back(edge);
    if (!channels[edge].refuses()) continue;
    is_refused = true;
    ++channels[edge].counts.rejected;
    if (channels[edge].edge->policy.overflow == EdgeOverflow::kFailFast) {
      fail(task.component, "channel_overflow");
    }
  }
  if (is_refused) return;
  for (const std::size_t edge : edges) channels[edge].enter(task.message, ++arrival_count_, false);
}

void World::commit(const Done& done, Part part) {
  if (failure) return;
  for (const OutputLine& line : done.lines) outcome.lines.push_back(line);
  for (const Publication& publication : done.result.published) {
    if (failure) return;
    if (done.is_discarded) continue;
    commit_one(done, publication, part);
  }
}

/// G13: a publication to several edges is one.
void World::commit_one(const Done& done, const Publication& publication, Part part) {
  std::vector<std::size_t> edges;
  bool is_refused = false;
  for (const std::size_t edge : plan.components[done.component].out) {
    const bool is_inside = plan.edges[edge].is_inside_loop;
    if (part != Part::kAll && is_inside != (part == Part::kInsideLoop)) continue;
    edges.push_back(edge);
    if (!channels[edge].refuses()) continue;
    is_refused = true;
    ++channels[edge].counts.rejected;
    if (channels[edge].edge->policy.overflow == EdgeOverflow::kFailFast) {
      fail(done.component, "channel_overflow");
    }
  }
  if (is_refused) return;
  for (const std::size_t edge : edges) {
    const Message message{.value = publication.value,
                          .event_time = publication.event_time,
                          .published = done.end,
                          .correlation = done.correlation};
    const PlannedEdge& planned = plan.edges[edge];
    if (planned.spec->kind != EdgeKind::kImmediate) {
      ++channels[edge].waiting_count;
      domains[plan.components[done.component].domain].outbox.emplace_back(edge, message);
      continue;
    }
    channels[edge].enter(message, ++arrival_count_, true);
  }
}

void World::leave(std::size_t domain) {
  DomainState& state = domains[domain];
  state.is_busy = false;
  if (failure) {
    state.outbox.clear();
    state.writes.clear();
  }
  for (const StateWrite& write : state.writes) outcome.tables[write.table][write.key] = write.value;
  state.writes.clear();
  for (auto& [edge, message] : state.outbox) {
    --channels[edge].waiting_count;
    channels[edge].enter(std::move(message), ++arrival_count_, false);
  }
  state.outbox.clear();
  outcome.epoch_spans.push_back({plan.domains[domain].id, state.epoch, state.begin, state.end});
  end_tick(domain);
}

/// G33, G34.
void World::end_tick(std::size_t domain) {
  DomainState& state = domains[domain];
  const PlannedDomain& planned = plan.domains[domain];
  std::int64_t skipped = 0;
  if (planned.pace == PaceType::kGrid) {
    const Duration period = planned.period;
    const Duration slot = state.slot;
    if (state.end <= slot + period) {
      state.slot = state.next = slot + period;
      state.is_catching_up = false;
    } else {
      Duration first = slot;
      while (first < state.end) first += period;
      if (planned.overrun == OverrunPolicy::kSkipNext) first += period;
      const bool catches_up = planned.overrun == OverrunPolicy::kCatchUpOnce &&
                              !state.is_catching_up && first != state.end;
      state.is_catching_up = catches_up;
      state.slot = catches_up ? first - period : first;
      state.next = catches_up ? state.end : first;
      skipped = (state.slot - slot) / period - 1;
    }
  }
  for (const std::size_t index : planned.lanes) {
    const graph::LaneSpec& lane = plan.spec->lanes[index];
    if (lane.type != LaneType::kFixedRate) continue;
    const Duration period = period_of(lane);
    const Duration budget = lane.tick_budget > Duration::zero() ? lane.tick_budget : period;
    const bool is_over = budget > Duration::zero() && state.end - state.begin > budget;
    count("scheduler.tick_overrun_count", lane.id, is_over ? 1 : 0);
    count("scheduler.skipped_tick_count", lane.id, static_cast<double>(skipped));
  }
}

std::optional<Duration> World::find_wake(std::size_t domain, Duration now) {
  std::optional<Duration> wake;
  const auto consider = [&](Duration time) {
    if (!wake || time < *wake) wake = time;
  };
  const Duration free = std::max(now, domains[domain].end);
  for (std::size_t i = 0; i < components.size(); ++i) {
    const PlannedComponent& planned = plan.components[i];
    if (planned.domain != domain) continue;
    for (const std::size_t edge : planned.in) {
      if (!channels[edge].arrived.empty()) consider(free);
    }
    const ComponentState& state = components[i];
    if (!state.injected.empty()) consider(free);
    if (state.is_isolated || planned.trigger.is_injected) continue;
    if (state.down_until) {
      consider(std::max(free, *state.down_until));
    } else if (planned.trigger.is_timer) {
      if (!state.is_finished) consider(std::max(free, state.trigger.next_timer));
    } else if (planned.trigger.type == TriggerType::kManual) {
      if (!state.is_finished) consider(free);
    } else if (const auto due = find_due_time(planned.trigger, state.trigger, ports_of(i), free)) {
      consider(*due);
    }
  }
  return wake;
}

}  // namespace millrace::graph_reference
