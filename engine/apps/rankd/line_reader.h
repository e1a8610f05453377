#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apps/rankd/stop_signals.h"
#include "base/result.h"

namespace millrace::rankd {

/// Reads the lines of a descriptor. Of a line that is longer than the limit it keeps one byte more
/// than the limit and drops the others while they arrive, so memory stays bounded and whoever takes
/// the line can see that it is too long.
/// Threading: not shared. Lifetime: borrows the flag and the descriptor.
class LineReader {
 public:
  enum class Got : std::uint8_t {
    kLine,
    kEnd,      ///< the input has ended
    kStopped,  ///< the flag was raised
  };

  /// `name` is what messages call the descriptor, such as "stdin".
  LineReader(int descriptor, std::string name, const StopFlag& stop, std::size_t line_bytes_max);

  /// Waits for the next line and puts it into `line` without its end. The last line needs no end.
  /// Looks at the flag before every line. Fails if the descriptor cannot be read.
  [[nodiscard]] base::Result<Got> next(std::string& line);
  /// Whether `next` has a whole line already, so that it will not wait.
  [[nodiscard]] bool has_line() const { return unread_.contains('\n'); }

 private:
  /// Waits for bytes and reads them into the buffer.
  [[nodiscard]] base::Result<Got> fill();
  /// Appends to a line what its limit allows.
  void append(std::string& line, std::string_view part) const;

  static constexpr std::size_t kBufferBytes = 64UL << 10;

  const int descriptor_;
  const std::string name_;
  const StopFlag& stop_;
  const std::size_t line_bytes_max_;
  std::vector<char> buffer_;
  std::string_view unread_;  // the part of the buffer that no line has yet
};

}  // namespace millrace::rankd
