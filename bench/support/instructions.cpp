#include "support/instructions.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <stdio.h>

namespace millrace::bench {

std::optional<double> count_instructions(const std::string& command) {
  const std::string counting =
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null " + command + " 2>&1 >/dev/null";
  std::FILE* const output = popen(counting.c_str(), "r");
  if (output == nullptr) return std::nullopt;
  std::optional<double> counted;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr) {
    constexpr std::string_view kMark = "Collected :";
    const std::size_t place = std::string_view(line.data()).find(kMark);
    if (place != std::string_view::npos)
      counted = std::strtod(line.data() + place + kMark.size(), nullptr);
  }
  return pclose(output) == 0 ? counted : std::nullopt;
}

}  // namespace millrace::bench
