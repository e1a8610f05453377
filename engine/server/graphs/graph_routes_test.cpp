#include "server/graphs/graph_routes.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/front_fixture.h"
#include "server/graphs/graph_fixture.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;

TEST(GraphRoutesTest, S59_TheGraphAndWhyOfAComponentAreShown) {
  FrontRig rig;
  const FakeGraphDesk desk;
  rig.graphs = &desk;
  EXPECT_EQ(rig.ask("GET", "/v1/graphs").reply_body, R"({"graphs":[{"name":"trending"}]})");
  EXPECT_EQ(rig.ask("GET", "/v1/graphs/trending").reply_body, R"({"name":"trending","plan":{}})");
  EXPECT_EQ(rig.ask("GET", "/v1/graphs/trending/why/counts").reply_body,
            R"({"component":"counts"})");
  EXPECT_EQ(rig.ask("GET", "/v1/graphs?pretty=1").reply_body,
            "{\n  \"graphs\": [\n    {\n      \"name\": \"trending\"\n    }\n  ]\n}\n");
}

TEST(GraphRoutesTest, S59_WhatIsNotThereIs404) {
  FrontRig rig;
  EXPECT_EQ(rig.ask("GET", "/v1/graphs").reply_body, R"({"graphs":[]})");
  EXPECT_EQ(rig.ask("GET", "/v1/graphs/trending").status, 404);
  FrontRig with;
  const FakeGraphDesk desk;
  with.graphs = &desk;
  auto& graph = with.ask("GET", "/v1/graphs/trendy");
  EXPECT_EQ(graph.status, 404);
  EXPECT_THAT(graph.reply_body, HasSubstr("No graph 'trendy' runs here"));
  auto& component = with.ask("GET", "/v1/graphs/trending/why/%63ount");
  EXPECT_EQ(component.status, 404);
  EXPECT_THAT(component.reply_body, HasSubstr("no component 'count'"));
  EXPECT_EQ(with.ask("GET", "/v1/graphs/trending/why/%zz").status, 404);
  EXPECT_EQ(with.ask("POST", "/v1/graphs/trending").status, 405);
}

TEST(GraphRoutesTest, S59_OnTheAdminListenerIfThereIsOne) {
  FrontRig rig({.has_admin = true});
  EXPECT_EQ(rig.ask("GET", "/v1/graphs").status, 404);
  EXPECT_EQ(rig.ask("GET", "/v1/graphs", "", {}, ListenerKind::kAdmin).status, 200);
}

TEST(GraphRoutesTest, S59_AFailedGraphIsNotReadyWhereAPlanReadsItsTables) {
  FrontRig rig;
  FakeGraphDesk desk;
  rig.readiness.watch_graph(&desk);
  rig.readiness.expect({}, {"p"});
  rig.readiness.report_plan("p", std::nullopt);
  EXPECT_EQ(rig.ask("GET", "/readyz?verbose").reply_body,
            "[+]plan p ok\n[+]graph trending ok\nok\n");
  desk.failure = "component 'counts' failed: no";
  EXPECT_EQ(rig.ask("GET", "/readyz").status, 200) << "no plan needs it";
  EXPECT_THAT(rig.ask("GET", "/readyz?verbose").reply_body,
              HasSubstr("[-]graph trending: component 'counts' failed: no\n"));
  rig.readiness.set_needs_graph(true);
  EXPECT_EQ(rig.ask("GET", "/readyz").status, 503);
  desk.failure.reset();
  EXPECT_EQ(rig.ask("GET", "/readyz").status, 200);
}

}  // namespace
}  // namespace millrace::server::testing
