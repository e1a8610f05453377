// What graphs cost, beside oneTBB where it has the same: README.md says what each figure means.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/measures.h"
#include "support/figures.h"

namespace {

using millrace::base::Status;
using millrace::bench::BenchOptions;
using millrace::bench::Figures;

struct Measure {
  std::string_view name;
  Status (*run)(const BenchOptions& options, Figures& figures);
};

constexpr auto kMeasures = std::to_array<Measure>({
    {"messages", millrace::bench::measure_messages},
    {"pool", millrace::bench::measure_pool},
    {"compile", millrace::bench::measure_compile},
    {"trace", millrace::bench::measure_trace},
    {"rest", millrace::bench::measure_rest},
    {"ticks", millrace::bench::measure_ticks},
});

/// The one that `--only` asks for; empty: all.
std::string_view only;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by run

Status run(const BenchOptions& options) {
  using millrace::bench::conclude;
  using millrace::bench::print_text;
  Figures figures;
  for (const Measure& measure : kMeasures) {
    if (!only.empty() && only != measure.name) continue;
    const std::size_t first = figures.size();
    MR_TRY_STATUS(measure.run(options, figures));
    if (options.smoke) continue;
    std::fputs(print_text(std::span(figures).subspan(first)).c_str(), stdout);
    std::fflush(stdout);
  }
  if (options.smoke) return {};
  return conclude("graph", figures, options);
}

}  // namespace

int main(int argument_count, char** arguments) {
  std::vector<char*> rest(arguments, arguments + argument_count);
  for (std::size_t i = 1; i + 1 < rest.size(); ++i) {
    if (std::string_view(rest[i]) != "--only") continue;
    only = rest[i + 1];
    const auto known = std::ranges::find(kMeasures, only, &Measure::name);
    if (known == kMeasures.end()) {
      std::fputs("--only takes messages, pool, compile, trace, rest or ticks\n", stderr);
      return 2;
    }
    const auto at = rest.begin() + static_cast<std::ptrdiff_t>(i);
    rest.erase(at, at + 2);
    break;
  }
  return millrace::bench::run_bench(rest, run);
}
