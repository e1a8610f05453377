// Inflates bytes as the body of a request, whole and in pieces; both must give the same text or be
// refused, and never more than the limit. What was packed here must come out again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http/gzip.h"
#include "net/http/http_body_reader.h"
#include "net/http/http_coding.h"
#include "net/http/http_handler.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kLimit = 100'000;

/// The text, with the status in front if the body is refused. Text before the refusal is left out:
/// how much of it has been delivered depends on the pieces.
std::string inflate(std::string_view bytes, std::size_t piece) {
  net::HttpBodyReader body;
  body.begin(net::HttpContentCoding::kGzip, kLimit);
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const net::HttpRefusal* const reason =
        body.take(bytes.substr(at, piece), [&](std::string_view plain) {
          text += plain;
          return true;
        });
    MR_CHECK(text.size() <= kLimit);
    if (reason != nullptr) return "refused";
  }
  return body.check_complete() == nullptr ? text : "refused";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = std::max<std::size_t>(1, data[0] % 16);
  const std::string whole = inflate(bytes, bytes.size());
  MR_CHECK(whole == inflate(bytes, piece), whole);
  std::string packed;
  net::GzipDeflater().deflate(bytes, packed);
  MR_CHECK(inflate(packed, piece) == bytes);
  return 0;
}
