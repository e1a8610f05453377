#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/compile/descriptor.h"

namespace millrace::graph {

/// The component types that files may use.
/// Threading: any thread once filled.
class ComponentRegistry {
 public:
  /// Fails, and changes nothing, if the type is there already or the descriptor contradicts itself.
  [[nodiscard]] base::Status add(ComponentDescriptor descriptor);
  /// Gives the descriptor of a type, or nullptr. It lives as long as the registry.
  [[nodiscard]] const ComponentDescriptor* find(std::string_view type) const;
  /// All types in alphabetical order.
  [[nodiscard]] std::vector<std::string_view> types() const;

 private:
  std::map<std::string, ComponentDescriptor, std::less<>> descriptors_;
};

/// Gives a registry with the built-in types.
[[nodiscard]] ComponentRegistry builtin_registry();

}  // namespace millrace::graph
