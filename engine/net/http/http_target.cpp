#include "net/http/http_target.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "net/http_head.h"

namespace millrace::net {
namespace {

int value_of_hex(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

bool try_decode(std::string_view encoded, bool plus_is_space, std::string& text) {
  // Nearly all have nothing to decode.
  std::size_t plain = 0;
  while (plain < encoded.size() && encoded[plain] != '%' &&
         (encoded[plain] != '+' || !plus_is_space))
    ++plain;
  text.assign(encoded.substr(0, plain));
  for (std::size_t i = plain; i < encoded.size(); ++i) {
    if (encoded[i] == '+' && plus_is_space) {
      text += ' ';
      continue;
    }
    if (encoded[i] != '%') {
      text += encoded[i];
      continue;
    }
    if (encoded.size() - i < 3) return false;
    const int high = value_of_hex(encoded[i + 1]);
    const int low = value_of_hex(encoded[i + 2]);
    if (high < 0 || low < 0) return false;
    text += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

/// Takes off `http://host`, if it is there.
std::string_view without_host(std::string_view target) {
  constexpr std::string_view kSchemes[] = {"http://", "https://"};
  for (const std::string_view scheme : kSchemes) {
    if (!equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
    const std::size_t end = target.find_first_of("/?#", scheme.size());
    return end == std::string_view::npos ? std::string_view() : target.substr(end);
  }
  return target;
}

}  // namespace

HttpTarget split_http_target(std::string_view target) {
  std::string_view rest = target.starts_with('/') ? target : without_host(target);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t mark = rest.find('?');
  HttpTarget parts{.path = rest.substr(0, mark)};
  if (mark != std::string_view::npos) parts.query = rest.substr(mark + 1);
  if (parts.path.empty()) parts.path = "/";
  return parts;
}

bool try_decode_percent(std::string_view encoded, std::string& text) {
  return try_decode(encoded, false, text);
}

bool try_decode_query(std::string_view encoded, std::string& text) {
  return try_decode(encoded, true, text);
}

bool try_take_query_item(std::string_view& query, HttpQueryItem& item) {
  while (query.starts_with('&')) query.remove_prefix(1);
  if (query.empty()) return false;
  const std::string_view text = query.substr(0, query.find('&'));
  query.remove_prefix(text.size());
  const std::size_t equals = text.find('=');
  item.name = text.substr(0, equals);
  item.value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  return true;
}

}  // namespace millrace::net
