#include "graph/run/commit.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/run/channel.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/run/state_store.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

/// Says of a message what the invocation that published it knows.
void fill(Message& message, const InvocationRecord& record, const StagedPublication& publication) {
  message.published_at = record.end();
  message.event_time = publication.event_time;
  message.has_event_time = publication.has_event_time;
  message.correlation = record.correlation;
}

}  // namespace

void report_push(RunTables& tables,
                 const DomainRun& publisher,
                 std::uint32_t edge,
                 const PushOutcome& outcome) {
  const Channel& channel = *tables.channels[edge];
  HealthEvent event{.kind = HealthKind::kChannelOverflow,
                    .channel = edge,
                    .policy = to_string(channel.overflow()),
                    .depth = channel.depth(),
                    .capacity = channel.capacity()};
  const ChannelMode mode = tables.graph.edges[edge].policy.mode;
  const bool is_one_value = mode != ChannelMode::kQueue && mode != ChannelMode::kRingBuffer &&
                            mode != ChannelMode::kBarrier;
  if (!outcome.is_accepted || outcome.has_evicted) {
    tables.trace(publisher, {.name = GraphEventName::kChannelDrop, .channel = edge});
    // Replacing the newest value is what edges with one value are for.
    if (!is_one_value) tables.report(event, publisher);
  }
  if (outcome.is_full_first_time) {
    event.kind = HealthKind::kBackpressureHighWatermark;
    tables.report(event, publisher);
  }
}

std::size_t Committer::commit_plain(InvocationList& list, std::size_t first, std::size_t count) {
  ComponentRun& run = tables_.components[list[first].component];
  const bool is_watched = tables_.settings.journal != nullptr || tables_.events.is_on();
  if (is_watched || run.outputs.size() > 1) return 0;
  OutputTargets* const output = run.outputs.empty() ? nullptr : run.outputs.data();
  if (output != nullptr && output->targets.size() != 1) return 0;
  const EdgeTarget* const target = output == nullptr ? nullptr : output->targets.data();
  std::uint64_t arrival = domain_.arrival;
  std::size_t done = 0;
  for (; done < count; ++done) {
    InvocationRecord& record = list[first + done];
    if (!record.is_plain()) break;
    if (record.published.empty()) continue;
    if (target->channel->refuses()) break;
    Message* const added = target->channel->try_extend(arrival + 1);
    if (added == nullptr) break;
    ++arrival;
    StagedPublication& publication = record.published.front();
    added->value = std::move(publication.value);
    fill(*added, record, publication);
  }
  if (done == 0) return 0;
  const std::uint64_t published = arrival - domain_.arrival;
  domain_.arrival = arrival;
  forget_report(run);
  if (output != nullptr) {
    output->committed = list[first + done - 1].published.empty() ? 0 : 1;
    cells_.staged.add(published);
    cells_.committed.add(published);
    if (published > 0) domain_.mark(target->position);
  }
  return done;
}

void Committer::show_staged(ComponentRun& run, bool has_last_published) {
  if (run.outputs.empty()) return;
  OutputTargets& output = run.outputs.front();
  output.committed = has_last_published ? 1 : 0;
  output.refused = output.dropped = 0;
  output.guilty_edge = kNoIndex;
  std::size_t count = 0;
  for (const EdgeTarget& target : output.targets) {
    count = target.channel->show_staged();
    if (count > 0) domain_.mark(target.position);
  }
  cells_.staged.add(count);
  cells_.committed.add(count);
}

CommitOutcome Committer::commit(InvocationRecord& record, CommitProgress& progress) {
  ComponentRun& run = tables_.components[record.component];
  if (!progress.has_begun) [[likely]] {
    progress.has_begun = true;
    if (tables_.settings.journal != nullptr) [[unlikely]]
      tables_.settings.journal->commit(tables_, record);
    forget_report(run);
    cells_.staged.add(record.published.size());
    if (!record.writes.empty()) [[unlikely]]
      write_state(record);
    if (!record.for_host.empty()) [[unlikely]]
      give_to_host(record);
  }
  const bool is_traced = tables_.events.is_on();
  for (; progress.publication < record.published.size(); ++progress.publication) {
    StagedPublication& publication = record.published[progress.publication];
    OutputTargets& output = run.outputs[publication.output];
    bool is_refused = false;
    for (const EdgeTarget& target : output.targets) {
      is_refused = is_refused || target.channel->refuses();
    }
    if (is_refused) [[unlikely]] {
      const CommitOutcome outcome = refuse_publication(record, output, progress);
      if (outcome != CommitOutcome::kDone) return outcome;
      continue;
    }
    if (output.targets.empty()) continue;
    const EdgeTarget& last = output.targets.back();
    for (const EdgeTarget& target : output.targets) {
      Message* const added = is_traced ? nullptr : target.channel->try_extend(domain_.arrival + 1);
      if (added != nullptr) [[likely]] {
        ++domain_.arrival;
        // All edges but the last get a copy.
        if (&target == &last) {
          added->value = std::move(publication.value);
        } else {
          added->value = publication.value;
        }
        fill(*added, record, publication);
        domain_.mark(target.position);
        continue;
      }
      Message message{.value = publication.value};
      fill(message, record, publication);
      put(target.edge, std::move(message), output);
    }
    ++output.committed;
    cells_.committed.add();
  }
  return CommitOutcome::kDone;
}

CommitOutcome Committer::refuse_publication(const InvocationRecord& record,
                                            OutputTargets& output,
                                            CommitProgress& progress) {
  const std::uint32_t refusing = find_refusing(output.outer);
  if (waits_on(refusing)) {
    progress.blocking_edge = refusing;
    return CommitOutcome::kBlocked;
  }
  refuse(output, output.outer, refusing);
  if (tables_.channels[refusing]->overflow() != EdgeOverflow::kFailFast) {
    return CommitOutcome::kDone;
  }
  fail_full(record.component, refusing);
  return CommitOutcome::kFailed;
}

bool Committer::commit_inner(InvocationRecord& record) {
  ComponentRun& run = tables_.components[record.component];
  bool is_whole = true;
  for (StagedPublication& publication : record.published) {
    OutputTargets& output = run.outputs[publication.output];
    if (output.inner.empty()) continue;
    const std::uint32_t refusing = find_refusing(output.inner);
    if (refusing != kNoIndex) {
      refuse(output, output.inner, refusing);
      is_whole = false;
      continue;
    }
    // The outer edges of the same output still need the value.
    for (const std::uint32_t edge : output.inner) {
      Message message{.value = publication.value};
      fill(message, record, publication);
      put(edge, std::move(message), output);
    }
    if (output.outer.empty()) cells_.committed.add();
  }
  return is_whole;
}

bool Committer::admit_all(std::span<InvocationRecord* const> records) {
  std::map<std::uint32_t, std::size_t> counts;  // of publications, by edge
  for (const InvocationRecord* record : records) {
    const ComponentRun& run = tables_.components[record->component];
    for (const StagedPublication& publication : record->published) {
      for (const std::uint32_t edge : run.outputs[publication.output].outer) ++counts[edge];
    }
  }
  std::uint32_t refusing = kNoIndex;
  for (const auto& [edge, count] : counts) {
    const Channel& channel = *tables_.channels[edge];
    if (waits_on(edge) || count <= channel.room()) continue;
    const bool is_fatal = channel.overflow() == EdgeOverflow::kFailFast;
    if (refusing == kNoIndex || is_fatal) refusing = edge;
    if (is_fatal) break;
  }
  if (refusing == kNoIndex) return true;
  tables_.channels[refusing]->note_refusal();
  tell_refusal(refusing);
  if (tables_.channels[refusing]->overflow() == EdgeOverflow::kFailFast) {
    fail_full(tables_.graph.edges[refusing].from, refusing);
  }
  return false;
}

std::uint32_t Committer::find_refusing(const std::vector<std::uint32_t>& edges) const {
  std::uint32_t found = kNoIndex;
  for (const std::uint32_t edge : edges) {
    if (!tables_.channels[edge]->refuses()) continue;
    // The order of edges in a file must not decide whether a run fails or waits.
    if (tables_.channels[edge]->overflow() == EdgeOverflow::kFailFast) return edge;
    if (found == kNoIndex || waits_on(found)) found = edge;
  }
  return found;
}

bool Committer::waits_on(std::uint32_t edge) const {
  const CompiledEdge& compiled = tables_.graph.edges[edge];
  if (compiled.policy.overflow != EdgeOverflow::kBlock || !compiled.crosses_domains) return false;
  const std::uint32_t lane = tables_.graph.components[compiled.from].lane;
  return tables_.graph.lanes[lane].type == LaneType::kIsolatedThread;
}

void Committer::refuse(OutputTargets& output,
                       const std::vector<std::uint32_t>& edges,
                       std::uint32_t edge) {
  for (const std::uint32_t one : edges) {
    if (tables_.channels[one]->refuses() && !waits_on(one)) tables_.channels[one]->note_refusal();
  }
  ++output.refused;
  output.guilty_edge = edge;
  cells_.refused.add();
  tell_refusal(edge);
}

void Committer::tell_refusal(std::uint32_t edge) {
  const Channel& channel = *tables_.channels[edge];
  tables_.report({.kind = HealthKind::kChannelOverflow,
                  .channel = edge,
                  .policy = to_string(channel.overflow()),
                  .depth = channel.depth(),
                  .capacity = channel.capacity()},
                 domain_);
  tables_.trace(domain_, {.name = GraphEventName::kChannelDrop, .channel = edge});
  if (tables_.settings.journal != nullptr) {
    tables_.settings.journal->refuse(tables_, domain_, edge);
  }
}

void Committer::fail_full(std::uint32_t component, std::uint32_t edge) {
  tables_.fail("commit",
               component,
               "channel_overflow",
               base::format("Edge '{}' is full ({} messages)",
                            tables_.graph.edges[edge].id,
                            tables_.channels[edge]->capacity()));
}

void Committer::put(std::uint32_t edge, Message&& message, OutputTargets& output) {
  Channel& channel = *tables_.channels[edge];
  if (channel.is_deferred()) {
    channel.expect();
    tables_.trace(domain_, {.name = GraphEventName::kChannelPublish, .channel = edge});
    domain_.outbox.push_back({.edge = edge, .message = std::move(message)});
    return;
  }
  const PushOutcome outcome = channel.push(std::move(message), ++domain_.arrival);
  if (tables_.graph.edges[edge].policy.mode == ChannelMode::kPreviousTick) [[unlikely]] {
    tables_.add_arrival({.edge = edge, .number = channel.last_number()});
  } else {
    domain_.mark(tables_.position[tables_.graph.edges[edge].to]);
  }
  if (tables_.events.is_on()) [[unlikely]] {
    tables_.trace(
        domain_,
        {.name = GraphEventName::kChannelPublish, .channel = edge, .first = channel.last_number()});
    if (outcome.is_accepted) {
      tables_.trace(domain_,
                    {.name = GraphEventName::kChannelCommit,
                     .channel = edge,
                     .first = channel.last_number()});
    }
  }
  if (!outcome.is_accepted || outcome.has_evicted || outcome.is_full_first_time) [[unlikely]] {
    note(edge, outcome, output);
  }
}

void Committer::note(std::uint32_t edge, const PushOutcome& outcome, OutputTargets& output) {
  if (!outcome.is_accepted) {
    ++output.dropped;
    output.guilty_edge = edge;
  }
  report_push(tables_, domain_, edge, outcome);
}

void Committer::leave() {
  for (OutboxItem& item : domain_.outbox) {
    Channel& channel = *tables_.channels[item.edge];
    const CompiledEdge& edge = tables_.graph.edges[item.edge];
    const PushOutcome outcome = channel.push(std::move(item.message), 0);
    if (outcome.is_accepted) {
      tables_.add_arrival({.edge = item.edge, .number = channel.last_number()});
      if (edge.kind == EdgeKind::kAsync) {
        tables_.trace(domain_, {.name = GraphEventName::kAsyncAdmission, .channel = item.edge});
      }
    }
    if (outcome.is_accepted && !outcome.has_evicted && !outcome.is_full_first_time) continue;
    ComponentRun& run = tables_.components[edge.from];
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      if (run.output_names[i] == edge.from_port) note(item.edge, outcome, run.outputs[i]);
    }
  }
  domain_.outbox.clear();
  if (!domain_.writes.empty()) leave_state();
}

void Committer::discard(const InvocationRecord& record) {
  cells_.staged.add(record.published.size());
  cells_.discarded.add(record.published.size());
}

void Committer::give_to_host(InvocationRecord& record) {
  ComponentRun& run = tables_.components[record.component];
  for (const InputMessage& input : record.for_host) {
    OutputRecord output{
        .component = record.component,
        .epoch = record.epoch,
        .time = record.begin,
        .value = input.message.value,
        .correlation = tables_.correlation_text(input.message.correlation),
        .causation = tables_.message_text({.edge = input.edge, .number = input.message.number})};
    if (tables_.settings.on_output) domain_.given.push_back(output);
    if (run.poll_capacity > 0) keep_for_poll(run, output);
    if (tables_.settings.keep_outputs) tables_.outputs.push_back(std::move(output));
  }
}

void Committer::keep_for_poll(ComponentRun& run, const OutputRecord& output) {
  if (run.for_poll.size() == run.poll_capacity) {
    run.for_poll.pop_front();
    tables_.report({.kind = HealthKind::kChannelOverflow,
                    .component = output.component,
                    .policy = "drop_oldest",
                    .depth = run.poll_capacity,
                    .capacity = run.poll_capacity},
                   domain_);
  }
  run.for_poll.push_back(output);
}

void Committer::write_state(InvocationRecord& record) {
  for (StagedWrite& write : record.writes) {
    domain_.writes.push_back({.component = record.component,
                              .table = std::move(write.table),
                              .key = std::move(write.key),
                              .value = std::move(write.value)});
  }
}

void Committer::leave_state() {
  for (StateStore::Write& write : domain_.writes) {
    const bool is_staged = tables_.states.stage(std::move(write));
    (is_staged ? cells_.state_committed_write_count : cells_.state_rejected_write_count).add();
  }
  domain_.writes.clear();
  const std::size_t count = tables_.states.commit(domain_.epoch);
  tables_.trace(domain_, {.name = GraphEventName::kStateCommit, .first = count});
}

void Committer::forget_report(ComponentRun& run) const {
  for (OutputTargets& output : run.outputs) {
    output.committed = output.refused = output.dropped = 0;
    output.guilty_edge = kNoIndex;
  }
}

}  // namespace millrace::graph
