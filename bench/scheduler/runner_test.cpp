#include "scheduler/runner.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/engine.h"
#include "scheduler/options.h"
#include "scheduler/suite.h"

namespace millrace::bench {
namespace {

using testing::Contains;
using testing::Not;

std::vector<std::string> names(const std::vector<EngineEntry>& engines) {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engines) names.emplace_back(entry.name);
  return names;
}

std::vector<Case> cases_with(const Options& options, std::string_view body) {
  std::vector<Case> cases = choose_cases(options);
  std::erase_if(cases, [&](const Case& entry) { return entry.body != body; });
  return cases;
}

TEST(RunnerTest, TheShortFormHasEveryBodyAndNoLongRuns) {
  for (const BodyLength& body : core_bodies()) {
    const std::vector<Case> cases = cases_with({}, body.name);
    EXPECT_GE(cases.size(), 9U) << body.name;
    for (const Case& entry : cases)
      EXPECT_LT(static_cast<double>(entry.shape.node_count()) * body.ns, 6e6) << entry.name;
  }
  EXPECT_TRUE(cases_with({}, "1ms").empty());
}

TEST(RunnerTest, WhatIsNamedIsMeasuredInEitherForm) {
  Options options;
  options.bodies = {"1ms"};
  EXPECT_FALSE(cases_with(options, "1ms").empty());
  options = {};
  options.engines = {"millrace-inside"};
  EXPECT_EQ(names(choose_engines(options, choose_cases(options).front())),
            std::vector<std::string>{"millrace-inside"});
}

TEST(RunnerTest, TheFullFormIsAllOfTheSuite) {
  Options options;
  options.full = true;
  EXPECT_EQ(choose_cases(options).size(), make_suite(1).size());
}

TEST(RunnerTest, EveryCaseHasOursWithADeadlineAndWithout) {
  for (const Case& entry : choose_cases({})) {
    EXPECT_THAT(names(choose_engines({}, entry)), Contains("millrace-deadline")) << entry.name;
    EXPECT_THAT(names(choose_engines({}, entry)), Contains("millrace")) << entry.name;
    EXPECT_THAT(names(choose_engines({}, entry)), Not(Contains("millrace-nochain"))) << entry.name;
  }
}

}  // namespace
}  // namespace millrace::bench
