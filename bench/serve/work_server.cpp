#include "bench/serve/work_server.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/serve/client_socket.h"
#include "bench/serve/open_load.h"

namespace millrace::bench {
namespace {

/// One worker that computes for 1 ms per request cannot do more.
constexpr double kMost = 1000;

}  // namespace

base::Result<WorkServer> WorkServer::start() {
  MR_TRY(ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("work", work_plan("work", 1, 1)));
  MR_TRY_STATUS(project.put_plan("double_work", work_plan("double_work", 2, 1)));
  MR_TRY(auto process,
         RankdProcess::serve({.arguments = {"--root",
                                            project.path(),
                                            "--loops",
                                            "1",
                                            "--cpu_threads",
                                            "1",
                                            "--set",
                                            "log.requests=off"},
                              .log_file = project.file("log")}));
  return WorkServer(std::move(project), std::move(process));
}

base::Result<double> WorkServer::find_peak(bool is_smoke) const {
  const double seconds = is_smoke ? 0.3 : 2;
  const std::string request = make_request("/v1/rank/work", kRankBody);
  double peak = 0;
  for (const double share : {0.8, 0.9, 0.95, 1.0, 1.1}) {
    if (is_smoke && share != 0.8) continue;
    MR_TRY(const std::vector<Answered> answers,
           make_open_load({.port = process_->port(),
                           .rate = share * kMost,
                           .seconds = seconds,
                           .request = [&](double) -> const std::string& { return request; }}));
    peak = std::max(peak, summarize(answers, seconds / 4, seconds).goodput);
  }
  if (peak > 0) return peak;
  return base::fail(base::ErrorCode::kInternal, "The server answered no request with 200");
}

}  // namespace millrace::bench
