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

/// What became of one request.
struct Sample {
  base::TimePoint started{};
  base::TimePoint answered{};
  live::Verdict verdict = live::Verdict::kWrong;
};

/// One fault and its end.
struct FaultRound {
  base::TimePoint began{};
  base::TimePoint recovered{};  ///< the server could serve again
  // Keys may be missing in between.
  base::TimePoint emptied{};
  base::TimePoint filled{};
};

/// A time of the load in which one kind of fault was tried, perhaps several times.
struct Phase {
  std::string name;
  base::TimePoint begin{};
  base::TimePoint end{};
  std::vector<FaultRound> rounds = {};
};

/// What requests of a phase got.
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
  /// From recovery to full speed, the longest of the rounds; none without rounds.
  std::optional<double> full_speed_ms = {};
};

/// What counts as full speed: so many of the requests of a window are answered in full, half of
/// them as fast as this.
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

/// The value below which a share of sorted values lies; 0 if there are none.
[[nodiscard]] double percentile(std::span<const double> sorted, double share);

/// How long past its deadline a share of all requests was answered at most; 0 is in time.
[[nodiscard]] double lateness_at(const PhaseReport& report, double share);

/// The line of a phase in a table for people, under `phase_header`.
[[nodiscard]] std::string phase_line(const PhaseReport& report);
[[nodiscard]] std::string phase_header();
/// What has a bar.
void append_figures(const PhaseReport& report, std::vector<Figure>& figures);

}  // namespace millrace::bench
