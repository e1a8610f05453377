#include "server/overload/own_delay_sampler.h"

#include <chrono>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "loop/fake_loop.h"

namespace millrace::server {
namespace {

using namespace std::chrono_literals;

struct EmptyGauge final : runtime::ReadyGauge {
  [[nodiscard]] std::int64_t ready_count() const override { return 0; }
};

class OwnDelaySamplerTest : public ::testing::Test {
 protected:
  base::ManualClock clock;
  loop::FakeLoop workers{clock};
  EmptyGauge gauge;
  std::unique_ptr<runtime::Admission> admission = runtime::Admission::create({}, gauge).value();
  LimitController controller{{*admission, workers, gauge, clock}, {}};
};

TEST_F(OwnDelaySamplerTest, S31_BusyLoopsSampleOneRequestOfFour) {
  OwnDelaySampler sampler(&controller);
  int taken = 0;
  for (int request = 0; request < 640; ++request) {  // 200 per second
    clock.advance(5ms);
    taken += sampler.wants_sample(clock.now()) ? 1 : 0;
  }
  EXPECT_EQ(taken, 640);
  taken = 0;
  for (int request = 0; request < 6400; ++request) {  // 2000 per second
    clock.advance(500us);
    taken += sampler.wants_sample(clock.now()) ? 1 : 0;
  }
  EXPECT_GE(taken, 1600);
  EXPECT_LE(taken, 1600 + 64);
}

TEST_F(OwnDelaySamplerTest, S31_SamplesReachTheControllerInGroups) {
  std::vector<runtime::AdmissionPermit> permits;
  for (int run = 0; run < 200; ++run)
    permits.push_back(*admission->try_admit({.now = clock.now()}));
  OwnDelaySampler sampler(&controller);
  for (int request = 0; request < 64; ++request) {
    clock.advance(10ms);
    sampler.add(20ms, clock.now());
  }
  EXPECT_LT(admission->stats().limit, 256);
  EXPECT_NEAR(sampler.delays().sum(), 64 * 0.02, 1e-9);
}

}  // namespace
}  // namespace millrace::server
