#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "graph/body/invocation_record.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/run/body_runner.h"
#include "graph/run/channel.h"
#include "graph/run/domain.h"
#include "graph/run/run_tables.h"
#include "graph/run/trigger.h"

// How a domain runs the components of its own thread. There are two ways with the same result:
//
// - by records: each invocation has a record that waits for the commit of the stage. Always
// possible.
// - directly: one record serves one invocation after another, and what they publish is staged in
//   its channel at once, behind what is visible. The end of the stage shows it, or drops it if the
//   stage fails. Possible for a trigger without rules, one output, channels with room, and bodies
//   that do nothing but publish one value; nobody traces, records or shares the run. A free-running
//   component must be alone in its stage, too.
//
// Messages of a stage arrive in the order of its regions. So after the first invocation that needs
// a record all further ones of the stage take records: those are committed after what was staged.

namespace millrace::graph {
namespace {

/// Whether nothing keeps a component from being invoked.
bool can_take(const ComponentRun& run) {
  return !run.is_isolated && !run.down_until && run.stuck_count == 0;
}

}  // namespace

void Domain::add_sites() {
  sites_.reserve(places_.size());
  for (Place& place : places_) {
    sites_.push_back(bodies_.site_of(place.component, run_));
    const BodySite& site = sites_.back();
    const Trigger& trigger = *site.run.trigger;
    const bool needs_no_record = can_leave_out_records(place, site);
    place.is_direct = needs_no_record && trigger.can_stay_in_place();
    const Stage& stage = stages_[place.stage];
    const bool is_lone = stage.last - stage.first == 1;
    place.is_free = needs_no_record && is_lone && trigger.is_manual() && !trigger.has_timer();
    place.is_alone = (place.is_direct && is_lone) || place.is_free;
  }
}

bool Domain::can_leave_out_records(const Place& place, const BodySite& site) const {
  if (place.loop != nullptr || place.batch >= 0 || !site.is_plain) return false;
  if (tables_.settings.journal != nullptr) return false;
  // Outputs measure the age of each message.
  if (site.compiled.role == BoundaryRole::kOutput) return false;
  if (site.run.outputs.size() > 1) return false;
  for (const OutputTargets& output : site.run.outputs) {
    const bool can_stage = std::ranges::all_of(
        output.targets, [](const EdgeTarget& target) { return target.channel->can_stage(); });
    if (!can_stage) return false;
  }
  return true;
}

bool Domain::run_component(std::uint32_t place) {
  const BodySite& site = sites_[place];
  if (!is_direct_ || !places_[place].is_direct || !can_take(site.run)) {
    const std::size_t first = records_.size();
    collect(site.component);
    return records_.size() == first || run_records(place, first, first);
  }
  const std::size_t count = site.run.trigger->begin_taking(run_.now);
  if (count == 0) return true;
  return finish_component(place, count, bodies_.run_directly(direct_record_, site, run_, count));
}

Domain::Ran Domain::run_alone(std::uint32_t place) {
  const BodySite& site = sites_[place];
  if (!can_take(site.run)) [[unlikely]]
    return Ran::kNot;
  std::size_t count = 1;
  DirectRun done;
  if (places_[place].is_free) {
    done = bodies_.run_freely(direct_record_, site, run_);
    if (done.count == 0) return Ran::kNot;
    run_.unmark(place);
  } else {
    run_.unmark(place);
    count = site.run.trigger->begin_taking(run_.now);
    if (count == 0) return Ran::kAll;
    done = bodies_.run_directly(direct_record_, site, run_, count);
  }
  if (done.count == count && !done.keeps_record) [[likely]] {
    committer_.show_staged(site.run, done.has_last_published);
    return Ran::kAll;
  }
  begin_stage();
  const bool is_good = finish_component(place, count, done);
  end_staging(is_good);
  if (!is_good) fail_stage();
  return is_good ? Ran::kSome : Ran::kFailed;
}

Domain::Ran Domain::run_lone_places(std::uint32_t& place) {
  for (; place < places_.size() && places_[place].is_alone; place = run_.next_marked(place + 1)) {
    const Ran ran = run_alone(place);
    if (ran != Ran::kAll) [[unlikely]]
      return ran;
  }
  return Ran::kNot;
}

/// Deals with what invocations that were executed directly left to do, of `count` messages.
bool Domain::finish_component(std::uint32_t place, std::size_t count, const DirectRun& done) {
  const BodySite& site = sites_[place];
  const std::size_t first = records_.size();
  if (done.count > (done.keeps_record ? 1U : 0U)) {
    staged_.push_back({.place = place, .has_last_published = done.has_last_published});
  }
  if (done.keeps_record) {
    std::swap(records_.add({}), direct_record_);
    direct_record_.reset({});
  }
  if (!done.is_good) {
    bodies_.count(site, 1, records_[first]);
    failures_.push_back({.place = place, .first = first, .count = 1});
    return false;
  }
  if (!done.keeps_record && done.count == count) return true;
  for (std::size_t left = count - done.count; left > 0; --left) {
    site.run.trigger->take_next(records_.add({.component = site.component}));
  }
  return run_records(place, first, first + (done.keeps_record ? 1 : 0));
}

/// Runs the records from `next` on, and commits them with those from `first` on.
bool Domain::run_records(std::uint32_t place, std::size_t first, std::size_t next) {
  const BodySite& site = sites_[place];
  is_direct_ = false;
  bool is_good = true;
  while (next < records_.size() && is_good && tables_.can_be_called(site.component)) {
    is_good = bodies_.run(records_[next++], site, run_);
  }
  bodies_.count(site, next - first, records_[next - 1]);
  commits_.push_back({.place = place, .first = first, .count = next - first});
  if (!is_good) {
    failures_.push_back({.place = place, .first = next - 1, .count = 1});
    return false;
  }
  // One of them has failed, or hangs, and the component takes no more.
  for (; next < records_.size(); ++next) {
    tables_.metrics.triggers[site.component].isolated_drop_count.add(
        records_[next].messages.size());
  }
  return true;
}

void Domain::end_staging(bool is_good) {
  for (const StagedItem& item : staged_) {
    ComponentRun& run = sites_[item.place].run;
    if (is_good) {
      committer_.show_staged(run, item.has_last_published);
      continue;
    }
    for (const OutputTargets& output : run.outputs) {
      for (const EdgeTarget& target : output.targets) target.channel->drop_staged();
    }
  }
  staged_.clear();
}

}  // namespace millrace::graph
