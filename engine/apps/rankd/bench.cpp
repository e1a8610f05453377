#include "apps/rankd/bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "apps/rankd/histogram.h"
#include "apps/rankd/request_repeater.h"
#include "base/format.h"
#include "base/formats/json_writer.h"
#include "base/metrics/metrics_registry.h"
#include "base/sync/mutex.h"
#include "tasks/endpoint_metrics.h"

namespace millrace::rankd {
namespace {

constexpr std::int64_t kWarmUpMax = 1000;
constexpr std::int64_t kTracedMax = 256;
// Share of keys that may be shared before the figures are said to flatter.
constexpr double kSharedShareMax = 0.02;

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

// Keys of stores that other reads already had, so far.
std::uint64_t shared_keys(const host::Engine& engine) {
  std::uint64_t sum = 0;
  for (const base::MetricSnapshot& metric : engine.metrics().snapshot()) {
    const std::string_view name = metric.descriptor.name;
    if (name != tasks::kEndpointSharedKeys.name && name != tasks::kEndpointCachedKeys.name)
      continue;
    for (const base::SeriesSnapshot& series : metric.series) sum += series.value.count;
  }
  return sum;
}

// Requests that share reads make each other cheaper, which those of different users would not.
double shared_share(const BenchResult& result) {
  const auto all = static_cast<double>(result.shared_keys + result.store.commands);
  return all > 0 ? static_cast<double>(result.shared_keys) / all : 0;
}

std::optional<base::Duration> measure_queue_delay(RequestRepeater& repeater,
                                                  const RequestMix& mix,
                                                  std::int64_t request_count) {
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
  std::vector<std::string> requests;
  for (const std::string& request : mix.requests) {
    if (std::ssize(requests) == kTracedMax) break;
    requests.push_back(traced_request(request));
  }
  const Repeated traced = repeater.run(requests, std::min(request_count, kTracedMax));
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

BenchResult run_bench(host::Engine& engine,
                      const Flags& flags,
                      const RequestMix& mix,
                      const StopFlag& stop) {
  RequestRepeater repeater(engine, flags.bench_concurrency);
  repeater.stop_on(stop);
  static_cast<void>(repeater.run(mix.requests, std::min(flags.bench_count, kWarmUpMax)));
  BenchResult result;
  result.mix = mix.about;
  result.concurrency = flags.bench_concurrency;
  const rank::LoadedPlan* const plan = engine.plans().default_plan();
  result.plan = plan != nullptr ? plan->plan().name : "";
  const runtime::PoolCounters pool = engine.workers().counters();
  const stores::StoreCounters store = engine.store_counters();
  const std::uint64_t shared_before = shared_keys(engine);
  const bool shows_progress = isatty(STDERR_FILENO) != 0;
  if (shows_progress) repeater.on_progress(&show_progress);
  Repeated repeated = repeater.run(mix.requests, flags.bench_count);
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
  result.pool.stolen = pool_after.stolen - pool.stolen;
  result.pool.published = pool_after.published - pool.published;
  result.shared_keys = shared_keys(engine) - shared_before;
  const stores::StoreCounters store_after = engine.store_counters();
  result.store = {.commands = store_after.commands - store.commands,
                  .batches = store_after.batches - store.batches,
                  .round_trips = repeated.store_round_trips};
  repeater.on_progress({});
  result.queue_delay = measure_queue_delay(repeater, mix, flags.bench_count);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  result.memory_peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return result;
}

std::string to_text(const BenchResult& result) {
  std::string text = base::format(
      "plan            {}\n"
      "requests        {} ({} failed, {} refused), {} at a time; {}\n"
      "throughput      {:.0f} requests/s\n"
      "CPU             {:.1f} us per request\n"
      "latency         p50 {:.1f} us, p90 {:.1f} us, p99 {:.1f} us, max {:.1f} us\n"
      "inline rate     {:.2f}\n"
      "queue delay     {}\n"
      "nodes           {:.2f} on workers, {:.2f} on loops per request\n"
      "hand-overs      {:.3f} offered to other workers, {:.3f} stolen, {:.3f} wake-ups per "
      "request\n"
      "store           {:.2f} round trips, {:.2f} commands per request\n"
      "peak memory     {:.1f} MB\n",
      result.plan,
      result.requests,
      result.failed,
      result.refused,
      result.concurrency,
      result.mix,
      result.requests_per_second(),
      cpu_us(result),
      to_us(result.percentile(0.5)),
      to_us(result.percentile(0.9)),
      to_us(result.percentile(0.99)),
      to_us(result.percentile(1)),
      inline_rate(result.pool),
      result.queue_delay ? base::format("{:.1f} us per queued node", to_us(*result.queue_delay))
                         : "not measured",
      per_request(result.pool.executed, result),
      per_request(result.pool.executed_on_loops, result),
      per_request(result.pool.published, result),
      per_request(result.pool.stolen, result),
      per_request(result.pool.wakes, result),
      per_request(result.store.round_trips, result),
      per_request(result.store.commands, result),
      static_cast<double>(result.memory_peak_bytes) / 1e6);
  text += draw_histogram(result.latencies);
  if (shared_share(result) > kSharedShareMax) {
    text += base::format(
        "warning         {:.0f} % of the keys were not read, because another read already had "
        "them: "
        "requests of more users would cost more (--requests, --bench_users)\n",
        100 * shared_share(result));
  }
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
  json.member("mix", result.mix);
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
  json.member("worker_nodes_per_request", per_request(result.pool.executed, result));
  json.member("loop_nodes_per_request", per_request(result.pool.executed_on_loops, result));
  json.member("hand_overs_per_request", per_request(result.pool.published, result));
  json.member("steals_per_request", per_request(result.pool.stolen, result));
  json.member("shared_keys_per_request", per_request(result.shared_keys, result));
  json.member("memory_peak_bytes", result.memory_peak_bytes);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace millrace::rankd
