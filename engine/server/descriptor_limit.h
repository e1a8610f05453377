#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace millrace::server {

/// Descriptors besides those of connections: listeners, stores, files, the event loops' own.
inline constexpr std::uint64_t kOtherDescriptors = 256;

/// The limit of open files that so many connections need, from what the process may have now
/// (`soft`) and at most (`hard`). An error if that is not enough (S49).
[[nodiscard]] base::Result<std::uint64_t> choose_descriptor_limit(std::size_t connections_max,
                                                                  std::uint64_t soft,
                                                                  std::uint64_t hard);
/// Raises the limit of this process as far as so many connections need.
[[nodiscard]] base::Status raise_descriptor_limit(std::size_t connections_max);

}  // namespace millrace::server
