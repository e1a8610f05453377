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
  // Figures come one by one: all of them take a while.
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
  if (!options.json_file.empty())
    MR_TRY_STATUS(bench::write_file(options.json_file, bench::print_json("rankd", figures)));
  if (!options.enforce || std::ranges::all_of(figures, &bench::Figure::passed)) return {};
  return base::fail(base::ErrorCode::kInternal, "A bar was missed");
}

}  // namespace

int main(int argument_count, char** arguments) {
  const auto options = bench::read_bench_options(
      std::span(arguments, static_cast<std::size_t>(argument_count)).subspan(1));
  if (!options) {
    std::fprintf(stderr, "%s\n", options.error().message().c_str());
    return 2;
  }
  const base::Status status = run(*options);
  if (!status) std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  return status ? 0 : 1;
}
