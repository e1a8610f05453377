#include "shrink.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace millrace::graph_reference {
namespace {

class Shrinker {
 public:
  Shrinker(GraphModel model, const Shows& shows) : model_(std::move(model)), shows_(shows) {}

  GraphModel run() {
    while (pass()) {
    }
    return std::move(model_);
  }

 private:
  /// Tries each change once; gives whether one of them was kept.
  bool pass() {
    bool has_changed = false;
    for (std::size_t i = model_.components.size(); i-- > 0;) {
      has_changed |= attempt([&](GraphModel& model) { remove_component(model, i); });
    }
    for (std::size_t i = model_.edges.size(); i-- > 0;) {
      has_changed |= attempt([&](GraphModel& model) { erase_at(model.edges, i); });
    }
    has_changed |= attempt([](GraphModel& model) { remove_unused_lanes(model); });
    for (std::size_t i = model_.lanes.size(); i-- > 0;) {
      has_changed |= fields([i](GraphModel& model) -> Fields& { return model.lanes[i].fields; }, 1);
    }
    for (std::size_t i = model_.components.size(); i-- > 0;) has_changed |= component(i);
    for (std::size_t i = model_.edges.size(); i-- > 0;) {
      has_changed |= fields([i](GraphModel& model) -> Fields& { return model.edges[i].policy; }, 0);
    }
    for (std::size_t i = model_.loops.size(); i-- > 0;) {
      has_changed |= fields([i](GraphModel& model) -> Fields& { return model.loops[i].policy; }, 1);
    }
    return options() || has_changed;
  }

  bool component(std::size_t i) {
    bool has_changed = false;
    has_changed |= attempt([&](GraphModel& model) { model.components[i].home = Home::kRoot; });
    has_changed |=
        attempt([&](GraphModel& model) { model.components[i].lane = model.lanes.front().id; });
    has_changed |= attempt([&](GraphModel& model) { model.components[i].sources.clear(); });
    const bool has_trigger = !model_.components[i].trigger.empty();
    if (has_trigger) {
      has_changed |=
          attempt([&](GraphModel& model) { model.components[i].trigger = {"type: any_input"}; });
    }
    has_changed |=
        fields([i](GraphModel& model) -> Fields& { return model.components[i].trigger; }, 1);
    has_changed |=
        fields([i](GraphModel& model) -> Fields& { return model.components[i].execution; }, 0);
    has_changed |=
        fields([i](GraphModel& model) -> Fields& { return model.components[i].config; }, 0);
    return has_changed;
  }

  bool options() {
    bool has_changed = false;
    for (std::size_t i = model_.options.injections.size(); i-- > 0;) {
      has_changed |= attempt([&](GraphModel& model) { erase_at(model.options.injections, i); });
    }
    has_changed |= attempt([](GraphModel& model) {
      if (model.options.steps)
        *model.options.steps = std::max<std::int64_t>(1, *model.options.steps / 2);
    });
    has_changed |= attempt([](GraphModel& model) {
      if (model.options.steps && *model.options.steps > 1) --*model.options.steps;
    });
    has_changed |= attempt([](GraphModel& model) { model.options.until_idle = false; });
    return has_changed;
  }

  template <class Get>
  bool fields(const Get& get, std::size_t kept) {
    bool has_changed = false;
    for (std::size_t i = get(model_).size(); i-- > kept;) {
      has_changed |= attempt([&](GraphModel& model) { erase_at(get(model), i); });
    }
    return has_changed;
  }

  template <class Change>
  bool attempt(const Change& change) {
    GraphModel changed = model_;
    change(changed);
    const bool is_same = changed.yaml() == model_.yaml() &&
                         options_text(changed.options) == options_text(model_.options);
    if (is_same || !shows_(changed)) return false;
    model_ = std::move(changed);
    return true;
  }

  template <class Items>
  static void erase_at(Items& items, std::size_t position) {
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(position));
  }

  static void remove_component(GraphModel& model, std::size_t index) {
    const std::string id = model.components[index].id;
    erase_at(model.components, index);
    std::erase_if(model.edges,
                  [&](const EdgeModel& edge) { return edge.from == id || edge.to == id; });
    std::erase_if(model.loops, [&](const LoopModel& loop) {
      return std::ranges::find(loop.members, id) != loop.members.end();
    });
    std::erase_if(model.options.injections,
                  [&](const Injection& injection) { return injection.component == id; });
  }

  static void remove_unused_lanes(GraphModel& model) {
    std::erase_if(model.lanes, [&](const LaneModel& lane) {
      return std::ranges::find(model.components, lane.id, &ComponentModel::lane) ==
             model.components.end();
    });
  }

  GraphModel model_;
  const Shows& shows_;
};

}  // namespace

GraphModel shrink(GraphModel model, const Shows& shows) {
  return Shrinker(std::move(model), shows).run();
}

}  // namespace millrace::graph_reference
