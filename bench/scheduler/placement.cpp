#include "scheduler/placement.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include "scheduler/workload.h"

namespace millrace::bench {
namespace {

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

// Runs a fan long enough for engines that start their threads when there is work for them.
void start_threads(Engine& engine) {
  const Shape shape = make_fan(64);
  Workload workload(shape, 10'000, 1);
  workload.begin_timed();
  engine.prepare(workload)->run({.count = 8});
}

}  // namespace

Placement::Placement(bool enabled) : enabled_(enabled) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) processors_.push_back(processor);
  }
}

std::unique_ptr<Engine> Placement::make_engine(const EngineEntry& entry, unsigned workers) {
  // Threads inherit the placement of the thread that starts them.
  release_this_thread();
  const std::vector<pid_t> before = list_threads();
  std::unique_ptr<Engine> engine = entry.make(workers);
  start_threads(*engine);
  unsigned index = engine->caller_works() ? 1 : 0;
  for (const pid_t thread : list_threads()) {
    if (!std::ranges::binary_search(before, thread)) place(thread, index++);
  }
  place_this_thread(0);
  return engine;
}

void Placement::place_this_thread(unsigned index) const { place(gettid(), index); }

void Placement::place(pid_t thread, unsigned index) const {
  if (!enabled_ || processors_.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processors_[index % processors_.size()], &one);
  // A thread may have ended meanwhile; there is nothing to place then.
  static_cast<void>(sched_setaffinity(thread, sizeof(one), &one));
}

void Placement::release_this_thread() const {
  if (!enabled_) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const int processor : processors_) CPU_SET(processor, &all);
  static_cast<void>(sched_setaffinity(0, sizeof(all), &all));
}

}  // namespace millrace::bench
