#include "net/fake_connector.h"

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
#include "loop/loop.h"
#include "net/address.h"
#include "net/stream.h"

namespace millrace::net {

class FakeStream final : public Stream {
 public:
  FakeStream(std::shared_ptr<FakePeer> peer, StreamListener& with_listener)
      : listener(with_listener), peer_(std::move(peer)) {
    peer_->stream_ = this;
  }
  ~FakeStream() override { close(); }

  void write(std::string bytes) override {
    if (peer_->stream_ != this || bytes.empty()) return;
    peer_->unsent_ += bytes;
    peer_->flush();
  }
  [[nodiscard]] std::size_t unsent_bytes() const override { return peer_->unsent_.size(); }
  void close() override {
    if (peer_->stream_ == this) peer_->detach();
  }

  StreamListener& listener;

 private:
  // Owners: this and the connector.
  std::shared_ptr<FakePeer> peer_;
};

void FakePeer::on_connect_timeout() { end(base::ErrorCode::kTimeout, "Cannot connect in time"); }

FakePeer::FakePeer(loop::Loop& loop, Address address, ConnectOptions options)
    : loop_(loop),
      address_(std::move(address)),
      options_(std::move(options)),
      event_timer_(loop, *this),
      connect_timer_(loop, *this) {
  connect_timer_.start(options_.connect_timeout);
}

FakePeer::~FakePeer() { detach(); }

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
  if (stream_ == nullptr) return;
  base::TimePoint when = loop_.clock().now() + after;
  // A stream keeps its order: nothing overtakes what was sent before.
  if (!events_.empty()) when = std::max(when, events_.back().when);
  events_.push_back({.kind = kind, .when = when, .bytes = std::move(bytes)});
  if (events_.size() == 1) arm();
}

void FakePeer::arm() { event_timer_.start_at(events_.front().when); }

void FakePeer::play_next() {
  Event event = std::move(events_.front());
  events_.pop_front();
  if (!events_.empty()) arm();
  switch (event.kind) {
    case Kind::kAccept:
      if (std::exchange(connected_, true)) return;
      connect_timer_.stop();
      flush();
      return stream_->listener.on_connected();
    case Kind::kRefuse:
      return end(base::ErrorCode::kUnavailable, "Cannot connect: connection refused");
    case Kind::kBytes:
      return play_bytes(std::move(event.bytes));
    case Kind::kEnd:
      return end(base::ErrorCode::kUnavailable, kEndedByPeer);
    case Kind::kReset:
      return end(base::ErrorCode::kUnavailable, "Connection lost: connection reset by peer");
  }
}

void FakePeer::play_bytes(std::string bytes) {
  MR_CHECK(connected_);
  if (bytes.empty()) return;
  const std::span<char> space = stream_->listener.read_space();
  MR_CHECK(!space.empty());
  const std::size_t size = std::min(space.size(), bytes.size());
  std::memcpy(space.data(), bytes.data(), size);
  if (size < bytes.size()) {
    events_.push_front(
        {.kind = Kind::kBytes, .when = loop_.clock().now(), .bytes = bytes.substr(size)});
    arm();
  }
  stream_->listener.on_read(size);
}

void FakePeer::flush() {
  if (!connected_ || stalled_ || unsent_.empty()) return;
  received_ += std::exchange(unsent_, {});
  ++write_count_;
  if (on_receive_ != nullptr && *on_receive_) (*on_receive_)(*this);
}

void FakePeer::end(base::ErrorCode code, std::string_view message) {
  StreamListener& listener = stream_->listener;
  detach();
  listener.on_closed(base::Error(code, std::string(message), to_string(address_)));
}

void FakePeer::detach() {
  stream_ = nullptr;
  events_.clear();
  unsent_.clear();
  event_timer_.stop();
  connect_timer_.stop();
}

std::unique_ptr<Stream> FakeConnector::connect(const Address& address,
                                               const ConnectOptions& options,
                                               StreamListener& listener) {
  const auto& peer = peers_.emplace_back(std::make_shared<FakePeer>(loop_, address, options));
  peer->on_receive_ = &on_receive;
  auto stream = std::make_unique<FakeStream>(peer, listener);
  if (on_connect) {
    on_connect(*peer);
  } else {
    peer->accept();
  }
  return stream;
}

std::size_t FakeConnector::open_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(peers_, [](const auto& peer) { return peer->is_open(); }));
}

}  // namespace millrace::net
