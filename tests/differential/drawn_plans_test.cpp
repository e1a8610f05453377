// Draws plans and runs each with all passes, with none and with each alone. Whatever passes run,
// the answers must be the same bytes, and no plan that was accepted may fail. A naive run, row by
// row over plain maps, says what the answers are.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apps/rankd/extensions.h"
#include "base/check.h"
#include "host/project.h"
#include "host/settings.h"
#include "naive_model.h"
#include "naive_value.h"
#include "plan_engine.h"
#include "plan_generator.h"
#include "stores/embedded_store.h"

namespace millrace::differential {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPlanCount = 120;
constexpr std::uint64_t kNaivePlanCount = 400;
constexpr const char* kCandidates =
    R"([3, {"id": 8, "likes": 4, "score": 2.5}, {"id": 3, "likes": 1}])";

class DrawnPlansTest : public ::testing::Test {
 protected:
  DrawnPlansTest() : folder_(fs::path(::testing::TempDir()) / "millrace_drawn_plans") {
    host::Settings settings;
    settings.root = MILLRACE_SOURCE_DIR;
    auto project = host::Project::open(settings, rankd::rankd_extensions());
    MR_CHECK(project.has_value(), project ? "" : project.error().text);
    project_ = *std::move(project);
    store_ = load_data(settings.root);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~DrawnPlansTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& artifact) const {
    std::ofstream(folder_ / (name + ".plan.json")) << artifact;
  }

  std::map<std::string, std::string> answers(const Way& way) {
    PlanEngine engine(*project_, store_, {folder_.string()}, way);
    std::map<std::string, std::string> all;
    for (const std::string_view plan : engine.plan_names()) {
      for (const int user : {1, 2, 7}) {
        std::string request = fmt::format(
            R"({{"user_id": {}, "plan": "{}", "candidates": {}}})", user, plan, kCandidates);
        std::string answer = engine.answer(0, request);
        all.emplace(std::move(request), std::move(answer));
      }
    }
    return all;
  }

  fs::path folder_;
  std::unique_ptr<host::Project> project_;
  stores::EmbeddedStoreRef store_;
};

TEST_F(DrawnPlansTest, CMP4_E3_PassesNeverChangeAnAnswer) {
  for (std::uint64_t seed = 0; seed < kPlanCount; ++seed) {
    const std::string name = fmt::format("drawn_{}", seed);
    write(name, draw_plan(name, seed));
  }
  const auto expected = answers({.passes = plan::CompileOptions::without_passes()});
  ASSERT_EQ(expected.size(), 3 * kPlanCount);
  std::size_t with_candidates = 0;
  for (const auto& [request, answer] : expected) {
    ASSERT_TRUE(answer.starts_with(R"("candidates":)")) << request << answer;
    with_candidates += answer.starts_with(R"("candidates":[])") ? 0 : 1;
  }
  EXPECT_GT(with_candidates, kPlanCount);
  for (const char* const names :
       {"on", "dead_nodes", "columns", "equal_nodes", "filters", "top_k"}) {
    const auto got = answers({.passes = plan::parse_passes(names).value()});
    for (const auto& [request, answer] : got) {
      ASSERT_EQ(answer, expected.at(request)) << names << " " << request;
    }
  }
}

TEST_F(DrawnPlansTest, TSK7_E1_E3_AnswersAreThoseOfANaiveRun) {
  const NaiveModel model(data_text(MILLRACE_SOURCE_DIR));
  const NaiveRows candidates = {
      {{"id", std::int64_t{3}}},
      {{"id", std::int64_t{8}}, {"likes", std::int64_t{4}}, {"score", 2.5}},
      {{"id", std::int64_t{3}}, {"likes", std::int64_t{1}}}};
  std::map<std::string, std::string> artifacts;
  for (std::uint64_t seed = 0; seed < kNaivePlanCount; ++seed) {
    const std::string name = fmt::format("drawn_{}", seed);
    artifacts[name] = draw_plan(name, seed);
    write(name, artifacts[name]);
  }
  for (const std::string op :
       {"list", "candidates", "sorted_set", "set_members", "aggregate", "lookup", "join"}) {
    const std::string part = fmt::format(R"("op": "{}")", op);
    EXPECT_GT(
        std::ranges::count_if(artifacts, [&](const auto& it) { return it.second.contains(part); }),
        20)
        << op;
  }
  PlanEngine engine(*project_, store_, {folder_.string()}, {});
  std::size_t with_candidates = 0;
  for (const auto& [name, artifact] : artifacts) {
    for (const int user : {1, 2, 7, 1'000'000}) {
      const std::string answer = engine.answer(
          0,
          fmt::format(
              R"({{"user_id": {}, "plan": "{}", "candidates": {}}})", user, name, kCandidates));
      const std::string expected = model.candidates_of(artifact, user, candidates);
      ASSERT_EQ(answer.substr(0, answer.find(R"(,"degraded":)")), expected)
          << "user " << user << " " << artifact;
      with_candidates += expected.ends_with("[]") ? 0 : 1;
    }
  }
  EXPECT_GT(with_candidates, 2 * kNaivePlanCount);
}

TEST_F(DrawnPlansTest, E2_E5_E9_NoPlanThatIsAcceptedFailsARequest) {
  constexpr std::uint64_t kCarelessPlans = 400;
  for (std::uint64_t seed = 0; seed < kCarelessPlans; ++seed) {
    const std::string name = fmt::format("careless_{}", seed);
    write(name, draw_careless_plan(name, seed));
  }
  host::Settings settings;
  settings.plan_dir = folder_.string();
  std::uint64_t accepted = 0;
  for (const host::PlanFile& file : project_->load_plans(settings).value()) {
    accepted += file.plan ? 1 : 0;
    if (!file.plan) fs::remove(file.path);
  }
  EXPECT_GT(accepted, kCarelessPlans / 4);
  EXPECT_LT(accepted, kCarelessPlans);
  const auto expected = answers({.passes = plan::CompileOptions::without_passes()});
  for (const auto& [request, answer] : answers({})) {
    ASSERT_TRUE(answer.starts_with(R"("candidates":)")) << request << answer;
    ASSERT_EQ(answer, expected.at(request)) << request;
  }
}

TEST_F(DrawnPlansTest, E3_NamingTheKeysOfAHydrateNeverChangesAnAnswer) {
  const auto draw = [&](FetchedKeys keys) {
    for (std::uint64_t seed = 0; seed < kPlanCount; ++seed) {
      const std::string name = fmt::format("drawn_{}", seed);
      write(name, draw_plan(name, seed, keys));
    }
    return answers({});
  };
  const auto expected = draw(FetchedKeys::kAllNamed);
  for (const auto& [request, answer] : draw(FetchedKeys::kAsDrawn)) {
    ASSERT_EQ(answer, expected.at(request)) << request;
  }
}

TEST_F(DrawnPlansTest, E3_ChildrenHaveTheirOwnNamesWhateverTheirParentsHad) {
  write("children", R"({"schema_version": 1, "name": "children", "outputs": ["h"],
    "output_keys": ["name"], "nodes": [
      {"id": "v", "op": "viewer", "params": {"endpoint": "redis_default"}},
      {"id": "a", "op": "hydrate", "inputs": ["v"],
       "params": {"endpoint": "redis_default", "prefix": "user", "keys": ["name"]}},
      {"id": "f", "op": "follow", "inputs": ["a"],
       "params": {"endpoint": "redis_default", "fanout": 1, "carry": ["name"]}},
      {"id": "h", "op": "hydrate", "inputs": ["f"],
       "params": {"endpoint": "redis_default", "prefix": "user"}}]})");
  for (const char* const names : {"on", "off"}) {
    const auto got = answers({.passes = plan::parse_passes(names).value()});
    for (const auto& [request, answer] : got) {
      // Names of the data end with the id of their user.
      const std::size_t id = answer.find(R"("id":)") + 5;
      const std::string number = answer.substr(id, answer.find(',', id) - id);
      EXPECT_NE(answer.find(fmt::format(R"( {}")", number)), std::string::npos) << answer;
    }
  }
}

}  // namespace
}  // namespace millrace::differential
