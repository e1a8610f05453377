#include "runtime/flow/replaceable.h"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/result.h"
#include "loop/task.h"
#include "runtime/node_call.h"
#include "runtime/topology/node.h"
#include "runtime/topology/topology.h"

namespace millrace::runtime {
namespace {

/// What a stand-in did before it was made to wait.
struct StandIn {
  BodyFunction body;
  AsyncFunction async_body;
  BodyFunction commit;
  std::shared_ptr<const void> closure;
};

const StandIn& stand_in(const void* closure) { return *static_cast<const StandIn*>(closure); }

bool run_stand_in(const void* closure, NodeCall& call) {
  call.close_replaced_inputs();
  return stand_in(closure).body(stand_in(closure).closure.get(), call);
}

loop::Task<base::Status> run_stand_in_async(const void* closure, NodeCall call) {
  call.close_replaced_inputs();
  return stand_in(closure).async_body(stand_in(closure).closure.get(), std::move(call));
}

bool commit_stand_in(const void* closure, NodeCall& call) {
  return stand_in(closure).commit(stand_in(closure).closure.get(), call);
}

void close_inputs_before(NodeSpec& spec) {
  spec.closure = std::make_shared<const StandIn>(StandIn{.body = spec.body,
                                                         .async_body = spec.async_body,
                                                         .commit = spec.commit,
                                                         .closure = std::move(spec.closure)});
  if (spec.body != nullptr) spec.body = &run_stand_in;
  if (spec.async_body != nullptr) spec.async_body = &run_stand_in_async;
  if (spec.commit != nullptr) spec.commit = &commit_stand_in;
}

}  // namespace

void close_inputs_of_replaced(std::span<NodeSpec> specs) {
  std::set<std::string_view> stand_ins;
  for (const NodeSpec& spec : specs)
    if (spec.fallback == FallbackKind::kNode) stand_ins.insert(spec.fallback_node);
  for (NodeSpec& spec : specs)
    if (stand_ins.contains(spec.id)) close_inputs_before(spec);
}

base::Status check_stand_ins(const Topology& topology) {
  for (std::uint32_t node = 0; node < topology.node_count(); ++node) {
    const std::uint32_t fallback = topology.fallback_of(node);
    if (fallback == kNoNode || topology.is_lazy(fallback)) continue;
    return base::fail(base::ErrorCode::kInvalidArgument,
                      "or_else_node names a node that others wait for too, so it would run anyway; "
                      "give '" +
                          std::string(topology.id(node)) + "' a node of its own instead of '" +
                          std::string(topology.id(fallback)) + "'",
                      "node '" + std::string(topology.id(node)) + "'");
  }
  return {};
}

}  // namespace millrace::runtime
