#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/admission.h"
#include "runtime/ready_gauge.h"

namespace millrace::runtime {
namespace {

class SharedGauge final : public ReadyGauge {
 public:
  [[nodiscard]] std::int64_t ready_count() const override {
    return ready.load(std::memory_order_relaxed);
  }
  // A count that publishes nothing.
  std::atomic<std::int64_t> ready{0};
};

/// What one thread does: asks, works on what it was given, abandons some, gives back.
class StressThread {
 public:
  StressThread(std::uint64_t seed, Admission& gate, SharedGauge& gauge)
      : gate_(gate), gauge_(gauge), random_(seed) {}

  void work(int ask_count) {
    constexpr std::uint32_t kNodes = 3;
    for (int i = 0; i < ask_count; ++i) {
      const base::TimePoint now{base::Duration(i)};
      const base::TimePoint deadline = now + base::Duration(random_.below(50));
      auto permit = gate_.try_admit({.now = now, .deadline = deadline, .node_count = kNodes});
      permit ? ++accepted : ++refused;
      if (permit) {
        gauge_.ready.fetch_add(kNodes, std::memory_order_relaxed);
        if (random_.chance(0.2)) permit->abandon();
        gauge_.ready.fetch_sub(kNodes, std::memory_order_relaxed);
        if (random_.chance(0.5)) kept_.push_back(*std::move(permit));
      }
      if (random_.chance(0.3)) kept_.clear();
    }
    kept_.clear();
  }

  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;

 private:
  Admission& gate_;
  SharedGauge& gauge_;
  base::SplitMix64 random_;
  std::vector<AdmissionPermit> kept_;
};

TEST(AdmissionConcurrencyTest, B4_EveryRunIsDecidedExactlyOnceUnderContention) {
  constexpr std::size_t kThreadCount = 4;
  constexpr int kAskCount = 2000;
  SharedGauge gauge;
  const auto gate =
      Admission::create({.high_water = 8, .low_water = 4, .inflight_max = 8}, gauge).value();
  std::vector<std::unique_ptr<StressThread>> parts;
  parts.reserve(kThreadCount);
  for (std::size_t i = 0; i < kThreadCount; ++i)
    parts.push_back(std::make_unique<StressThread>(i + 1, *gate, gauge));
  {
    std::vector<std::jthread> threads;
    threads.reserve(parts.size());
    for (const auto& part : parts) threads.emplace_back([&part] { part->work(kAskCount); });
  }
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  for (const auto& part : parts) {
    accepted += part->accepted;
    refused += part->refused;
  }
  const AdmissionStats stats = gate->stats();
  EXPECT_EQ(accepted + refused, kThreadCount * kAskCount);
  EXPECT_EQ(stats.accepted, accepted);
  EXPECT_EQ(stats.refused, refused);
  EXPECT_EQ(stats.run_count, 0);
  EXPECT_EQ(stats.abandoned_count, 0);
}

TEST(AdmissionConcurrencyTest, B4_NeverMorePermitsThanAllowed) {
  constexpr std::int64_t kAllowed = 3;
  SharedGauge gauge;
  const auto gate = Admission::create({.inflight_max = kAllowed}, gauge).value();
  // Publishes nothing: a count of permits that are out.
  std::atomic<std::int64_t> out{0};
  std::atomic<bool> too_many{false};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        for (int turn = 0; turn < 2000; ++turn) {
          const auto permit = gate->try_admit({.now = {}, .node_count = 1});
          if (!permit) continue;
          if (out.fetch_add(1) >= kAllowed) too_many = true;
          out.fetch_sub(1);
        }
      });
    }
  }
  EXPECT_FALSE(too_many);
}

}  // namespace
}  // namespace millrace::runtime
