#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "net/http_client.h"
#include "plan/compiled_plan.h"
#include "rows/row_set.h"
#include "stores/http/http_fixture.h"
#include "stores/store_fixture.h"
#include "tasks/endpoint_client.h"

namespace millrace::stores::testing {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using tasks::testing::NodeSetup;
using tasks::testing::text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HttpFetchTest : public ::testing::Test {
 protected:
  /// A node that fetches the float `score`.
  static NodeSetup node(rows::RowSet rows, const std::string& path = "/s/{id}") {
    return {.op = "http_fetch",
            .params = {{"endpoint", HttpRig::endpoint()},
                       {"path", text(path)},
                       {"field", text("/score")},
                       {"out_key", text("score")}},
            .inputs = {std::move(rows)}};
  }
  /// Scores by row; -1 for null.
  static std::vector<double> scores(const rows::RowSet& rows) {
    const rows::Column& column = *rows.batch()->find_column("score");
    std::vector<double> out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const rows::RowIndex row =
          rows.is_dense() ? static_cast<rows::RowIndex>(rows.first_row() + i) : rows.indices()[i];
      out.push_back(column.is_null(row) ? -1 : column.float64s()[row]);
    }
    return out;
  }
  base::Error error_of(NodeSetup setup) {
    const auto rows = rig_.run(std::move(setup));
    EXPECT_FALSE(rows);
    return rows ? base::Error(ErrorCode::kInternal, "no error") : rows.error();
  }

  HttpRig rig_;
};

TEST_F(HttpFetchTest, TSK7_FetchesAFieldPerRow) {
  rig_.page("/s/1", R"({"score": 0.5})");
  rig_.page("/s/2", R"({"score": 2})");
  const auto rows = rig_.run(node(rig_.ids({1, 2})));
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_THAT(scores(*rows), ElementsAre(0.5, 2));
  EXPECT_EQ(rig_.stats.store_commands, 2U);
  EXPECT_EQ(rig_.stats.store_round_trips, 1U);
}

TEST_F(HttpFetchTest, FetchesOnceForAllRowsWithoutAPlaceInThePath) {
  rig_.page("/all", R"({"score": 0.25})");
  EXPECT_THAT(scores(rig_.run(node(rig_.ids({1, 2, 3}), "/all")).value()),
              ElementsAre(0.25, 0.25, 0.25));
  EXPECT_THAT(rig_.asked, ElementsAre("/all"));
  EXPECT_EQ(rig_.run(node(rig_.ids({}), "/all"))->size(), 0U);
  EXPECT_THAT(rig_.asked, ElementsAre("/all")) << "no rows, no request";
}

TEST_F(HttpFetchTest, AsksForEachUrlOnce) {
  rig_.page("/s/1", R"({"score": 1})");
  rig_.page("/s/2", R"({"score": 2})");
  EXPECT_THAT(scores(rig_.run(node(rig_.ids({1, 2, 1, 1, 2}))).value()),
              ElementsAre(1, 2, 1, 1, 2));
  EXPECT_THAT(rig_.asked, ElementsAre("/s/1", "/s/2"));
}

TEST_F(HttpFetchTest, AllRowsGoOutAtOnceAsFarAsTheEndpointLets) {
  rig_.connector.on_receive = [](net::FakePeer& peer) {
    peer.deliver(HttpRig::reply("200 OK", R"({"score": 1})"), milliseconds(10));
  };
  const auto few = rig_.start(node(rig_.ids({1, 2, 3, 4, 5, 6, 7, 8}))).value();
  rig_.loop.advance(milliseconds(10));
  EXPECT_TRUE(few->outcome.is_done());
  const auto many = rig_.start(node(rig_.ids({1, 2, 3, 4, 5, 6, 7, 8, 9}))).value();
  rig_.loop.advance(milliseconds(10));
  EXPECT_FALSE(many->outcome.is_done());
  rig_.loop.advance(milliseconds(10));
  EXPECT_TRUE(many->outcome.is_done());
}

TEST_F(HttpFetchTest, TheValueOfByIsEncoded) {
  NodeSetup setup = node(rig_.scored({{1, 0}}), "/x/{by}");
  rows::testing::Table table{
      .names = {"id", "name"},
      .types = {rows::ColumnType::kInt64, rows::ColumnType::kString},
      .rows = {{std::int64_t{1}, std::string("a/b c")}, {std::int64_t{2}, {}}}};
  setup.inputs = {rows::testing::to_rows(table, rig_.scratch.rows())};
  setup.params["by"] = text("name");
  rig_.page("/x/a%2Fb%20c", R"({"score": 9})");
  EXPECT_THAT(scores(rig_.run(std::move(setup)).value()), ElementsAre(9, -1));
  EXPECT_EQ(rig_.asked.size(), 1U) << "a null makes no request";
}

TEST_F(HttpFetchTest, AMissingPageOrFieldIsNull) {
  rig_.page("/s/1", R"({"other": 1})");
  rig_.pages["/s/2"] = HttpRig::reply("410 Gone", "x");
  rig_.page("/s/4", R"({"score": null})");
  EXPECT_THAT(scores(rig_.run(node(rig_.ids({1, 2, 3, 4}))).value()), ElementsAre(-1, -1, -1, -1));
  EXPECT_EQ(rig_.stats.row_errors, 0U);
}

TEST_F(HttpFetchTest, EXP7_AValueOfAnotherTypeFollowsOnRowError) {
  rig_.page("/s/1", R"({"score": "high"})");
  rig_.page("/s/2", R"({"score": 2})");
  EXPECT_THAT(scores(rig_.run(node(rig_.ids({1, 2}))).value()), ElementsAre(-1, 2));
  EXPECT_EQ(rig_.stats.row_errors, 1U);
  EXPECT_EQ(rig_.stats.first_row_error, "A fetched value is no float: score");
  NodeSetup drop = node(rig_.ids({1, 2}));
  drop.on_row_error = plan::RowErrorRule::kDrop;
  EXPECT_THAT(scores(rig_.run(std::move(drop)).value()), ElementsAre(2));
  NodeSetup fail = node(rig_.ids({1, 2}));
  fail.on_row_error = plan::RowErrorRule::kFail;
  EXPECT_EQ(error_of(std::move(fail)).code(), ErrorCode::kNodeFailed);
}

TEST_F(HttpFetchTest, OtherStatusesFailTheNodeAndNameTheUrl) {
  rig_.page("/s/1", R"({"score": 1})");
  rig_.pages["/s/2"] = HttpRig::reply("503 Service Unavailable", "");
  rig_.pages["/s/3"] = HttpRig::reply("403 Forbidden", "");
  base::Error error = error_of(node(rig_.ids({1, 2, 3})));
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_EQ(error.message(), "The HTTP server failed with status 503: GET /s/2");
  error = error_of(node(rig_.ids({3, 2, 1})));
  EXPECT_EQ(error.code(), ErrorCode::kNodeFailed);
  EXPECT_EQ(error.message(), "The HTTP server answered with status 403: GET /s/3");
}

TEST_F(HttpFetchTest, AnAnswerThatIsNoJsonFailsTheNode) {
  rig_.page("/s/1", "<html>");
  const base::Error error = error_of(node(rig_.ids({1})));
  EXPECT_EQ(error.code(), ErrorCode::kNodeFailed);
  EXPECT_THAT(error.message(), HasSubstr("The answer is no JSON: "));
  EXPECT_THAT(error.message(), HasSubstr("GET /s/1"));
}

TEST_F(HttpFetchTest, ATooLargeAnswerFailsTheNode) {
  rig_.page("/s/1", R"({"score": 1, "rest": ")" + std::string(100, 'x') + "\"}");
  NodeSetup setup = node(rig_.ids({1}));
  setup.params["body_bytes_max"] = tasks::testing::num(50);
  EXPECT_EQ(error_of(std::move(setup)).code(), ErrorCode::kResourceExhausted);
}

TEST_F(HttpFetchTest, AWorkerReadsLargeAnswers) {
  rig_.page("/s/1", R"({"score": 1, "rest": ")" + std::string(90'000, 'x') + "\"}");
  NodeSetup setup = node(rig_.ids({1}));
  setup.params["body_bytes_max"] = tasks::testing::num(100'000);
  const auto run = rig_.start(std::move(setup)).value();
  EXPECT_FALSE(run->outcome.is_done());
  rig_.workers.run_ready();
  rig_.loop.run_ready();
  ASSERT_TRUE(run->outcome.is_done());
  EXPECT_THAT(scores(run->outcome.value().value()), ElementsAre(1));
}

TEST_F(HttpFetchTest, EndsAtTheDeadlineOfTheNode) {
  rig_.connector.on_receive = {};
  rig_.deadline = rig_.clock.now() + milliseconds(20);
  const auto run = rig_.start(node(rig_.ids({1, 2}))).value();
  rig_.loop.advance(milliseconds(19));
  EXPECT_FALSE(run->outcome.is_done());
  rig_.loop.advance(milliseconds(1));
  ASSERT_TRUE(run->outcome.is_done());
  EXPECT_EQ(run->outcome.value().error().code(), ErrorCode::kTimeout);
  EXPECT_EQ(rig_.connector.open_count(), 0U);
}

TEST_F(HttpFetchTest, AStopEndsItAndClosesItsConnections) {
  rig_.connector.on_receive = {};
  const auto run = rig_.start(node(rig_.ids({1, 2}))).value();
  EXPECT_EQ(rig_.connector.open_count(), 2U);
  rig_.stop.request_stop();
  EXPECT_FALSE(run->outcome.is_done());
  rig_.loop.run_ready();
  ASSERT_TRUE(run->outcome.is_done());
  EXPECT_EQ(run->outcome.value().error().code(), ErrorCode::kCancelled);
  EXPECT_EQ(rig_.connector.open_count(), 0U);
}

TEST_F(HttpFetchTest, AStopThatCameBeforeSendsNothing) {
  rig_.stop.request_stop();
  EXPECT_EQ(error_of(node(rig_.ids({1}))).code(), ErrorCode::kCancelled);
  EXPECT_EQ(rig_.connector.peer_count(), 0U);
}

TEST_F(HttpFetchTest, AServerThatFailsIsLeftAlone) {
  rig_.connector.on_connect = [](net::FakePeer& peer) { peer.refuse(); };
  EXPECT_EQ(error_of(node(rig_.ids({1, 2, 3, 4, 5, 6}))).code(), ErrorCode::kUnavailable);
  const std::size_t before = rig_.connector.peer_count();
  EXPECT_EQ(error_of(node(rig_.ids({1}))).message(),
            "The HTTP server has failed too often and is left alone for a while: GET /s/1");
  EXPECT_EQ(rig_.connector.peer_count(), before);
}

TEST_F(HttpFetchTest, ART1_ANodeWithoutParamsFetchesNothing) {
  // As in {"id": "slow_io", "kernel": "http_fetch", "inputs": ["url"], "outputs": ["response"]}.
  const auto rows = rig_.run({.op = "http_fetch", .inputs = {rig_.ids({1, 2})}});
  ASSERT_TRUE(rows) << rows.error().to_string();
  EXPECT_THAT(tasks::testing::ids_of(*rows), ElementsAre(1, 2));
  EXPECT_TRUE(rig_.asked.empty());
}

TEST_F(HttpFetchTest, ART8_HalfOfTheParamsIsAnErrorAtLoad) {
  NodeSetup setup = node(rig_.ids({1}));
  setup.params.erase("field");
  setup.params.erase("endpoint");
  const auto prepared = rig_.prepare(std::move(setup));
  ASSERT_FALSE(prepared);
  EXPECT_EQ(prepared.error().code(), ErrorCode::kInvalidPlan);
  EXPECT_THAT(prepared.error().message(), HasSubstr("missing: endpoint, field"));
}

TEST_F(HttpFetchTest, ART8_BadPathsAndFieldsAreErrorsAtLoad) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"path", "/x/{by}"}, {"field", "score"}}) {
    NodeSetup setup = node(rig_.ids({1}));
    setup.params[name] = text(value);
    const auto prepared = rig_.prepare(std::move(setup));
    ASSERT_FALSE(prepared) << name;
    EXPECT_EQ(prepared.error().code(), ErrorCode::kInvalidPlan);
  }
  NodeSetup unused = node(rig_.ids({1}), "/all");
  unused.params["by"] = text("id");
  EXPECT_FALSE(rig_.prepare(std::move(unused)));
}

TEST_F(HttpFetchTest, ART8_NeedsAnHttpEndpoint) {
  StoreRig rig("");
  const tasks::ClientKind kinds[] = {tasks::ClientKind::kStore};
  rig.load.endpoints = kinds;
  EXPECT_EQ(rig.prepare(node(rig.ids({1}))).error().code(), ErrorCode::kInvalidPlan);
}

}  // namespace
}  // namespace millrace::stores::testing
