#include "server/access/access_rule.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "server/front_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRemotePeer = "192.0.2.7:4000";

std::shared_ptr<const AccessKeys> some_keys() {
  const auto entry = [](const std::string& name, const std::string& more) {
    return "[[key]]\nname = \"" + name + "\"\nhash = \"" + base::sha256_digest("secret-" + name) +
           "\"\n" + more + "\n";
  };
  base::ProblemReport report;
  auto keys = AccessKeys::read(entry("all", "") + entry("boss", "admin = true") +
                                   entry("one", "plans = [\"p\"]\npriority_max = \"low\"") +
                                   entry("slow", "rate = 2") + entry("narrow", "inflight_max = 1"),
                               "keys.toml",
                               nullptr,
                               report);
  EXPECT_EQ(report.to_text(), "");
  return std::make_shared<const AccessKeys>(std::move(keys));
}

net::HttpFields with_key(const std::string& secret) {
  net::HttpFields fields;
  fields.add("Authorization", "Bearer " + secret);
  return fields;
}

std::string code_of(const std::shared_ptr<const AccessKeys>& keys,
                    const Route& route,
                    std::string_view peer,
                    const net::HttpFields& fields = {}) {
  const auto outcome = check_access(keys, route, peer, fields);
  return outcome ? "" : std::string(outcome.error().code);
}

constexpr Route kAdminRoute{.method = "POST",
                            .path = "/v1/reload",
                            .action = RouteAction::kListPlans,
                            .id = "x",
                            .summary = "x",
                            .access = RouteAccess::kAdmin};
constexpr Route kOpenRoute{.method = "GET",
                           .path = "/v1/plans",
                           .action = RouteAction::kListPlans,
                           .id = "x",
                           .summary = "x"};

TEST(AccessRuleTest, PeersAreReadFromTheirText) {
  EXPECT_EQ(peer_kind_of("127.0.0.1:80"), PeerKind::kLoopback);
  EXPECT_EQ(peer_kind_of("127.9.9.9:80"), PeerKind::kLoopback);
  EXPECT_EQ(peer_kind_of("[::1]:80"), PeerKind::kLoopback);
  EXPECT_EQ(peer_kind_of("[::ffff:127.0.0.1]:80"), PeerKind::kLoopback);
  EXPECT_EQ(peer_kind_of("a unix socket"), PeerKind::kUnixSocket);
  for (const char* remote : {"", "128.0.0.1:1", "[::1:2]:80", "[::ffff:1.2.3.4]:1", "localhost:1"})
    EXPECT_EQ(peer_kind_of(remote), PeerKind::kRemote) << remote;
}

TEST(AccessRuleTest, S37_WithoutAKeyFileAdminRoutesAreForTheSameMachine) {
  EXPECT_EQ(code_of(nullptr, kAdminRoute, "127.0.0.1:5"), "");
  EXPECT_EQ(code_of(nullptr, kAdminRoute, "a unix socket"), "");
  EXPECT_EQ(code_of(nullptr, kAdminRoute, kRemotePeer), "forbidden");
  EXPECT_EQ(code_of(nullptr, kAdminRoute, kRemotePeer, with_key("any")), "forbidden");
  EXPECT_EQ(code_of(nullptr, kOpenRoute, kRemotePeer), "");
}

TEST(AccessRuleTest, S37_WithAKeyFileAdminRoutesOnTcpNeedAnAdminKey) {
  const auto keys = some_keys();
  EXPECT_EQ(code_of(keys, kAdminRoute, "127.0.0.1:5"), "unauthorized");
  EXPECT_EQ(code_of(keys, kAdminRoute, "127.0.0.1:5", with_key("wrong")), "unauthorized");
  EXPECT_EQ(code_of(keys, kAdminRoute, kRemotePeer, with_key("secret-all")), "forbidden");
  EXPECT_EQ(code_of(keys, kAdminRoute, kRemotePeer, with_key("secret-boss")), "");
  EXPECT_EQ(code_of(keys, kAdminRoute, "a unix socket"), "");
  EXPECT_EQ(code_of(keys, kOpenRoute, "a unix socket"), "unauthorized");
}

class AccessFrontTest : public ::testing::Test {
 protected:
  AccessFrontTest() {
    rig.rank.load(small_plan());
    rig.rank.load(small_plan("other"));
    rig.rank.load(slow_plan());
    rig.front().set_keys(some_keys());
  }
  static Headers key(const std::string& name) { return {{"X-Api-Key", "secret-" + name}}; }
  FrontRig rig;
};

TEST_F(AccessFrontTest, S37_NoKeyOrAWrongOneIs401AndHealthIsFree) {
  auto& none = rig.ask("POST", "/v1/rank/p", R"({"user_id":1})");
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(field(none, "WWW-Authenticate"), "Bearer realm=\"rankd\"");
  EXPECT_EQ(text_of(none.reply_body, "type"), "urn:millrace:error:unauthorized");
  EXPECT_EQ(rig.ask("GET", "/v1/plans", "", {{"X-Api-Key", "guess"}}).status, 401);
  EXPECT_EQ(rig.ask("GET", "/metrics").status, 401);
  EXPECT_EQ(rig.ask("GET", "/livez").status, 200);
  EXPECT_NE(rig.ask("GET", "/readyz").status, 401);
  EXPECT_EQ(rig.ask("OPTIONS", "/v1/rank/p").status, 204);
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", key("all")).status, 200);
  const Headers bearer{{"Authorization", "bearer  secret-all"}};
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", bearer).status, 200);
  EXPECT_THAT(rig.sink.lines().back(), HasSubstr(R"("key":"all")"));
  EXPECT_THAT(rig.sink.lines().back(), Not(HasSubstr("secret")));
}

TEST_F(AccessFrontTest, S37_APlanThatIsNotCoveredIs403WhetherItExistsOrNot) {
  const auto refused = [&](const std::string& method, const std::string& target, std::string body) {
    auto& answer = rig.ask(method, target, std::move(body), key("one"));
    EXPECT_EQ(answer.status, 403) << target;
    EXPECT_EQ(text_of(answer.reply_body, "type"), "urn:millrace:error:not_allowed") << target;
    EXPECT_THAT(answer.reply_body, Not(HasSubstr("did you mean"))) << target;
  };
  for (const std::string plan : {"other", "nothing"}) {
    refused("POST", "/v1/rank/" + plan, R"({"user_id":1})");
    refused("GET", "/v1/plans/" + plan, "");
    refused("GET", "/v1/explain/" + plan, "");
    refused("POST", "/rank", R"({"user_id":1,"plan":")" + plan + R"("})");
  }
  auto& batch = rig.ask("POST",
                        "/v1/batch",
                        "{\"user_id\":1,\"plan\":\"other\"}\n{\"user_id\":1,\"plan\":\"p\"}\n",
                        key("one"));
  EXPECT_THAT(batch.reply_body, HasSubstr(R"("line":0,"status":403)"));
  EXPECT_THAT(batch.reply_body, HasSubstr(R"("line":1,"status":200)"));
  EXPECT_THAT(rig.ask("GET", "/v1/plans", "", key("one")).reply_body, Not(HasSubstr("other")));
  EXPECT_THAT(rig.ask("GET", "/v1/plans", "", key("all")).reply_body, HasSubstr("other"));
}

TEST_F(AccessFrontTest, S37_TheClassOfARequestIsAtMostThatOfItsKey) {
  (void)rig.ask("POST", "/v1/rank/p", R"({"user_id":1,"priority":"high"})", key("one"));
  EXPECT_THAT(rig.sink.lines().back(), HasSubstr(R"("priority":"low")"));
  (void)rig.ask("POST", "/v1/rank/p", R"({"user_id":1,"priority":"background"})", key("one"));
  EXPECT_THAT(rig.sink.lines().back(), HasSubstr(R"("priority":"background")"));
}

TEST_F(AccessFrontTest, S37_OverItsQuotaAKeyGets429) {
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", key("slow")).status, 200);
  auto& third = rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", key("slow"));
  EXPECT_EQ(third.status, 429);
  EXPECT_EQ(text_of(third.reply_body, "type"), "urn:millrace:error:rate_limited");
  EXPECT_NE(field(third, "Retry-After"), "");
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", key("all")).status, 200);
  rig.rank.clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", key("slow")).status, 200);
  EXPECT_THAT(rig.ask("GET", "/metrics", "", key("all")).reply_body,
              HasSubstr("rankd_shed_total{reason=\"quota\",priority=\"normal\"} 1\n"));
}

TEST_F(AccessFrontTest, S37_AKeyHasAtMostItsRequestsUnderWay) {
  auto& first = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})", key("narrow"));
  EXPECT_EQ(rig.start("POST", "/v1/rank/slow", R"({"user_id":1})", key("narrow")).status, 429);
  while (!first.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(rig.ask("POST", "/v1/rank/slow", R"({"user_id":1})", key("narrow")).status, 200);
  // Lines of a batch wait instead.
  auto& batch =
      rig.ask("POST", "/v1/rank/slow/batch", "{\"user_id\":1}\n{\"user_id\":2}\n", key("narrow"));
  EXPECT_THAT(batch.reply_body, HasSubstr(R"("line":1,"status":200)"));
}

TEST_F(AccessFrontTest, S37_NewKeysHoldFromTheNextRequestOn) {
  auto& first = rig.start("POST", "/v1/rank/slow", R"({"user_id":1})", key("all"));
  rig.front().set_keys(std::make_shared<const AccessKeys>());
  while (!first.is_complete) ASSERT_TRUE(rig.rank.step());
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(rig.ask("POST", "/v1/rank/p", R"({"user_id":1})", key("all")).status, 401);
}

}  // namespace
}  // namespace millrace::server::testing
