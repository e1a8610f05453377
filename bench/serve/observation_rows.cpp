#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/format.h"
#include "base/metrics/metrics_registry.h"
#include "base/result.h"
#include "bench/serve/bare_server.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/closed_load.h"
#include "bench/serve/cost.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/served.h"
#include "rank/rank_error.h"
#include "runtime/topology/node.h"
#include "server/front_metrics.h"
#include "support/threads.h"

namespace millrace::bench {
namespace {

/// Seconds that the metrics of one request take, as a front writes them.
double metric_seconds(int turns, std::size_t requests) {
  base::MetricsRegistry registry;
  server::FrontMetrics metrics(registry);
  std::vector<double> seconds;
  std::uint64_t timed_count = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const base::TimePoint begin = base::steady_clock().now();
    for (std::size_t i = 0; i < requests; ++i) {
      metrics.ledger().begin(runtime::Priority::kNormal);
      timed_count += metrics.wants_node_times() ? 1U : 0U;
      metrics.end_rank(nullptr,
                       {.outcome = rank::RankOutcome::kOk,
                        .took = std::chrono::microseconds(20 + i % 64),
                        .was_run = true});
      metrics.count_reply("/v1/rank/{plan}", 200);
    }
    const base::Duration took = base::steady_clock().now() - begin;
    seconds.push_back(std::chrono::duration<double>(took).count() / static_cast<double>(requests));
  }
  return timed_count == 0 ? 0 : median(seconds);
}

base::Status measure_lines(ServeReport& report) {
  const Effort effort = Effort::of(report.options);
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  // Takes what the exporter sends, and answers 200.
  const std::unique_ptr<Served> collector = start_bare_server();
  place_thread(collector->thread(), placement().client);
  const std::vector<std::string> same = {"--root", project.path(), "--loops", "1"};
  std::vector<std::string> off = same;
  off.insert(off.end(), {"--set", "log.requests=off"});
  std::vector<std::string> on = same;
  on.insert(on.end(),
            {"--set",
             base::format("trace.endpoint=http://127.0.0.1:{}", collector->port()),
             "--set",
             "trace.root_share=0.01"});
  MR_TRY(const auto quiet,
         RankdProcess::serve({.arguments = off, .log_file = project.file("off.log")}));
  MR_TRY(const auto talking,
         RankdProcess::serve({.arguments = on, .log_file = project.file("on.log")}));
  const std::string request = make_request("/v1/rank/trivial", kRankBody);
  MR_TRY(const Cost quiet_cost, cost_of(*quiet, request));
  MR_TRY(const Cost talking_cost, cost_of(*talking, request));
  MR_TRY(const Compared lines, compare(effort, quiet_cost, talking_cost));
  const double metrics_us = metric_seconds(effort.turns, effort.requests) * 1e6;
  const double silent_us = lines.first_us - metrics_us;
  MR_TRY(const std::string metrics, talking->metrics());
  if (metric_of(metrics, "rankd_otlp_spans_total").value_or(0) <= 0 && !report.options.smoke)
    return base::fail(base::ErrorCode::kInternal, "No trace was exported");
  report.figures.insert(report.figures.end(),
                        {{.name = "metrics of a request", .value = metrics_us, .unit = "us"},
                         {.name = "S56 trivial plan: metrics / none",
                          .value = lines.first_us / silent_us,
                          .unit = "x",
                          .at_most = 1.03},
                         {.name = "S56 trivial plan: metrics, line, 1 % traces / none",
                          .value = lines.second_us / silent_us,
                          .unit = "x",
                          .at_most = 1.10},
                         {.name = "log lines that were dropped",
                          .value = metric_of(metrics, "rankd_log_dropped_total").value_or(0),
                          .unit = "lines"}});
  return {};
}

base::Status measure_scrape(ServeReport& report) {
  const int plan_count = report.options.smoke ? 5 : 100;
  const int scrape_count = report.options.smoke ? 1 : 20;
  MR_TRY(const ServeProject project, ServeProject::make());
  for (int index = 0; index < plan_count; ++index) {
    const std::string name = base::format("chain_{}", index);
    MR_TRY_STATUS(project.put_plan(name, chain_plan(name, 10)));
  }
  // Without passes the nodes stay as many as they are.
  MR_TRY(const auto process,
         RankdProcess::serve({.arguments = {"--root",
                                            project.path(),
                                            "--loops",
                                            "1",
                                            "--passes",
                                            "off",
                                            "--set",
                                            "log.requests=off"},
                              .log_file = project.file("log")}));
  for (int index = 0; index < plan_count; ++index) {
    // More than 32, so that the nodes of one of them are timed.
    MR_TRY(ClosedLoad load,
           ClosedLoad::connect(
               {.port = process->port(),
                .connections = 1,
                .request = make_request(base::format("/v1/rank/chain_{}", index), kRankBody)}));
    MR_TRY_STATUS(load.run(40));
  }
  const double before = process->cpu_seconds();
  std::string page;
  for (int scrape = 0; scrape < scrape_count; ++scrape) {
    MR_TRY(page, process->metrics());
  }
  const double ms = (process->cpu_seconds() - before) * 1e3 / scrape_count;
  const std::string last = base::format("plan=\"chain_{}\",node=\"n9\"", plan_count - 1);
  if (metric_of(page, "rankd_node_rows_total", last).value_or(0) <= 0)
    return base::fail(base::ErrorCode::kInternal, "The page has no metrics of nodes");
  report.figures.insert(
      report.figures.end(),
      {{.name = base::format("page of {} plans x 10 nodes", plan_count),
        .value = static_cast<double>(page.size()) / 1024,
        .unit = "KiB"},
       {.name = "S56 scrape of it", .value = ms, .unit = "ms CPU", .at_most = 10}});
  return {};
}

}  // namespace

base::Status measure_observation(ServeReport& report) {
  MR_TRY_STATUS(measure_lines(report));
  return measure_scrape(report);
}

}  // namespace millrace::bench
