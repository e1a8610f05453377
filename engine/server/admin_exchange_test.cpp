#include "server/admin_exchange.h"

#include <functional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;

struct AdminRig : FrontRig {
  AdminRig() {
    rank.load(small_plan());
    admin = &desk;
  }
  net::FakeHttpExchange& post(std::string target, std::string body = {}, Headers headers = {}) {
    return ask("POST", std::move(target), std::move(body), headers, ListenerKind::kAdmin);
  }
  AgreeingDesk desk;
};

TEST(AdminExchangeTest, S37_OthersGet403AndNothingHappens) {
  AdminRig rig;
  auto& page = rig.post("/v1/reload", {}, {{"Origin", "http://127.0.0.1:9"}});
  EXPECT_EQ(page.status, 403);
  EXPECT_THAT(page.reply_body, HasSubstr("not for web pages"));
  net::FakeHttpExchange remote("POST", "/v1/reload");
  remote.peer_name = "10.0.0.1:9";
  remote.ask(rig.front().handler(ListenerKind::kAdmin));
  EXPECT_EQ(remote.status, 403);
  EXPECT_TRUE(rig.desk.orders.empty());
}

TEST(AdminExchangeTest, S2_AdminRoutesAreNotOnTheMainListener) {
  AdminRig rig;
  EXPECT_EQ(rig.ask("POST", "/v1/reload").status, 404);
  EXPECT_EQ(rig.ask("PUT", "/v1/plans/p", "{}").status, 405);
  EXPECT_TRUE(rig.desk.orders.empty());
}

TEST(AdminExchangeTest, OrdersReachTheDesk) {
  AdminRig rig;
  rig.desk.reply = R"({"a":1})";
  auto& answer = rig.post("/v1/plans/p/canary?pretty=1", R"({"version":"v2","percent":2.5})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.reply_body, "{\n  \"a\": 1\n}\n");
  ASSERT_EQ(rig.desk.orders.size(), 1U);
  EXPECT_EQ(rig.desk.orders[0].action, RouteAction::kCanary);
  EXPECT_EQ(rig.desk.orders[0].plan, "p");
  EXPECT_EQ(rig.desk.orders[0].version, "v2");
  EXPECT_EQ(rig.desk.orders[0].percent, 2.5);
  rig.desk.reply = std::unexpected(RequestProblem{.code = "conflict", .detail = "no"});
  EXPECT_EQ(rig.post("/v1/plans/p/rollback").status, 409);
}

TEST(AdminExchangeTest, ADryRunIsOneHoweverItIsWritten) {
  AdminRig rig;
  const auto put = [&rig](const std::string& query) -> net::FakeHttpExchange& {
    return rig.ask("PUT", "/v1/plans/p" + query, "{}", {}, ListenerKind::kAdmin);
  };
  for (const char* query : {"?dry_run=1", "?dry_run=true", "?dry_run=", "?dry_run"}) {
    EXPECT_EQ(put(query).status, 200) << query;
    EXPECT_TRUE(rig.desk.orders.back().is_dry_run) << query;
  }
  for (const char* query : {"", "?dry_run=0", "?dry_run=false"}) {
    EXPECT_EQ(put(query).status, 200) << query;
    EXPECT_FALSE(rig.desk.orders.back().is_dry_run) << query;
  }
  const std::size_t count = rig.desk.orders.size();
  for (const char* query : {"?dry_run=yes", "?dry_run=TRUE", "?dry_run=2"}) {
    auto& answer = put(query);
    EXPECT_EQ(answer.status, 422) << query;
    EXPECT_EQ(text_of(answer.reply_body, "type"), "urn:millrace:error:wrong_type") << query;
  }
  EXPECT_EQ(rig.desk.orders.size(), count);
}

TEST(AdminExchangeTest, BadBodiesAreRefusedBeforeAnythingHappens) {
  AdminRig rig;
  const std::vector<std::pair<const char*, int>> cases{{"{", 400},
                                                       {"[]", 422},
                                                       {R"({"version":1})", 422},
                                                       {R"({"version":"a","percent":"b"})", 422},
                                                       {R"({"version":"a"})", 422},
                                                       {R"({"percent":1})", 422},
                                                       {R"({"surprise":1})", 422}};
  for (const auto& [body, status] : cases)
    EXPECT_EQ(rig.post("/v1/plans/p/canary", body).status, status) << body;
  EXPECT_EQ(rig.post("/v1/plans/p/unpin", R"({"version":"a"})").status, 422);
  EXPECT_EQ(rig.post("/v1/plans/%2e%2e%2f/unpin").status, 404);
  EXPECT_EQ(rig.ask("PUT", "/v1/plans/p", "", {}, ListenerKind::kAdmin).status, 422);
  EXPECT_TRUE(rig.desk.orders.empty());
}

TEST(AdminExchangeTest, AClientThatGoesAwayDoesNotUndoIt) {
  /// Answers when the test says so.
  struct LateDesk final : AdminDesk {
    void submit(AdminOrder, std::function<void(Reply)> then) override { done = std::move(then); }
    std::function<void(Reply)> done;
  } desk;
  AdminRig rig;
  rig.admin = &desk;
  auto& exchange = rig.start("POST", "/v1/reload", {}, {}, ListenerKind::kAdmin);
  exchange.receiver->on_gone(net::kHttpClientGone);
  EXPECT_EQ(rig.front().open_count(), 1U);
  desk.done("{}");
  rig.rank.drain();
  EXPECT_EQ(rig.front().open_count(), 0U);
}

}  // namespace
}  // namespace millrace::server::testing
