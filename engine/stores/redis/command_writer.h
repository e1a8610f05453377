#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace millrace::stores {

/// Appends commands of the Redis protocol to one buffer, without strings in between.
/// Threading: not shared. Lifetime: borrows the buffer.
class CommandWriter {
 public:
  explicit CommandWriter(std::string& out) : out_(out) {}

  /// Begins a command of `words` words, its name included.
  void begin(std::size_t words) { append_head('*', words); }
  void word(std::string_view text) {
    append_head('$', text.size());
    out_.append(text);
    out_.append("\r\n", 2);
  }
  void word(std::int64_t number) {
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    word(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  /// Writes a whole command.
  void command(std::initializer_list<std::string_view> words) {
    begin(words.size());
    for (const std::string_view text : words) word(text);
  }
  /// Appends what was encoded before.
  void raw(std::string_view encoded) { out_.append(encoded); }

  /// Bytes that the buffer holds.
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  void append_head(char type, std::size_t count) {
    char head[24];
    head[0] = type;
    char* end = std::to_chars(head + 1, head + sizeof head - 2, count).ptr;
    *end++ = '\r';
    *end++ = '\n';
    out_.append(head, static_cast<std::size_t>(end - head));
  }

  std::string& out_;
};

}  // namespace millrace::stores
