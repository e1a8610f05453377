#include "graph/wall/wall_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/sync/parking.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/words.h"
#include "graph/run/domain.h"
#include "graph/run/engine.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/threads/detached_call.h"
#include "graph/threads/run_lock.h"
#include "graph/threads/watchdog.h"
#include "graph/wall/lane_settings.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_event.h"
#include "loop/stop.h"

namespace millrace::graph {

WallRun::StopWaker::StopWaker(WallRun& waked)
    : StopCallback(
          [](StopCallback& callback) { static_cast<StopWaker&>(callback).run.wake_all(); }),
      run(waked) {}

WallRun::WallRun(Engine& engine, const PlayBounds& bounds, bool is_hosted)
    : engine_(engine),
      tables_(engine.tables()),
      bounds_(bounds),
      watchdog_([this] { wake_for_events(); }),
      stop_waker_(*this),
      is_held_(tables_.domains.size(), false),
      is_over_(tables_.domains.size(), false) {
  for (std::size_t i = 0; i < tables_.domains.size(); ++i) {
    spots_.push_back(std::make_unique<base::ParkingSpot<>>());
    const bool is_manual = engine_.domain(i).pace() == PaceType::kManual;
    if (is_manual) is_over_[i] = true;
    has_open_input_ = has_open_input_ || (is_manual && is_hosted);
  }
  for (const ComponentRun& run : tables_.components) {
    has_open_input_ = has_open_input_ || run.injected != nullptr;
  }
  count_readers();
  tables_.watchdog = &watchdog_;
  engine_.set_waker(this);
}

void WallRun::count_readers() {
  for (const CompiledComponent& component : tables_.graph.components) {
    lines_.reader_count += component.type == "core.stdin" ? 1U : 0U;
  }
  if (lines_.reader_count > 0 && tables_.settings.standard_input) tables_.lines = &lines_;
}

WallRun::~WallRun() {
  request_end(SchedulerStopReason::kStopRequested);
  static_cast<void>(wait());
  engine_.set_waker(nullptr);
  tables_.watchdog = nullptr;
  tables_.lines = nullptr;
}

bool WallRun::start() {
  // A stop that was requested already is seen by the first step.
  static_cast<void>(stop_waker_.try_connect(tables_.settings.stop_token));
  const auto gate = std::make_shared<LaneSettingsGate>(tables_);
  bool is_started = false;
  try {
    is_started = start_threads(gate);
  } catch (const std::system_error& error) {
    gate->refuse();
    const RunLocked locked(tables_.lock);
    tables_.errors.push_back(
        {.phase = "activate",
         .component = {},
         .lane = {},
         .code = "os_setting",
         .message = base::format("Cannot start the threads of the lanes: {}; use fewer, or raise "
                                 "the limit of threads (ulimit -u)",
                                 error.code().message())});
  }
  if (is_started) return true;
  request_end(SchedulerStopReason::kError);
  static_cast<void>(wait());
  return false;
}

bool WallRun::start_threads(const std::shared_ptr<LaneSettingsGate>& gate) {
  const auto enter = [gate](std::uint32_t lane, std::uint32_t worker) {
    gate->enter(lane, worker);
  };
  std::size_t thread_count = 0;
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    thread_count += engine_.domain(i).start_threads(enter);
    if (engine_.domain(i).pace() == PaceType::kManual) continue;
    ++thread_count;
    threads_.emplace_back([this, i, gate] {
      if (gate->enter_domain(i)) drive(i);
    });
  }
  if (!gate->open_when(thread_count, [this] { engine_.start_clock(); })) return false;
  events_thread_ = std::thread([this] { watch_events(); });
  if (tables_.lines != nullptr) input_thread_ = std::thread([this] { read_input(); });
  return true;
}

SchedulerStopReason WallRun::wait() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (events_thread_.joinable()) {
    {
      const RunLocked locked(tables_.lock);
      events_ended_ = true;
    }
    events_spot_.notify();
    events_thread_.join();
  }
  if (input_thread_.joinable()) {
    if (engine_.options().close_input) engine_.options().close_input();
    input_spot_.notify();
    input_thread_.join();
  }
  stop_waker_.disconnect();
  stop_threads();
  const RunLocked locked(tables_.lock);
  return tables_.errors.empty() ? reason_ : SchedulerStopReason::kError;
}

void WallRun::stop_threads() {
  for (std::size_t i = 0; i < spots_.size(); ++i) engine_.domain(i).stop_threads();
}

bool WallRun::has_ended() const {
  const RunLocked locked(tables_.lock);
  return has_ended_;
}

void WallRun::request_end(SchedulerStopReason reason) {
  const RunLocked locked(tables_.lock);
  end(reason);
}

void WallRun::end(SchedulerStopReason reason) {
  if (has_ended_) return;
  has_ended_ = true;
  reason_ = reason;
  wake_all();
}

void WallRun::wake_all() {
  for (const auto& spot : spots_) spot->notify();
  hold_spot_.notify();
  events_spot_.notify();
  input_spot_.notify();
}

void WallRun::wake_domain(std::uint32_t domain) { spots_[domain]->notify(); }
void WallRun::wake_for_events() { events_spot_.notify(); }
void WallRun::wake_for_input() { input_spot_.notify(); }

void WallRun::read_input() {
  while (true) {
    std::optional<std::string> line = tables_.settings.standard_input();
    const bool is_last = !line;
    tables_.lock.lock();
    if (is_last) lines_.has_ended = true;
    if (line) lines_.lines.push_back(*std::move(line));
    // A spot is announced under the lock, so that no use of a line is missed.
    const bool is_full = lines_.lines.size() >= LineBuffer::kLinesMax + lines_.reader_count;
    const bool must_wait = is_full && !has_ended_;
    if (must_wait) input_spot_.announce();
    const bool is_over = is_last || has_ended_;
    tables_.lock.unlock();
    for (const CompiledComponent& component : tables_.graph.components) {
      if (component.type == "core.stdin") wake_domain(component.domain);
    }
    if (must_wait) static_cast<void>(input_spot_.wait(std::nullopt));
    if (is_over) return;
  }
}

void WallRun::drive(std::size_t domain) {
  base::ParkingSpot<>& spot = *spots_[domain];
  while (true) {
    tables_.lock.lock();
    const WallStep next = step(domain);
    if (next.kind == WallStep::Kind::kWait) spot.announce();
    tables_.lock.unlock();
    if (next.kind == WallStep::Kind::kEnd) return;
    if (next.kind == WallStep::Kind::kAgain) continue;
    // A stop is not requested under the lock: it is seen here, or wakes the sleeper.
    const bool is_stopped = tables_.settings.stop_token.stop_requested();
    const std::optional<Duration> left =
        next.until ? std::optional(*next.until - engine_.clock().now()) : std::nullopt;
    if (is_stopped || (left && *left <= Duration::zero())) {
      static_cast<void>(spot.cancel());
    } else {
      static_cast<void>(spot.wait(left));
    }
  }
}

WallStep WallRun::step(std::size_t index) {
  using Kind = WallStep::Kind;
  if (has_ended_) return {.kind = Kind::kEnd};
  if (tables_.settings.journal != nullptr) engine_.check_journal();
  if (!tables_.errors.empty()) {
    end(SchedulerStopReason::kError);
  } else if (tables_.settings.stop_token.stop_requested()) {
    end(SchedulerStopReason::kStopRequested);
  }
  if (has_ended_) return {.kind = Kind::kEnd};
  Domain& domain = engine_.domain(index);
  const Duration now = engine_.clock().now();
  if (domain.state() == DomainState::kBlocked) {
    if (!domain.unblock_time()) return {.kind = Kind::kWait};
    domain.resume(now);
    end_epoch(index);
    return {};
  }
  if (engine_.is_paused() || is_held_[index]) return wait_for_work(index, std::nullopt);
  const bool is_on_clock = tables_.domains[index].clock != nullptr;
  const std::optional<Duration> next = domain.next_start(now);
  if (stays_over(index)) return {.kind = Kind::kWait};
  is_over_[index] = false;
  if (!next || (is_on_clock && *next > now) || is_past_bound(index, next)) {
    return wait_for_work(index, next);
  }
  if (bounds_.steps == 0) {
    end(SchedulerStopReason::kTickBound);
    return {.kind = Kind::kEnd};
  }
  domain.begin(is_on_clock ? now : *next);
  end_epoch(index);
  return {};
}

bool WallRun::is_past_bound(std::size_t domain, std::optional<Duration> next) const {
  if (!bounds_.duration) return false;
  const bool is_on_clock = tables_.domains[domain].clock != nullptr;
  if (is_on_clock && engine_.clock().now() >= *bounds_.duration) return true;
  return next && *next >= *bounds_.duration;
}

bool WallRun::stays_over(std::size_t domain) const {
  if (!is_over_[domain]) return false;
  // A manual domain has no thread that could begin anything.
  if (engine_.domain(domain).pace() == PaceType::kManual) return true;
  if (tables_.domains[domain].arrivals.empty()) return true;
  return is_past_bound(domain, engine_.domain(domain).next_start(engine_.clock().now()));
}

WallStep WallRun::wait_for_work(std::size_t index, std::optional<Duration> next) {
  using Kind = WallStep::Kind;
  if (is_past_bound(index, next)) {
    is_over_[index] = true;
    for (std::size_t i = 0; i < is_over_.size(); ++i) {
      if (!stays_over(i)) return {.kind = Kind::kWait};
    }
    // Input or the result of a task may still come before the time is up.
    const bool is_on_clock = tables_.domains[index].clock != nullptr;
    const bool can_come = has_open_input_ || reads_lines() || engine_.has_events();
    if (is_on_clock && engine_.clock().now() < *bounds_.duration && can_come) {
      is_over_[index] = false;
      return {.kind = Kind::kWait, .until = bounds_.duration};
    }
    end(SchedulerStopReason::kDurationBound);
    return {.kind = Kind::kEnd};
  }
  if (!next && can_nothing_happen()) {
    end(SchedulerStopReason::kIdle);
    return {.kind = Kind::kEnd};
  }
  std::optional<Duration> until = next;
  const bool is_on_clock = tables_.domains[index].clock != nullptr;
  if (is_on_clock && bounds_.duration && (!until || *bounds_.duration < *until)) {
    until = bounds_.duration;
  }
  return {.kind = Kind::kWait, .until = until};
}

bool WallRun::can_nothing_happen() const {
  if (has_open_input_ || reads_lines() || engine_.has_events()) return false;
  const bool is_held = std::ranges::find(is_held_, true) != is_held_.end();
  if (engine_.is_paused() || is_held) return false;
  const Duration now = engine_.clock().now();
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    const Domain& domain = engine_.domain(i);
    if (domain.state() != DomainState::kIdle || domain.next_start(now)) return false;
  }
  return true;
}

void WallRun::end_epoch(std::size_t index) {
  Domain& domain = engine_.domain(index);
  if (domain.state() == DomainState::kBusy) domain.leave();
  for (std::uint32_t i = 0; i < spots_.size(); ++i) {
    const bool is_waiting =
        !tables_.domains[i].arrivals.empty() || engine_.domain(i).state() == DomainState::kBlocked;
    if (i != index && is_waiting) wake_domain(i);
  }
  hold_spot_.notify();
  if (!tables_.errors.empty()) return end(SchedulerStopReason::kError);
  if (domain.state() != DomainState::kIdle) return;
  const bool is_last_step = index == 0 && bounds_.steps && domain.run().epoch >= *bounds_.steps;
  if (is_last_step) return end(SchedulerStopReason::kTickBound);
  const bool is_stopped = tables_.settings.stop_token.stop_requested();
  const bool may_end = bounds_.until_idle && !is_stopped && !reads_lines();
  if (may_end && engine_.is_idle()) end(SchedulerStopReason::kIdle);
}

void WallRun::watch_events() {
  while (true) {
    // What comes after the announcement wakes the sleeper.
    events_spot_.announce();
    const std::optional<Duration> next = handle_events();
    bool is_over = false;
    {
      const RunLocked locked(tables_.lock);
      is_over = events_ended_;
    }
    const std::optional<Duration> left =
        next ? std::optional(*next - engine_.clock().now()) : std::nullopt;
    if (is_over || (left && *left <= Duration::zero())) {
      static_cast<void>(events_spot_.cancel());
      if (is_over) return;
    } else {
      static_cast<void>(events_spot_.wait(left));
    }
  }
}

std::optional<Duration> WallRun::handle_events() {
  const Duration now = engine_.clock().now();
  std::optional<Duration> next;
  {
    const RunLocked locked(tables_.lock);
    if (!has_ended_) {
      next = engine_.handle_events(now);
      if (!tables_.errors.empty()) end(SchedulerStopReason::kError);
      if (!has_ended_ && can_nothing_happen()) end(SchedulerStopReason::kIdle);
    }
  }
  WatchFindings findings = watchdog_.look(now);
  {
    const RunLocked locked(tables_.lock);
    for (const OverrunReport& report : findings.overruns) report_overrun(report);
  }
  for (const auto& call : findings.to_abandon) {
    if (call->abandon()) call->on_abandoned(call);
  }
  if (findings.next && (!next || *findings.next < *next)) next = findings.next;
  return next;
}

void WallRun::report_overrun(const OverrunReport& report) {
  ComponentCells& cells = tables_.metrics.components[report.component];
  cells.budget_overrun_count.add();
  cells.timeout_budget_exceeded_count.add();
  cells.cancellation_requested_count.add();
  GraphEvent event{.name = GraphEventName::kComponentTimeoutBudgetExceeded,
                   .lane = tables_.graph.components[report.component].lane,
                   .component = report.component,
                   .worker = report.worker,
                   .time = report.at};
  tables_.trace(tables_.domains[report.domain], event);
  event.name = GraphEventName::kComponentCancellationRequested;
  tables_.trace(tables_.domains[report.domain], event);
}

std::uint64_t WallRun::step_manual(std::size_t index, std::uint64_t count) {
  const RunLocked locked(tables_.lock);
  Domain& domain = engine_.domain(index);
  std::uint64_t done = 0;
  for (; done < count; ++done) {
    const bool is_stopped = tables_.settings.stop_token.stop_requested();
    if (has_ended_ || is_stopped || engine_.is_paused() || !tables_.errors.empty()) break;
    domain.begin(engine_.clock().now());
    end_epoch(index);
  }
  return done;
}

bool WallRun::is_ending() const {
  return has_ended_ || tables_.settings.stop_token.stop_requested();
}

bool WallRun::hold(std::span<const std::uint32_t> domains) {
  tables_.lock.lock();
  for (const std::uint32_t domain : domains) is_held_[domain] = true;
  const auto is_busy = [&] {
    return std::ranges::any_of(domains, [this](std::uint32_t domain) {
      return engine_.domain(domain).state() == DomainState::kBusy;
    });
  };
  // A body may take for ever; the end of the run is not to wait for whoever waits here.
  while (is_busy() && !is_ending()) {
    hold_spot_.announce();
    tables_.lock.unlock();
    // A stop is not requested under the lock.
    if (tables_.settings.stop_token.stop_requested()) {
      static_cast<void>(hold_spot_.cancel());
    } else {
      static_cast<void>(hold_spot_.wait(std::nullopt));
    }
    tables_.lock.lock();
  }
  const bool is_idle = !is_busy();
  tables_.lock.unlock();
  return is_idle;
}

void WallRun::release() {
  {
    const RunLocked locked(tables_.lock);
    is_held_.assign(is_held_.size(), false);
  }
  wake_all();
}

}  // namespace millrace::graph
