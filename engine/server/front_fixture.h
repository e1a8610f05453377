#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/formats/json_reader.h"
#include "base/log/log.h"
#include "base/log/log_sink.h"
#include "base/metrics/metrics_registry.h"
#include "base/random.h"
#include "net/http/http_exchange_fixture.h"
#include "observe/prometheus_writer.h"
#include "rank/rank_fixture.h"
#include "runtime/admission.h"
#include "server/front.h"

// For tests only: a front on the engine in virtual time, without connections.

namespace millrace::server::testing {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Does nothing, says yes, and remembers what it was asked for.
class AgreeingDesk final : public AdminDesk {
 public:
  void submit(AdminOrder order, std::function<void(Reply)> done) override {
    orders.push_back(std::move(order));
    done(reply);
  }
  std::vector<AdminOrder> orders;
  Reply reply = "{}";
};

/// A front, its engine and the requests that were asked of it.
/// Threading: not shared.
class FrontRig {
 public:
  /// The log goes to `sink` unless there is another one for it.
  explicit FrontRig(FrontSettings with = {},
                    runtime::AdmissionSettings admitted = {},
                    base::LogSink* log_to = nullptr)
      : log(log_to != nullptr ? *log_to : static_cast<base::LogSink&>(sink)),
        settings_(std::move(with)) {
    auto made = runtime::Admission::create(admitted, *rank.pool);
    MR_CHECK(made.has_value());
    admission = *std::move(made);
    rank.services.admission = admission.get();
  }
  ~FrontRig() {
    rank.drain();
    front_.reset();
  }

  /// Makes the front, at the first call.
  Front& front() {
    if (front_ != nullptr) return *front_;
    rank.ranker = std::make_unique<rank::Ranker>(rank.plans, rank.services, rank.options);
    generations.set(
        {.ranker = rank.ranker.get(), .plans = &rank.plans, .registry = &rank.registry});
    front_ = std::make_unique<Front>(
        FrontServices{.loop = &rank.loop,
                      .generations = &generations,
                      .admission = admission.get(),
                      .readiness = &readiness,
                      .pulses = &pulses,
                      .metrics = &metrics,
                      .log = &log,
                      .workers = &rank.loop,
                      .random = &random,
                      .metrics_page =
                          [this](std::string_view accept) {
                            RequestLedger::Sums sums;
                            front_->metrics().ledger().add_to(sums);
                            auto all = metrics.snapshot();
                            observe::ExemplarTable exemplars;
                            add_ledger_metrics(sums, all, exemplars);
                            std::string text;
                            observe::append_metrics(
                                all, observe::format_for(accept), text, exemplars);
                            return text;
                          },
                      .stats_page = [] { return std::string("{}"); },
                      .otlp = otlp,
                      .slow = slow,
                      .wall_clock = &rank.wall_clock,
                      .admin = admin,
                      .graphs = graphs},
        settings_);
    return *front_;
  }

  /// Asks and does not wait.
  net::FakeHttpExchange& start(std::string method,
                               std::string target,
                               std::string body = {},
                               const Headers& headers = {},
                               ListenerKind listener = ListenerKind::kMain) {
    auto& exchange = exchanges_.emplace_back(std::move(method), std::move(target));
    for (const auto& [name, value] : headers) exchange.request_fields().add(name, value);
    exchange.request_times().head_end = rank.clock.now();
    exchange.request_times().body_end = rank.clock.now();
    exchange.ask(front().handler(listener), std::move(body));
    return exchange;
  }
  /// Asks, and lets time pass until there is an answer.
  net::FakeHttpExchange& ask(std::string method,
                             std::string target,
                             std::string body = {},
                             const Headers& headers = {},
                             ListenerKind listener = ListenerKind::kMain) {
    auto& exchange =
        start(std::move(method), std::move(target), std::move(body), headers, listener);
    while (!exchange.is_complete) MR_CHECK(rank.step(), "nothing will ever answer this");
    return exchange;
  }

  rank::testing::RankRig rank;
  GenerationSlot generations;
  // Set these before the first request.
  AdminDesk* admin = nullptr;
  const GraphDesk* graphs = nullptr;
  observe::OtlpExporter* otlp = nullptr;
  observe::SlowCapture* slow = nullptr;
  base::MemoryLogSink sink;
  base::Logger log;
  base::MetricsRegistry metrics;
  Readiness readiness;
  LoopPulses pulses{1, {}};
  base::SplitMix64 random{1};
  std::unique_ptr<runtime::Admission> admission;

 private:
  const FrontSettings settings_;
  std::deque<net::FakeHttpExchange> exchanges_;
  std::unique_ptr<Front> front_;
};

/// The member of a JSON object as a string; empty if it is no string.
inline std::string text_of(std::string_view json, std::string_view name) {
  const auto document = base::read_json(json);
  MR_CHECK(document.has_value(), json);
  const auto member = document->root().find_member(name);
  return member ? std::string(member->find_string().value_or("")) : "";
}

inline std::string field(net::FakeHttpExchange& exchange, std::string_view name) {
  return std::string(exchange.reply_fields().find(name).value_or(""));
}

/// A plan of some ids under the name `p`.
inline std::string small_plan(std::string_view name = "p") {
  return rank::testing::plan_text(rank::testing::source_node(5), R"(["src"])", R"(["id"])", name);
}

/// A plan that takes 20 ms under the name `slow`.
inline std::string slow_plan(std::string_view more = "") {
  return rank::testing::plan_text(
      rank::testing::source_node(2) +
          rank::testing::node("wait", "sleep", "src", R"({"duration_ms": 20})", more),
      R"(["wait"])",
      R"(["id"])",
      "slow");
}

}  // namespace millrace::server::testing
