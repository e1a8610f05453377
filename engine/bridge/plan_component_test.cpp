#include "bridge/plan_component.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/bridge_fixture.h"
#include "bridge/bridge_registry.h"
#include "bridge/engine_plan_runner.h"
#include "host/host_fixture.h"

namespace millrace::bridge {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Messages, a plan, and what comes out of it.
std::string ranking(const std::string& messages, const std::string& config) {
  return graph_text({"id: in, type: core.values, config: {values: [" + messages + "]}",
                     "id: p, type: plan, config: {" + config +
                         "}, trigger_policy: {type: any_input, inputs: [in]}",
                     "id: o, type: core.output, event_sources: [{type: task_ready, inputs: [in]}]"},
                    {"id: ip, kind: immediate, from: in.out, to: p.in",
                     "id: po, kind: async, from: p.out, to: o.in"});
}

/// Answers with the request.
class EchoRunner final : public PlanRunner {
 public:
  base::Status find(std::string_view plan) override {
    if (plan == "echo") return {};
    return base::fail(base::ErrorCode::kNotFound, "No such plan");
  }
  base::Result<std::string> rank(std::string_view plan,
                                 std::string_view request,
                                 base::Duration limit) override {
    return R"({"engine_request_id":"e1","plan":")" + std::string(plan) + R"(","request":)" +
           std::string(request) + R"(,"limit":)" + std::to_string(limit / 1ms) +
           R"(,"took_ms":0.25})";
  }
};

TEST(PlanComponentTest, G67_EachMessageIsARequestAndItsResponseArrivesOnAnAsyncEdge) {
  const auto result = run_graph(ranking("7, {user_id: 8, limit: 2}", "name: echo, deadline: 50ms"),
                                bridge_registry(std::make_shared<EchoRunner>()));
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(values(result),
              ElementsAre(R"({"plan":"echo","request":{"user_id":7},"limit":50})",
                          R"({"plan":"echo","request":{"user_id":8,"limit":2},"limit":50})"))
      << "without what differs from run to run";
}

TEST(PlanComponentTest, G67_ItRunsThePlansOfAnEngineInVirtualTime) {
  const auto settings = host::testing::repository_settings();
  const auto project = host::testing::open_project(settings);
  const auto engine = host::testing::start_engine(settings, *project);
  const auto runner = std::make_shared<EnginePlanRunner>();
  runner->attach(*engine);
  const auto types = bridge_registry(runner);
  const std::string graph = ranking("{user_id: 1, limit: 2}", "name: mixed_pipeline");
  const auto first = run_graph(graph, types);
  ASSERT_EQ(first.outputs.size(), 1U);
  EXPECT_THAT(first.outputs[0].value.to_json(), HasSubstr(R"("candidates":[{"id":)"));
  EXPECT_EQ(values(run_graph(graph, types)), values(first)) << "the same twice";
  const auto wrong = run_graph(ranking("{user_id: x}", "name: mixed_pipeline"), types);
  ASSERT_EQ(wrong.outputs.size(), 1U) << "an error is a response too";
  EXPECT_THAT(wrong.outputs[0].value.to_json(), HasSubstr(R"("error":{"code":"bad_value")"));
  const auto unknown = run_graph(ranking("1", "name: mixed_pipelin"), types);
  ASSERT_EQ(unknown.errors.size(), 1U);
  EXPECT_EQ(unknown.errors[0].phase, "activate");
  EXPECT_EQ(unknown.errors[0].message,
            "No plan 'mixed_pipelin' is loaded; did you mean 'mixed_pipeline'?");
  runner->detach();
  EXPECT_EQ(run_graph(graph, types).errors[0].message, "No engine runs plans here");
}

TEST(PlanComponentTest, G67_WhatIsNoRequestIsAnError) {
  const auto types = bridge_registry(std::make_shared<EchoRunner>());
  const auto result = run_graph(ranking("[1]", "name: echo"), types);
  ASSERT_EQ(result.errors.size(), 1U);
  EXPECT_EQ(result.errors[0].message, "A request is an object, or the id of a user: [1]");
  EXPECT_THAT(report_of(ranking("1", "deadline: 1s"), types),
              HasSubstr("'plan' needs config 'name'"));
}

}  // namespace
}  // namespace millrace::bridge
