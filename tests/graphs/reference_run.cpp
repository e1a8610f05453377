#include "reference_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "graph/format/words.h"
#include "reference_world.h"

namespace millrace::graph_reference {
namespace {

using graph::PaceType;

/// What happens at one instant, in this order.
enum class EventKind : std::uint8_t { kInjection, kEnd, kTask, kBegin };

struct Event {
  Duration at{};
  EventKind kind = EventKind::kBegin;
  std::size_t index = 0;  ///< of the domain, injection or task
};

/// The timeline of virtual time over all domains (G60), and the bounds of a run (G61).
class Timeline {
 public:
  Timeline(const graph::GraphSpec& spec, const RunOptions& options)
      : options_(options), world_(spec), injections_(options.injections) {}

  Outcome run() {
    std::string reason;
    while (reason.empty()) reason = step();
    // Epochs in progress end; no other begins.
    for (std::size_t i = 0; i < world_.domains.size(); ++i) {
      if (world_.domains[i].is_busy) world_.leave(i);
    }
    world_.outcome.stop_reason = reason;
    if (world_.failure) {
      world_.outcome.error_code = world_.failure->code;
      world_.outcome.error_component = world_.failure->component;
    }
    world_.finish(world_.outcome);
    return std::move(world_.outcome);
  }

 private:
  /// Plays the next event; gives the reason when the run is over.
  std::string step() {
    const std::optional<Event> event = find_next();
    if (!event) return "idle";
    const bool is_end = event->kind == EventKind::kEnd;
    const bool is_late = options_.duration && event->at >= *options_.duration;
    if (is_late && !is_end) return end_next();
    time_ = event->at;
    switch (event->kind) {
      case EventKind::kInjection:
        inject();
        return {};
      case EventKind::kTask: {
        const TaskResult task = world_.tasks[event->index];
        world_.tasks.erase(world_.tasks.begin() + static_cast<std::ptrdiff_t>(event->index));
        world_.deliver(task);
        return world_.failure ? "error" : "";
      }
      case EventKind::kBegin:
        world_.run_epoch(event->index, event->at);
        return world_.failure ? "error" : "";
      case EventKind::kEnd:
        return end(event->index);
    }
    return {};
  }

  /// Nothing begins any more, and results that arrive change nothing: plays the next end, if any.
  std::string end_next() {
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < world_.domains.size(); ++i) {
      if (!world_.domains[i].is_busy) continue;
      if (!next || world_.domains[i].end < world_.domains[*next].end) next = i;
    }
    if (!next) return "duration_bound";
    time_ = std::max(time_, world_.domains[*next].end);
    return end(*next);
  }

  std::string end(std::size_t domain) {
    world_.leave(domain);
    if (world_.failure) return "error";
    const bool is_lowest = domain == 0;
    if (is_lowest && options_.steps == world_.domains[0].epoch) return "tick_bound";
    return options_.until_idle && is_idle() ? "idle" : "";
  }

  void inject() {
    const Injection injection = injections_.front();
    injections_.erase(injections_.begin());
    for (std::size_t i = 0; i < world_.components.size(); ++i) {
      if (world_.plan.components[i].spec->id != injection.component) continue;
      world_.components[i].injected.push_back(injection.value);
    }
  }

  [[nodiscard]] std::optional<Event> find_next() {
    std::optional<Event> best;
    const auto consider = [&](const Event& event) {
      const auto key = [](const Event& one) { return std::tuple(one.at, one.kind, one.index); };
      if (!best || key(event) < key(*best)) best = event;
    };
    if (!injections_.empty()) consider({injections_.front().at, EventKind::kInjection, 0});
    for (std::size_t i = 0; i < world_.tasks.size(); ++i) {
      consider({world_.tasks[i].at, EventKind::kTask, i});
    }
    for (std::size_t i = 0; i < world_.domains.size(); ++i) {
      const DomainState& domain = world_.domains[i];
      if (domain.is_busy) {
        consider({domain.end, EventKind::kEnd, i});
      } else if (const auto begin = find_begin(i)) {
        consider({*begin, EventKind::kBegin, i});
      }
    }
    return best;
  }

  /// The pace of section 1.
  [[nodiscard]] std::optional<Duration> find_begin(std::size_t index) {
    const DomainState& domain = world_.domains[index];
    const PlannedDomain& planned = world_.plan.domains[index];
    switch (planned.pace) {
      case PaceType::kManual:
        return std::nullopt;
      case PaceType::kGrid:
        return domain.next;
      case PaceType::kSimulated:
        return std::max(domain.end, domain.epoch * planned.period);
      case PaceType::kReady:
        return world_.find_wake(index, time_);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool is_idle() {
    if (!injections_.empty() || !world_.tasks.empty()) return false;
    for (std::size_t i = 0; i < world_.domains.size(); ++i) {
      if (world_.plan.domains[i].pace == PaceType::kManual) continue;
      if (world_.domains[i].is_busy || world_.find_wake(i, time_)) return false;
    }
    return true;
  }

  const RunOptions& options_;
  World world_;
  std::vector<Injection> injections_;
  Duration time_{};
};

}  // namespace

void World::finish(Outcome& result) const {
  const auto set = [&](const std::string& name, const std::string& label, std::int64_t value) {
    result.metrics["runtime." + name + "{" + label + "}"] = static_cast<double>(value);
  };
  for (const Channel& channel : channels) {
    const std::string& id = channel.edge->id;
    set("channel.publish_count", id, channel.counts.published);
    set("channel.delivery_count", id, channel.counts.delivered);
    set("channel.overwrite_count", id, channel.counts.overwritten);
    set("channel.drop_count", id, channel.counts.dropped);
    set("channel.reject_count", id, channel.counts.rejected);
    set("channel.stale_drop_count", id, channel.counts.stale);
    set("channel.deadline_miss_count", id, channel.counts.deadline_missed);
  }
  for (std::size_t i = 0; i < components.size(); ++i) {
    const std::string& id = plan.components[i].spec->id;
    const TriggerCounts& counts = components[i].trigger.counts;
    set("trigger.coalesced_count", id, counts.coalesced);
    set("trigger.timeout_drop_count", id, counts.timed_out);
    set("trigger.batch_flush_count", id, counts.batch_flushed);
    set("trigger.time_sync_drop_count", id, counts.time_sync_dropped);
    set("trigger.late_drop_count", id, counts.late);
    set("trigger.condition_suppressed_count", id, counts.condition_suppressed);
    set("trigger.missed_timer_count", id, counts.missed_timers);
    set("trigger.isolated_drop_count", id, counts.isolated);
    set("trigger.silence_count", id, counts.silences);
  }
  for (std::size_t i = 0; i < domains.size(); ++i) {
    result.epochs[plan.domains[i].id] = domains[i].epoch;
    for (const std::size_t lane : plan.domains[i].lanes) {
      set("scheduler.tick_count", plan.spec->lanes[lane].id, domains[i].epoch);
    }
  }
}

Outcome run_reference(const graph::GraphSpec& spec, const RunOptions& options) {
  MR_CHECK(options.steps || options.duration || options.until_idle);
  return Timeline(spec, options).run();
}

}  // namespace millrace::graph_reference
