#include "bench/redis/redis_limit.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "base/format.h"

namespace millrace::bench {
namespace {

double limit_of_command(World& world, const std::string& command, int keys, int requests) {
  const std::string out = live::run_line(
      base::format("redis-benchmark -h 127.0.0.1 -p {} -c 50 -P 64 -n {} -r {} --csv {}",
                   world.server().port(),
                   requests,
                   keys,
                   command));
  // The last line is `"NAME","REQUESTS PER SECOND",…`.
  const std::size_t line = out.rfind('\n', out.size() - 2);
  const std::size_t number = out.find("\",\"", line == std::string::npos ? 0 : line);
  if (number == std::string::npos) throw std::runtime_error("redis-benchmark said: " + out);
  return std::atof(out.c_str() + number + 3);
}

}  // namespace

CommandLimits measure_limits(World& world, int requests) {
  const DataSize& size = world.size();
  return {
      .hgetall = limit_of_command(world, "HGETALL user:__rand_int__", size.users, requests),
      .follow = limit_of_command(world, "LRANGE follow:__rand_int__ 0 99", size.users, requests),
      .media = limit_of_command(world, "LRANGE media:__rand_int__ 0 99", size.items, requests)};
}

double limit_of(const CommandMix& mix, const CommandLimits& limits) {
  const double seconds =
      mix.hgetall / limits.hgetall + mix.follow / limits.follow + mix.media / limits.media;
  return mix.total() / seconds;
}

}  // namespace millrace::bench
