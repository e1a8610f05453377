#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "apps/rankd/request_repeater.h"
#include "base/check.h"
#include "base/format.h"
#include "bench/rankd/hand_written.h"
#include "bench/rankd/measurements.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"
#include "support/allocation_count.h"
#include "support/threads.h"

namespace millrace::bench {
namespace {

constexpr std::string_view kRequest = R"({"user_id": 1})";
constexpr double kCpuRatioMax = 1.3;
constexpr double kAllocationsMax = 40;
constexpr double kOverheadUsMax = 15;
constexpr double kExplainRatioMax = 2;

double microseconds(base::Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

base::Duration thread_cpu_time() {
  timespec time{};
  MR_CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

double per_request(base::Duration time, const Effort& effort) {
  return microseconds(time) / static_cast<double>(effort.requests);
}

base::Status check(const rankd::Repeated& repeated) {
  if (repeated.failed == 0) return {};
  return base::fail(base::ErrorCode::kInternal, "A request failed: " + repeated.first_error);
}

base::Status check_same(std::string_view engine, std::string_view by_hand) {
  if (without_own_facts(engine) == without_own_facts(by_hand)) return {};
  return base::fail(base::ErrorCode::kInternal,
                    base::format("Answers differ.\nengine:  {}\nby hand: {}", engine, by_hand));
}

/// Keeps all existing threads on one processor. Engine and rival run in turns on different threads,
/// and another process on one processor would otherwise slow down only one of them.
class OnOneProcessor {
 public:
  OnOneProcessor() : all_(usable_processors()) {
    if (all_.empty()) return;
    for (const pid_t thread : list_threads()) place_thread(thread, {all_.front()});
  }
  OnOneProcessor(const OnOneProcessor&) = delete;
  OnOneProcessor& operator=(const OnOneProcessor&) = delete;
  ~OnOneProcessor() {
    for (const pid_t thread : list_threads()) place_thread(thread, all_);
  }

 private:
  std::vector<int> all_;
};

/// The sum of the numbers that follow `"name":`, from `begin` on.
double sum_of(std::string_view json, std::string_view name, std::size_t begin) {
  const std::string key = base::format("\"{}\":", name);
  double sum = 0;
  for (std::size_t at = json.find(key, begin); at != std::string_view::npos;
       at = json.find(key, at + 1))
    sum += std::strtod(json.data() + at + key.size(), nullptr);
  return sum;
}

}  // namespace

base::Status measure_cpu(const DataSize& size, const Effort& effort, std::vector<Figure>& figures) {
  MR_TRY(const BenchEngine bench, BenchEngine::start(size, "complex_dag"));
  const plan::CompiledPlan& plan = bench.engine->plans().default_plan()->plan();
  HandWritten by_hand(*bench.store,
                      {.name = plan.name, .version = plan.version, .digest = plan.digest});
  const OnOneProcessor placed;
  rankd::RequestRepeater repeater(*bench.engine, 64);
  std::vector<double> ratios;
  std::vector<double> engine_us;
  std::vector<double> by_hand_us;
  std::vector<double> allocations;
  // The first round warms up and is not counted.
  for (int round = 0; round <= effort.rounds; ++round) {
    const std::uint64_t allocations_before = allocation_count().value_or(0);
    const rankd::Repeated repeated = repeater.run(kRequest, effort.requests);
    const std::uint64_t allocated = allocation_count().value_or(0) - allocations_before;
    MR_TRY_STATUS(check(repeated));
    const base::Duration before = thread_cpu_time();
    std::string_view last;
    for (std::int64_t index = 0; index < effort.requests; ++index) {
      MR_TRY(last, by_hand.answer(kRequest));
    }
    const base::Duration spent = thread_cpu_time() - before;
    MR_TRY_STATUS(check_same(repeated.last_response, last));
    if (round == 0) continue;
    engine_us.push_back(per_request(repeated.cpu, effort));
    by_hand_us.push_back(per_request(spent, effort));
    ratios.push_back(engine_us.back() / by_hand_us.back());
    allocations.push_back(static_cast<double>(allocated) / static_cast<double>(effort.requests));
  }
  const std::string name = base::format("complex_dag {}x{}", size.followees, size.media);
  figures.push_back({name + ": CPU per request, engine", median(engine_us), "us"});
  figures.push_back({name + ": CPU per request, by hand", median(by_hand_us), "us"});
  figures.push_back({name + ": engine / by hand", median(ratios), "x", kCpuRatioMax});
  if (allocation_count()) {
    figures.push_back(
        {name + ": heap allocations", median(allocations), "per request", kAllocationsMax});
  }
  return {};
}

base::Status measure_overhead(const Effort& effort, std::vector<Figure>& figures) {
  MR_TRY(const BenchEngine bench, BenchEngine::start({}, "complex_dag"));
  rankd::RequestRepeater repeater(*bench.engine, 1);
  std::vector<double> overheads;
  std::vector<double> latencies;
  std::vector<double> bodies;
  std::vector<double> body_us;
  for (int round = 0; round <= effort.rounds; ++round) {
    const rankd::Repeated repeated = repeater.run(kRequest, effort.requests / 4);
    MR_TRY_STATUS(check(repeated));
    // The time of the bodies comes from other requests, which are traced, so that tracing does not
    // add to the latency.
    body_us.clear();
    repeater.on_response([&](std::string_view response) {
      body_us.push_back(sum_of(response, "service_us", response.find("\"critical_path\":")));
    });
    const rankd::Repeated traced = repeater.run(R"({"user_id": 1, "trace": true})", 200);
    repeater.on_response({});
    MR_TRY_STATUS(check(traced));
    if (round == 0) continue;
    latencies.push_back(microseconds(repeated.elapsed) / static_cast<double>(effort.requests / 4));
    bodies.push_back(median(body_us));
    overheads.push_back(latencies.back() - bodies.back());
  }
  figures.push_back({"concurrency 1: request to response", median(latencies), "us"});
  figures.push_back({"concurrency 1: bodies on the critical path", median(bodies), "us"});
  figures.push_back(
      {"concurrency 1: what the engine adds", median(overheads), "us", kOverheadUsMax});
  return {};
}

base::Status measure_explain(const Effort& effort, std::vector<Figure>& figures) {
  MR_TRY(const BenchEngine bench, BenchEngine::start({}, "complex_dag"));
  rankd::RequestRepeater repeater(*bench.engine, 1);
  // One id that is served, two that are cut, one that was never fetched.
  constexpr std::string_view kExplained =
      R"({"user_id": 1, "explain": {"ids": [1100, 201, 301, 7]}})";
  std::vector<double> never;
  for (int round = 0; round <= effort.rounds; ++round) {
    const rankd::Repeated off = repeater.run(kRequest, effort.requests / 4);
    MR_TRY_STATUS(check(off));
    if (round > 0) never.push_back(per_request(4 * off.cpu, effort));
  }
  std::vector<double> ratios;
  std::vector<double> off_us;
  for (int round = 0; round <= effort.rounds; ++round) {
    const rankd::Repeated off = repeater.run(kRequest, effort.requests / 4);
    MR_TRY_STATUS(check(off));
    const rankd::Repeated on = repeater.run(kExplained, effort.requests / 4);
    MR_TRY_STATUS(check(on));
    if (round == 0) continue;
    off_us.push_back(per_request(4 * off.cpu, effort));
    ratios.push_back(microseconds(on.cpu) / microseconds(off.cpu));
  }
  figures.push_back({"explain on / off, CPU", median(ratios), "x", kExplainRatioMax});
  figures.push_back(
      {"explain off, after / before any was explained, CPU", median(off_us) / median(never), "x"});
  return {};
}

}  // namespace millrace::bench
