#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stores/redis/redis_call.h"

namespace millrace::stores {

/// The commands of a call, each of which has one key and so one slot.
///
/// An MGET over many keys becomes one MGET for each, since its keys may be in any slots. They leave
/// together, so nothing waits longer; and a command with one key is never told TRYAGAIN while its
/// slot moves.
struct SplitCall {
  struct Piece {
    std::size_t begin = 0;  ///< in `bytes`
    std::size_t size = 0;
    std::uint16_t slot = 0;
  };

  std::string bytes;
  std::vector<Piece> pieces;
  bool is_multi_get = false;  ///< all pieces are one MGET

  [[nodiscard]] std::string_view text_of(std::size_t piece) const {
    return std::string_view(bytes).substr(pieces[piece].begin, pieces[piece].size);
  }
};

/// Encodes and splits a call. The second word of each of its commands is the key.
[[nodiscard]] SplitCall split_call(RedisCall& call);

}  // namespace millrace::stores
