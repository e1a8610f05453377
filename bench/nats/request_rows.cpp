#include <algorithm>
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

/// One of the responders that take turns, and what was measured.
struct Way {
  std::string name;
  const BusProcess* echo = nullptr;  ///< nullptr: rankd
  BusLoad load = {};
  /// Requests/s, and microseconds of CPU per request of the responder and of the server between.
  std::vector<double> rates = {};
  std::vector<double> responder_us = {};
  std::vector<double> server_us = {};
};

/// What all ways share.
struct Bus {
  const BusServer& server;
  const RankdProcess& rankd;
  nats::RequestBox& box;
};

base::Status take_turn(const Bus& bus, Way& way) {
  const auto responder_seconds = [&] {
    return way.echo != nullptr ? way.echo->cpu_seconds() : bus.rankd.cpu_seconds();
  };
  const double responder_before = responder_seconds();
  const double server_before = bus.server.process->cpu_seconds();
  MR_TRY(const double rate, rate_of(bus.box, way.load));
  const double us = 1e6 / static_cast<double>(way.load.requests);
  way.rates.push_back(rate);
  way.responder_us.push_back((responder_seconds() - responder_before) * us);
  way.server_us.push_back((bus.server.process->cpu_seconds() - server_before) * us);
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

/// The ways in which the bare library answers: the answer sent back is the request, or always that
/// of the plan.
struct Echoes {
  std::unique_ptr<BusProcess> at_once;
  std::unique_ptr<BusProcess> together;
  std::unique_ptr<BusProcess> same_at_once;
  std::unique_ptr<BusProcess> same_together;
};

base::Result<Echoes> start_echoes(const BusServer& server,
                                  const nats::Message& answer,
                                  const std::string& folder) {
  std::string text;
  for (const nats::Header& header : answer.headers)
    text += base::format("{}: {}\n", header.name, header.value);
  MR_TRY_STATUS(write_file(folder + "/answer", text + "\n" + answer.data));
  Echoes echoes;
  MR_TRY(echoes.at_once, start_echo(server, {"at-once", "bench.at_once"}, folder));
  MR_TRY(echoes.together, start_echo(server, {"together", "bench.together"}, folder));
  MR_TRY(echoes.same_at_once,
         start_echo(server, {"at-once", "bench.same_at_once", folder + "/answer"}, folder));
  MR_TRY(echoes.same_together,
         start_echo(server, {"together", "bench.same_together", folder + "/answer"}, folder));
  return echoes;
}

std::vector<Way> make_ways(const Echoes& echoes,
                           const nats::Message& answer,
                           std::size_t requests) {
  const auto is_request = [](std::size_t number, const nats::Message& heard) {
    return heard.data == body_of(number);
  };
  const auto is_answer = [answer](std::size_t, const nats::Message& heard) {
    return heard.data == answer.data && heard.headers.size() == answer.headers.size();
  };
  const auto is_right = [expected = std::string(candidates_of(answer.data))](
                            std::size_t number, const nats::Message& heard) {
    return heard.find_header("Rank-Status") == "200" &&
           heard.data.contains(base::format(R"("request_id":"bench-{}")", number)) &&
           candidates_of(heard.data) == expected;
  };
  std::vector<Way> ways{
      {.name = "echo", .echo = echoes.at_once.get(), .load = load_of("bench.at_once", requests)},
      {.name = "echo, together",
       .echo = echoes.together.get(),
       .load = load_of("bench.together", requests)},
      {.name = "its answer",
       .echo = echoes.same_at_once.get(),
       .load = load_of("bench.same_at_once", requests)},
      {.name = "its answer, together",
       .echo = echoes.same_together.get(),
       .load = load_of("bench.same_together", requests)},
      {.name = "trivial plan", .load = load_of("rank.trivial", requests)}};
  ways[0].load.is_right = is_request;
  ways[1].load.is_right = is_request;
  ways[2].load.is_right = is_answer;
  ways[3].load.is_right = is_answer;
  ways[4].load.is_right = is_right;
  return ways;
}

/// How the plan did in each turn, as part of what others did.
struct Ratios {
  std::vector<double> of_echo = {};
  std::vector<double> of_echo_together = {};
  std::vector<double> of_its_answer = {};  ///< the quicker way
};

void add_figures(std::vector<Way>& ways, Ratios& ratios, std::vector<Figure>& figures) {
  for (Way& way : ways)
    figures.push_back({.name = way.name, .value = median(way.rates), .unit = "requests/s"});
  figures.insert(figures.end(),
                 {{.name = "trivial plan / echo",
                   .value = median(ratios.of_echo) * 100,
                   .unit = "%",
                   .at_least = 70},
                  {.name = "trivial plan / its answer, the quicker way",
                   .value = median(ratios.of_its_answer) * 100,
                   .unit = "%",
                   .at_least = 70},
                  {.name = "trivial plan / echo, together",
                   .value = median(ratios.of_echo_together) * 100,
                   .unit = "%"}});
  for (Way& way : ways) {
    figures.push_back(
        {.name = way.name + ": responder", .value = median(way.responder_us), .unit = "us CPU"});
    figures.push_back(
        {.name = way.name + ": nats-server", .value = median(way.server_us), .unit = "us CPU"});
  }
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
  MR_TRY(const auto client, nats::Client::connect({.urls = {server.url}, .name = "bench"}));
  MR_TRY_STATUS(await_responder(client->box(), {.subject = "rank.trivial", .data = body_of(0)}));
  MR_TRY(const nats::Message answer,
         client->box().ask_and_wait({.subject = "rank.trivial", .data = body_of(0)},
                                    std::chrono::seconds(10)));
  if (!candidates_of(answer.data).contains("\"id\""))
    return base::fail(base::ErrorCode::kInternal, "Not an answer", answer.data);
  MR_TRY(const Echoes echoes, start_echoes(server, answer, project.path()));
  for (const char* const subject :
       {"bench.at_once", "bench.together", "bench.same_at_once", "bench.same_together"})
    MR_TRY_STATUS(await_responder(client->box(), {.subject = subject, .data = "there?"}));

  std::vector<Way> ways = make_ways(echoes, answer, requests);
  const Bus bus{.server = server, .rankd = *rankd, .box = client->box()};
  // The first turn warms up.
  for (Way& way : ways) MR_TRY_STATUS(take_turn(bus, way));
  for (Way& way : ways) way.rates = way.responder_us = way.server_us = {};
  Ratios ratios;
  for (int turn = 0; turn < turns; ++turn) {
    for (Way& way : ways) MR_TRY_STATUS(take_turn(bus, way));
    const double plan = ways[4].rates.back();
    ratios.of_echo.push_back(plan / ways[0].rates.back());
    ratios.of_echo_together.push_back(plan / ways[1].rates.back());
    ratios.of_its_answer.push_back(plan / std::max(ways[2].rates.back(), ways[3].rates.back()));
  }
  add_figures(ways, ratios, report.figures);
  return {};
}

}  // namespace millrace::bench
