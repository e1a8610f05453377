#include <atomic>
#include <cstdint>
#include <memory>
#include <semaphore>
#include <string>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "base/random.h"
#include "rank/explain/explain_fixture.h"
#include "rank/ranker.h"
#include "runtime/admission.h"

// One thread starts requests of one call again and again while another cancels it whenever it
// likes: before the start, during it, while nodes run on the loop and on workers, at the moment of
// the answer and after it.

namespace millrace::rank::testing {
namespace {

constexpr std::string_view kNodes = R"([
    {"id": "src", "op": "fixed_source", "inputs": [], "params": {"row_count": 50}},
    {"id": "nap", "op": "sleep", "inputs": ["src"], "params": {"duration_ms": 0}},
    {"id": "score", "op": "vm", "inputs": ["nap"], "params": {"out_key": "score", "expr": "id * 0.5"}},
    {"id": "top", "op": "sort", "inputs": ["score"], "params": {"key": "score", "order": "desc"}}])";

class CountingCall final : public RankCall {
 public:
  /// Starts a request and waits for its answer; then no second one may be on its way.
  void run(Ranker& ranker) {
    ranker.start(*this, reader_, R"({"user_id": 1, "deadline_ms": 10000})");
    answered_.acquire();
    EXPECT_FALSE(answered_.try_acquire());
    EXPECT_TRUE(outcome() == RankOutcome::kOk || outcome() == RankOutcome::kCancelled)
        << response();
  }

 private:
  void on_answer() override { answered_.release(); }
  RequestReader reader_;
  std::counting_semaphore<> answered_{0};
};

/// Spends up to some tens of microseconds, each time another number of them, without a clock.
void linger(base::SplitMix64& random) {
  for (std::uint64_t turn = random.below(20'000); turn > 0; --turn)
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

TEST(CancelConcurrencyTest, C7_EveryStartIsAnsweredOnceWheneverItIsCancelled) {
  constexpr int kRequests = 200;
  ExplainEngine engine;
  engine.load(kNodes, R"(["top"])");
  CountingCall call;
  // Tells the canceller to stop; publishes nothing.
  std::atomic<bool> is_over{false};
  std::jthread canceller([&] {
    base::SplitMix64 random(7);
    while (!is_over.load(std::memory_order_relaxed)) {
      linger(random);
      call.cancel();
      std::this_thread::yield();
    }
  });
  for (int request = 0; request < kRequests; ++request) call.run(engine.ranker());
  is_over.store(true, std::memory_order_relaxed);
  canceller.join();
  // Nothing of that time is left behind.
  call.run(engine.ranker());
  EXPECT_EQ(call.outcome(), RankOutcome::kOk);
}

TEST(CancelConcurrencyTest, C7_AFreshCallMayBeCancelledWhileItIsStarted) {
  constexpr int kCalls = 50;
  ExplainEngine engine;
  engine.load(kNodes, R"(["top"])");
  base::SplitMix64 random(11);
  for (int turn = 0; turn < kCalls; ++turn) {
    CountingCall call;
    std::jthread first([&call] { call.cancel(); });
    std::jthread second([&call] { call.cancel(); });
    if (random.chance(0.5)) linger(random);
    call.run(engine.ranker());
  }
}

/// Starts itself again from its answer, as a connection does with its next request.
class ChainedCall final : public RankCall {
 public:
  ChainedCall(Ranker& ranker, int count) : ranker_(ranker), left_(count) {}
  void start() { ranker_.start(*this, reader_, R"({"user_id": 1})"); }
  void wait() { done_.acquire(); }

 private:
  void on_answer() override { --left_ > 0 ? start() : done_.release(); }
  Ranker& ranker_;
  RequestReader reader_;
  int left_;
  std::binary_semaphore done_{0};
};

TEST(CancelConcurrencyTest, B4_C7_PlacesComeBackFromCallsThatStartAgainInTheirAnswer) {
  constexpr int kRequests = 200;
  ExplainEngine engine;
  const auto admission = runtime::Admission::create({.inflight_max = 2}, engine.workers()).value();
  engine.use_admission(*admission);
  engine.load(kNodes, R"(["top"])");
  ChainedCall first(engine.ranker(), kRequests);
  ChainedCall second(engine.ranker(), kRequests);
  ChainedCall third(engine.ranker(), kRequests);
  std::atomic<bool> is_over{false};
  std::jthread canceller([&] {
    base::SplitMix64 random(13);
    while (!is_over.load(std::memory_order_relaxed)) {
      linger(random);
      first.cancel();
      second.cancel();
      std::this_thread::yield();
    }
  });
  for (ChainedCall* const call : {&first, &second, &third}) call->start();
  for (ChainedCall* const call : {&first, &second, &third}) call->wait();
  is_over.store(true, std::memory_order_relaxed);
  canceller.join();
  engine.stop();
  const runtime::AdmissionStats stats = admission->stats();
  EXPECT_EQ(stats.run_count, 0);
  EXPECT_EQ(stats.abandoned_count, 0);
  EXPECT_LE(stats.accepted + stats.refused, 3U * kRequests);
}

}  // namespace
}  // namespace millrace::rank::testing
