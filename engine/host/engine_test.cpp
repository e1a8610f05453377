#include "host/engine.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "base/metrics/metrics_registry.h"
#include "base/metrics/metrics_snapshot.h"
#include "host/host_fixture.h"
#include "host/waiting_call.h"

namespace millrace::host::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EngineTest, EveryLoopAnswers) {
  Settings settings = repository_settings();
  settings.loops = 3;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  ASSERT_EQ(engine->loop_count(), 3U);
  rank::RequestReader reader;
  for (std::size_t loop = 0; loop < 3; ++loop) {
    WaitingCall call;
    call.run(engine->ranker(loop), reader, R"({"user_id": 1, "plan": "complex_dag"})");
    EXPECT_TRUE(call.ok()) << call.response();
  }
  EXPECT_GT(engine->store_counters().commands, 0U);
}

TEST(EngineTest, ART9_NoTwoRequestsOfAProcessHaveTheSameNumber) {
  Settings settings = repository_settings();
  settings.loops = 2;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  rank::RequestReader reader;
  std::set<std::string> numbers;
  for (int request = 0; request < 6; ++request) {
    WaitingCall call;
    call.run(engine->ranker(request % 2), reader, R"({"user_id": 1, "plan": "simple_plan"})");
    const std::size_t begin = call.response().find("\"engine_request_id\"");
    ASSERT_NE(begin, std::string::npos);
    numbers.insert(call.response().substr(begin, call.response().find(',', begin) - begin));
  }
  EXPECT_EQ(numbers.size(), 6U);
}

TEST(EngineTest, B1_AllLoopsShareOneLimit) {
  Settings settings = repository_settings();
  settings.loops = 2;
  settings.inflight_max = 1;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  rank::RequestReader reader;
  for (std::size_t loop = 0; loop < 2; ++loop) {
    WaitingCall call;
    call.run(engine->ranker(loop), reader, R"({"user_id": 1, "plan": "simple_plan"})");
    EXPECT_TRUE(call.ok() || call.outcome() == rank::RankOutcome::kRefused) << call.response();
  }
  EXPECT_EQ(engine->admission().stats().accepted + engine->admission().stats().refused, 2U);
}

TEST(EngineTest, CLI13_LoopsComeFromTheMachineAndTheEndpoints) {
  EXPECT_EQ(choose_loop_count(0, false), 1U);
  EXPECT_EQ(choose_loop_count(2, false), 2U);
  EXPECT_EQ(choose_loop_count(64, false), 8U);
  EXPECT_EQ(choose_loop_count(2, true), 1U);
  EXPECT_EQ(choose_loop_count(16, true), 4U);
  Settings settings = repository_settings();
  auto project = open_project(settings);
  EXPECT_FALSE(uses_network(project->load_plans(settings).value(), project->registry()));
  settings.env = "test";  // Redis
  project = open_project(settings);
  EXPECT_TRUE(uses_network(project->load_plans(settings).value(), project->registry()));
}

TEST(EngineTest, CLI5_ABrokenPlanDoesNotStopAnotherThatIsNamed) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_dir = std::string(MILLRACE_SOURCE_DIR) + "/plans";
  settings.plan_files = {folder.write("broken.plan.json", kBrokenPlan)};
  settings.plan_name = "simple_plan";
  base::MemoryLogSink sink;
  base::Logger log(sink);
  settings.log = &log;
  const auto project = open_project(settings);
  EXPECT_TRUE(Engine::start(settings, *project));
  EXPECT_THAT(sink.lines(), ::testing::Contains(HasSubstr("nonsense")));
  settings.plan_name = "broken";
  EXPECT_THAT(Engine::start(settings, *project).error().text, HasSubstr("nonsense"));
  settings.plan_name = "";
  EXPECT_THAT(Engine::start(settings, *project).error().text, HasSubstr("nonsense"));
}

TEST(EngineTest, CLI5_TwoPlansOfOneNameAreAnErrorEvenIfAPlanIsNamed) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_dir = std::string(MILLRACE_SOURCE_DIR) + "/plans";
  const std::string text = read_text_file(settings.plan_dir + "/simple_plan.plan.json").value();
  settings.plan_files = {folder.write("copy.plan.json", text)};
  settings.plan_name = "simple_plan";
  const auto project = open_project(settings);
  const auto engine = Engine::start(settings, *project);
  ASSERT_FALSE(engine);
  EXPECT_THAT(
      engine.error().text,
      HasSubstr(
          "/plans/simple_plan.plan.json:\nduplicate_plan: The plan 'simple_plan' is also in " +
          settings.plan_files[0]));
}

TEST(EngineTest, ALimitThatLetsNothingInIsAnError) {
  Settings settings = repository_settings();
  settings.high_water = 0;
  const auto project = open_project(settings);
  EXPECT_THAT(Engine::start(settings, *project).error().text, HasSubstr("high_water"));
}

TEST(EngineTest, CLI2_ThePlanOfTheSettingsIsTheDefault) {
  Settings settings = repository_settings();
  settings.plan_name = "diamond";
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  EXPECT_EQ(engine->plans().default_plan()->plan().name, "diamond");
  EXPECT_EQ(engine->plans().size(), 9U);
}

TEST(EngineTest, EveryProblemOfEveryPlanIsInTheError) {
  const TempFolder folder;
  Settings settings = repository_settings();
  settings.plan_files = {folder.write("a.plan.json", kBrokenPlan),
                         folder.write("b.plan.json", "{")};
  const auto project = open_project(settings);
  const auto engine = Engine::start(settings, *project);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().text, HasSubstr("a.plan.json"));
  EXPECT_THAT(engine.error().text, HasSubstr("nonsense"));
  EXPECT_THAT(engine.error().text, HasSubstr("b.plan.json"));
}

TEST(EngineTest, AnUnknownPlanNameSaysWhichIsMeant) {
  Settings settings = repository_settings();
  settings.plan_name = "diamont";
  const auto project = open_project(settings);
  EXPECT_THAT(Engine::start(settings, *project).error().text, HasSubstr("'diamond'"));
}

TEST(EngineTest, AKindOfEndpointWithoutDriverIsNamed) {
  const Settings settings = repository_settings();
  auto project = Project::open(settings, {.tasks = {&stores::register_store_tasks}, .drivers = {}});
  ASSERT_TRUE(project);
  const auto engine = Engine::start(settings, **project);
  ASSERT_FALSE(engine);
  EXPECT_THAT(engine.error().text, HasSubstr("no client for the kind 'embedded'"));
}

/// The sum over all series of a metric, or nothing if there is no such metric.
std::optional<std::uint64_t> count_of(const base::MetricsRegistry& metrics, std::string_view name) {
  for (const base::MetricSnapshot& metric : metrics.snapshot()) {
    if (metric.descriptor.name != name) continue;
    std::uint64_t count = 0;
    for (const base::SeriesSnapshot& series : metric.series) count += series.value.count;
    return count;
  }
  return std::nullopt;
}

TEST(EngineTest, MetricsOfLoopsAndEndpointsAreLive) {
  Settings settings = repository_settings();
  settings.loops = 2;
  const auto project = open_project(settings);
  const auto engine = start_engine(settings, *project);
  rank::RequestReader reader;
  for (std::size_t loop = 0; loop < 2; ++loop) {
    WaitingCall call;
    call.run(engine->ranker(loop), reader, R"({"user_id": 1, "plan": "complex_dag"})");
    EXPECT_TRUE(call.ok()) << call.response();
  }
  EXPECT_GT(count_of(engine->metrics(), "rankd_loop_jobs_total"), 0U);
  EXPECT_EQ(count_of(engine->metrics(), "rankd_endpoint_commands_total"),
            engine->store_counters().commands);
  EXPECT_EQ(count_of(engine->metrics(), "rankd_endpoint_round_trips_total"),
            engine->store_counters().round_trips);
}

TEST(EngineTest, StartAndStopAreLogged) {
  base::MemoryLogSink sink;
  base::Logger log(sink);
  Settings settings = repository_settings();
  settings.loops = 2;
  settings.log = &log;
  const auto project = open_project(settings);
  auto engine = start_engine(settings, *project);
  ASSERT_EQ(sink.lines().size(), 1U);
  EXPECT_THAT(sink.lines()[0],
              HasSubstr(R"("level":"info","msg":"The engine is ready for requests",)"
                        R"("event":"engine_start","env":"dev","plans":9,"loops":2,"threads":2,)"
                        R"("endpoints":)"));
  engine.reset();
  ASSERT_EQ(sink.lines().size(), 2U);
  EXPECT_THAT(sink.lines()[1], HasSubstr(R"("event":"engine_stop"})"));
}

TEST(EngineTest, AnEngineThatCannotStartLogsNeither) {
  base::MemoryLogSink sink;
  base::Logger log(sink);
  Settings settings = repository_settings();
  settings.plan_name = "no_such_plan";
  settings.log = &log;
  const auto project = open_project(settings);
  EXPECT_FALSE(Engine::start(settings, *project));
  EXPECT_THAT(sink.lines(), IsEmpty());
}

}  // namespace
}  // namespace millrace::host::testing
