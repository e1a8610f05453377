#pragma once

#include <string>

#include "plan/registry/registry.h"

namespace millrace::rankd {

/// Gives keys, params and endpoints as one JSON object.
[[nodiscard]] std::string registry_json(const plan::Registry& registry);

}  // namespace millrace::rankd
