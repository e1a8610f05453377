#include "graph/components/builtin_components.h"

#include <memory>
#include <string_view>

#include "graph/body/component.h"
#include "graph/components/boundary_components.h"
#include "graph/components/step_components.h"
#include "graph/components/top_counts_component.h"

namespace millrace::graph {

ComponentFactory builtin_factory(std::string_view type) {
  if (ComponentFactory factory = boundary_factory(type)) return factory;
  if (type == "core.top_counts") return top_counts_factory();
  return step_factory(type);
}

}  // namespace millrace::graph
