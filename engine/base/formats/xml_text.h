#pragma once

#include <string>
#include <string_view>

namespace millrace::base {

/// Escapes what XML gives a meaning, and replaces bytes that it does not allow at all.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace millrace::base
