#pragma once

#include <string>
#include <string_view>

namespace millrace::net {

/// The parts of a request's target, as they were sent: percent-encoded.
struct HttpTarget {
  std::string_view path = {};   ///< begins with a slash, but for `*` and targets of CONNECT
  std::string_view query = {};  ///< what follows the first question mark
};

/// Splits a target. That of a proxy's client (`http://host/path`) loses its host. What follows a
/// `#` should not be sent, and is dropped.
[[nodiscard]] HttpTarget split_http_target(std::string_view target);

/// Replaces `text` by what `encoded` stands for, decoding percent signs once. False if one is not
/// followed by two hex digits.
[[nodiscard]] bool try_decode_percent(std::string_view encoded, std::string& text);
/// The same for names and values of a query, where a plus sign stands for a space.
[[nodiscard]] bool try_decode_query(std::string_view encoded, std::string& text);

/// Takes the first segment off a path, still encoded: `/a/b` gives `a` and leaves `/b`. A path that
/// has none left is empty. `/a/` has the segments `a` and an empty one.
[[nodiscard]] constexpr std::string_view take_path_segment(std::string_view& path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

/// One `name=value` of a query, still encoded. Without an equals sign the value is empty.
struct HttpQueryItem {
  std::string_view name = {};
  std::string_view value = {};
};
/// Takes the first item off a query, skipping empty ones. False at its end.
[[nodiscard]] bool try_take_query_item(std::string_view& query, HttpQueryItem& item);

}  // namespace millrace::net
