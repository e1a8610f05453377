#include "graph/run/pool_batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/format.h"
#include "graph/body/invocation_record.h"
#include "graph/body/message.h"
#include "graph/compile/compiled_graph.h"
#include "graph/format/spec.h"
#include "graph/format/words.h"
#include "graph/run/body_runner.h"
#include "graph/run/lane_queue.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"
#include "graph/threads/lane_team.h"
#include "graph/threads/run_lock.h"
#include "graph/watch/graph_cells.h"
#include "graph/watch/graph_event.h"
#include "graph/watch/health.h"

namespace millrace::graph {
namespace {

/// Records that are fetched ahead.
constexpr std::size_t kPrefetched = 4;

void raise(base::GaugeCell& gauge, double value) {
  if (value > gauge.value()) gauge.set(value);
}

/// Which invocation of a batch comes next while components that are not reentrant are busy. What
/// such a component has to do waits in a line of its own, and only the front of the line is ready,
/// so that nobody looks at what cannot run.
/// Numbers are places in dispatch order.
class PlayOrder {
 public:
  void add(std::uint32_t number, std::uint32_t component, bool is_reentrant) {
    if (is_reentrant) return ready_.push(number);
    std::deque<std::uint32_t>& line = lines_[component];
    if (line.empty()) ready_.push(number);
    line.push_back(number);
  }
  [[nodiscard]] bool is_empty() const { return ready_.empty() && busy_.empty(); }
  /// The first that is ready by then, if any.
  [[nodiscard]] std::optional<std::uint32_t> take(Duration now) {
    for (; !busy_.empty() && busy_.top().first <= now; busy_.pop()) {
      ready_.push(lines_[busy_.top().second].front());
    }
    if (ready_.empty()) return std::nullopt;
    const std::uint32_t number = ready_.top();
    ready_.pop();
    return number;
  }
  /// When the next one will be ready; of use if none is and some are left.
  [[nodiscard]] Duration next_time() const { return busy_.top().first; }
  /// The one at the front of the line of a component that is not reentrant has ended at that time.
  void end_front(std::uint32_t component, Duration at) {
    std::deque<std::uint32_t>& line = lines_[component];
    line.pop_front();
    if (!line.empty()) busy_.emplace(at, component);
  }

 private:
  template <class Item>
  using FirstOnTop = std::priority_queue<Item, std::vector<Item>, std::greater<>>;

  FirstOnTop<std::uint32_t> ready_;
  FirstOnTop<std::pair<Duration, std::uint32_t>> busy_;  // components, until when
  std::map<std::uint32_t, std::deque<std::uint32_t>> lines_;
};

}  // namespace

PoolBatch::PoolBatch(RunTables& tables, DomainRun& domain, BodyRunner& bodies, std::uint32_t lane)
    : tables_(tables),
      domain_(domain),
      bodies_(bodies),
      lane_(lane),
      queue_(tables.graph.lanes[lane]) {}

void PoolBatch::add(InvocationList& list, std::size_t first) {
  const ExecutionSpec& execution = tables_.graph.components[list[first].component].execution;
  for (std::size_t i = first; i < list.size(); ++i) records_.push_back(&list[i]);
  items_.resize(records_.size(),
                {.component = list[first].component,
                 .priority = execution.priority,
                 .is_reentrant = execution.reentrant});
}

bool PoolBatch::decide() {
  admission_ = queue_.admit(items_);
  if (!admission_.has_failed) return true;
  tables_.errors.push_back(
      {.phase = "execute",
       .component = {},
       .lane = tables_.graph.lanes[lane_].id,
       .code = "lane_overflow",
       .message = base::format("{} invocations are ready, more than the lane takes at once",
                               records_.size())});
  return false;
}

void PoolBatch::admit() {
  LaneCells& cells = tables_.metrics.lanes[lane_];
  raise(cells.active_count, static_cast<double>(admission_.width));
  raise(cells.in_flight_count, static_cast<double>(admission_.dispatch.size()));
  raise(cells.queue_depth,
        static_cast<double>(admission_.dispatch.size() -
                            std::min(admission_.width, admission_.dispatch.size())));
  cells.starvation_guard_count.add(admission_.guard_turns);
  reject();
  if (admission_.is_in_order) return;
  std::vector<InvocationRecord*> dispatched;
  dispatched.reserve(admission_.dispatch.size());
  for (const std::uint32_t index : admission_.dispatch) dispatched.push_back(records_[index]);
  records_ = std::move(dispatched);
}

void PoolBatch::reject() {
  rejected_count_ = admission_.rejected.size();
  if (rejected_count_ == 0) return;
  LaneCells& cells = tables_.metrics.lanes[lane_];
  cells.rejected_count.add(rejected_count_);
  cells.low_priority_rejected_count.add(admission_.low_rejected);
  for (const std::uint32_t index : admission_.rejected) {
    records_[index]->is_rejected = true;
    tables_.components[records_[index]->component].last_rejected_epoch = domain_.epoch;
  }
  tables_.report({.kind = HealthKind::kSchedulerReject,
                  .lane = lane_,
                  .policy = to_string(tables_.graph.lanes[lane_].overflow),
                  .count = rejected_count_,
                  .depth = admission_.dispatch.size(),
                  .capacity = admission_.dispatch.size()},
                 domain_);
}

std::size_t PoolBatch::start_team(TeamOptions options) {
  options.width = queue_.thread_count();
  team_ = std::make_unique<LaneTeam>(std::move(options));
  return team_->thread_count();
}

void PoolBatch::offer(Duration begin) {
  if (team_ == nullptr) return;
  free_at_.assign(queue_.thread_count(), {begin});
  team_items_.clear();
  group_free_at_.clear();
  std::map<std::uint32_t, std::uint32_t> groups;  // of components
  const InvocationRecord* before = nullptr;
  for (InvocationRecord* record : records_) {
    bodies_.prepare(*record, domain_);
    record->has_run = false;
    ++tables_.components[record->component].under_way;
    // Mostly the same component as the one before.
    if (before != nullptr && before->component == record->component) {
      team_items_.push_back(team_items_.back());
      continue;
    }
    before = record;
    const auto [group, is_new] =
        groups.try_emplace(record->component, static_cast<std::uint32_t>(groups.size()));
    if (is_new) group_free_at_.push_back(begin);
    team_items_.push_back(
        {.group = group->second,
         .is_exclusive = !tables_.graph.components[record->component].execution.reentrant});
  }
  team_->begin(team_items_, *this);
}

bool PoolBatch::run(std::uint32_t item, std::uint32_t worker) {
  InvocationRecord& record = *records_[item];
  const TeamItem& place = team_items_[item];
  record.worker = worker;
  record.has_run = true;
  Duration begin = free_at_[worker].time;
  if (place.is_exclusive) begin = std::max(begin, group_free_at_[place.group]);
  if (!bodies_.call_on_worker(record, domain_, begin, {.team = team_.get(), .item = item})) {
    return false;
  }
  free_at_[worker].time = record.end();
  if (place.is_exclusive) group_free_at_[place.group] = record.end();
  return goes_on_after(record);
}

void PoolBatch::expect(std::uint32_t item) { records_[item]->prefetch(); }

bool PoolBatch::goes_on_after(const InvocationRecord& record) const {
  if (!record.error) return true;
  const OnError on_error = tables_.graph.components[record.component].execution.on_error;
  return on_error == OnError::kContinue || on_error == OnError::kFailFast;
}

Duration PoolBatch::finish(Duration begin) {
  if (team_ != nullptr) {
    const OutsideSection outside(tables_, domain_);
    team_->finish();
  } else if (tables_.settings.virtual_time) {
    play(begin);
  } else {
    replay();
  }
  Duration end = begin;
  workers_used_ = 0;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    // They lie in the caches of the processors that ran them.
    if (i + kPrefetched < records_.size()) records_[i + kPrefetched]->prefetch();
    const InvocationRecord* record = records_[i];
    if (team_ != nullptr) --tables_.components[record->component].under_way;
    if (!record->has_run) continue;
    end = std::max(end, record->end());
    if (record->worker < 64) workers_used_ |= std::uint64_t{1} << record->worker;
  }
  note_batch(begin, end);
  return end;
}

void PoolBatch::replay() {
  for (InvocationRecord* record : records_) bodies_.prepare(*record, domain_);
  for (InvocationRecord* record : records_) {
    record->facts = tables_.settings.journal->find_facts(tables_, *record);
    record->has_run = record->facts != nullptr;
  }
  const OutsideSection outside(tables_, domain_);
  for (InvocationRecord* record : records_) {
    if (record->has_run) bodies_.call_again(*record, domain_);
  }
}

void PoolBatch::play(Duration begin) {
  free_at_.assign(queue_.thread_count(), {begin});
  failed_.clear();
  const auto is_reentrant = [this](const InvocationRecord& record) {
    return tables_.graph.components[record.component].execution.reentrant;
  };
  PlayOrder order;
  for (std::uint32_t i = 0; i < records_.size(); ++i) {
    order.add(i, records_[i]->component, is_reentrant(*records_[i]));
  }
  while (!order.is_empty()) {
    const auto worker = std::ranges::min_element(free_at_, {}, &WorkerTime::time);
    const Duration now = worker->time;
    const std::optional<std::uint32_t> next = order.take(now);
    if (!next) {
      worker->time = order.next_time();
      continue;
    }
    InvocationRecord& record = *records_[*next];
    // An instance that failed and is to be replaced or left alone is not called again.
    const bool is_skipped = failed_.contains(record.component);
    if (!is_skipped) {
      record.worker = static_cast<std::uint32_t>(worker - free_at_.begin());
      bodies_.execute(record, domain_, now);
      worker->time = record.end();
      if (!goes_on_after(record)) failed_.insert(record.component);
    }
    if (!is_reentrant(record)) order.end_front(record.component, is_skipped ? now : record.end());
  }
}

void PoolBatch::note_batch(Duration begin, Duration end) {
  tables_.trace(domain_,
                {.name = GraphEventName::kThreadPoolBatch,
                 .has_duration = true,
                 .lane = lane_,
                 .time = begin,
                 .duration = end - begin,
                 .first = records_.size() | std::uint64_t{rejected_count_} << 32U,
                 .second = workers_used_});
}

}  // namespace millrace::graph
