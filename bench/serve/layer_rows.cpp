#include <memory>
#include <string>

#include "base/result.h"
#include "bench/serve/bare_server.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/cost.h"
#include "bench/serve/echo_server.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/served.h"

namespace millrace::bench {

base::Status measure_layer(ServeReport& report) {
  const Effort effort = Effort::of(report.options);
  const std::string request = make_request("/v1/rank/trivial", kRankBody);
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  MR_TRY(const auto one,
         RankdProcess::serve(
             {.arguments = {"--root", project.path(), "--loops", "1", "--set", "log.requests=off"},
              .log_file = project.file("one.log")}));
  MR_TRY(const auto two,
         RankdProcess::serve(
             {.arguments = {"--root", project.path(), "--loops", "2", "--set", "log.requests=off"},
              .log_file = project.file("two.log")}));
  const std::unique_ptr<Served> echo = start_echo_server();
  const std::unique_ptr<Served> bare = start_bare_server();
  place_served(*echo);
  place_served(*bare);
  MR_TRY(const Cost echo_cost, cost_of(*echo, request));
  MR_TRY(const Cost bare_cost, cost_of(*bare, request));
  MR_TRY(const Cost one_cost, cost_of(*one, request));
  MR_TRY(const Cost two_cost, cost_of(*two, request));
  MR_TRY(const Compared layer, compare(effort, echo_cost, bare_cost));
  MR_TRY(const Compared trivial, compare(effort, bare_cost, one_cost));
  MR_TRY(const Compared loops, compare(effort, one_cost, two_cost));
  report.figures.insert(
      report.figures.end(),
      {{.name = "echo of llhttp on libuv", .value = layer.first_us, .unit = "us CPU"},
       {.name = "bare handler", .value = layer.second_us, .unit = "us CPU"},
       {.name = "S54 bare handler / echo", .value = layer.ratio, .unit = "x", .at_most = 1.25},
       {.name = "trivial plan", .value = trivial.second_us, .unit = "us CPU"},
       {.name = "S54 trivial plan / bare handler",
        .value = trivial.ratio,
        .unit = "x",
        .at_most = 1.43},
       {.name = "S58 two loops / one loop", .value = loops.ratio, .unit = "x", .at_most = 1.15}});
  return {};
}

}  // namespace millrace::bench
