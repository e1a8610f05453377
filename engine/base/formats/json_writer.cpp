#include "base/formats/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/number_text.h"

namespace millrace::base {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

/// Gives the second byte's lowest and highest value: they exclude overlong forms, surrogates and
/// code points above U+10FFFF (Unicode 15, table 3-7).
struct SecondByteRange {
  unsigned char low;
  unsigned char high;
};

SecondByteRange second_byte_range(unsigned char lead) {
  switch (lead) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

/// Gives the length of the well-formed UTF-8 sequence at `start`, or 0.
std::size_t sequence_length(std::string_view text, std::size_t start) {
  const unsigned char lead = byte_at(text, start);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() - start < length) return 0;
  const SecondByteRange range = second_byte_range(lead);
  const unsigned char second = byte_at(text, start + 1);
  if (second < range.low || second > range.high) return 0;
  for (std::size_t offset = 2; offset < length; ++offset) {
    if ((byte_at(text, start + offset) & 0xC0U) != 0x80) return 0;
  }
  return length;
}

bool is_plain(unsigned char byte) {
  return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

// Whether one of eight bytes is not plain: each test leaves its answer in the highest bit of a
// byte.
bool has_special(std::uint64_t bytes) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kHighBits = 0x80 * kOnes;
  const std::uint64_t quote = bytes ^ (kOnes * '"');
  const std::uint64_t backslash = bytes ^ (kOnes * '\\');
  const std::uint64_t below_space = (bytes - kOnes * 0x20) & ~bytes;
  const std::uint64_t is_quote = (quote - kOnes) & ~quote;
  const std::uint64_t is_backslash = (backslash - kOnes) & ~backslash;
  return ((bytes | below_space | is_quote | is_backslash) & kHighBits) != 0;
}

template <class Bytes>
std::uint64_t load(const char* at) {
  Bytes bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

bool is_plain(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  // The last bytes are looked at twice rather than one by one.
  if (text.size() >= 8) {
    for (; end - at > 8; at += 8) {
      if (has_special(load<std::uint64_t>(at))) return false;
    }
    return !has_special(load<std::uint64_t>(end - 8));
  }
  if (text.size() >= 4) {
    return !has_special(load<std::uint32_t>(at) << 32U | load<std::uint32_t>(end - 4));
  }
  return std::all_of(at, end, [](char byte) { return is_plain(static_cast<unsigned char>(byte)); });
}

// Most texts are names, and need nothing but quotes.
void append_quoted(std::string& out, std::string_view text) {
  const std::size_t before = out.size();
  const std::size_t size = before + text.size() + 2;
  if (size > out.capacity()) out.reserve(std::max(size, 2 * out.capacity()));
  out.resize_and_overwrite(size, [&](char* bytes, std::size_t) {
    bytes[before] = '"';
    if (!text.empty()) std::memcpy(bytes + before + 1, text.data(), text.size());
    bytes[size - 1] = '"';
    return size;
  });
}

void append_escape(std::string& out, char character) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  switch (character) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHexDigits[static_cast<unsigned char>(character) >> 4U];
      out += kHexDigits[static_cast<unsigned char>(character) & 0xFU];
  }
}

template <std::integral Number>
void append_number(std::string& out, Number number) {
  // The longest 64-bit integer has 20 characters.
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  MR_DCHECK(error == std::errc());
  out.append(buffer.data(), end);
}

void append_number(std::string& out, double number) {
  std::array<char, kDoubleBytesMax> buffer;
  out.append(buffer.data(), write_double(buffer.data(), number));
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  if (is_plain(text)) [[likely]]
    return append_quoted(out, text);
  out += '"';
  std::size_t index = 0;
  while (index < text.size()) {
    const std::size_t plain_start = index;
    while (index < text.size() && is_plain(byte_at(text, index))) ++index;
    out.append(text, plain_start, index - plain_start);
    if (index == text.size()) break;
    const std::size_t length = sequence_length(text, index);
    if (length == 0) {
      out += kReplacement;
      ++index;
    } else if (length == 1) {
      append_escape(out, text[index]);
      ++index;
    } else {
      out.append(text, index, length);
      index += length;
    }
  }
  out += '"';
}

void JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  needs_comma_ = false;
}

void JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    null();
    return;
  }
  separate();
  append_number(out_, number);
}

void JsonWriter::write(std::int64_t number) {
  separate();
  append_number(out_, number);
}

void JsonWriter::write(std::uint64_t number) {
  separate();
  append_number(out_, number);
}

void JsonWriter::raw(std::string_view token) {
  separate();
  out_ += token;
}

void JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  needs_comma_ = false;
  ++depth_;
}

void JsonWriter::close(char bracket) {
  MR_DCHECK(depth_ > 0, out_);
  --depth_;
  out_ += bracket;
  needs_comma_ = true;
}

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

}  // namespace millrace::base
