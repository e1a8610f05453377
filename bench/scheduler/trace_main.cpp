#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <stdio.h>

#include "base/clock.h"
#include "scheduler/statistics.h"
#include "scheduler/trace_runs.h"
#include "trace/trace.h"
#include "trace/trace_collector.h"
#include "trace/trace_context.h"
#include "trace/trace_record.h"

// Measures what tracing costs an empty node: instructions while it is off, compared with a build
// without trace code, and time while every event is on.
namespace millrace::bench {
namespace {

constexpr auto kShapes = std::to_array<std::string_view>({"ranking_10", "random_200"});
constexpr double kMoreInstructionsMax = 0.02;
constexpr double kTracedRatioMax = 10;

// --- Off

/// Counts the instructions of a whole process; empty if that is not possible here.
std::optional<double> count_instructions(const std::filesystem::path& program,
                                         std::string_view shape,
                                         std::uint64_t runs) {
  const std::string command = fmt::format(
      "valgrind --tool=callgrind --callgrind-out-file=/dev/null '{}' {} {} 2>&1 >/dev/null",
      program.string(),
      shape,
      runs);
  std::FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return std::nullopt;
  std::optional<double> counted;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr) {
    const std::string_view text = line.data();
    const std::size_t place = text.find("Collected :");
    if (place != std::string_view::npos)
      counted = std::strtod(line.data() + place + std::string_view("Collected :").size(), nullptr);
  }
  return pclose(output) == 0 ? counted : std::nullopt;
}

/// Instructions per node of a warm run: the difference of two processes of different length. What
/// the scheduler does depends on its measurements, so it is the median of several such pairs.
std::optional<double> instructions_per_node(const std::filesystem::path& program,
                                            std::string_view shape) {
  constexpr int kPairs = 3;
  const std::uint64_t nodes = TraceRuns(shape, nullptr).node_count();
  const std::uint64_t runs = 1'024 * (nodes < 100 ? 16UL : 2UL);  // whole periods of cost sampling
  std::vector<double> counts;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::optional<double> shorter = count_instructions(program, shape, runs);
    const std::optional<double> longer = count_instructions(program, shape, 2 * runs);
    if (!shorter || !longer) return std::nullopt;
    counts.push_back((*longer - *shorter) / static_cast<double>(runs * nodes));
  }
  return median(counts);
}

void compare_instructions(std::string_view shape) {
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto present = instructions_per_node(folder / "trace_runs", shape);
  const auto absent = instructions_per_node(folder / "traceless_runs", shape);
  if (!present || !absent) {
    fmt::print("----  {:<12} off: not counted; needs valgrind and a release build\n", shape);
    return;
  }
  const double more = *present / *absent - 1;
  fmt::print(
      "{}  {:<12} off: {:.2f} instructions per empty node, {:.2f} in a build without trace "
      "code: {:+.2f} % (bar {:g} %)\n",
      more <= kMoreInstructionsMax ? "PASS" : "FAIL",
      shape,
      *present,
      *absent,
      100 * more,
      100 * kMoreInstructionsMax);
}

// --- On

double ns_per_node(TraceRuns& runs, std::uint64_t count, const trace::TraceContext& trace) {
  const base::TimePoint start = base::steady_clock().now();
  runs.run(count, trace);
  const base::Duration taken = base::steady_clock().now() - start;
  return static_cast<double>(taken.count()) / static_cast<double>(count * runs.node_count());
}

void compare_times(std::string_view shape, unsigned repetitions) {
  trace::TraceCollector collector;
  TraceRuns runs(shape, &collector);
  const trace::TraceContext all(
      trace::TraceId(1), trace::TraceFlag::All, trace::TraceTopologyId(0));
  runs.run(32, {});
  // A node writes up to three records, a run two more. A full buffer would drop records, which
  // costs less than writing them.
  const std::uint64_t count = std::max<std::uint64_t>(
      1, trace::TraceCollector::Options{}.buffer_capacity / (4 * runs.node_count() + 2));
  std::vector<double> off;
  std::vector<double> on;
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    off.push_back(ns_per_node(runs, count, {}));
    on.push_back(ns_per_node(runs, count, all));
    collector.flush();
  }
  const double ratio = median(on) / median(off);
  const bool dropped = collector.stats().dropped_records != 0;
  fmt::print(
      "{}  {:<12} all events on: {:.1f} ns per empty node, {:.1f} ns off: {:.1f}x (bar {:g}x){}\n",
      ratio <= kTracedRatioMax && !dropped ? "PASS" : "FAIL",
      shape,
      median(on),
      median(off),
      ratio,
      kTracedRatioMax,
      dropped ? "; records were dropped" : "");
}

}  // namespace
}  // namespace millrace::bench

int main(int argc, char** argv) {
  using millrace::bench::compare_instructions;
  using millrace::bench::compare_times;
  using millrace::bench::kShapes;
  const bool smoke = argc == 2 && std::string_view(argv[1]) == "--smoke";
  if (argc > 1 && !smoke) {
    fmt::print(stderr, "bench_trace [--smoke]: what tracing costs an empty node, off and on\n");
    return EXIT_FAILURE;
  }
  for (const std::string_view shape : kShapes) {
    compare_times(shape, smoke ? 1 : 201);
    if (!smoke) compare_instructions(shape);
  }
  return EXIT_SUCCESS;
}
