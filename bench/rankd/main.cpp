#include <algorithm>
#include <array>
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

constexpr std::string_view kHelp =
    R"(bench_rankd: what a request costs inside rankd
  ./dev bench rankd                all figures with their bars, some minutes
  ./dev bench rankd --only plans   one group of them:
    plans       plans of 10 to 1000 nodes, 1 to 256 requests under way, 1 and 2 threads: about a minute and a half
    cpu         complex_dag beside the same written by hand, and allocations
    overhead    what the engine adds to the bodies of a lone request, and what explain costs
    start       from the start of a process to its first answer
    pipe        rankd run beside rankd bench
  --json FILE   write all figures
  --enforce     a missed bar is an error
  --smoke       tiny sizes: checks the answers, the times mean nothing
Run it on an idle machine. bench/rankd/README.md says how each figure is measured.
)";

/// The group that `--only` asks for; empty: all.
std::string_view only;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by run

constexpr std::array<std::string_view, 5> kGroups = {"plans", "cpu", "overhead", "start", "pipe"};

bool wants(std::string_view group) { return only.empty() || only == group; }

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
  if (wants("plans")) MR_TRY_STATUS(show(bench::measure_plan_sizes(options.smoke, figures, cells)));
  if (wants("cpu")) {
    MR_TRY_STATUS(show(bench::measure_cpu({.followees = 10, .media = 10}, effort, figures)));
    MR_TRY_STATUS(show(bench::measure_cpu({.followees = 100, .media = 10}, large, figures)));
    MR_TRY_STATUS(show(bench::count_scheduler_allocations(effort, figures)));
  }
  if (wants("overhead")) {
    MR_TRY_STATUS(show(bench::measure_overhead(effort, figures)));
    MR_TRY_STATUS(show(bench::measure_explain(effort, figures)));
  }
  if (wants("start")) MR_TRY_STATUS(show(bench::measure_start(effort, figures)));
  if (wants("pipe")) MR_TRY_STATUS(show(bench::measure_pipe(effort, figures)));
  if (options.smoke) return {};
  figures.insert(figures.end(), cells.begin(), cells.end());
  return bench::conclude("rankd", figures, options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<char*> all(arguments, arguments + argument_count);
  if (all.size() > 1 && std::string_view(all[1]) == bench::kCellArgument) {
    const base::Status measured = bench::run_cell(std::span(all).subspan(2));
    if (measured) return 0;
    std::fprintf(stderr, "%s\n", measured.error().to_string().c_str());
    return 1;
  }
  if (all.size() == 2 && std::string_view(all[1]) == "--help") {
    std::fputs(kHelp.data(), stdout);
    return 0;
  }
  const auto option =
      std::ranges::find(all, std::string_view("--only"), [](char* text) { return text; });
  if (option != all.end()) {
    if (option + 1 != all.end()) only = option[1];
    if (std::ranges::find(kGroups, only) == kGroups.end()) {
      std::fputs("--only takes plans, cpu, overhead, start or pipe\n", stderr);
      return 2;
    }
    all.erase(option, option + 2);
  }
  return bench::run_bench(all, run);
}
