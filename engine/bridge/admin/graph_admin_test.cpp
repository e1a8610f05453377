#include "bridge/admin/graph_admin.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/admin/graph_admin_fixture.h"

namespace millrace::bridge {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class GraphAdminTest : public testing::Test {
 protected:
  AdminReply get(std::string_view path, std::string_view query = {}) {
    return asked_.admin().answer({.method = "GET", .path = path, .query = query});
  }
  AdminReply post(std::string_view path, std::string_view body = {}) {
    return asked_.admin().answer({.method = "POST", .path = path, .body = body});
  }

  AskedGraph asked_;
};

TEST_F(GraphAdminTest, SaysWhatTheGraphIsDoing) {
  asked_.inject(21);
  const AdminReply status = get("/v1/status");
  EXPECT_EQ(status.status, 200);
  EXPECT_THAT(status.body, StartsWith(R"({"ok":true,"graph":"asked","status":"running",)"));
  EXPECT_THAT(status.body, HasSubstr(R"("epochs":{"main":1},"invocations":3,)"));
  EXPECT_THAT(get("/metrics").body,
              HasSubstr("runtime_component_execution_count{component_id=\"twice\"} 1\n"));
  EXPECT_THAT(get("/v1/metrics").body, HasSubstr(R"("metric_schema_version":1)"));
  EXPECT_EQ(get("/v1/health").body, "{\"ok\":true,\"health_events\":[]}\n");
  EXPECT_THAT(get("/").body, HasSubstr("POST  /v1/stop"));
}

TEST_F(GraphAdminTest, G71_SaysWhyAComponentRanOrDidNot) {
  EXPECT_THAT(get("/v1/why/twice").body, HasSubstr(R"("ran":false)"));
  asked_.inject(1);
  EXPECT_THAT(get("/v1/why/twice").body,
              StartsWith(R"({"component":"twice","epoch":1,"ran":true,)"));
  EXPECT_THAT(get("/v1/why/twice", "format=text").body, StartsWith("twice ran in epoch 1: "));
  const AdminReply unknown = get("/v1/why/twcie");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_THAT(unknown.body, HasSubstr("did you mean 'twice'?"));
  EXPECT_EQ(get("/v1/why/%zz").status, 400);
  EXPECT_EQ(get("/v1/why/").status, 404);
}

TEST_F(GraphAdminTest, PausesAndResumes) {
  EXPECT_EQ(post("/v1/pause").status, 200);
  EXPECT_THAT(get("/v1/status").body, HasSubstr(R"("status":"paused")"));
  ASSERT_TRUE(asked_.runtime().inject("in", graph::Payload(std::int64_t{1})));
  EXPECT_THAT(get("/v1/status").body, HasSubstr(R"("epochs":{"main":0})"));
  EXPECT_EQ(post("/v1/resume").status, 200);
  while (!asked_.runtime().poll_output("out")) {
  }
  EXPECT_THAT(get("/v1/status").body, HasSubstr(R"("epochs":{"main":1})"));
}

TEST_F(GraphAdminTest, G50_ChangesConfigOfAllOrNone) {
  EXPECT_EQ(post("/v1/config", R"({"twice":{"factor":5}})").status, 200);
  ASSERT_TRUE(asked_.runtime().inject("in", graph::Payload(std::int64_t{7})));
  auto output = asked_.runtime().poll_output("out");
  while (!output) output = asked_.runtime().poll_output("out");
  EXPECT_EQ(output->value.to_json(), "35");
  const AdminReply refused = post("/v1/config", R"({"twice":{"factor":"much"}})");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("Expected number, found string"));
  EXPECT_EQ(post("/v1/config", R"({"nobody":{}})").status, 404);
  EXPECT_EQ(post("/v1/config", "{").status, 400);
  EXPECT_EQ(post("/v1/config", "[]").status, 400);
  EXPECT_EQ(post("/v1/config", "{}").status, 400);
  EXPECT_THAT(get("/v1/status").body,
              HasSubstr(R"("name":"runtime.config.committed_update_count","value":1)"));
}

TEST_F(GraphAdminTest, StopsAndIsNotReadyAfterwards) {
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(get("/livez").body, "ok\n");
  EXPECT_EQ(post("/v1/stop").status, 200);
  EXPECT_TRUE(asked_.is_stop_requested());
  asked_.runtime().wait();
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_THAT(get("/v1/status").body, HasSubstr(R"("status":"ended")"));
}

TEST_F(GraphAdminTest, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(get("/v1/nothing").status, 404);
  const AdminReply wrong = get("/v1/pause");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.allow, "POST");
  EXPECT_EQ(post("/v1/status").allow, "GET, HEAD");
  EXPECT_EQ(get("/v1/state").body, "{}\n");
  EXPECT_EQ(get("/v1/state/none").status, 404);
  EXPECT_EQ(asked_.admin().answer({.method = "HEAD", .path = "/readyz"}).status, 200);
  // A page in a browser may look but not touch.
  const AdminReply page =
      asked_.admin().answer({.method = "POST", .path = "/v1/stop", .is_from_page = true});
  EXPECT_EQ(page.status, 403);
  EXPECT_FALSE(asked_.is_stop_requested());
}

}  // namespace
}  // namespace millrace::bridge
