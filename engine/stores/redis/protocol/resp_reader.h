#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stores/redis/protocol/reply_sink.h"
#include "stores/redis/protocol/resp_token.h"

namespace millrace::stores {

/// What a reader did with bytes.
enum class ReadStatus : std::uint8_t {
  kReply,    ///< one reply is complete
  kPush,     ///< a message that answers nothing is complete
  kWanting,  ///< the bytes end inside a reply, or there were none
  kBroken,   ///< the bytes are no protocol; nothing more can be read from this connection
};

/// Reads replies of the Redis protocol, RESP2 and RESP3, from bytes that may be cut anywhere.
///
/// Attributes are skipped. Depth, lengths and counts are bounded, so that no peer can make it use
/// more memory or stack than it sends.
/// Threading: not shared.
class RespReader {
 public:
  static constexpr std::size_t kDepthMax = 16;

  struct Step {
    ReadStatus status = ReadStatus::kWanting;
    std::size_t consumed = 0;  ///< bytes that are done with; not passed in again
  };

  /// Reads until one reply or push is complete, or the bytes end. Bytes that were not consumed must
  /// come first in the next call. Replies go to `replies`, pushes to `pushes`.
  [[nodiscard]] Step read(std::string_view bytes, ReplySink& replies, ReplySink& pushes);

  /// True inside a reply or a push.
  [[nodiscard]] bool is_inside() const { return depth_ != 0; }
  /// How many bytes the next token takes at least, those that are there included. After kWanting.
  [[nodiscard]] std::size_t bytes_wanted() const { return bytes_wanted_; }
  /// Why the bytes are no protocol. After kBroken.
  [[nodiscard]] std::string_view problem() const { return problem_; }

 private:
  struct Frame {
    std::size_t left = 0;  // elements that are still to come
    bool is_attribute = false;
  };

  /// Takes one token; false if it makes the bytes invalid.
  [[nodiscard]] bool take(const RespToken& token, ReplySink& sink);
  [[nodiscard]] bool open(const RespToken& token, ReplySink& sink);
  /// Counts an element that has ended, and those that end with it; true when that was all.
  [[nodiscard]] bool close_element();

  std::array<Frame, kDepthMax> frames_;
  std::size_t depth_ = 0;
  std::size_t attribute_depth_ = 0;  // of the outermost open attribute, counted from 1; 0: none
  std::size_t bytes_wanted_ = 0;
  bool is_push_ = false;
  std::string_view problem_;
};

}  // namespace millrace::stores
