#include "graph/compile/component_registry.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/result.h"
#include "graph/body/component.h"
#include "graph/compile/builtin_types.h"
#include "graph/compile/descriptor.h"
#include "graph/components/builtin_components.h"

namespace millrace::graph {
namespace {

template <class Item>
bool has_good_names(const std::vector<Item>& items) {
  std::set<std::string_view> names;
  for (const Item& item : items) {
    const bool is_name = !item.name.empty() && item.name.find('.') == std::string::npos;
    if (!is_name || !names.insert(item.name).second) return false;
  }
  return true;
}

}  // namespace

base::Status ComponentRegistry::add(ComponentDescriptor descriptor, ComponentFactory factory) {
  const auto refuse = [&descriptor](std::string message) {
    return base::fail(base::ErrorCode::kInvalidArgument, std::move(message), descriptor.type);
  };
  if (descriptor.type.empty()) return refuse("A component type needs a name");
  if (entries_.contains(descriptor.type)) return refuse("The component type exists already");
  if (!has_good_names(descriptor.inputs) || !has_good_names(descriptor.outputs)) {
    return refuse("Ports need different names without dots");
  }
  if (!has_good_names(descriptor.config)) return refuse("Config fields need different names");
  std::string type = descriptor.type;
  entries_.emplace(std::move(type),
                   Entry{.descriptor = std::move(descriptor), .factory = std::move(factory)});
  return {};
}

base::Status ComponentRegistry::merge(ComponentRegistry&& other) {
  for (const auto& [type, entry] : other.entries_) {
    if (!entries_.contains(type)) continue;
    return base::fail(base::ErrorCode::kInvalidArgument, "The component type exists already", type);
  }
  entries_.merge(other.entries_);
  return {};
}

const ComponentDescriptor* ComponentRegistry::find(std::string_view type) const {
  const auto found = entries_.find(type);
  return found == entries_.end() ? nullptr : &found->second.descriptor;
}

std::unique_ptr<Component> ComponentRegistry::make(std::string_view type) const {
  const auto found = entries_.find(type);
  if (found == entries_.end() || !found->second.factory) return nullptr;
  return found->second.factory();
}

std::vector<std::string_view> ComponentRegistry::types() const {
  std::vector<std::string_view> names;
  for (const auto& [type, entry] : entries_) names.push_back(type);
  return names;
}

ComponentRegistry builtin_registry() {
  ComponentRegistry registry;
  for (ComponentDescriptor& descriptor : builtin_types()) {
    ComponentFactory factory = builtin_factory(descriptor.type);
    const base::Status added = registry.add(std::move(descriptor), std::move(factory));
    MR_CHECK(added.has_value());
  }
  return registry;
}

}  // namespace millrace::graph
