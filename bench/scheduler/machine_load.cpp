#include "scheduler/machine_load.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace millrace::bench {
namespace {

double to_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

MachineLoad::MachineLoad() : start_(read()) {}

MachineLoad::Times MachineLoad::read() {
  Times times;
  // First line: "cpu" user nice system idle iowait irq softirq steal guest guest_nice, in ticks.
  // Guest time is part of user time.
  std::ifstream file("/proc/stat");
  std::string label;
  file >> label;
  const auto ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  double ticks = 0;
  for (int field = 0; field < 8 && file >> ticks; ++field) {
    const bool idle = field == 3 || field == 4;
    times.all += ticks / ticks_per_second;
    if (idle) times.idle += ticks / ticks_per_second;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  times.own = to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
  return times;
}

double MachineLoad::foreign_share() const {
  const Times now = read();
  const double passed = now.all - start_.all;
  if (passed <= 0) return 0;
  const double busy = passed - (now.idle - start_.idle);
  return std::max(0.0, (busy - (now.own - start_.own)) / passed);
}

}  // namespace millrace::bench
