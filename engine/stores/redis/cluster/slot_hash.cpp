#include "stores/redis/cluster/slot_hash.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace millrace::stores {

namespace {

constexpr std::array<std::uint16_t, 256> make_crc16_table() {
  constexpr std::uint32_t kPolynomial = 0x1021;
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 0x8000U) != 0 ? (value << 1U) ^ kPolynomial : value << 1U;
    }
    table[byte] = static_cast<std::uint16_t>(value);
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kCrc16Table = make_crc16_table();

std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  std::uint32_t crc = 0;
  for (const char letter : hashed_part(key)) {
    const auto index = ((crc >> 8U) ^ static_cast<unsigned char>(letter)) & 0xFFU;
    crc = ((crc << 8U) & 0xFFFFU) ^ kCrc16Table[index];
  }
  return static_cast<std::uint16_t>(crc % kSlotCount);
}

}  // namespace millrace::stores
