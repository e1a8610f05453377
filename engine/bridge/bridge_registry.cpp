#include "bridge/bridge_registry.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "bridge/expression_components.h"
#include "bridge/http_poll_component.h"
#include "bridge/plan_component.h"
#include "bridge/redis_stream_components.h"
#include "graph/compile/component_registry.h"

namespace millrace::bridge {

graph::ComponentRegistry bridge_registry(std::shared_ptr<PlanRunner> plans) {
  graph::ComponentRegistry registry = graph::builtin_registry();
  const bool has_expressions = register_expression_components(registry).has_value();
  MR_CHECK(has_expressions);
  const bool has_streams = register_redis_stream_components(registry).has_value();
  MR_CHECK(has_streams);
  const bool has_pages = register_http_poll_component(registry).has_value();
  MR_CHECK(has_pages);
  const bool has_plans = register_plan_component(registry, std::move(plans)).has_value();
  MR_CHECK(has_plans);
  return registry;
}

}  // namespace millrace::bridge
