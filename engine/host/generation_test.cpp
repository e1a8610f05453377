#include "host/generation.h"

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "host/engine.h"
#include "host/host_fixture.h"
#include "host/waiting_call.h"

namespace millrace::host::testing {
namespace {

TEST(GenerationTest, S24_OldPlansAnswerAfterTheyWereReplaced) {
  Settings settings = repository_settings();
  settings.plan_name = "diamond";
  const std::shared_ptr<const Project> project = open_project(settings);
  const auto engine = *Engine::start(settings, project);
  const std::string first = engine->ranker(0).make_request_id();
  const auto old = engine->generation();
  rank::PlanSet plans;
  auto files = project->load_plans(settings);
  for (PlanFile& file : *files)
    ASSERT_TRUE(plans.add(*engine->load(*file.plan, file.text, *old->clients())));
  ASSERT_TRUE(
      engine->replace_generation(engine->make_generation(old->clients(), std::move(plans))) == old);
  EXPECT_NE(engine->ranker(0).make_request_id(), first);
  // Both answer, each with its own plans.
  rank::RequestReader reader;
  WaitingCall call;
  call.run(old->ranker(0), reader, R"({"user_id":1,"plan":"diamond"})");
  EXPECT_TRUE(call.ok()) << call.error_message();
  EXPECT_EQ(call.plan(), old->plans().find("diamond"));
  call.run(engine->ranker(0), reader, R"({"user_id":1,"plan":"diamond"})");
  EXPECT_TRUE(call.ok()) << call.error_message();
  EXPECT_EQ(call.plan(), engine->plans().find("diamond"));
  EXPECT_NE(engine->plans().find("diamond"), old->plans().find("diamond"));
}

}  // namespace
}  // namespace millrace::host::testing
