#include "graph/threads/lane_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/sync/atomics.h"
#include "base/sync/mutex.h"
#include "base/sync/parking.h"
#include "base/sync/thread_annotations.h"
#include "runtime/sharing_prices.h"

namespace millrace::graph {
namespace {

constexpr std::uint32_t kNoItem = UINT32_MAX;
/// A worker that looks for a next batch, or for the end of this one, does so for as long as this
/// many wakes would take; a worker only if the last batch came that soon.
constexpr std::int64_t kSpinWakes = 2;
/// Items that a worker may have taken and not started are about so much work.
constexpr base::Duration kAheadMax = std::chrono::microseconds(8);

/// What a worker has taken from `next` and not started: the first item, and the one after the last.
/// Any worker may start the first of them by a compare-exchange.
///
/// A worker says that it is taking (`kTaking`) before it takes items from `next`, and what it got
/// after that. Invariant: whoever finds `next` used up sees, for every worker that took from it,
/// either what it got or that it is taking; and then waits for the few instructions until it says
/// what it got. So no item is overlooked by all.
class alignas(base::kApartBytes) TakenItems {
 public:
  void begin_taking() { range_.store(kTaking, std::memory_order_relaxed); }
  void set(std::uint32_t first, std::uint32_t end) {
    range_.store(pack(first, end), std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_empty() const {
    const std::uint64_t range = range_.load(std::memory_order_relaxed);
    return range != kTaking && first_of(range) >= end_of(range);
  }
  [[nodiscard]] std::uint32_t take() {
    std::uint64_t range = range_.load(std::memory_order_relaxed);
    while (range == kTaking) {
      std::this_thread::yield();
      range = range_.load(std::memory_order_relaxed);
    }
    while (first_of(range) < end_of(range)) {
      const std::uint64_t rest = pack(first_of(range) + 1, end_of(range));
      if (range_.compare_exchange_weak(range, rest, std::memory_order_relaxed)) {
        return first_of(range);
      }
    }
    return kNoItem;
  }
  /// What `take` would give.
  [[nodiscard]] std::uint32_t peek() const {
    const std::uint64_t range = range_.load(std::memory_order_relaxed);
    return first_of(range) < end_of(range) ? first_of(range) : kNoItem;
  }

 private:
  static constexpr std::uint64_t kTaking = UINT64_MAX;

  static std::uint64_t pack(std::uint32_t first, std::uint32_t end) {
    return std::uint64_t{first} << 32U | end;
  }
  static std::uint32_t first_of(std::uint64_t range) {
    return static_cast<std::uint32_t>(range >> 32U);
  }
  static std::uint32_t end_of(std::uint64_t range) { return static_cast<std::uint32_t>(range); }

  // Publishes nothing: `next` orders `kTaking`, and what items need was written before the batch.
  // No item is in it twice in a batch, so it has no other value twice.
  std::atomic<std::uint64_t> range_{0};
};

}  // namespace

/// Shared by the team and its threads.
struct LaneTeam::State {
  struct Worker {
    std::uint32_t index = 0;
    base::ParkingSpot<> spot;
    std::thread thread;
    // Guarded by the mutex of the state.
    std::uint32_t item = kNoItem;
    bool is_abandoned = false;
  };

  TeamOptions options;
  base::ParkingSpot<> done_spot;  // of the thread in `finish`
  mutable base::Mutex mutex;
  std::vector<std::shared_ptr<Worker>> workers MR_GUARDED_BY(mutex);
  TeamWork* work MR_GUARDED_BY(mutex) = nullptr;
  std::span<const TeamItem> items MR_GUARDED_BY(mutex);
  std::vector<std::uint32_t> heap MR_GUARDED_BY(mutex);     // items that may start, first on top
  std::vector<std::uint32_t> next_of MR_GUARDED_BY(mutex);  // the next item of the same group
  std::vector<bool> is_closed MR_GUARDED_BY(mutex);         // of a group: start no more
  std::size_t left MR_GUARDED_BY(mutex) = 0;                // items that have not ended
  bool is_counted MR_GUARDED_BY(mutex) = false;             // this batch is shared out by `next`
  std::size_t active MR_GUARDED_BY(mutex) = 0;              // workers that take numbers from `next`
  base::Duration item_cost MR_GUARDED_BY(mutex) = {};       // of the last counted batch; 0: unknown
  std::uint64_t batch MR_GUARDED_BY(mutex) = 0;             // counts batches
  base::TimePoint ended_at MR_GUARDED_BY(mutex) = {};
  bool comes_soon MR_GUARDED_BY(mutex) = false;  // the last batch came within `spin_max`
  bool is_stopping MR_GUARDED_BY(mutex) = false;
  // Constant while a batch is in progress.
  std::uint32_t take_count = 1;         // items that a worker takes from `next` at once
  std::unique_ptr<TakenItems[]> taken;  // of each worker
  // Constant after construction.
  base::Duration spin_max{};
  // Whether `is_closed` must be asked; set after a group was closed.
  std::atomic<bool> has_closed{false};
  // Changes whenever an item may have become ready or the team ends: spinning workers then look
  // under the mutex, which publishes what they find.
  alignas(base::kApartBytes) std::atomic<std::uint32_t> signal{0};
  // Whether the batch is over; written under the mutex, which publishes what that means.
  std::atomic<bool> has_ended{true};
  // The next item of a batch that is shared out by it. Publishes to whoever finds it used up who is
  // taking (`TakenItems`). What items need was written before the mutex was released that a worker
  // locks when it joins the batch.
  alignas(base::kApartBytes) std::atomic<std::uint32_t> next{0};

  /// Ends the threads of a team of which the system refused one.
  struct StopIfIncomplete {
    explicit StopIfIncomplete(State& of_team) : state(of_team) {}
    StopIfIncomplete(const StopIfIncomplete&) = delete;
    StopIfIncomplete& operator=(const StopIfIncomplete&) = delete;
    ~StopIfIncomplete() {
      if (!is_complete) state.stop();
    }
    State& state;
    bool is_complete = false;
  };

  static void start_thread(const std::shared_ptr<State>& state, std::shared_ptr<Worker> worker);
  /// Ends all threads; no batch may be in progress.
  void stop() MR_EXCLUDES(mutex);
  static void run_worker(const std::shared_ptr<State>& state, Worker& worker);
  void load(std::span<const TeamItem> new_items) MR_REQUIRES(mutex);
  [[nodiscard]] std::uint32_t take() MR_REQUIRES(mutex);
  void end_item(std::uint32_t item, bool goes_on) MR_REQUIRES(mutex);
  void skip_rest(std::uint32_t item) MR_REQUIRES(mutex);
  /// Executes items until there is none to start. False: the worker was given up.
  [[nodiscard]] bool work_on(Worker* worker, std::uint32_t index) MR_EXCLUDES(mutex);
  /// The same for a batch that is shared out by `next`; with the mutex held at both ends.
  void work_by_number(std::uint32_t index) MR_REQUIRES(mutex);
  /// The next item of such a batch, of `count`: what the worker has taken already, else further
  /// ones, else what others have taken and not started.
  [[nodiscard]] std::uint32_t take_number(std::uint32_t index, std::size_t count);
  [[nodiscard]] bool has_items() const MR_REQUIRES(mutex);
  void note_end() MR_REQUIRES(mutex);
  [[nodiscard]] bool has_work() MR_EXCLUDES(mutex);
  void wake(std::size_t count) MR_EXCLUDES(mutex);
  /// Waits for a short time without sleeping: what others still work on is mostly one item each.
  void await_rest() MR_EXCLUDES(mutex);
  void sleep(Worker& worker) MR_EXCLUDES(mutex);
};

void LaneTeam::State::load(std::span<const TeamItem> new_items) {
  items = new_items;
  left = new_items.size();
  heap.clear();
  std::uint32_t group_count = 0;
  bool has_exclusive = false;
  for (const TeamItem& item : new_items) {
    group_count = std::max(group_count, item.group + 1);
    has_exclusive = has_exclusive || item.is_exclusive;
  }
  is_closed.assign(group_count, false);
  has_closed.store(false, std::memory_order_relaxed);
  next.store(0, std::memory_order_relaxed);
  has_ended.store(new_items.empty(), std::memory_order_relaxed);
  is_counted = !options.may_abandon && !has_exclusive;
  if (is_counted) {
    const auto share = static_cast<std::int64_t>(new_items.size() / (4 * options.width));
    const std::int64_t fits = item_cost > base::Duration::zero() ? kAheadMax / item_cost : 0;
    take_count = static_cast<std::uint32_t>(std::max<std::int64_t>(std::min(share, fits), 1));
    return;
  }
  next_of.assign(new_items.size(), kNoItem);
  std::vector<std::uint32_t> last(group_count, kNoItem);
  for (std::uint32_t i = 0; i < new_items.size(); ++i) {
    std::uint32_t& before = last[new_items[i].group];
    if (new_items[i].is_exclusive && before != kNoItem) {
      next_of[before] = i;
    } else {
      heap.push_back(i);
    }
    before = i;
  }
  // Ascending, which is a heap with the smallest on top.
}

std::uint32_t LaneTeam::State::take() {
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, std::greater());
    const std::uint32_t item = heap.back();
    heap.pop_back();
    if (!is_closed[items[item].group]) return item;
    skip_rest(item);
  }
  return kNoItem;
}

void LaneTeam::State::skip_rest(std::uint32_t item) {
  for (; item != kNoItem; item = next_of[item]) --left;
  if (left == 0) note_end();
}

void LaneTeam::State::note_end() {
  has_ended.store(true, std::memory_order_relaxed);
  done_spot.notify();
}

void LaneTeam::State::end_item(std::uint32_t item, bool goes_on) {
  if (!goes_on) is_closed[items[item].group] = true;
  const std::uint32_t next = next_of[item];
  if (next != kNoItem) {
    if (goes_on) {
      heap.push_back(next);
      std::ranges::push_heap(heap, std::greater());
      signal.fetch_add(1, std::memory_order_relaxed);
    } else {
      skip_rest(next);
    }
  }
  if (--left == 0) note_end();
}

bool LaneTeam::State::has_items() const {
  if (!is_counted) return !heap.empty();
  if (next.load(std::memory_order_acquire) < items.size()) return true;
  return std::any_of(taken.get(), taken.get() + options.width, [](const TakenItems& of_worker) {
    return !of_worker.is_empty();
  });
}

std::uint32_t LaneTeam::State::take_number(std::uint32_t index, std::size_t count) {
  if (const std::uint32_t item = taken[index].take(); item != kNoItem) return item;
  if (next.load(std::memory_order_acquire) < count) {
    // One item at a time is never said to be taken: its worker starts it.
    if (take_count > 1) taken[index].begin_taking();
    const std::uint32_t first = next.fetch_add(take_count, std::memory_order_acq_rel);
    if (take_count > 1) {
      const auto end = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(std::uint64_t{first} + take_count, count));
      taken[index].set(std::min(first + 1, end), end);
    }
    if (first < count) return first;
  }
  for (std::size_t other = 0; other < options.width; ++other) {
    if (const std::uint32_t item = taken[other].take(); item != kNoItem) return item;
  }
  return kNoItem;
}

void LaneTeam::State::work_by_number(std::uint32_t index) {
  ++active;
  TeamWork* const current = work;
  const std::span<const TeamItem> all = items;
  mutex.unlock();
  const base::TimePoint begin = std::chrono::steady_clock::now();
  std::size_t done = 0;
  for (std::uint32_t item = take_number(index, all.size()); item != kNoItem;
       item = take_number(index, all.size())) {
    ++done;
    if (has_closed.load(std::memory_order_acquire)) [[unlikely]] {
      const base::MutexLock lock(mutex);
      if (is_closed[all[item].group]) continue;
    }
    if (const std::uint32_t ahead = taken[index].peek(); ahead != kNoItem) current->expect(ahead);
    if (current->run(item, index)) [[likely]]
      continue;
    const base::MutexLock lock(mutex);
    is_closed[all[item].group] = true;
    has_closed.store(true, std::memory_order_release);
  }
  const base::Duration took = std::chrono::steady_clock::now() - begin;
  mutex.lock();
  left -= done;
  if (done > 0) item_cost = took / static_cast<std::int64_t>(done);
  if (--active == 0 && left == 0) note_end();
}

bool LaneTeam::State::work_on(Worker* worker, std::uint32_t index) {
  mutex.lock();
  if (is_counted) {
    if (has_items()) work_by_number(index);
    mutex.unlock();
    return true;
  }
  while (true) {
    const std::uint32_t item = take();
    if (item == kNoItem) break;
    if (worker != nullptr) worker->item = item;
    TeamWork* const current = work;
    mutex.unlock();
    const bool goes_on = current->run(item, index);
    mutex.lock();
    if (worker != nullptr) {
      if (worker->is_abandoned) {
        mutex.unlock();
        return false;
      }
      worker->item = kNoItem;
    }
    end_item(item, goes_on);
  }
  mutex.unlock();
  return true;
}

bool LaneTeam::State::has_work() {
  const base::MutexLock lock(mutex);
  return has_items() || is_stopping;
}

void LaneTeam::State::await_rest() {
  const base::TimePoint until = std::chrono::steady_clock::now() + spin_max;
  while (!has_ended.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
}

void LaneTeam::State::sleep(Worker& worker) {
  bool may_spin = false;
  std::uint32_t seen = 0;
  {
    const base::MutexLock lock(mutex);
    if (has_items() || is_stopping) return;
    may_spin = comes_soon;
    seen = signal.load(std::memory_order_relaxed);
  }
  if (may_spin) {
    const base::TimePoint until = std::chrono::steady_clock::now() + spin_max;
    while (std::chrono::steady_clock::now() < until) {
      if (signal.load(std::memory_order_relaxed) != seen) return;
      std::this_thread::yield();
    }
  }
  worker.spot.announce();
  if (has_work()) {
    static_cast<void>(worker.spot.cancel());
  } else {
    static_cast<void>(worker.spot.wait(std::nullopt));
  }
}

void LaneTeam::State::run_worker(const std::shared_ptr<State>& state, Worker& worker) {
  if (state->options.on_thread_start) state->options.on_thread_start(worker.index);
  while (true) {
    if (!state->work_on(&worker, worker.index)) return;
    {
      const base::MutexLock lock(state->mutex);
      if (state->is_stopping && !state->has_items()) return;
    }
    state->sleep(worker);
  }
}

void LaneTeam::State::start_thread(const std::shared_ptr<State>& state,
                                   std::shared_ptr<Worker> worker) {
  Worker& borrowed = *worker;
  borrowed.thread =
      std::thread([state, worker = std::move(worker)] { State::run_worker(state, *worker); });
}

void LaneTeam::State::wake(std::size_t count) {
  std::vector<std::shared_ptr<Worker>> sleepers;
  {
    const base::MutexLock lock(mutex);
    sleepers = workers;
  }
  for (const auto& worker : sleepers) {
    if (count == 0) return;
    if (worker->spot.notify()) --count;
  }
}

LaneTeam::LaneTeam(TeamOptions options) : state_(std::make_shared<State>()) {
  MR_CHECK(options.width > 0);
  if (options.width == 1) options.caller_helps = false;
  state_->options = std::move(options);
  state_->taken = std::make_unique<TakenItems[]>(state_->options.width);
  state_->spin_max = runtime::machine_prices().wake * kSpinWakes;
  const std::size_t first = state_->options.caller_helps ? 1 : 0;
  State::StopIfIncomplete guard(*state_);
  const base::MutexLock lock(state_->mutex);
  for (std::size_t i = first; i < state_->options.width; ++i) {
    auto worker = std::make_shared<State::Worker>();
    worker->index = static_cast<std::uint32_t>(i);
    state_->workers.push_back(worker);
    State::start_thread(state_, worker);
  }
  guard.is_complete = true;
}

LaneTeam::~LaneTeam() { state_->stop(); }

void LaneTeam::State::stop() {
  std::vector<std::shared_ptr<Worker>> all;
  {
    const base::MutexLock lock(mutex);
    MR_CHECK(left == 0);
    is_stopping = true;
    signal.fetch_add(1, std::memory_order_relaxed);
    all = workers;
  }
  for (const auto& worker : all) worker->spot.notify();
  for (const auto& worker : all) {
    // The last one has none if the system refused it.
    if (worker->thread.joinable()) worker->thread.join();
  }
}

void LaneTeam::begin(std::span<const TeamItem> items, TeamWork& work) {
  std::size_t ready = 0;
  {
    const base::MutexLock lock(state_->mutex);
    state_->work = &work;
    state_->load(items);
    ++state_->batch;
    ready = state_->is_counted ? items.size() : state_->heap.size();
    const base::TimePoint now = std::chrono::steady_clock::now();
    state_->comes_soon = state_->batch > 1 && now - state_->ended_at < state_->spin_max;
    state_->signal.fetch_add(1, std::memory_order_relaxed);
  }
  // One item that the caller can execute itself is not worth waking anybody.
  if (ready == 1 && state_->options.caller_helps && items.size() == 1) return;
  state_->wake(ready);
}

void LaneTeam::finish() {
  State& state = *state_;
  while (true) {
    if (state.options.caller_helps) {
      static_cast<void>(state.work_on(nullptr, 0));
      state.await_rest();
    }
    state.done_spot.announce();
    {
      const base::MutexLock lock(state.mutex);
      const bool can_help = state.options.caller_helps && state.has_items();
      const bool is_over = state.left == 0 && state.active == 0;
      if (is_over || can_help) {
        static_cast<void>(state.done_spot.cancel());
        if (!is_over) continue;
        state.ended_at = std::chrono::steady_clock::now();
        state.items = {};
        return;
      }
    }
    static_cast<void>(state.done_spot.wait(std::nullopt));
  }
}

void LaneTeam::abandon(std::uint32_t item, bool goes_on) {
  const base::MutexLock lock(state_->mutex);
  const auto found =
      std::ranges::find(state_->workers, item, [](const auto& worker) { return worker->item; });
  if (found == state_->workers.end()) return;
  const std::shared_ptr<State::Worker> stuck = *found;
  stuck->is_abandoned = true;
  stuck->thread.detach();
  auto replacement = std::make_shared<State::Worker>();
  replacement->index = stuck->index;
  *found = replacement;
  State::start_thread(state_, replacement);
  state_->end_item(item, goes_on);
}

std::size_t LaneTeam::thread_count() const {
  const base::MutexLock lock(state_->mutex);
  return state_->workers.size();
}

}  // namespace millrace::graph
