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
    {"observation", bench::measure_observation},
    {"refusals", bench::measure_refusals},
    {"overload", bench::measure_overload},
    {"reloads", bench::measure_reloads},
    {"idle", bench::measure_idle},
});

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
  for (std::size_t i = 1; i + 1 < rest.size(); ++i) {
    if (std::string_view(rest[i]) != "--only") continue;
    only = rest[i + 1];
    if (std::ranges::find(kMeasures, only, &Measure::name) == kMeasures.end()) {
      std::fputs("--only takes layer, engine, observation, refusals, overload, reloads or idle\n",
                 stderr);
      return 2;
    }
    const auto at = rest.begin() + static_cast<std::ptrdiff_t>(i);
    rest.erase(at, at + 2);
    break;
  }
  return bench::run_bench(rest, &run);
}
