#pragma once

#include <cstdint>
#include <string_view>

#include "net/http_head.h"

namespace millrace::net {

/// How the body of a request is coded.
enum class HttpContentCoding : std::uint8_t { kIdentity, kGzip, kUnknown };
/// Reads `Content-Encoding`. Several codings on top of each other are unknown.
[[nodiscard]] HttpContentCoding http_content_coding(const HttpFields& fields);

/// Whether `Accept-Encoding` allows a reply in gzip: it names gzip, or everything, with a weight
/// above zero.
[[nodiscard]] bool accepts_gzip(const HttpFields& fields);

}  // namespace millrace::net
