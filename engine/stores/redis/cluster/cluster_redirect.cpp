#include "stores/redis/cluster/cluster_redirect.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "net/address.h"
#include "stores/redis/cluster/slot_hash.h"

namespace millrace::stores {

namespace {

std::optional<std::uint32_t> find_decimal(std::string_view text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<ClusterRedirect> find_redirect(std::string_view error,
                                             const std::string& asked_host) {
  using Kind = ClusterRedirect::Kind;
  const std::size_t word_end = error.find(' ');
  const std::string_view word = error.substr(0, word_end);
  if (word == "TRYAGAIN") return ClusterRedirect{.kind = Kind::kTryAgain};
  if (word == "CLUSTERDOWN") return ClusterRedirect{.kind = Kind::kDown};
  if ((word != "MOVED" && word != "ASK") || word_end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = error.substr(word_end + 1);
  const std::size_t space = rest.find(' ');
  // An IPv6 host stands there without brackets, so the last colon counts.
  const std::size_t colon = rest.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space) {
    return std::nullopt;
  }
  const std::optional<std::uint32_t> slot = find_decimal(rest.substr(0, space));
  const std::optional<std::uint32_t> port = find_decimal(rest.substr(colon + 1));
  if (!slot || *slot >= kSlotCount || !port || *port == 0 || *port > UINT16_MAX) {
    return std::nullopt;
  }
  const std::string_view host = rest.substr(space + 1, colon - space - 1);
  if (host == "?") return std::nullopt;
  return ClusterRedirect{.kind = word == "MOVED" ? Kind::kMoved : Kind::kAsk,
                         .slot = static_cast<std::uint16_t>(*slot),
                         .node = {.host = host.empty() ? asked_host : std::string(host),
                                  .port = static_cast<std::uint16_t>(*port)}};
}

}  // namespace millrace::stores
