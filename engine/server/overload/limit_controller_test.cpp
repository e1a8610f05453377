#include "server/overload/limit_controller.h"

#include <chrono>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/check.h"
#include "loop/fake_loop.h"

namespace millrace::server {
namespace {

using namespace std::chrono_literals;

struct SetGauge final : runtime::ReadyGauge {
  [[nodiscard]] std::int64_t ready_count() const override { return count; }
  std::int64_t count = 0;
};

class LimitControllerTest : public ::testing::Test {
 protected:
  LimitControllerTest() {
    clock.advance(1h);
    auto made = runtime::Admission::create({.class_shares = {1, 0.9, 0.7, 0.5}}, gauge);
    MR_CHECK(made.has_value());
    admission = *std::move(made);
    controller =
        std::make_unique<LimitController>(LimitController::Parts{*admission, workers, gauge, clock},
                                          runtime::AdaptiveLimitSettings{});
  }
  /// Keeps so many runs in flight.
  void fill(std::size_t count) {
    while (permits.size() < count) {
      auto permit =
          admission->try_admit({.now = clock.now(), .priority = runtime::Priority::kHigh});
      ASSERT_TRUE(permit);
      permits.push_back(*std::move(permit));
    }
  }
  void pass_window(base::Duration delay) {
    const std::vector<base::Duration> samples(16, delay);
    clock.advance(100ms);
    controller->add_samples(samples);
  }

  base::ManualClock clock;
  loop::FakeLoop workers{clock};
  SetGauge gauge;
  std::unique_ptr<runtime::Admission> admission;
  std::unique_ptr<LimitController> controller;
  std::vector<runtime::AdmissionPermit> permits;
};

TEST_F(LimitControllerTest, S31_TheAdmissionGetsTheLimit) {
  EXPECT_EQ(admission->stats().limit, 256);
  fill(200);
  pass_window(20ms);
  EXPECT_EQ(admission->stats().limit, 160);  // 256 * (1 + 5/20) / 2
  // 200 are in flight: nobody enters until enough have left.
  EXPECT_FALSE(admission->try_admit({.now = clock.now(), .priority = runtime::Priority::kHigh}));
  permits.resize(159);
  EXPECT_TRUE(admission->try_admit({.now = clock.now(), .priority = runtime::Priority::kHigh}));
}

TEST_F(LimitControllerTest, S31_WhatNodesWaitForAWorkerIsPartOfTheDelay) {
  fill(200);
  gauge.count = 5;
  pass_window(1ms);  // grows to 282, and sends the probe
  EXPECT_EQ(admission->stats().limit, 282);
  clock.advance(19ms);
  EXPECT_EQ(controller->worker_delay(), base::Duration(19ms));  // still waiting
  workers.run_ready();
  clock.advance(1s);
  EXPECT_EQ(controller->worker_delay(), base::Duration(19ms));
  const std::vector<base::Duration> samples(16, 1ms);
  controller->add_samples(samples);  // d = 20 ms
  EXPECT_EQ(admission->stats().limit, 176);
  workers.run_ready();
  gauge.count = 0;
  clock.advance(10ms);
  controller->add_samples(samples);
  EXPECT_EQ(controller->worker_delay(), base::Duration(0));
}

TEST_F(LimitControllerTest, S31_AProbeThatPassesTheQueueDoesNotHideIt) {
  fill(200);
  gauge.count = 5;
  const auto probe = [&](base::Duration wait) {
    clock.advance(5ms);
    controller->add_samples(std::vector<base::Duration>(1, 0ms));
    clock.advance(wait);
    workers.run_ready();
  };
  probe(40ms);
  EXPECT_EQ(controller->worker_delay(), base::Duration(40ms));
  probe(0ms);
  EXPECT_EQ(controller->worker_delay(), base::Duration(20ms));
  probe(40ms);
  EXPECT_EQ(controller->worker_delay(), base::Duration(30ms));
  // What was before the queue ran empty does not count.
  gauge.count = 0;
  clock.advance(5ms);
  controller->add_samples(std::vector<base::Duration>(1, 0ms));
  gauge.count = 5;
  probe(8ms);
  EXPECT_EQ(controller->worker_delay(), base::Duration(8ms));
}

TEST_F(LimitControllerTest, S31_OneProbeAtATimeAndNoneWithoutAQueue) {
  pass_window(1ms);
  EXPECT_FALSE(workers.has_ready());
  gauge.count = 1;
  pass_window(1ms);
  pass_window(1ms);
  EXPECT_EQ(workers.run_ready(), 1U);
}

}  // namespace
}  // namespace millrace::server
