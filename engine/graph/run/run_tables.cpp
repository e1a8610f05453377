#include "graph/run/run_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "base/sync/mutex.h"
#include "graph/body/guarded_call.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/run/channel.h"
#include "graph/run/run_result.h"
#include "graph/run/trigger.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

constexpr std::int64_t kHostCapacity = 64;

std::size_t host_capacity(const CompiledComponent& component) {
  const Payload* capacity = component.config.find_member("capacity");
  const std::int64_t given =
      capacity == nullptr ? kHostCapacity : capacity->find_int().value_or(kHostCapacity);
  return static_cast<std::size_t>(std::max<std::int64_t>(given, 1));
}

EventKind event_kind(SourceType source) {
  switch (source) {
    case SourceType::kRequest:
      return EventKind::kRequest;
    case SourceType::kTaskReady:
      return EventKind::kTaskReady;
    case SourceType::kFutureReady:
      return EventKind::kFutureReady;
    default:
      return EventKind::kMessage;
  }
}

std::uint32_t index_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::uint32_t>(found - names.begin());
  names.push_back(name);
  return static_cast<std::uint32_t>(names.size() - 1);
}

}  // namespace

RunTables::RunTables(const CompiledGraph& compiled, const RunSettings& run_settings)
    : graph(compiled),
      settings(run_settings),
      lock(!run_settings.virtual_time),
      metrics(compiled, run_settings.metrics),
      events(run_settings.trace, run_settings.trace_events_max),
      components(compiled.components.size()),
      domains(compiled.domains.size()),
      position(compiled.components.size()),
      loop_reasons(compiled.loops.size()) {
  add_channels();
  for (std::uint32_t i = 0; i < components.size(); ++i) add_component(i);
  add_positions();
  for (std::size_t i = 0; i < graph.lanes.size(); ++i) {
    const LaneSpec& lane = graph.lanes[i];
    if (lane.type != LaneType::kThreadPool || graph.lane_domain[i] == kNoDomain) continue;
    metrics.lanes[i].worker_count.set(
        static_cast<double>(std::max<std::int64_t>(1, lane.max_threads)));
    metrics.lanes[i].queue_capacity.set(static_cast<double>(lane.queue_capacity.value_or(0)));
  }
}

void RunTables::add_channels() {
  channels.reserve(graph.edges.size());
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const CompiledEdge& edge = graph.edges[i];
    channels.push_back(std::make_unique<Channel>(
        edge.policy, edge.kind != EdgeKind::kImmediate, metrics.channels[i]));
  }
}

void RunTables::add_component(std::uint32_t index) {
  const CompiledComponent& compiled = graph.components[index];
  ComponentRun& run = components[index];
  if (settings.polls_outputs && compiled.type == "core.output") {
    run.poll_capacity = host_capacity(compiled);
  }
  add_outputs(index, run);
  add_trigger(index, run);
}

void RunTables::add_outputs(std::uint32_t index, ComponentRun& run) const {
  const CompiledRegion& region = graph.regions[graph.components[index].region];
  for (const std::uint32_t edge_index : graph.out(index)) {
    const CompiledEdge& edge = graph.edges[edge_index];
    const std::uint32_t output = index_of(run.output_names, edge.from_port);
    run.outputs.resize(run.output_names.size());
    const bool is_inner = region.is_loop && edge.kind == EdgeKind::kImmediate &&
                          graph.components[edge.to].region == graph.components[index].region;
    if (is_inner) channels[edge_index]->watch_changes();
    (is_inner ? run.outputs[output].inner : run.outputs[output].outer).push_back(edge_index);
  }
}

void RunTables::add_trigger(std::uint32_t index, ComponentRun& run) {
  const CompiledComponent& compiled = graph.components[index];
  for (const std::uint32_t edge : graph.in(index)) {
    static_cast<void>(index_of(run.input_names, graph.edges[edge].to_port));
  }
  std::vector<TriggerInput> inputs;
  for (std::size_t i = 0; i < compiled.trigger.inputs.size(); ++i) {
    TriggerInput& input = inputs.emplace_back();
    input.input = index_of(run.input_names, compiled.trigger.inputs[i]);
    input.kind = event_kind(compiled.trigger.kinds[i]);
    for (const std::uint32_t edge : graph.in(index)) {
      if (graph.edges[edge].to_port != compiled.trigger.inputs[i]) continue;
      input.channels.push_back(channels[edge].get());
      input.edges.push_back(edge);
    }
  }
  // Lines of standard input come by themselves: one in every epoch until they end.
  const bool is_injected = compiled.is_host_driven && compiled.type != "core.stdin";
  if (is_injected) {
    const ChannelSpec policy{.mode = ChannelMode::kQueue,
                             .capacity = static_cast<std::int64_t>(host_capacity(compiled)),
                             .overflow = EdgeOverflow::kReject};
    run.injected_cells = std::make_unique<ChannelCells>();
    run.injected = std::make_unique<Channel>(policy, true, *run.injected_cells);
    inputs.clear();
    inputs.push_back({.input = 0,
                      .kind = EventKind::kInjected,
                      .channels = {run.injected.get()},
                      .edges = {kNoIndex}});
  }
  run.trigger = std::make_unique<Trigger>(
      index, compiled.trigger, std::move(inputs), metrics.triggers[index], is_injected);
}

void RunTables::add_positions() {
  std::vector<std::uint32_t> counts(domains.size(), 0);
  for (const CompiledRegion& region : graph.regions) {
    for (const std::uint32_t member : graph.members(region)) {
      position[member] = counts[region.domain];
    }
    ++counts[region.domain];
  }
  for (ComponentRun& run : components) {
    for (OutputTargets& output : run.outputs) {
      for (const std::uint32_t edge : output.outer) {
        output.targets.push_back({.channel = channels[edge].get(),
                                  .edge = edge,
                                  .position = position[graph.edges[edge].to]});
      }
    }
  }
  for (std::uint32_t i = 0; i < domains.size(); ++i) {
    domains[i].index = i;
    domains[i].ready.assign((counts[i] + 63) / 64, 0);
    domains[i].state = states.snapshot();
  }
}

void RunTables::add_arrival(const ArrivalItem& item) {
  const std::uint32_t reader = item.edge == kNoIndex ? item.component : graph.edges[item.edge].to;
  DomainRun& domain = domains[graph.components[reader].domain];
  if (domain.arrivals.size() >= domain.arrivals_next_look) [[unlikely]]
    forget_evicted(domain);
  domain.arrivals.push_back(item);
}

void RunTables::forget_evicted(DomainRun& domain) {
  std::erase_if(domain.arrivals, [this](const ArrivalItem& item) {
    const Channel& channel =
        item.edge == kNoIndex ? *components[item.component].injected : *channels[item.edge];
    return !channel.is_unseen(item.number);
  });
  // As many again are added before the next look, so that a look costs little per message.
  domain.arrivals_next_look = std::max(kArrivalsKept, 2 * domain.arrivals.size());
}

void RunTables::report(const HealthEvent& event, const DomainRun& domain) {
  if (health.add(event)) {
    metrics.run.health_event_count.add();
  } else {
    metrics.run.health_dropped_count.add();
  }
  trace(domain,
        {.name = GraphEventName::kHealthEvent,
         .lane = event.lane,
         .component = event.component,
         .channel = event.channel,
         .first = static_cast<std::uint64_t>(event.kind),
         .second = event.count});
}

void RunTables::hand_over(DomainRun& domain) {
  std::vector<OutputRecord> outputs = std::move(domain.given);
  domain.given.clear();
  {
    const OutsideSection outside(*this, domain);
    const base::MutexLock one_at_a_time(output_mutex_);
    for (const OutputRecord& output : outputs) {
      // Whoever looks on does not change the run.
      static_cast<void>(guarded_call([&]() -> base::Status {
        settings.on_output(output);
        return {};
      }));
    }
  }
  // Keeps the memory for the next ones.
  outputs.clear();
  if (domain.given.empty()) domain.given = std::move(outputs);
}

void RunTables::trace_slowly(const DomainRun& domain, GraphEvent event) {
  event.domain = static_cast<std::uint16_t>(domain.index);
  event.epoch = domain.epoch;
  if (event.time == kTimeOfDomain) event.time = domain.now;
  const std::uint64_t dropped = events.dropped_count();
  events.add(event);
  (events.dropped_count() > dropped ? metrics.run.trace_dropped_count
                                    : metrics.run.trace_event_count)
      .add();
}

void RunTables::fail(std::string_view phase,
                     std::uint32_t component,
                     std::string_view code,
                     std::string message) {
  const CompiledComponent& compiled = graph.components[component];
  errors.push_back({.phase = std::string(phase),
                    .component = compiled.id,
                    .lane = graph.lanes[compiled.lane].id,
                    .code = std::string(code),
                    .message = std::move(message)});
}

std::string RunTables::correlation_text(const Correlation& correlation) const {
  if (correlation.component == kNoIndex) return {};
  return base::format("{}#{}", graph.components[correlation.component].id, correlation.count);
}

std::string RunTables::message_text(const MessageId& id) const {
  if (id.edge == kNoIndex) return {};
  return base::format("{}#{}", graph.edges[id.edge].id, id.number);
}

}  // namespace millrace::graph
