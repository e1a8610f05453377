#include "stores/redis/cluster/cluster_batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/format.h"
#include "base/random.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/cluster/cluster_part.h"
#include "stores/redis/cluster/cluster_redirect.h"
#include "stores/redis/cluster/cluster_split.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/redis_call.h"
#include "stores/redis/redis_pool.h"
#include "stores/redis/redis_settings.h"

namespace millrace::stores {

namespace {

/// The wait between attempts while keys move or a slot has no node.
constexpr BackoffSettings kTryAgainBackoff{.first = std::chrono::milliseconds(5),
                                           .longest = std::chrono::milliseconds(100)};

}  // namespace

ClusterBatch::ClusterBatch(ClusterHost& host,
                           RedisCall& call,
                           base::TimePoint expires,
                           base::Random& random)
    : host_(host),
      call_(call),
      expires_(expires),
      split_(split_call(call)),
      backoff_(kTryAgainBackoff, random),
      pieces_(split_.pieces.size()) {
  count(State::kUnsent) = pieces_.size();
}

void ClusterBatch::move(Piece& piece, State state) {
  --count(piece.state);
  ++count(state);
  piece.state = state;
}

bool ClusterBatch::uses(const RedisPool& pool) const {
  return std::ranges::any_of(parts_, [&](const auto& part) { return &part->pool() == &pool; });
}

ClusterPart& ClusterBatch::part_for(const net::Address& node, bool asking, std::size_t first) {
  for (std::size_t i = first; i < parts_.size(); ++i) {
    ClusterPart& part = *parts_[i];
    if (part.is_asking() == asking && part.pool().settings().address == node) return part;
  }
  parts_.push_back(std::make_unique<ClusterPart>(
      static_cast<ClusterPartOwner&>(*this), host_.pool_of(node), split_, asking));
  return *parts_.back();
}

void ClusterBatch::route() {
  const std::size_t first = parts_.size();
  // Nodes of the map by their place in it, so that texts are compared once per node.
  std::vector<std::pair<const net::Address*, ClusterPart*>> known;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    if (piece.state != State::kUnsent) continue;
    const std::uint16_t slot = split_.pieces[i].slot;
    ClusterPart* part = nullptr;
    if (piece.ask) {
      part = &part_for(*piece.ask, true, first);
      piece.ask.reset();
    } else if (const net::Address* const owner = host_.find_owner(slot)) {
      const auto found =
          std::ranges::find(known, owner, [](const auto& pair) { return pair.first; });
      part = found != known.end() ? found->second : &part_for(*owner, false, first);
      if (found == known.end()) known.emplace_back(owner, part);
    } else {
      piece.tried = nullptr;
      piece.failure = note_failure(base::format("NODEDOWN No node has slot {}", slot));
      move(piece, State::kLost);
      continue;
    }
    part->add(static_cast<std::uint32_t>(i));
    move(piece, State::kSent);
  }
  for (std::size_t i = first; i < parts_.size(); ++i) {
    if (const base::Status sent = parts_[i]->submit(); !sent) lose(*parts_[i], sent.error());
  }
  if (count(State::kLost) == 0) return;
  host_.on_map_doubted();
  if (host_.is_reading_map()) return;
  settle_at_ = host_.now();
  host_.wake_at(*settle_at_);
}

void ClusterBatch::on_part_done(ClusterPart& part, base::Status status) {
  if (!status) {
    host_.on_map_doubted();
    if (status.error().code() == base::ErrorCode::kTimeout) {
      return host_.on_batch_done(*this, std::move(status));
    }
    lose(part, status.error());
    return proceed();
  }
  for (std::size_t i = 0; i < part.pieces().size(); ++i) {
    Piece& piece = pieces_[part.pieces()[i]];
    piece.part = &part;
    piece.reply = i;
    judge(piece);
  }
  proceed();
}

const RespToken* ClusterBatch::find_error(const Piece& piece) const {
  if (piece.failure != nullptr) return piece.failure;
  const std::span<const RespToken> reply = piece.part->reply(piece.reply);
  return !reply.empty() && reply.front().type == RespType::kError ? &reply.front() : nullptr;
}

void ClusterBatch::judge(Piece& piece) {
  if (const RespToken* const error = find_error(piece)) {
    const auto redirect = find_redirect(error->text, piece.part->pool().settings().address.host);
    if (redirect) return follow(piece, *redirect);
  }
  move(piece, State::kAnswered);
}

void ClusterBatch::follow(Piece& piece, const ClusterRedirect& redirect) {
  switch (redirect.kind) {
    case ClusterRedirect::Kind::kMoved:
      host_.on_moved(redirect.slot, redirect.node);
      return send_again(piece);
    case ClusterRedirect::Kind::kAsk:
      piece.ask = redirect.node;
      return send_again(piece);
    case ClusterRedirect::Kind::kDown:
      host_.on_map_doubted();
      break;
    case ClusterRedirect::Kind::kTryAgain:
      break;
  }
  const base::TimePoint now = host_.now();
  const base::TimePoint when = retry_at_ && *retry_at_ > now ? *retry_at_ : now + backoff_.next();
  // A retry would come after the deadline: give the error that is known now.
  if (when >= expires_) return move(piece, State::kAnswered);
  retry_at_ = when;
  host_.wake_at(when);
  move(piece, State::kDelayed);
}

void ClusterBatch::send_again(Piece& piece) {
  if (piece.redirects == kRedirectsMax) return move(piece, State::kAnswered);
  ++piece.redirects;
  piece.failure = nullptr;
  move(piece, State::kUnsent);
}

const RespToken* ClusterBatch::note_failure(std::string text) {
  Failure& failure = failures_.emplace_back(std::move(text), RespToken{.type = RespType::kError});
  failure.token.text = failure.text;
  return &failure.token;
}

void ClusterBatch::lose(const ClusterPart& part, const base::Error& reason) {
  const RespToken* const failure = note_failure("NODEDOWN " + reason.message());
  for (const std::uint32_t index : part.pieces()) {
    Piece& piece = pieces_[index];
    piece.failure = failure;
    piece.tried = &part.pool().settings().address;
    move(piece, State::kLost);
  }
}

void ClusterBatch::settle_lost() {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    if (piece.state != State::kLost) continue;
    const net::Address* const owner = host_.find_owner(split_.pieces[i].slot);
    const bool is_elsewhere =
        owner != nullptr && (piece.tried == nullptr || !(*owner == *piece.tried));
    if (is_elsewhere) {
      send_again(piece);
    } else {
      move(piece, State::kAnswered);
    }
  }
}

void ClusterBatch::proceed() {
  settle_at_.reset();
  if (retry_at_ && *retry_at_ <= host_.now()) {
    retry_at_.reset();
    for (Piece& piece : pieces_) {
      if (piece.state == State::kDelayed) move(piece, State::kUnsent);
    }
  }
  if (count(State::kLost) != 0 && !host_.is_reading_map()) settle_lost();
  if (count(State::kUnsent) != 0) route();
  if (count(State::kAnswered) != pieces_.size()) return;
  if (split_.is_multi_get) {
    give_multi_get();
  } else {
    give();
  }
  for (const auto& part : parts_) {
    for (const auto& block : part->blocks()) call_.keep(block);
  }
  host_.on_batch_done(*this, {});
}

void ClusterBatch::give() {
  for (const Piece& piece : pieces_) {
    if (piece.failure != nullptr) {
      call_.on_token(*piece.failure);
    } else {
      replay(piece.part->reply(piece.reply), call_);
    }
    call_.on_reply_end();
  }
}

void ClusterBatch::give_multi_get() {
  const RespToken* error = nullptr;
  for (const Piece& piece : pieces_) {
    if (error == nullptr) error = find_error(piece);
  }
  if (error != nullptr) {
    call_.on_token(*error);
    return call_.on_reply_end();
  }
  call_.on_token({.type = RespType::kArray, .count = pieces_.size()});
  for (const Piece& piece : pieces_) {
    // Each piece was answered with a list of one value. Skip the head of that list: the values go
    // into one list of all.
    const std::span<const RespToken> reply = piece.part->reply(piece.reply);
    replay(reply.empty() ? reply : reply.subspan(1), call_);
  }
  call_.on_reply_end();
}

}  // namespace millrace::stores
