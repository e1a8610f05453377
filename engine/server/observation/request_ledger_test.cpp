#include "server/observation/request_ledger.h"

#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using rank::RankOutcome;
using runtime::Priority;

/// What S36 compares: requests received, and those with an outcome or in flight.
struct Balance {
  std::uint64_t received = 0;
  std::uint64_t accounted = 0;
};

Balance balance_of(const RequestLedger& ledger) {
  RequestLedger::Sums sums;
  ledger.add_to(sums);
  Balance balance{.received = sums.received, .accounted = 0};
  for (const std::int64_t count : sums.inflight)
    balance.accounted += static_cast<std::uint64_t>(count);
  for (const auto& [name, plan] : sums.plans)
    balance.accounted =
        std::accumulate(plan.outcomes.begin(), plan.outcomes.end(), balance.accounted);
  return balance;
}

TEST(RequestLedgerTest, S36_CountsReceivedRequestsUntilTheyHaveAnOutcome) {
  RequestLedger ledger;
  ledger.begin(Priority::kNormal);
  ledger.begin(Priority::kNormal);
  ledger.change_class(Priority::kNormal, Priority::kLow);
  ledger.end(ledger.plan("p"),
             {.outcome = RankOutcome::kOk,
              .priority = Priority::kLow,
              .took = std::chrono::microseconds(250),
              .was_run = true});
  RequestLedger::Sums sums;
  ledger.add_to(sums);
  ledger.add_to(sums);  // as if it were two loops
  EXPECT_EQ(sums.received, 4U);
  EXPECT_EQ(sums.inflight, (std::array<std::int64_t, 4>{0, 2, 0, 0}));
  EXPECT_EQ(sums.completed, (std::array<std::uint64_t, 4>{0, 0, 2, 0}));
  const RequestLedger::PlanSums& plan = sums.plans.at("p");
  EXPECT_EQ(plan.outcomes[0], 2U);
  EXPECT_EQ(plan.buckets[1], 2U) << "a bound belongs to its bucket";
  EXPECT_EQ(plan.took_ns, 500'000);
}

TEST(RequestLedgerTest, S44_CountsThoseInFlightOfEachPlan) {
  RequestLedger ledger;
  for (int request = 0; request < 3; ++request) {
    ledger.begin(Priority::kNormal);
    ledger.enter(ledger.plan("p"));
  }
  ledger.begin(Priority::kNormal);  // its plan is not known yet
  const auto in_flight = [&] {
    RequestLedger::Sums sums;
    ledger.add_to(sums);
    return sums.plans.at("p").inflight;
  };
  EXPECT_EQ(in_flight(), 3);
  ledger.end(ledger.plan("p"), {.outcome = RankOutcome::kOk, .was_entered = true});
  ledger.leave(ledger.plan("p"));
  EXPECT_EQ(in_flight(), 1);
  ledger.end(ledger.plan("p"), {.outcome = RankOutcome::kInvalid});  // answered at once
  EXPECT_EQ(in_flight(), 1);
}

TEST(RequestLedgerTest, S39_PlansBeyondABoundShareASeries) {
  RequestLedger ledger;
  for (int plan = 0; plan < 1500; ++plan) {
    ledger.begin(Priority::kNormal);
    ledger.end(ledger.plan("p" + std::to_string(plan)), {.outcome = RankOutcome::kOk});
  }
  RequestLedger::Sums sums;
  ledger.add_to(sums);
  EXPECT_EQ(sums.plans.size(), RequestLedger::kPlansMax + 1);
  EXPECT_EQ(sums.plans.at("other").outcomes[0], 500U);
}

TEST(RequestLedgerTest, S39_TheNewestExemplarOfABucketIsShown) {
  RequestLedger first;
  RequestLedger second;
  const observe::TraceIdBits old_trace{.high = 1, .low = 2};
  const observe::TraceIdBits new_trace{.high = 3, .low = 4};
  const auto count = [](RequestLedger& ledger, const observe::TraceIdBits& trace, int second_now) {
    ledger.begin(Priority::kNormal);
    ledger.end(ledger.plan("p"),
               {.outcome = RankOutcome::kOk,
                .took = std::chrono::milliseconds(3),
                .trace = &trace,
                .now = base::WallTime(std::chrono::seconds(second_now))});
  };
  count(second, new_trace, 20);
  count(first, old_trace, 10);
  RequestLedger::Sums sums;
  second.add_to(sums);
  first.add_to(sums);
  const observe::Exemplar& shown = sums.plans.at("p").exemplars[5];
  EXPECT_EQ(shown.trace, new_trace);
  EXPECT_EQ(shown.value, 0.003);
  EXPECT_EQ(sums.plans.at("p").exemplars[4].at, base::WallTime());
}

TEST(RequestLedgerTest, S36_TheFrontsBooksBalanceAtEveryStep) {
  FrontRig rig({}, {.inflight_max = 3, .class_shares = {1, 1, 0.5, 0.5}});
  rig.rank.load(small_plan());
  rig.rank.load(slow_plan());
  const RequestLedger& ledger = rig.front().metrics().ledger();
  const auto expect_balance = [&](const std::string& when) {
    const Balance balance = balance_of(ledger);
    EXPECT_EQ(balance.received, balance.accounted) << when;
  };
  std::uint64_t sent = 0;
  const auto send = [&](const std::string& path, const std::string& body) -> auto& {
    ++sent;
    auto& exchange = rig.start("POST", path, body);
    expect_balance("sent " + body);
    return exchange;
  };
  (void)send("/v1/rank/p", R"({"user_id":1})");
  (void)send("/v1/rank/slow", R"({"user_id":1,"priority":"high"})");
  (void)send("/v1/rank/slow", "{");
  (void)send("/v1/rank/none", R"({"user_id":1})");
  (void)send("/v1/rank/slow", R"({"user_id":1,"deadline_ms":1})");
  auto& gone = send("/v1/rank/slow", R"({"user_id":1})");
  for (int request = 0; request < 5; ++request) (void)send("/v1/rank/slow", R"({"user_id":1})");
  gone.receiver->on_gone(net::kHttpClientGone);
  expect_balance("gone");
  while (rig.rank.step()) expect_balance("a step");
  const Balance end = balance_of(ledger);
  EXPECT_EQ(end.received, sent);
  RequestLedger::Sums sums;
  ledger.add_to(sums);
  EXPECT_EQ(sums.completed[0], 1U)
      << "the class of a request is its own, also if it is answered at once";
  EXPECT_EQ(sums.inflight, (std::array<std::int64_t, 4>{}));
}

TEST(RequestLedgerTest, S36_LinesOfABatchCountOnceHoweverOftenTheyAreTried) {
  FrontRig rig({}, {.inflight_max = 2});
  rig.rank.load(slow_plan());
  std::string lines;
  for (int line = 0; line < 12; ++line) lines += "{\"user_id\":1}\n";
  auto& batch = rig.start("POST", "/v1/rank/slow/batch", lines);
  const RequestLedger& ledger = rig.front().metrics().ledger();
  bool has_waited = false;
  while (!batch.is_complete) {
    ASSERT_TRUE(rig.rank.step());
    const Balance balance = balance_of(ledger);
    ASSERT_EQ(balance.received, balance.accounted);
    has_waited = has_waited || rig.front().metrics().waiting().value() > 0;
  }
  EXPECT_TRUE(has_waited);
  EXPECT_EQ(rig.front().metrics().waiting().value(), 0);
  RequestLedger::Sums sums;
  ledger.add_to(sums);
  EXPECT_EQ(sums.received, 12U);
  EXPECT_EQ(sums.plans.at("slow").outcomes[0], 12U);

  auto& dropped = rig.start("POST", "/v1/rank/slow/batch", lines);
  for (int step = 0; step < 5; ++step) (void)rig.rank.step();
  dropped.receiver->on_gone(net::kHttpClientGone);
  rig.rank.drain();
  const Balance balance = balance_of(ledger);
  EXPECT_EQ(balance.received, balance.accounted);
  RequestLedger::Sums after;
  ledger.add_to(after);
  EXPECT_EQ(after.inflight, (std::array<std::int64_t, 4>{})) << "lines that waited are cancelled";
  EXPECT_EQ(rig.front().metrics().waiting().value(), 0);
}

}  // namespace
}  // namespace millrace::server::testing
