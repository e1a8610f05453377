#include "server/access/access_rule.h"

#include <expected>
#include <memory>
#include <string_view>
#include <utility>

#include "base/format.h"

namespace millrace::server {
namespace {

constexpr std::string_view kUnixPeer = "a unix socket";
constexpr std::string_view kBearer = "bearer ";

/// The secret that a request carries; empty: none.
std::string_view find_secret(const net::HttpFields& fields) {
  if (const auto given = fields.find("Authorization")) {
    const bool is_bearer = given->size() > kBearer.size() &&
                           net::equal_ignoring_case(given->substr(0, kBearer.size()), kBearer);
    if (is_bearer) {
      std::string_view secret = given->substr(kBearer.size());
      while (secret.starts_with(' ')) secret.remove_prefix(1);
      return secret;
    }
  }
  return fields.find("X-Api-Key").value_or(std::string_view());
}

}  // namespace

PeerKind peer_kind_of(std::string_view peer) {
  if (peer == kUnixPeer) return PeerKind::kUnixSocket;
  const bool is_loopback =
      peer.starts_with("127.") || peer.starts_with("[::1]:") || peer.starts_with("[::ffff:127.");
  return is_loopback ? PeerKind::kLoopback : PeerKind::kRemote;
}

std::expected<GrantedKey, RequestProblem> check_access(
    const std::shared_ptr<const AccessKeys>& keys,
    const Route& route,
    std::string_view peer,
    const net::HttpFields& fields) {
  if (route.action == RouteAction::kLive || route.action == RouteAction::kReady)
    return GrantedKey();
  const bool is_admin = route.access == RouteAccess::kAdmin;
  const PeerKind kind = peer_kind_of(peer);
  if (is_admin && kind == PeerKind::kUnixSocket) return GrantedKey();
  if (keys == nullptr) {
    if (!is_admin || kind == PeerKind::kLoopback) return GrantedKey();
    return std::unexpected(
        RequestProblem{.code = "forbidden",
                       .detail = "Without 'auth.keys_file' this route is for clients of the same "
                                 "machine only"});
  }
  const std::string_view secret = find_secret(fields);
  if (secret.empty()) {
    return std::unexpected(
        RequestProblem{.code = "unauthorized",
                       .detail = "Send a key as 'Authorization: Bearer KEY' or 'X-Api-Key: KEY'"});
  }
  const AccessKey* const key = keys->find(secret);
  if (key == nullptr) {
    return std::unexpected(
        RequestProblem{.code = "unauthorized", .detail = "The key is not known here"});
  }
  if (is_admin && !key->is_admin) {
    return std::unexpected(RequestProblem{.code = "forbidden",
                                          .detail = "This route needs a key with 'admin = true'"});
  }
  return GrantedKey(keys, key);
}

QuotaPlace& QuotaPlace::operator=(QuotaPlace&& other) noexcept {
  if (this != &other) {
    release();
    entered_ = std::move(other.entered_);
  }
  return *this;
}

std::expected<QuotaPlace, RequestProblem> QuotaPlace::take(const GrantedKey& key,
                                                           base::TimePoint now) {
  QuotaPlace place;
  if (key == nullptr) return place;
  if (key->inflight_max) {
    if (!key->usage->try_enter(*key->inflight_max)) {
      return std::unexpected(RequestProblem{
          .code = "rate_limited",
          .detail = base::format("The key '{}' may have {} requests under way at a time",
                                 key->name,
                                 *key->inflight_max)});
    }
    place.entered_ = key->usage;
  }
  if (key->rate && !key->usage->try_take(*key->rate, now)) {
    return std::unexpected(RequestProblem{
        .code = "rate_limited",
        .detail =
            base::format("The key '{}' may send {} requests per second", key->name, *key->rate)});
  }
  return place;
}

void QuotaPlace::release() {
  if (entered_ != nullptr) std::exchange(entered_, nullptr)->leave();
}

}  // namespace millrace::server
