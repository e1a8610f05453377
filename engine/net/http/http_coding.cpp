#include "net/http/http_coding.h"

#include <cstddef>
#include <optional>
#include <string_view>

#include "net/http_head.h"

namespace millrace::net {
namespace {

bool is_gzip(std::string_view coding) {
  return equal_ignoring_case(coding, "gzip") || equal_ignoring_case(coding, "x-gzip");
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Whether a weight such as `q=0.5` is above zero; text that is no weight counts as one.
bool is_positive_weight(std::string_view parameter) {
  const std::string_view text = without_spaces(parameter);
  if (text.size() < 3 || (text[0] != 'q' && text[0] != 'Q') || text[1] != '=') return true;
  return text.substr(2).find_first_not_of("0.") != std::string_view::npos;
}

}  // namespace

HttpContentCoding http_content_coding(const HttpFields& fields) {
  auto coding = HttpContentCoding::kIdentity;
  fields.for_each_item("content-encoding", [&](std::string_view item) {
    if (equal_ignoring_case(item, "identity")) return;
    const bool is_first = coding == HttpContentCoding::kIdentity;
    coding = is_first && is_gzip(item) ? HttpContentCoding::kGzip : HttpContentCoding::kUnknown;
  });
  return coding;
}

bool accepts_gzip(const HttpFields& fields) {
  std::optional<bool> gzip;
  bool everything = false;
  fields.for_each_item("accept-encoding", [&](std::string_view item) {
    const std::size_t semicolon = item.find(';');
    const std::string_view coding = without_spaces(item.substr(0, semicolon));
    const bool is_wanted =
        semicolon == std::string_view::npos || is_positive_weight(item.substr(semicolon + 1));
    if (is_gzip(coding)) gzip = is_wanted;
    if (coding == "*") everything = is_wanted;
  });
  return gzip.value_or(everything);
}

}  // namespace millrace::net
