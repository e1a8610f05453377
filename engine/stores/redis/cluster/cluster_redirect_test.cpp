#include "stores/redis/cluster/cluster_redirect.h"

#include <string_view>

#include <gtest/gtest.h>

namespace millrace::stores::testing {
namespace {

TEST(ClusterRedirectTest, RED12_MovedAndAskNameSlotAndNode) {
  const auto moved = find_redirect("MOVED 3999 10.0.0.1:6381", "asked");
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->kind, ClusterRedirect::Kind::kMoved);
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(to_string(moved->node), "10.0.0.1:6381");
  const auto ask = find_redirect("ASK 0 ::1:7", "asked");
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->kind, ClusterRedirect::Kind::kAsk);
  EXPECT_EQ(ask->node.host, "::1");
  EXPECT_EQ(ask->node.port, 7);
  EXPECT_EQ(find_redirect("MOVED 1 :7", "asked")->node.host, "asked");
}

TEST(ClusterRedirectTest, RED12_TheOthersHaveNoNode) {
  EXPECT_EQ(find_redirect("TRYAGAIN later", "a")->kind, ClusterRedirect::Kind::kTryAgain);
  EXPECT_EQ(find_redirect("CLUSTERDOWN The cluster is down", "a")->kind,
            ClusterRedirect::Kind::kDown);
}

TEST(ClusterRedirectTest, OtherErrorsAreNone) {
  for (const std::string_view error : {"WRONGTYPE x",
                                       "MOVED",
                                       "MOVED 1",
                                       "MOVED 16384 a:1",
                                       "MOVED -1 a:1",
                                       "MOVED 1 a:0",
                                       "MOVED 1 a:65536",
                                       "MOVED 1 a:x",
                                       "MOVED 1 ?:6379",
                                       "MOVED 1:2 a",
                                       "MOVEDX 1 a:1",
                                       ""}) {
    EXPECT_FALSE(find_redirect(error, "asked")) << error;
  }
}

}  // namespace
}  // namespace millrace::stores::testing
