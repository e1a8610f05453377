#include "rank/watch/node_times.h"

#include <chrono>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "rank/rank_fixture.h"

namespace millrace::rank::testing {
namespace {

using std::chrono::milliseconds;

std::map<std::string, NodeSample> samples_of(const RankCall& call) {
  std::map<std::string, NodeSample> samples;
  for (const NodeSample& sample : call.node_samples())
    samples.emplace(std::string(sample.node), sample);
  return samples;
}

/// Starts a request whose nodes are timed, and lets time pass until it is answered.
std::unique_ptr<TestCall> ask_timed(RankRig& rig, std::string_view text, bool is_timed = true) {
  auto call = std::make_unique<TestCall>(rig.clock);
  RequestReader reader;
  if (rig.ranker == nullptr)
    rig.ranker = std::make_unique<Ranker>(rig.plans, rig.services, rig.options);
  rig.ranker->start(*call, reader, text, {.times_nodes = is_timed});
  while (!call->is_answered()) MR_CHECK(rig.step());
  return call;
}

TEST(NodeTimesTest, S39_ATimedRequestSaysHowLongItsNodesTookAndWaited) {
  RankRig rig;
  rig.load(plan_text(source_node(5) + node("one", "sleep", "src", R"({"duration_ms": 20})") +
                         node("two", "sleep", "one", R"({"duration_ms": 30})"),
                     R"(["two"])",
                     R"(["id"])",
                     "p"));
  const auto call = ask_timed(rig, R"({"user_id":1,"plan":"p"})");
  auto samples = samples_of(*call);
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples.at("one").duration, milliseconds(20));
  EXPECT_EQ(samples.at("two").duration, milliseconds(30));
  EXPECT_EQ(samples.at("one").rows, 5U);
  EXPECT_EQ(samples.at("src").rows, 5U);
  EXPECT_EQ(samples.at("two").queue_delay, base::Duration(0));
  EXPECT_TRUE(ask_timed(rig, R"({"user_id":1,"plan":"p"})", false)->node_samples().empty())
      << "the storage of a timed request is used again";
}

TEST(NodeTimesTest, S39_ANodeThatIsNotDoneHasNoSampleAndThoseBehindItNoDelay) {
  RankRig rig;
  rig.load(plan_text(source_node(5) +
                         node("slow",
                              "sleep",
                              "src",
                              R"({"duration_ms": 50})",
                              R"("timeout_ms": 10, "on_failure": {"use": "input"})") +
                         node("last", "take", "slow", R"({"count": 2})"),
                     R"(["last"])",
                     R"(["id"])",
                     "p"));
  const auto call = ask_timed(rig, R"({"user_id":1,"plan":"p"})");
  ASSERT_EQ(call->outcome(), RankOutcome::kDegraded) << call->response();
  auto samples = samples_of(*call);
  EXPECT_FALSE(samples.contains("slow"));
  ASSERT_TRUE(samples.contains("last"));
  EXPECT_EQ(samples.at("last").queue_delay, std::nullopt);
  EXPECT_EQ(samples.at("last").rows, 2U);
  ASSERT_EQ(call->degraded_nodes().size(), 1U);
  EXPECT_EQ(call->degraded_nodes()[0].node, "slow");
  EXPECT_EQ(call->degraded_nodes()[0].kind, DegradedKind::kTimeout);
}

TEST(NodeTimesTest, AFailedRequestHasTheNodesThatRan) {
  RankRig rig;
  rig.load(plan_text(source_node(5) + node("bad", "fail_as", "src", R"({"how": "internal"})"),
                     R"(["bad"])",
                     R"(["id"])",
                     "p"));
  const auto call = ask_timed(rig, R"({"user_id":1,"plan":"p"})");
  EXPECT_FALSE(call->ok());
  auto samples = samples_of(*call);
  ASSERT_TRUE(samples.contains("bad"));
  EXPECT_EQ(samples.at("bad").rows, std::nullopt);
}

}  // namespace
}  // namespace millrace::rank::testing
