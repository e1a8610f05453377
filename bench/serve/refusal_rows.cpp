#include <memory>
#include <string>

#include "base/format.h"
#include "base/result.h"
#include "bench/serve/bare_server.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/cost.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/served.h"

namespace millrace::bench {
namespace {

/// The share of refusals that took at most 1 ms.
base::Result<double> quick_share(const RankdProcess& process) {
  MR_TRY(const std::string metrics, process.metrics());
  const auto quick = metric_of(metrics, "rankd_shed_duration_seconds_bucket", "le=\"0.001\"");
  const auto all = metric_of(metrics, "rankd_shed_duration_seconds_count");
  if (!quick || !all || *all == 0)
    return base::fail(base::ErrorCode::kInternal, "No refusal was counted");
  return *quick / *all;
}

}  // namespace

base::Status measure_refusals(ServeReport& report) {
  const Effort effort = Effort::of(report.options);
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  MR_TRY_STATUS(project.put_plan("hour", hour_plan()));
  // It is warm without having answered.
  MR_TRY_STATUS(
      write_file(project.file("plans/hour.warmup.jsonl"), "{\"user_id\":1,\"deadline_ms\":1}\n"));
  MR_TRY(const auto process,
         RankdProcess::serve({.arguments = {"--root",
                                            project.path(),
                                            "--loops",
                                            "1",
                                            "--inflight_max",
                                            "1",
                                            "--set",
                                            "plans.warmup_required=false",
                                            "--set",
                                            "server.deadline_max=3600s",
                                            "--set",
                                            "log.requests=off"},
                              .log_file = project.file("log")}));
  MR_TRY(ClientSocket holder, ClientSocket::connect(process->port()));
  MR_TRY_STATUS(holder.send(make_request("/v1/rank/hour", kRankBody)));
  const std::string request = make_request("/v1/rank/trivial", kRankBody);
  // The place is taken when the first request was refused.
  for (int status = 0; status != 503;) {
    MR_TRY(const Reply reply, ask(process->port(), request));
    status = reply.status;
  }
  const std::unique_ptr<Served> bare = start_bare_server();
  place_served(*bare);
  MR_TRY(const Cost bare_cost, cost_of(*bare, request));
  MR_TRY(const Cost refusal_cost, cost_of(*process, request, 503));
  MR_TRY(const Compared compared, compare(effort, bare_cost, refusal_cost));
  MR_TRY(const double quick, quick_share(*process));
  report.figures.insert(
      report.figures.end(),
      {{.name = "refusal", .value = compared.second_us, .unit = "us CPU"},
       {.name = "S35 refusal / bare handler", .value = compared.ratio, .unit = "x", .at_most = 1.2},
       {.name = "S35 refusals within 1 ms of their last byte",
        .value = quick * 100,
        .unit = "%",
        .at_least = 99}});
  return {};
}

}  // namespace millrace::bench
