#include <cstddef>
#include <span>
#include <utility>

#include "graph/body/component.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/run/body_runner.h"
#include "graph/run/channel.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"

// Executing invocations that need no record of their own: see `domain_direct.cpp`.

namespace millrace::graph {
namespace {

/// Finds where a publication of the invocation goes; false if one of the channels has no place.
inline bool find_slot(std::span<const EdgeTarget> targets, InvocationRecord& record) {
  for (const EdgeTarget& target : targets.first(targets.size() - 1)) {
    if (target.channel->next_staged() == nullptr) return false;
  }
  record.slot = targets.back().channel->next_staged();
  return record.slot != nullptr;
}

/// Stages what an invocation has published in all channels; the value is in that of the last.
inline void stage_publication(std::span<const EdgeTarget> targets,
                              InvocationRecord& record,
                              DomainRun& domain) {
  Message& staged = *std::exchange(record.staged, nullptr);
  staged.published_at = record.begin;
  staged.correlation = record.correlation;
  for (const EdgeTarget& target : targets.first(targets.size() - 1)) {
    Message& copy = *target.channel->next_staged();
    copy = staged;
    target.channel->stage(copy, ++domain.arrival);
  }
  targets.back().channel->stage(staged, ++domain.arrival);
}

}  // namespace

inline void BodyRunner::begin_directly(InvocationRecord& record,
                                       const BodySite& site,
                                       const DomainRun& domain) {
  record.component = site.component;
  record.output_count = site.targets.empty() ? 0 : 1;
  record.epoch = domain.epoch;
  record.has_run = true;
  // None of them takes time but the last one perhaps, which is kept then.
  record.begin = domain.now;
}

inline void BodyRunner::end_directly(InvocationRecord& record,
                                     const BodySite& site,
                                     DomainRun& domain,
                                     DirectRun& result) {
  record.slot = nullptr;
  record.in_place = nullptr;
  const std::size_t done = result.count - (result.keeps_record ? 1 : 0);
  if (done > 0) [[likely]] {
    count(site, done, record);
    if (site.cells.last_duration_ns.value() != 0) site.cells.last_duration_ns.set(0);
  }
  if (!result.keeps_record) [[likely]]
    return;
  if (record.is_abandoned) mark_abandoned(record, site.compiled.execution.abandon_after);
  domain.now = record.end();
  result.is_good = judge(record, site, domain);
}

DirectRun BodyRunner::run_directly(InvocationRecord& record,
                                   const BodySite& site,
                                   DomainRun& domain,
                                   std::size_t count) {
  const std::span<const EdgeTarget> targets = site.targets;
  Trigger& trigger = *site.run.trigger;
  Component& instance = *site.run.instance;
  begin_directly(record, site, domain);
  DirectRun result;
  while (result.count < count && !result.keeps_record) {
    if (!targets.empty() && !find_slot(targets, record)) break;
    trigger.take_in_place(record);
    call_body(record, instance);
    ++result.count;
    if (record.has_more) [[unlikely]] {
      record.take_over();
      result.keeps_record = true;
    } else {
      result.has_last_published = record.staged != nullptr;
      if (result.has_last_published) stage_publication(targets, record, domain);
    }
    trigger.drop_in_place();
  }
  end_directly(record, site, domain, result);
  return result;
}

DirectRun BodyRunner::run_freely(InvocationRecord& record,
                                 const BodySite& site,
                                 DomainRun& domain) {
  DirectRun result;
  const bool has_room = site.targets.empty() || find_slot(site.targets, record);
  if (!has_room || !site.run.trigger->try_begin_manual()) {
    record.slot = nullptr;
    return result;
  }
  begin_directly(record, site, domain);
  record.kind = EventKind::kManual;
  record.cause = {};
  record.correlation = {
      .component = site.component, .count = ++site.run.root_count, .root_time = domain.now};
  call_body(record, *site.run.instance);
  result.count = 1;
  result.keeps_record = record.has_more;
  if (result.keeps_record) {
    record.unstage();
  } else if (record.staged != nullptr) {
    result.has_last_published = true;
    stage_publication(site.targets, record, domain);
  }
  end_directly(record, site, domain, result);
  return result;
}

}  // namespace millrace::graph
