#include "bench/faults/phase_report.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "base/format.h"

namespace millrace::bench {
namespace {

using live::Verdict;

double ms(base::Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// The samples that started from `begin` until `end`.
std::span<const Sample> between(std::span<const Sample> samples,
                                base::TimePoint begin,
                                base::TimePoint end) {
  const auto first = std::ranges::lower_bound(samples, begin, {}, &Sample::started);
  const auto last = std::ranges::lower_bound(first, samples.end(), end, {}, &Sample::started);
  return {first, last};
}

bool keys_were_missing(const Phase& phase, const Sample& sample) {
  return std::ranges::any_of(phase.rounds, [&](const FaultRound& round) {
    return sample.answered > round.emptied && sample.started < round.filled;
  });
}

void count(const Phase& phase, const Sample& sample, PhaseReport& report) {
  switch (sample.verdict) {
    case Verdict::kFull:
      ++report.full;
      report.latency_ms.push_back(ms(sample.answered - sample.started));
      break;
    case Verdict::kDegraded:
      ++report.degraded;
      break;
    case Verdict::kError:
      ++report.errors;
      break;
    case Verdict::kPartial:
      ++(keys_were_missing(phase, sample) ? report.partial : report.wrong);
      break;
    case Verdict::kWrong:
      ++report.wrong;
      break;
  }
}

bool is_full_speed(std::span<const Sample> window, const FullSpeed& full_speed) {
  std::vector<double> took;
  for (const Sample& sample : window) {
    if (sample.verdict == Verdict::kFull) took.push_back(ms(sample.answered - sample.started));
  }
  const auto share = static_cast<double>(took.size()) / static_cast<double>(window.size());
  return share >= full_speed.share_min && median(took) <= full_speed.median_ms_max;
}

/// When full speed begins after a recovery; `end` if it does not begin before that.
base::TimePoint full_speed_from(base::TimePoint recovered,
                                base::TimePoint end,
                                std::span<const Sample> samples,
                                const FullSpeed& full_speed) {
  int in_a_row = 0;
  for (base::TimePoint at = recovered; at + full_speed.window <= end; at += full_speed.window) {
    const auto window = between(samples, at, at + full_speed.window);
    in_a_row = is_full_speed(window, full_speed) ? in_a_row + 1 : 0;
    if (in_a_row == full_speed.windows_in_a_row) return at - (in_a_row - 1) * full_speed.window;
  }
  return end;
}

}  // namespace

double percentile(std::span<const double> sorted, double share) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

double lateness_at(const PhaseReport& report, double share) {
  const auto on_time = report.requests - static_cast<std::int64_t>(report.lateness_ms.size());
  const auto rank =
      static_cast<std::int64_t>(std::ceil(share * static_cast<double>(report.requests)));
  return rank <= on_time ? 0 : report.lateness_ms[static_cast<std::size_t>(rank - on_time - 1)];
}

PhaseReport report_of(const Phase& phase,
                      std::span<const Sample> samples,
                      base::Duration deadline,
                      const FullSpeed& full_speed) {
  PhaseReport report{.name = phase.name};
  for (const Sample& sample : between(samples, phase.begin, phase.end)) {
    ++report.requests;
    count(phase, sample, report);
    const base::Duration late = sample.answered - sample.started - deadline;
    if (late > base::Duration::zero()) report.lateness_ms.push_back(ms(late));
  }
  std::ranges::sort(report.latency_ms);
  std::ranges::sort(report.lateness_ms);
  for (std::size_t i = 0; i < phase.rounds.size(); ++i) {
    const base::TimePoint recovered = phase.rounds[i].recovered;
    const bool is_last = i + 1 == phase.rounds.size();
    const base::TimePoint end = is_last ? phase.end : phase.rounds[i + 1].began;
    const double took = ms(full_speed_from(recovered, end, samples, full_speed) - recovered);
    report.full_speed_ms = std::max(report.full_speed_ms.value_or(0), took);
  }
  return report;
}

std::string phase_header() {
  return base::format("{:<10}{:>9}{:>8}{:>9}{:>8}{:>9}{:>7}{:>8}{:>8}{:>8}{:>9}{:>9}{:>12}\n",
                      "phase",
                      "requests",
                      "full",
                      "degraded",
                      "errors",
                      "partial",
                      "wrong",
                      "late",
                      "p50 ms",
                      "p99 ms",
                      "p99.9 ms",
                      "max ms",
                      "full speed");
}

std::string phase_line(const PhaseReport& report) {
  const std::span<const double> late = report.lateness_ms;
  return base::format(
      "{:<10}{:>9}{:>8}{:>9}{:>8}{:>9}{:>7}{:>8}{:>8.2f}{:>8.2f}{:>9.2f}{:>9.2f}{:>12}\n",
      report.name,
      report.requests,
      report.full,
      report.degraded,
      report.errors,
      report.partial,
      report.wrong,
      late.size(),
      percentile(late, 0.5),
      percentile(late, 0.99),
      percentile(late, 0.999),
      percentile(late, 1),
      report.full_speed_ms ? base::format("{:.0f} ms", *report.full_speed_ms) : "");
}

void append_figures(const PhaseReport& report, std::vector<Figure>& figures) {
  const auto add = [&](const char* what, double value, const char* unit, double at_most) {
    figures.push_back(
        {.name = report.name + ": " + what, .value = value, .unit = unit, .at_most = at_most});
  };
  add("past the deadline, 99.9 % of requests", lateness_at(report, 0.999), "ms", 5);
  add("past the deadline, the latest", lateness_at(report, 1), "ms", 50);
  if (report.full_speed_ms) add("full speed after recovery", *report.full_speed_ms, "ms", 1000);
  add("wrong answers", static_cast<double>(report.wrong), "", 0);
}

}  // namespace millrace::bench
