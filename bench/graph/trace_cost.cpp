#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <stdio.h>

#include "base/format.h"
#include "base/result.h"
#include "graph/measures.h"
#include "graph/message_shape.h"
#include "support/figures.h"

namespace millrace::bench {
namespace {

constexpr double kMorePercentMax = 2;
constexpr std::uint32_t kPerEpoch = 16;
constexpr std::uint64_t kEpochs = 2000;

/// Counts the instructions of a whole process; empty if that is not possible here.
std::optional<double> count_instructions(const std::filesystem::path& program,
                                         std::string_view shape,
                                         std::uint64_t epochs) {
  const std::string command = base::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' {} {} {} 2>&1 >/dev/null",
      program.string(),
      shape,
      kPerEpoch,
      epochs);
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return std::nullopt;
  std::optional<double> counted;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr) {
    constexpr std::string_view kMark = "Collected :";
    const std::size_t place = std::string_view(line.data()).find(kMark);
    if (place != std::string_view::npos) {
      counted = std::strtod(line.data() + place + kMark.size(), nullptr);
    }
  }
  return pclose(output) == 0 ? counted : std::nullopt;
}

/// Instructions per invocation of a warm run: the difference of two processes.
std::optional<double> per_invocation(const std::filesystem::path& program,
                                     const MessageShape& shape) {
  if (!std::filesystem::exists(program)) return std::nullopt;
  const auto shorter = count_instructions(program, shape.name, kEpochs);
  const auto longer = count_instructions(program, shape.name, 2 * kEpochs);
  if (!shorter || !longer) return std::nullopt;
  return (*longer - *shorter) / static_cast<double>(kEpochs * kPerEpoch * shape.invocations());
}

}  // namespace

base::Status measure_trace(const BenchOptions& options, Figures& figures) {
  if (options.smoke) return {};
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const MessageShape& shape : message_shapes()) {
    const auto present = per_invocation(folder / "graph_runs", shape);
    const auto absent = per_invocation(folder / "traceless_graph_runs", shape);
    if (!present || !absent) {
      std::puts("Instructions were not counted: that needs valgrind and a release build.");
      return {};
    }
    figures.push_back(
        {base::format("{}, tracing off: invocation", shape.name), *present, "instructions"});
    figures.push_back(
        {"  more than without trace code", 100 * (*present / *absent - 1), "%", kMorePercentMax});
  }
  return {};
}

}  // namespace millrace::bench
