#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reader.h"

namespace millrace::net {

/// Collects one HTTP/1.x reply at a time from bytes in any split.
///
/// Interim replies (1xx) are skipped. A reply over a limit fails with kResourceExhausted, one that
/// is not HTTP, or ends early, with kUnavailable; so do bytes after its end, because nobody asked
/// for more.
/// Threading: not shared.
class HttpReplyReader final : private HttpSink {
 public:
  enum class Progress : std::uint8_t { kMore, kDone };

  /// Makes ready for the reply to a request of this method.
  void begin(std::string_view method, const HttpLimits& limits);

  /// Takes the next bytes. After kDone or an error only `begin`.
  [[nodiscard]] base::Result<Progress> feed(std::string_view bytes);
  /// Says that the peer ended in good order, which ends a body without a length: kDone. Else fails.
  [[nodiscard]] base::Status end();

  /// Once, after kDone or `end`.
  [[nodiscard]] HttpReply take();
  /// After kDone: whether another request may follow on the connection.
  [[nodiscard]] bool keeps_alive() const { return reader_.keeps_alive(); }
  /// Whether anything has come since `begin`.
  [[nodiscard]] bool has_begun() const { return reader_.has_begun(); }

 private:
  void on_head() override {}
  void on_body(std::string_view piece) override { body_ += piece; }

  HttpReader reader_{HttpReader::Kind::kReply};
  std::string body_;
};

}  // namespace millrace::net
