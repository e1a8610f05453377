#include "rank/live_rows.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank/rank_fixture.h"
#include "rank/run_tracer.h"
#include "rows/batch.h"
#include "tasks/task.h"

namespace millrace::rank::testing {
namespace {

using ::testing::HasSubstr;

using std::chrono_literals::operator""ms;

/// A rig whose task `fresh` makes rows of its own, and which knows whose rows are in memory.
class LiveRowsTest : public ::testing::Test {
 protected:
  LiveRowsTest() {
    const base::Status added = tasks::register_task(
        rig.tasks,
        {.op = "fresh",
         .doc = "Copies its rows.",
         .kind = plan::TaskKind::kCpu,
         .rows = plan::OutputRows::kSame,
         .can_fail = true},
        [this](const rows::RowSet& rows,
               tasks::TaskContext& context) -> base::Result<rows::RowSet> {
          const std::string node = context.node().id;
          seen[node] = alive();
          if (during) during(node);
          if (failing == node) return base::fail(base::ErrorCode::kUnavailable, "Failed as asked");
          rows::RowSet made(rows.batch()->with_only({}));
          batches[node] = made.batch();
          return made;
        });
    MR_CHECK(added.has_value(), added ? "" : added.error().to_string());
  }

  /// Nodes whose rows are in memory now.
  [[nodiscard]] std::string alive() const {
    std::string text;
    for (const auto& [node, batch] : batches) {
      if (!batch.expired()) text += (text.empty() ? "" : " ") + node;
    }
    return text;
  }
  static std::string fresh(std::string_view id,
                           std::string_view input,
                           std::string_view more = "") {
    return node(id, "fresh", input, "{}", more);
  }

  RunTracer tracer;  // outlives the plans
  RankRig rig{1};
  std::map<std::string, std::weak_ptr<const rows::Batch>> batches;
  std::map<std::string, std::string> seen;  ///< whose rows were in memory when a body began
  std::function<void(const std::string& node)> during;
  std::string failing;
};

std::string ten_in_a_row(std::string_view more = "") {
  std::string nodes = source_node(3) + node("a0", "fresh", "src", "{}");
  for (int index = 1; index < 10; ++index) {
    nodes += node("a" + std::to_string(index),
                  "fresh",
                  "a" + std::to_string(index - 1),
                  "{}",
                  index == 5 ? more : "");
  }
  return plan_text(nodes, R"(["a9"])");
}

TEST_F(LiveRowsTest, D12_RowsAreFreedAfterTheirLastReader) {
  rig.load(ten_in_a_row());
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->candidates(),
            R"([{"id":1,"fields":{}},{"id":2,"fields":{}},{"id":3,"fields":{}}])");
  // A body sees its input, which is its own by then, and nothing from before that.
  EXPECT_EQ(seen["a1"], "a0");
  EXPECT_EQ(seen["a9"], "a8");
  EXPECT_EQ(alive(), "") << "the answer is out";
}

TEST_F(LiveRowsTest, D12_RowsStayForAllWhoReadThem) {
  rig.load(plan_text(source_node(3) + fresh("a", "src") + fresh("b", "a") + fresh("c", "b") +
                         R"(, {"id": "m", "op": "concat", "inputs": ["c", "a"], "params": {}})" +
                         fresh("e", "m"),
                     R"(["e"])"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  EXPECT_EQ(seen["b"], "a");
  EXPECT_EQ(seen["c"], "a b") << "m reads a, too";
  EXPECT_EQ(seen["e"], "");
}

TEST_F(LiveRowsTest, D12_ExplainedAndTracedRequestsKeepAllRows) {
  const std::string text = ten_in_a_row();
  rig.services.tracer = &tracer;
  rig.load(text, {.artifact = text});
  const auto explained = rig.ask(R"({"user_id": 1, "explain": {"ids": [2]}})");
  EXPECT_THAT(explained->part("explain"), HasSubstr(R"("verdict":"served")"));
  EXPECT_EQ(seen["a9"], "a0 a1 a2 a3 a4 a5 a6 a7 a8");
  const auto traced = rig.ask(R"({"user_id": 1, "trace": true})");
  EXPECT_TRUE(traced->ok());
  EXPECT_EQ(seen["a9"], "a0 a1 a2 a3 a4 a5 a6 a7 a8");
  rig.drain();
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  EXPECT_EQ(seen["a9"], "a8") << "the next request keeps only what it needs";
}

TEST_F(LiveRowsTest, D12_AFallbackValueFindsItsInputAndThenFreesIt) {
  rig.load(ten_in_a_row(R"("on_failure": {"use": "input"})"));
  failing = "a5";
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_THAT(call->part("degraded"), HasSubstr(R"("node":"a5")"));
  EXPECT_THAT(call->candidates(), HasSubstr(R"("id":3)"));
  EXPECT_EQ(seen["a5"], "a4");
  EXPECT_EQ(seen["a7"], "a6") << "the rows of a4 went on as those of a5 and are freed with them";
  failing.clear();
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->part("degraded"), R"({"is":false,"reasons":[]})");
  EXPECT_EQ(seen["a6"], "a5");
}

TEST_F(LiveRowsTest, D12_AnAbandonedBodyKeepsItsInputUntilItReturns) {
  rig.load(ten_in_a_row(R"("timeout_ms": 5, "on_failure": {"use": "empty"})"));
  std::string while_late;
  during = [&](const std::string& node) {
    if (node != "a5") return;
    rig.loop.advance(10ms);  // its fallback is taken meanwhile
    while_late = alive();
  };
  const auto call = rig.ask(R"({"user_id": 1})");
  EXPECT_THAT(call->part("degraded"), HasSubstr(R"("node":"a5")"));
  EXPECT_EQ(while_late, "a4");
  EXPECT_EQ(seen["a7"].find("a4"), std::string::npos) << seen["a7"];
  rig.drain();
  EXPECT_EQ(alive(), "");
}

TEST_F(LiveRowsTest, D12_RowsStayForALazyFallbackUntilItIsDecided) {
  rig.load(plan_text(source_node(3) + fresh("a", "src") +
                         fresh("main", "a", R"("on_failure": {"use": "node", "id": "spare"})") +
                         fresh("spare", "a") + fresh("z", "main") + fresh("y", "z"),
                     R"(["y"])"));
  EXPECT_TRUE(rig.ask(R"({"user_id": 1})")->ok());
  EXPECT_EQ(seen["main"], "a");
  EXPECT_EQ(seen["z"], "main") << "main has rows of its own, so its fallback reads nothing";
  failing = "main";
  EXPECT_THAT(rig.ask(R"({"user_id": 1})")->part("degraded"), HasSubstr(R"("node":"main")"));
  EXPECT_EQ(seen["spare"], "a");
  EXPECT_EQ(seen["z"], "spare");
  EXPECT_EQ(seen["y"], "z");
}

TEST_F(LiveRowsTest, D12_FailedAndCancelledRequestsFreeEverything) {
  rig.load(ten_in_a_row());
  failing = "a4";
  EXPECT_EQ(rig.ask(R"({"user_id": 1})")->error_code(), "endpoint_unavailable");
  rig.drain();
  EXPECT_EQ(alive(), "");
  failing.clear();
  std::unique_ptr<TestCall> call = rig.start(R"({"user_id": 1})");
  during = [&](const std::string& node) {
    if (node == "a4") call->cancel();
  };
  rig.drain();
  EXPECT_TRUE(call->is_answered());
  EXPECT_EQ(call->error_code(), "cancelled");
  EXPECT_EQ(alive(), "");
}

}  // namespace
}  // namespace millrace::rank::testing
