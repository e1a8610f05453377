#include "graph/run/config_updates.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/guarded_call.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/compile/config_check.h"
#include "graph/compile/descriptor.h"
#include "graph/payload.h"
#include "graph/run/run_tables.h"
#include "graph/watch/graph_event.h"

namespace millrace::graph {
namespace {

base::Status name_component(const base::Error& error, const ConfigUpdate& update) {
  return base::fail(error.code(), error.message(), update.component);
}

void trace_transaction(RunTables& tables, bool is_committed) {
  if (tables.domains.empty()) return;
  tables.trace(tables.domains.front(),
               {.name = GraphEventName::kConfigTransaction,
                .first = static_cast<std::uint64_t>(tables.metrics.run.config_version.value()),
                .second = is_committed ? 1U : 0U});
}

}  // namespace

base::Status apply_config_updates(RunTables& tables,
                                  const ComponentRegistry& registry,
                                  std::span<const std::uint32_t> components,
                                  std::span<const ConfigUpdate> updates) {
  const auto current = [&](std::size_t i) -> const Payload& {
    const auto& changed = tables.components[components[i]].config;
    return changed ? *changed : tables.graph.components[components[i]].config;
  };
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const ComponentRun& run = tables.components[components[i]];
    base::Status status;
    if (run.stuck_count > 0) {
      status = base::fail(base::ErrorCode::kUnavailable,
                          "An invocation that was given up still runs in the component");
    }
    const ComponentDescriptor* type = registry.find(tables.graph.components[components[i]].type);
    if (status && type != nullptr) status = check_new_config(*type, current(i), updates[i].config);
    if (status) {
      status = guarded_call([&] { return run.instance->check_update(updates[i].config); });
    }
    if (!status) return name_component(status.error(), updates[i]);
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    Component& instance = *tables.components[components[i]].instance;
    const base::Status status =
        guarded_call([&] { return instance.apply_update(updates[i].config); });
    if (status) continue;
    for (std::size_t k = i; k-- > 0;) {
      Component& changed = *tables.components[components[k]].instance;
      const base::Status back = guarded_call([&] { return changed.apply_update(current(k)); });
      if (!back) {
        tables.fail("configure", components[k], "component_configure", back.error().message());
      }
    }
    tables.metrics.run.rolled_back_update_count.add();
    trace_transaction(tables, false);
    return name_component(status.error(), updates[i]);
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    tables.components[components[i]].config = updates[i].config;
  }
  tables.metrics.run.committed_update_count.add();
  tables.metrics.run.config_version.add(1);
  trace_transaction(tables, true);
  return {};
}

}  // namespace millrace::graph
