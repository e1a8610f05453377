#include "graph/body/component.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "graph/payload.h"

namespace millrace::graph {
namespace {

std::optional<std::uint32_t> find_port(std::span<const std::string> ports, std::string_view name) {
  const auto found = std::ranges::find(ports, name);
  if (found == ports.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - ports.begin());
}

}  // namespace

std::optional<std::uint32_t> ComponentSetup::find_output(std::string_view name) const {
  return find_port(outputs, name);
}

std::optional<std::uint32_t> ComponentSetup::find_input(std::string_view name) const {
  return find_port(inputs, name);
}

base::Status Component::configure(const ComponentSetup&) { return {}; }
base::Status Component::activate() { return {}; }
base::Status Component::restore(const Payload&) { return {}; }
base::Status Component::reset() { return {}; }
base::Result<std::optional<Payload>> Component::snapshot() { return std::nullopt; }
base::Status Component::deactivate() { return {}; }

base::Status Component::check_update(const Payload&) const {
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "This component takes its configuration only when it starts");
}

base::Status Component::apply_update(const Payload&) {
  return base::fail(base::ErrorCode::kInternal, "check_update must refuse what cannot be applied");
}

}  // namespace millrace::graph
