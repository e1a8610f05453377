// How a connection sends its replies; http_server_connection.cpp has the rest.

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http/gzip_job.h"
#include "net/http/http_coding.h"
#include "net/http/http_handler.h"
#include "net/http/http_reply_writer.h"
#include "net/http/http_server_connection.h"
#include "net/http/http_server_context.h"
#include "net/http/http_server_settings.h"

namespace millrace::net {
namespace {

/// Room for the head of a reply, besides its fields.
constexpr std::size_t kHeadRoom = 256;
constexpr HttpRefusal kNoMemoryForReply{503, "There is no memory for the answer now."};

bool has_no_body(int status) { return status < 200 || status == 204 || status == 304; }

}  // namespace

std::size_t HttpServerConnection::unsent_bytes() const {
  return stream_->unsent_bytes() + out_.size();
}

bool HttpServerConnection::wants_gzip(int status, std::string_view body) const {
  return body.size() >= context_.settings.gzip_bytes_min && !has_no_body(status) &&
         !reply_fields_.find("content-encoding") && accepts_gzip(head_->fields);
}

void HttpServerConnection::decide_end() {
  closes_ = closes_ || context_.closes_connections;
  if (body_done_ || reader_.body_length() == 0) return;
  // The rest of the body is dropped if it is known to be short. A client that waits for
  // "100 Continue" may send its body or not, so nothing can follow.
  const std::optional<std::uint64_t> length = reader_.body_length();
  if (expects_continue_ || !length || *length > kHttpLingerBytesMax) closes_ = true;
}

void HttpServerConnection::append_head(int status,
                                       HttpBodyFraming framing,
                                       std::size_t body_bytes) {
  const bool is_old = head_ != nullptr && head_->version.minor == 0;
  append_reply_head(out_,
                    {.status = status,
                     .framing = has_no_body(status) ? HttpBodyFraming::kNone : framing,
                     .body_bytes = body_bytes,
                     .closes = closes_,
                     .says_keep_alive = is_old,
                     .date = context_.date_now()},
                    reply_fields_);
}

bool HttpServerConnection::reply(int status, std::string_view body) {
  MR_CHECK(phase_ == Phase::kExchange);
  MR_CHECK(reply_ == Reply::kNone);
  if (body.size() >= context_.settings.gzip_bytes_min) reply_fields_.add("Vary", "Accept-Encoding");
  if (!wants_gzip(status, body)) return write_reply(status, body);
  if (context_.gzip_workers == nullptr || body.size() <= context_.settings.gzip_on_loop_bytes_max) {
    if (!context_.deflater) context_.deflater.emplace();
    std::string packed;
    context_.deflater->deflate(body, packed);
    reply_fields_.add("Content-Encoding", "gzip");
    return write_reply(status, packed);
  }
  try {
    gzip_job_ = GzipJob::start(*context_.gzip_workers, context_.loop, std::string(body), *this);
  } catch (const std::bad_alloc&) {
    return write_reply(status, body);
  }
  reply_ = Reply::kPacking;
  receiver_ = nullptr;
  packed_status_ = status;
  return true;
}

void HttpServerConnection::on_packed(std::string body, bool is_packed) {
  gzip_job_ = nullptr;
  if (is_packed) reply_fields_.add("Content-Encoding", "gzip");
  decide_end();
  append_head(packed_status_, HttpBodyFraming::kLength, body.size());
  // The handler was told that there is memory for this reply: the body leaves as it is, without a
  // copy that needs more.
  if (sends_body(packed_status_)) {
    flush();
    send(std::move(body));
  }
  reply_ = Reply::kComplete;
  after_reply();
}

bool HttpServerConnection::sends_body(int status) const {
  return !has_no_body(status) && head_->method != "HEAD";
}

bool HttpServerConnection::write_reply(int status, std::string_view body) {
  decide_end();
  const bool has_room = make_room(body.size());
  if (has_room) {
    append_head(status, HttpBodyFraming::kLength, body.size());
    if (sends_body(status)) out_ += body;
  } else {
    refuse_for_memory();
  }
  reply_ = Reply::kComplete;
  after_reply();
  return has_room;
}

bool HttpServerConnection::make_room(std::size_t body_bytes) {
  try {
    out_.reserve(out_.size() + kHeadRoom + reply_fields_.text_bytes() + body_bytes);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void HttpServerConnection::refuse_for_memory() {
  context_.cells.refused.add();
  closes_ = true;
  reply_fields_.clear();
  std::string body;
  handler_.describe_refusal(kNoMemoryForReply, this, reply_fields_, body);
  append_head(kNoMemoryForReply.status, HttpBodyFraming::kLength, body.size());
  if (head_->method != "HEAD") out_ += body;
}

void HttpServerConnection::begin(int status) {
  MR_CHECK(phase_ == Phase::kExchange);
  MR_CHECK(reply_ == Reply::kNone);
  closes_ = closes_ || context_.closes_connections;
  has_chunked_reply_ = head_->version.minor > 0;
  if (!has_chunked_reply_) closes_ = true;
  append_head(
      status, has_chunked_reply_ ? HttpBodyFraming::kChunks : HttpBodyFraming::kUntilEnd, 0);
  reply_ = Reply::kBegun;
  if (!in_process_) flush();
}

void HttpServerConnection::write(std::string_view piece) {
  MR_CHECK(reply_ == Reply::kBegun);
  if (head_->method == "HEAD") return;
  if (has_chunked_reply_) {
    append_chunk(out_, piece);
  } else {
    out_ += piece;
  }
  if (!in_process_) flush();
}

void HttpServerConnection::finish() {
  MR_CHECK(reply_ == Reply::kBegun);
  if (has_chunked_reply_ && head_->method != "HEAD") out_ += kLastChunk;
  if (!body_done_ && reader_.body_length() != 0) closes_ = true;
  reply_ = Reply::kComplete;
  after_reply();
}

void HttpServerConnection::abort() {
  MR_CHECK(reply_ == Reply::kBegun);
  receiver_ = nullptr;
  close();
}

void HttpServerConnection::after_reply() {
  receiver_ = nullptr;
  if (!body_done_) replied_at_ = context_.now();
  if (in_process_) return;
  if (is_exchange_over()) end_exchange();
  flush();
  if (phase_ != Phase::kClosed && phase_ != Phase::kLinger) settle();
}

}  // namespace millrace::net
