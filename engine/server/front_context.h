#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "net/http/http_handler.h"
#include "observe/request_log.h"
#include "observe/trace_context.h"
#include "rank/request.h"
#include "server/front_metrics.h"
#include "server/front_services.h"
#include "server/overload/own_delay_sampler.h"
#include "server/problem.h"
#include "server/route_table.h"

namespace millrace::server {

class AdminExchange;
class BatchExchange;
class PageExchange;
class RankExchange;

/// What the exchanges of one loop share: services, readers, counters, and what all answers have.
/// Threading: loop thread.
class FrontContext {
 public:
  FrontContext(const FrontServices& services, const FrontSettings& settings);
  FrontContext(const FrontContext&) = delete;
  FrontContext& operator=(const FrontContext&) = delete;
  virtual ~FrontContext() = default;

  [[nodiscard]] const FrontServices& services() const { return services_; }
  [[nodiscard]] const FrontSettings& settings() const { return settings_; }
  /// The plans that new requests use.
  [[nodiscard]] const LoopPlans& plans() const { return services_.generations->current(); }
  [[nodiscard]] FrontMetrics& metrics() { return metrics_; }
  [[nodiscard]] OwnDelaySampler& own_delays() { return own_delays_; }
  [[nodiscard]] observe::RequestLog& log() { return log_; }
  [[nodiscard]] rank::RequestReader& reader() { return reader_; }
  /// Reads the lines of batches, whose class is low unless they name another.
  [[nodiscard]] rank::RequestReader& batch_reader() { return batch_reader_; }

  /// Adds the fields that every answer has (S19), and what says which request it belongs to (S17).
  void add_fields(net::HttpFields& fields, std::string_view request_id);
  /// Adds `Retry-After` where the status calls for it (S16).
  void add_retry_after(net::HttpFields& fields, int status);
  /// Decides which requests are traced.
  [[nodiscard]] observe::TraceSampler& traces() { return traces_; }
  /// Whether the request that begins now is traced in case it is slow (S43).
  [[nodiscard]] bool wants_slow_trace() {
    return services_.slow != nullptr && ++slow_turn_ % settings_.slow_trace_every == 0;
  }
  /// The deadline of a request (S18) without what its body says.
  [[nodiscard]] base::TimePoint deadline_of(base::TimePoint head_end,
                                            std::optional<base::Duration> limit) const;
  /// Answers with a page, and counts and logs that.
  void reply_page(net::HttpExchange& exchange,
                  const Route& route,
                  int status,
                  std::string_view body);

  /// Answers with a problem, and counts and logs that.
  void reply_problem(net::HttpExchange& exchange,
                     std::string_view route,
                     const RequestProblem& problem);

  /// Who asked for what; kept for the log while the exchange may end.
  struct Asked {
    std::string method;
    std::string client;
  };
  /// Empty if an answer with this status is not logged.
  [[nodiscard]] Asked asked_of(const net::HttpExchange& exchange, int status) const;
  /// Counts and logs a request that ended by `HttpReceiver::on_gone`, unless its refusal was
  /// described, which has done both.
  void record_gone(std::string_view route, const Asked& asked, int status);

  // An exchange that has served its request ends itself with one of these.

  virtual void give_back(RankExchange& exchange) = 0;
  virtual void give_back(BatchExchange& exchange) = 0;
  virtual void give_back(PageExchange& exchange) = 0;
  virtual void give_back(AdminExchange& exchange) = 0;

 protected:
  /// Adds the common fields, counts, logs and answers.
  void finish_reply(net::HttpExchange& exchange,
                    std::string_view route,
                    int status,
                    std::string_view body);

 private:
  const FrontServices services_;
  const FrontSettings settings_;
  FrontMetrics metrics_;
  OwnDelaySampler own_delays_;
  observe::TraceSampler traces_;
  std::uint32_t slow_turn_ = 0;
  base::MetricBinding own_delays_binding_;
  observe::RequestLog log_;
  rank::RequestReader reader_;
  rank::RequestReader batch_reader_;
};

}  // namespace millrace::server
