#include "net/http_connection.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "net/http_client.h"
#include "net/http_message.h"
#include "net/http_reply_reader.h"
#include "net/stream.h"

namespace millrace::net {

HttpConnection::HttpConnection(HttpClient& client)
    : client_(client), idle_timer_(client.loop_, *this) {}

void HttpConnection::open(Connector& connector) {
  stream_ = connector.connect(client_.options_.address, client_.options_.connect, *this);
}

void HttpConnection::start(HttpCall& call, std::string text) {
  MR_CHECK(call_ == nullptr);
  idle_timer_.stop();
  call_ = &call;
  reader_.begin(call.request_.method,
                {.header_bytes_max = client_.options_.header_bytes_max,
                 .body_bytes_max = call.options_.body_bytes_max});
  stream_->write(std::move(text));
}

void HttpConnection::rest() {
  is_used_ = true;
  idle_timer_.start(client_.options_.idle_timeout);
}

HttpCall& HttpConnection::release() {
  MR_CHECK(call_ != nullptr);
  return *std::exchange(call_, nullptr);
}

std::span<char> HttpConnection::read_space() { return client_.buffer_; }

void HttpConnection::on_read(std::size_t size) {
  // Nobody asked: whatever it is, it belongs to no request.
  if (call_ == nullptr) return client_.on_idle_end(*this);
  const auto progress = reader_.feed(std::string_view(client_.buffer_.data(), size));
  if (!progress) return client_.on_broken(*this, progress.error(), false);
  if (*progress == HttpReplyReader::Progress::kMore) return;
  client_.on_reply(*this, reader_.take(), reader_.keeps_alive());
}

void HttpConnection::on_input_end() {
  if (call_ == nullptr) return client_.on_idle_end(*this);
  if (!reader_.has_begun()) {
    const base::Error ended(base::ErrorCode::kUnavailable, std::string(kEndedByPeer));
    return client_.on_broken(*this, ended, is_used_);
  }
  if (const auto ended = reader_.end(); !ended) {
    return client_.on_broken(*this, ended.error(), false);
  }
  client_.on_reply(*this, reader_.take(), false);
}

void HttpConnection::on_closed(const base::Status& status) {
  MR_CHECK(!status);  // both sides end in good order only after `finish`, which nobody calls here
  if (call_ == nullptr) return client_.on_idle_end(*this);
  client_.on_broken(*this, status.error(), is_used_ && !reader_.has_begun());
}

void HttpConnection::on_idle_timer() { client_.on_idle_end(*this); }

}  // namespace millrace::net
