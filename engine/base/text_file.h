#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace millrace::base {

/// Reads a whole regular file. Fails with the reason if that is impossible, if it is a folder or a
/// device, and if it has more than `bytes_max` bytes.
[[nodiscard]] Result<std::string> read_text_file(const std::string& path, std::size_t bytes_max);

}  // namespace millrace::base
