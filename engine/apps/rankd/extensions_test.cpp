#include "apps/rankd/extensions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/rankd/rankd_fixture.h"
#include "host/waiting_call.h"
#include "rank/request.h"

namespace millrace::rankd::testing {
namespace {

using ::testing::HasSubstr;

TEST(ExtensionsTest, EveryKindOfEndpointHasADriver) {
  const host::Extensions extensions = rankd_extensions();
  for (const plan::EndpointKind kind :
       {plan::EndpointKind::kEmbedded, plan::EndpointKind::kRedis, plan::EndpointKind::kHttp}) {
    EXPECT_NE(extensions.find_driver(kind), nullptr) << plan::to_string(kind);
  }
}

TEST(ExtensionsTest, CLI4_AnEndpointWithoutServerFailsItsNodeOnly) {
  Flags flags = repository_flags();
  flags.env = "test";
  const auto project = open_project(flags);
  const auto engine = start_engine(flags, *project);
  rank::RequestReader reader;
  host::WaitingCall call;
  call.run(engine->ranker(0), reader, R"({"user_id": 1, "plan": "simple_plan"})");
  EXPECT_THAT(call.response(), HasSubstr(R"("code":"endpoint_unavailable")"));
  EXPECT_THAT(call.response(), HasSubstr(R"("node":"v","op":"viewer")"));
}

}  // namespace
}  // namespace millrace::rankd::testing
