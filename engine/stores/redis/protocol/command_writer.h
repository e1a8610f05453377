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
  /// Appends a word between two texts that were encoded before, for commands that differ in one
  /// word.
  void word_between(std::string_view before, std::string_view text, std::string_view after) {
    const std::size_t size = out_.size();
    const std::size_t room = before.size() + kHeadBytesMax + text.size() + 2 + after.size();
    out_.resize_and_overwrite(size + room, [&](char* bytes, std::size_t) {
      char* at = copy(before, bytes + size);
      at = write_head('$', text.size(), at);
      at = copy(text, at);
      at = copy("\r\n", at);
      at = copy(after, at);
      return static_cast<std::size_t>(at - bytes);
    });
  }

  /// Bytes that the buffer holds.
  [[nodiscard]] std::size_t size() const { return out_.size(); }

 private:
  static constexpr std::size_t kHeadBytesMax = 24;

  static char* copy(std::string_view text, char* to) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return to + text.size();
  }
  static char* write_head(char type, std::size_t count, char* to) {
    *to++ = type;
    to = std::to_chars(to, to + kHeadBytesMax - 3, count).ptr;
    *to++ = '\r';
    *to++ = '\n';
    return to;
  }
  void append_head(char type, std::size_t count) {
    char head[kHeadBytesMax];
    out_.append(head, static_cast<std::size_t>(write_head(type, count, head) - head));
  }

  std::string& out_;
};

}  // namespace millrace::stores
