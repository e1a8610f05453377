#include "apps/rankd/request_mix.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RequestMixTest, CLI6_WithoutARequestItIsOnePerUser) {
  Flags flags;
  const auto mix = make_request_mix(flags);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->about, "users 1 to 100");
  EXPECT_EQ(std::set(mix->requests.begin(), mix->requests.end()).size(), 100U);
  EXPECT_FALSE(std::is_sorted(mix->requests.begin(), mix->requests.end()));
  EXPECT_EQ(make_request_mix(flags)->requests, mix->requests);
  flags.bench_users = 1;
  EXPECT_THAT(make_request_mix(flags)->requests, ElementsAre(R"({"user_id": 1})"));
}

TEST(RequestMixTest, CLI6_AFileHasOneRequestPerLine) {
  const TempFolder folder;
  Flags flags;
  flags.bench_requests_file = folder.write("requests", "{\"user_id\": 1}\n\n{\"user_id\": 2}");
  const auto mix = make_request_mix(flags);
  ASSERT_TRUE(mix);
  EXPECT_THAT(mix->requests, ElementsAre(R"({"user_id": 1})", R"({"user_id": 2})"));
  EXPECT_THAT(mix->about, HasSubstr("2 of "));
  flags.bench_requests_file = folder.write("empty", "\n \n");
  EXPECT_THAT(make_request_mix(flags).error().text, HasSubstr("has no request"));
  flags.bench_requests_file = folder.path() + "/missing";
  EXPECT_THAT(make_request_mix(flags).error().text, HasSubstr("missing"));
}

TEST(RequestMixTest, OneRequestIsRepeated) {
  Flags flags;
  flags.bench_request = "{}";
  EXPECT_THAT(make_request_mix(flags)->requests, ElementsAre("{}"));
}

}  // namespace
}  // namespace millrace::rankd::testing
