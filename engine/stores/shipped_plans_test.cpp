#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "plan/compiler.h"
#include "plan/registry/registry.h"
#include "stores/embedded_client.h"
#include "stores/store_fixture.h"

// Every plan of the repository on the shipped data: node by node, without a scheduler.

namespace millrace::stores::testing {
namespace {

namespace fs = std::filesystem;
using tasks::testing::Table;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

plan::Registry shipped_registry() {
  const fs::path folder = fs::path(MILLRACE_DATA_DIR).parent_path() / "registry";
  return plan::read_registry({.keys = read_file(folder / "keys.toml"),
                              .params = read_file(folder / "params.toml"),
                              .endpoints = read_file(folder / "endpoints.toml")},
                             plan::Environment::kDev)
      .value();
}

/// Runs the nodes of a plan in order; gives the rows of its outputs, by node id.
class PlanRunner {
 public:
  explicit PlanRunner(const plan::Registry& registry)
      : registry_(registry),
        client_(EmbeddedStore::load(MILLRACE_DATA_DIR "/demo.redis").value()),
        rig_("") {
    rig_.request.user_id = 1;
    rig_.clients.assign(registry.endpoints().size(), nullptr);
    rig_.clients.at(registry.find_endpoint("redis_default")->index) = &client_;
    rig_.load.key_type = [this](std::string_view key) {
      const plan::FieldInfo* info = registry_.find_key(key);
      return info == nullptr ? std::nullopt : std::optional(info->type);
    };
  }

  std::map<std::string, Table> run(const std::string& artifact,
                                   const plan::CompileOptions& options) {
    const auto compiled = plan::compile_plan(artifact, registry_, rig_.registry, options);
    EXPECT_TRUE(compiled) << compiled.error().to_text();
    const plan::CompiledPlan& plan = **compiled;
    const std::vector<rows::Value> params(plan.params.size());
    rig_.load.plan = &plan;
    std::vector<rows::RowSet> results;
    for (const plan::CompiledNode& node : plan.nodes) {
      results.push_back(run_node(node, results, {.params = params}));
    }
    std::map<std::string, Table> out;
    for (const std::uint32_t output : plan.outputs) {
      std::vector<std::string_view> keys(plan.output_keys.begin(), plan.output_keys.end());
      const rows::RowSet& rows = results[output];
      out[plan.nodes[output].id] =
          tasks::testing::to_table(rows.with_batch(rows.batch()->with_only(keys)));
    }
    return out;
  }

  [[nodiscard]] StoreCounters counters() const { return client_.counters(); }

 private:
  rows::RowSet run_node(const plan::CompiledNode& node,
                        const std::vector<rows::RowSet>& results,
                        const expr::Bindings& bindings) {
    tasks::testing::RunningNode run;
    run.prepared = rig_.registry.prepare(node, rig_.load).value();
    for (const plan::PlanInput& input : node.inputs) {
      run.inputs.push_back(results.at(std::get<plan::NodeInput>(input).node));
    }
    for (const plan::ParamValue& value : node.params) {
      run.exprs.push_back(nullptr);
      const auto* compiled = std::get_if<expr::CompiledExprRef>(&value);
      if (compiled == nullptr) continue;
      run.bound.push_back(
          std::make_unique<expr::BoundExpr>(expr::BoundExpr::bind(*compiled, bindings).value()));
      run.exprs.back() = run.bound.back().get();
    }
    const base::Result<rows::RowSet> rows = rig_.execute(run);
    EXPECT_TRUE(rows.has_value()) << node.id << ": " << rows.error().to_string();
    return rows.value();
  }

  const plan::Registry& registry_;
  EmbeddedClient client_;
  StoreRig rig_;
};

TEST(ShippedPlansTest, CMP4_ResultsAreTheSameWithAndWithoutPasses) {
  const plan::Registry registry = shipped_registry();
  std::size_t plan_count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(MILLRACE_DATA_DIR).parent_path() / "plans")) {
    if (!entry.path().string().ends_with(".plan.json")) continue;
    const std::string artifact = read_file(entry.path());
    const auto plain = PlanRunner(registry).run(artifact, plan::CompileOptions::without_passes());
    const auto optimised = PlanRunner(registry).run(artifact, {});
    EXPECT_EQ(plain, optimised) << entry.path();
    // The filter of this one keeps viewers with an id above 5, and the viewer is user 1.
    const bool is_empty = entry.path().filename() == "viewer_filter.plan.json";
    for (const auto& [node, table] : optimised)
      EXPECT_EQ(table.rows.empty(), is_empty) << entry.path();
    ++plan_count;
  }
  EXPECT_GE(plan_count, 9);
}

TEST(ShippedPlansTest, ART1_ANodeThatOnlyHasSlotsAndHintsPassesItsRowsThrough) {
  const plan::Registry registry = shipped_registry();
  const fs::path golden = fs::path(MILLRACE_DATA_DIR).parent_path() / "tests/golden";
  for (const std::string node : {"fast_transform", "slow_io"}) {
    const auto outputs = PlanRunner(registry).run(read_file(golden / (node + ".plan.json")), {});
    ASSERT_EQ(outputs.size(), 1) << node;
    EXPECT_EQ(outputs.begin()->first, node);
    EXPECT_EQ(outputs.begin()->second.rows.size(), 3) << node;
  }
}

TEST(ShippedPlansTest, CLI8_ComplexDagRanksMediaByScore) {
  const plan::Registry registry = shipped_registry();
  PlanRunner runner(registry);
  const auto outputs = runner.run(
      read_file(fs::path(MILLRACE_DATA_DIR).parent_path() / "plans/complex_dag.plan.json"), {});
  ASSERT_EQ(outputs.size(), 1);
  const Table& table = outputs.begin()->second;
  ASSERT_EQ(table.rows.size(), 50);
  const auto scores = table.column("score");
  for (std::size_t i = 1; i < scores.size(); ++i) {
    EXPECT_GE(scores[i - 1].as_float(), scores[i].as_float());
  }
  // One HGETALL, then one batch for each of two lists of users and two of media.
  EXPECT_EQ(runner.counters().batches, 5);
}

}  // namespace
}  // namespace millrace::stores::testing
