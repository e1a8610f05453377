#include "net/http/http_server_connection.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/result.h"
#include "net/http/gzip_job.h"
#include "net/http/http_body_reader.h"
#include "net/http/http_coding.h"
#include "net/http/http_handler.h"
#include "net/http/http_reply_writer.h"
#include "net/http/http_request_reader.h"
#include "net/http/http_server_context.h"
#include "net/http/http_server_settings.h"
#include "net/http/http_target.h"
#include "net/http/http_wait_list.h"
#include "net/http_head.h"
#include "net/listener.h"
#include "net/stream.h"

namespace millrace::net {
namespace {

using Event = HttpRequestReader::Event;

constexpr HttpRefusal kHeadTooSlow{408, "The head of the request took too long to arrive."};
constexpr HttpRefusal kBodyTooSlow{408, "The body of the request took too long to arrive."};
constexpr HttpRefusal kNoMemoryForBody{503, "There is no memory for the body of the request now."};
constexpr HttpRefusal kUnknownContentCoding{415, "The body may be plain or in gzip."};
constexpr HttpRefusal kUnknownExpectation{417, "Only 100-continue may be expected."};

/// Memory above this is given back between two requests, so that idle connections stay small.
constexpr std::size_t kKeptBytes = 2048;
/// So many checks without progress, and a client is taken for stalled.
constexpr int kStalledChecksMax = 4;
void release_if_large(std::string& text) {
  text.clear();
  if (text.capacity() > kKeptBytes) text = {};
}

}  // namespace

HttpServerConnection::HttpServerConnection(HttpServerContext& context, HttpHandler& handler)
    : context_(context), handler_(handler), reader_(context.settings.limits) {}

HttpServerConnection::~HttpServerConnection() {
  if (gzip_job_ != nullptr) gzip_job_->forget();
}

void HttpServerConnection::start(Incoming& incoming) {
  peer_ = incoming.peer();
  stream_ = incoming.adopt(context_.loop, *this);
}

// --- what the stream says -------------------------------------------------------------------

void HttpServerConnection::on_connected() {
  phase_ = Phase::kIdle;
  settle();
}

std::span<char> HttpServerConnection::read_space() {
  const std::size_t room = kHttpAheadBytesMax - std::min(kHttpAheadBytesMax - 1, ahead_.size());
  return std::span(context_.read_buffer).first(std::min(context_.read_buffer.size(), room));
}

void HttpServerConnection::on_read(std::size_t size) {
  context_.cells.bytes_in.add(size);
  const std::string_view bytes(context_.read_buffer.data(), size);
  if (phase_ == Phase::kLinger) {
    dropped_bytes_ += size;
    if (dropped_bytes_ > kHttpLingerBytesMax) close();
    return;
  }
  if (ahead_.empty() && !is_blocked()) return process(bytes);
  ahead_ += bytes;
  wait_for_input();
}

void HttpServerConnection::on_input_end() {
  input_ended_ = true;
  settle_after_input_end();
}

void HttpServerConnection::on_drained() {
  context_.stop_waiting(write_link_);
  stalled_checks_ = 0;
  if (phase_ == Phase::kLinger)
    return context_.wait(phase_link_, HttpWait::kLinger, context_.now());
  if (phase_ == Phase::kExchange && reply_ == Reply::kBegun && receiver_ != nullptr) {
    return receiver_->on_drained();
  }
  if (!ahead_.empty()) context_.schedule(*this);
}

void HttpServerConnection::on_closed(const base::Status& /*status*/) { give_up(); }

void HttpServerConnection::on_wait_over(HttpWait wait) {
  switch (wait) {
    case HttpWait::kFresh:
      return context_.wait(phase_link_, HttpWait::kIdle, context_.now());
    case HttpWait::kHead:
      return phase_ == Phase::kIdle ? close() : refuse(kHeadTooSlow);
    case HttpWait::kBody:
      return refuse(kBodyTooSlow);
    case HttpWait::kIdle:
    case HttpWait::kLinger:
      return close();
    case HttpWait::kWrite:
      break;
  }
  const std::size_t unsent = stream_->unsent_bytes();
  stalled_checks_ = unsent < unsent_before_ ? 0 : stalled_checks_ + 1;
  if (stalled_checks_ >= kStalledChecksMax) return give_up();
  watch_writes(context_.now());
}

// --- reading --------------------------------------------------------------------------------

bool HttpServerConnection::is_blocked() const {
  if (phase_ == Phase::kExchange) return body_done_ && reply_ != Reply::kComplete;
  return stream_->unsent_bytes() + out_.size() > kHttpUnsentBytesMax;
}

void HttpServerConnection::resume() {
  if (phase_ == Phase::kClosed || phase_ == Phase::kLinger) return;
  const std::string bytes = std::exchange(ahead_, {});
  process(bytes);
}

void HttpServerConnection::process(std::string_view bytes) {
  in_process_ = true;
  now_ = context_.now();
  context_.begin_work(now_);
  const std::size_t consumed = process_some(bytes);
  in_process_ = false;
  flush();
  if (phase_ == Phase::kClosed || phase_ == Phase::kLinger) return;
  ahead_ += bytes.substr(consumed);
  settle();
}

std::size_t HttpServerConnection::process_some(std::string_view bytes) {
  std::size_t consumed = 0;
  int begun_count = 0;
  while (true) {
    if (phase_ == Phase::kExchange && is_exchange_over()) end_exchange();
    if (phase_ == Phase::kClosed || phase_ == Phase::kLinger || is_blocked()) return consumed;
    if (phase_ != Phase::kExchange && consumed < bytes.size() && !reader_.has_begun()) {
      // One reading of the clock serves all parts of a request that come together.
      if (begun_count > 0) now_ = context_.now();
      if (begun_count > 0 && context_.is_turn_spent(now_)) return consumed;
      if (begun_count++ == kHttpRequestsPerTurnMax) return consumed;
      times_.first_byte = now_;
    }
    const auto step = reader_.next(bytes.substr(consumed));
    consumed += step.consumed;
    switch (step.event) {
      case Event::kNeedMore:
        return consumed;
      case Event::kHead:
        on_head_complete();
        break;
      case Event::kBody:
        on_piece(step.piece);
        break;
      case Event::kComplete:
        on_request_complete();
        break;
      case Event::kRefused:
        refuse(reader_.refusal());
        break;
    }
  }
}

void HttpServerConnection::on_head_complete() {
  context_.cells.requests.add();
  has_asked_ = true;
  phase_ = Phase::kExchange;
  reply_ = Reply::kNone;
  body_done_ = false;
  receiver_ = nullptr;
  head_ = &reader_.head();
  target_ = split_http_target(head_->target);
  times_.head_end = now_;
  times_.body_end = {};
  closes_ = !reader_.keeps_alive();
  const auto expectation = head_->fields.find("expect");
  expects_continue_ = expectation && head_->version.minor > 0 && reader_.body_length() != 0;
  if (expectation && head_->version.minor > 0 &&
      (!equal_ignoring_case(*expectation, "100-continue") || head_->fields.count("expect") > 1)) {
    return refuse(kUnknownExpectation);
  }
  handler_.on_request(*this);
  if (phase_ != Phase::kExchange || reply_ == Reply::kComplete || reply_ == Reply::kPacking) return;
  MR_CHECK(receiver_ != nullptr);
  if (!accept_body() || !expects_continue_) return;
  expects_continue_ = false;
  if (reply_ == Reply::kNone) out_ += kContinueReply;
}

void HttpServerConnection::receive(HttpReceiver& receiver, const HttpBodyWish& wish) {
  MR_CHECK(phase_ == Phase::kExchange);
  MR_CHECK(receiver_ == nullptr);
  receiver_ = &receiver;
  wish_ = wish;
}

bool HttpServerConnection::accept_body() {
  const std::optional<std::uint64_t> length = reader_.body_length();
  if (length == 0) {
    body_reader_.begin(HttpContentCoding::kIdentity, 0);
    return true;
  }
  const HttpContentCoding coding = http_content_coding(head_->fields);
  if (coding == HttpContentCoding::kUnknown) {
    refuse(kUnknownContentCoding);
    return false;
  }
  if (length && *length > wish_.bytes_max) {
    refuse(HttpBodyReader::kTooLarge);
    return false;
  }
  body_reader_.begin(coding, wish_.bytes_max);
  return true;
}

void HttpServerConnection::on_piece(std::string_view piece) {
  if (reply_ == Reply::kComplete || reply_ == Reply::kPacking) {
    dropped_bytes_ += piece.size();
    return;
  }
  const HttpRefusal* reason = &kNoMemoryForBody;
  // A body may be larger than the memory that is left; other connections must not end with it.
  try {
    reason = body_reader_.take(piece, [this](std::string_view plain) { return deliver(plain); });
  } catch (const std::bad_alloc&) {
    body_ = {};
  }
  if (reason != nullptr) refuse(*reason);
}

bool HttpServerConnection::deliver(std::string_view piece) {
  if (!wish_.in_pieces) {
    body_ += piece;
    return true;
  }
  receiver_->on_body_piece(piece);
  return phase_ == Phase::kExchange && receiver_ != nullptr;
}

void HttpServerConnection::on_request_complete() {
  body_done_ = true;
  times_.body_end = now_;
  if (reply_ == Reply::kComplete || reply_ == Reply::kPacking) return;
  if (const HttpRefusal* reason = body_reader_.check_complete()) return refuse(*reason);
  receiver_->on_body_end(body_);
}

bool HttpServerConnection::is_exchange_over() const {
  return reply_ == Reply::kComplete && (body_done_ || closes_);
}

void HttpServerConnection::end_exchange() {
  reply_fields_.clear();
  release_if_large(body_);
  body_reader_.end();
  dropped_bytes_ = 0;
  if (closes_) return linger();
  if (head_->target.size() + head_->fields.text_bytes() > kKeptBytes) reader_.release_memory();
  reader_.begin();
  phase_ = Phase::kIdle;
}

void HttpServerConnection::settle() {
  if (phase_ == Phase::kExchange && body_done_) {
    context_.stop_waiting(phase_link_);
  } else if (phase_ == Phase::kExchange) {
    const bool drops = reply_ == Reply::kComplete;
    context_.wait(phase_link_,
                  drops ? HttpWait::kLinger : HttpWait::kBody,
                  drops ? replied_at_ : times_.head_end);
  } else if (!reader_.has_begun() && !ahead_.empty() && !is_blocked()) {
    // The next request has come; it waits for its turn, not for the client.
    phase_ = Phase::kIdle;
    context_.stop_waiting(phase_link_);
  } else {
    phase_ = reader_.has_begun() ? Phase::kHead : Phase::kIdle;
    const bool has_begun = phase_ == Phase::kHead;
    const bool is_hurried = has_begun || context_.closes_idle;
    const HttpWait patient = has_asked_ ? HttpWait::kIdle : HttpWait::kFresh;
    context_.wait(phase_link_,
                  is_hurried ? HttpWait::kHead : patient,
                  has_begun ? times_.first_byte : context_.now());
  }
  wait_for_input();
  if (!ahead_.empty() && !is_blocked()) context_.schedule(*this);
  if (input_ended_) settle_after_input_end();
}

void HttpServerConnection::wait_for_input() {
  const bool is_full = ahead_.size() >= kHttpAheadBytesMax;
  if (is_full == reading_paused_) return;
  reading_paused_ = is_full;
  is_full ? stream_->pause_reading() : stream_->resume_reading();
}

void HttpServerConnection::settle_after_input_end() {
  if (phase_ == Phase::kClosed || phase_ == Phase::kLinger) return;
  if (!ahead_.empty() && !is_blocked()) return;  // `resume` comes first
  if (phase_ != Phase::kExchange) {
    if (ahead_.empty()) linger();
    return;
  }
  if (reply_ == Reply::kComplete) return linger();
  // Without its end a request cannot be answered.
  if (!body_done_ || context_.settings.abort_on_half_close) give_up();
}

// --- ending ---------------------------------------------------------------------------------

void HttpServerConnection::refuse(const HttpRefusal& refusal) {
  context_.cells.refused.add();
  HttpReceiver* const receiver = std::exchange(receiver_, nullptr);
  const bool in_exchange = phase_ == Phase::kExchange;
  const Reply reply_before = in_exchange ? std::exchange(reply_, Reply::kComplete) : Reply::kNone;
  if (reply_before == Reply::kBegun || reply_before == Reply::kPacking) {
    close();
  } else {
    if (reply_before == Reply::kNone) {
      closes_ = true;
      if (!in_exchange) head_ = nullptr;
      reply_fields_.clear();
      std::string body;
      handler_.describe_refusal(refusal, in_exchange ? this : nullptr, reply_fields_, body);
      append_head(refusal.status, HttpBodyFraming::kLength, body.size());
      if (head_ == nullptr || head_->method != "HEAD") out_ += body;
    }
    linger();
  }
  if (receiver != nullptr) receiver->on_gone(refusal.status);
}

void HttpServerConnection::give_up() {
  if (phase_ == Phase::kExchange && reply_ != Reply::kComplete) context_.cells.gone.add();
  close();
}

void HttpServerConnection::linger() {
  phase_ = Phase::kLinger;
  context_.stop_waiting(phase_link_);
  ahead_ = {};
  dropped_bytes_ = 0;
  flush();
  stream_->finish();
  if (std::exchange(reading_paused_, false)) stream_->resume_reading();
  // While bytes wait for the client, its pace counts; see `on_drained`.
  if (stream_->unsent_bytes() == 0) context_.wait(phase_link_, HttpWait::kLinger, context_.now());
}

void HttpServerConnection::close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  context_.stop_waiting(phase_link_);
  context_.stop_waiting(write_link_);
  if (gzip_job_ != nullptr) std::exchange(gzip_job_, nullptr)->forget();
  stream_->close();
  context_.retire(*this);
  if (receiver_ != nullptr) std::exchange(receiver_, nullptr)->on_gone(kHttpClientGone);
}

void HttpServerConnection::flush() {
  if (!out_.empty()) send(std::exchange(out_, {}));
}

void HttpServerConnection::send(std::string bytes) {
  if (phase_ == Phase::kClosed) return;
  context_.cells.bytes_out.add(bytes.size());
  stream_->write(std::move(bytes));
  if (stream_->unsent_bytes() > 0 && write_link_.list() == nullptr) watch_writes(context_.now());
}

void HttpServerConnection::watch_writes(base::TimePoint now) {
  unsent_before_ = stream_->unsent_bytes();
  context_.wait(write_link_, HttpWait::kWrite, now);
}

}  // namespace millrace::net
