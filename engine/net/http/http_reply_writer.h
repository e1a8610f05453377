#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/wall_clock.h"
#include "net/http_head.h"

namespace millrace::net {

/// The phrase that stands behind a status; empty for one that has none here.
[[nodiscard]] std::string_view http_reason_phrase(int status);

/// The value of a `Date` field, made once per second.
/// Threading: not shared.
class HttpDate {
 public:
  /// Such as `Sun, 06 Nov 1994 08:49:37 GMT`; lasts until the next call.
  [[nodiscard]] std::string_view at(base::WallTime time);

 private:
  std::chrono::sys_seconds second_ = std::chrono::sys_seconds::min();
  std::string text_;
};

/// How the body of a reply is marked off.
enum class HttpBodyFraming : std::uint8_t {
  kNone,      ///< there is no body, and no field says anything of it: 1xx, 204, 304
  kLength,    ///< by its length
  kChunks,    ///< by chunks
  kUntilEnd,  ///< by the end of the connection, for clients of HTTP/1.0
};

/// What the connection says in the head of a reply, besides the fields of the handler.
struct HttpReplyForm {
  int status = 200;
  HttpBodyFraming framing = HttpBodyFraming::kLength;
  std::size_t body_bytes = 0;    ///< with `kLength`
  bool closes = false;           ///< the connection ends after this reply
  bool says_keep_alive = false;  ///< clients of HTTP/1.0 want to be told
  std::string_view date = {};    ///< no `Date` if empty
};

/// Appends the head of a reply, with the empty line behind it. Fields that would break the head (a
/// line end in a value, a name that is no token) are left out, and so are those that the connection
/// writes itself.
void append_reply_head(std::string& text, const HttpReplyForm& form, const HttpFields& fields);
/// Appends a chunk; an empty one is left out, because it would end the body.
void append_chunk(std::string& text, std::string_view piece);
/// What ends a body in chunks.
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
/// What a client that asks before it sends its body is told.
inline constexpr std::string_view kContinueReply = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace millrace::net
