#include "net/fake_peer.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
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
#include "net/stream.h"

namespace millrace::net {

class FakeStream final : public Stream {
 public:
  explicit FakeStream(std::shared_ptr<FakePeer> peer) : peer_(std::move(peer)) {}
  ~FakeStream() override { close(); }

  void write(std::string bytes) override { peer_->write(std::move(bytes)); }
  [[nodiscard]] std::size_t unsent_bytes() const override { return peer_->unsent_.size(); }
  void finish() override { peer_->finish(); }
  void pause_reading() override { peer_->set_paused(true); }
  void resume_reading() override { peer_->set_paused(false); }
  void close() override { peer_->detach(); }

 private:
  // Owners: this, and the connector or listener that made the peer.
  const std::shared_ptr<FakePeer> peer_;
};

FakePeer::FakePeer(loop::Loop& loop,
                   Address address,
                   ConnectOptions options,
                   const Script& on_receive)
    : loop_(&loop),
      address_(std::move(address)),
      options_(std::move(options)),
      on_receive_(&on_receive) {}

FakePeer::~FakePeer() = default;

std::unique_ptr<Stream> FakePeer::open_stream(loop::Loop& loop, StreamListener& listener) {
  MR_CHECK(stage_ == Stage::kWithoutStream);
  stage_ = Stage::kWithStream;
  loop_ = &loop;
  listener_ = &listener;
  timers_.emplace(loop, *this);
  timers_->connect.start(options_.connect_timeout);
  if (!events_.empty()) arm();
  return std::make_unique<FakeStream>(shared_from_this());
}

void FakePeer::drop() {
  if (stage_ == Stage::kWithoutStream) detach();
}

void FakePeer::accept(base::Duration after) { push(Kind::kAccept, {}, after); }
void FakePeer::refuse(base::Duration after) { push(Kind::kRefuse, {}, after); }
void FakePeer::deliver(std::string bytes, base::Duration after) {
  push(Kind::kBytes, std::move(bytes), after);
}
void FakePeer::deliver_split(const std::string& bytes, std::size_t size, base::Duration after) {
  MR_CHECK(size > 0);
  for (std::size_t at = 0; at < bytes.size(); at += size) deliver(bytes.substr(at, size), after);
}
void FakePeer::half_close(base::Duration after) { push(Kind::kEnd, {}, after); }
void FakePeer::reset(base::Duration after) { push(Kind::kReset, {}, after); }

void FakePeer::stall_writes(bool stalled) {
  stalled_ = stalled;
  flush();
}

void FakePeer::push(Kind kind, std::string bytes, base::Duration after) {
  if (stage_ == Stage::kClosed) return;
  base::TimePoint when = loop_->clock().now() + after;
  // Nothing overtakes what was sent before.
  if (!events_.empty()) when = std::max(when, events_.back().when);
  events_.push_back({.kind = kind, .when = when, .bytes = std::move(bytes)});
  if (events_.size() == 1) arm();
}

void FakePeer::arm() {
  if (timers_) timers_->event.start_at(events_.front().when);
}

void FakePeer::on_event() {
  if (events_.empty()) return;
  const Kind next = events_.front().kind;
  // `set_paused` arms the timer again.
  if (paused_ && (next == Kind::kBytes || next == Kind::kEnd)) return;
  Event event = std::move(events_.front());
  events_.pop_front();
  if (!events_.empty()) arm();
  switch (event.kind) {
    case Kind::kAccept:
      if (std::exchange(connected_, true)) return;
      timers_->connect.stop();
      flush();
      return listener_->on_connected();
    case Kind::kRefuse:
      return close_with(
          broken(base::ErrorCode::kUnavailable, "Cannot connect: connection refused"));
    case Kind::kBytes:
      return play_bytes(std::move(event.bytes));
    case Kind::kEnd:
      return play_end();
    case Kind::kReset:
      return close_with(
          broken(base::ErrorCode::kUnavailable, "Connection lost: connection reset by peer"));
  }
}

void FakePeer::play_bytes(std::string bytes) {
  MR_CHECK(connected_);
  MR_CHECK(!input_ended_);
  if (bytes.empty()) return;
  const std::span<char> space = listener_->read_space();
  MR_CHECK(!space.empty());
  const std::size_t size = std::min(space.size(), bytes.size());
  std::memcpy(space.data(), bytes.data(), size);
  if (size < bytes.size()) {
    events_.push_front(
        {.kind = Kind::kBytes, .when = loop_->clock().now(), .bytes = bytes.substr(size)});
    arm();
  }
  listener_->on_read(size);
}

void FakePeer::play_end() {
  if (std::exchange(input_ended_, true)) return;
  if (saw_end_) timers_->notice.start({});
  listener_->on_input_end();
}

void FakePeer::on_connect_timeout() {
  close_with(broken(base::ErrorCode::kTimeout, "Cannot connect in time"));
}

void FakePeer::on_notice() {
  const bool both_ended = input_ended_ && saw_end_;
  if (std::exchange(owes_drained_, false) && unsent_.empty()) {
    if (both_ended) timers_->notice.start({});
    return listener_->on_drained();
  }
  if (both_ended) close_with({});
}

void FakePeer::write(std::string bytes) {
  if (stage_ != Stage::kWithStream || finishing_ || bytes.empty()) return;
  unsent_ += bytes;
  flush();
  if (!unsent_.empty()) owes_drained_ = true;
}

void FakePeer::finish() {
  if (stage_ != Stage::kWithStream || std::exchange(finishing_, true)) return;
  flush();
}

void FakePeer::set_paused(bool paused) {
  paused_ = paused;
  if (!paused && !events_.empty()) arm();
}

void FakePeer::flush() {
  if (!connected_ || stalled_ || stage_ != Stage::kWithStream || saw_end_) return;
  if (unsent_.empty() && !finishing_) return;
  if (!unsent_.empty()) {
    received_ += std::exchange(unsent_, {});
    ++write_count_;
  }
  saw_end_ = finishing_;
  if (owes_drained_ || (saw_end_ && input_ended_)) timers_->notice.start({});
  if (*on_receive_) (*on_receive_)(*this);
}

base::Status FakePeer::broken(base::ErrorCode code, std::string_view message) const {
  return base::fail(code, std::string(message), to_string(address_));
}

void FakePeer::close_with(const base::Status& status) {
  StreamListener& listener = *listener_;
  detach();
  listener.on_closed(status);
}

void FakePeer::detach() {
  stage_ = Stage::kClosed;
  listener_ = nullptr;
  events_.clear();
  unsent_.clear();
  timers_.reset();
}

}  // namespace millrace::net
