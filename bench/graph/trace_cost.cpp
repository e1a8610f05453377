#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/format.h"
#include "base/result.h"
#include "graph/measures.h"
#include "graph/message_shape.h"
#include "support/figures.h"
#include "support/instructions.h"

namespace millrace::bench {
namespace {

constexpr double kMorePercentMax = 2;
constexpr std::uint32_t kPerEpoch = 16;
constexpr std::uint64_t kEpochs = 2000;

/// Instructions per invocation of a warm run: the difference of two processes.
std::optional<double> per_invocation(const std::filesystem::path& program,
                                     const MessageShape& shape) {
  if (!std::filesystem::exists(program)) return std::nullopt;
  const auto run = [&](std::uint64_t epochs) {
    return count_instructions(
        base::format("'{}' {} {} {}", program.string(), shape.name, kPerEpoch, epochs));
  };
  const auto shorter = run(kEpochs);
  const auto longer = run(2 * kEpochs);
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
