#include "bench/capacity/fleet.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "bench/capacity/key_curve.h"
#include "bench/capacity/loop_reads.h"
#include "bench/capacity/station.h"
#include "bench/capacity/timeline.h"

namespace millrace::bench {
namespace {

/// Messages of a thread leave together at the end of a turn: when all work is done that was there
/// at its begin. So a batch of requests goes to and fro as one, and whoever waits for it is idle.
struct Turn {
  std::size_t left = 0;  // jobs of this turn that are not done
  std::vector<std::uint64_t> messages = {};

  /// Notes that a job is done and that `waiting` are left. True: the turn has ended.
  bool end_job(std::size_t waiting) {
    if (left > 0) --left;
    if (left > 0) return false;
    left = waiting;
    return true;
  }
};

/// One loop of a process: its thread, its reads, and what waits for room on the way to a shard.
struct Loop {
  Loop(Timeline& timeline, Host& host, const FleetSettings& settings)
      : thread(timeline, host, 1),
        reads(settings.shards, settings.single_flight, settings.cache_seconds),
        commands(settings.shards, 0),
        held(settings.shards) {}

  Station thread;
  LoopReads reads;
  std::vector<std::uint32_t> commands;      // under way, by shard
  std::vector<std::deque<ReadBatch>> held;  // by shard: beyond `max_inflight`
  Turn turn = {};
};

struct Running {
  double arrived = 0;
  std::uint32_t process = 0;
  std::uint32_t loop = 0;  // among all
  std::uint32_t round = 0;
};

struct Sent {
  std::uint32_t loop = 0;
  ReadBatch batch = {};
};

class Fleet final : public Actor {
 public:
  Fleet(const FleetSettings& settings,
        const RequestCost& cost,
        const KeyCurve& keys,
        const FleetLoad& load)
      : settings_(settings), cost_(cost), keys_(keys), load_(load), random_(load.seed) {
    for (std::uint32_t i = 0; i < settings.processes; ++i) {
      Host& host = add_host(i == 0);
      for (std::uint32_t k = 0; k < settings.loops; ++k) {
        loops_.push_back(std::make_unique<Loop>(timeline_, host, settings));
      }
    }
    for (std::uint32_t i = 0; i < settings.shards; ++i) {
      shards_.push_back(std::make_unique<Station>(timeline_, add_host(false), 1));
    }
    in_flight_.resize(settings.processes);
    shard_turns_.resize(settings.shards);
  }

  FleetResult run() {
    if (load_.requests_per_second > 0) {
      timeline_.after(0, *this, tag(kArrival, 0));
    } else {
      for (std::uint32_t i = 0; i < settings_.processes * load_.in_flight; ++i) {
        begin(i % settings_.processes);
      }
    }
    // Ends with the last arrival: what is under way then belongs to no steady state.
    while (begun_ < load_.requests && timeline_.step()) {
    }
    return result();
  }

  void on_event(std::uint64_t word) override {
    const std::uint64_t id = word >> 3;
    switch (word & 7) {
      case kArrival:
        return arrive();
      case kComputed:
        return end_compute(id);
      case kAtShard:
        return serve(id);
      case kServed:
        return end_serve(id);
      case kBack:
        return take_replies(id);
      default:
        return;
    }
  }

 private:
  enum Kind : std::uint64_t { kArrival, kComputed, kAtShard, kServed, kBack };
  static std::uint64_t tag(Kind kind, std::uint64_t id) { return (id << 3) | kind; }

  Host& add_host(bool is_first) {
    if (!settings_.is_one_machine || is_first) {
      hosts_.push_back(std::make_unique<Host>(settings_.cores));
    }
    return *hosts_.back();
  }

  void arrive() {
    // A balancer that asks two processes at random and takes the one with less to do.
    const auto one = static_cast<std::uint32_t>(random_.below(settings_.processes));
    const auto other = static_cast<std::uint32_t>(random_.below(settings_.processes));
    begin(in_flight_[one] <= in_flight_[other] ? one : other);
    if (begun_ >= load_.requests) return;
    const double gap = -std::log(1.0 - random_.unit()) / load_.requests_per_second;
    timeline_.after(gap, *this, tag(kArrival, 0));
  }

  void begin(std::uint32_t process) {
    const std::uint64_t id = ++begun_;
    if (begun_ == warm_count()) start_counting();
    if (in_flight_[process] >= settings_.admitted_max) {
      if (counts_) ++refused_;
      return;
    }
    ++in_flight_[process];
    const std::uint32_t loop =
        process * settings_.loops + static_cast<std::uint32_t>(id % settings_.loops);
    running_[id] = {.arrived = timeline_.now(), .process = process, .loop = loop, .round = 0};
    compute(id);
  }

  void compute(std::uint64_t id) {
    const double part = cost_.cpu_seconds / (cost_.rounds + 1);
    loops_[running_[id].loop]->thread.submit(
        {.seconds = part, .done = this, .word = tag(kComputed, id)});
  }

  void end_compute(std::uint64_t id) {
    const std::uint32_t index = running_[id].loop;
    next_round(id);
    Loop& loop = *loops_[index];
    if (loop.turn.end_job(loop.thread.job_count())) send_all(loop.turn, kAtShard);
  }

  void end_serve(std::uint64_t id) {
    const std::uint32_t shard = sent_[id].batch.shard;
    Turn& turn = shard_turns_[shard];
    turn.messages.push_back(id);
    if (turn.end_job(shards_[shard]->job_count())) send_all(turn, kBack);
  }

  void send_all(Turn& turn, Kind kind) {
    for (const std::uint64_t id : turn.messages) {
      timeline_.after(cost_.wire_seconds, *this, tag(kind, id));
    }
    turn.messages.clear();
  }

  void next_round(std::uint64_t id) {
    Running& running = running_[id];
    if (running.round == cost_.rounds) return finish(id);
    ++running.round;
    drawn_.clear();
    for (std::uint32_t i = 0; i < cost_.keys_per_round; ++i) drawn_.push_back(keys_.draw(random_));
    std::ranges::sort(drawn_);
    drawn_.erase(std::ranges::unique(drawn_).begin(), drawn_.end());
    const std::uint32_t index = running.loop;
    LoopReads& reads = loops_[index]->reads;
    for (ReadBatch& batch : reads.ask(id, drawn_, timeline_.now())) {
      send_or_hold(index, std::move(batch));
    }
    if (!reads.is_waiting(id)) compute(id);
  }

  /// Says whether a batch may leave now; one that is larger than the bound goes alone.
  [[nodiscard]] bool fits(const Loop& loop, const ReadBatch& batch) const {
    const std::uint32_t count = loop.commands[batch.shard];
    return count == 0 || count + batch.keys.size() <= settings_.max_inflight;
  }

  void send_or_hold(std::uint32_t index, ReadBatch batch) {
    Loop& loop = *loops_[index];
    std::deque<ReadBatch>& held = loop.held[batch.shard];
    if (!held.empty() || !fits(loop, batch)) return held.push_back(std::move(batch));
    send(index, std::move(batch));
  }

  void send(std::uint32_t index, ReadBatch batch) {
    Loop& loop = *loops_[index];
    const std::uint32_t shard = batch.shard;
    const auto count = static_cast<std::uint32_t>(batch.keys.size());
    loop.commands[shard] += count;
    if (counts_) commands_ += count;
    const std::uint64_t id = ++sent_count_;
    sent_[id] = {.loop = index, .batch = std::move(batch)};
    loop.turn.messages.push_back(id);
  }

  void serve(std::uint64_t id) {
    const ReadBatch& batch = sent_[id].batch;
    const double seconds =
        cost_.batch_seconds + cost_.command_seconds * static_cast<double>(batch.keys.size());
    shards_[batch.shard]->submit({.seconds = seconds, .done = this, .word = tag(kServed, id)});
  }

  void take_replies(std::uint64_t id) {
    const auto node = sent_.extract(id);
    const Sent& sent = node.mapped();
    Loop& loop = *loops_[sent.loop];
    const std::uint32_t shard = sent.batch.shard;
    loop.commands[shard] -= static_cast<std::uint32_t>(sent.batch.keys.size());
    std::deque<ReadBatch>& held = loop.held[shard];
    while (!held.empty() && fits(loop, held.front())) {
      ReadBatch next = std::move(held.front());
      held.pop_front();
      send(sent.loop, std::move(next));
    }
    for (const std::uint64_t request : loop.reads.answer(sent.batch, timeline_.now())) {
      compute(request);
    }
    if (loop.thread.job_count() == 0) send_all(loop.turn, kAtShard);
  }

  void finish(std::uint64_t id) {
    const auto node = running_.extract(id);
    const Running& running = node.mapped();
    --in_flight_[running.process];
    const double seconds = timeline_.now() - running.arrived;
    if (counts_) {
      latencies_.push_back(std::min(seconds, settings_.deadline_seconds));
      if (seconds > settings_.deadline_seconds) ++late_;
    }
    if (load_.requests_per_second == 0 && begun_ < load_.requests) begin(running.process);
  }

  // The first fifth fills queues and caches. After it every answer counts.
  [[nodiscard]] std::uint64_t warm_count() const { return load_.requests / 5 + 1; }
  void start_counting() {
    counts_ = true;
    started_ = timeline_.now();
    for (const auto& shard : shards_) busy_before_.push_back(shard->busy_seconds());
    for (const auto& loop : loops_) loops_before_ += loop->thread.busy_seconds();
  }

  FleetResult result() {
    FleetResult result;
    const double span = timeline_.now() - started_;
    if (latencies_.empty() || span <= 0) return result;
    const auto at = [this](double part) {
      const auto index =
          static_cast<std::size_t>(part * static_cast<double>(latencies_.size() - 1));
      std::ranges::nth_element(latencies_, latencies_.begin() + static_cast<std::ptrdiff_t>(index));
      return latencies_[index];
    };
    result.answered = latencies_.size() - late_;
    result.requests_per_second = static_cast<double>(result.answered) / span;
    result.p50_seconds = at(0.5);
    result.p99_seconds = at(0.99);
    for (std::size_t i = 0; i < shards_.size(); ++i) {
      const double busy = (shards_[i]->busy_seconds() - busy_before_[i]) / span;
      result.busiest_shard = std::max(result.busiest_shard, busy);
      result.mean_shard += busy / static_cast<double>(shards_.size());
    }
    double loops_busy = -loops_before_;
    for (const auto& loop : loops_) loops_busy += loop->thread.busy_seconds();
    result.mean_process = loops_busy / span / static_cast<double>(loops_.size());
    result.commands_per_request =
        static_cast<double>(commands_) / static_cast<double>(latencies_.size());
    result.refused = refused_;
    result.late = late_;
    return result;
  }

  const FleetSettings settings_;
  const RequestCost cost_;
  const KeyCurve& keys_;
  const FleetLoad load_;
  base::SplitMix64 random_;
  Timeline timeline_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::unique_ptr<Station>> shards_;
  std::vector<Turn> shard_turns_;
  std::vector<std::uint32_t> in_flight_;  // requests by process
  std::unordered_map<std::uint64_t, Running> running_;
  std::unordered_map<std::uint64_t, Sent> sent_;
  std::vector<std::uint64_t> drawn_;
  std::vector<double> latencies_;
  std::vector<double> busy_before_;
  double loops_before_ = 0;
  double started_ = 0;
  bool counts_ = false;
  std::uint64_t begun_ = 0;
  std::uint64_t sent_count_ = 0;
  std::uint64_t commands_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace

FleetResult simulate(const FleetSettings& settings,
                     const RequestCost& cost,
                     const KeyCurve& keys,
                     const FleetLoad& load) {
  return Fleet(settings, cost, keys, load).run();
}

}  // namespace millrace::bench
