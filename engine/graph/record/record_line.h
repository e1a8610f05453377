#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// The lines of a record: 16 hexadecimal digits, a space, one JSON object. The digits are the
// FNV-1a hash of all objects so far, so a changed, missing or moved byte is found in its line or in
// the next one.

namespace millrace::graph {

/// Longest line that is written or read.
inline constexpr std::size_t kRecordLineBytesMax = 32UL << 20U;

/// The hash of a record up to some line.
class RecordChain {
 public:
  void add(std::string_view text) {
    for (const char byte : text) add_byte(static_cast<unsigned char>(byte));
    add_byte('\n');
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void add_byte(unsigned char byte) {
    value_ ^= byte;
    value_ *= 0x100000001b3ULL;
  }
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

/// Writes a record. After a failure it writes nothing more.
/// Threading: not shared.
class RecordWriter {
 public:
  [[nodiscard]] base::Status open(const std::string& path);
  void add(std::string_view json);
  /// Hands everything to the system.
  void close();
  /// Why not all of it was written, if so.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  void check_stream();

  std::ofstream file_;
  std::string path_;
  RecordChain chain_;
  std::optional<std::string> problem_;
};

/// Reads the lines of a record one by one and checks them.
/// Threading: not shared. Lifetime: borrows the stream.
class RecordReader {
 public:
  explicit RecordReader(std::istream& stream) : stream_(stream) {}

  /// Gives the next object as text; nothing at the end of the stream. Errors name line and byte.
  [[nodiscard]] base::Result<std::optional<std::string>> next();
  /// Number of the line that was given last, from 1.
  [[nodiscard]] std::uint64_t line() const { return line_; }
  /// `line N, byte M`: where the line that was given last begins.
  [[nodiscard]] std::string place() const;

 private:
  [[nodiscard]] base::Status read_line(std::string& text, bool& is_end);

  std::istream& stream_;
  RecordChain chain_;
  std::uint64_t line_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t next_begin_ = 0;
};

}  // namespace millrace::graph
