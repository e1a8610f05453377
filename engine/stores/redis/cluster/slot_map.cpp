#include "stores/redis/cluster/slot_map.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "net/address.h"
#include "stores/redis/protocol/resp_token.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::stores {

namespace {

/// More nodes than any cluster has; beyond it the reply is refused.
constexpr std::size_t kNodesMax = 4096;

/// Reads `[host, port, …]`; nothing if the node cannot be reached by what it says.
std::optional<net::Address> find_node(const RespValue& value, const std::string& asked_host) {
  if (value.type != RespType::kArray || value.elements.size() < 2) return std::nullopt;
  const RespValue& host = value.elements[0];
  const std::int64_t port = value.elements[1].integer;
  if (port < 1 || port > UINT16_MAX || host.text == "?") return std::nullopt;
  return net::Address{.host = host.text.empty() ? asked_host : host.text,
                      .port = static_cast<std::uint16_t>(port)};
}

}  // namespace

base::Result<SlotMap> SlotMap::read(const RespValue& reply, const std::string& asked_host) {
  const auto refuse = [&] {
    return base::fail(base::ErrorCode::kUnavailable,
                      "The reply to CLUSTER SLOTS names no slots: " + reply.to_string());
  };
  if (reply.type != RespType::kArray) return refuse();
  SlotMap map;
  bool has_slots = false;
  for (const RespValue& range : reply.elements) {
    if (range.type != RespType::kArray || range.elements.size() < 3) return refuse();
    const std::int64_t first = range.elements[0].integer;
    const std::int64_t last = range.elements[1].integer;
    if (first < 0 || first > last || last >= kSlotCount) return refuse();
    for (std::size_t i = 2; i < range.elements.size(); ++i) {
      const std::optional<net::Address> node = find_node(range.elements[i], asked_host);
      if (!node) continue;
      const std::uint16_t index = map.index_of(*node);
      if (map.nodes_.size() > kNodesMax) return refuse();
      if (i != 2) continue;  // a replica
      std::fill(map.owners_.begin() + first, map.owners_.begin() + last + 1, index);
      has_slots = true;
    }
  }
  if (!has_slots) return refuse();
  return map;
}

std::uint16_t SlotMap::index_of(const net::Address& node) {
  const auto found = std::ranges::find(nodes_, node);
  if (found == nodes_.end()) {
    nodes_.push_back(node);
    return static_cast<std::uint16_t>(nodes_.size() - 1);
  }
  return static_cast<std::uint16_t>(found - nodes_.begin());
}

void SlotMap::set_owner(std::uint16_t slot, const net::Address& node) {
  // A server that keeps naming new nodes cannot make it grow without end.
  if (nodes_.size() > kNodesMax && std::ranges::find(nodes_, node) == nodes_.end()) return;
  owners_[slot] = index_of(node);
}

bool SlotMap::is_owner(const net::Address& node) const {
  const auto found = std::ranges::find(nodes_, node);
  if (found == nodes_.end()) return false;
  return std::ranges::find(owners_, static_cast<std::uint16_t>(found - nodes_.begin())) !=
         owners_.end();
}

}  // namespace millrace::stores
