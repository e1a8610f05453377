#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "scheduler/overhead.h"

int main(int argc, char** argv) {
  using millrace::bench::measure_phases;
  using millrace::bench::phase_probes;
  using millrace::bench::print_phases;
  const bool smoke = argc == 2 && std::string_view(argv[1]) == "--smoke";
  if (argc > 1 && !smoke) {
    fmt::print(stderr, "bench_overhead [--smoke]: our phases per node beside a published table\n");
    return EXIT_FAILURE;
  }
  const auto figures = measure_phases(phase_probes(), smoke ? 100 : 1'000'000, smoke ? 1 : 9);
  fmt::print("{}", print_phases(figures));
  return EXIT_SUCCESS;
}
