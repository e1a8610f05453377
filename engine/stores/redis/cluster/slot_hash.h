#pragma once

#include <cstdint>
#include <string_view>

namespace millrace::stores {

/// Number of slots that a cluster spreads over its nodes.
inline constexpr std::uint32_t kSlotCount = 16384;

/// Gives the slot of a key: CRC16 (XMODEM) of the key, or of what stands between its first `{` and
/// the next `}` if that is not empty.
[[nodiscard]] std::uint16_t slot_of(std::string_view key);

}  // namespace millrace::stores
