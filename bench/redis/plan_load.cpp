#include "bench/redis/plan_load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <semaphore>
#include <string_view>

#include "base/format.h"
#include "host/waiting_call.h"
#include "rank/ranker.h"
#include "rank/request.h"

namespace millrace::bench {
namespace {

std::string request_of(const std::string& plan, std::int64_t user) {
  return base::format(R"({{"user_id": {}, "plan": "{}"}})", user, plan);
}

/// What all slots share. Threading: any thread.
struct Shared {
  host::Engine& engine;
  const LoadOptions& options;
  const std::vector<std::string>& requests;
  base::TimePoint ends;
  // Counts requests; the semaphore publishes the results of the slots.
  std::atomic<std::int64_t> started{0};
  std::counting_semaphore<> done{0};
};

/// One of the running requests: starts the next one when it is answered.
class Slot final : public rank::RankCall {
 public:
  explicit Slot(Shared& shared) : shared_(shared) {}

  void next() {
    for (;;) {
      const std::int64_t number = shared_.started.fetch_add(1, std::memory_order_relaxed);
      const bool is_late = base::steady_clock().now() >= shared_.ends;
      if (is_late && number >= shared_.options.requests_min) return shared_.done.release();
      const auto& requests = shared_.requests;
      state_.store(kStarting, std::memory_order_relaxed);
      shared_.engine.ranker(0).start(
          *this, reader_, requests[static_cast<std::size_t>(number) % requests.size()]);
      int expected = kStarting;
      if (state_.compare_exchange_strong(expected, kWaiting, std::memory_order_acq_rel)) return;
    }
  }

  std::vector<base::Duration> latencies;
  std::int64_t failed = 0;
  std::string first_error;

 private:
  static constexpr int kStarting = 0;
  static constexpr int kWaiting = 1;
  static constexpr int kAnswered = 2;

  void on_answer() override {
    latencies.push_back(took());
    if (!ok() && failed++ == 0) first_error = response();
    if (state_.exchange(kAnswered, std::memory_order_acq_rel) == kWaiting) next();
  }

  Shared& shared_;
  rank::RequestReader reader_;
  // Passes the slot from the thread that started a request to the one that answered it.
  std::atomic<int> state_{kStarting};
};

}  // namespace

double LoadResult::per_second(double count) const {
  return count / std::chrono::duration<double>(elapsed).count();
}

double LoadResult::percentile_us(double share) const {
  if (latencies.empty()) return 0;
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1));
  return std::chrono::duration<double, std::micro>(latencies[rank]).count();
}

LoadResult run_load(host::Engine& engine, const LoadOptions& options) {
  std::vector<std::string> requests;
  for (int user = 0; user < options.users; ++user) {
    requests.push_back(request_of(options.plan, user));
  }
  LoadResult result;
  const stores::StoreCounters before = engine.store_counters();
  const base::TimePoint begin = base::steady_clock().now();
  Shared shared{
      .engine = engine, .options = options, .requests = requests, .ends = begin + options.time};
  std::vector<std::unique_ptr<Slot>> slots;
  for (int i = 0; i < options.concurrency; ++i) slots.push_back(std::make_unique<Slot>(shared));
  for (const auto& slot : slots) slot->next();
  for (std::size_t i = 0; i < slots.size(); ++i) shared.done.acquire();
  result.elapsed = base::steady_clock().now() - begin;
  for (const auto& slot : slots) {
    result.latencies.insert(result.latencies.end(), slot->latencies.begin(), slot->latencies.end());
    result.failed += slot->failed;
    if (result.first_error.empty()) result.first_error = slot->first_error;
  }
  std::ranges::sort(result.latencies);
  result.requests = static_cast<std::int64_t>(result.latencies.size());
  const stores::StoreCounters after = engine.store_counters();
  result.store = {.commands = after.commands - before.commands,
                  .batches = after.batches - before.batches,
                  .round_trips = after.round_trips - before.round_trips};
  return result;
}

std::string answer_of(host::Engine& engine, const std::string& plan, int user) {
  rank::RequestReader reader;
  host::WaitingCall call;
  call.run(engine.ranker(0), reader, request_of(plan, user));
  const std::string_view response = call.response();
  const std::size_t begin = response.find(R"("candidates":)");
  const std::size_t end = response.find(R"("took_ms":)");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    return std::string(response);
  return std::string(response.substr(begin, end - begin));
}

}  // namespace millrace::bench
