#include "graph/run/task_board.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "graph/body/graph_context.h"
#include "graph/body/guarded_call.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/duration_text.h"
#include "graph/format/words.h"
#include "graph/payload.h"
#include "graph/run/channel.h"
#include "graph/run/commit.h"
#include "graph/run/run_journal.h"
#include "graph/run/run_tables.h"
#include "graph/threads/run_lock.h"
#include "graph/threads/task_team.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

class VirtualTaskContext final : public TaskContext {
 public:
  explicit VirtualTaskContext(Duration budget) : budget_(budget) {}
  void spend(Duration duration) override {
    spent_ += std::clamp(duration, Duration::zero(), kDurationMax - spent_);
  }
  [[nodiscard]] bool cancel_requested() const override {
    return budget_ != Duration::zero() && spent_ > budget_;
  }
  [[nodiscard]] Duration spent() const { return spent_; }

 private:
  const Duration budget_;
  Duration spent_{};
};

/// What a task on a thread sees.
class TeamTaskContext final : public TaskContext {
 public:
  TeamTaskContext(Duration budget, TaskTeam& team) : budget_(budget), team_(team) {}
  void spend(Duration duration) override { team_.rest(duration); }
  [[nodiscard]] bool cancel_requested() const override {
    return team_.is_stopping() || (budget_ != Duration::zero() && took() > budget_);
  }
  [[nodiscard]] Duration took() const { return base::steady_clock().now() - begin_; }

 private:
  const Duration budget_;
  TaskTeam& team_;
  const base::TimePoint begin_ = base::steady_clock().now();
};

}  // namespace

TaskBoard::TaskBoard(RunTables& tables, const TaskExecutorConfig& config)
    : tables_(tables),
      config_(config),
      free_at_(std::max<std::size_t>(config.workers, 1), Duration::zero()),
      team_(free_at_.size()) {}

base::Status TaskBoard::submit(const InvocationRecord& record,
                               std::uint32_t output,
                               TaskFunction function,
                               Duration budget) {
  DomainRun& domain = tables_.domains[tables_.graph.components[record.component].domain];
  const ComponentRun& run = tables_.components[record.component];
  const auto is_async = [this](std::uint32_t edge) {
    return tables_.graph.edges[edge].kind == EdgeKind::kAsync;
  };
  if (output >= run.outputs.size() || std::ranges::none_of(run.outputs[output].outer, is_async)) {
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "The result of a task needs an async edge to travel on");
  }
  const std::size_t in_flight = running_.size() + in_team_.size();
  const TaskKey key{
      .component = record.component, .call = record.call, .number = record.task_count};
  bool has_room = in_flight < config_.max_inflight;
  RunJournal* const journal = tables_.settings.journal;
  if (journal != nullptr && !tables_.settings.virtual_time) {
    has_room = journal->admit_task(tables_, key, has_room);
  }
  if (!has_room) {
    tables_.metrics.run.task_rejected_count.add();
    tables_.report({.kind = HealthKind::kTaskReject,
                    .component = record.component,
                    .depth = in_flight,
                    .capacity = config_.max_inflight},
                   domain);
    return base::fail(base::ErrorCode::kResourceExhausted, "Too many tasks are in flight");
  }
  const Duration limit = budget == Duration::zero() ? config_.task_budget : budget;
  Running task{.end = record.end(),
               .order = ++count_,
               .component = record.component,
               .output = output,
               .correlation = record.correlation,
               .result = Payload()};
  if (tables_.settings.virtual_time) {
    run_now(std::move(task), record, function, limit);
  } else {
    give_to_team(task, key, std::move(function), limit);
  }
  tables_.metrics.run.task_submitted_count.add();
  show_count();
  tables_.trace(domain,
                {.name = GraphEventName::kTaskSubmitted,
                 .component = record.component,
                 .time = record.end(),
                 .first = count_});
  return {};
}

void TaskBoard::run_now(Running task,
                        const InvocationRecord& record,
                        const TaskFunction& function,
                        Duration limit) {
  const auto run_function = [&function, limit] {
    VirtualTaskContext context(limit);
    base::Result<Payload> result = guarded_call([&] { return function(context); });
    return TaskAnswer{.spent = context.spent(), .result = std::move(result)};
  };
  RunJournal* journal = tables_.settings.journal;
  TaskAnswer answer =
      journal == nullptr ? run_function() : journal->run_task(tables_, record, run_function);
  const auto worker = std::ranges::min_element(free_at_);
  // Beyond the end of any run, later is all the same.
  *worker = std::min(std::max(*worker, record.end()) + answer.spent, 2 * kDurationMax);
  if (limit != Duration::zero() && answer.spent > limit) report_overrun(task.component, *worker);
  task.end = *worker;
  task.result = std::move(answer.result);
  running_.push_back(std::move(task));
}

void TaskBoard::give_to_team(const Running& task,
                             const TaskKey& key,
                             TaskFunction function,
                             Duration limit) {
  in_team_.emplace(
      task.order,
      InTeam{.key = key, .output = task.output, .correlation = task.correlation, .limit = limit});
  RunJournal* const journal = tables_.settings.journal;
  if (journal != nullptr && journal->replays_threads()) return;
  team_.post([this, order = task.order, function = std::move(function), limit] {
    TeamTaskContext context(limit, team_);
    base::Result<Payload> result = guarded_call([&] { return function(context); });
    end_in_team(order, {.spent = context.took(), .result = std::move(result)});
  });
}

void TaskBoard::end_in_team(std::uint64_t order, TaskAnswer answer) {
  const RunLocked locked(tables_.lock);
  const auto found = in_team_.find(order);
  if (found == in_team_.end()) return;  // cancelled, and counted as that
  const InTeam task = found->second;
  in_team_.erase(found);
  const DomainRun& domain = tables_.domains[tables_.graph.components[task.key.component].domain];
  const Duration now = domain.clock != nullptr ? domain.clock->now() : domain.now;
  if (tables_.settings.journal != nullptr) {
    tables_.settings.journal->end_task(tables_, task.key, now, answer);
  }
  end_task(order, task, now, std::move(answer));
  if (on_completed_) on_completed_();
}

void TaskBoard::end_task(std::uint64_t order, const InTeam& task, Duration at, TaskAnswer answer) {
  const bool is_over = task.limit != Duration::zero() && answer.spent > task.limit;
  if (is_over) report_overrun(task.key.component, at);
  complete({.end = at,
            .order = order,
            .component = task.key.component,
            .output = task.output,
            .correlation = task.correlation,
            .result = std::move(answer.result)});
}

bool TaskBoard::has(const TaskKey& key) const {
  return std::ranges::any_of(in_team_, [&](const auto& entry) { return entry.second.key == key; });
}

bool TaskBoard::end_again(const TaskKey& key, Duration at, TaskAnswer answer) {
  const auto found =
      std::ranges::find(in_team_, key, [](const auto& entry) { return entry.second.key; });
  if (found == in_team_.end()) return false;
  const auto [order, task] = *found;
  in_team_.erase(found);
  end_task(order, task, at, std::move(answer));
  return true;
}

void TaskBoard::report_overrun(std::uint32_t component, Duration at) {
  tables_.metrics.components[component].budget_overrun_count.add();
  tables_.trace(tables_.domains[tables_.graph.components[component].domain],
                {.name = GraphEventName::kComponentTimeoutBudgetExceeded,
                 .component = component,
                 .time = at});
}

std::vector<TaskBoard::Running>::iterator TaskBoard::next() {
  return std::ranges::min_element(
      running_, {}, [](const Running& task) { return std::tuple(task.end, task.order); });
}

std::optional<Duration> TaskBoard::next_end() const {
  if (running_.empty()) return std::nullopt;
  return std::ranges::min_element(running_, {}, &Running::end)->end;
}

void TaskBoard::complete_next() {
  const auto found = next();
  Running task = std::move(*found);
  running_.erase(found);
  complete(std::move(task));
}

void TaskBoard::complete(Running task) {
  show_count();
  DomainRun& domain = tables_.domains[tables_.graph.components[task.component].domain];
  tables_.trace(domain,
                {.name = GraphEventName::kTaskCompleted,
                 .component = task.component,
                 .time = task.end,
                 .first = task.order,
                 .second = task.result ? 1U : 0U});
  if (!task.result) {
    tables_.metrics.run.task_failed_count.add();
    return;
  }
  tables_.metrics.run.task_completed_count.add();
  deliver(task, domain);
}

void TaskBoard::deliver(Running& task, DomainRun& domain) {
  std::vector<std::uint32_t> edges;
  for (const std::uint32_t edge : tables_.components[task.component].outputs[task.output].outer) {
    if (tables_.graph.edges[edge].kind == EdgeKind::kAsync) edges.push_back(edge);
  }
  DomainCells& cells = tables_.metrics.domains[domain.index];
  cells.staged.add();
  if (is_refused(edges, task.component, domain)) {
    cells.refused.add();
    return;
  }
  cells.committed.add();
  for (const std::uint32_t edge : edges) {
    Channel& channel = *tables_.channels[edge];
    channel.expect();
    const PushOutcome outcome = channel.push(
        {.value = *task.result, .published_at = task.end, .correlation = task.correlation}, 0);
    report_push(tables_, domain, edge, outcome);
    if (!outcome.is_accepted) continue;
    tables_.add_arrival({.edge = edge, .number = channel.last_number()});
  }
}

bool TaskBoard::is_refused(const std::vector<std::uint32_t>& edges,
                           std::uint32_t component,
                           DomainRun& domain) {
  std::uint32_t guilty = kNoIndex;
  for (const std::uint32_t edge : edges) {
    Channel& channel = *tables_.channels[edge];
    if (!channel.refuses()) continue;
    channel.note_refusal();
    const bool is_fatal = channel.overflow() == EdgeOverflow::kFailFast;
    const bool is_known_fatal =
        guilty != kNoIndex && tables_.channels[guilty]->overflow() == EdgeOverflow::kFailFast;
    if (guilty == kNoIndex || (is_fatal && !is_known_fatal)) guilty = edge;
  }
  if (guilty == kNoIndex) return false;
  const Channel& channel = *tables_.channels[guilty];
  tables_.report({.kind = HealthKind::kChannelOverflow,
                  .channel = guilty,
                  .policy = to_string(channel.overflow()),
                  .depth = channel.depth(),
                  .capacity = channel.capacity()},
                 domain);
  tables_.trace(domain, {.name = GraphEventName::kChannelDrop, .channel = guilty});
  if (tables_.settings.journal != nullptr) {
    tables_.settings.journal->refuse(tables_, domain, guilty);
  }
  if (channel.overflow() == EdgeOverflow::kFailFast) {
    tables_.fail(
        "commit",
        component,
        "channel_overflow",
        base::format(
            "Edge '{}' is full ({} messages)", tables_.graph.edges[guilty].id, channel.capacity()));
  }
  return true;
}

void TaskBoard::show_count() {
  tables_.metrics.run.task_in_flight_count.set(
      static_cast<double>(running_.size() + in_team_.size()));
}

void TaskBoard::cancel_all() {
  {
    const RunLocked locked(tables_.lock);
    tables_.metrics.run.task_cancelled_count.add(running_.size() + in_team_.size());
    running_.clear();
    in_team_.clear();
    show_count();
  }
  team_.stop();
}

}  // namespace millrace::graph
