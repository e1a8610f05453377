#pragma once

#include <vector>

#include "plan/registry/registry.h"
#include "plan/registry/registry_file.h"

namespace millrace::plan {

/// Reads the endpoints of one environment and checks those of all.
[[nodiscard]] std::vector<EndpointInfo> read_endpoints(RegistryFile& file, Environment environment);

}  // namespace millrace::plan
