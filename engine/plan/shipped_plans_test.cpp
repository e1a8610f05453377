#include <algorithm>
#include <chrono>
#include <expected>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plan/catalog_fixture.h"
#include "plan/compiler.h"
#include "plan/registry/registry.h"

namespace millrace::plan {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::expected<Registry, ProblemReport> shipped_registry(Environment environment) {
  const fs::path folder = fs::path(MILLRACE_SOURCE_DIR) / "registry";
  return read_registry({.keys = read_file(folder / "keys.toml"),
                        .params = read_file(folder / "params.toml"),
                        .endpoints = read_file(folder / "endpoints.toml")},
                       environment);
}

TEST(ShippedPlansTest, REG3_TheRegistryIsGoodInEveryEnvironment) {
  for (const Environment environment :
       {Environment::kDev, Environment::kTest, Environment::kProd}) {
    const auto registry = shipped_registry(environment);
    ASSERT_TRUE(registry) << registry.error().to_text();
    EXPECT_TRUE(registry->find_endpoint("redis_default"));
  }
}

TEST(ShippedPlansTest, CLI7_EveryPlanCompilesWithAndWithoutPasses) {
  const auto registry = shipped_registry(Environment::kDev);
  ASSERT_TRUE(registry) << registry.error().to_text();
  const StubCatalog catalog = sample_catalog();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(MILLRACE_SOURCE_DIR) / "plans")) {
    if (!entry.path().string().ends_with(".plan.json")) continue;
    const std::string bytes = read_file(entry.path());
    for (const CompileOptions& options : {CompileOptions{},
                                          CompileOptions::without_passes(),
                                          CompileOptions{.for_explain = true}}) {
      const auto plan = compile_plan(bytes, *registry, catalog, options);
      ASSERT_TRUE(plan) << entry.path() << "\n" << plan.error().to_text();
      if (options.prune_columns && !options.for_explain) names.push_back((*plan)->name);
      EXPECT_EQ((*plan)->name + ".plan.json", entry.path().filename());
    }
  }
  std::ranges::sort(names);
  EXPECT_EQ(names,
            (std::vector<std::string>{"complex_dag",
                                      "complex_plan",
                                      "diamond",
                                      "mixed_pipeline",
                                      "my_plan",
                                      "parallel_fanout",
                                      "simple_plan",
                                      "simple_viewer",
                                      "viewer_filter"}));
}

TEST(ShippedPlansTest, ART1_ThePlanWithSchedulingHintsCompiles) {
  const StubCatalog catalog = sample_catalog();
  const Registry registry = sample_registry();
  const auto plan = compile_plan(
      read_file(fs::path(MILLRACE_SOURCE_DIR) / "engine/plan/testdata/scheduling_hints.plan.json"),
      registry,
      catalog);
  ASSERT_TRUE(plan) << plan.error().to_text();
  const CompiledNode& fast = (*plan)->nodes.at((*plan)->find_node("fast_transform"));
  EXPECT_EQ(fast.task->op, "vm");
  EXPECT_EQ(fast.inline_hint, true);
  EXPECT_EQ(fast.cost_estimate, std::chrono::microseconds(5));
  const CompiledNode& slow = (*plan)->nodes.at((*plan)->find_node("slow_io"));
  EXPECT_EQ(slow.inline_hint, false);
  EXPECT_EQ(slow.cost_estimate.count(), 0);
}

}  // namespace
}  // namespace millrace::plan
