#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct z_stream_s;  // NOLINT(readability-identifier-naming): zlib's

namespace millrace::net {

/// Inflates a gzip body as it comes, into space that the caller bounds. Several members in a row
/// are one body, as RFC 1952 says. Threading: not shared.
class GzipInflater {
 public:
  GzipInflater();
  ~GzipInflater();
  GzipInflater(const GzipInflater&) = delete;
  GzipInflater& operator=(const GzipInflater&) = delete;

  enum class Outcome : std::uint8_t {
    kMore,    ///< call again: with the rest of the bytes or, if none is left, with the next ones
    kBroken,  ///< the bytes are no gzip
  };
  struct Step {
    Outcome outcome = Outcome::kMore;
    std::size_t consumed = 0;
    std::size_t written = 0;
  };
  /// Inflates into `space`. All of `bytes` is done once everything is consumed and `space` was not
  /// filled.
  [[nodiscard]] Step inflate(std::string_view bytes, std::span<char> space);
  /// Whether what came so far is complete.
  [[nodiscard]] bool is_complete() const { return is_complete_; }

 private:
  struct Free {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Free> stream_;
  bool is_complete_ = false;
};

/// Makes gzip bodies, fast rather than small. Keeps its memory, about 256 KiB, from one to the
/// next. Threading: not shared.
class GzipDeflater {
 public:
  GzipDeflater();
  ~GzipDeflater();
  GzipDeflater(const GzipDeflater&) = delete;
  GzipDeflater& operator=(const GzipDeflater&) = delete;

  /// Replaces `packed` by `bytes` as gzip.
  void deflate(std::string_view bytes, std::string& packed);

 private:
  struct Free {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, Free> stream_;
};

}  // namespace millrace::net
