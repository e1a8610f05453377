#include "apps/rankd/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "apps/rankd/request_repeater.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/sync/mutex.h"

namespace millrace::rankd {
namespace {

constexpr std::int64_t kWarmUpMax = 1000;
constexpr std::int64_t kTracedMax = 256;

void show_progress(std::int64_t answered, std::int64_t count) {
  constexpr int kWidth = 40;
  const auto filled = static_cast<int>(answered * kWidth / count);
  std::fprintf(stderr,
               "\r[%s%s] %lld/%lld",
               std::string(static_cast<std::size_t>(filled), '#').c_str(),
               std::string(static_cast<std::size_t>(kWidth - filled), ' ').c_str(),
               static_cast<long long>(answered),
               static_cast<long long>(count));
}

double to_us(base::Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

double per_request(std::uint64_t count, const BenchResult& result) {
  return static_cast<double>(count) /
         static_cast<double>(std::max<std::int64_t>(result.answered(), 1));
}

double cpu_us(const BenchResult& result) {
  return to_us(result.cpu) / static_cast<double>(std::max<std::int64_t>(result.answered(), 1));
}

double inline_rate(const runtime::PoolCounters& pool) {
  const std::uint64_t executed = pool.executed + pool.executed_on_loops;
  const std::uint64_t inlined = pool.inlined + pool.inlined_on_loops;
  return executed == 0 ? 0 : static_cast<double>(inlined) / static_cast<double>(executed);
}

// Adds `"trace": true` to a request; gives an empty text if the request is no JSON object.
std::string traced_request(const std::string& request) {
  const std::size_t begin = request.find('{');
  if (begin == std::string::npos) return {};
  const std::size_t next = request.find_first_not_of(" \t\r\n", begin + 1);
  if (next == std::string::npos) return {};
  const bool is_empty = request[next] == '}';
  return R"({"trace": true)" + std::string(is_empty ? "" : ", ") + request.substr(next);
}

std::optional<base::Duration> measure_queue_delay(RequestRepeater& repeater, const Flags& flags) {
  constexpr std::string_view kName = "\"queue_delay_us\":";
  base::Mutex mutex;
  double sum_us = 0;
  std::int64_t count = 0;
  repeater.on_response([&](std::string_view response) {
    const base::MutexLock lock(mutex);
    for (std::size_t at = response.find(kName); at != std::string_view::npos;
         at = response.find(kName, at + 1)) {
      sum_us += std::strtod(response.data() + at + kName.size(), nullptr);
      ++count;
    }
  });
  const Repeated traced =
      repeater.run(traced_request(flags.bench_request), std::min(flags.bench_count, kTracedMax));
  repeater.on_response({});
  if (traced.failed > 0 || count == 0) return std::nullopt;
  return std::chrono::duration_cast<base::Duration>(
      std::chrono::duration<double, std::micro>(sum_us / static_cast<double>(count)));
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
  return seconds > 0 ? static_cast<double>(answered()) / seconds : 0;
}

BenchResult run_bench(host::Engine& engine, const Flags& flags, const StopFlag& stop) {
  RequestRepeater repeater(engine, flags.bench_concurrency);
  repeater.stop_on(stop);
  static_cast<void>(repeater.run(flags.bench_request, std::min(flags.bench_count, kWarmUpMax)));
  BenchResult result;
  result.concurrency = flags.bench_concurrency;
  const rank::LoadedPlan* const plan = engine.plans().default_plan();
  result.plan = plan != nullptr ? plan->plan().name : "";
  const runtime::PoolCounters pool = engine.workers().counters();
  const stores::StoreCounters store = engine.store_counters();
  const bool shows_progress = isatty(STDERR_FILENO) != 0;
  if (shows_progress) repeater.on_progress(&show_progress);
  Repeated repeated = repeater.run(flags.bench_request, flags.bench_count);
  if (shows_progress) std::fputs("\r\033[K", stderr);
  result.elapsed = repeated.elapsed;
  result.cpu = repeated.cpu;
  result.latencies = std::move(repeated.latencies);
  result.failed = repeated.failed;
  result.refused = repeated.refused;
  result.requests = std::ssize(result.latencies) + result.refused;
  result.first_error = std::move(repeated.first_error);
  const runtime::PoolCounters pool_after = engine.workers().counters();
  result.pool.executed = pool_after.executed - pool.executed;
  result.pool.inlined = pool_after.inlined - pool.inlined;
  result.pool.executed_on_loops = pool_after.executed_on_loops - pool.executed_on_loops;
  result.pool.inlined_on_loops = pool_after.inlined_on_loops - pool.inlined_on_loops;
  result.pool.wakes = pool_after.wakes - pool.wakes;
  const stores::StoreCounters store_after = engine.store_counters();
  result.store = {.commands = store_after.commands - store.commands,
                  .batches = store_after.batches - store.batches,
                  .round_trips = repeated.store_round_trips};
  repeater.on_progress({});
  result.queue_delay = measure_queue_delay(repeater, flags);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.memory_peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return result;
}

std::string to_text(const BenchResult& result) {
  std::string text = base::format(
      "plan            {}\n"
      "requests        {} ({} failed, {} refused), {} at a time\n"
      "throughput      {:.0f} requests/s\n"
      "CPU             {:.1f} us per request\n"
      "latency         p50 {:.1f} us, p90 {:.1f} us, p99 {:.1f} us, max {:.1f} us\n"
      "inline rate     {:.2f}\n"
      "queue delay     {}\n"
      "wake-ups        {:.3f} per request\n"
      "store           {:.2f} round trips, {:.2f} commands per request\n"
      "peak memory     {:.1f} MB\n",
      result.plan,
      result.requests,
      result.failed,
      result.refused,
      result.concurrency,
      result.requests_per_second(),
      cpu_us(result),
      to_us(result.percentile(0.5)),
      to_us(result.percentile(0.9)),
      to_us(result.percentile(0.99)),
      to_us(result.percentile(1)),
      inline_rate(result.pool),
      result.queue_delay ? base::format("{:.1f} us per queued node", to_us(*result.queue_delay))
                         : "not measured",
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
  json.member("refused", result.refused);
  json.member("concurrency", result.concurrency);
  json.member("requests_per_s", result.requests_per_second());
  json.member("cpu_us_per_request", cpu_us(result));
  json.member("p50_us", to_us(result.percentile(0.5)));
  json.member("p90_us", to_us(result.percentile(0.9)));
  json.member("p99_us", to_us(result.percentile(0.99)));
  json.member("max_us", to_us(result.percentile(1)));
  json.member("inline_rate", inline_rate(result.pool));
  json.key("queue_delay_us");
  if (result.queue_delay) {
    json.value(to_us(*result.queue_delay));
  } else {
    json.null();
  }
  json.member("wakes_per_request", per_request(result.pool.wakes, result));
  json.member("round_trips_per_request", per_request(result.store.round_trips, result));
  json.member("commands_per_request", per_request(result.store.commands, result));
  json.member("memory_peak_bytes", result.memory_peak_bytes);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace millrace::rankd
