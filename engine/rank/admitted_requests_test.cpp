#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rank/ranker.h"
#include "runtime/admission.h"

namespace millrace::rank::testing {
namespace {

using std::chrono_literals::operator""ms;

/// A rig whose requests have to ask first.
class AdmittedRequestsTest : public ::testing::Test {
 protected:
  void open(const runtime::AdmissionSettings& settings) {
    admission = runtime::Admission::create(settings, *rig.pool).value();
    rig.services.admission = admission.get();
  }
  void load_sleep(std::string_view more = "", bool fails = false) {
    rig.load(
        plan_text(source_node(3) +
                      node("slow",
                           "sleep",
                           "src",
                           base::format(R"({{"duration_ms": 50, "fail_after_sleep": {}}})", fails),
                           more),
                  R"(["slow"])"));
  }
  void expect_no_permit_out() {
    rig.drain();
    EXPECT_EQ(admission->stats().run_count, 0);
    EXPECT_EQ(admission->stats().abandoned_count, 0);
  }

  std::unique_ptr<runtime::Admission> admission;  // outlives the runs of the rig
  RankRig rig;
};

TEST_F(AdmittedRequestsTest, B1_REQ10_ARefusedRequestIsToldThatItIsBusy) {
  open({.inflight_max = 1});
  load_sleep();
  const auto first = rig.start(R"({"user_id": 1})");
  const auto second = rig.start(R"({"user_id": 1, "request_id": "r"})");
  EXPECT_EQ(second->answer_count(), 1);
  EXPECT_EQ(second->outcome(), RankOutcome::kRefused);
  EXPECT_EQ(second->code(), RankErrorCode::kBusy);
  EXPECT_EQ(second->part("request_id"), R"("r")");
  EXPECT_EQ(second->part("error"),
            R"({"code":"busy","message":"Too many requests are under way; try again later"})");
  rig.drain();
  EXPECT_TRUE(first->ok());
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  EXPECT_EQ(admission->stats().accepted, 2U);
  EXPECT_EQ(admission->stats().refused, 1U);
  expect_no_permit_out();
}

TEST_F(AdmittedRequestsTest, B1_RequestsAreRefusedAboveHighWater) {
  open({.high_water = 2, .low_water = 1});
  load_sleep();
  const auto first = rig.start(R"({"user_id": 1})");
  const auto second = rig.start(R"({"user_id": 1})");
  const auto third = rig.start(R"({"user_id": 1})");
  EXPECT_EQ(rig.start(R"({"user_id": 1})")->code(), RankErrorCode::kBusy);
  rig.drain();
  EXPECT_TRUE(third->ok());
  expect_no_permit_out();
}

TEST_F(AdmittedRequestsTest, B3_ARequestThatIsTooLateIsNotRun) {
  open({});
  load_sleep();
  rig.options.deadline = base::Duration(0);
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(call->outcome(), RankOutcome::kDeadline);
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(rig.order(), "");
}

TEST_F(AdmittedRequestsTest, B4_ACancelledRequestGivesItsPlaceBack) {
  open({.inflight_max = 1});
  load_sleep();
  const auto call = rig.start(R"({"user_id": 1})");
  call->cancel();
  expect_no_permit_out();
  EXPECT_EQ(call->outcome(), RankOutcome::kCancelled);
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
}

TEST_F(AdmittedRequestsTest, B4_AFailedRequestGivesItsPlaceBack) {
  open({.inflight_max = 1});
  load_sleep("", true);
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->outcome(), RankOutcome::kError);
  expect_no_permit_out();
}

TEST_F(AdmittedRequestsTest, B4_ARequestThatIsWrongForItsPlanGivesItsPlaceBack) {
  open({.inflight_max = 1});
  load_sleep();
  const auto call = rig.ask(R"({"user_id": 1, "output_keys": ["nonsense"]})");
  EXPECT_EQ(call->outcome(), RankOutcome::kInvalid);
  EXPECT_EQ(call->code(), RankErrorCode::kUnknownOutputKey);
  expect_no_permit_out();
}

TEST_F(AdmittedRequestsTest, C2_ARequestKeepsItsPlaceWhileABodyRunsBehindItsAnswer) {
  open({.inflight_max = 1});
  rig.costs["busy"] = 80ms;
  rig.load(plan_text(
      source_node(3) + node("busy", "vm", "src", R"({"out_key": "score", "expr": "id * 0.5"})"),
      R"(["busy"])"));
  const auto call = rig.ask(R"({"user_id": 1, "deadline_ms": 50})");
  EXPECT_EQ(call->outcome(), RankOutcome::kDeadline);
  EXPECT_EQ(admission->stats().run_count, 1);
  EXPECT_EQ(admission->stats().abandoned_count, 1);
  EXPECT_EQ(rig.start(R"({"user_id": 1})")->code(), RankErrorCode::kBusy);
  expect_no_permit_out();
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
}

TEST_F(AdmittedRequestsTest, TheOutcomeTellsADegradedAnswer) {
  open({});
  load_sleep(R"("on_failure": {"use": "input"})", true);
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_TRUE(call->ok());
  EXPECT_EQ(call->outcome(), RankOutcome::kDegraded);
  EXPECT_EQ(call->degraded_count(), 1U);
  expect_no_permit_out();
}

TEST_F(AdmittedRequestsTest, LoopsGiveTheirRequestsDifferentNumbers) {
  rig.services.loop_index = 1;
  rig.services.loop_count = 3;
  rig.load(plan_text(source_node(1), R"(["src"])"));
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->part("engine_request_id"), R"("e2")");
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->part("engine_request_id"), R"("e5")");
}

}  // namespace
}  // namespace millrace::rank::testing
