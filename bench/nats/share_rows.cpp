#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <semaphore>
#include <string>

#include "base/clock.h"
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

base::Result<double> received(const RankdProcess& process) {
  MR_TRY(const std::string metrics, process.metrics());
  return metric_of(metrics, "rankd_nats_received_total").value_or(0);
}

/// A process with plans of its own folder; both may have 16 requests under way.
base::Result<std::unique_ptr<RankdProcess>> serve_from(const ServeProject& project,
                                                       const std::string& url) {
  return RankdProcess::serve({.arguments = {"--root",
                                            project.path(),
                                            "--nats",
                                            url,
                                            "--set",
                                            "log.requests=off",
                                            "--set",
                                            "overload.inflight_max=16",
                                            "--set",
                                            "overload.limit_start=16"},
                              .log_file = project.file("rankd.log"),
                              .on_all_processors = true});
}

std::string waiting_plan(int milliseconds) {
  return base::format(
      R"({{"schema_version":1,"name":"wait","nodes":[)"
      R"({{"id":"source","op":"fixed_source","inputs":[],"params":{{"row_count":2}}}},)"
      R"({{"id":"wait","op":"sleep","inputs":["source"],"params":{{"duration_ms":{}}}}}],)"
      R"("outputs":["wait"],"output_keys":["id"]}})",
      milliseconds);
}

/// A process that has joined its groups, as its metrics say.
base::Status await_joined(const RankdProcess& process) {
  for (int look = 0; look < 4000; ++look) {
    MR_TRY(const std::string metrics, process.metrics());
    if (metric_of(metrics, "rankd_nats_joined").value_or(0) > 0) return {};
    wait_a_moment();
  }
  return base::fail(base::ErrorCode::kUnavailable, "A process does not join");
}

/// An even stream of requests that does not wait for answers.
class Stream {
 public:
  explicit Stream(nats::RequestBox& box) : box_(box) {}
  void run(double per_second, base::Duration length) {
    const base::TimePoint begin = base::steady_clock().now();
    for (base::Duration at{}; at < length; at = base::steady_clock().now() - begin) {
      const auto due =
          static_cast<std::size_t>(std::chrono::duration<double>(at).count() * per_second);
      while (sent_ < due) ask();
      wait_a_moment();
    }
    sent_ = 0;
  }
  /// Waits for all answers.
  void finish() {
    for (std::size_t i = 0; i < total_; ++i) over_.acquire();
  }
  std::atomic<std::size_t> failed{0};  // no answer in 10 s; read at the end
  std::atomic<std::size_t> busy{0};    // refused; read at the end
  [[nodiscard]] std::size_t total() const { return total_; }

 private:
  void ask() {
    ++sent_;
    ++total_;
    box_.ask({.subject = "rank.wait", .data = R"({"user_id":1})"},
             std::chrono::seconds(10),
             [this](const base::Result<nats::Message>& answer) {
               if (!answer) {
                 failed.fetch_add(1);
               } else if (answer->find_header("Rank-Status") != "200") {
                 busy.fetch_add(1);
               }
               over_.release();
             });
  }
  nats::RequestBox& box_;
  std::size_t sent_ = 0;
  std::size_t total_ = 0;
  std::counting_semaphore<> over_{0};
};

base::Status measure_even(NatsReport& report, const BusServer& server) {
  const std::size_t requests = report.options.smoke ? 1000 : 10'000;
  MR_TRY(const ServeProject project, ServeProject::make());
  MR_TRY_STATUS(project.put_plan("trivial", trivial_plan()));
  MR_TRY(const auto one, serve_from(project, server.url));
  MR_TRY(const ServeProject second, ServeProject::make());
  MR_TRY_STATUS(second.put_plan("trivial", trivial_plan()));
  MR_TRY(const auto two, serve_from(second, server.url));
  MR_TRY_STATUS(await_joined(*one));
  MR_TRY_STATUS(await_joined(*two));
  MR_TRY(const auto client, nats::Client::connect({.urls = {server.url}, .name = "bench"}));
  // Fewer than one process may have under way: neither is ever full.
  const BusLoad load{.outstanding = 8,
                     .requests = requests,
                     .make =
                         [](std::size_t) {
                           return nats::Message{.subject = "rank.trivial",
                                                .data = std::string(kRankBody)};
                         },
                     .is_right =
                         [](std::size_t, const nats::Message& answer) {
                           return answer.find_header("Rank-Status") == "200";
                         }};
  MR_TRY(const double rate, rate_of(client->box(), load));
  MR_TRY(const double by_one, received(*one));
  MR_TRY(const double by_two, received(*two));
  if (by_one + by_two != static_cast<double>(requests))
    return base::fail(base::ErrorCode::kInternal, "Requests were delivered twice or not at all");
  const double half = static_cast<double>(requests) / 2;
  report.figures.insert(report.figures.end(),
                        {{.name = "two processes", .value = rate, .unit = "requests/s"},
                         {.name = "two processes: off the half",
                          .value = std::abs(by_one - half) / half * 100,
                          .unit = "%",
                          .at_most = 10}});
  return {};
}

base::Status measure_slow(NatsReport& report, const BusServer& server) {
  const bool smoke = report.options.smoke;
  MR_TRY(const ServeProject quick_project, ServeProject::make());
  MR_TRY_STATUS(quick_project.put_plan("wait", waiting_plan(20)));
  MR_TRY(const auto quick, serve_from(quick_project, server.url));
  MR_TRY(const ServeProject slow_project, ServeProject::make());
  MR_TRY_STATUS(slow_project.put_plan("wait", waiting_plan(200)));
  MR_TRY(const auto slow, serve_from(slow_project, server.url));
  MR_TRY_STATUS(await_joined(*quick));
  MR_TRY_STATUS(await_joined(*slow));
  MR_TRY(const auto client, nats::Client::connect({.urls = {server.url}, .name = "bench"}));
  Stream stream(client->box());
  // Half of what the quick one can do, five times what the slow one can do.
  constexpr double kRate = 400;
  stream.run(kRate, smoke ? std::chrono::milliseconds(300) : std::chrono::seconds(2));
  MR_TRY(const double slow_before, received(*slow));
  MR_TRY(const double quick_before, received(*quick));
  stream.run(kRate, smoke ? std::chrono::milliseconds(300) : std::chrono::seconds(10));
  stream.finish();
  MR_TRY(const double slow_after, received(*slow));
  MR_TRY(const double quick_after, received(*quick));
  const double by_slow = slow_after - slow_before;
  const double all = by_slow + quick_after - quick_before;
  report.figures.insert(report.figures.end(),
                        {{.name = "one process ten times slower: it gets, after 2 s",
                          .value = all > 0 ? by_slow / all * 100 : 0,
                          .unit = "%",
                          .at_most = 20},
                         {.name = "one process ten times slower: no answer",
                          .value = static_cast<double>(stream.failed.load()),
                          .unit = "requests",
                          .at_most = 0},
                         {.name = "one process ten times slower: refused",
                          .value = 100 * static_cast<double>(stream.busy.load()) /
                                   static_cast<double>(std::max<std::size_t>(1, stream.total())),
                          .unit = "%"}});
  return {};
}

}  // namespace

base::Status measure_shares(NatsReport& report) {
  MR_TRY(const auto folder, TempFolder::make());
  MR_TRY(const BusServer server, BusServer::start(folder->path()));
  MR_TRY_STATUS(measure_even(report, server));
  return measure_slow(report, server);
}

}  // namespace millrace::bench
