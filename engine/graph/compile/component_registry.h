#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/body/component.h"
#include "graph/compile/descriptor.h"

namespace millrace::graph {

/// The component types that files may use.
/// Threading: any thread once filled.
class ComponentRegistry {
 public:
  /// Fails, and changes nothing, if the type is there already or the descriptor contradicts itself.
  /// Without a factory, files that use the type can be checked and drawn, but not run.
  [[nodiscard]] base::Status add(ComponentDescriptor descriptor, ComponentFactory factory = {});
  /// Takes over all types of another registry. Fails, and changes nothing, if one is there already.
  [[nodiscard]] base::Status merge(ComponentRegistry&& other);
  /// Gives the descriptor of a type, or nullptr. It lives as long as the registry.
  [[nodiscard]] const ComponentDescriptor* find(std::string_view type) const;
  /// Makes a component, or nullptr if the type is not known or has no factory.
  [[nodiscard]] std::unique_ptr<Component> make(std::string_view type) const;
  /// All types in alphabetical order.
  [[nodiscard]] std::vector<std::string_view> types() const;

 private:
  struct Entry {
    ComponentDescriptor descriptor;
    ComponentFactory factory;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

/// Gives a registry with the built-in types.
[[nodiscard]] ComponentRegistry builtin_registry();

}  // namespace millrace::graph
