#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/format.h"
#include "plan/catalog_fixture.h"
#include "plan/compiler.h"

namespace millrace::plan {

/// Compiles small artifacts against the sample registry and catalog.
class PlanFixture : public testing::Test {
 protected:
  /// An artifact of these nodes; `more` continues the object, as `, "version": 2`.
  [[nodiscard]] static std::string artifact(std::string_view nodes,
                                            std::string_view outputs,
                                            std::string_view more = "") {
    return base::format(R"({{"schema_version": 1, "name": "p", "nodes": [{}], "outputs": [{}]{}}})",
                        nodes,
                        outputs,
                        more);
  }

  [[nodiscard]] CompiledPlanRef compile(std::string_view bytes,
                                        const CompileOptions& options = {}) const {
    auto plan = compile_plan(bytes, registry_, catalog_, options);
    if (plan) return *plan;
    ADD_FAILURE() << plan.error().to_text();
    return nullptr;
  }

  [[nodiscard]] ProblemReport problems(std::string_view bytes) const {
    auto plan = compile_plan(bytes, registry_, catalog_);
    return plan ? ProblemReport() : std::move(plan).error();
  }

  [[nodiscard]] static std::vector<std::string> ids(const CompiledPlan& plan) {
    std::vector<std::string> names;
    for (const CompiledNode& node : plan.nodes) names.push_back(node.id);
    return names;
  }

  /// `pass: text` of every note of a pass.
  [[nodiscard]] static std::vector<std::string> notes(const CompiledPlan& plan,
                                                      std::string_view pass) {
    std::vector<std::string> texts;
    for (const PassNote& note : plan.passes) {
      if (note.pass == pass) texts.push_back(note.text);
    }
    return texts;
  }

  [[nodiscard]] static const CompiledNode& node(const CompiledPlan& plan, std::string_view id) {
    return plan.nodes.at(plan.find_node(id));
  }

  static constexpr std::string_view kViewer =
      R"({"id": "v", "op": "viewer", "params": {"endpoint": "redis_default"}})";
  static constexpr std::string_view kFollow =
      R"({"id": "f", "op": "follow", "inputs": ["v"], "params": {"endpoint": "redis_default"}})";

  Registry registry_ = sample_registry();
  StubCatalog catalog_ = sample_catalog();
};

}  // namespace millrace::plan
