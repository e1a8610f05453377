// Feeds bytes to the reader of HTTP requests that servers use. The first byte says in what pieces
// they come; whole and in pieces they must give the same requests and the same refusal, within the
// limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http/http_request_reader.h"
#include "net/http_head.h"
#include "net/http_message.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)
using Event = net::HttpRequestReader::Event;

constexpr net::HttpLimits kLimits{
    .header_bytes_max = 512, .field_count_max = 8, .target_bytes_max = 64};

/// What a server would see of a head, as text; checks the limits.
void note_head(net::HttpRequestReader& reader, std::string& seen) {
  const net::HttpRequestHead& head = reader.head();
  MR_CHECK(head.target.size() <= kLimits.target_bytes_max);
  MR_CHECK(head.fields.size() <= kLimits.field_count_max);
  MR_CHECK(head.version.minor == 0 || head.fields.count("host") == 1);
  MR_CHECK(head.fields.count("content-length") + head.fields.count("transfer-encoding") <= 1);
  seen += head.method + " " + head.target + "\n";
  head.fields.append_to(seen);
  head.fields.for_each_item("connection", [&](std::string_view item) { seen += item; });
  seen += reader.keeps_alive() ? "\nkeep\n" : "\nclose\n";
}

/// Everything that a server would see, as one text.
std::string read(std::string_view bytes, std::size_t piece) {
  net::HttpRequestReader reader(kLimits);
  std::string seen;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    std::string_view rest = bytes.substr(at, piece);
    while (true) {
      const auto step = reader.next(rest);
      MR_CHECK(step.consumed <= rest.size());
      rest.remove_prefix(step.consumed);
      if (step.event == Event::kNeedMore) break;
      if (step.event == Event::kRefused) {
        return seen + "refused " + std::to_string(reader.refusal().status);
      }
      if (step.event == Event::kHead) note_head(reader, seen);
      seen += step.piece;
      if (step.event != Event::kComplete) continue;
      seen += "\ncomplete\n";
      reader.begin();
    }
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read(bytes, bytes.size());
  const std::string pieces = read(bytes, std::max<std::size_t>(1, data[0] % 16));
  MR_CHECK(whole == pieces, whole, pieces);
  return 0;
}
