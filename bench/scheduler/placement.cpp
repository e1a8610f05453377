#include "scheduler/placement.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "scheduler/engine.h"
#include "scheduler/shape.h"
#include "scheduler/workload.h"
#include "support/threads.h"

namespace millrace::bench {
namespace {

// Runs a fan long enough that engines which start threads on demand start them all.
void start_threads(Engine& engine) {
  const Shape shape = make_fan(64);
  Workload workload(shape, 10'000, 1);
  workload.begin_timed();
  engine.prepare(workload)->run({.count = 8});
}

}  // namespace

Placement::Placement(bool enabled) : enabled_(enabled), processors_(usable_processors()) {}

std::unique_ptr<Engine> Placement::make_engine(const EngineEntry& entry, unsigned workers) {
  // Threads inherit the placement of the thread that starts them.
  release_this_thread();
  const std::vector<pid_t> before = list_threads();
  std::unique_ptr<Engine> engine = entry.make(workers);
  start_threads(*engine);
  unsigned index = engine->caller_works() ? 1 : 0;
  for (const pid_t thread : list_threads()) {
    if (!std::binary_search(before.begin(), before.end(), thread)) place(thread, index++);
  }
  place_this_thread(0);
  return engine;
}

void Placement::place_this_thread(unsigned index) const { place(gettid(), index); }

void Placement::place(pid_t thread, unsigned index) const {
  if (!enabled_ || processors_.empty()) return;
  place_thread(thread, {processors_[index % processors_.size()]});
}

void Placement::release_this_thread() const {
  if (enabled_) place_thread(0, processors_);
}

}  // namespace millrace::bench
