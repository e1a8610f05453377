#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "stores/redis/cluster/slot_hash.h"
#include "stores/redis/protocol/resp_value.h"

namespace millrace::stores {

/// Which node of a cluster has which slot.
/// Threading: not shared.
class SlotMap {
 public:
  SlotMap() { owners_.fill(kNobody); }

  /// Reads the reply to CLUSTER SLOTS. Nodes that do not say where they are have the host that was
  /// asked. An error if the reply has another form or names no slot.
  [[nodiscard]] static base::Result<SlotMap> read(const RespValue& reply,
                                                  const std::string& asked_host);

  /// Gives the master that has a slot; nullptr if none is known.
  [[nodiscard]] const net::Address* find_owner(std::uint16_t slot) const {
    return owners_[slot] == kNobody ? nullptr : &nodes_[owners_[slot]];
  }
  void set_owner(std::uint16_t slot, const net::Address& node);
  /// Whether a node has any slot.
  [[nodiscard]] bool is_owner(const net::Address& node) const;

  /// All nodes that were named, replicas too.
  [[nodiscard]] const std::vector<net::Address>& nodes() const { return nodes_; }

 private:
  static constexpr std::uint16_t kNobody = UINT16_MAX;

  [[nodiscard]] std::uint16_t index_of(const net::Address& node);

  std::vector<net::Address> nodes_;
  std::array<std::uint16_t, kSlotCount> owners_;
};

}  // namespace millrace::stores
