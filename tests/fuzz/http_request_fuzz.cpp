// Feeds bytes to the reader of HTTP requests. The first byte says in what pieces they come; whole
// and in pieces they must give the same requests and the same problem, within the limits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/http_head.h"
#include "net/http_message.h"
#include "net/http_reader.h"

namespace {

using namespace millrace;  // NOLINT(google-build-using-namespace)

constexpr net::HttpLimits kLimits{
    .header_bytes_max = 512, .body_bytes_max = 256, .field_count_max = 8, .target_bytes_max = 64};

struct Sink final : net::HttpSink {
  std::string body;
  void on_head() override {}
  void on_body(std::string_view piece) override { body += piece; }
};

/// Everything that a server would see, as one text.
std::string read(std::string_view bytes, std::size_t piece) {
  net::HttpReader reader(net::HttpReader::Kind::kRequest);
  std::string seen;
  Sink sink;
  reader.begin(kLimits);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto step = reader.feed(bytes.substr(at, piece), sink);
    if (!step) return seen + "problem " + std::to_string(static_cast<int>(reader.problem()));
    MR_CHECK(sink.body.size() <= kLimits.body_bytes_max);
    at += step->consumed;
    if (!step->is_done) continue;
    const net::HttpRequestHead& head = reader.request_head();
    MR_CHECK(head.target.size() <= kLimits.target_bytes_max);
    MR_CHECK(head.fields.size() <= kLimits.field_count_max);
    seen += head.method + " " + head.target + "\n";
    head.fields.append_to(seen);
    head.fields.for_each_item("connection", [&](std::string_view item) { seen += item; });
    seen += sink.body + (reader.keeps_alive() ? "\nkeep\n" : "\nclose\n");
    sink.body.clear();
    reader.begin(kLimits);
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
