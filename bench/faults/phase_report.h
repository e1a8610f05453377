#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "support/figures.h"
#include "tests/redis/known_answers.h"

namespace millrace::bench {

/// The result of one request.
struct Sample {
  base::TimePoint started{};
  base::TimePoint answered{};
  live::Verdict verdict = live::Verdict::kWrong;
};

/// One fault and its end.
struct FaultRound {
  base::TimePoint began{};
  base::TimePoint recovered{};  ///< the server could serve again
  // Between these two times keys may be missing.
  base::TimePoint emptied{};
  base::TimePoint filled{};
};

/// A part of the load in which one kind of fault was caused, perhaps several times.
struct Phase {
  std::string name;
  base::TimePoint begin{};
  base::TimePoint end{};
  std::vector<FaultRound> rounds = {};
};

/// The results of the requests of a phase.
struct PhaseReport {
  std::string name;
  std::int64_t requests = 0;
  std::int64_t full = 0;
  std::int64_t degraded = 0;
  std::int64_t errors = 0;
  std::int64_t partial = 0;  ///< while keys were missing
  std::int64_t wrong = 0;
  std::vector<double> latency_ms = {};   ///< of full answers, sorted
  std::vector<double> lateness_ms = {};  ///< of those answered after their deadline, sorted
  /// Time from recovery to full speed, the longest of the rounds; empty if there are no rounds.
  std::optional<double> full_speed_ms = {};
};

/// The definition of full speed: at least this share of the requests of a window is answered in
/// full, and half of them at least this fast.
struct FullSpeed {
  base::Duration window = std::chrono::milliseconds(25);
  int windows_in_a_row = 4;
  double share_min = 0.99;
  double median_ms_max = 1;
};

/// Sums up the requests that started in a phase. Samples are in order of their start.
[[nodiscard]] PhaseReport report_of(const Phase& phase,
                                    std::span<const Sample> samples,
                                    base::Duration deadline,
                                    const FullSpeed& full_speed);

/// The value below which this share of the sorted values lies; 0 if there are none.
[[nodiscard]] double percentile(std::span<const double> sorted, double share);

/// The lateness that this share of all requests does not exceed; 0 means in time.
[[nodiscard]] double lateness_at(const PhaseReport& report, double share);

/// The line of a phase in a table for people, under `phase_header`.
[[nodiscard]] std::string phase_line(const PhaseReport& report);
[[nodiscard]] std::string phase_header();
/// Adds the figures that have a bar.
void append_figures(const PhaseReport& report, std::vector<Figure>& figures);

}  // namespace millrace::bench
