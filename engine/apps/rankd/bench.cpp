#include "apps/rankd/bench.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <semaphore>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "base/format.h"
#include "base/json_writer.h"
#include "rank/request.h"

namespace millrace::rankd {
namespace {

constexpr std::int64_t kWarmUpMax = 1000;

// One of the requests that are under way: starts the next one when it is answered.
class BenchSlot;

class Bench {
 public:
  Bench(Engine& engine, const Flags& flags) : engine_(engine), flags_(flags) {}

  void run(std::int64_t count, BenchResult& result);
  /// Says whether one more request is to be started.
  [[nodiscard]] bool take_next() {
    return started_.fetch_add(1, std::memory_order_relaxed) < count_;
  }
  void slot_is_done() { done_.release(); }
  void count_answer();
  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] const std::string& request() const { return flags_.bench_request; }

 private:
  void show_progress(std::int64_t answered) const;

  Engine& engine_;
  const Flags& flags_;
  std::int64_t count_ = 0;
  // Counts of requests; they publish nothing, the semaphore does.
  std::atomic<std::int64_t> started_{0};
  std::atomic<std::int64_t> answered_{0};
  std::counting_semaphore<> done_{0};
  const bool shows_progress_ = isatty(STDERR_FILENO) != 0;
};

class BenchSlot final : public rank::RankCall {
 public:
  BenchSlot(Bench& bench, std::size_t loop) : bench_(bench), loop_(loop) {}

  void start_next() {
    // An answer may come before `start` returns: then the loop here goes on, not the stack.
    for (;;) {
      if (!bench_.take_next()) return bench_.slot_is_done();
      state_.store(kStarting, std::memory_order_relaxed);
      bench_.engine().ranker(loop_).start(*this, reader_, bench_.request());
      int expected = kStarting;
      if (state_.compare_exchange_strong(expected, kWaiting, std::memory_order_acq_rel)) return;
    }
  }

  std::vector<base::Duration> latencies;
  std::int64_t failed = 0;
  std::string first_error;

 private:
  static constexpr int kStarting = 0;
  static constexpr int kWaiting = 1;
  static constexpr int kAnswered = 2;

  void on_answer() override {
    latencies.push_back(took());
    if (!ok() && failed++ == 0) first_error = response();
    bench_.count_answer();
    // Whoever comes second goes on.
    if (state_.exchange(kAnswered, std::memory_order_acq_rel) == kWaiting) start_next();
  }

  Bench& bench_;
  const std::size_t loop_;
  rank::RequestReader reader_;
  // Hands the slot from the thread that started a request to the one that answered it.
  std::atomic<int> state_{kStarting};
};

void Bench::run(std::int64_t count, BenchResult& result) {
  count_ = count;
  std::vector<std::unique_ptr<BenchSlot>> slots;
  const std::int64_t parallel = std::min(flags_.bench_concurrency, count);
  for (std::int64_t index = 0; index < parallel; ++index) {
    slots.push_back(
        std::make_unique<BenchSlot>(*this, static_cast<std::size_t>(index) % engine_.loop_count()));
    slots.back()->latencies.reserve(static_cast<std::size_t>(count / parallel + 1));
  }
  const base::TimePoint begin = base::steady_clock().now();
  for (const auto& slot : slots) slot->start_next();
  for (std::int64_t index = 0; index < parallel; ++index) done_.acquire();
  result.elapsed = base::steady_clock().now() - begin;
  if (shows_progress_) std::fputs("\r\033[K", stderr);
  for (const auto& slot : slots) {
    result.latencies.insert(result.latencies.end(), slot->latencies.begin(), slot->latencies.end());
    result.failed += slot->failed;
    if (result.first_error.empty()) result.first_error = slot->first_error;
  }
  std::sort(result.latencies.begin(), result.latencies.end());
}

void Bench::count_answer() {
  const std::int64_t answered = answered_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (shows_progress_ && answered % std::max<std::int64_t>(count_ / 100, 1) == 0)
    show_progress(answered);
}

void Bench::show_progress(std::int64_t answered) const {
  constexpr int kWidth = 40;
  const auto filled = static_cast<int>(answered * kWidth / count_);
  std::fprintf(stderr,
               "\r[%s%s] %lld/%lld",
               std::string(static_cast<std::size_t>(filled), '#').c_str(),
               std::string(static_cast<std::size_t>(kWidth - filled), ' ').c_str(),
               static_cast<long long>(answered),
               static_cast<long long>(count_));
}

double to_us(base::Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double per_request(std::uint64_t count, const BenchResult& result) {
  return static_cast<double>(count) /
         static_cast<double>(std::max<std::int64_t>(result.requests, 1));
}

double inline_rate(const runtime::PoolCounters& pool) {
  if (pool.executed == 0) return 0;
  const std::uint64_t queued = std::min(pool.queued, pool.executed);
  return static_cast<double>(pool.executed - queued) / static_cast<double>(pool.executed);
}

}  // namespace

base::Duration BenchResult::percentile(double share) const {
  if (latencies.empty()) return {};
  const auto rank =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(latencies.size())));
  return latencies[std::clamp<std::size_t>(rank, 1, latencies.size()) - 1];
}

double BenchResult::requests_per_second() const {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  return seconds > 0 ? static_cast<double>(requests) / seconds : 0;
}

BenchResult run_bench(Engine& engine, const Flags& flags) {
  BenchResult warm_up;
  Bench(engine, flags).run(std::min(flags.bench_count, kWarmUpMax), warm_up);
  BenchResult result;
  result.requests = flags.bench_count;
  result.concurrency = flags.bench_concurrency;
  const rank::LoadedPlan* const plan = engine.plans().default_plan();
  result.plan = plan != nullptr ? plan->plan().name : "";
  const runtime::PoolCounters pool = engine.workers().counters();
  const stores::StoreCounters store = engine.store_counters();
  Bench(engine, flags).run(flags.bench_count, result);
  const runtime::PoolCounters pool_after = engine.workers().counters();
  result.pool.executed = pool_after.executed - pool.executed;
  result.pool.queued = pool_after.queued - pool.queued;
  result.pool.wakes = pool_after.wakes - pool.wakes;
  const stores::StoreCounters store_after = engine.store_counters();
  result.store = {.commands = store_after.commands - store.commands,
                  .batches = store_after.batches - store.batches,
                  .round_trips = store_after.round_trips - store.round_trips};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.memory_peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return result;
}

std::string to_text(const BenchResult& result) {
  std::string text = base::format(
      "plan            {}\n"
      "requests        {} ({} failed), {} at a time\n"
      "throughput      {:.0f} requests/s\n"
      "latency         p50 {:.1f} us, p90 {:.1f} us, p99 {:.1f} us, max {:.1f} us\n"
      "inline rate     {:.2f}\n"
      "wake-ups        {:.3f} per request\n"
      "store           {:.2f} round trips, {:.2f} commands per request\n"
      "peak memory     {:.1f} MB\n",
      result.plan,
      result.requests,
      result.failed,
      result.concurrency,
      result.requests_per_second(),
      to_us(result.percentile(0.5)),
      to_us(result.percentile(0.9)),
      to_us(result.percentile(0.99)),
      to_us(result.percentile(1)),
      inline_rate(result.pool),
      per_request(result.pool.wakes, result),
      per_request(result.store.round_trips, result),
      per_request(result.store.commands, result),
      static_cast<double>(result.memory_peak_bytes) / 1e6);
  if (result.failed > 0) text += base::format("first failure   {}\n", result.first_error);
  return text;
}

std::string to_json(const BenchResult& result) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("plan", result.plan);
  json.member("requests", result.requests);
  json.member("failed", result.failed);
  json.member("concurrency", result.concurrency);
  json.member("requests_per_s", result.requests_per_second());
  json.member("p50_us", to_us(result.percentile(0.5)));
  json.member("p90_us", to_us(result.percentile(0.9)));
  json.member("p99_us", to_us(result.percentile(0.99)));
  json.member("max_us", to_us(result.percentile(1)));
  json.member("inline_rate", inline_rate(result.pool));
  json.member("wakes_per_request", per_request(result.pool.wakes, result));
  json.member("round_trips_per_request", per_request(result.store.round_trips, result));
  json.member("commands_per_request", per_request(result.store.commands, result));
  json.member("memory_peak_bytes", result.memory_peak_bytes);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace millrace::rankd
