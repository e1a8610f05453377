#include "observe/trace_context.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace millrace::observe {
namespace {

// VERSION-TRACE-PARENT-FLAGS: 2, 32, 16 and 2 hex digits in lower case.
constexpr std::size_t kTraceBegin = 3;
constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kParentBegin = 36;
constexpr std::size_t kParentDigits = 16;
constexpr std::size_t kFlagsBegin = 53;
constexpr std::size_t kFlagsDigits = 2;
constexpr std::size_t kLength = kFlagsBegin + kFlagsDigits;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char digit) {
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
  });
}

/// The value of hex digits that were checked before.
std::uint64_t bits_of(std::string_view digits) {
  std::uint64_t bits = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return bits;
}

bool is_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::optional<TraceParent> parse_traceparent(std::string_view text) {
  if (text.size() < kLength) return std::nullopt;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(kTraceBegin, kTraceDigits);
  const std::string_view parent = text.substr(kParentBegin, kParentDigits);
  const std::string_view flags = text.substr(kFlagsBegin, kFlagsDigits);
  const bool has_dashes =
      text[2] == '-' && text[kParentBegin - 1] == '-' && text[kFlagsBegin - 1] == '-';
  if (!has_dashes || !is_hex(version) || version == "ff") return std::nullopt;
  const bool is_longer = text.size() > kLength;
  if (is_longer && (version == "00" || text[kLength] != '-')) return std::nullopt;
  if (!is_hex(trace) || is_zero(trace) || !is_hex(parent) || is_zero(parent) || !is_hex(flags))
    return std::nullopt;
  const char last = flags[1];
  const int digit = last <= '9' ? last - '0' : last - 'a' + 10;
  return TraceParent{.trace_id = trace, .parent_id = parent, .is_sampled = digit % 2 == 1};
}

void append_hex(std::uint64_t bits, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<char, kParentDigits> text{};
  for (std::size_t digit = text.size(); digit-- > 0; bits >>= 4U) text[digit] = kDigits[bits & 15U];
  out.append(text.data(), text.size());
}

std::string to_text(const TraceIdBits& trace) {
  std::string text;
  text.reserve(kTraceDigits);
  append_hex(trace.high, text);
  append_hex(trace.low, text);
  return text;
}

RequestTrace TraceSampler::begin(std::string_view traceparent) {
  if (!traceparent.empty()) {
    if (const auto parent = parse_traceparent(traceparent)) {
      return {.trace = {.high = bits_of(parent->trace_id.substr(0, kParentDigits)),
                        .low = bits_of(parent->trace_id.substr(kParentDigits))},
              .parent = bits_of(parent->parent_id),
              .is_sampled = parent->is_sampled};
    }
  }
  return {.trace = {.high = random_.next(), .low = draw_id()},
          .is_sampled = root_share_ > 0 && random_.chance(root_share_)};
}

std::uint64_t TraceSampler::draw_id() {
  std::uint64_t id = random_.next();
  while (id == 0) id = random_.next();
  return id;
}

}  // namespace millrace::observe
