#include "stores/redis/protocol/resp_token.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace millrace::stores {

namespace {

/// A token in the making: what its functions need and report.
struct Reading {
  std::string_view bytes;
  RespToken& token;
  std::string_view& problem;

  [[nodiscard]] TokenStatus invalid(std::string_view why) const {
    problem = why;
    return TokenStatus::kInvalid;
  }
  [[nodiscard]] TokenStatus incomplete(std::size_t needed) const {
    token.size = needed;
    return TokenStatus::kIncomplete;
  }
};

/// Finds the text between the type byte and the end of its line, and the size of both.
TokenStatus read_line(const Reading& in, std::string_view& line) {
  const std::size_t searched = std::min(in.bytes.size(), kRespLineBytesMax);
  const void* found = std::memchr(in.bytes.data(), '\r', searched);
  if (found == nullptr) {
    if (searched == kRespLineBytesMax) return in.invalid("A line is too long");
    return in.incomplete(in.bytes.size() + 2);
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - in.bytes.data());
  if (length + 1 == in.bytes.size()) return in.incomplete(length + 2);
  if (in.bytes[length + 1] != '\n') return in.invalid("A carriage return stands alone");
  line = in.bytes.substr(1, length - 1);
  if (line.find('\n') != std::string_view::npos) return in.invalid("A line feed stands alone");
  in.token.size = length + 2;
  return TokenStatus::kComplete;
}

bool parse_integer(std::string_view line, std::int64_t& out) {
  if (line.starts_with('+')) line.remove_prefix(1);
  const char* const end = line.data() + line.size();
  const auto [stopped, error] = std::from_chars(line.data(), end, out);
  return error == std::errc{} && stopped == end && !line.empty();
}

TokenStatus read_double(const Reading& in, std::string_view line) {
  std::string_view digits = line;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, in.token.number);
  const bool range = error == std::errc::result_out_of_range;
  if ((error != std::errc{} && !range) || stopped != end) return in.invalid("Not a double");
  in.token.text = line;
  return TokenStatus::kComplete;
}

TokenStatus read_big_number(const Reading& in, std::string_view line) {
  std::string_view digits = line;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const bool good =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (!good) return in.invalid("Not a big number");
  in.token.text = line;
  return TokenStatus::kComplete;
}

/// Reads what follows a head with a length: the bytes and the end of line.
TokenStatus read_body(const Reading& in, std::int64_t length) {
  if (length < 0) return in.invalid("A length is negative");
  if (static_cast<std::uint64_t>(length) > kRespTextBytesMax) {
    return in.invalid("A text is longer than 64 MiB");
  }
  const std::size_t head = in.token.size;
  const auto size = static_cast<std::size_t>(length);
  if (in.bytes.size() < head + size + 2) return in.incomplete(head + size + 2);
  if (in.bytes.substr(head + size, 2) != "\r\n")
    return in.invalid("A text does not end where it should");
  in.token.text = in.bytes.substr(head, size);
  in.token.size = head + size + 2;
  return TokenStatus::kComplete;
}

TokenStatus read_verbatim(const Reading& in, std::int64_t length) {
  const TokenStatus status = read_body(in, length);
  if (status != TokenStatus::kComplete) return status;
  constexpr std::size_t kFormatBytes = 4;  // as in "txt:"
  if (in.token.text.size() < kFormatBytes || in.token.text[kFormatBytes - 1] != ':') {
    return in.invalid("A verbatim text has no format");
  }
  in.token.text.remove_prefix(kFormatBytes);
  return TokenStatus::kComplete;
}

TokenStatus read_sized(const Reading& in, char head, std::string_view line) {
  if (line == "?") return in.invalid("Streamed replies are not supported");
  std::int64_t length = 0;
  if (!parse_integer(line, length)) return in.invalid("Not a length");
  if (length == -1 && (head == '$' || head == '*')) {
    in.token.type = RespType::kNull;
    return TokenStatus::kComplete;
  }
  switch (head) {
    case '$':
      in.token.type = RespType::kText;
      return read_body(in, length);
    case '!':
      in.token.type = RespType::kError;
      return read_body(in, length);
    case '=':
      in.token.type = RespType::kText;
      return read_verbatim(in, length);
    case '*':
      in.token.type = RespType::kArray;
      break;
    case '%':
      in.token.type = RespType::kMap;
      break;
    case '~':
      in.token.type = RespType::kSet;
      break;
    case '>':
      in.token.type = RespType::kPush;
      break;
    default:
      in.token.type = RespType::kAttribute;
      break;
  }
  if (length < 0) return in.invalid("A count is negative");
  if (static_cast<std::uint64_t>(length) > kRespCountMax) {
    return in.invalid("An aggregate has more than 16777216 elements");
  }
  in.token.count = static_cast<std::size_t>(length);
  return TokenStatus::kComplete;
}

TokenStatus read_plain(const Reading& in, char head, std::string_view line) {
  switch (head) {
    case '+':
      in.token.type = RespType::kText;
      in.token.text = line;
      return TokenStatus::kComplete;
    case '-':
      in.token.type = RespType::kError;
      in.token.text = line;
      return TokenStatus::kComplete;
    case ':':
      in.token.type = RespType::kInteger;
      if (!parse_integer(line, in.token.integer)) return in.invalid("Not an integer");
      return TokenStatus::kComplete;
    case ',':
      in.token.type = RespType::kDouble;
      return read_double(in, line);
    case '#':
      in.token.type = RespType::kBoolean;
      if (line != "t" && line != "f") return in.invalid("Not a boolean");
      in.token.integer = line == "t" ? 1 : 0;
      return TokenStatus::kComplete;
    case '(':
      in.token.type = RespType::kText;
      return read_big_number(in, line);
    default:
      in.token.type = RespType::kNull;
      if (!line.empty()) return in.invalid("Not a null");
      return TokenStatus::kComplete;
  }
}

}  // namespace

std::string_view to_string(RespType type) {
  switch (type) {
    case RespType::kText:
      return "text";
    case RespType::kError:
      return "error";
    case RespType::kInteger:
      return "integer";
    case RespType::kDouble:
      return "double";
    case RespType::kBoolean:
      return "boolean";
    case RespType::kNull:
      return "null";
    case RespType::kArray:
      return "array";
    case RespType::kMap:
      return "map";
    case RespType::kSet:
      return "set";
    case RespType::kPush:
      return "push";
    case RespType::kAttribute:
      return "attribute";
  }
  return "unknown";
}

TokenStatus read_token(std::string_view bytes, RespToken& token, std::string_view& problem) {
  token = {};
  const Reading in{.bytes = bytes, .token = token, .problem = problem};
  if (bytes.empty()) return in.incomplete(1);
  const char head = bytes.front();
  const bool is_sized = std::string_view("$!=*%~>|").find(head) != std::string_view::npos;
  const bool is_plain = std::string_view("+-:,#(_").find(head) != std::string_view::npos;
  if (!is_sized && !is_plain) {
    return in.invalid(head == ';' || head == '.' ? "Streamed replies are not supported"
                                                 : "A reply begins with an unknown byte");
  }
  std::string_view line;
  const TokenStatus status = read_line(in, line);
  if (status != TokenStatus::kComplete) return status;
  return is_sized ? read_sized(in, head, line) : read_plain(in, head, line);
}

}  // namespace millrace::stores
