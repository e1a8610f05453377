#include "base/problems/message_text.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace millrace::base {

namespace {

constexpr std::size_t kQuotedBytesMax = 80;

}  // namespace

std::string shortened(std::string_view text) {
  if (text.size() <= kQuotedBytesMax) return std::string(text);
  std::size_t end = kQuotedBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string one_of(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += text.empty() ? "one of " : ", ";
    text += word;
  }
  return text;
}

}  // namespace millrace::base
