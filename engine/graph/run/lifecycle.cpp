#include "graph/run/lifecycle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/body/guarded_call.h"
#include "graph/compile/compiled_graph.h"
#include "graph/compile/component_registry.h"
#include "graph/run/run_result.h"
#include "graph/run/run_tables.h"

namespace millrace::graph {

bool Lifecycle::note(std::string_view phase, std::uint32_t component, const base::Status& status) {
  if (status) return true;
  tables_.fail(phase, component, base::format("component_{}", phase), status.error().message());
  return false;
}

bool Lifecycle::configure(std::uint32_t component) {
  const CompiledComponent& compiled = tables_.graph.components[component];
  ComponentRun& run = tables_.components[component];
  const base::Status made = guarded_call([&]() -> base::Status {
    run.instance = registry_.make(compiled.type);
    return {};
  });
  if (!made) return note("configure", component, made);
  if (run.instance == nullptr) {
    return note("configure",
                component,
                base::fail(base::ErrorCode::kNotFound,
                           base::format("Components of type '{}' cannot be run by this program",
                                        compiled.type)));
  }
  const ComponentSetup setup{.id = compiled.id,
                             .config = run.config ? *run.config : compiled.config,
                             .graph_config = tables_.graph.config,
                             .outputs = run.output_names,
                             .inputs = run.input_names};
  return note("configure", component, guarded_call([&] { return run.instance->configure(setup); }));
}

bool Lifecycle::start(std::span<const ComponentSnapshot> snapshots) {
  const std::vector<std::uint32_t>& order = tables_.graph.start_order;
  bool is_good = std::ranges::all_of(order, [this](std::uint32_t c) { return configure(c); });
  for (std::size_t i = 0; is_good && i < order.size(); ++i) {
    is_good = activate(order[i]);
    if (is_good) active_.push_back(order[i]);
  }
  for (std::size_t i = 0; is_good && i < order.size(); ++i) {
    ComponentRun& run = tables_.components[order[i]];
    const std::string& id = tables_.graph.components[order[i]].id;
    const auto found = std::ranges::find(snapshots, id, &ComponentSnapshot::component);
    if (found == snapshots.end()) continue;
    run.last_snapshot = found->state;
    is_good = restore(order[i], found->state);
  }
  for (std::size_t i = 0; is_good && i < order.size(); ++i) {
    Component& instance = *tables_.components[order[i]].instance;
    is_good = note("reset", order[i], guarded_call([&] { return instance.reset(); }));
  }
  if (!is_good) deactivate();
  return is_good;
}

bool Lifecycle::snapshot(std::vector<ComponentSnapshot>& snapshots) {
  bool is_good = true;
  for (const std::uint32_t component : tables_.graph.start_order) {
    ComponentRun& run = tables_.components[component];
    if (run.down_until) {
      // Its instance has failed; the next one would get what was kept before.
      if (run.last_snapshot) {
        snapshots.push_back(
            {.component = tables_.graph.components[component].id, .state = *run.last_snapshot});
      }
      continue;
    }
    if (run.stuck_count > 0) continue;
    auto state = guarded_call([&] { return run.instance->snapshot(); });
    if (!state) {
      is_good = note("snapshot", component, std::unexpected(std::move(state).error()));
      continue;
    }
    if (!*state) continue;
    run.last_snapshot = **state;
    snapshots.push_back(
        {.component = tables_.graph.components[component].id, .state = **std::move(state)});
  }
  return is_good;
}

void Lifecycle::deactivate() {
  for (; !active_.empty(); active_.pop_back()) {
    const std::uint32_t component = active_.back();
    // A call that was given up may still use it.
    if (tables_.components[component].stuck_count > 0) continue;
    static_cast<void>(end(component));
  }
}

bool Lifecycle::replace(std::uint32_t component) {
  ComponentRun& run = tables_.components[component];
  // An instance in which a call is stuck belongs to that call from now on.
  if (run.stuck_count == 0 && !end(component)) return false;
  run.stuck_count = 0;
  if (!configure(component) || !activate(component)) {
    std::erase(active_, component);
    return false;
  }
  return !run.last_snapshot || restore(component, *run.last_snapshot);
}

bool Lifecycle::activate(std::uint32_t component) {
  Component& instance = *tables_.components[component].instance;
  return note("activate", component, guarded_call([&] { return instance.activate(); }));
}

bool Lifecycle::restore(std::uint32_t component, const Payload& state) {
  Component& instance = *tables_.components[component].instance;
  return note("restore", component, guarded_call([&] { return instance.restore(state); }));
}

bool Lifecycle::end(std::uint32_t component) {
  Component& instance = *tables_.components[component].instance;
  return note("deactivate", component, guarded_call([&] { return instance.deactivate(); }));
}

}  // namespace millrace::graph
