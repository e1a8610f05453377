// Feeds bytes to the reader of HTTP replies. The first byte decides how they are cut into pieces.
// Read whole and in pieces they must give the same reply, or both an error, within the limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http_message.h"
#include "net/http_reply_reader.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)

constexpr net::HttpLimits kLimits{.header_bytes_max = 512, .body_bytes_max = 256};

/// The reply; nothing if there is an error, or bytes after the end.
std::optional<net::HttpReply> read(net::HttpReplyReader& reader,
                                   std::string_view bytes,
                                   std::size_t piece) {
  reader.begin("GET", kLimits);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto progress = reader.feed(bytes.substr(at, piece));
    if (!progress) return std::nullopt;
    if (*progress == net::HttpReplyReader::Progress::kMore) continue;
    if (at + piece < bytes.size()) return std::nullopt;
    return reader.take();
  }
  if (!reader.end()) return std::nullopt;
  return reader.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  net::HttpReplyReader reader;
  const auto whole = read(reader, bytes, bytes.size());
  const auto pieces = read(reader, bytes, std::max<std::size_t>(1, data[0] % 16));
  MR_CHECK(whole.has_value() == pieces.has_value());
  if (!whole) return 0;
  MR_CHECK(whole->status == pieces->status, whole->status, pieces->status);
  MR_CHECK(whole->body == pieces->body);
  MR_CHECK(whole->body.size() <= kLimits.body_bytes_max);
  std::string fields;
  std::string fields_in_pieces;
  whole->fields.append_to(fields);
  pieces->fields.append_to(fields_in_pieces);
  MR_CHECK(fields == fields_in_pieces);
  return 0;
}
