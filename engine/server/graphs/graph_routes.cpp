#include "server/graphs/graph_routes.h"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/problems/message_text.h"
#include "host/generation.h"
#include "plan/compiled_plan.h"
#include "rank/loaded_plan.h"
#include "rank/plan_set.h"

namespace millrace::server {

std::expected<std::function<std::string()>, RequestProblem> graph_page(const GraphDesk* desk,
                                                                       const Route& route,
                                                                       const RouteMatch& match) {
  if (route.action == RouteAction::kListGraphs) {
    return [desk] {
      return base::format(R"({{"graphs":[{}]}})", desk == nullptr ? "" : desk->summary());
    };
  }
  if (desk == nullptr || desk->name() != match.graph) {
    return std::unexpected(RequestProblem{
        .code = "no_route",
        .detail = base::format("No graph '{}' runs here; GET /v1/graphs lists what does",
                               base::shortened(match.graph))});
  }
  if (route.action == RouteAction::kShowGraph) return [desk] { return desk->page(); };
  if (!desk->has_component(match.component)) {
    return std::unexpected(
        RequestProblem{.code = "no_route",
                       .detail = base::format("The graph has no component '{}'; its page names all",
                                              base::shortened(match.component))});
  }
  return [desk, component = match.component] { return desk->why(component); };
}

bool reads_graph(const host::Generation& generation) {
  return std::ranges::any_of(generation.plans().names(), [&](std::string_view name) {
    return plan::reads_graph(generation.plans().find(name)->plan(), generation.registry());
  });
}

}  // namespace millrace::server
