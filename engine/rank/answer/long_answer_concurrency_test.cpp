#include <atomic>
#include <semaphore>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "base/format.h"
#include "base/random.h"
#include "rank/explain/explain_fixture.h"
#include "rank/ranker.h"

// Long answers whose deadlines come at any time: before a worker has begun to write, while it
// writes, and after that. Each request is answered once, and what a late writer reads is there as
// long as it reads.

namespace millrace::rank::testing {
namespace {

class LongCall final : public RankCall {
 public:
  void start(Ranker& ranker, std::string_view request) { ranker.start(*this, reader_, request); }
  void wait() {
    answered_.acquire();
    EXPECT_FALSE(answered_.try_acquire());
  }

 private:
  void on_answer() override { answered_.release(); }
  RequestReader reader_;
  std::counting_semaphore<> answered_{0};
};

TEST(LongAnswerConcurrencyTest, C2_EachIsAnsweredOnceWheneverItsDeadlineComes) {
  constexpr int kRequests = 60;
  constexpr int kAtATime = 3;
  base::SplitMix64 random(17);
  int late_count = 0;
  ExplainEngine engine;
  engine.load(R"([
      {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 60000}},
      {"id": "nap", "op": "sleep", "inputs": ["src"], "params": {"duration_ms": 0}}])",
              R"(["nap"])");
  for (int request = 0; request < kRequests; ++request) {
    LongCall calls[kAtATime];
    for (LongCall& call : calls) {
      call.start(engine.ranker(),
                 base::format(R"({{"user_id": 1, "request_id": "r{}", "deadline_ms": {}{}}})",
                              request,
                              0.2 + 0.05 * static_cast<double>(random.below(800)),
                              random.chance(0.2) ? R"(, "explain": {"ids": [7, 8]})" : ""));
    }
    if (random.chance(0.3)) calls[0].cancel();
    for (LongCall& call : calls) {
      call.wait();
      late_count += call.outcome() == RankOutcome::kDeadline ? 1 : 0;
      if (call.ok()) EXPECT_EQ(call.candidate_count(), 60'000U);
    }
  }
  // On a machine that is slow enough none may be in time.
  EXPECT_GT(late_count, 0);
  engine.stop();
}

}  // namespace
}  // namespace millrace::rank::testing
