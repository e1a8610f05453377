#include <cstdio>
#include <cstdlib>

#include "scheduler/trace_runs.h"

// Runs a flow many times without tracing, so that the instructions can be counted. Built twice,
// with trace code and without.
int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("trace_runs SHAPE COUNT: runs a flow of empty bodies, untraced\n", stderr);
    return EXIT_FAILURE;
  }
  millrace::bench::TraceRuns runs(argv[1], nullptr);
  runs.run(std::strtoull(argv[2], nullptr, 10), {});
  return EXIT_SUCCESS;
}
