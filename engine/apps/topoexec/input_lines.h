#pragma once

#include <optional>
#include <string>

namespace millrace::topoexec {

/// Reads lines from a descriptor, and can be woken while it waits for one.
/// Threading: one thread reads, any thread closes.
class InputLines {
 public:
  explicit InputLines(int descriptor);
  ~InputLines();
  InputLines(const InputLines&) = delete;
  InputLines& operator=(const InputLines&) = delete;

  /// The next line without its end; nothing at the end of the input or after `close`. A line of
  /// more than 1 MiB is cut there, and its rest is the next line.
  [[nodiscard]] std::optional<std::string> next();
  void close() noexcept;

 private:
  [[nodiscard]] bool fill();
  [[nodiscard]] std::optional<std::string> take_line();

  const int descriptor_;
  const int closed_;  // an event that is readable once it is closed
  std::string buffer_;
  std::size_t searched_ = 0;  // bytes of the buffer without an end of line
  bool has_ended_ = false;
};

}  // namespace millrace::topoexec
