#include "server/nats/service_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"

namespace millrace::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ServiceInfo sample_info() {
  return {.id = "ID1",
          .version = "1.2.3",
          .group = "rankd",
          .started = "2026-01-01T00:00:00Z",
          .endpoints = {
              {.plan = "home", .subject = "rank.home", .request_count = 7, .error_count = 2}}};
}

TEST(ServiceInfoTest, NAT8_AsksReachAllOurNameAndOneProcess) {
  EXPECT_THAT(service_subjects("PING", "ID1"),
              ElementsAre("$SRV.PING", "$SRV.PING.rankd", "$SRV.PING.rankd.ID1"));
}

TEST(ServiceInfoTest, NAT8_AnswersAreJsonOfTheRightType) {
  for (const char* subject : {"$SRV.PING", "$SRV.INFO.rankd", "$SRV.STATS.rankd.ID1"}) {
    const std::string answer = service_answer(subject, sample_info());
    EXPECT_TRUE(base::read_json(answer)) << answer;
    EXPECT_THAT(answer, HasSubstr(R"("name":"rankd","id":"ID1","version":"1.2.3")"));
  }
  EXPECT_THAT(service_answer("$SRV.PING", sample_info()),
              HasSubstr(R"("type":"io.nats.micro.v1.ping_response")"));
  EXPECT_THAT(service_answer("$SRV.INFO", sample_info()),
              HasSubstr(R"({"name":"home","subject":"rank.home","queue_group":"rankd"})"));
  EXPECT_THAT(service_answer("$SRV.STATS", sample_info()),
              HasSubstr(R"("num_requests":7,"num_errors":2)"));
  EXPECT_EQ(service_answer("$SRV.NONE", sample_info()), "");
  EXPECT_EQ(service_answer("other", sample_info()), "");
}

}  // namespace
}  // namespace millrace::server
