#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/formats/json_writer.h"
#include "bench/redis/client_cost.h"
#include "bench/redis/latency.h"
#include "bench/redis/plan_load.h"
#include "bench/redis/redis_limit.h"
#include "bench/redis/world.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

constexpr std::string_view kUsage =
    "Usage: bench_redis [--json FILE] [--fanout N] [--smoke] [--no-client]\n"
    "  --json FILE   also write the rows as JSON, one per line\n"
    "  --fanout N    only lists of that length, instead of 10 and 100\n"
    "  --no-client   leave out the cost of the client beside hiredis\n"
    "  --smoke       tiny sizes: checks the answers, measures nothing\n";

struct Options {
  std::string json_file;
  int fanout = 0;  // 0: all
  bool smoke = false;
  bool client = true;
};

std::vector<int> fanouts(const Options& options) {
  if (options.fanout != 0) return {options.fanout};
  return options.smoke ? std::vector<int>{3} : std::vector<int>{10, 100};
}

struct Row {
  std::string plan;
  int fanout = 0;
  int concurrency = 0;
  double requests_per_s = 0;
  double commands_per_s = 0;
  double round_trips = 0;
  double p50_us = 0;
  double p99_us = 0;
  double limit = 0;

  [[nodiscard]] double share() const { return commands_per_s / limit; }
};

/// An example plan of the contract and the commands that it sends.
struct Example {
  std::string plan;
  bench::CommandMix mix;
};

std::vector<Example> examples(int fanout) {
  const double n = fanout;
  return {{.plan = "mixed_pipeline", .mix = {.hgetall = 1, .follow = 1, .media = 0}},
          {.plan = "complex_dag", .mix = {.hgetall = 1, .follow = 2, .media = 2 * n}}};
}

void check_answers(bench::World& world, const std::string& plan) {
  for (int user = 0; user < world.size().users; user += 1 + world.size().users / 20) {
    const std::string redis = bench::answer_of(world.redis(), plan, user);
    if (redis == bench::answer_of(world.embedded(), plan, user)) continue;
    throw std::runtime_error("Redis and embedded data answer differently: " + redis);
  }
}

Row measure(bench::World& world, const Example& example, int concurrency, bool smoke) {
  bench::LoadOptions load{.plan = example.plan,
                          .users = world.size().users,
                          .concurrency = concurrency,
                          .time = std::chrono::milliseconds(smoke ? 0 : 300),
                          .requests_min = concurrency};
  static_cast<void>(bench::run_load(world.redis(), load));
  if (!smoke) load.time = std::chrono::milliseconds(1500);
  const bench::LoadResult result = bench::run_load(world.redis(), load);
  if (result.failed != 0) throw std::runtime_error("A request failed: " + result.first_error);
  return {.plan = example.plan,
          .fanout = world.size().fanout,
          .concurrency = concurrency,
          .requests_per_s = result.per_second(static_cast<double>(result.requests)),
          .commands_per_s = result.per_second(static_cast<double>(result.store.commands)),
          .round_trips =
              static_cast<double>(result.store.round_trips) / static_cast<double>(result.requests),
          .p50_us = result.percentile_us(0.5),
          .p99_us = result.percentile_us(0.99)};
}

void print(const Row& row) {
  std::printf("%-15s %6d %11d %14.0f %14.0f %11.2f %9.0f %9.0f %12.0f %6.2f\n",
              row.plan.c_str(),
              row.fanout,
              row.concurrency,
              row.requests_per_s,
              row.commands_per_s,
              row.round_trips,
              row.p50_us,
              row.p99_us,
              row.limit,
              row.share());
}

std::string to_json(const Row& row) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("plan", row.plan);
  json.member("fanout", row.fanout);
  json.member("concurrency", row.concurrency);
  json.member("requests_per_s", row.requests_per_s);
  json.member("commands_per_s", row.commands_per_s);
  json.member("round_trips", row.round_trips);
  json.member("p50_us", row.p50_us);
  json.member("p99_us", row.p99_us);
  json.member("redis_limit_commands_per_s", row.limit);
  json.member("share_of_limit", row.share());
  json.end_object();
  return out + "\n";
}

std::vector<Row> run_plans(bench::World& world, bool smoke) {
  std::vector<Row> rows;
  const bench::CommandLimits limits = bench::measure_limits(world, smoke ? 1000 : 300'000);
  const std::vector<int> concurrencies =
      smoke ? std::vector<int>{1, 4} : std::vector<int>{1, 16, 64, 256};
  for (const Example& example : examples(world.size().fanout)) {
    check_answers(world, example.plan);
    double round_trips = 0;
    for (const int concurrency : concurrencies) {
      Row row = measure(world, example, concurrency, smoke);
      if (concurrency == 1) round_trips = row.round_trips;
      row.round_trips = round_trips;
      row.limit = bench::limit_of(example.mix, limits);
      print(row);
      rows.push_back(row);
    }
  }
  return rows;
}

void run_client(bench::World& world, bool smoke) {
  std::printf("\n%-12s %10s %10s %8s %8s\n", "client", "us/command", "hiredis", "ratio", "bar us");
  for (const bench::ClientCost& cost : bench::measure_client_cost(world, smoke ? 1 : 60)) {
    std::printf("%-12s %10.2f %10.2f %8.2f %8.1f\n",
                cost.name.c_str(),
                cost.ours_us,
                cost.hiredis_us,
                cost.ours_us / cost.hiredis_us,
                cost.bar_us);
  }
}

/// Shows how much longer a request that runs alone takes when its lists are 100 long instead of 1,
/// and how much of that time the server needs.
void run_latency(bool smoke) {
  constexpr double kRatioMax = 2;
  const int large = smoke ? 3 : 100;
  std::printf("\n%-15s %12s %12s %8s %18s %18s %8s\n",
              "alone, p50 us",
              "fan-out 1",
              base::format("fan-out {}", large).c_str(),
              "ratio",
              "Redis alone, 1",
              base::format("Redis alone, {}", large).c_str(),
              "bar");
  const bench::DataSize size{.users = smoke ? 20 : 300, .items = smoke ? 50 : 50'000, .fanout = 1};
  bench::DataSize large_size = size;
  large_size.fanout = large;
  bench::World narrow(size);
  bench::World wide(large_size);
  for (const Example& example : examples(1)) {
    const bool has_media = example.mix.media != 0;
    const bench::Latency one = bench::measure_latency(narrow, example.plan, has_media);
    const bench::Latency many = bench::measure_latency(wide, example.plan, has_media);
    const double ratio = many.ours_us / one.ours_us;
    std::printf("%-15s %12.0f %12.0f %8.2f %18.0f %18.0f %8.1f %s\n",
                example.plan.c_str(),
                one.ours_us,
                many.ours_us,
                ratio,
                one.redis_us,
                many.redis_us,
                kRatioMax,
                smoke ? "" : (ratio <= kRatioMax ? "ok" : "MISSED"));
  }
}

void run(const Options& options) {
  std::printf("%-15s %6s %11s %14s %14s %11s %9s %9s %12s %6s\n",
              "plan",
              "fanout",
              "concurrency",
              "requests/s",
              "commands/s",
              "round trips",
              "p50 us",
              "p99 us",
              "redis limit",
              "share");
  std::string json;
  for (const int fanout : fanouts(options)) {
    const bench::DataSize size{
        .users = options.smoke ? 20 : 2000, .items = options.smoke ? 50 : 50'000, .fanout = fanout};
    bench::World world(size);
    for (const Row& row : run_plans(world, options.smoke)) json += to_json(row);
    if (fanout != 100 && options.client) run_client(world, options.smoke);
  }
  if (options.fanout == 0) run_latency(options.smoke);
  if (!options.json_file.empty()) std::ofstream(options.json_file) << json;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Options options;
  const std::span<char*> words(argv + 1, static_cast<std::size_t>(argc - 1));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = words[i];
    if (name == "--smoke") {
      options.smoke = true;
    } else if (name == "--no-client") {
      options.client = false;
    } else if (name == "--fanout" && i + 1 < words.size()) {
      options.fanout = std::max(1, std::atoi(words[++i]));
    } else if (name == "--json" && i + 1 < words.size()) {
      options.json_file = words[++i];
    } else {
      std::fputs(kUsage.data(), name == "--help" || name == "-h" ? stdout : stderr);
      return name == "--help" || name == "-h" ? 0 : 2;
    }
  }
  try {
    run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_redis: %s\n", error.what());
    return 1;
  }
  return 0;
}
