// What a request over HTTP costs the server: the layer of `rankd serve` with a handler that does
// nothing, beside llhttp on bare libuv. Both in turns, in CPU time of the serving thread.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/result.h"
#include "bench/serve/bare_server.h"
#include "bench/serve/echo_server.h"
#include "bench/serve/load.h"
#include "bench/serve/served.h"
#include "support/allocation_count.h"
#include "support/figures.h"
#include "support/threads.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace): this file is the program

constexpr std::size_t kConnections = 64;
constexpr int kTurns = 7;
constexpr double kBareBar = 1.25;
constexpr double kAllocationsBar = 4;

/// CPU seconds of the serving thread per request.
base::Result<double> measure(const bench::Served& server,
                             bench::ClosedLoad& load,
                             std::size_t requests) {
  const double before = bench::cpu_seconds(server.thread());
  MR_TRY_STATUS(load.run(requests));
  return (bench::cpu_seconds(server.thread()) - before) / static_cast<double>(requests);
}

/// The client gets the last processor, the servers the others.
void place(const bench::Served& echo, const bench::Served& bare) {
  std::vector<int> processors = bench::usable_processors();
  if (processors.size() < 2) return;
  const int last = processors.back();
  processors.pop_back();
  bench::place_thread(echo.thread(), processors);
  bench::place_thread(bare.thread(), processors);
  bench::place_thread(::gettid(), {last});
}

base::Status run(const bench::BenchOptions& options) {
  const std::size_t requests = options.smoke ? 2'000 : 50'000;
  const int turns = options.smoke ? 1 : kTurns;
  const std::unique_ptr<bench::Served> echo = bench::start_echo_server();
  const std::unique_ptr<bench::Served> bare = bench::start_bare_server();
  place(*echo, *bare);
  MR_TRY(bench::ClosedLoad echo_load, bench::ClosedLoad::connect(echo->port(), kConnections));
  MR_TRY(bench::ClosedLoad bare_load, bench::ClosedLoad::connect(bare->port(), kConnections));
  MR_TRY_STATUS(echo_load.run(requests / 10));
  MR_TRY_STATUS(bare_load.run(requests / 10));
  const auto allocations_before = bench::allocation_count();
  MR_TRY_STATUS(bare_load.run(requests / 10));
  const auto allocations_after = bench::allocation_count();
  std::vector<double> ratios;
  std::vector<double> echo_us;
  std::vector<double> bare_us;
  for (int turn = 0; turn < turns; ++turn) {
    MR_TRY(const double echo_cost, measure(*echo, echo_load, requests));
    MR_TRY(const double bare_cost, measure(*bare, bare_load, requests));
    ratios.push_back(bare_cost / echo_cost);
    echo_us.push_back(echo_cost * 1e6);
    bare_us.push_back(bare_cost * 1e6);
  }
  std::vector<bench::Figure> figures = {
      {.name = "llhttp on libuv, per request", .value = bench::median(echo_us), .unit = "us CPU"},
      {.name = "bare handler, per request", .value = bench::median(bare_us), .unit = "us CPU"},
      {.name = "bare handler / llhttp on libuv",
       .value = bench::median(ratios),
       .unit = "x",
       .at_most = kBareBar}};
  if (allocations_before && allocations_after) {
    figures.push_back({.name = "allocations of a warm request",
                       .value = static_cast<double>(*allocations_after - *allocations_before) /
                                static_cast<double>(requests / 10),
                       .unit = "",
                       .at_most = kAllocationsBar});
  }
  std::printf("%s", bench::print_text(figures).c_str());
  return bench::conclude("serve", figures, options);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::run_bench(std::span(arguments, static_cast<std::size_t>(count)), &run);
}
