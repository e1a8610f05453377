#include "bench/offload/round_trip.h"

#include <chrono>
#include <semaphore>
#include <vector>

#include "base/clock.h"
#include "loop/awaitables.h"
#include "loop/event_loop.h"
#include "loop/task.h"
#include "runtime/worker_pool.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

using std::chrono::milliseconds;

// Long enough for a worker to stop spinning and fall asleep.
constexpr milliseconds kPause{3};

struct Trips {
  loop::EventLoop* loop = nullptr;
  runtime::WorkerPool* workers = nullptr;
  int count = 0;
  bool pauses = false;
  std::vector<double>* out = nullptr;
};

loop::Task<base::Status> travel(Trips trips) {
  for (int trip = 0; trip < trips.count; ++trip) {
    if (trips.pauses) {
      const base::TimePoint later = base::steady_clock().now() + kPause;
      const base::Status slept = co_await loop::sleep_until(*trips.loop, later, {});
      if (!slept) co_return slept;
    }
    const base::TimePoint start = base::steady_clock().now();
    co_await loop::on(*trips.workers);
    co_await loop::on(*trips.loop);
    const base::Duration took = base::steady_clock().now() - start;
    trips.out->push_back(std::chrono::duration<double, std::nano>(took).count());
  }
  co_return base::Status();
}

struct Waiter final : loop::Completion<base::Status> {
  Waiter()
      : Completion([](Completion& self, base::Status status) {
          auto& waiter = static_cast<Waiter&>(self);
          waiter.status = std::move(status);
          waiter.done.release();
        }) {}
  base::Status status;
  std::binary_semaphore done{0};
};

// Starts the task on the loop, because tasks must be made there.
struct StartJob final : loop::Job {
  StartJob(const Trips& all, Waiter& waiting) : Job(&run_start), trips(all), waiter(waiting) {}
  static void run_start(loop::Job& job) {
    auto& self = static_cast<StartJob&>(job);
    loop::start(*self.trips.loop, travel(self.trips), self.waiter);
  }
  const Trips trips;
  Waiter& waiter;
};

base::Result<double> median_trip(const Trips& trips) {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(trips.count));
  Trips noted = trips;
  noted.out = &times;
  Waiter waiter;
  StartJob job(noted, waiter);
  trips.loop->post(job);
  waiter.done.acquire();
  MR_TRY_STATUS(waiter.status);
  return median(times);
}

}  // namespace

base::Result<RoundTrips> measure_round_trips(int count) {
  MR_TRY(const auto loop, loop::EventLoop::create());
  MR_TRY(const auto workers,
         runtime::WorkerPool::create({.compute_threads = 1, .callers_help = false}));
  RoundTrips result;
  const Trips trips{.loop = loop.get(), .workers = workers.get(), .count = count};
  MR_TRY(result.spinning_ns, median_trip(trips));
  Trips pausing = trips;
  pausing.count = count / 10 + 1;
  pausing.pauses = true;
  MR_TRY(result.parked_ns, median_trip(pausing));
  loop->stop();
  return result;
}

}  // namespace millrace::bench
