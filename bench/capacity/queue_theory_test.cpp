#include "bench/capacity/queue_theory.h"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace millrace::bench {
namespace {

// A part of 4 % holds for this many jobs and seeds; `./dev capacity` plays more and asks for 2 %.
constexpr std::uint64_t kJobs = 200'000;
constexpr double kErrorMax = 0.04;

TEST(QueueTheoryTest, KnownValues) {
  EXPECT_NEAR(mean_response({.arrivals_per_second = 0.5, .service_seconds = 1}), 2, 1e-9);
  EXPECT_NEAR(
      mean_response({.arrivals_per_second = 0.5, .service_seconds = 1, .is_constant = true}),
      1.5,
      1e-9);
  // Erlang C for 2 servers with 1 erlang: 1/3 of the jobs wait.
  EXPECT_NEAR(mean_response({.arrivals_per_second = 1, .service_seconds = 1, .servers = 2}),
              1 + 1.0 / 3,
              1e-9);
  EXPECT_NEAR(
      closed_throughput({.customers = 1, .first_seconds = 1, .second_seconds = 1}), 0.5, 1e-9);
  EXPECT_NEAR(
      closed_throughput({.customers = 2, .first_seconds = 1, .second_seconds = 1}), 2.0 / 3, 1e-9);
}

TEST(QueueTheoryTest, SIZ3_TheSimulatorAgreesWithQueuesWhoseAnswerIsKnown) {
  for (const double use : {0.3, 0.6}) {
    for (const std::uint32_t servers : {1U, 4U}) {
      const QueueLoad load{
          .arrivals_per_second = use * servers, .service_seconds = 1, .servers = servers};
      EXPECT_NEAR(simulated_response(load, kJobs, 7) / mean_response(load), 1, kErrorMax)
          << use << " of " << servers;
    }
    const QueueLoad constant{.arrivals_per_second = use, .service_seconds = 1, .is_constant = true};
    EXPECT_NEAR(simulated_response(constant, kJobs, 7) / mean_response(constant), 1, kErrorMax);
    const ClosedLoad closed{.customers = 8, .first_seconds = 1, .second_seconds = use};
    EXPECT_NEAR(simulated_throughput(closed, kJobs, 7) / closed_throughput(closed), 1, kErrorMax);
  }
}

TEST(QueueTheoryTest, SIZ2_EqualSeedsGiveEqualResults) {
  const QueueLoad load{.arrivals_per_second = 0.8, .service_seconds = 1};
  EXPECT_EQ(simulated_response(load, 1000, 3), simulated_response(load, 1000, 3));
  EXPECT_NE(simulated_response(load, 1000, 3), simulated_response(load, 1000, 4));
}

}  // namespace
}  // namespace millrace::bench
