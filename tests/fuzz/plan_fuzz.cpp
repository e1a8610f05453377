// Any bytes either compile to a plan or give a report that says why not. A plan that compiles is
// consistent: its nodes are in order, its params have the types of their specs, and it compiles
// with every set of passes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/check.h"
#include "plan/catalog_fixture.h"
#include "plan/compiler.h"
#include "plan/explain.h"

namespace {

using namespace millrace::plan;  // NOLINT(google-build-using-namespace)

void check_whole(const CompiledPlan& plan, const Registry& registry) {
  MR_CHECK(!plan.outputs.empty());
  MR_CHECK(plan.output_keys.front() == "id");
  for (std::uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const CompiledNode& node = plan.nodes[i];
    MR_CHECK(node.task != nullptr);
    MR_CHECK(node.params.size() == node.task->params.size());
    for (const PlanInput& input : node.inputs) {
      if (const auto* from = std::get_if<NodeInput>(&input)) MR_CHECK(from->node < i);
    }
    for (const std::uint32_t other : node.waits_for) MR_CHECK(other < i);
    MR_CHECK((node.on_failure == OnFailure::kUseNode) == (node.fallback_node != kNoPlanNode));
    for (std::size_t param = 0; param < node.params.size(); ++param) {
      const ParamType type = node.task->params[param].type;
      const bool is_expr = type == ParamType::kExpr || type == ParamType::kPredicate;
      MR_CHECK(!is_expr || !std::holds_alternative<std::string>(node.params[param]));
    }
  }
  MR_CHECK(!PlanExplanation(plan, registry).to_text().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const StubCatalog catalog = sample_catalog();
  static const Registry registry = sample_registry();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto plan = compile_plan(bytes, registry, catalog);
  if (!plan) {
    MR_CHECK(!plan.error().empty());
    MR_CHECK(!plan.error().to_text().empty());
    return 0;
  }
  check_whole(**plan, registry);
  const auto plain = compile_plan(bytes, registry, catalog, CompileOptions::without_passes());
  MR_CHECK(plain.has_value());
  check_whole(**plain, registry);
  MR_CHECK((*plain)->digest == (*plan)->digest);
  return 0;
}
