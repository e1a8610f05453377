#include "runtime/flow/flow_part.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "loop/task.h"
#include "runtime/flow/body_call.h"
#include "runtime/node_call.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

/// A node of the inner flow as it was declared, and where its context is.
struct Part {
  NodeSpec inner;
  Projection projection;

  [[nodiscard]] void* find_context(const NodeCall& call) const {
    return projection.find(projection.closure.get(), call.context());
  }
};

const Part& part_of(const void* closure) { return *static_cast<const Part*>(closure); }

bool run_part(const void* closure, NodeCall& call) {
  const Part& part = part_of(closure);
  const ContextScope inside(call, part.find_context(call));
  return part.inner.body(part.inner.closure.get(), call);
}

loop::Task<base::Status> run_part_async(const void* closure, NodeCall call) {
  const Part& part = part_of(closure);
  call.exchange_context(part.find_context(call));
  return part.inner.async_body(part.inner.closure.get(), std::move(call));
}

bool commit_part(const void* closure, NodeCall& call) {
  const Part& part = part_of(closure);
  const ContextScope inside(call, part.find_context(call));
  return part.inner.commit(part.inner.closure.get(), call);
}

bool fall_back_part(const void* closure, NodeCall& call) {
  const Part& part = part_of(closure);
  const ContextScope inside(call, part.find_context(call));
  return part.inner.fallback_body(part.inner.fallback_closure.get(), call);
}

bool do_nothing(const void*, NodeCall&) { return true; }

NodeSpec make_join(std::string id, std::vector<std::string> after) {
  NodeSpec join;
  join.id = std::move(id);
  join.op = "flow";
  join.kind = NodeKind::kCheap;
  join.body = &do_nothing;
  join.after = std::move(after);
  return join;
}

NodeSpec make_node(const std::string& prefix, const NodeSpec& inner, const Projection& projection) {
  NodeSpec spec = inner;
  spec.id = prefix + inner.id;
  for (std::string& producer : spec.after) producer.insert(0, prefix);
  if (spec.fallback == FallbackKind::kNode) spec.fallback_node.insert(0, prefix);
  auto part = std::make_shared<const Part>(Part{.inner = inner, .projection = projection});
  if (spec.body != nullptr) spec.body = &run_part;
  if (spec.async_body != nullptr) spec.async_body = &run_part_async;
  if (spec.commit != nullptr) spec.commit = &commit_part;
  if (spec.fallback_body != nullptr) {
    spec.fallback_body = &fall_back_part;
    spec.fallback_closure = part;
  }
  spec.closure = std::move(part);
  return spec;
}

}  // namespace

std::vector<NodeSpec> nodes_of_part(const std::string& id,
                                    const Topology& inner,
                                    const Projection& projection,
                                    const PartOptions& options) {
  const std::string prefix = id + "/";
  std::vector<NodeSpec> nodes;
  std::vector<std::string> starts = options.after;
  // One node in between keeps the number of edges at the sum of both sides, not their product.
  if (options.after.size() > 1 && inner.sources().size() > 1) {
    nodes.push_back(make_join(prefix + "(begin)", options.after));
    starts = {prefix + "(begin)"};
  }
  std::vector<std::string> ends;
  for (std::uint32_t node = 0; node < inner.node_count(); ++node) {
    NodeSpec spec = make_node(prefix, inner.spec(node), projection);
    if (!spec.priority) spec.priority = options.priority;
    if (inner.in_degree(node) == 0) spec.after = starts;
    if (inner.dependents(node).empty() && !inner.is_lazy(node)) ends.push_back(spec.id);
    nodes.push_back(std::move(spec));
  }
  nodes.push_back(make_join(id, std::move(ends)));
  return nodes;
}

}  // namespace millrace::runtime
