#include "support/threads.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <sched.h>
#include <sys/types.h>

namespace millrace::bench {

std::vector<pid_t> list_threads() {
  std::vector<pid_t> threads;
  DIR* directory = opendir("/proc/self/task");
  if (directory == nullptr) return threads;
  while (const dirent* entry = readdir(directory)) {
    const std::string_view name(entry->d_name);
    pid_t thread = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), thread);
    if (parsed.ptr == name.data() + name.size()) threads.push_back(thread);
  }
  closedir(directory);
  std::ranges::sort(threads);
  return threads;
}

std::vector<int> usable_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  std::vector<int> processors;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) processors.push_back(processor);
  }
  return processors;
}

void place_thread(pid_t thread, const std::vector<int>& processors) {
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const int processor : processors) CPU_SET(processor, &chosen);
  static_cast<void>(sched_setaffinity(thread, sizeof(chosen), &chosen));
}

}  // namespace millrace::bench
