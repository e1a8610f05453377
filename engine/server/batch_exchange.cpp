#include "server/batch_exchange.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/http/planted_bug.h"
#include "rank/plan_version.h"
#include "server/call_headers.h"
#include "server/problem.h"

namespace millrace::server {
namespace {

/// How long a batch waits after a refusal if none of its lines is under way.
constexpr base::Duration kRefusalPause = std::chrono::milliseconds(5);

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

/// One line under way.
class BatchExchange::LineCall final : public rank::RankCall {
 public:
  explicit LineCall(BatchExchange& batch) : batch_(batch), home_job_(*this) {}

  void start(Line line) {
    line_ = std::move(line);
    started_ = batch_.front_.services().loop->clock().now();
    is_running_ = true;
    FrontMetrics& metrics = batch_.front_.metrics();
    // A line that is tried again was received before.
    if (!std::exchange(line_.is_counted, true)) metrics.ledger().begin(line_.counted_as);
    use_ = batch_.front_.services().generations->use();
    use_.plans().ranker->start(*this,
                               batch_.front_.batch_reader(),
                               line_.text,
                               {.plan = batch_.order_.plan,
                                .received = started_,
                                .deadline = deadline(),
                                .times_nodes = metrics.wants_node_times(),
                                .captures = batch_.is_exported(),
                                .rights = batch_.order_.key.get(),
                                .begin_error = &begin_line_problem,
                                .now = started_});
    if (!is_running_) return;
    correct_class();
    if (plan() == nullptr) return;
    metrics.enter_plan(*plan());
    is_in_plan_ = true;
  }
  /// Counts the line in flight under its class, once that is known.
  void correct_class() {
    if (priority() == line_.counted_as) return;
    batch_.front_.metrics().ledger().change_class(line_.counted_as, priority());
    line_.counted_as = priority();
  }

  /// The place of the line in the quota of its key, until it has its answer.
  void hold(QuotaPlace quota) { quota_ = std::move(quota); }

  [[nodiscard]] bool is_running() const { return is_running_; }
  /// Lets go of the plans; the answer is not asked for any more.
  void end_use() { use_.end(); }
  [[nodiscard]] Line& line() { return line_; }
  [[nodiscard]] base::TimePoint started() const { return started_; }

  /// Whether it counts among those of its plan, which whoever asks then ends.
  [[nodiscard]] bool take_in_plan() { return std::exchange(is_in_plan_, false); }

  /// Notes on the loop that the answer is there.
  void arrive() {
    is_running_ = false;
    quota_.release();
    batch_.ended_.push_back(this);
    batch_.move_on();
  }

 private:
  struct HomeJob : loop::Job {
    explicit HomeJob(LineCall& call)
        : Job([](Job& job) { static_cast<HomeJob&>(job).owner.arrive(); }), owner(call) {}
    LineCall& owner;
  };

  void on_answer() override {
    loop::Loop& loop = *batch_.front_.services().loop;
    if (loop.is_current()) return arrive();
    loop.post(home_job_);
  }

  [[nodiscard]] base::TimePoint deadline() const {
    const base::TimePoint own = batch_.front_.deadline_of(started_, std::nullopt);
    return std::min(own, batch_.order_.deadline.value_or(own));
  }

  BatchExchange& batch_;
  HomeJob home_job_;
  GenerationSlot::Use use_;  // until the line is done with
  Line line_;
  QuotaPlace quota_;
  base::TimePoint started_{};
  bool is_running_ = false;
  bool is_in_plan_ = false;  // counted among those of its plan
};

BatchExchange::BatchExchange(FrontContext& front, BatchOrder order)
    : front_(front),
      order_(std::move(order)),
      next_turn_(*front.services().loop, *this),
      pause_(*front.services().loop, *this) {}

BatchExchange::~BatchExchange() = default;

void BatchExchange::start(net::HttpExchange& exchange) {
  exchange_ = &exchange;
  client_ = exchange.peer();
  head_end_ = exchange.times().head_end;
  trace_ = front_.traces().begin(exchange.head().fields.find("traceparent").value_or(""));
  if (is_exported()) span_ = front_.traces().draw_id();
  exchange.receive(*this, {.bytes_max = front_.settings().batch_bytes_max, .in_pieces = true});
}

void BatchExchange::on_body_piece(std::string_view piece) {
  bytes_in_ += piece.size();
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos) {
      partial_ += piece;
      break;
    }
    if (partial_.empty()) {
      take_line(piece.substr(0, end));
    } else {
      partial_ += piece.substr(0, end);
      take_line(std::exchange(partial_, {}));
    }
    piece.remove_prefix(end + 1);
    if (exchange_ == nullptr) break;
  }
  move_on();
}

void BatchExchange::on_body_end(std::string_view /*body*/) {
  if (!partial_.empty()) take_line(std::exchange(partial_, {}));
  has_all_ = true;
  move_on();
}

void BatchExchange::on_drained() { move_on(); }

bool BatchExchange::is_exported() const {
  return trace_.is_sampled && front_.services().otlp != nullptr;
}

void BatchExchange::export_batch(int status) {
  if (!is_exported()) return;
  const FrontServices& services = front_.services();
  const base::TimePoint now = services.loop->clock().now();
  services.otlp->offer(
      {.trace = trace_,
       .span = span_,
       .method = "POST",
       .route = std::string(order_.route->path),
       .plan = order_.plan,
       .status = status,
       .start = head_end_,
       .end = now,
       .wall_offset = services.wall_clock->now().time_since_epoch() - now.time_since_epoch()});
}

void BatchExchange::export_line(LineCall& call, int status, base::TimePoint now) {
  if (!is_exported()) return;
  const FrontServices& services = front_.services();
  const rank::LoadedPlan* const plan = call.plan();
  services.otlp->offer(
      {.trace = {.trace = trace_.trace, .parent = span_, .is_sampled = true},
       .span = front_.traces().draw_id(),
       .line = call.line().number,
       .plan = plan != nullptr ? plan->plan().name : "",
       .version = plan != nullptr ? rank::version_of(plan->plan()) : "",
       .engine_request_id = call.engine_request_id(),
       .error = call.code() ? std::string(to_string(*call.code())) : "",
       .status = status,
       .start = call.started(),
       .end = now,
       .wall_offset = services.wall_clock->now().time_since_epoch() - now.time_since_epoch(),
       .capture = call.take_capture()});
}

void BatchExchange::on_gone(int status) {
  exchange_ = nullptr;
  export_batch(status);
  // A refusal that was described is counted and logged already.
  if (status == net::kHttpClientGone || has_begun_)
    record(status, rank::RankOutcome::kCancelled, {});
  drop_waiting();
  cancel_lines();
  move_on();
}

void BatchExchange::drop_waiting() {
  for (Line& line : waiting_) {
    set_waits(line, false);
    if (!line.is_counted) continue;
    front_.metrics().ledger().end(
        *line.counts, {.outcome = rank::RankOutcome::kCancelled, .priority = line.counted_as});
  }
  waiting_.clear();
}

void BatchExchange::set_waits(Line& line, bool waits) {
  if (std::exchange(line.waits, waits) != waits) front_.metrics().waiting().add(waits ? 1 : -1);
}

void BatchExchange::cancel_lines() {
  // Cancelling may end a call at once, which must not free this object meanwhile.
  is_moving_ = true;
  for (const auto& call : calls_) {
    if (call->is_running() && !MR_PLANTED_IN_SERVER(kForgottenLines)) call->cancel();
  }
  is_moving_ = false;
}

void BatchExchange::take_line(std::string_view text) {
  const std::uint64_t number = line_count_++;
  if (is_blank(text)) return;
  if (turn_count_ >= front_.settings().batch_lines_max) {
    return refuse_rest({.code = "too_large",
                        .detail = "A batch has at most " +
                                  std::to_string(front_.settings().batch_lines_max) + " lines"});
  }
  waiting_.push_back({.number = number, .turn = turn_count_++, .text = std::string(text)});
}

void BatchExchange::refuse_rest(const RequestProblem& problem) {
  net::HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  drop_waiting();
  const int status = problem_of(problem.code).status;
  export_batch(status);
  cancel_lines();
  // What has begun with 200 cannot become another status: it ends without its end mark.
  if (has_begun_) {
    exchange.abort();
    return record(status, rank::RankOutcome::kInvalid, {});
  }
  std::string body;
  const std::string id = front_.plans().ranker->make_request_id();
  write_problem(problem, {.engine_request_id = id}, body);
  exchange.reply_fields().add("Content-Type", kProblemType);
  front_.add_fields(exchange.reply_fields(), id);
  if (exchange.reply(status, body)) record(status, rank::RankOutcome::kInvalid, {});
}

void BatchExchange::record(int status, rank::RankOutcome outcome, std::string_view request_id) {
  front_.metrics().count_reply(order_.route->path, status);
  front_.log().write({.request_id = request_id,
                      .trace_id = log_trace_id(),
                      .method = "POST",
                      .route = order_.route->path,
                      .client = client_,
                      .plan = order_.plan,
                      .status = status,
                      .outcome = outcome_name(outcome),
                      .took = front_.services().loop->clock().now() - head_end_,
                      .rows = next_turn_to_send_,
                      .bytes_in = bytes_in_,
                      .bytes_out = bytes_out_});
}

void BatchExchange::retry() {
  is_paused_ = false;
  move_on();
}

bool BatchExchange::may_start() const {
  return exchange_ != nullptr && !waiting_.empty() && !is_paused_ &&
         (running_count_ < front_.settings().batch_parallel_max ||
          MR_PLANTED_IN_SERVER(kGreedyBatch)) &&
         exchange_->unsent_bytes() + held_bytes_ < front_.settings().batch_unsent_bytes_max;
}

void BatchExchange::move_on() {
  if (is_moving_) return;
  is_moving_ = true;
  std::size_t starts = 0;
  while (true) {
    if (!ended_.empty()) {
      LineCall* const call = ended_.back();
      ended_.pop_back();
      end_line(*call);
    } else if (may_start() && starts < kStartsPerTurn) {
      ++starts;
      start_line();
    } else {
      break;
    }
  }
  is_moving_ = false;
  if (may_start()) return next_turn_.post();
  give_back_if_over();
}

void BatchExchange::start_line() {
  auto quota = QuotaPlace::take(order_.key, front_.services().loop->clock().now());
  if (!quota) {
    // A line waits for its key's quota as it waits for admission (S22).
    set_waits(waiting_.front(), true);
    is_paused_ = true;
    return pause_.start(kRefusalPause);
  }
  if (idle_.empty()) {
    calls_.push_back(std::make_unique<LineCall>(*this));
    idle_.push_back(calls_.back().get());
  }
  LineCall* const call = idle_.back();
  idle_.pop_back();
  ++running_count_;
  Line line = std::move(waiting_.front());
  waiting_.pop_front();
  set_waits(line, false);
  call->hold(*std::move(quota));
  call->start(std::move(line));
}

void BatchExchange::end_line(LineCall& call) {
  --running_count_;
  idle_.push_back(&call);
  answer_line(call);
  call.end_use();
}

void BatchExchange::answer_line(LineCall& call) {
  const bool is_busy =
      call.outcome() == rank::RankOutcome::kRefused && !MR_PLANTED_IN_SERVER(kImpatientLine);
  if (is_busy && exchange_ != nullptr) {
    if (call.take_in_plan()) front_.metrics().leave_plan(*call.plan());
    waiting_.push_front(std::move(call.line()));
    Line& line = waiting_.front();
    set_waits(line, true);
    line.counts = &front_.metrics().ledger().plan(call.plan()->plan().name);
    // Another line that ends makes room; if none is under way, time has to.
    is_paused_ = true;
    pause_.start(kRefusalPause);
    return;
  }
  if (is_paused_) {
    is_paused_ = false;
    pause_.stop();
  }
  front_.services().generations->note_answer(call.plan(), call.outcome());
  const base::TimePoint now = front_.services().loop->clock().now();
  call.correct_class();
  front_.metrics().end_rank(
      call.plan(),
      {.outcome = call.outcome(),
       .priority = call.line().counted_as,
       .took = now - call.started(),
       .was_run = call.was_started(),
       .was_entered = call.take_in_plan(),
       .trace = is_exported() ? &trace_.trace : nullptr,
       .now = is_exported() ? front_.services().wall_clock->now() : base::WallTime()});
  if (call.plan() != nullptr) {
    front_.metrics().count_nodes(*call.plan(), call.node_samples(), now);
    front_.metrics().count_degraded(*call.plan(), call.degraded_nodes());
  }
  const int status = call.ok()     ? 200
                     : call.code() ? problem_of(*call.code()).status
                                   : net::kHttpClientGone;
  export_line(call, status, now);
  if (exchange_ == nullptr) return;
  std::string text = R"({"line":)" + std::to_string(call.line().number) + R"(,"status":)" +
                     std::to_string(status) + ",";
  text += members_of(call.response());
  text += '\n';
  send(call.line().turn, std::move(text));
}

void BatchExchange::send(std::uint64_t turn, std::string text) {
  if (!order_.in_input_order || MR_PLANTED_IN_SERVER(kUnorderedBatch)) {
    ++next_turn_to_send_;
    return send_now(text);
  }
  held_bytes_ += text.size();
  held_.emplace(turn, std::move(text));
  while (!held_.empty() && held_.begin()->first == next_turn_to_send_) {
    held_bytes_ -= held_.begin()->second.size();
    ++next_turn_to_send_;
    send_now(held_.begin()->second);
    held_.erase(held_.begin());
  }
}

void BatchExchange::send_now(std::string_view text) {
  if (!std::exchange(has_begun_, true)) {
    exchange_->reply_fields().add("Content-Type", "application/x-ndjson");
    front_.add_fields(exchange_->reply_fields(),
                      find_request_id(exchange_->head().fields).value_or(""));
    exchange_->begin(200);
  }
  if (text.empty()) return;
  bytes_out_ += text.size();
  exchange_->write(text);
}

void BatchExchange::end_reply() {
  send_now({});
  net::HttpExchange& exchange = *std::exchange(exchange_, nullptr);
  export_batch(200);
  record(200, rank::RankOutcome::kOk, find_request_id(exchange.head().fields).value_or(""));
  exchange.finish();
}

void BatchExchange::give_back_if_over() {
  if (exchange_ != nullptr) {
    const bool waits = running_count_ != 0 && !MR_PLANTED_IN_SERVER(kEarlyBatchEnd);
    if (!has_all_ || !waiting_.empty() || waits) return;
    end_reply();
  }
  if (running_count_ == 0) front_.give_back(*this);
}

}  // namespace millrace::server
