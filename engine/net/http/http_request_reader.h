#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/http/http_framing.h"
#include "net/http/http_handler.h"
#include "net/http_head.h"
#include "net/http_message.h"
#include "net/http_reader.h"

namespace millrace::net {

/// Reads the requests of one connection from bytes in any split: `HttpFraming` first, then llhttp,
/// within limits. The same bytes give the same events however they are split, but for where pieces
/// of a body are cut.
/// Threading: not shared.
class HttpRequestReader final : private HttpSink {
 public:
  enum class Event : std::uint8_t {
    kNeedMore,  ///< all bytes are taken
    kHead,      ///< `head` is complete
    kBody,      ///< `piece` is the next part of the body
    kComplete,  ///< the request is; `begin` must follow
    kRefused,   ///< `refusal` says why; nothing may follow
  };
  struct Step {
    Event event = Event::kNeedMore;
    std::size_t consumed = 0;
    std::string_view piece = {};  ///< lies in the bytes that were given
  };

  /// `limits.body_bytes_max` is not used: the caller counts.
  explicit HttpRequestReader(const HttpLimits& limits);

  /// Makes ready for the next request.
  void begin();
  /// Takes bytes up to the next event. May be called without bytes after a head or a piece: the
  /// request may be complete.
  [[nodiscard]] Step next(std::string_view bytes);

  /// Whether more than empty lines has come since `begin`.
  [[nodiscard]] bool has_begun() const { return framing_.has_begun(); }
  /// From `kHead` to `begin`.
  [[nodiscard]] const HttpRequestHead& head() { return reader_.request_head(); }
  /// The length of the body, unless it comes in chunks.
  [[nodiscard]] std::optional<std::uint64_t> body_length() const { return framing_.body_length(); }
  /// Whether the client wants the connection to stay open.
  [[nodiscard]] bool keeps_alive();
  [[nodiscard]] const HttpRefusal& refusal() const { return refusal_; }
  /// Frees memory that a large head has taken.
  void release_memory();

 private:
  void on_head() override { head_seen_ = true; }
  void on_body(std::string_view piece) override { body_seen_ += piece.size(); }
  [[nodiscard]] Step refuse(const HttpRefusal& reason, std::size_t consumed);
  /// Gives llhttp bytes that are in order. False if it refuses them.
  [[nodiscard]] bool feed(std::string_view bytes);

  HttpLimits limits_;
  HttpFraming framing_;
  HttpReader reader_{HttpReader::Kind::kRequest};
  // The first bytes of a method that is not complete: llhttp does not tell an unknown method from
  // a bad one, so it gets methods whole.
  std::string method_;
  bool head_told_ = false;
  bool head_seen_ = false;  // llhttp has seen the end of the head
  bool is_done_ = false;    // llhttp has seen the end of the request
  std::size_t body_seen_ = 0;
  std::size_t extension_bytes_ = 0;
  HttpRefusal refusal_;
};

}  // namespace millrace::net
