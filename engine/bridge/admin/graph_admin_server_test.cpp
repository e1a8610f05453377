#include "bridge/admin/graph_admin_server.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/format.h"
#include "base/result.h"
#include "bridge/admin/graph_admin_fixture.h"
#include "bridge/http_link.h"
#include "net/address.h"
#include "net/http_message.h"

namespace millrace::bridge {
namespace {

using ::testing::HasSubstr;

base::Result<net::HttpReply> get_from(const net::Address& address, std::string target) {
  auto link = make_http_link({.place = {.address = address, .target = std::move(target)},
                              .timeout = std::chrono::seconds(30),
                              .body_bytes_max = std::size_t{1} << 20U});
  if (!link) return std::unexpected(link.error());
  return (*link)->get();
}

TEST(GraphAdminServerTest, AnswersOverTcpAndUnixSockets) {
  AskedGraph asked;
  asked.inject(4);
  const std::string path =
      base::format("unix:{}/graph_admin_{}.sock", testing::TempDir(), getpid());
  for (const std::string& address : {std::string("127.0.0.1:0"), path}) {
    auto server = GraphAdminServer::start(asked.admin(), {.address = address});
    ASSERT_TRUE(server) << server.error().to_string();
    const auto reply = get_from((*server)->address(), "/v1/status");
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->status, 200);
    EXPECT_THAT(reply->body, HasSubstr(R"("graph":"asked")"));
    EXPECT_EQ(get_from((*server)->address(), "/nothing")->status, 404);
  }
}

TEST(GraphAdminServerTest, AddressesOfOtherMachinesNeedAWord) {
  AskedGraph asked;
  const auto refused = GraphAdminServer::start(asked.admin(), {.address = "0.0.0.0:0"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("--admin-anywhere"));
  EXPECT_FALSE(GraphAdminServer::start(asked.admin(), {.address = "nonsense"}));
  EXPECT_FALSE(GraphAdminServer::start(asked.admin(), {.address = "unix:/no/such/folder/x"}));
  EXPECT_TRUE(GraphAdminServer::start(asked.admin(),
                                      {.address = "0.0.0.0:0", .is_anywhere_allowed = true}));
}

TEST(GraphAdminServerTest, ManyAskWhileTheGraphRuns) {
  AskedGraph asked;
  auto server = GraphAdminServer::start(asked.admin(), {.address = "127.0.0.1:0"});
  ASSERT_TRUE(server);
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i) {
    askers.emplace_back([&server] {
      for (const char* page : {"/v1/status", "/metrics", "/v1/why/twice", "/v1/state"}) {
        const auto reply = get_from((*server)->address(), page);
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, 200);
      }
    });
  }
  for (int i = 0; i < 100; ++i) asked.inject(i);
  for (std::thread& asker : askers) asker.join();
  EXPECT_THAT(get_from((*server)->address(), "/v1/status")->body,
              HasSubstr(R"("epochs":{"main":100})"));
}

}  // namespace
}  // namespace millrace::bridge
