#include "bench/rows/contest.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "support/allocation_count.h"

namespace millrace::bench {

namespace {

double nanoseconds_since(base::TimePoint start) {
  return std::chrono::duration<double, std::nano>(base::steady_clock().now() - start).count();
}

// Doubles the number of runs until they last for `milliseconds`.
double time_one(const std::function<void()>& run, double milliseconds) {
  for (std::size_t count = 1;; count *= 2) {
    const base::TimePoint start = base::steady_clock().now();
    for (std::size_t i = 0; i < count; ++i) run();
    const double elapsed = nanoseconds_since(start);
    if (elapsed >= milliseconds * 1e6 / 2) return elapsed / static_cast<double>(count);
  }
}

base::Status compare_answers(const Contest& contest) {
  Answer first;
  for (const Contestant& contestant : contest.contestants) {
    MR_TRY(Answer answer, contestant.answer());
    if (&contestant == &contest.contestants.front()) {
      first = std::move(answer);
    } else if (answer != first) {
      return base::fail(base::ErrorCode::kInternal,
                        fmt::format("Answers differ: {} gives [{}], {} gives [{}]",
                                    contest.contestants.front().engine,
                                    fmt::join(first, " "),
                                    contestant.engine,
                                    fmt::join(answer, " ")),
                        fmt::format("{} {}", contest.name, contest.rows));
    }
  }
  return {};
}

}  // namespace

Contestant make_local(std::string engine,
                      std::function<void()> run,
                      std::function<Answer()> answer) {
  return {.engine = std::move(engine),
          .answer = [answer = std::move(answer)]() -> base::Result<Answer> { return answer(); },
          .sample = [run](double milliseconds) -> base::Result<double> {
            return time_one(run, milliseconds);
          },
          .allocations =
              [run] {
                run();
                const std::size_t before = allocation_count().value_or(0);
                run();
                return allocation_count().value_or(0) - before;
              }};
}

base::Result<std::vector<Measured>> measure(const Contest& contest, const MeasureOptions& options) {
  MR_TRY_STATUS(compare_answers(contest));
  std::vector<std::vector<double>> samples(contest.contestants.size());
  // The first turn warms up and is not counted.
  for (std::size_t turn = 0; turn <= options.repetitions; ++turn) {
    for (std::size_t i = 0; i < contest.contestants.size(); ++i) {
      MR_TRY(const double nanoseconds, contest.contestants[i].sample(options.sample_ms));
      if (turn > 0) samples[i].push_back(nanoseconds);
    }
  }
  std::vector<Measured> results;
  const auto keep_faster = [&results](Measured measured) {
    const auto same = std::ranges::find(results, measured.engine, &Measured::engine);
    if (same == results.end()) {
      results.push_back(std::move(measured));
    } else if (measured.median_ns < same->median_ns) {
      *same = std::move(measured);
    }
  };
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::sort(samples[i].begin(), samples[i].end());
    const Contestant& contestant = contest.contestants[i];
    keep_faster({.name = contest.name,
                 .rows = contest.rows,
                 .engine = contestant.engine,
                 .median_ns = samples[i][samples[i].size() / 2],
                 .least_ns = samples[i].front(),
                 .most_ns = samples[i].back(),
                 .allocations = contestant.allocations
                                    ? static_cast<double>(contestant.allocations())
                                    : -1.0});
  }
  return results;
}

}  // namespace millrace::bench
