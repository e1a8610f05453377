#include "net/http_head.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

bool is_token_character(char character) {
  return (kCharacters[static_cast<unsigned char>(character)] & kTokenCharacter) != 0;
}

bool is_control(char character) {
  return (kCharacters[static_cast<unsigned char>(character)] & kControlCharacter) != 0;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) {
  return left.size() == right.size() && std::ranges::equal(left, right, {}, &lower, &lower);
}

bool is_http_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, &is_token_character);
}

bool is_http_field_value(std::string_view text) {
  return trim(text).size() == text.size() && std::ranges::none_of(text, &is_control);
}

void HttpFields::add(std::string_view name, std::string_view value) {
  extend_name(name);
  extend_value(value);
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
  for (std::size_t i = 0; i < size(); ++i) {
    const HttpField field = (*this)[i];
    if (equal_ignoring_case(field.name, name)) return field.value;
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
  while (place.value_end > place.value_begin &&
         kSpaces.find(text_[place.value_end - 1]) != std::string_view::npos) {
    --place.value_end;
  }
}

}  // namespace millrace::net
