// Splits and decodes bytes as the target of a request: the parts must lie in it and give it back.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http/http_target.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)

void check_query(std::string_view query) {
  net::HttpQueryItem item;
  std::string text;
  for (std::size_t left = query.size(); net::try_take_query_item(query, item);) {
    MR_CHECK(query.size() < left);
    left = query.size();
    if (net::try_decode_query(item.name, text)) MR_CHECK(text.size() <= item.name.size());
    if (net::try_decode_query(item.value, text)) MR_CHECK(text.size() <= item.value.size());
  }
  MR_CHECK(query.empty());
}

void check_path(std::string_view path) {
  std::string joined;
  std::string text;
  const std::string whole(path);
  while (!path.empty()) {
    const bool has_slash = path.front() == '/';
    const std::string_view segment = net::take_path_segment(path);
    MR_CHECK(segment.find('/') == std::string_view::npos);
    joined += (has_slash ? "/" : "") + std::string(segment);
    if (net::try_decode_percent(segment, text)) MR_CHECK(text.size() <= segment.size());
  }
  MR_CHECK(joined == whole, joined, whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view target(reinterpret_cast<const char*>(data), size);
  const net::HttpTarget parts = net::split_http_target(target);
  MR_CHECK(!parts.path.empty());
  MR_CHECK(parts.path.find('?') == std::string_view::npos);
  MR_CHECK(parts.query.find('#') == std::string_view::npos);
  check_path(parts.path);
  check_query(parts.query);
  return 0;
}
