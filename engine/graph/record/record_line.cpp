#include "graph/record/record_line.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <ios>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"
#include "base/result.h"

namespace millrace::graph {
namespace {

constexpr std::size_t kDigits = 16;

}  // namespace

base::Status RecordWriter::open(const std::string& path) {
  path_ = path;
  errno = 0;
  file_.open(path, std::ios::binary | std::ios::trunc);
  if (file_) return {};
  return base::fail(base::ErrorCode::kUnavailable,
                    base::format("Cannot write the record: {}", std::strerror(errno)),
                    path);
}

void RecordWriter::add(std::string_view json) {
  if (problem_) return;
  if (json.size() > kRecordLineBytesMax - kDigits - 1) {
    problem_ = base::format("One entry of the record has {} bytes; at most {} are possible",
                            json.size(),
                            kRecordLineBytesMax - kDigits - 1);
    return;
  }
  chain_.add(json);
  file_ << base::format("{:016x} ", chain_.value()) << json << '\n';
  check_stream();
}

void RecordWriter::close() {
  if (!file_.is_open()) return;
  errno = 0;
  file_.close();
  check_stream();
}

void RecordWriter::check_stream() {
  if (file_ || problem_) return;
  problem_ = base::format("Cannot write the record {}: {}", path_, std::strerror(errno));
}

std::string RecordReader::place() const { return base::format("line {}, byte {}", line_, begin_); }

base::Status RecordReader::read_line(std::string& text, bool& is_end) {
  text.clear();
  ++line_;
  begin_ = next_begin_;
  for (int byte = stream_.get(); byte != std::istream::traits_type::eof(); byte = stream_.get()) {
    ++next_begin_;
    if (byte == '\n') return {};
    if (text.size() == kRecordLineBytesMax) {
      return base::fail(base::ErrorCode::kResourceExhausted,
                        base::format("A line has more than {} bytes", kRecordLineBytesMax),
                        place());
    }
    text += static_cast<char>(byte);
  }
  if (stream_.bad()) {
    return base::fail(base::ErrorCode::kUnavailable, "The record cannot be read", place());
  }
  if (!text.empty()) {
    return base::fail(
        base::ErrorCode::kInvalidArgument, "The record ends in the middle of a line", place());
  }
  is_end = true;
  return {};
}

base::Result<std::optional<std::string>> RecordReader::next() {
  std::string text;
  bool is_end = false;
  MR_TRY_STATUS(read_line(text, is_end));
  if (is_end) return std::nullopt;
  if (text.size() <= kDigits || text[kDigits] != ' ') {
    return base::fail(
        base::ErrorCode::kInvalidArgument, "Not a line of a record: no checksum", place());
  }
  const std::string told = text.substr(0, kDigits);
  text.erase(0, kDigits + 1);
  chain_.add(text);
  // As text: a letter of another case is a change, too.
  if (told == base::format("{:016x}", chain_.value())) return text;
  return base::fail(base::ErrorCode::kInvalidArgument,
                    "The record was changed or damaged: the checksum does not fit",
                    place());
}

}  // namespace millrace::graph
