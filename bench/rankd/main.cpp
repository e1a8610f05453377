#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

using Figures = std::vector<bench::Figure>;

struct Measure {
  std::string_view name;
  base::Status (*run)(const bench::Effort& effort, Figures& figures, Figures& cells);
};

// Sizes first, because it starts processes and must be the only thread for that.
constexpr auto kMeasures = std::to_array<Measure>({
    {"sizes",
     [](const bench::Effort& effort, Figures& figures, Figures& cells) {
       return bench::measure_plan_sizes(effort.rounds == 1, figures, cells);
     }},
    {"cpu",
     [](const bench::Effort& effort, Figures& figures, Figures&) -> base::Status {
       bench::Effort large = effort;
       large.requests = std::max<std::int64_t>(64, effort.requests / 4);
       MR_TRY_STATUS(bench::measure_cpu({.followees = 10, .media = 10}, effort, figures));
       return bench::measure_cpu({.followees = 100, .media = 10}, large, figures);
     }},
    {"allocations",
     [](const bench::Effort& effort, Figures& figures, Figures&) {
       return bench::count_scheduler_allocations(effort, figures);
     }},
    {"overhead",
     [](const bench::Effort& effort, Figures& figures, Figures&) {
       return bench::measure_overhead(effort, figures);
     }},
    {"explain",
     [](const bench::Effort& effort, Figures& figures, Figures&) {
       return bench::measure_explain(effort, figures);
     }},
    {"start",
     [](const bench::Effort& effort, Figures& figures, Figures&) {
       return bench::measure_start(effort, figures);
     }},
    {"pipe",
     [](const bench::Effort& effort, Figures& figures, Figures&) {
       return bench::measure_pipe(effort, figures);
     }},
});

/// The one that `--only` asks for; empty: all.
std::string_view only;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by run

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
  Figures figures;
  Figures cells;
  for (const Measure& measure : kMeasures) {
    if (!only.empty() && only != measure.name) continue;
    const std::size_t first = figures.size();
    MR_TRY_STATUS(measure.run(effort, figures, cells));
    if (options.smoke) continue;
    // At once, because all of them take a while.
    std::fputs(bench::print_text(std::span(figures).subspan(first)).c_str(), stdout);
    std::fflush(stdout);
  }
  if (options.smoke) return {};
  figures.insert(figures.end(), cells.begin(), cells.end());
  return bench::conclude("rankd", figures, options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<char*> rest(arguments, arguments + argument_count);
  if (rest.size() >= 2 && std::string_view(rest[1]) == bench::kCellArgument) {
    const base::Status measured = bench::run_cell(std::span<char* const>(rest).subspan(2));
    if (measured) return 0;
    std::fprintf(stderr, "%s\n", measured.error().to_string().c_str());
    return 1;
  }
  if (rest.size() >= 3 && std::string_view(rest[1]) == "--only") {
    only = rest[2];
    if (std::ranges::find(kMeasures, only, &Measure::name) == kMeasures.end()) {
      std::fputs("--only takes sizes, cpu, allocations, overhead, explain, start or pipe\n",
                 stderr);
      return 2;
    }
    rest.erase(rest.begin() + 1, rest.begin() + 3);
  }
  return bench::run_bench(rest, run);
}
