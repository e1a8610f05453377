#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace millrace::bench {

/// Reads replies that have a `Content-Length`, one after the other; nothing else of HTTP.
/// Threading: not shared.
class ReplyReader {
 public:
  /// Takes bytes. False: these are no such reply.
  [[nodiscard]] bool take(std::string_view bytes);
  /// Whether the reply is whole.
  [[nodiscard]] bool is_complete() const {
    return head_end_ != 0 && text_.size() >= head_end_ + length_;
  }
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] std::string_view body() const {
    return std::string_view(text_).substr(head_end_, length_);
  }
  /// Forgets the reply; the next one begins with the bytes that come then.
  void clear();

 private:
  std::string text_;
  std::size_t head_end_ = 0;  // 0: the head is not whole
  std::size_t length_ = 0;
  int status_ = 0;
};

}  // namespace millrace::bench
