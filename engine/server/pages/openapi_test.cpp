#include "server/pages/openapi.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/formats/json_reader.h"
#include "server/front_fixture.h"
#include "server/graphs/graph_fixture.h"
#include "server/route_table.h"

namespace millrace::server::testing {
namespace {

using ::testing::HasSubstr;

TEST(OpenApiTest, S14_DocumentAndRouterAgreeInBothDirections) {
  const auto document = base::read_json(openapi_document());
  ASSERT_TRUE(document.has_value());
  EXPECT_EQ(document->root().find_member("openapi")->find_string(), "3.1.0");
  std::set<std::string> documented;
  for (const base::JsonValue path : document->root().find_member("paths")->children()) {
    for (const base::JsonValue operation : path.children()) {
      std::string method(operation.key());
      for (char& letter : method) letter = static_cast<char>(std::toupper(letter));
      documented.insert(method + " " + std::string(path.key()));
      const RouteMatch match = match_path(path.key(), ListenerKind::kAdmin, true);
      EXPECT_NE(match.find(method), nullptr) << path.key();
    }
  }
  std::set<std::string> routed;
  for (const Route& route : route_table())
    routed.insert(std::string(route.method) + " " + std::string(route.path));
  EXPECT_EQ(documented, routed);
}

TEST(OpenApiTest, S14_TheExamplesWork) {
  FrontRig rig;
  AgreeingDesk desk;
  rig.admin = &desk;
  const FakeGraphDesk graphs;
  rig.graphs = &graphs;
  rig.rank.load(small_plan("mixed_pipeline"), {.artifact = small_plan("mixed_pipeline")});
  rig.readiness.expect({}, {"mixed_pipeline"});
  rig.readiness.report_plan("mixed_pipeline", std::nullopt);
  for (const Route& route : route_table()) {
    std::string target(route.path);
    if (const std::size_t at = target.find("{plan}"); at != std::string::npos)
      target.replace(at, 6, route.example_plan);
    for (const auto& [part, example] :
         {std::pair("{graph}", "trending"), std::pair("{component}", "counts")}) {
      if (const std::size_t at = target.find(part); at != std::string::npos)
        target.replace(at, std::string_view(part).size(), example);
    }
    if (!route.example_query.empty()) target += "?" + std::string(route.example_query);
    auto& answer =
        rig.ask(std::string(route.method),
                target,
                std::string(route.example_body),
                {},
                route.access == RouteAccess::kAdmin ? ListenerKind::kAdmin : ListenerKind::kMain);
    EXPECT_EQ(answer.status, 200) << target << answer.reply_body;
    EXPECT_EQ(field(answer, "Content-Type"), route.reply_type) << target;
    EXPECT_EQ(answer.reply_body.find("\"status\":4"), std::string::npos) << answer.reply_body;
  }
}

TEST(OpenApiTest, TheIndexNamesAHostAndAPlan) {
  const std::string page = index_page({.address = "h:1", .plan = "home"});
  EXPECT_THAT(page, HasSubstr("curl 'http://h:1/v1/rank/home' -d '{\"user_id\":1,\"limit\":3}'"));
  EXPECT_THAT(page, HasSubstr("curl 'http://h:1/v1/rank/home?user_id=1&limit=3'"));
}

TEST(OpenApiTest, TheIndexOfAListenerHasItsRoutesOnly) {
  for (const bool has_admin : {false, true}) {
    FrontRig rig({.has_admin = has_admin});
    rig.rank.load(small_plan());
    const std::string main = rig.ask("GET", "/").reply_body;
    EXPECT_EQ(main.find("/metrics'") == std::string::npos, has_admin) << main;
    EXPECT_THAT(main, HasSubstr("/v1/rank/p'"));
    EXPECT_THAT(rig.ask("GET", "/", {}, {}, ListenerKind::kAdmin).reply_body,
                HasSubstr("/metrics'"));
  }
}

TEST(OpenApiTest, ThePageInTheReferenceIsTheOnePrinted) {
  std::ifstream file(std::string(MILLRACE_SOURCE_DIR) + "/docs/reference/http-api.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), api_reference()) << "print it anew with api_page";
}

}  // namespace
}  // namespace millrace::server::testing
