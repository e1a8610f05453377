#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

#include "net/http/gzip.h"
#include "net/http/http_coding.h"
#include "net/http/http_handler.h"

namespace millrace::net {

/// Turns the body of a request into what its receiver shall get: inflated as it comes, and no more
/// than allowed.
/// Threading: not shared.
class HttpBodyReader {
 public:
  /// Makes ready for a body of a coding that is known.
  void begin(HttpContentCoding coding, std::size_t bytes_max);
  /// Frees what inflating needs.
  void end() { inflater_.reset(); }

  /// Calls `deliver` with the bytes that `piece` stands for, in one or several pieces, until it
  /// says false. Gives the reason if the body is refused.
  template <class Deliver>
  [[nodiscard]] const HttpRefusal* take(std::string_view piece, Deliver deliver) {
    if (inflater_ == nullptr) {
      if (!count(piece.size())) return &kTooLarge;
      deliver(piece);
      return nullptr;
    }
    std::array<char, kInflateBytes> space;
    while (true) {
      const GzipInflater::Step step = inflater_->inflate(piece, space);
      if (step.outcome == GzipInflater::Outcome::kBroken) return &kBroken;
      if (!count(step.written)) return &kTooLarge;
      piece.remove_prefix(step.consumed);
      if (step.written > 0 && !deliver(std::string_view(space.data(), step.written))) {
        return nullptr;
      }
      if (piece.empty() && step.written < space.size()) return nullptr;
    }
  }
  /// After the last piece: the reason if the body is refused.
  [[nodiscard]] const HttpRefusal* check_complete() const {
    return inflater_ != nullptr && !inflater_->is_complete() ? &kBroken : nullptr;
  }

  static constexpr HttpRefusal kTooLarge{413, "The body of the request is larger than allowed."};

 private:
  static constexpr HttpRefusal kBroken{400, "The body says that it is gzip, but it is not."};
  static constexpr std::size_t kInflateBytes = std::size_t{16} << 10;

  [[nodiscard]] bool count(std::size_t size) {
    if (size > bytes_left_) return false;
    bytes_left_ -= size;
    return true;
  }

  std::size_t bytes_left_ = 0;
  std::unique_ptr<GzipInflater> inflater_;  // nullptr for a plain body
};

inline void HttpBodyReader::begin(HttpContentCoding coding, std::size_t bytes_max) {
  bytes_left_ = bytes_max;
  inflater_.reset();
  if (coding == HttpContentCoding::kGzip) inflater_ = std::make_unique<GzipInflater>();
}

}  // namespace millrace::net
