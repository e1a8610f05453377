// What requests and jobs over NATS cost: README.md says what each figure means.

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bench/nats/nats_rows.h"
#include "support/figures.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

constexpr std::string_view kHelp =
    "./dev bench nats [--only PART] [--json FILE] [--smoke] [--enforce]\n\n"
    "Requests and jobs over a nats-server of its own on loopback:\n"
    "  a trivial plan of rankd serve beside an echo on the same library, 256 requests outstanding\n"
    "  two processes that share requests, and one of them ten times slower than the other\n"
    "  rankd batch work beside rankd bench and messages that are only stored\n\n"
    "  --only PART  requests, shares or batch; must come first\n"
    "  --json FILE  writes the figures there, too\n"
    "  --smoke      tiny sizes: checks the answers, the figures mean nothing\n"
    "  --enforce    a missed bar is a failure\n";

struct Part {
  std::string_view name;
  base::Status (*measure)(bench::NatsReport& report);
};
constexpr auto kParts = std::to_array<Part>({{"requests", bench::measure_requests},
                                             {"shares", bench::measure_shares},
                                             {"batch", bench::measure_batch}});

/// The one that `--only` asks for; empty: all.
std::string_view only;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): read by run

base::Status run(const bench::BenchOptions& options) {
  bench::NatsReport report{.options = options};
  for (const Part& part : kParts) {
    if (!only.empty() && only != part.name) continue;
    const std::size_t first = report.figures.size();
    MR_TRY_STATUS(part.measure(report));
    if (options.smoke) continue;
    std::fputs(bench::print_text(std::span(report.figures).subspan(first)).c_str(), stdout);
    std::fflush(stdout);
  }
  return bench::conclude("nats", report.figures, options);
}

}  // namespace

int main(int count, char** words) {
  const std::span<char*> arguments(words, static_cast<std::size_t>(count));
  if (count == 2 && std::string_view(arguments[1]) == "--help") {
    std::fputs(kHelp.data(), stdout);
    return 0;
  }
  std::vector<char*> rest(arguments.begin(), arguments.end());
  if (count > 2 && std::string_view(arguments[1]) == "--only") {
    only = arguments[2];
    if (std::ranges::find(kParts, only, &Part::name) == kParts.end()) {
      std::fputs("--only takes requests, shares or batch\n", stderr);
      return 2;
    }
    rest.erase(rest.begin() + 1, rest.begin() + 3);
  }
  return bench::run_bench(rest, &run);
}
