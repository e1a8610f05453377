#include "sim_client.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "base/format.h"
#include "rank/plan_set.h"
#include "sim_engine.h"

namespace millrace::server_sim {
namespace {

constexpr int kBusy = 503;
constexpr int kLate = 504;
constexpr int kRequestTimeout = 408;

/// The sum of all series of a counter or gauge on a page of metrics; nothing if it is not there.
std::optional<double> sum_of(const std::string& page, const std::string& metric) {
  std::optional<double> sum;
  for (const std::string& line : lines_of(page)) {
    if (!line.starts_with(metric)) continue;
    const char next = line.size() > metric.size() ? line[metric.size()] : ' ';
    if (next != '{' && next != ' ') continue;
    const std::size_t at = line.rfind(' ');
    double value = 0;
    std::from_chars(line.data() + at + 1, line.data() + line.size(), value);
    sum = sum.value_or(0) + value;
  }
  return sum;
}

double milliseconds_of(const std::optional<base::TimePoint>& time) {
  if (!time) return -1;
  return std::chrono::duration<double, std::milli>(time->time_since_epoch()).count();
}

/// The version whose candidates a body has; -1 if it has those of none.
int version_of(std::string_view body, const std::vector<Publication>& publications) {
  for (const Publication& publication : publications) {
    for (const std::optional<int> version :
         {std::optional(publication.active), publication.canary}) {
      if (version && body.find(candidates_of(*version)) != std::string_view::npos) return *version;
    }
  }
  return -1;
}

}  // namespace

SimClient::SimClient(const World& world, const ClientPlan& plan, std::uint64_t seed)
    : world_(world),
      plan_(plan),
      random_(seed),
      states_(plan.asks.size()),
      connect_at_(base::TimePoint() + plan.connect_after) {}

std::string SimClient::name(std::size_t ask) const {
  return base::format("request r{}", plan_.asks[ask].user);
}

std::optional<base::TimePoint> SimClient::next_time() const {
  std::optional<base::TimePoint> next = connect_at_;
  const auto consider = [&next](const std::optional<base::TimePoint>& time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (!pieces_.empty()) consider(pieces_.front().when);
  consider(end_at_);
  consider(stall_at_);
  consider(read_again_at_);
  return next;
}

void SimClient::act() {
  const base::TimePoint now = world_.clock->now();
  const auto is_due = [now](const std::optional<base::TimePoint>& time) {
    return time && *time <= now;
  };
  if (is_due(connect_at_)) connect();
  if (is_due(stall_at_)) {
    stall_at_.reset();
    peer_->stall_writes(true);
  }
  if (is_due(read_again_at_)) {
    read_again_at_.reset();
    peer_->stall_writes(false);
  }
  while (!pieces_.empty() && pieces_.front().when <= now) send_piece();
  if (is_due(end_at_)) end();
}

void SimClient::connect() {
  connect_at_.reset();
  const base::TimePoint now = world_.clock->now();
  peer_ = &world_.listener->connect();
  last_answer_ = now;
  if (!peer_->is_open()) {
    was_refused_ = true;
    is_done_ = true;
    closed_at_ = now;
    expect(world_.facts->accepting_ended.has_value(), "S47", "A connection was refused too early");
    return;
  }
  if (plan_.end != ClientEnd::kStays) end_at_ = now + plan_.end_after;
  if (plan_.stall_after) {
    stall_at_ = now + *plan_.stall_after;
    read_again_at_ = *stall_at_ + plan_.stall_for;
  }
  const std::size_t count = plan_.pipelines ? plan_.asks.size() : 1;
  for (std::size_t ask = 0; ask < count; ++ask)
    plan_pieces(ask, pieces_.empty() ? now : pieces_.back().when);
}

void SimClient::plan_pieces(std::size_t ask, base::TimePoint from) {
  const std::string& bytes = plan_.asks[ask].bytes;
  const std::size_t head_end = bytes.find("\r\n\r\n") + 3;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size =
        plan_.piece_max == 0 ? bytes.size() : 1 + random_.below(plan_.piece_max);
    const std::size_t end = std::min(at + size, bytes.size());
    pieces_.push_back({.when = from,
                       .bytes = bytes.substr(at, end - at),
                       .ask = ask,
                       .has_head_end = at <= head_end && head_end < end,
                       .is_last = end == bytes.size()});
    from += plan_.piece_gap;
    at = end;
  }
}

void SimClient::send_piece() {
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  const base::TimePoint now = world_.clock->now();
  if (piece.has_head_end) states_[piece.ask].head_at = now;
  if (piece.is_last) states_[piece.ask].sent_at = now;
  peer_->deliver(std::move(piece.bytes));
}

void SimClient::end() {
  end_at_.reset();
  pieces_.clear();
  is_done_ = true;
  if (plan_.end == ClientEnd::kResets) peer_->reset();
  if (plan_.end == ClientEnd::kHalfCloses) peer_->half_close();
}

void SimClient::look() {
  if (peer_ == nullptr || closed_at_ || peer_->is_open()) return;
  closed_at_ = world_.clock->now();
  pieces_.clear();
  is_done_ = true;
}

void SimClient::on_receive() {
  parser_.add(peer_->take_received());
  while (auto reply = parser_.take()) take(*reply);
  expect(parser_.problem().empty(), "S7", "A client cannot read a reply: " + parser_.problem());
}

void SimClient::take(const Reply& reply) {
  const base::TimePoint now = world_.clock->now();
  log_hash_ = mix(log_hash_ + static_cast<std::uint64_t>(reply.status),
                  static_cast<std::uint64_t>(now.time_since_epoch().count()));
  expect(!saw_close_, "S6", "There is a reply after the one that said it is the last");
  saw_close_ = reply.closes;
  const bool is_asked_for = next_answer_ < states_.size() &&
                            (states_[next_answer_].head_at || !pieces_.empty() || is_done_);
  if (!is_asked_for) {
    expect(false, "S7", base::format("A reply that nobody asked for, status {}", reply.status));
    return;
  }
  const std::size_t index = next_answer_++;
  const Ask& ask = plan_.asks[index];
  AskState& state = states_[index];
  state.answered_at = now;
  judge_while_draining(state, reply);
  if (reply.status == kRequestTimeout) {
    expect(plan_.piece_gap > base::Duration(0), "S7", name(index) + " was quick, and got 408");
  } else if (ask.kind == AskKind::kRank) {
    judge_rank(index, reply.status, reply);
  } else if (ask.kind == AskKind::kBatch && reply.status == 200) {
    judge_batch(index, reply.body, true);
  } else {
    judge_page(index, reply);
  }
  if (ask.is_last)
    expect(reply.closes, "S7", name(index) + " asked for the end and did not get it");
  last_answer_ = now;
  if (!plan_.pipelines && !is_done_ && !reply.closes && next_answer_ < plan_.asks.size())
    plan_pieces(next_answer_, now + plan_.think);
}

void SimClient::judge_while_draining(const AskState& state, const Reply& reply) {
  const auto& announced = world_.facts->drain_announced;
  if (announced && state.head_at && *state.head_at > *announced)
    expect(reply.closes, "S47", "A reply does not say that the server is about to end");
}

void SimClient::judge_page(std::size_t index, const Reply& reply) {
  const Ask& ask = plan_.asks[index];
  const ServerFacts& facts = *world_.facts;
  if (ask.kind != AskKind::kBadHead) {
    expect(reply.request_id == base::format("r{}", ask.user),
           "S7",
           base::format("{} got the answer of {}", name(index), reply.request_id));
  } else {
    expect(reply.closes, "S6", name(index) + " is malformed, and its connection goes on");
  }
  expect(std::ranges::find(ask.expected, reply.status) != ask.expected.end(),
         ask.kind == AskKind::kBadHead ? "S6" : "S7",
         base::format("{} got status {}", name(index), reply.status));
  if (ask.kind == AskKind::kReady && states_[index].head_at) {
    const bool is_before = !facts.drain_begun;
    const bool is_after = facts.drain_begun && *states_[index].head_at > *facts.drain_begun;
    if (is_before) expect(reply.status == 200, "S47", "Not ready before it was told to end");
    if (is_after) expect(reply.status == 503, "S47", "Ready although it is about to end");
  }
  if (ask.kind == AskKind::kMetrics && reply.status == 200) judge_metrics(reply.body);
}

void SimClient::judge_metrics(const std::string& page) {
  const auto received = sum_of(page, "rankd_requests_received_total");
  const double outcomes = sum_of(page, "rankd_requests_total").value_or(0);
  const double inflight = sum_of(page, "rankd_inflight").value_or(0);
  expect(inflight >= 0, "S36", "A negative number of requests is in flight");
  if (!received) return;
  expect(*received == outcomes + inflight,
         "S36",
         base::format("received {} != outcomes {} + in flight {}", *received, outcomes, inflight));
}

bool SimClient::fits_fate(const Ask& ask, std::int64_t user, int status) const {
  // A deadline may come before anything else.
  if (status == kLate) return true;
  const Fate fate = ask.plan == "quick" || world_.scenario->steady_store
                        ? Fate::kAnswers
                        : fate_of(world_.scenario->seed, user).fate;
  if (status == 200) return fate == Fate::kAnswers;
  return status == 502 && fate == Fate::kFails;
}

void SimClient::judge_rank(std::size_t index, int status, const Reply& reply) {
  const Ask& ask = plan_.asks[index];
  const AskState& state = states_[index];
  const base::TimePoint now = world_.clock->now();
  expect(reply.request_id == base::format("r{}", ask.user),
         "S7",
         base::format("{} got the answer of {}", name(index), reply.request_id));
  if (status == kBusy) {
    const bool is_busy = reply.body.find("\"busy\"") != std::string::npos;
    const bool is_draining = reply.body.find("\"draining\"") != std::string::npos;
    expect(is_busy || (is_draining && world_.facts->gave_up_at),
           "S35",
           "A refusal without its reason");
    // The loop itself takes no time here: a refusal must not wait for anything else.
    if (is_busy && state.sent_at && is_served_at_once())
      expect(now - *state.sent_at <= std::chrono::milliseconds(1),
             "S35",
             name(index) + " waited for its refusal");
    return;
  }
  expect(fits_fate(ask, ask.user, status),
         "S15",
         base::format("{} of plan {} got status {}", name(index), ask.plan, status));
  if (status == kLate) ++world_.facts->late_answers;
  if (status == 502) ++world_.facts->failed_answers;
  if (status != 200) return;
  judge_good(index, ask.user, reply.body);
  const base::Duration allowed =
      std::min(ask.deadline.value_or(world_.scenario->deadline), world_.scenario->deadline);
  if (state.head_at && !plan_.stall_after && has_place())
    expect(now <= std::max(*state.head_at, last_answer_) + allowed,
           "S18",
           name(index) + " was answered well after its deadline");
}

void SimClient::judge_good(std::size_t index, std::int64_t user, std::string_view body) {
  const Ask& ask = plan_.asks[index];
  ServerFacts& facts = *world_.facts;
  ++facts.good_answers;
  const int version = version_of(body, facts.publications);
  expect(version >= 0, "S15", name(index) + " has candidates of no version");
  // The plans in use when it began, or any that came until it was answered.
  bool may_have = false;
  for (std::size_t at = facts.publications.size(); at-- > 0;) {
    const Publication& used = facts.publications[at];
    const bool is_canary = used.canary && rank::is_in_share(user, ask.plan, 50);
    may_have |= version == (is_canary ? *used.canary : used.active);
    const auto& sent = states_[index].sent_at;
    if (ask.kind == AskKind::kRank && used.done && sent && *used.done < *sent) break;
  }
  expect(may_have,
         facts.has_canary ? "S29" : "S24",
         base::format("{} was answered by version {}", name(index), version));
  if (facts.has_canary || ask.kind != AskKind::kRank) return;
  expect(version >= last_version_,
         "S24",
         base::format("{} got version {} after {}", name(index), version, last_version_));
  last_version_ = version;
}

void SimClient::judge_batch(std::size_t index, const std::string& body, bool is_whole) {
  const Ask& ask = plan_.asks[index];
  const std::vector<std::string> lines = lines_of(body);
  std::vector<bool> seen(ask.line_count, false);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const long number = find_number(lines[at], "line").value_or(-1);
    const auto status = static_cast<int>(find_number(lines[at], "status").value_or(-1));
    const bool is_known = number >= 0 && static_cast<std::size_t>(number) < ask.line_count;
    expect(is_known, "S21", base::format("{} has a line {}", name(index), number));
    if (!is_known) return;
    const auto line = static_cast<std::size_t>(number);
    expect(!seen[line], "S21", base::format("{} has line {} twice", name(index), number));
    seen[line] = true;
    if (ask.in_input_order)
      expect(line == at, "S21", base::format("{} has line {} too early", name(index), number));
    const std::int64_t user = ask.user + number;
    expect(status != kBusy, "S22", base::format("{}: line {} did not wait", name(index), number));
    expect(fits_fate(ask, user, status),
           "S21",
           base::format("{}: line {} has status {}", name(index), number, status));
    if (status == 200) judge_good(index, user, lines[at]);
    if (status == kLate) ++world_.facts->late_answers;
    if (status == 502) ++world_.facts->failed_answers;
  }
  if (is_whole)
    expect(lines.size() == ask.line_count,
           "S23",
           base::format("{} ends after {} of {} lines", name(index), lines.size(), ask.line_count));
}

void SimClient::judge_end() {
  if (peer_ == nullptr || was_refused_) return;
  // What came of a batch that was cut off counts, too.
  if (next_answer_ < plan_.asks.size() && plan_.asks[next_answer_].kind == AskKind::kBatch)
    judge_batch(next_answer_, parser_.partial_body(), false);
  if (plan_.end != ClientEnd::kStays || plan_.stall_after) return;
  for (std::size_t index = next_answer_; index < states_.size(); ++index) {
    const AskState& state = states_[index];
    if (!state.sent_at || saw_close_) continue;
    if (closed_at_ && *state.sent_at >= *closed_at_) continue;
    // A connection that waited for a place may have to make room before it is read.
    if (!has_place()) continue;
    // In the end only ranking requests that run are still answered, not what waits behind others.
    const auto& gave_up = world_.facts->gave_up_at;
    const bool runs = index == next_answer_ && plan_.asks[index].kind == AskKind::kRank &&
                      (!gave_up || last_answer_ < *gave_up);
    if (gave_up && !runs) continue;
    expect(
        false,
        "S47",
        base::format("{} was sent at {} ms and never answered; its connection ended at {} ms, the "
                     "server accepted no more from {} ms on",
                     name(index),
                     milliseconds_of(state.sent_at),
                     milliseconds_of(closed_at_),
                     milliseconds_of(world_.facts->accepting_ended)));
  }
}

}  // namespace millrace::server_sim
