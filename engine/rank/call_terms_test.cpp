#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rank/ranker.h"

namespace millrace::rank::testing {
namespace {

using std::chrono::milliseconds;

class CallTermsTest : public ::testing::Test {
 protected:
  CallTermsTest() {
    rig.load(plan_text(source_node(3) + node("wait", "sleep", "src", R"({"duration_ms": 20})"),
                       R"(["wait"])"));
    rig.ranker = std::make_unique<Ranker>(rig.plans, rig.services, rig.options);
  }
  std::unique_ptr<TestCall> ask(std::string_view request, const CallTerms& terms) {
    auto call = std::make_unique<TestCall>(rig.clock);
    rig.ranker->start(*call, rig.reader, request, terms);
    while (!call->is_answered()) MR_CHECK(rig.step(), "nothing will ever answer this");
    return call;
  }
  RankRig rig;
};

TEST_F(CallTermsTest, S15_ThePlanOfThePathMustBeThatOfTheText) {
  EXPECT_TRUE(ask(R"({"user_id": 1})", {.plan = "p"})->ok());
  EXPECT_TRUE(ask(R"({"user_id": 1, "plan": "p"})", {.plan = "p"})->ok());
  EXPECT_EQ(ask(R"({"user_id": 1, "plan": "q"})", {.plan = "p"})->code(),
            RankErrorCode::kPlanMismatch);
  EXPECT_EQ(ask(R"({"user_id": 1})", {.plan = "q"})->code(), RankErrorCode::kUnknownPlan);
}

TEST_F(CallTermsTest, S17_AnIdFromOutsideIsUsedWhereTheTextHasNone) {
  const auto given = ask(R"({"user_id": 1, "request_id": "text"})", {.request_id = "head"});
  EXPECT_EQ(given->request_id(), "text");
  const auto taken = ask(R"({"user_id": 1})", {.request_id = "head"});
  EXPECT_EQ(taken->request_id(), "head");
  EXPECT_EQ(taken->part("request_id"), R"("head")");
  EXPECT_EQ(ask("{", {.request_id = "head"})->request_id(), "head");
}

TEST_F(CallTermsTest, S18_TheDeadlineFromOutsideHoldsBesidesTheRequests) {
  const base::TimePoint start = rig.clock.now();
  const auto late = ask(R"({"user_id": 1})", {.deadline = start + milliseconds(10)});
  EXPECT_EQ(late->code(), RankErrorCode::kDeadlineExceeded);
  EXPECT_EQ(late->took(), milliseconds(10));
  EXPECT_TRUE(late->was_started());
  const base::TimePoint now = rig.clock.now();
  EXPECT_EQ(
      ask(R"({"user_id": 1, "deadline_ms": 5})", {.deadline = now + milliseconds(10)})->took(),
      milliseconds(5));
}

TEST_F(CallTermsTest, S18_TimeCountsFromWhenTheRequestCame) {
  const base::TimePoint came = rig.clock.now();
  rig.loop.advance(milliseconds(7));
  const auto call = ask(R"({"user_id": 1, "deadline_ms": 15})", {.received = came});
  EXPECT_EQ(call->code(), RankErrorCode::kDeadlineExceeded);
  EXPECT_EQ(call->took(), milliseconds(15));
}

TEST_F(CallTermsTest, FactsAreThereForLogsAndMetrics) {
  const auto good = ask(R"({"user_id": 1, "priority": "low", "limit": 2})", {});
  ASSERT_NE(good->plan(), nullptr);
  EXPECT_EQ(good->plan()->plan().name, "p");
  EXPECT_EQ(good->priority(), runtime::Priority::kLow);
  EXPECT_EQ(good->candidate_count(), 2U);
  EXPECT_EQ(good->error_message(), "");
  const auto bad = ask(R"({"user_id": 1, "plan": "none"})", {});
  EXPECT_EQ(bad->plan(), nullptr);
  EXPECT_FALSE(bad->was_started());
  EXPECT_EQ(bad->candidate_count(), 0U);
  EXPECT_NE(bad->error_message(), "");
}

TEST_F(CallTermsTest, S17_IdsBeginWithThePrefixOfTheProcess) {
  RankRig other;
  other.services.id_prefix = "0123-";
  other.load(plan_text(source_node(1), R"(["src"])"));
  EXPECT_EQ(other.ask(R"({"user_id": 1})")->engine_request_id(), "0123-1");
  EXPECT_EQ(other.ranker->make_request_id(), "0123-2");
}

}  // namespace
}  // namespace millrace::rank::testing
