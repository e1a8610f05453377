#include "bench/serve/reply_reader.h"

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace millrace::bench {
namespace {

constexpr std::string_view kBegin = "HTTP/1.1 ";
constexpr std::string_view kLength = "\r\nContent-Length: ";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
}

}  // namespace

bool ReplyReader::take(std::string_view bytes) {
  text_.append(bytes);
  if (head_end_ != 0) return true;
  const std::size_t end = text_.find(kHeadEnd);
  if (end == std::string::npos) return true;
  const std::string_view head = std::string_view(text_).substr(0, end + 2);
  const std::size_t length = head.find(kLength);
  if (!head.starts_with(kBegin) || length == std::string_view::npos) return false;
  if (!read_number(head.substr(kBegin.size()), status_)) return false;
  if (!read_number(head.substr(length + kLength.size()), length_)) return false;
  head_end_ = end + kHeadEnd.size();
  return true;
}

void ReplyReader::clear() {
  text_.clear();
  head_end_ = 0;
  length_ = 0;
  status_ = 0;
}

}  // namespace millrace::bench
