// The six timelines, with stores that answer after exactly the stated delays and cpu nodes that
// take exactly the stated time. The engine may be faster (it changes less often between loop and
// workers), but everything happens in the stated order.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "rank/rank_fixture.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "stores/latency_injector.h"
#include "stores/store_tasks.h"

namespace millrace::rank::testing {
namespace {

using std::chrono_literals::operator""ms;
using stores::LatencyRule;

// User 1 follows 21 and 22 and is recommended 31 and 32, so that the media of both branches can be
// told apart by key.
constexpr const char* kData =
    "HSET user:1 name Ada country DE age 31\n"
    "HSET user:9 name Bo country DE age 31\n"
    "RPUSH follow:1 21 22\n"
    "RPUSH recommendation:1 31 32\n"
    "RPUSH media:21 211 212\n"
    "RPUSH media:22 221\n"
    "RPUSH media:31 311\n"
    "RPUSH media:32 321 322\n";

std::string read_file(const std::string& path) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/" + path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

plan::Registry shipped_registry() {
  const std::string keys = read_file("registry/keys.toml");
  const std::string params = read_file("registry/params.toml");
  const std::string endpoints = read_file("registry/endpoints.toml");
  auto read = plan::read_registry({.keys = keys, .params = params, .endpoints = endpoints},
                                  plan::Environment::kDev);
  MR_CHECK(read.has_value());
  return *std::move(read);
}

/// The engine with a shipped plan and a store that is as slow as the timeline says.
class Timeline {
 public:
  Timeline(const std::string& plan,
           std::vector<LatencyRule> rules,
           const plan::CompileOptions& passes = plan::CompileOptions::without_passes())
      : data_(stores::EmbeddedStore::parse(kData, "timeline").value()) {
    store_ = std::make_unique<stores::LatencyInjector>(data_, rig.loop, std::move(rules));
    MR_CHECK(stores::register_store_tasks(rig.tasks).has_value());
    for (const plan::EndpointInfo& endpoint : rig.registry.endpoints())
      rig.clients.push_back(endpoint.name == "redis_default" ? store_.get() : nullptr);
    rig.load(read_file("plans/" + plan + ".plan.json"), {}, passes);
  }
  // Late bodies use the store, so wait for them first.
  ~Timeline() { rig.drain(); }
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// `v+0` is the start of v's body, `v-10` its end, in milliseconds, in the order in which they
  /// happened.
  [[nodiscard]] std::string events() const {
    std::string text;
    for (const NodeEvent& event : rig.events) {
      text += fmt::format("{}{}{}{}",
                          text.empty() ? "" : " ",
                          event.node,
                          event.is_end ? "-" : "+",
                          to_ms(event.when));
    }
    return text;
  }
  [[nodiscard]] static std::int64_t to_ms(base::TimePoint time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  }

  stores::EmbeddedClient data_;
  std::unique_ptr<stores::LatencyInjector> store_;
  RankRig rig{2, shipped_registry()};
};

std::vector<LatencyRule> complex_delays() {
  return {{.key_prefix = "user:", .delay = 10ms},
          {.key_prefix = "follow:", .delay = 15ms},
          {.key_prefix = "recommendation:", .delay = 20ms},
          {.key_prefix = "media:2", .delay = 20ms},
          {.key_prefix = "media:3", .delay = 25ms}};
}

void set_complex_costs(RankRig& rig) {
  rig.costs = {{"fs", 4ms}, {"rs", 4ms}, {"c", 1ms}, {"sort", 2ms}, {"take", 1ms}};
}

constexpr const char* kComplexAnswer =
    R"([{"id":322,"fields":{"score":32.2,"source":"1"}},)"
    R"({"id":321,"fields":{"score":32.1,"source":"1"}},)"
    R"({"id":311,"fields":{"score":31.1,"source":"1"}},)"
    R"({"id":221,"fields":{"score":22.1,"source":"0"}},)"
    R"({"id":212,"fields":{"score":21.200000000000003,"source":"0"}},)"
    R"({"id":211,"fields":{"score":21.1,"source":"0"}}])";

TEST(TimelineTest, CLI8_1_OneNodeWaitsForItsStore) {
  Timeline timeline("simple_viewer", {{.key_prefix = "user:", .delay = 15ms}});
  const auto call = timeline.rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(timeline.events(), "v+0 v-15");
  EXPECT_EQ(call->took(), 15ms);
  EXPECT_EQ(call->candidates(), R"([{"id":1,"fields":{"name":"Ada","country":"DE","age":31}}])");
}

TEST(TimelineTest, CLI8_2_ACpuNodeFollowsItsSource) {
  Timeline timeline("viewer_filter", {{.key_prefix = "user:", .delay = 15ms}});
  timeline.rig.costs["f"] = 2ms;
  const auto call = timeline.rig.ask(R"({"user_id": 9})");
  EXPECT_EQ(timeline.events(), "v+0 v-15 f+15 f-17");
  EXPECT_LE(call->took(), 18ms);
  EXPECT_EQ(call->candidates(), R"([{"id":9,"fields":{"name":"Bo","country":"DE","age":31}}])");
}

TEST(TimelineTest, CLI8_3_BranchesWaitAtTheSameTime) {
  Timeline timeline("parallel_fanout", complex_delays());
  const auto call = timeline.rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(timeline.events(), "v+0 v-10 follow+10 recs+10 follow-25 recs-30");
  EXPECT_EQ(call->took(), 30ms);
}

TEST(TimelineTest, CLI8_4_IoThenAChainOfCpuNodes) {
  Timeline timeline("mixed_pipeline", complex_delays());
  timeline.rig.costs = {{"vm1", 2ms}, {"filter", 2ms}, {"sort", 1ms}, {"take", 1ms}};
  const auto call = timeline.rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(timeline.events(),
            "v+0 v-10 f+10 f-25 vm1+25 vm1-27 filter+27 filter-29 sort+29 sort-30 take+30 take-31");
  EXPECT_LE(call->took(), 35ms);
}

TEST(TimelineTest, CLI8_5_TheJoinWaitsForBothBranches) {
  Timeline timeline("diamond",
                    {{.key_prefix = "user:", .delay = 10ms},
                     {.key_prefix = "follow:", .delay = 12ms},
                     {.key_prefix = "recommendation:", .delay = 18ms}});
  timeline.rig.costs["c"] = 1ms;
  const auto call = timeline.rig.ask(R"({"user_id": 1})");
  EXPECT_EQ(timeline.events(), "v+0 v-10 f+10 r+10 f-22 r-28 c+28 c-29");
  EXPECT_LE(call->took(), 30ms);
}

TEST(TimelineTest, CLI8_6_TenNodesWithinTheirDeadline) {
  Timeline timeline("complex_dag", complex_delays());
  set_complex_costs(timeline.rig);
  const auto call = timeline.rig.ask(R"({"user_id": 1, "deadline_ms": 100})");
  EXPECT_EQ(timeline.events(),
            "v+0 v-10 f+10 r+10 f-25 fm+25 r-30 rm+30 fm-45 fs+45 fs-49 rm-55 rs+55 rs-59 "
            "c+59 c-60 sort+60 sort-62 take+62 take-63");
  EXPECT_LE(call->took(), 67ms);
  EXPECT_EQ(call->candidates(), kComplexAnswer);
}

TEST(TimelineTest, CLI8_6_PassesMakeItNoSlower) {
  Timeline timeline("complex_dag", complex_delays(), {});
  set_complex_costs(timeline.rig);
  const auto call = timeline.rig.ask(R"({"user_id": 1, "deadline_ms": 100})");
  EXPECT_LE(call->took(), 63ms);
  EXPECT_EQ(call->candidates(), kComplexAnswer);
}

/// Checks that the deadline ends the fetch that is running (`rm-50`), not the computation. Sends a
/// request with 50 ms, and then another with enough time: the late end of the first must not affect
/// the second.
void expect_answer_at_the_deadline(Timeline& timeline, const std::string& under_way) {
  const auto call = timeline.rig.ask(R"({"user_id": 1, "deadline_ms": 50, "request_id": "r"})");
  EXPECT_EQ(call->took(), 50ms);
  EXPECT_EQ(call->answered_at(), base::TimePoint() + 50ms);
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(call->part("request_id"), R"("r")");
  EXPECT_EQ(timeline.events(), under_way);
  const auto next = timeline.rig.ask(R"({"user_id": 1, "deadline_ms": 100})");
  EXPECT_EQ(next->candidates(), kComplexAnswer);
  timeline.rig.drain();
  EXPECT_EQ(call->answer_count(), 1);
}

TEST(TimelineTest, C2_AnswersAtTheDeadlineDuringAnIoNode) {
  Timeline timeline("complex_dag", complex_delays());
  set_complex_costs(timeline.rig);
  expect_answer_at_the_deadline(timeline,
                                "v+0 v-10 f+10 r+10 f-25 fm+25 r-30 rm+30 fm-45 fs+45 fs-49 rm-50");
}

TEST(TimelineTest, C2_AnswersAtTheDeadlineDuringACpuNode) {
  Timeline timeline("complex_dag", complex_delays());
  set_complex_costs(timeline.rig);
  timeline.rig.costs["fs"] = 6ms;
  expect_answer_at_the_deadline(timeline,
                                "v+0 v-10 f+10 r+10 f-25 fm+25 r-30 rm+30 fm-45 fs+45 rm-50");
}

TEST(TimelineTest, C2_AStoreThatNeverAnswersHoldsNobodyUp) {
  Timeline timeline("complex_dag",
                    {{.key_prefix = "media:3", .delay = 0ms, .fate = stores::Fate::kHang}});
  const auto call = timeline.rig.ask(R"({"user_id": 1, "deadline_ms": 50})");
  EXPECT_EQ(call->took(), 50ms);
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
}

}  // namespace
}  // namespace millrace::rank::testing
