#include "bench/nats/bus_load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <semaphore>

#include "base/error.h"
#include "base/format.h"
#include "bench/nats/bus_process.h"

namespace millrace::bench {
namespace {

constexpr base::Duration kAnswerMax = std::chrono::seconds(30);

/// Each answer asks for the next request, on the thread on which it comes.
class Loader {
 public:
  Loader(nats::RequestBox& box, const BusLoad& load) : box_(box), load_(load) {}

  BusOutcome run() {
    const base::TimePoint begin = base::steady_clock().now();
    const std::size_t at_once = std::min(load_.outstanding, load_.requests);
    for (std::size_t i = 0; i < at_once; ++i) ask_next();
    for (std::size_t i = 0; i < at_once; ++i) over_.acquire();
    return {.elapsed = base::steady_clock().now() - begin,
            .wrong = wrong_.load(),
            .failed = failed_.load()};
  }

 private:
  void ask_next() {
    const std::size_t number = next_.fetch_add(1);
    if (number >= load_.requests) return over_.release();
    box_.ask(
        load_.make(number), kAnswerMax, [this, number](const base::Result<nats::Message>& answer) {
          if (!answer) {
            failed_.fetch_add(1);
          } else if (!load_.is_right(number, *answer)) {
            wrong_.fetch_add(1);
          }
          ask_next();
        });
  }

  nats::RequestBox& box_;
  const BusLoad& load_;
  std::atomic<std::size_t> next_{0};    // publishes nothing, as do the others
  std::atomic<std::size_t> wrong_{0};   // read when all is over
  std::atomic<std::size_t> failed_{0};  // read when all is over
  std::counting_semaphore<> over_{0};
};

}  // namespace

double BusOutcome::per_second(std::size_t requests) const {
  return static_cast<double>(requests) / std::chrono::duration<double>(elapsed).count();
}

BusOutcome run_load(nats::RequestBox& box, const BusLoad& load) { return Loader(box, load).run(); }

base::Result<double> rate_of(nats::RequestBox& box, const BusLoad& load) {
  const BusOutcome outcome = run_load(box, load);
  if (outcome.wrong + outcome.failed == 0) return outcome.per_second(load.requests);
  return base::fail(base::ErrorCode::kInternal,
                    base::format("Of {} requests {} were answered wrong and {} not at all",
                                 load.requests,
                                 outcome.wrong,
                                 outcome.failed));
}

base::Status await_responder(nats::RequestBox& box, const nats::Message& request) {
  const base::TimePoint begin = base::steady_clock().now();
  while (base::steady_clock().now() - begin < kAnswerMax) {
    if (box.ask_and_wait(request, kAnswerMax)) return {};
    wait_a_moment();
  }
  return base::fail(base::ErrorCode::kUnavailable, "Nobody answers", request.subject);
}

}  // namespace millrace::bench
