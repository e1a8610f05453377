#include "net/http_head.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/append_texts.h"

namespace millrace::net {
namespace {

constexpr std::string_view kSpaces = " \t";

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

constexpr std::uint8_t kTokenCharacter = 1;
constexpr std::uint8_t kControlCharacter = 2;
constexpr std::array<std::uint8_t, 256> kCharacters = [] {
  std::array<std::uint8_t, 256> kinds{};
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  for (std::size_t byte = 0; byte < kinds.size(); ++byte) {
    const bool is_letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool is_digit = byte >= '0' && byte <= '9';
    const bool is_mark = kMarks.find(static_cast<char>(byte)) != std::string_view::npos;
    if (is_letter || is_digit || is_mark) kinds[byte] |= kTokenCharacter;
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) kinds[byte] |= kControlCharacter;
  }
  return kinds;
}();

std::uint8_t kind(char character) { return kCharacters[static_cast<unsigned char>(character)]; }

/// False: none of eight bytes is a control byte. Tabs and bytes above 127 may make it true.
bool may_have_control(const char* text) {
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof(bytes));
  const std::uint64_t delete_is_0 = bytes ^ (kOnes * 0x7f);
  // The highest bit of a byte is set where it is below a space, or a delete, or above 127.
  return ((bytes | (bytes - kOnes * 0x20) | (delete_is_0 - kOnes)) & (kOnes * 0x80)) != 0;
}

bool is_blank_character(char character) { return character == ' ' || character == '\t'; }

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::ranges::equal(left, right, {}, &lower, &lower);
}

// Both are asked for every field that is sent: no branch depends on a character.

bool is_http_token(std::string_view text) {
  std::uint8_t kinds = text.empty() ? 0 : kTokenCharacter;
  std::size_t at = 0;
  for (; at + 4 <= text.size(); at += 4)
    kinds &= kind(text[at]) & kind(text[at + 1]) & kind(text[at + 2]) & kind(text[at + 3]);
  for (; at < text.size(); ++at) kinds &= kind(text[at]);
  return kinds != 0;
}

bool is_http_field_value(std::string_view text) {
  if (text.empty()) return true;
  std::uint8_t kinds = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    if (may_have_control(text.data() + at)) break;
  }
  for (; at < text.size(); ++at) kinds |= kind(text[at]);
  return (kinds & kControlCharacter) == 0 && !is_blank_character(text.front()) &&
         !is_blank_character(text.back());
}

void HttpFields::add(std::string_view name, std::string_view value) {
  const auto begin = static_cast<std::uint32_t>(text_.size());
  const auto value_begin = static_cast<std::uint32_t>(begin + name.size());
  base::append_texts(text_, name, value);
  places_.push_back({.name_begin = begin,
                     .value_begin = value_begin,
                     .value_end = static_cast<std::uint32_t>(text_.size())});
  end_field();
}

void HttpFields::clear() {
  text_.clear();
  places_.clear();
  field_is_open_ = false;
}

HttpField HttpFields::operator[](std::size_t index) const {
  const Place& place = places_[index];
  const std::string_view text = text_;
  return {.name = text.substr(place.name_begin, place.value_begin - place.name_begin),
          .value = text.substr(place.value_begin, place.value_end - place.value_begin)};
}

std::optional<std::string_view> HttpFields::find(std::string_view name) const {
  const std::string_view text = text_;
  for (const Place& place : places_) {
    if (place.value_begin - place.name_begin == name.size() &&
        equal_ignoring_case(text.substr(place.name_begin, name.size()), name))
      return text.substr(place.value_begin, place.value_end - place.value_begin);
  }
  return std::nullopt;
}

std::size_t HttpFields::count(std::string_view name) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (equal_ignoring_case((*this)[i].name, name)) ++count;
  }
  return count;
}

bool HttpFields::has_token(std::string_view name, std::string_view token) const {
  bool found = false;
  for_each_item(name, [&](std::string_view item) { found |= equal_ignoring_case(item, token); });
  return found;
}

std::string_view HttpFields::take_item(std::string_view& rest) {
  bool is_quoted = false;
  std::size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char character = rest[end];
    if (is_quoted && character == '\\') {
      ++end;  // the next character is meant literally
    } else if (character == '"') {
      is_quoted = !is_quoted;
    } else if (character == ',' && !is_quoted) {
      break;
    }
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), end + 1));
  return trim(item);
}

void HttpFields::append_to(std::string& text) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const HttpField field = (*this)[i];
    text.append(field.name).append(": ").append(field.value).append("\r\n");
  }
}

void HttpFields::extend_name(std::string_view piece) {
  if (!field_is_open_) {
    field_is_open_ = true;
    places_.push_back({.name_begin = static_cast<std::uint32_t>(text_.size())});
  }
  text_ += piece;
  const auto end = static_cast<std::uint32_t>(text_.size());
  places_.back().value_begin = end;
  places_.back().value_end = end;
}

void HttpFields::extend_value(std::string_view piece) {
  text_ += piece;
  places_.back().value_end = static_cast<std::uint32_t>(text_.size());
}

void HttpFields::end_field() {
  field_is_open_ = false;
  Place& place = places_.back();
  while (place.value_end > place.value_begin && is_blank_character(text_[place.value_end - 1])) {
    --place.value_end;
  }
}

}  // namespace millrace::net
