#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/result.h"
#include "bench/nats/bus_load.h"
#include "bench/nats/bus_process.h"
#include "bench/nats/nats_rows.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/serve_project.h"
#include "nats/client.h"

namespace millrace::bench {
namespace {

std::string body_of(std::size_t number) {
  return base::format(R"({{"user_id":1,"limit":10,"request_id":"bench-{}"}})", number);
}

/// The part of an answer that is the same for all requests.
std::string_view candidates_of(std::string_view answer) {
  const std::size_t begin = answer.find(R"("candidates":[)");
  if (begin == std::string_view::npos) return {};
  return answer.substr(begin, answer.find(']', begin) - begin);
}

/// Requests/s, and microseconds of CPU per request of the responder and of the server between.
struct Way {
  std::vector<double> rates = {};
  std::vector<double> responder_us = {};
  std::vector<double> server_us = {};
};

template <class Process>
base::Status take_turn(const BusLoad& load,
                       const Process& responder,
                       const BusServer& server,
                       nats::RequestBox& box,
                       Way& way) {
  const double responder_before = responder.cpu_seconds();
  const double server_before = server.process->cpu_seconds();
  MR_TRY(const double rate, rate_of(box, load));
  const double us = 1e6 / static_cast<double>(load.requests);
  way.rates.push_back(rate);
  way.responder_us.push_back((responder.cpu_seconds() - responder_before) * us);
  way.server_us.push_back((server.process->cpu_seconds() - server_before) * us);
  return {};
}

BusLoad load_of(std::string subject, std::size_t requests) {
  return {.requests = requests,
          .make =
              [subject = std::move(subject)](std::size_t number) {
                return nats::Message{.subject = subject, .data = body_of(number)};
              },
          .is_right = {}};
}

void add_figures(Way& echo, Way& plan, std::vector<double>& ratios, std::vector<Figure>& figures) {
  figures.insert(
      figures.end(),
      {{.name = "echo", .value = median(echo.rates), .unit = "requests/s"},
       {.name = "trivial plan", .value = median(plan.rates), .unit = "requests/s"},
       {.name = "trivial plan / echo", .value = median(ratios) * 100, .unit = "%", .at_least = 70},
       {.name = "echo: responder", .value = median(echo.responder_us), .unit = "us CPU"},
       {.name = "trivial plan: rankd", .value = median(plan.responder_us), .unit = "us CPU"},
       {.name = "echo: nats-server", .value = median(echo.server_us), .unit = "us CPU"},
       {.name = "trivial plan: nats-server", .value = median(plan.server_us), .unit = "us CPU"}});
}

}  // namespace

base::Status measure_requests(NatsReport& report) {
  const int turns = report.options.smoke ? 1 : 7;
  const std::size_t requests = report.options.smoke ? 600 : 60'000;
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  MR_TRY(const BusServer server, BusServer::start(project.path()));
  MR_TRY(const auto rankd,
         RankdProcess::serve(
             {.arguments =
                  {"--root", project.path(), "--nats", server.url, "--set", "log.requests=off"},
              .log_file = project.file("rankd.log"),
              .on_all_processors = true}));
  MR_TRY(const auto responder, start_echo(server, "bench.echo", project.path()));
  MR_TRY(const auto client, nats::Client::connect({.urls = {server.url}, .name = "bench"}));
  MR_TRY_STATUS(await_responder(client->box(), {.subject = "bench.echo", .data = "there?"}));
  MR_TRY_STATUS(await_responder(client->box(), {.subject = "rank.trivial", .data = body_of(0)}));

  BusLoad echo = load_of("bench.echo", requests);
  echo.is_right = [](std::size_t number, const nats::Message& answer) {
    return answer.data == body_of(number);
  };
  MR_TRY(const nats::Message first,
         client->box().ask_and_wait({.subject = "rank.trivial", .data = body_of(0)},
                                    std::chrono::seconds(10)));
  const std::string expected(candidates_of(first.data));
  if (!expected.contains("\"id\""))
    return base::fail(base::ErrorCode::kInternal, "Not an answer", first.data);
  BusLoad plan = load_of("rank.trivial", requests);
  plan.is_right = [&expected](std::size_t number, const nats::Message& answer) {
    return answer.find_header("Rank-Status") == "200" &&
           answer.data.contains(base::format(R"("request_id":"bench-{}")", number)) &&
           candidates_of(answer.data) == expected;
  };
  Way echo_way;
  Way plan_way;
  std::vector<double> ratios;
  // One more turn than is counted, to warm up.
  for (int turn = 0; turn <= turns; ++turn) {
    if (turn == 1 && turns > 1) {
      echo_way = {};
      plan_way = {};
      ratios.clear();
    }
    MR_TRY_STATUS(take_turn(echo, *responder, server, client->box(), echo_way));
    MR_TRY_STATUS(take_turn(plan, *rankd, server, client->box(), plan_way));
    ratios.push_back(plan_way.rates.back() / echo_way.rates.back());
  }
  add_figures(echo_way, plan_way, ratios, report.figures);
  return {};
}

}  // namespace millrace::bench
