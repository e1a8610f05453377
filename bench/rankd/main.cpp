#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "base/result.h"
#include "bench/rankd/measurements.h"
#include "support/figures.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

base::Status run(const bench::BenchOptions& options) {
  bench::Effort effort;
  if (options.smoke) effort = {.rounds = 1, .requests = 64, .processes = 1, .plans = 8};
  bench::Effort large = effort;
  large.requests = std::max<std::int64_t>(64, effort.requests / 4);
  std::vector<bench::Figure> figures;
  std::size_t shown = 0;
  // Prints each figure as soon as it is measured, because all of them take a while.
  const auto show = [&](const base::Status& measured) {
    if (!options.smoke)
      std::fputs(bench::print_text(std::span(figures).subspan(shown)).c_str(), stdout);
    std::fflush(stdout);
    shown = figures.size();
    return measured;
  };
  MR_TRY_STATUS(show(bench::measure_cpu({.followees = 10, .media = 10}, effort, figures)));
  MR_TRY_STATUS(show(bench::measure_cpu({.followees = 100, .media = 10}, large, figures)));
  MR_TRY_STATUS(show(bench::count_scheduler_allocations(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_overhead(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_explain(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_start(effort, figures)));
  if (options.smoke) return {};
  return bench::conclude("rankd", figures, options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_bench(std::span(arguments, static_cast<std::size_t>(argument_count)), run);
}
