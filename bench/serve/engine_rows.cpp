#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/closed_load.h"
#include "bench/serve/cost.h"
#include "bench/serve/echo_server.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/served.h"
#include "support/allocation_count.h"

namespace millrace::bench {
namespace {

RankdOptions bench_options(const ServeProject& project,
                           const std::string& plan,
                           std::size_t requests) {
  return {.arguments = {"bench",
                        "--root",
                        project.path(),
                        "--loops",
                        "1",
                        "--plan_name",
                        plan,
                        "--bench",
                        std::to_string(requests),
                        "--bench_concurrency",
                        "64",
                        "--bench_request",
                        std::string(kRankBody),
                        "--format",
                        "json"}};
}

/// CPU seconds of a request as `rankd bench` counts them.
base::Result<double> bench_cost(const ServeProject& project, std::size_t requests) {
  MR_TRY(const std::string text, run_rankd(bench_options(project, "complex_dag", requests)));
  constexpr std::string_view kName = "\"cpu_us_per_request\":";
  const std::size_t place = text.find(kName);
  if (place == std::string::npos)
    return base::fail(base::ErrorCode::kInternal, "rankd bench printed no CPU time", text);
  return std::strtod(text.c_str() + place + kName.size(), nullptr) * 1e-6;
}

/// What `allocation_preload.cpp` has counted.
std::uint64_t read_count(const std::string& file) {
  std::uint64_t count = 0;
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&count), sizeof count);
  return count;
}

std::vector<std::string> counting_environment(const std::string& file) {
  return {std::string("LD_PRELOAD=") + MILLRACE_ALLOCATION_PRELOAD,
          "MILLRACE_ALLOCATION_FILE=" + file};
}

base::Result<double> served_allocations(const ServeProject& project, std::size_t requests) {
  const std::string file = project.file("allocations");
  MR_TRY(const auto process,
         RankdProcess::serve(
             {.arguments = {"--root", project.path(), "--loops", "1", "--set", "log.requests=off"},
              .environment = counting_environment(file),
              .log_file = project.file("allocations.log")}));
  MR_TRY(ClosedLoad load,
         ClosedLoad::connect(
             {.port = process->port(), .request = make_request("/v1/rank/trivial", kRankBody)}));
  MR_TRY_STATUS(load.run(requests));
  const std::uint64_t before = read_count(file);
  MR_TRY_STATUS(load.run(requests));
  return static_cast<double>(read_count(file) - before) / static_cast<double>(requests);
}

base::Result<double> bench_allocations(const ServeProject& project, std::size_t requests) {
  std::vector<std::uint64_t> counts;
  for (const std::size_t size : {requests, 2 * requests}) {
    const std::string file = project.file("bench_allocations");
    std::filesystem::remove(file);
    RankdOptions options = bench_options(project, "trivial", size);
    options.environment = counting_environment(file);
    MR_TRY([[maybe_unused]] const std::string text, run_rankd(options));
    counts.push_back(read_count(file));
  }
  const double more = static_cast<double>(counts[1]) - static_cast<double>(counts[0]);
  return more / static_cast<double>(requests);
}

}  // namespace

base::Status measure_engine(ServeReport& report) {
  const Effort effort = Effort::of(report.options);
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  std::filesystem::copy_file(std::string(MILLRACE_SOURCE_DIR) + "/plans/complex_dag.plan.json",
                             project.file("plans/complex_dag.plan.json"));
  MR_TRY(const auto process,
         RankdProcess::serve(
             {.arguments = {"--root", project.path(), "--loops", "1", "--set", "log.requests=off"},
              .log_file = project.file("log")}));
  const std::unique_ptr<Served> echo = start_echo_server();
  place_served(*echo);
  const std::string request = make_request("/v1/rank/complex_dag", kRankBody);
  MR_TRY(const Cost echo_cost, cost_of(*echo, request));
  MR_TRY(const Cost http_cost, cost_of(*process, request));
  MR_TRY([[maybe_unused]] const double warm, http_cost(effort.requests));
  std::vector<double> http_us;
  std::vector<double> bench_us;
  std::vector<double> echoes;
  for (int turn = 0; turn < effort.turns; ++turn) {
    MR_TRY(const double echoed, echo_cost(effort.requests));
    MR_TRY(const double served, http_cost(effort.requests));
    MR_TRY(const double benched, bench_cost(project, effort.requests));
    http_us.push_back(served * 1e6);
    bench_us.push_back(benched * 1e6);
    echoes.push_back((served - benched) / echoed);
  }
  report.figures.insert(
      report.figures.end(),
      {{.name = "complex_dag over HTTP", .value = median(http_us), .unit = "us CPU"},
       {.name = "complex_dag in rankd bench", .value = median(bench_us), .unit = "us CPU"},
       {.name = "S55 HTTP adds to complex_dag",
        .value = median(echoes),
        .unit = "echoes",
        .at_most = 3}});
  if (!allocation_count()) return {};
  const std::size_t counted = std::min<std::size_t>(effort.requests, 10'000);
  MR_TRY(const double served, served_allocations(project, counted));
  MR_TRY(const double benched, bench_allocations(project, counted));
  report.figures.push_back({.name = "S55 allocations of a warm request in net and server",
                            .value = served - benched,
                            .unit = "",
                            .at_most = 4});
  return {};
}

}  // namespace millrace::bench
