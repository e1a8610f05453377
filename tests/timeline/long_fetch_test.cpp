// A fetch from memory that gives many rows does not keep the loop: deadlines fire meanwhile.

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/clock.h"
#include "loop/loop.h"
#include "rank/rank_fixture.h"
#include "stores/embedded_client.h"
#include "stores/embedded_store.h"
#include "stores/store_tasks.h"

namespace millrace::rank::testing {
namespace {

using std::chrono_literals::operator""ms;

std::string long_list() {
  std::string data = "RPUSH long";
  for (int item = 0; item < 100'000; ++item) data += " " + std::to_string(item);
  return data + "\n";
}

/// A request of the plan `busy` keeps the only worker for 30 ms.
class LongFetchTest : public ::testing::Test {
 protected:
  LongFetchTest() : client_(stores::EmbeddedStore::parse(long_list(), "list").value()) {
    MR_CHECK(stores::register_store_tasks(rig_.tasks).has_value());
    rig_.clients = {&client_};
    rig_.load(plan_text(
        R"({"id": "l", "op": "list", "inputs": [], "params": {"endpoint": "store", "pattern": "long", "fanout": 100000}})" +
            node("t", "take", "l", R"({"count": 1})"),
        R"(["t"])"));
    rig_.load(plan_text(source_node(1, "one") +
                            node("b", "vm", "one", R"({"out_key": "score", "expr": "id * 2.0"})"),
                        R"(["b"])",
                        R"(["id", "score"])",
                        "busy"));
    rig_.costs["b"] = 30ms;
  }
  ~LongFetchTest() override { rig_.drain(); }

  stores::EmbeddedClient client_;
  std::unique_ptr<TestCall> busy_;
  loop::Timer tick_{[](loop::Timer&) {}, [](loop::Timer&) {}};  // lets time stop on its way
  RankRig rig_{1};
};

TEST_F(LongFetchTest, LIM5_C9_TheDeadlineFiresWhileAFetchIsUnderWay) {
  busy_ = rig_.start(R"({"user_id": 1, "plan": "busy"})");
  const base::TimePoint start = base::TimePoint() + 1ms;
  rig_.loop.arm(tick_, start);
  while (rig_.clock.now() < start) ASSERT_TRUE(rig_.step());
  ASSERT_EQ(rig_.order(), "one b");
  const auto call = rig_.ask(R"({"user_id": 1, "plan": "p", "deadline_ms": 10})");
  EXPECT_EQ(call->error_code(), "deadline_exceeded");
  EXPECT_EQ(call->answered_at(), start + 10ms);
  EXPECT_EQ(rig_.order(), "one b l");
  EXPECT_EQ(rig_.order(true), "one") << "the fetch is not done on the loop";
  rig_.drain();
}

TEST_F(LongFetchTest, LIM5_AWorkerDoesTheFetch) {
  const auto call = rig_.ask(R"({"user_id": 1, "plan": "p", "deadline_ms": 10})");
  EXPECT_EQ(call->candidates(), R"([{"id":0,"fields":{}}])");
}

}  // namespace
}  // namespace millrace::rank::testing
