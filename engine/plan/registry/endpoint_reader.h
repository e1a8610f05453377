#pragma once

#include <string_view>
#include <vector>

#include "plan/registry/registry.h"
#include "plan/registry/registry_table.h"

namespace millrace::plan {

/// Reads the endpoints of one environment and checks those of all.
[[nodiscard]] std::vector<EndpointInfo> read_endpoints(RegistryFile& file,
                                                       std::string_view text,
                                                       Environment environment);

}  // namespace millrace::plan
