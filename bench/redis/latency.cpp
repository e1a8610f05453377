#include "bench/redis/latency.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "bench/redis/plan_load.h"
#include "bench/redis/raw_exchange.h"

namespace millrace::bench {
namespace {

std::string list_command(std::string_view prefix, std::string_view id) {
  return command_text({"LRANGE", base::format("{}:{}", prefix, id), "0", "99"});
}

/// The items of a reply to LRANGE: every second line after the first.
std::vector<std::string> items_of(std::string_view reply) {
  std::vector<std::string> lines;
  while (!reply.empty()) {
    const std::size_t end = reply.find("\r\n");
    lines.emplace_back(reply.substr(0, end));
    reply.remove_prefix(end + 2);
  }
  std::vector<std::string> items;
  for (std::size_t i = 2; i < lines.size(); i += 2) items.push_back(lines[i]);
  return items;
}

double redis_median_us(World& world, bool has_media) {
  RawExchange exchange(world.server().port());
  std::vector<double> times;
  const int users = std::min(world.size().users, 300);
  for (int user = 0; user < users; ++user) {
    const std::string id = std::to_string(user);
    std::vector<std::string> levels{command_text({"HGETALL", "user:" + id}),
                                    list_command("follow", id)};
    if (has_media) {
      std::string media;
      for (const std::string_view prefix : {"follow", "recommendation"}) {
        for (const std::string& item : items_of(exchange.ask(list_command(prefix, id)))) {
          media += list_command("media", item);
        }
      }
      levels.back() += list_command("recommendation", id);
      levels.push_back(media);
    }
    base::Duration total{};
    for (const std::string& level : levels) {
      const std::size_t reply_bytes = exchange.ask(level).size();
      total += exchange.time(level, reply_bytes);
    }
    times.push_back(std::chrono::duration<double, std::micro>(total).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

}  // namespace

Latency measure_latency(World& world, const std::string& plan, bool has_media) {
  LoadOptions load{.plan = plan,
                   .users = std::min(world.size().users, 300),
                   .concurrency = 1,
                   .time = {},
                   .requests_min = 300};
  static_cast<void>(run_load(world.redis(), load));
  Latency latency;
  latency.ours_us = run_load(world.redis(), load).percentile_us(0.5);
  latency.redis_us = redis_median_us(world, has_media);
  return latency;
}

}  // namespace millrace::bench
