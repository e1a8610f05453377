#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "net/http_message.h"

namespace millrace::net {

/// Reads one HTTP/1.x reply at a time from bytes in any split; llhttp in its strict mode.
///
/// Interim replies (1xx) are skipped. A reply over a limit fails with kResourceExhausted, one that
/// is not HTTP, or ends early, with kUnavailable; so do bytes after its end, because nobody asked
/// for more.
/// Threading: not shared.
class HttpReplyReader {
 public:
  enum class Progress : std::uint8_t { kMore, kDone };

  HttpReplyReader();
  ~HttpReplyReader();
  HttpReplyReader(const HttpReplyReader&) = delete;
  HttpReplyReader& operator=(const HttpReplyReader&) = delete;

  /// Makes ready for the reply to a request of this method.
  void begin(std::string_view method, const HttpLimits& limits);

  /// Takes the next bytes. After kDone or an error only `begin`.
  [[nodiscard]] base::Result<Progress> feed(std::string_view bytes);
  /// Says that the peer ended in good order, which ends a body without a length: kDone. Else fails.
  [[nodiscard]] base::Status end();

  /// Once, after kDone or `end`.
  [[nodiscard]] HttpReply take();
  /// After kDone: whether another request may follow on the connection.
  [[nodiscard]] bool keeps_alive() const;
  /// Whether anything has come since `begin`.
  [[nodiscard]] bool has_begun() const;

 private:
  struct State;
  [[nodiscard]] base::Error failure(int code) const;

  std::unique_ptr<State> state_;
};

}  // namespace millrace::net
