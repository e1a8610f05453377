#include "stores/redis/redis_connection.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"
#include "loop/loop.h"
#include "net/address.h"
#include "stores/redis/protocol/command_writer.h"
#include "stores/redis/protocol/resp_reader.h"
#include "stores/redis/protocol/resp_value.h"
#include "stores/redis/redis_call.h"

namespace millrace::stores {

using base::ErrorCode;

RedisConnection::RedisConnection(Services services,
                                 const PoolSettings& settings,
                                 ConnectionOwner& owner)
    : services_(services),
      settings_(settings),
      owner_(owner),
      greeting_(settings.greeting),
      backoff_(settings.backoff, services.random),
      flush_job_(services.loop, *this),
      timer_(services.loop, *this) {}

RedisConnection::~RedisConnection() = default;

void RedisConnection::open() {
  if (state_ == State::kIdle) connect();
}

void RedisConnection::connect() {
  state_ = State::kGreeting;
  reader_ = {};
  received_.clear();
  trees_ = {};
  pushes_ = {};
  out_.clear();
  stream_ = services_.connector.connect(settings_.address, settings_.connect, *this);
}

void RedisConnection::on_connected() {
  timer_.start(settings_.connect.connect_timeout);
  stream_->write(greeting_.start());
}

void RedisConnection::greet(RespValue reply) {
  base::Result<std::string> next = greeting_.take(reply);
  if (!next) return give_up(next.error());
  if (!next->empty()) stream_->write(*std::move(next));
  if (!greeting_.is_done()) return;
  timer_.stop();
  attempts_failed_ = 0;
  backoff_.reset();
  state_ = State::kUp;
  owner_.on_up(*this);
  has_failed_ = false;
}

void RedisConnection::send(RedisCall& call, base::TimePoint now) {
  MR_CHECK(state_ == State::kUp);
  call.stage_ = RedisCall::Stage::kSent;
  call.connection_ = this;
  call.place_ = first_place_ + in_flight_.size();
  in_flight_.push_back({.call = &call, .left = call.command_count_, .at = now});
  commands_in_flight_ += call.command_count_;
  CommandWriter writer(out_);
  call.encode(writer);
  flush_job_.post();
}

void RedisConnection::withdraw(RedisCall& call) {
  MR_CHECK(call.connection_ == this);
  in_flight_[call.place_ - first_place_].call = nullptr;
  call.stage_ = RedisCall::Stage::kIdle;
}

void RedisConnection::flush() {
  if (out_.empty() || state_ != State::kUp) return;
  services_.cells.writes.add();
  const std::size_t size = out_.size();
  stream_->write(std::exchange(out_, {}));
  // Reserve as much as this turn needed: the next one will need about the same.
  out_.reserve(size);
}

std::span<char> RedisConnection::read_space() { return received_.space(reader_.bytes_wanted()); }

void RedisConnection::on_read(std::size_t size) {
  received_.filled(size);
  last_received_ = services_.loop.clock().now();
  base::Status read;
  if (state_ == State::kGreeting) read = read_greeting();
  if (read && state_ == State::kUp) read = read_replies();
  if (!read) return give_up(read.error());
  owner_.on_read_end();
}

base::Status RedisConnection::read_greeting() {
  while (state_ == State::kGreeting) {
    const RespReader::Step step = reader_.read(received_.unread(), trees_, pushes_);
    received_.consume(step.consumed);
    if (step.status == ReadStatus::kWanting) return {};
    if (step.status == ReadStatus::kBroken) {
      return base::fail(ErrorCode::kUnavailable,
                        "The peer does not speak the Redis protocol: " +
                            std::string(reader_.problem()) + ": " + to_string(settings_.address));
    }
    if (step.status == ReadStatus::kReply) greet(std::exchange(trees_.values, {}).front());
    pushes_.values.clear();
  }
  return {};
}

base::Status RedisConnection::read_replies() {
  while (state_ == State::kUp) {
    RedisCall* const call = in_flight_.empty() ? nullptr : in_flight_.front().call;
    ReplySink& sink = call != nullptr ? static_cast<ReplySink&>(*call) : discard_;
    const RespReader::Step step = reader_.read(received_.unread(), sink, pushes_);
    if (call != nullptr && step.consumed != 0) call->keep(received_.block());
    received_.consume(step.consumed);
    switch (step.status) {
      case ReadStatus::kWanting:
        return {};
      case ReadStatus::kBroken:
        return base::fail(ErrorCode::kUnavailable,
                          "The store broke the protocol: " + std::string(reader_.problem()));
      case ReadStatus::kPush:
        owner_.on_push(*this, std::move(pushes_.values.front()));
        pushes_.values.clear();
        break;
      case ReadStatus::kReply:
        if (in_flight_.empty()) {
          return base::fail(ErrorCode::kUnavailable, "The store sent a reply to nothing");
        }
        end_reply();
        break;
    }
  }
  return {};
}

void RedisConnection::end_reply() {
  Sent& sent = in_flight_.front();
  --commands_in_flight_;
  owner_.on_replies(1);
  if (--sent.left != 0) return;
  RedisCall* const call = sent.call;
  services_.cells.duration.observe(std::chrono::duration<double>(last_received_ - sent.at).count());
  in_flight_.pop_front();
  ++first_place_;
  if (call != nullptr) owner_.on_finished(*call, {});
}

void RedisConnection::on_input_end() {
  // No reply can come any more, so what is unsent would be in vain.
  give_up(base::Error(
      ErrorCode::kUnavailable, std::string(net::kEndedByPeer), to_string(settings_.address)));
}

void RedisConnection::on_closed(const base::Status& status) {
  MR_CHECK(!status);  // both sides end in good order only after `finish`, which nobody calls here
  give_up(status.error());
}

void RedisConnection::give_up(const base::Error& reason) {
  const bool was_up = state_ == State::kUp;
  state_ = State::kDown;
  has_failed_ = true;
  stream_.reset();
  out_.clear();
  received_.clear();
  if (!was_up) ++attempts_failed_;
  timer_.start(backoff_.next());
  const std::deque<Sent> lost = std::exchange(in_flight_, {});
  first_place_ += lost.size();
  owner_.on_replies(std::exchange(commands_in_flight_, 0));
  owner_.on_down(*this, reason, was_up);
  for (const Sent& sent : lost) {
    if (sent.call != nullptr) owner_.on_finished(*sent.call, std::unexpected(reason));
  }
  owner_.on_read_end();
}

void RedisConnection::on_timer() {
  if (state_ == State::kDown) return connect();
  give_up(base::Error(
      ErrorCode::kTimeout,
      "The store did not answer the greeting in time: " + to_string(settings_.address)));
}

std::optional<base::TimePoint> RedisConnection::stalls_at(base::Duration silence) const {
  if (in_flight_.empty()) return std::nullopt;
  return std::max(last_received_, in_flight_.front().at) + silence;
}

}  // namespace millrace::stores
