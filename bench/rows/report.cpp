#include "bench/rows/report.h"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/formats/json_writer.h"
#include "bench/rows/contest.h"

namespace millrace::bench {

namespace {

struct PipelineBar {
  std::size_t rows;
  double rival_factor;  // at least this much faster than the better of DuckDB and Polars
  std::optional<double> loop_factor;  // at most this much slower than the loop
};

constexpr PipelineBar kPipelineBars[] = {
    {100, 20, std::nullopt}, {1000, 20, 1.5}, {10'000, 8, 1.5}, {100'000, 4, 1.5}};

// No operation may allocate per row; a few small objects per operator are fine.
constexpr double kAllocationsPerRowMax = 0.01;
constexpr std::size_t kAllocationRowsMin = 10'000;

const Measured* find(std::span<const Measured> results,
                     std::string_view name,
                     std::size_t rows,
                     std::string_view engine) {
  for (const Measured& result : results) {
    if (result.name == name && result.rows == rows && result.engine == engine) return &result;
  }
  return nullptr;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string print_line(std::span<const Measured> results, const Measured& result) {
  const Measured* ours = find(results, result.name, result.rows, "millrace");
  std::string line = fmt::format("{:<22}{:>8}  {:<9}{:>12.2f}{:>12.2f}{:>6.0f}%",
                                 result.name,
                                 result.rows,
                                 result.engine,
                                 result.median_ns / 1000,
                                 result.median_ns / static_cast<double>(result.rows),
                                 100 * (result.most_ns - result.least_ns) / result.median_ns);
  line += ours != nullptr && ours != &result
              ? fmt::format("{:>10.2f}x", result.median_ns / ours->median_ns)
              : fmt::format("{:>11}", "");
  if (result.allocations >= 0) line += fmt::format("{:>8.0f}", result.allocations);
  return line + "\n";
}

}  // namespace

std::vector<Bar> make_bars(std::span<const Measured> results) {
  std::vector<Bar> bars;
  for (const PipelineBar& bar : kPipelineBars) {
    const Measured* ours = find(results, "pipeline", bar.rows, "millrace");
    const Measured* loop = find(results, "pipeline", bar.rows, "loop");
    const Measured* duckdb = find(results, "pipeline", bar.rows, "duckdb");
    const Measured* polars = find(results, "pipeline", bar.rows, "polars");
    if (ours == nullptr) continue;
    if (duckdb != nullptr && polars != nullptr) {
      bars.push_back({.name = fmt::format("pipeline {}: faster than the better rival", bar.rows),
                      .value = std::min(duckdb->median_ns, polars->median_ns) / ours->median_ns,
                      .limit = bar.rival_factor,
                      .at_most = false});
    }
    if (loop != nullptr && bar.loop_factor) {
      bars.push_back({.name = fmt::format("pipeline {}: slower than the loop", bar.rows),
                      .value = ours->median_ns / loop->median_ns,
                      .limit = *bar.loop_factor,
                      .at_most = true});
    }
  }
  double allocations_per_row = 0;
  for (const Measured& result : results) {
    if (result.engine != "millrace" || result.rows < kAllocationRowsMin) continue;
    allocations_per_row =
        std::max(allocations_per_row, result.allocations / static_cast<double>(result.rows));
  }
  bars.push_back({.name = "allocations per row, the most of any case",
                  .value = allocations_per_row,
                  .limit = kAllocationsPerRowMax,
                  .at_most = true});
  return bars;
}

std::string print_text(std::span<const Measured> results, std::span<const Bar> bars) {
  std::string text = fmt::format("{:<22}{:>8}  {:<9}{:>12}{:>12}{:>7}{:>11}{:>8}\n",
                                 "case",
                                 "rows",
                                 "engine",
                                 "us/op",
                                 "ns/row",
                                 "spread",
                                 "vs ours",
                                 "allocs");
  for (const Measured& result : results) text += print_line(results, result);
  text += "\n";
  for (const Bar& bar : bars) {
    text += fmt::format("{:<52}{:>9.4g}  {} {:g}  {}\n",
                        bar.name,
                        bar.value,
                        bar.at_most ? "<=" : ">=",
                        bar.limit,
                        bar.passed() ? "ok" : "MISSED");
  }
  return text;
}

std::string print_json(std::span<const Measured> results,
                       std::span<const Bar> bars,
                       const std::string& commit) {
  std::string text = "{\"bench\":\"rows\",\"compiler\":";
  base::JsonWriter(text).value(__VERSION__);
  text += ",\"processor\":";
  base::JsonWriter(text).value(processor_name());
  text += ",\"commit\":";
  base::JsonWriter(text).value(commit);
  text += ",\n\"rows\":[";
  for (const Measured& result : results) {
    text += &result == results.data() ? "\n" : ",\n";
    base::JsonWriter json(text);
    json.begin_object();
    json.member("case", result.name);
    json.member("rows", result.rows);
    json.member("engine", result.engine);
    json.member("ns_per_row", result.median_ns / static_cast<double>(result.rows));
    json.member("us_per_op", result.median_ns / 1000);
    json.member("us_per_op_min", result.least_ns / 1000);
    json.member("us_per_op_max", result.most_ns / 1000);
    if (result.allocations >= 0) json.member("allocs_per_op", result.allocations);
    json.end_object();
  }
  text += "\n],\n\"bars\":[";
  for (const Bar& bar : bars) {
    text += &bar == bars.data() ? "\n" : ",\n";
    base::JsonWriter json(text);
    json.begin_object();
    json.member("name", bar.name);
    json.member("value", bar.value);
    json.member("limit", bar.limit);
    json.member("at_most", bar.at_most);
    json.member("passed", bar.passed());
    json.end_object();
  }
  return text + "\n]}\n";
}

}  // namespace millrace::bench
