#pragma once

#include <string>
#include <string_view>

namespace millrace::base {

/// Gives `sha256:` and the 64 hex digits of the SHA-256 of `bytes`.
[[nodiscard]] std::string sha256_digest(std::string_view bytes);

}  // namespace millrace::base
