#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/closed_load.h"
#include "bench/serve/open_load.h"
#include "bench/serve/rankd_process.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/work_server.h"

namespace millrace::bench {
namespace {

constexpr int kLookMs = 100;

struct Step {
  double share = 0;  // of the peak
  double rate = 0;
  LoadSummary load;
};

base::Result<LoadSummary> load_at(const WorkServer& server, double rate, double seconds) {
  const std::string request = make_request("/v1/rank/work", kRankBody);
  MR_TRY(const std::vector<Answered> answers,
         make_open_load({.port = server.process().port(),
                         .rate = rate,
                         .seconds = seconds,
                         .request = [&](double) -> const std::string& { return request; }}));
  // The first part settles.
  return summarize(answers, seconds / 4, seconds);
}

/// The limit of requests in flight, looked at again and again.
class LimitWatch {
 public:
  struct Look {
    double at_s = 0;
    double limit = 0;
  };
  explicit LimitWatch(const RankdProcess& process)
      : process_(process), begin_(base::steady_clock().now()), thread_([this] { run(); }) {}
  ~LimitWatch() {
    if (thread_.joinable()) static_cast<void>(stop());
  }
  LimitWatch(const LimitWatch&) = delete;
  LimitWatch& operator=(const LimitWatch&) = delete;
  const std::vector<Look>& stop() {
    is_over_ = true;
    thread_.join();
    return looks_;
  }

 private:
  void run() {
    while (!is_over_) {
      const base::Duration since = base::steady_clock().now() - begin_;
      if (const auto metrics = process_.metrics()) {
        looks_.push_back({.at_s = std::chrono::duration<double>(since).count(),
                          .limit = metric_of(*metrics, "rankd_admission_limit").value_or(0)});
      }
      ::poll(nullptr, 0, kLookMs);
    }
  }

  const RankdProcess& process_;
  const base::TimePoint begin_;
  std::atomic<bool> is_over_ = false;  // tells the thread to end
  std::vector<Look> looks_;            // of the thread until it has ended
  std::thread thread_;
};

void add_curve(ServeReport& report, const std::vector<Step>& steps) {
  report.extra += ",\n\"curve\":[";
  for (const Step& step : steps) {
    report.extra += base::format(
        R"({}{{"share":{},"rate":{:.1f},"goodput":{:.1f},"p50_ms":{:.2f},"p99_ms":{:.2f},)"
        R"("refused":{},"failed":{}}})",
        &step == steps.data() ? "\n" : ",\n",
        step.share,
        step.rate,
        step.load.goodput,
        step.load.p50_ms,
        step.load.p99_ms,
        step.load.refused_count,
        step.load.failed_count);
  }
  report.extra += "]";
}

base::Status measure_curve(ServeReport& report, const WorkServer& server, double peak) {
  const double seconds = report.options.smoke ? 0.4 : 4;
  std::vector<Step> steps;
  for (const double share : {0.5, 0.75, 0.9, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0}) {
    if (report.options.smoke && share != 0.5 && share != 3.0) continue;
    MR_TRY(const LoadSummary load, load_at(server, share * peak, seconds));
    steps.push_back({.share = share, .rate = share * peak, .load = load});
  }
  add_curve(report, steps);
  const LoadSummary& half = steps.front().load;
  const LoadSummary& triple = steps.back().load;
  std::size_t failed_count = 0;
  for (const Step& step : steps) failed_count += step.load.failed_count;
  report.figures.insert(report.figures.end(),
                        {{.name = "peak of 20 ms wait + 1 ms CPU", .value = peak, .unit = "/s"},
                         {.name = "S57 goodput at 3 x peak",
                          .value = triple.goodput / peak * 100,
                          .unit = "%",
                          .at_least = 90},
                         {.name = "p99 at half of the peak", .value = half.p99_ms, .unit = "ms"},
                         {.name = "S57 p99 at 3 x peak / at half",
                          .value = triple.p99_ms / std::max(half.p99_ms, 1e-3),
                          .unit = "x",
                          .at_most = 2},
                         {.name = "answers other than 200 and 503",
                          .value = static_cast<double>(failed_count),
                          .unit = "",
                          .at_most = 0}});
  return {};
}

/// Three times the peak; after a third of the time requests cost twice as much, for a third.
base::Status measure_change(ServeReport& report, const WorkServer& server, double peak) {
  const double phase = report.options.smoke ? 0.3 : 4;
  const double settled = phase / 2;
  const std::string cheap = make_request("/v1/rank/work", kRankBody);
  const std::string dear = make_request("/v1/rank/double_work", kRankBody);
  LimitWatch watch(server.process());
  MR_TRY(const std::vector<Answered> answers,
         make_open_load({.port = server.process().port(),
                         .rate = 3 * peak,
                         .seconds = 3 * phase,
                         .request = [&](double due) -> const std::string& {
                           return due >= phase && due < 2 * phase ? dear : cheap;
                         }}));
  const std::vector<LimitWatch::Look>& looks = watch.stop();
  report.extra += ",\n\"change\":[";
  for (const LimitWatch::Look& look : looks) {
    const LoadSummary load = summarize(answers, look.at_s, look.at_s + kLookMs * 1e-3);
    report.extra += base::format(R"({}{{"at_s":{:.2f},"limit":{},"goodput":{:.0f}}})",
                                 &look == looks.data() ? "\n" : ",\n",
                                 look.at_s,
                                 look.limit,
                                 load.goodput);
  }
  report.extra += "]";
  const LoadSummary halved = summarize(answers, phase + settled, 2 * phase);
  const LoadSummary whole = summarize(answers, 2 * phase + settled, 3 * phase);
  report.figures.insert(report.figures.end(),
                        {{.name = "S31 goodput 2 s after the capacity halved",
                          .value = halved.goodput / (peak / 2) * 100,
                          .unit = "%",
                          .at_least = 90},
                         {.name = "S31 goodput 2 s after it returned",
                          .value = whole.goodput / peak * 100,
                          .unit = "%",
                          .at_least = 90}});
  return {};
}

}  // namespace

base::Status measure_overload(ServeReport& report) {
  MR_TRY(const WorkServer server, WorkServer::start());
  MR_TRY(const double peak, server.find_peak(report.options.smoke));
  MR_TRY_STATUS(measure_curve(report, server, peak));
  return measure_change(report, server, peak);
}

}  // namespace millrace::bench
