#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/result.h"
#include "bench/serve/client_socket.h"
#include "bench/serve/open_load.h"
#include "bench/serve/rows.h"
#include "bench/serve/serve_project.h"
#include "bench/serve/work_server.h"

namespace millrace::bench {
namespace {

/// Rate of the load: half of what one worker can do with 1 ms per request; with tiny sizes so
/// little that a busy machine refuses none.
constexpr double kRate = 450;
constexpr double kSmokeRate = 20;

struct Span {
  double from_s = 0;
  double to_s = 0;
};

/// Deploys version after version while somebody else makes the load.
class Deployer {
 public:
  Deployer(const WorkServer& server, int count, int pause_ms)
      : server_(server),
        count_(count),
        pause_ms_(pause_ms),
        begin_(base::steady_clock().now()),
        thread_([this] { result_ = run(); }) {}
  ~Deployer() {
    if (thread_.joinable()) thread_.join();
  }
  Deployer(const Deployer&) = delete;
  Deployer& operator=(const Deployer&) = delete;

  /// When each reload began and ended.
  base::Result<std::vector<Span>> wait() {
    thread_.join();
    if (!result_) return std::unexpected(result_.error());
    return std::move(spans_);
  }

 private:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(base::steady_clock().now() - begin_).count();
  }
  base::Status run() {
    const std::string demand = make_request("/v1/reload", "{}");
    for (int index = 0; index < count_; ++index) {
      ::poll(nullptr, 0, pause_ms_);
      const double from = seconds();
      MR_TRY_STATUS(server_.project().put_plan("work", work_plan("work", 1, index + 2)));
      MR_TRY(const Reply reply, ask(server_.process().admin_port(), demand));
      if (reply.status != 200)
        return base::fail(base::ErrorCode::kInternal, "A reload failed", reply.body);
      spans_.push_back({.from_s = from, .to_s = seconds()});
    }
    return {};
  }

  const WorkServer& server_;
  const int count_;
  const int pause_ms_;
  const base::TimePoint begin_;
  std::vector<Span> spans_;  // of the thread until it has ended
  base::Status result_;      // the same
  std::thread thread_;
};

}  // namespace

base::Status measure_reloads(ServeReport& report) {
  const int count = report.options.smoke ? 2 : 20;
  const double seconds = report.options.smoke ? 1.5 : 14;
  MR_TRY(const WorkServer server, WorkServer::start());
  const std::string request = make_request("/v1/rank/work", kRankBody);
  Deployer deployer(server, count, report.options.smoke ? 100 : 400);
  MR_TRY(const std::vector<Answered> answers,
         make_open_load({.port = server.process().port(),
                         .rate = report.options.smoke ? kSmokeRate : kRate,
                         .seconds = seconds,
                         .request = [&](double) -> const std::string& { return request; }}));
  MR_TRY(const std::vector<Span> spans, deployer.wait());
  std::vector<double> with;
  std::vector<double> without;
  std::size_t failed_count = 0;
  for (const Answered& answered : answers) {
    if (answered.status != 200) {
      ++failed_count;
      continue;
    }
    const double end = answered.due_s + answered.took_ms * 1e-3;
    const bool is_near = std::ranges::any_of(
        spans, [&](const Span& span) { return end > span.from_s && answered.due_s < span.to_s; });
    (is_near ? with : without).push_back(answered.took_ms);
  }
  MR_TRY(const Reply last, ask(server.process().port(), request));
  if (last.body.find(base::format("{{\"id\":{},", std::min(count + 1, 10))) == std::string::npos)
    return base::fail(base::ErrorCode::kInternal, "The last version does not answer", last.body);
  const double calm = quantile(without, 0.99);
  report.figures.insert(
      report.figures.end(),
      {{.name = base::format("S58 {} reloads at half load: failed requests", count),
        .value = static_cast<double>(failed_count),
        .unit = "",
        .at_most = 0},
       {.name = "p99 without a reload", .value = calm, .unit = "ms"},
       {.name = "S58 p99 during reloads / without",
        .value = quantile(with, 0.99) / std::max(calm, 1e-3),
        .unit = "x",
        .at_most = 2}});
  return {};
}

}  // namespace millrace::bench
