#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/format.h"

namespace millrace::graph {

/// `1 lane`, `2 lanes`.
[[nodiscard]] inline std::string count_text(std::uint64_t count, std::string_view noun) {
  return base::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace millrace::graph
