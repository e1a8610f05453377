#include "server/rank_exchange.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/http/planted_bug.h"
#include "observe/otlp_exporter.h"
#include "observe/slow_capture.h"
#include "observe/trace_context.h"
#include "rank/plan_version.h"
#include "server/call_headers.h"
#include "server/pages/json_indent.h"
#include "server/problem.h"
#include "trace/run_capture.h"

namespace millrace::server {
namespace {

/// What the connection answers where there is no memory for an answer.
constexpr int kRefusedForMemory = 503;

ShedReason shed_reason_of(rank::Refusal refusal) {
  switch (refusal) {
    case rank::Refusal::kLimit:
      return ShedReason::kLimit;
    case rank::Refusal::kPlanLimit:
      return ShedReason::kPlanLimit;
    case rank::Refusal::kHighWater:
      return ShedReason::kHighWater;
    case rank::Refusal::kDeadline:
      break;
  }
  return ShedReason::kDeadline;
}

}  // namespace

RankExchange::HomeJob::HomeJob(RankExchange& exchange) : Job(&run_home), owner(exchange) {}

void RankExchange::HomeJob::run_home(Job& job) {
  RankExchange& exchange = static_cast<HomeJob&>(job).owner;
  exchange.deliver(exchange.front_.services().loop->clock().now());
}

RankExchange::RankExchange(FrontContext& front) : front_(front), home_job_(*this) {}

void RankExchange::start(net::HttpExchange& exchange, const RankOrder& order, QuotaPlace quota) {
  exchange_ = &exchange;
  route_ = order.route;
  plan_name_ = order.plan;
  query_request_ = order.query_request;
  header_id_ = find_request_id(exchange.head().fields).value_or(std::string_view());
  trace_ = front_.traces().begin(exchange.head().fields.find("traceparent").value_or(""));
  client_ = exchange.peer();
  method_ = exchange.head().method;
  key_ = order.key;
  quota_ = std::move(quota);
  deadline_ = order.deadline;
  is_pretty_ = order.is_pretty;
  head_end_ = exchange.times().head_end;
  started_ = {};
  timing_.clear();
  gone_status_ = 0;
  bytes_in_ = 0;
  exchange.receive(*this, {.bytes_max = front_.settings().body_bytes_max});
}

void RankExchange::on_body_end(std::string_view body) {
  bytes_in_ = body.size();
  body_end_ = exchange_->times().body_end;
  started_ = front_.services().loop->clock().now();
  is_running_ = true;
  // The class is known once the request is read.
  counted_as_ = runtime::Priority::kNormal;
  front_.metrics().ledger().begin(counted_as_);
  answered_ = {};
  is_sampled_ = front_.own_delays().wants_sample(started_);
  if (is_sampled_) {
    const loop::TurnTimes turn = front_.services().loop->turn_times();
    // It could be read at any time within the turn before: half of it is the mean.
    loop_delay_ = turn.since_poll + turn.last_turn / 2;
  }
  bool is_over = false;
  over_flag_ = &is_over;
  use_ = front_.services().generations->use();
  text_ = query_request_.empty() ? body : std::string_view(query_request_);
  const bool is_exported = trace_.is_sampled && front_.services().otlp != nullptr;
  const bool wants_capture = front_.wants_slow_trace() || is_exported;
  use_.plans().ranker->start(*this,
                             front_.reader(),
                             text_,
                             {.plan = plan_name_,
                              .request_id = header_id_,
                              .received = head_end_,
                              .deadline = deadline_,
                              .needs_explain = route_->action == RouteAction::kExplainRequest,
                              .times_nodes = front_.metrics().wants_node_times(),
                              .captures = wants_capture,
                              .rights = key_.get(),
                              .begin_error = &begin_rank_problem,
                              .now = started_});
  // The answer may have come inside the call; this is then given back, or even destroyed.
  if (is_over) return;
  over_flag_ = nullptr;
  recall_text();
  count_in_flight();
}

void RankExchange::count_in_flight() {
  correct_class();
  if (plan() == nullptr) return;
  front_.metrics().enter_plan(*plan());
  is_in_plan_ = true;
}

void RankExchange::correct_class() {
  if (priority() == counted_as_) return;
  front_.metrics().ledger().change_class(counted_as_, priority());
  counted_as_ = priority();
}

void RankExchange::recall_text() {
  if (!text_.empty() && plan() != nullptr && was_started())
    front_.services().generations->recall().note(plan()->plan().name, text_);
  text_ = {};
}

void RankExchange::on_gone(int status) {
  exchange_ = nullptr;
  gone_status_ = status;
  if (is_running_) {
    if (!MR_PLANTED_IN_SERVER(kForgottenCancel)) cancel();
    return;
  }
  // The body never came: nothing has run.
  front_.record_gone(route_->path, {.method = method_, .client = client_}, status);
  free_again();
}

void RankExchange::refuse() {
  if (exchange_ == nullptr || !is_running_) return;
  net::HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  const ProblemEntry& problem = problem_of("draining");
  gone_status_ = problem.status;
  std::string body;
  write_problem({.code = problem.code, .detail = "The server is about to end; ask another one"},
                {.request_id = header_id_, .engine_request_id = engine_request_id()},
                body);
  exchange.reply_fields().add("Content-Type", kProblemType);
  front_.add_fields(exchange.reply_fields(), header_id_.empty() ? engine_request_id() : header_id_);
  front_.add_retry_after(exchange.reply_fields(), problem.status);
  exchange.close_after_reply();
  exchange.reply(problem.status, body);
  front_.metrics().count_shed(
      ShedReason::kDraining, counted_as_, front_.services().loop->clock().now() - body_end_);
  cancel();
}

void RankExchange::on_answer() {
  loop::Loop& loop = *front_.services().loop;
  // A request that was not let in has its answer from a moment ago.
  if (loop.is_current()) return deliver(was_started() ? loop.clock().now() : answered_at());
  if (is_sampled_) answered_ = loop.clock().now();
  loop.post(home_job_);
}

void RankExchange::deliver(base::TimePoint now) {
  is_running_ = false;
  recall_text();
  front_.services().generations->note_answer(plan(), outcome());
  note_own_delay(now);
  phases_ = {.read = std::max(body_end_ - head_end_, base::Duration(0)),
             .wait = std::max(started_ - std::max(body_end_, head_end_), base::Duration(0)),
             .run = now - started_,
             .total = now - head_end_};
  count();
  if (exchange_ != nullptr) {
    reply();
  } else {
    record(gone_status_, 0);
  }
  if (!was_started()) count_shed();
  free_again();
}

void RankExchange::count() {
  FrontMetrics& metrics = front_.metrics();
  const bool is_exported = trace_.is_sampled && front_.services().otlp != nullptr;
  correct_class();
  metrics.end_rank(plan(),
                   {.outcome = outcome(),
                    .priority = counted_as_,
                    .took = phases_.total,
                    .was_run = was_started(),
                    .was_entered = std::exchange(is_in_plan_, false),
                    .trace = is_exported ? &trace_.trace : nullptr,
                    .now = is_exported ? front_.services().wall_clock->now() : base::WallTime()});
  if (plan() == nullptr) return;
  if (!node_samples().empty())
    metrics.count_nodes(*plan(), node_samples(), head_end_ + phases_.total);
  if (!degraded_nodes().empty()) metrics.count_degraded(*plan(), degraded_nodes());
}

void RankExchange::count_shed() {
  if (!refusal()) return;
  // The answer has been written by now (S35).
  const base::TimePoint now = front_.services().loop->clock().now();
  front_.metrics().count_shed(shed_reason_of(*refusal()), priority(), now - body_end_);
}

void RankExchange::export_run(int status, base::TimePoint now) {
  std::shared_ptr<const trace::RunCapture> capture = take_capture();
  const FrontServices& services = front_.services();
  const std::string_view plan_name = plan() != nullptr ? std::string_view(plan()->plan().name) : "";
  if (capture != nullptr && services.slow != nullptr && phases_.total > front_.settings().slow)
    services.slow->offer({.name = engine_request_id(), .capture = capture});
  if (services.otlp == nullptr || !trace_.is_sampled) return;
  services.otlp->offer({.trace = trace_,
                        .span = front_.traces().draw_id(),
                        .method = method_,
                        .route = std::string(route_->path),
                        .plan = std::string(plan_name),
                        .version = plan() != nullptr ? rank::version_of(plan()->plan()) : "",
                        .engine_request_id = engine_request_id(),
                        .error = code() ? std::string(to_string(*code())) : "",
                        .status = status,
                        .start = head_end_,
                        .end = now,
                        .wall_offset = services.wall_clock->now().time_since_epoch() -
                                       services.loop->clock().now().time_since_epoch(),
                        .capture = std::move(capture)});
}

void RankExchange::note_own_delay(base::TimePoint now) {
  if (!is_sampled_ || !was_started() || outcome() == rank::RankOutcome::kCancelled) return;
  if (answered_ != base::TimePoint()) loop_delay_ += now - answered_;
  front_.own_delays().add(loop_delay_, now);
}

void RankExchange::reply() {
  const bool is_good = ok();
  int status = 200;
  net::HttpFields& fields = exchange_->reply_fields();
  if (is_good) {
    fields.add("Content-Type", "application/json");
  } else {
    status = problem_of(*code()).status;
    fields.add("Content-Type", kProblemType);
  }
  front_.add_fields(exchange_->reply_fields(),
                    request_id().empty() ? engine_request_id() : request_id());
  if (degraded_count() > 0) fields.add("X-Degraded", std::to_string(degraded_count()));
  front_.add_retry_after(fields, status);
  append_server_timing(phases_, timing_);
  if (has_trace()) append_node_timing(response(), timing_);
  fields.add("Server-Timing", timing_);
  std::string_view text = response();
  std::string indented;
  if (is_pretty_) {
    append_indented(text, indented);
    text = indented;
  }
  const std::size_t bytes = text.size();
  if (exchange_->reply(status, text)) {
    record(status, bytes);
  } else {
    export_run(kRefusedForMemory, head_end_ + phases_.total);
  }
}

void RankExchange::record(int status, std::size_t bytes_out) {
  front_.metrics().count_reply(route_->path, status);
  export_run(status, head_end_ + phases_.total);
  if (!front_.log().takes(status)) return;
  const rank::LoadedPlan* const used = plan();
  const std::string trace_id = observe::to_text(trace_.trace);
  const std::string version = used != nullptr ? rank::version_of(used->plan()) : std::string();
  front_.log().write({.request_id = request_id(),
                      .engine_request_id = engine_request_id(),
                      .trace_id = trace_id,
                      .method = method_,
                      .route = route_->path,
                      .client = client_,
                      .plan = used != nullptr ? std::string_view(used->plan().name) : "",
                      .version = version,
                      .status = status,
                      .outcome = outcome_name(outcome()),
                      .error_code = code() ? to_string(*code()) : std::string_view(),
                      .priority = priority_name(priority()),
                      .key = key_ != nullptr ? std::string_view(key_->name) : "",
                      .took = phases_.total,
                      .read = phases_.read,
                      .wait = phases_.wait,
                      .run = phases_.run,
                      .rows = candidate_count(),
                      .degraded = degraded_count(),
                      .store_trips = store_round_trips(),
                      .bytes_in = bytes_in_,
                      .bytes_out = bytes_out});
}

void RankExchange::free_again() {
  exchange_ = nullptr;
  use_.end();
  quota_.release();
  key_.reset();
  if (over_flag_ != nullptr) *std::exchange(over_flag_, nullptr) = true;
  front_.give_back(*this);
}

}  // namespace millrace::server
