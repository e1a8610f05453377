#include "bench/serve/served.h"

#include <string>

#include <time.h>

#include "base/check.h"
#include "bench/serve/rankd_process.h"
#include "support/threads.h"

namespace millrace::bench {

const std::string& reply_body() {
  static const std::string body(256, 'r');
  return body;
}

void place_served(const Served& server) { place_thread(server.thread(), placement().servers); }

double cpu_seconds(pid_t thread) {
  // The kernel's form of a clock of a thread: its number inverted, and the kind.
  constexpr int kThreadCpuClock = 6;
  const auto clock =
      static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3U) | kThreadCpuClock);
  timespec time{};
  const int result = ::clock_gettime(clock, &time);
  MR_CHECK(result == 0, result);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace millrace::bench
