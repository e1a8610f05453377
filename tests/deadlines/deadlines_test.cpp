// Requests with random deadlines over plans whose hints and estimates are wrong: every request is
// answered, and no late answer is ok. How late the others are is only printed; a benchmark checks
// that.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <semaphore>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/random.h"
#include "host/engine.h"
#include "host/host_fixture.h"
#include "host/project.h"
#include "rank/ranker.h"
#include "rank/request.h"

namespace millrace::host::testing {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr int kPlanCount = 24;
constexpr int kSlots = 16;
/// The most by which an ok answer may miss its deadline (C11).
constexpr base::Duration kLatenessMax = milliseconds(1);

int number_of(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::max(1, std::atoi(text)) : otherwise;
}

int request_count() { return number_of("MILLRACE_DEADLINE_REQUESTS", 2000); }

/// A chain of a source, expensive expressions and a body that only uses time, with hints and
/// estimates that do not match the costs of the nodes. Some answer with all of their rows.
std::string random_plan(int number, base::Random& random) {
  const auto below = [&](std::uint64_t limit) { return random.below(limit); };
  std::int64_t rows = 1;
  for (std::uint64_t power = below(6); power > 0; --power) rows *= 10;
  const auto scheduling = [&]() -> std::string {
    switch (below(4)) {
      case 0:
        return R"(, "scheduling": {"inline": true})";
      case 1:
        return R"(, "scheduling": {"inline": true, "cost_estimate_us": 1})";
      case 2:
        return R"(, "scheduling": {"cost_estimate_us": 2})";
      default:
        return "";
    }
  };
  std::string expr = "id * 0.5";
  for (std::uint64_t term = below(30); term > 0; --term) expr += " + pow(id, 0.37)";
  std::string text = base::format(
      R"({{"schema_version": 1, "name": "p{}", "outputs": ["t"], "output_keys": ["id", "score"], "nodes": [
        {{"id": "s", "op": "fixed_source", "inputs": [], "params": {{"row_count": {}}}}},
        {{"id": "f", "op": "vm", "inputs": ["s"], "params": {{"out_key": "score", "expr": "{}"}}{}}},
        {{"id": "b", "op": "busy_cpu", "inputs": ["f"], "params": {{"busy_wait_ms": {}}}{}}},
        {{"id": "k", "op": "sort", "inputs": ["b"], "params": {{"key": "score", "order": "desc"}}{}}},
        {{"id": "t", "op": "take", "inputs": ["k"], "params": {{"count": {}}}}}]}})",
      number,
      rows,
      expr,
      scheduling(),
      below(3) == 0 ? below(30) : 0,
      scheduling(),
      scheduling(),
      below(3) == 0 ? rows : 5);
  return text;
}

class TimedCall final : public rank::RankCall {
 public:
  explicit TimedCall(std::counting_semaphore<>& answered) : answered_(answered) {}
  base::Duration deadline{};
  base::TimePoint sent{};
  base::TimePoint answered_at{};
  bool is_open = false;

 private:
  void on_answer() override {
    answered_at = base::steady_clock().now();
    answered_.release();
  }
  std::counting_semaphore<>& answered_;
};

/// Counts of all answers.
struct Tally {
  int ok = 0;
  int late_and_ok = 0;
  std::vector<double> lateness_ms;
  std::string first_wrong;

  void add(const TimedCall& call) {
    const base::Duration late = call.took() - call.deadline;
    ok += call.ok() ? 1 : 0;
    if (call.ok() && late > kLatenessMax) {
      ++late_and_ok;
      if (first_wrong.empty()) first_wrong = call.response();
    }
    lateness_ms.push_back(
        duration<double, std::milli>(call.answered_at - call.sent - call.deadline).count());
  }
  void print() {
    std::sort(lateness_ms.begin(), lateness_ms.end());
    const auto at = [&](double share) {
      return lateness_ms[static_cast<std::size_t>(share *
                                                  static_cast<double>(lateness_ms.size() - 1))];
    };
    std::printf(
        "%zu answers, %d ok; after the deadline: p99 %.2f ms, p99.9 %.2f ms, worst %.2f ms\n",
        lateness_ms.size(),
        ok,
        at(0.99),
        at(0.999),
        lateness_ms.back());
  }
};

class DeadlinesTest : public ::testing::Test {
 protected:
  DeadlinesTest() {
    for (int number = 0; number < kPlanCount; ++number) {
      settings_.plan_files.push_back(
          folder_.write(base::format("p{}.plan.json", number), random_plan(number, random_)));
    }
    settings_.loops = 2;
    project_ = open_project(settings_);
    engine_ = start_engine(settings_, *project_);
  }

  base::SplitMix64 random_{static_cast<std::uint64_t>(number_of("MILLRACE_DEADLINE_SEED", 7))};
  const TempFolder folder_;
  Settings settings_ = repository_settings();
  std::unique_ptr<Project> project_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(DeadlinesTest, C11_NoAnswerIsLateAndOk) {
  std::counting_semaphore<> answered(0);
  std::vector<std::unique_ptr<TimedCall>> calls;
  for (int slot = 0; slot < kSlots; ++slot) calls.push_back(std::make_unique<TimedCall>(answered));
  rank::RequestReader reader;
  Tally tally;
  const int count = request_count();
  // Sends requests in waves: every request of a wave is answered before the next wave begins.
  for (int sent = 0; sent < count;) {
    int open = 0;
    for (; open < kSlots && sent < count; ++open, ++sent) {
      TimedCall& call = *calls[static_cast<std::size_t>(open)];
      call.deadline = std::chrono::microseconds(200 + random_.below(49'800));
      const std::string request =
          base::format(R"({{"user_id": 1, "plan": "p{}", "deadline_ms": {}}})",
                       random_.below(kPlanCount),
                       duration<double, std::milli>(call.deadline).count());
      call.sent = base::steady_clock().now();
      engine_->ranker(static_cast<std::size_t>(open) % 2).start(call, reader, request);
    }
    for (int call = 0; call < open; ++call) answered.acquire();
    for (int call = 0; call < open; ++call) tally.add(*calls[static_cast<std::size_t>(call)]);
  }
  tally.print();
  EXPECT_EQ(tally.late_and_ok, 0) << tally.first_wrong;
  EXPECT_GT(tally.ok, 0);
}

}  // namespace
}  // namespace millrace::host::testing
