#include "server/route_table.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace millrace::server {
namespace {

TEST(RouteTableTest, S14_EveryRouteIsFoundByItsOwnPath) {
  std::set<std::string_view> ids;
  for (const Route& route : route_table()) {
    const RouteMatch match = match_path(route.path, ListenerKind::kAdmin, true);
    EXPECT_EQ(match.find(route.method), &route) << route.path;
    EXPECT_TRUE(ids.insert(route.id).second) << route.id;
  }
}

TEST(RouteTableTest, S12_NamesOfPlans) {
  for (const char* good : {"a", "A-b_c.d@1=2,3"}) EXPECT_TRUE(is_plan_name(good)) << good;
  EXPECT_TRUE(is_plan_name(std::string(128, 'x')));
  EXPECT_FALSE(is_plan_name(std::string(129, 'x')));
  for (const char* bad : {"", "a b", "a/b", "a%", "\xc3\xa4"})
    EXPECT_FALSE(is_plan_name(bad)) << bad;
}

TEST(RouteTableTest, NamesAreDecodedOnce) {
  const RouteMatch match = match_path("/v1/plans/a%2Db/versions", ListenerKind::kMain, false);
  EXPECT_EQ(match.count, 1U);
  EXPECT_EQ(match.name, "a-b");
  EXPECT_FALSE(match.is_name_bad);
}

}  // namespace
}  // namespace millrace::server
