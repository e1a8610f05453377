#include "net/http_connection.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "net/address.h"
#include "net/http_message.h"
#include "net/http_reply_reader.h"
#include "net/stream.h"

namespace millrace::net {

HttpConnection::HttpConnection(loop::Loop& loop,
                               HttpConnectionOwner& owner,
                               base::Duration idle_timeout)
    : owner_(owner), idle_timeout_(idle_timeout), idle_timer_(loop, *this) {}

void HttpConnection::open(Connector& connector,
                          const Address& address,
                          const ConnectOptions& options) {
  stream_ = connector.connect(address, options, *this);
}

void HttpConnection::start(HttpCall& call,
                           std::string text,
                           std::string_view method,
                           const HttpLimits& limits) {
  MR_CHECK(call_ == nullptr);
  idle_timer_.stop();
  call_ = &call;
  reader_.begin(method, limits);
  stream_->write(std::move(text));
}

void HttpConnection::rest() {
  is_used_ = true;
  idle_timer_.start(idle_timeout_);
}

HttpCall& HttpConnection::release() {
  MR_CHECK(call_ != nullptr);
  return *std::exchange(call_, nullptr);
}

std::span<char> HttpConnection::read_space() {
  read_space_ = owner_.read_space();
  return read_space_;
}

void HttpConnection::on_read(std::size_t size) {
  // Bytes without a request belong to nothing.
  if (call_ == nullptr) return owner_.on_idle_end(*this);
  const auto progress = reader_.feed(std::string_view(read_space_.data(), size));
  if (!progress) return owner_.on_broken(*this, progress.error(), false);
  if (*progress == HttpReplyReader::Progress::kMore) return;
  owner_.on_reply(*this, reader_.take(), reader_.keeps_alive());
}

void HttpConnection::on_input_end() {
  if (call_ == nullptr) return owner_.on_idle_end(*this);
  if (!reader_.has_begun()) {
    const base::Error ended(base::ErrorCode::kUnavailable, std::string(kEndedByPeer));
    return owner_.on_broken(*this, ended, is_used_);
  }
  if (const auto ended = reader_.end(); !ended) {
    return owner_.on_broken(*this, ended.error(), false);
  }
  owner_.on_reply(*this, reader_.take(), false);
}

void HttpConnection::on_closed(const base::Status& status) {
  MR_CHECK(!status);  // both sides end in good order only after `finish`, which nobody calls here
  if (call_ == nullptr) return owner_.on_idle_end(*this);
  owner_.on_broken(*this, status.error(), is_used_ && !reader_.has_begun());
}

void HttpConnection::on_idle_timer() { owner_.on_idle_end(*this); }

}  // namespace millrace::net
