// Runs the shipped plans and those of plans/ in every way: passes on and off; 1, 2 and 8 workers;
// inlining on and off; one loop and several. All answers are compared with those of the simplest
// way.

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apps/rankd/extensions.h"
#include "base/check.h"
#include "host/project.h"
#include "host/settings.h"
#include "plan_engine.h"
#include "stores/embedded_store.h"

namespace millrace::differential {
namespace {

const std::string kRoot = MILLRACE_SOURCE_DIR;

std::vector<std::string> requests_to(std::string_view plan) {
  std::vector<std::string> requests;
  for (const char* const fields : {R"("user_id": 1)",
                                   R"("user_id": 2, "seed": 7)",
                                   R"("user_id": 3, "param_overrides": {"weight": -1.5},
                                      "params": {"min_score": 2.5}, "exclude": [23, 80], "limit": 7)",
                                   R"("user_id": 4, "candidates": [23, {"id": 80, "likes": 5},
                                      {"id": 7, "likes": 5, "score": 2}, {"id": 23, "name": "x"}])",
                                   R"("user_id": 999999)"}) {
    requests.push_back(fmt::format(R"({{{}, "plan": "{}"}})", fields, plan));
  }
  return requests;
}

class DifferentialTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    host::Settings settings;
    settings.root = kRoot;
    auto project = host::Project::open(settings, rankd::rankd_extensions());
    MR_CHECK(project.has_value(), project ? "" : project.error().text);
    project_ = *std::move(project);
    store_ = load_data(kRoot);
    expected_ = answers({.passes = plan::CompileOptions::without_passes(), .inlines = false});
  }
  static void TearDownTestSuite() {
    expected_.clear();
    project_.reset();
    store_.reset();
  }

  /// The answer to every request, from every loop in turn.
  static std::map<std::string, std::string> answers(const Way& way) {
    PlanEngine engine(
        *project_, store_, {kRoot + "/plans", kRoot + "/tests/differential/plans"}, way);
    std::map<std::string, std::string> all;
    std::uint32_t turn = 0;
    for (const std::string_view plan : engine.plan_names()) {
      for (std::string& request : requests_to(plan)) {
        std::string answer = engine.answer(turn++ % way.loops, request);
        all.emplace(std::move(request), std::move(answer));
      }
    }
    return all;
  }

  static void expect_same(const Way& way) {
    const auto got = answers(way);
    ASSERT_EQ(got.size(), expected_.size());
    for (const auto& [request, answer] : got)
      ASSERT_EQ(answer, expected_.at(request)) << way.name() << "\n" << request;
  }

  static inline std::unique_ptr<host::Project> project_;
  static inline stores::EmbeddedStoreRef store_;
  static inline std::map<std::string, std::string> expected_;
};

TEST_F(DifferentialTest, EveryPlanHasCandidatesToCompare) {
  EXPECT_GE(expected_.size(), 4U * 40U);
  std::map<std::string, bool> has_candidates;
  for (const auto& [request, answer] : expected_) {
    EXPECT_TRUE(answer.starts_with(R"("candidates":)")) << request << answer;
    bool& any = has_candidates[request.substr(request.find("\"plan\""))];
    any |= !answer.starts_with(R"("candidates":[])");
  }
  // It keeps viewers with an id above 5 only, and the only such request is for an unknown user.
  has_candidates.erase(R"("plan": "viewer_filter"})");
  for (const auto& [plan, any] : has_candidates) EXPECT_TRUE(any) << plan;
}

TEST_F(DifferentialTest, EveryTaskIsCovered) {
  host::Settings settings;
  std::map<std::string, bool> used;
  for (const plan::TaskSpec* const task : project_->tasks().tasks()) used[task->op] = false;
  for (const char* const folder : {"/plans", "/tests/differential/plans"}) {
    settings.plan_dir = kRoot + folder;
    const auto files = project_->load_plans(settings, plan::CompileOptions::without_passes());
    for (const host::PlanFile& file : *files) {
      for (const plan::CompiledNode& node : (*file.plan)->nodes) used[node.task->op] = true;
    }
  }
  for (const auto& [op, is_used] : used) EXPECT_TRUE(is_used) << op;
}

TEST_F(DifferentialTest, REQ9_CMP4_AllPassesAndAnyNumberOfThreads) {
  for (const std::uint32_t workers : {1U, 2U, 8U}) {
    for (const bool inlines : {true, false}) {
      for (const std::uint32_t loops : {1U, 3U}) {
        expect_same({.workers = workers, .inlines = inlines, .loops = loops});
        expect_same({.passes = plan::CompileOptions::without_passes(),
                     .workers = workers,
                     .inlines = inlines,
                     .loops = loops});
      }
    }
  }
}

TEST_F(DifferentialTest, CMP4_EachPassAlone) {
  for (const auto pass : {&plan::CompileOptions::remove_dead_nodes,
                          &plan::CompileOptions::prune_columns,
                          &plan::CompileOptions::merge_fetches,
                          &plan::CompileOptions::merge_filters,
                          &plan::CompileOptions::use_top_k}) {
    Way way{.passes = plan::CompileOptions::without_passes(), .workers = 2};
    way.passes.*pass = true;
    expect_same(way);
    way.passes = {};
    way.passes.*pass = false;
    expect_same(way);
  }
}

}  // namespace
}  // namespace millrace::differential
