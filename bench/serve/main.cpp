// What `rankd serve` costs and what it bears: README.md says what each figure means.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include "base/result.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "support/figures.h"
#include "support/threads.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

struct Measure {
  std::string_view name;
  base::Status (*run)(bench::ServeReport& report);
};

constexpr auto kMeasures = std::to_array<Measure>({
    {"layer", bench::measure_layer},
    {"engine", bench::measure_engine},
    {"instructions", bench::measure_instructions},
    {"observation", bench::measure_observation},
    {"refusals", bench::measure_refusals},
    {"overload", bench::measure_overload},
    {"reloads", bench::measure_reloads},
    {"idle", bench::measure_idle},
});

constexpr std::string_view kHelp =
    "./dev bench serve [--json FILE] [--smoke] [--enforce] [--only PART]\n\n"
    "What rankd serve costs and what it bears, measured over loopback:\n"
    "  layer        a trivial plan beside a bare handler and an echo of llhttp on libuv\n"
    "  engine       complex_dag over HTTP beside rankd bench; allocations of a warm request\n"
    "  instructions of requests over fake streams, beside those recorded; needs valgrind\n"
    "  observation  metrics, log lines and traces; a large scrape\n"
    "  refusals     what a refused request costs, and how soon it is told\n"
    "  overload     three times the peak in an open loop; a capacity that halves and returns\n"
    "  reloads      20 reloads at half load\n"
    "  idle         1000 connections that say nothing\n\n"
    "  --json FILE  writes the figures there, too\n"
    "  --smoke      tiny sizes: checks the answers, the figures mean nothing\n"
    "  --enforce    a missed bar is a failure\n"
    "  --only PART  one of the parts above\n";

/// The one that `--only` asks for; empty: all.
std::string_view only;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by run

/// Connections need descriptors, here and in the servers.
void allow_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  static_cast<void>(::setrlimit(RLIMIT_NOFILE, &limit));
}

base::Status run(const bench::BenchOptions& options) {
  allow_descriptors();
  const std::vector<int> client = bench::placement().client;
  bench::place_thread(0, client);
  bench::ServeReport report{.options = options};
  for (const Measure& measure : kMeasures) {
    if (!only.empty() && only != measure.name) continue;
    const std::size_t first = report.figures.size();
    MR_TRY_STATUS(measure.run(report));
    if (options.smoke) continue;
    std::fputs(bench::print_text(std::span(report.figures).subspan(first)).c_str(), stdout);
    std::fflush(stdout);
  }
  if (options.smoke && options.json_file.empty()) return {};
  return bench::conclude("serve", report.figures, options, report.extra);
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<char*> rest(arguments, arguments + count);
  if (count == 2 && std::string_view(rest[1]) == "--help") {
    std::fputs(kHelp.data(), stdout);
    return 0;
  }
  for (std::size_t i = 1; i + 1 < rest.size(); ++i) {
    if (std::string_view(rest[i]) != "--only") continue;
    only = rest[i + 1];
    if (std::ranges::find(kMeasures, only, &Measure::name) == kMeasures.end()) {
      std::fputs(
          "--only takes layer, engine, instructions, observation, refusals, overload, reloads or "
          "idle\n",
          stderr);
      return 2;
    }
    const auto at = rest.begin() + static_cast<std::ptrdiff_t>(i);
    rest.erase(at, at + 2);
    break;
  }
  return bench::run_bench(rest, &run);
}
