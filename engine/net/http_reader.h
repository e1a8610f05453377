#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/result.h"
#include "net/http_head.h"
#include "net/http_message.h"

namespace millrace::net {

/// Who gets what an `HttpReader` reads, while it reads. Must not feed, restart or destroy the
/// reader.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  /// The head is complete; the reader has it.
  virtual void on_head() = 0;
  /// The next bytes of the body, at least one; the view lasts for the call.
  virtual void on_body(std::string_view piece) = 0;
};

/// What is wrong with a message.
enum class HttpProblem : std::uint8_t {
  kNone,
  kSyntax,    ///< it is no HTTP/1.x message
  kVersion,   ///< another version of HTTP
  kProtocol,  ///< the peer changes to another protocol
  kEndsEarly,
  kHeadSize,  ///< more bytes outside the body than allowed
  kFieldCount,
  kTargetSize,
  kBodySize,
};

/// Reads HTTP/1.x requests or replies, one at a time, from bytes in any split: llhttp in its strict
/// mode, with limits. The same bytes give the same result however they are split.
///
/// Interim replies (1xx) are skipped. Trailers and extensions of chunks are dropped, but count
/// against the limit of the head. A request to change the protocol is read as any other.
/// Threading: not shared.
class HttpReader {
 public:
  enum class Kind : std::uint8_t { kRequest, kReply };

  explicit HttpReader(Kind kind);
  ~HttpReader();
  HttpReader(const HttpReader&) = delete;
  HttpReader& operator=(const HttpReader&) = delete;

  /// Makes ready for the next message. A reply to HEAD has no body, whatever its head says.
  void begin(const HttpLimits& limits, bool is_reply_to_head = false);

  struct Step {
    std::size_t consumed = 0;  ///< less than all only when the message is complete
    bool is_done = false;      ///< the message is complete
  };
  /// Takes the next bytes. After a complete message or an error only `begin` may follow. Errors are
  /// kResourceExhausted for a limit; else kInvalidArgument for a request and kUnavailable for a
  /// reply.
  [[nodiscard]] base::Result<Step> feed(std::string_view bytes, HttpSink& sink);
  /// The peer has ended in good order, which completes a reply without a length. Else an error.
  [[nodiscard]] base::Status end(HttpSink& sink);

  /// From `on_head` to the next `begin`; moving out of them is allowed after the message is
  /// complete.
  [[nodiscard]] HttpRequestHead& request_head();
  [[nodiscard]] HttpReplyHead& reply_head();
  /// After a complete message: whether the connection may carry another one.
  [[nodiscard]] bool keeps_alive() const;
  /// Whether anything has come since `begin`.
  [[nodiscard]] bool has_begun() const;
  /// Frees what heads have taken; before `begin`.
  void release_memory();
  /// After an error: what kind it was.
  [[nodiscard]] HttpProblem problem() const;

 private:
  struct State;
  [[nodiscard]] std::unexpected<base::Error> refuse(int code);

  const std::unique_ptr<State> state_;
};

}  // namespace millrace::net
