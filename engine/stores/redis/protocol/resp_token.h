#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The words of the Redis protocol, RESP2 and RESP3.

namespace millrace::stores {

enum class RespType : std::uint8_t {
  kText,       ///< `+`, `$`, `=` and `(`: bytes; of a verbatim text without its format
  kError,      ///< `-` and `!`
  kInteger,    ///< `:`
  kDouble,     ///< `,`
  kBoolean,    ///< `#`
  kNull,       ///< `_`, `$-1` and `*-1`
  kArray,      ///< `*`
  kMap,        ///< `%`; `count` counts pairs
  kSet,        ///< `~`
  kPush,       ///< `>`
  kAttribute,  ///< `|`; `count` counts pairs
};

[[nodiscard]] std::string_view to_string(RespType type);

/// One element, or the head of an aggregate.
/// Lifetime: `text` is a view into the bytes that were read.
struct RespToken {
  RespType type = RespType::kNull;
  std::string_view text = {};  ///< kText, kError, and the digits of kDouble
  std::int64_t integer = 0;    ///< kInteger, kBoolean
  double number = 0;           ///< kDouble
  std::size_t count = 0;       ///< of an aggregate
  std::size_t size = 0;        ///< bytes it takes; how many it needs at least, if incomplete
};

enum class TokenStatus : std::uint8_t { kComplete, kIncomplete, kInvalid };

/// The largest text that is accepted. Redis itself allows 512 MB; a value of this size in a ranking
/// request is a mistake.
inline constexpr std::size_t kRespTextBytesMax = std::size_t{64} << 20U;
/// The longest line: a simple text, an error, a number.
inline constexpr std::size_t kRespLineBytesMax = std::size_t{64} << 10U;
/// The most elements of one aggregate.
inline constexpr std::size_t kRespCountMax = std::size_t{1} << 24U;

/// Reads one token from the front of `bytes`. Remembers nothing: an incomplete token is read again
/// from its start when more bytes are there. `problem` says why bytes are invalid.
[[nodiscard]] TokenStatus read_token(std::string_view bytes,
                                     RespToken& token,
                                     std::string_view& problem);

/// Reads a text of the form `$…` as `read_token` does, for loops over many of them: gives its
/// bytes and moves `cursor` behind it. Anything else, incomplete and null ones included, is left to
/// `read_token`: then `data()` is null.
[[nodiscard]] inline std::string_view try_read_bulk(const char*& cursor, const char* end) {
  const char* at = cursor;
  if (end - at < 6 || *at != '$') return {};
  std::size_t length = 0;
  for (++at; at != end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit > 9) break;
    length = length * 10 + digit;
    if (length > kRespTextBytesMax) return {};
  }
  const auto left = static_cast<std::size_t>(end - at);
  if (at == cursor + 1 || left < length + 4) return {};
  const char* const text = at + 2;
  if (at[0] != '\r' || at[1] != '\n' || text[length] != '\r' || text[length + 1] != '\n') return {};
  cursor = text + length + 2;
  return {text, length};
}

}  // namespace millrace::stores
