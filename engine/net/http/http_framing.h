#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "net/http/http_handler.h"

namespace millrace::net {

/// Reads from raw bytes where the parts of HTTP/1.x requests begin and end, in any split, and
/// refuses every request that two readers could take apart differently.
///
/// It stands before llhttp, which in its strict mode still takes a bare LF after the request line,
/// folded fields and requests without a version. What it refuses:
/// - a CR or LF that is not part of a line end, and other control bytes
/// - a line of the head that begins with a space or a tab; a space before the colon
/// - a field whose name is no token
/// - HTTP/1.1 without `Host` or with two of them, or one that is no host
/// - a `Content-Length` that comes twice, is not 1 to 15 digits, or stands beside
///   `Transfer-Encoding`
/// - a `Transfer-Encoding` in HTTP/1.0, that comes twice, or is not `chunked` alone
/// - a chunk whose size is not 1 to 8 hex digits
/// - methods outside RFC 9110 and RFC 5789, versions other than 1.x
///
/// State machine: start → method → target → version → fields → body by length or chunks → complete.
/// Trailers are read like fields, but mean nothing.
/// Threading: not shared.
class HttpFraming {
 public:
  enum class Part : std::uint8_t {
    kHead,
    kBody,
    kBetween,    ///< sizes of chunks, their line ends, and trailers
    kExtension,  ///< what follows the size of a chunk, from the semicolon on
  };
  struct Segment {
    std::size_t size = 0;  ///< bytes that are in order; 0 only if the first one is refused
    Part part = Part::kHead;
  };

  /// Makes ready for the next request.
  void begin();
  /// Looks at the next bytes, at least one, and says how many of them belong to one part of the
  /// request. A segment ends where the part ends, where the bytes end, or before a byte that is
  /// refused. Not to be called after a refusal or a complete request.
  [[nodiscard]] Segment next(std::string_view bytes);

  /// Why the byte after the last segment is refused; nullptr if it is not.
  [[nodiscard]] const HttpRefusal* refusal() const { return refusal_; }
  /// Whether more than empty lines has come.
  [[nodiscard]] bool has_begun() const { return state_ > State::kStartLf; }
  /// Whether the method is not complete yet.
  [[nodiscard]] bool is_in_method() const { return state_ <= State::kMethod; }
  [[nodiscard]] bool is_head_complete() const {
    return in_trailers_ || state_ >= State::kLengthBody;
  }
  [[nodiscard]] bool is_complete() const { return state_ == State::kComplete; }
  /// After the head: the length of the body, where the head says it.
  [[nodiscard]] std::optional<std::uint64_t> body_length() const;

 private:
  // In the order of a request; `has_begun` and the other questions compare by it.
  enum class State : std::uint8_t {
    kStart,
    kStartLf,
    kMethod,
    kTargetStart,
    kTarget,
    kVersion,
    kRequestLineLf,
    kLineStart,
    kName,
    kValueStart,
    kValue,
    kValueLf,
    kHeadLf,
    kLengthBody,
    kChunkSize,
    kChunkExtension,
    kChunkSizeLf,
    kChunkData,
    kChunkDataCr,
    kChunkDataLf,
    kComplete,
  };
  enum class Field : std::uint8_t { kOther, kHost, kLength, kCoding };
  static constexpr std::size_t kKeptBytes = 24;

  /// To which part the next byte belongs, between the pieces of a body.
  [[nodiscard]] Part part_of(char byte) const;
  /// Reads one byte that is not of a body. False if it is refused.
  [[nodiscard]] bool read(char byte);
  [[nodiscard]] bool read_request_line(char byte);
  [[nodiscard]] bool read_field(char byte);
  [[nodiscard]] bool read_chunk(char byte);
  [[nodiscard]] bool expect_lf(char byte, State next);
  [[nodiscard]] bool end_method();
  [[nodiscard]] bool read_version(char byte);
  [[nodiscard]] bool end_name();
  [[nodiscard]] bool read_value(char byte);
  [[nodiscard]] bool end_value();
  [[nodiscard]] bool end_length();
  [[nodiscard]] bool end_coding();
  [[nodiscard]] bool end_head(char byte);
  /// Reads a head to its end, or as far as it is in order; gives the number of bytes.
  [[nodiscard]] std::size_t read_head(std::string_view bytes);
  /// Skips bytes that cannot change the state, from `index` on.
  [[nodiscard]] std::size_t skip_plain(std::string_view bytes, std::size_t index);
  [[nodiscard]] static Field field_of(std::string_view name);
  bool refuse(const HttpRefusal& reason);
  void keep(char byte);
  void keep(std::string_view bytes);
  [[nodiscard]] std::string_view kept() const;

  State state_ = State::kStart;
  Field field_ = Field::kOther;
  bool in_trailers_ = false;
  bool value_has_gap_ = false;  // a space has followed the value, which only its end may
  bool has_length_ = false;
  bool is_chunked_ = false;
  std::uint8_t host_count_ = 0;
  std::uint8_t minor_ = 0;
  std::uint8_t digit_count_ = 0;  // of a chunk size
  const HttpRefusal* refusal_ = nullptr;
  std::uint64_t body_left_ = 0;  // of the body, or of the chunk
  std::uint64_t body_length_ = 0;
  std::size_t kept_count_ = 0;           // may exceed what is kept
  std::array<char, kKeptBytes> kept_{};  // the method, a name or a value, as far as it came
};

}  // namespace millrace::net
