#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/rankd/measurements.h"
#include "bench/rankd/plan_sizes.h"
#include "support/figures.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

base::Status run(const bench::BenchOptions& options) {
  bench::Effort effort;
  if (options.smoke) {
    effort = {.rounds = 1,
              .requests = 64,
              .processes = 1,
              .plans = 8,
              .piped_turns = 1,
              .piped_requests = 200};
  }
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
  // First, because it starts processes and must be the only thread for that.
  std::vector<bench::Figure> cells;
  MR_TRY_STATUS(show(bench::measure_plan_sizes(options.smoke, figures, cells)));
  MR_TRY_STATUS(show(bench::measure_cpu({.followees = 10, .media = 10}, effort, figures)));
  MR_TRY_STATUS(show(bench::measure_cpu({.followees = 100, .media = 10}, large, figures)));
  MR_TRY_STATUS(show(bench::count_scheduler_allocations(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_overhead(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_explain(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_start(effort, figures)));
  MR_TRY_STATUS(show(bench::measure_pipe(effort, figures)));
  if (options.smoke) return {};
  figures.insert(figures.end(), cells.begin(), cells.end());
  return bench::conclude("rankd", figures, options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::span<char* const> all(arguments, static_cast<std::size_t>(argument_count));
  if (all.size() < 2 || std::string_view(all[1]) != bench::kCellArgument)
    return bench::run_bench(all, run);
  const base::Status measured = bench::run_cell(all.subspan(2));
  if (measured) return 0;
  std::fprintf(stderr, "%s\n", measured.error().to_string().c_str());
  return 1;
}
