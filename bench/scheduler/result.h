#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace millrace::bench {

/// What one process measured of one case on one engine.
struct Measurement {
  std::string shape;
  std::string body;
  std::string engine;
  unsigned workers = 1;
  std::uint32_t node_count = 1;
  /// Shortest possible time per DAG for these bodies and workers; 0 for empty bodies.
  double ideal_ns = 0;
  /// Time per DAG, one value per repetition.
  std::vector<double> dag_ns;
  std::optional<double> allocs_per_run;
  std::optional<double> wakes_per_run;
  std::optional<double> inline_rate;
  std::optional<double> queue_delay_ns;
  std::optional<double> p50_us;
  std::optional<double> p99_us;
  /// Whether every repetition ran every node once and after its producers.
  bool correct = true;

  [[nodiscard]] double median_dag_ns() const;
  [[nodiscard]] double median_node_ns() const { return median_dag_ns() / node_count; }
};

/// Facts about the machine that a process measured.
struct MachineFacts {
  double spin_alone_ns = 0;    ///< time of the 1 us body with other processors idle
  double spin_crowded_ns = 0;  ///< the same with all processors busy
  double foreign_share = 0;    ///< share of the processors that others used meanwhile
};

/// Everything that one process measured.
struct ProcessResult {
  MachineFacts machine;
  std::vector<Measurement> measurements;

  [[nodiscard]] const Measurement* find(std::string_view shape,
                                        std::string_view body,
                                        unsigned workers,
                                        std::string_view engine) const;
};

/// What several processes measured of one case on one engine.
struct Summary {
  /// The case and engine. Optional values are medians over the processes, `dag_ns` holds the
  /// repetitions of all processes, `correct` is true if all were correct.
  Measurement joined;
  /// Median over the processes of each one's median time per DAG.
  double dag_ns = 0;

  [[nodiscard]] double node_ns() const { return dag_ns / joined.node_count; }
};

/// Joins the processes case by case, in the order of the first.
[[nodiscard]] std::vector<Summary> summarize(const std::vector<ProcessResult>& processes);

/// Writes a measurement as one line without newline, for a parent process to read back.
[[nodiscard]] std::string encode(const Measurement& measurement);
/// Reads a line made by `encode`; empty if it is not one.
[[nodiscard]] std::optional<Measurement> decode(std::string_view line);

/// The same for the facts about the machine.
[[nodiscard]] std::string encode(const MachineFacts& facts);
[[nodiscard]] std::optional<MachineFacts> decode_facts(std::string_view line);

}  // namespace millrace::bench
