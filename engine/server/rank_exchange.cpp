#include "server/rank_exchange.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "net/http/planted_bug.h"
#include "observe/trace_context.h"
#include "rank/plan_version.h"
#include "server/call_headers.h"
#include "server/json_indent.h"
#include "server/problem.h"

namespace millrace::server {

RankExchange::HomeJob::HomeJob(RankExchange& exchange)
    : Job([](Job& job) { static_cast<HomeJob&>(job).owner.deliver(); }), owner(exchange) {}

RankExchange::RankExchange(FrontContext& front) : front_(front), home_job_(*this) {}

void RankExchange::start(net::HttpExchange& exchange, const RankOrder& order, QuotaPlace quota) {
  exchange_ = &exchange;
  route_ = order.route;
  plan_name_ = order.plan;
  query_request_ = order.query_request;
  header_id_ = find_request_id(exchange.head().fields).value_or(std::string_view());
  const auto trace =
      observe::parse_traceparent(exchange.head().fields.find("traceparent").value_or(""));
  trace_id_ = trace ? trace->trace_id : std::string_view();
  client_ = exchange.peer();
  method_ = exchange.head().method;
  key_ = order.key;
  quota_ = std::move(quota);
  deadline_ = order.deadline;
  is_pretty_ = order.is_pretty;
  head_end_ = exchange.times().head_end;
  started_ = {};
  body_.clear();
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
  is_counted_ = false;
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
  use_.plans().ranker->start(*this,
                             front_.reader(),
                             text_,
                             {.plan = plan_name_,
                              .request_id = header_id_,
                              .received = head_end_,
                              .deadline = deadline_,
                              .needs_explain = route_->action == RouteAction::kExplainRequest,
                              .rights = key_.get()});
  // The answer may have come inside the call; this is then given back, or even destroyed.
  if (is_over) return;
  over_flag_ = nullptr;
  recall_text();
  is_counted_ = true;
  front_.metrics().begin_rank(priority());
}

void RankExchange::recall_text() {
  if (!text_.empty() && plan() != nullptr)
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
  front_.metrics().count_reply(route_->path, status);
  phases_ = {};
  front_.log().write({.request_id = header_id_,
                      .method = method_,
                      .route = route_->path,
                      .client = client_,
                      .status = status});
  free_again();
}

void RankExchange::refuse() {
  if (exchange_ == nullptr || !is_running_) return;
  net::HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  const ProblemEntry& problem = problem_of("draining");
  gone_status_ = problem.status;
  write_problem({.code = problem.code, .detail = "The server is about to end; ask another one"},
                {.request_id = header_id_, .engine_request_id = engine_request_id()},
                body_);
  exchange.reply_fields().add("Content-Type", kProblemType);
  front_.add_fields(exchange, header_id_.empty() ? engine_request_id() : header_id_);
  front_.add_retry_after(exchange, problem.status);
  exchange.close_after_reply();
  exchange.reply(problem.status, body_);
  cancel();
}

void RankExchange::on_answer() {
  loop::Loop& loop = *front_.services().loop;
  if (loop.is_current()) return deliver();
  if (is_sampled_) answered_ = loop.clock().now();
  loop.post(home_job_);
}

void RankExchange::deliver() {
  const base::TimePoint now = front_.services().loop->clock().now();
  is_running_ = false;
  recall_text();
  front_.services().generations->note_answer(plan(), outcome());
  note_own_delay(now);
  if (is_counted_) front_.metrics().end_rank(priority());
  phases_ = {.read = std::max(body_end_ - head_end_, base::Duration(0)),
             .wait = std::max(started_ - std::max(body_end_, head_end_), base::Duration(0)),
             .run = now - started_,
             .total = now - head_end_};
  front_.metrics().count_rank(
      {.plan = plan(), .outcome = outcome(), .priority = priority(), .took = phases_.total});
  if (outcome() == rank::RankOutcome::kRefused) {
    front_.metrics().count_shed(front_.shed_reason(), priority(), now - body_end_);
  } else if (outcome() == rank::RankOutcome::kDeadline && !was_started()) {
    front_.metrics().count_shed("deadline", priority(), now - body_end_);
  }
  if (exchange_ != nullptr) {
    reply();
  } else {
    record(gone_status_, 0);
  }
  free_again();
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
    write_rank_problem(*code(), error_message(), response(), body_);
    fields.add("Content-Type", kProblemType);
  }
  front_.add_fields(*exchange_, request_id().empty() ? engine_request_id() : request_id());
  if (degraded_count() > 0) fields.add("X-Degraded", std::to_string(degraded_count()));
  front_.add_retry_after(*exchange_, status);
  append_server_timing(phases_, timing_);
  if (has_trace()) append_node_timing(response(), timing_);
  fields.add("Server-Timing", timing_);
  std::string_view text = body_.empty() ? std::string_view(response()) : std::string_view(body_);
  std::string indented;
  if (is_pretty_) {
    append_indented(text, indented);
    text = indented;
  }
  record(status, text.size());
  exchange_->reply(status, text);
}

void RankExchange::record(int status, std::size_t bytes_out) {
  front_.metrics().count_reply(route_->path, status);
  const rank::LoadedPlan* const used = plan();
  const std::string version = used != nullptr ? rank::version_of(used->plan()) : std::string();
  front_.log().write({.request_id = request_id(),
                      .engine_request_id = engine_request_id(),
                      .trace_id = trace_id_,
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
